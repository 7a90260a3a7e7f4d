"""From the words of ``st_memory query`` to an answer."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from st_memory.asking.words import selector_of
from st_memory.cli.moments import moment_of
from st_memory.core import queries
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, ListAnswer, ObjectFilter, Selector
from st_memory.core.queries.asked_names import check_names
from st_memory.core.records import Visibility
from st_memory.core.stamps import Moment, stamp_from_seconds
from st_memory.vlm.word_encoder import word_encoder

__all__ = ['answer_of']


def answer_of(store: MemoryReader, at: Moment | None, arguments: argparse.Namespace) -> Answer:
    """
    Answer the question that was typed.

    Parameters
    ----------
    store : MemoryReader
        The memory.
    at : Moment, optional
        As of when; None for now.
    arguments : argparse.Namespace
        What was typed after ``query``, checked.

    """
    given = arguments
    check_names(name=given.selector or given.id or '')
    ask: dict[str, Callable[[], Answer]] = {
        'contents': lambda: queries.list_contents(store, _container(given), at),
        'changes': lambda: _changes(store, at, given),
        'predict': lambda: _predict(store, at, given),
        'list': lambda: _list(store, at, given),
    }
    if given.question in ask:
        return ask[given.question]()
    if given.question == 'fixture' and given.point is not None:
        return queries.nearest_fixture_to_point(store, tuple(given.point), at, limit=given.limit)
    return _about_one(store, _selector(store, at, given), at, given)


def _about_one(
    store: MemoryReader, who: Selector, at: Moment | None, given: argparse.Namespace
) -> Answer:
    ask: dict[str, Callable[[], Answer]] = {
        'where': lambda: queries.locate(store, who, at, _prior(given)),
        'visible': lambda: queries.get_visibility(store, who, at, given.camera or ''),
        'timeline': lambda: _timeline(store, who, at, given),
        'first-seen': lambda: queries.when_first_seen(store, who, at),
        'last-seen': lambda: queries.when_last_visible(store, who, at, given.camera or ''),
        'last-detected': lambda: queries.when_last_detected(store, who, at),
        'last-placed': lambda: queries.when_last_placed(store, who, at),
        'static-since': lambda: queries.when_static_since(store, who, at),
        'moves': lambda: queries.count_moves(store, who, at, _since_ns(store, at, given)),
        'itinerary': lambda: queries.get_itinerary(store, who, at, limit=given.limit),
        'relative': lambda: queries.relative_pose(
            store,
            who,
            given.reference or 'camera',
            queries.DirectionScheme(given.scheme or '8'),
            at,
        ),
        'fixture': lambda: queries.nearest_fixture(store, who, at, limit=given.limit),
        'find': lambda: queries.find_item(store, who, at, given.start or ''),
    }
    return ask[given.question]()


def _prior(given: argparse.Namespace) -> queries.StayPrior | None:
    return None if given.stay is None else queries.StayPrior(given.stay)


def _timeline(
    store: MemoryReader, who: Selector, at: Moment | None, given: argparse.Namespace
) -> Answer:
    epoch = at.epoch if at is not None else given.epoch
    start = moment_of(store, given.start_time, epoch) if given.start_time else None
    end = moment_of(store, given.end_time, epoch) if given.end_time else None
    return queries.get_timeline(
        store,
        who,
        at,
        given.camera or '',
        start_ns=start.stamp_ns if start else None,
        end_ns=end.stamp_ns if end else None,
        limit=given.limit,
    )


def _changes(store: MemoryReader, at: Moment | None, given: argparse.Namespace) -> Answer:
    name = given.selector or given.id or ''
    is_id = bool(name) and store.object_at(name, at) is not None
    label = given.label or ('' if is_id else name)
    wanted = ObjectFilter(object_id=name if is_id else '', label=label)
    answer = queries.list_changes(
        store, _since_ns(store, at, given), at, wanted if name or label else None
    )
    return (
        answer if given.limit is None else replace(answer, changes=answer.changes[-given.limit :])
    )


def _predict(store: MemoryReader, at: Moment | None, given: argparse.Namespace) -> Answer:
    settings = queries.PredictionSettings()
    if given.horizon is not None:
        settings = replace(settings, horizon_ns=stamp_from_seconds(given.horizon))
    actor = given.actor or 'camera'
    return queries.predict_interaction(store, actor, at, limit=given.limit, settings=settings)


def _list(store: MemoryReader, at: Moment | None, given: argparse.Namespace) -> ListAnswer:
    epoch = at.epoch if at is not None else given.epoch
    moved = moment_of(store, given.moved_since, epoch) if given.moved_since else None
    unseen = (
        moment_of(store, given.out_of_sight_since, epoch) if given.out_of_sight_since else None
    )
    wanted = ObjectFilter(
        label=given.label or '',
        visibility=Visibility[given.visibility.upper()] if given.visibility else None,
        fixture_id=given.on_fixture or '',
        container_id=given.container or '',
        moved_since_ns=moved.stamp_ns if moved else None,
        out_of_sight_since_ns=unseen.stamp_ns if unseen else None,
        centre=None if given.near is None else tuple(given.near),
        radius_m=given.within or 1.0,
    )
    name = given.selector or given.id or ''
    if name:  # so that the sentence counts what is listed
        is_id = store.object_at(name, at) is not None
        wanted = replace(wanted, object_id=name) if is_id else replace(wanted, label=name)
    return queries.list_objects(store, wanted, at)


def _since_ns(store: MemoryReader, at: Moment | None, given: argparse.Namespace) -> int | None:
    if given.since is None:
        return None
    since = moment_of(store, given.since, at.epoch if at is not None else given.epoch)
    return None if since is None else since.stamp_ns


def _container(given: argparse.Namespace) -> str:
    return str(given.selector or given.id or given.label)


def _selector(store: MemoryReader, at: Moment | None, given: argparse.Namespace) -> Selector:
    """Take what was typed."""
    if given.selector:
        return selector_of(store, given.selector, at, word_encoder)
    encoder = word_encoder() if given.text else None
    return Selector(given.id or '', given.label or '', given.text or '', encoder=encoder)

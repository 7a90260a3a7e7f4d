"""Which fixture is used next, from how one moves and looks and from what was used before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.asked_names import check_asker
from st_memory.core.queries.next_fixture import (
    guess_fixtures,
    GuessedFixture,
    Motion,
    PredictionSettings,
)
from st_memory.core.queries.references import BASE, find_view
from st_memory.core.queries.usage import habits_of, uses_of
from st_memory.core.queries.wording import join_names
from st_memory.core.records import AnswerStatus, CameraLook
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['GuessedFixture', 'PredictionAnswer', 'PredictionSettings', 'predict_interaction']


@dataclass(frozen=True)
class PredictionAnswer(Answer):
    """
    Fixtures, the most probable first; what is missing to 1 is that none of them is used in time.

    Parameters
    ----------
    fixtures : tuple of GuessedFixture
        With a limit the first ones.
    total : int
        How many there are.
    actor : str
        Whose movement it is: ``base`` or the id of a camera.

    """

    fixtures: tuple[GuessedFixture, ...] = ()
    total: int = 0
    actor: str = ''


def predict_interaction(
    reader: MemoryReader,
    actor: str = 'camera',
    at: Moment | None = None,
    *,
    limit: int | None = None,
    settings: PredictionSettings | None = None,
) -> PredictionAnswer:
    """
    Rank the fixtures that one may use next.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    actor : str
        Whose movement tells: ``base``, ``camera`` (the one that looked last) or ``camera:<id>``.
    at : Moment, optional
        As of when; nothing later counts. None for now.
    limit : int, optional
        At most this many guesses.
    settings : PredictionSettings, optional
        None for the defaults.

    Returns
    -------
    PredictionAnswer
        NO_POSE without a pose of the actor, UNKNOWN without fixtures. Only fixtures that can be
        reached within the horizon are named.

    Notes
    -----
    The probability of a fixture is proportional to the exponential of a weighted sum: the
    cosines of gaze and of walking towards it, its distance, and the logarithm of its uses so far
    (each counted once more than it was).

    """
    check_asker(actor=actor)
    chosen = settings or PredictionSettings()
    moment, status, reason = as_of(reader, at)
    if moment is None or status in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN):
        return PredictionAnswer(status, reason, f'I do not know: {reason}.', at=moment)
    fixtures = sorted(reader.scene().fixtures, key=lambda f: f.fixture_id)
    if not fixtures:
        reason = 'the memory knows of no fixtures'
        text = f'I do not know: {reason}.'
        return PredictionAnswer(AnswerStatus.UNKNOWN, reason, text, at=moment)
    look, of_view = find_view(reader, actor, moment)
    motion = None if look is None else _motion_of(reader, look, actor, moment, chosen)
    if look is None or motion is None:
        text = f'I cannot say what comes next, because {of_view.reason}.'
        return PredictionAnswer(of_view.status, of_view.reason, text, at=moment)
    habits = habits_of(uses_of(reader, moment))
    guesses = guess_fixtures(fixtures, motion, habits, chosen)
    if of_view.status is AnswerStatus.STALE:
        status, reason = AnswerStatus.STALE, '; '.join(filter(None, (reason, of_view.reason)))
    return PredictionAnswer(
        status,
        reason,
        _sentence(guesses, chosen, reason),
        at=moment,
        evidence_ids=_evidence(reader, moment),
        fixtures=tuple(guesses if limit is None else guesses[:limit]),
        total=len(guesses),
        actor=BASE if actor == BASE else look.camera_id,
    )


def _evidence(reader: MemoryReader, at: Moment) -> tuple[str, ...]:
    moves = [e.event_id for e in reader.events(at) if e.event_type == 'moved']
    return tuple(moves[-3:])


def _motion_of(
    reader: MemoryReader, look: CameraLook, actor: str, at: Moment, settings: PredictionSettings
) -> Motion | None:
    """Measure the movement up to a look; standing while there is no earlier pose."""
    pose = look.world_T_camera
    if pose is None:
        return None
    gaze = pose.rotation[:2, 0 if actor == BASE else 2]
    place = pose.translation[:2]
    then = Moment(at.epoch, look.stamp_ns - settings.trend_ns)
    before = reader.look_at(look.camera_id, then)
    velocity = np.zeros(2)
    if before is not None and before.world_T_camera is not None:
        elapsed_s = (look.stamp_ns - before.stamp_ns) / NS_PER_S
        if elapsed_s <= 3 * settings.trend_ns / NS_PER_S:
            velocity = (place - before.world_T_camera.translation[:2]) / elapsed_s
    return Motion(place, gaze, velocity)


def _sentence(guesses: list[GuessedFixture], settings: PredictionSettings, reason: str) -> str:
    horizon = f'{settings.horizon_ns / NS_PER_S:g} s'
    if not guesses:
        text = f'No fixture can be reached within {horizon}'
    else:
        best = guesses[0]
        eta_s = round(best.eta_ns / NS_PER_S)
        soon = f'in about {eta_s} s' if eta_s else 'within a second'
        text = (
            f'Most likely {best.fixture.fixture_id} is used next, {soon} '
            f'({best.probability:.0%}: {best.reason})'
        )
        others = [f'{g.fixture.fixture_id} ({g.probability:.0%})' for g in guesses[1:3]]
        text += f'; else {join_names(others)}' if others else ''
    return f'{text}; {reason}.' if reason else f'{text}.'

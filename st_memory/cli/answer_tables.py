"""What stands below the sentence of an answer: its parts, a line each."""

from __future__ import annotations

from collections.abc import Sequence

from st_memory.cli.output import format_table
from st_memory.cli.tables import Clock, object_table, timeline_table
from st_memory.core.queries import (
    Answer,
    Change,
    ChangesAnswer,
    ContentsAnswer,
    FixtureAnswer,
    GuessedFixture,
    ItineraryAnswer,
    ListAnswer,
    PredictionAnswer,
    RouteAnswer,
    VisibilityAnswer,
)
from st_memory.core.queries.route_words import RouteStep
from st_memory.core.records import AnswerStatus, Placement
from st_memory.core.stamps import NS_PER_S

__all__ = ['answer_table', 'is_answered']


def is_answered(answer: Answer) -> bool:
    """Whether an answer is about something that is known at all."""
    if answer.object is not None:
        return True
    if isinstance(answer, ListAnswer):  # a list of nothing is an answer, what is not there none
        return answer.status is not AnswerStatus.NOT_YET_SEEN
    if isinstance(answer, ContentsAnswer):
        return bool(answer.container_id)
    if isinstance(answer, FixtureAnswer):
        return answer.fixture is not None
    if isinstance(answer, PredictionAnswer):
        return answer.status not in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN)
    return isinstance(answer, ChangesAnswer) and answer.since is not None


def answer_table(answer: Answer, clock: Clock) -> str:
    """
    Give the parts of an answer as a table; '' for one without.

    Parameters
    ----------
    answer : Answer
        Any of the answers of :mod:`st_memory.core.queries`.
    clock : Clock
        Tells stamps.

    """
    if isinstance(answer, VisibilityAnswer):
        return timeline_table(answer.intervals, clock) if answer.is_timeline else ''
    if isinstance(answer, (ListAnswer, ContentsAnswer)):
        return object_table(answer.objects, answer.at) if answer.objects else ''
    if isinstance(answer, ItineraryAnswer):
        return _placements(answer.placements, clock) if answer.placements else ''
    if isinstance(answer, ChangesAnswer):
        return _changes(answer.changes, clock) if answer.changes else ''
    if isinstance(answer, RouteAnswer):
        return _steps(answer.steps) if answer.steps else ''
    if isinstance(answer, PredictionAnswer):
        return _guesses(answer.fixtures) if answer.fixtures else ''
    return _others(answer) if isinstance(answer, FixtureAnswer) and answer.ranked else ''


def _placements(rows: Sequence[Placement], clock: Clock) -> str:
    table = []
    for row in rows:
        start, end = clock.of(row.start_ns), clock.of(row.end_ns)
        place = ' '.join(f'{v:.2f}' for v in row.world_p)
        table.append((start, end, row.fixture_id or '-', place, row.source))
    return format_table(('start', 'end', 'fixture', 'x y z [m]', 'source'), table)


def _changes(rows: Sequence[Change], clock: Clock) -> str:
    table = [(clock.of(c.stamp_ns), c.kind, c.object_id, c.text) for c in rows]
    return format_table(('when', 'change', 'what', 'how'), table)


def _steps(rows: Sequence[RouteStep]) -> str:
    table = [
        (str(i + 1), f'{step.distance_m:.2f}', _place(step), step.text)
        for i, step in enumerate(rows)
    ]
    return format_table(('step', '[m]', 'x y z [m]', 'what to do'), table)


def _place(step: RouteStep) -> str:
    return ' '.join(f'{v:.2f}' for v in step.world_p)


def _guesses(rows: Sequence[GuessedFixture]) -> str:
    table = [
        (g.fixture.fixture_id, f'{g.probability:.2f}', f'{g.eta_ns / NS_PER_S:.1f}', g.reason)
        for g in rows
    ]
    return format_table(('fixture', 'probability', 'in [s]', 'why'), table)


def _others(answer: FixtureAnswer) -> str:
    table = [(r.fixture.fixture_id, f'{r.distance_m:.2f}') for r in answer.ranked]
    return format_table(('other fixture', '[m]'), table)

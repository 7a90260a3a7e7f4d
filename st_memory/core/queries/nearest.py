"""Which fixture an object or a place is at: as noted when it was put there, and by geometry."""

from __future__ import annotations

from dataclasses import dataclass
import math

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.fixtures import rank_fixtures, RankedFixture
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.selection import judge, select, Selector, Subject, Verdict
from st_memory.core.queries.wording import join_names, name_first
from st_memory.core.records import AnswerStatus, Fixture, ObjectState
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['FixtureAnswer', 'nearest_fixture', 'nearest_fixture_to_point']

_NO_FIXTURES = 'the memory knows of no fixtures'
_MAX_NAMED = 3


@dataclass(frozen=True)
class FixtureAnswer(Answer):
    """
    The fixture that something is on, in or nearest to.

    Parameters
    ----------
    fixture : Fixture, optional
        The one noted at its placement if there is one and the scene has it, else the nearest.
    source : str
        ``placement`` or ``geometry``; '' for no fixture.
    distance_m : float, optional
        From the place to the fixture's box; 0 inside. None without a place.
    inside : bool
        The place is inside the box.
    annotated_fixture_id : str
        Fixture noted at the placement; '' for none, and for a point.
    geometric_fixture_id : str
        Fixture whose box is nearest; '' without a place.
    ranked : tuple of RankedFixture
        The other fixtures, the nearest first.

    """

    fixture: Fixture | None = None
    source: str = ''
    distance_m: float | None = None
    inside: bool = False
    annotated_fixture_id: str = ''
    geometric_fixture_id: str = ''
    ranked: tuple[RankedFixture, ...] = ()


@names_its_guess
def nearest_fixture(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    *,
    limit: int | None = None,
) -> FixtureAnswer:
    """
    Say which fixture an object is at.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`.
    limit : int, optional
        At most this many other fixtures; None for all.

    """
    found = select(reader, selector, at, Subject.PLACE)
    if not found.found:
        return FixtureAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    scene = reader.scene()
    noted = next((f for f in scene.fixtures if f.fixture_id == state.fixture_id), None)
    ranked = () if state.world_p is None else rank_fixtures(scene, state.world_p)
    is_told = noted is not None and state.world_p is None
    # A fixture that was noted is known even where nobody measured the place on it.
    verdict = judge(state, found, Subject.LAST_PLACEMENT if is_told else Subject.PLACE)
    if noted is None and not ranked:
        missing = _NO_FIXTURES if state.world_p is not None and not state.fixture_id else ''
        why = '; '.join(filter(None, (missing, verdict.reason)))
        verdict = Verdict(AnswerStatus.UNKNOWN, why or f'{state.fixture_id} is in no scene')
    chosen = noted or (ranked[0].fixture if ranked else None)
    distance_m = next((r.distance_m for r in ranked if r.fixture is chosen), None)
    others = tuple(r for r in ranked if r.fixture is not chosen)
    return FixtureAnswer(
        verdict.status,
        verdict.reason,
        _sentence(state, chosen, distance_m, ranked, verdict),
        at=found.at,
        object=state,
        alternatives=found.found[1:],
        evidence_ids=evidence_of(reader, state, found.at),
        fixture=chosen,
        source='' if chosen is None else 'geometry' if noted is None else 'placement',
        distance_m=distance_m,
        inside=distance_m == 0.0,
        annotated_fixture_id=state.fixture_id,
        geometric_fixture_id=ranked[0].fixture.fixture_id if ranked else '',
        ranked=others if limit is None else others[:limit],
    )


def nearest_fixture_to_point(
    reader: MemoryReader,
    world_p: Point,
    at: Moment | None = None,
    *,
    limit: int | None = None,
) -> FixtureAnswer:
    """
    Say which fixture a place is at.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    world_p : (3,) float
        The place in the fixed frame, metres.
    at : Moment, optional
        As of when, of an epoch that is there; fixtures are those of the scene, which has no time.
    limit : int, optional
        At most this many other fixtures; None for all.

    Raises
    ------
    ValueError
        If a coordinate is not finite.

    """
    if not all(math.isfinite(v) for v in world_p):
        raise ValueError(f'point: expected finite metres, got {world_p}')
    moment, status, missing = as_of(reader, at)
    if moment is not None and status is AnswerStatus.UNKNOWN:
        return FixtureAnswer(status, missing, f'I do not know: {missing}.', at=moment)
    ranked = rank_fixtures(reader.scene(), world_p)
    x, y, z = world_p
    where = f'({x:.2f}, {y:.2f}, {z:.2f}) m'
    if not ranked:
        text = f'{where}: {_NO_FIXTURES}.'
        return FixtureAnswer(AnswerStatus.UNKNOWN, _NO_FIXTURES, text, at=moment)
    best, others = ranked[0], ranked[1:]
    return FixtureAnswer(
        AnswerStatus.KNOWN,
        '',
        f'{where} is {_relation(best)}{_next(others)}.',
        at=moment,
        fixture=best.fixture,
        source='geometry',
        distance_m=best.distance_m,
        inside=best.distance_m == 0.0,
        geometric_fixture_id=best.fixture.fixture_id,
        ranked=others if limit is None else others[:limit],
    )


def _relation(row: RankedFixture) -> str:
    name = row.fixture.fixture_id
    return f'inside {name}' if row.distance_m == 0.0 else f'{row.distance_m:.2f} m from {name}'


def _next(others: tuple[RankedFixture, ...]) -> str:
    named = [f'{r.fixture.fixture_id} ({r.distance_m:.2f} m)' for r in others[:_MAX_NAMED]]
    return f'; next are {join_names(named)}' if named else ''


def _sentence(
    state: ObjectState,
    chosen: Fixture | None,
    distance_m: float | None,
    ranked: tuple[RankedFixture, ...],
    verdict: Verdict,
) -> str:
    start = name_first(state)
    if chosen is None:
        return f'{start}: {verdict.reason}.'
    is_stale = verdict.status is AnswerStatus.STALE
    text = f'{start} {"was last" if is_stale else "is"} at {chosen.fixture_id}'
    if distance_m is not None:
        text += ', inside its box' if distance_m == 0.0 else f', {distance_m:.2f} m from its box'
    if ranked and ranked[0].fixture is not chosen:
        text += f'; by its box alone {ranked[0].fixture.fixture_id} is nearer'
    else:
        text += _next(tuple(r for r in ranked if r.fixture is not chosen))
    return f'{text}: {verdict.reason}.' if is_stale else f'{text}.'

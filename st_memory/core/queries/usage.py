"""Which fixtures were used when: things were taken from them or put there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
import itertools
from typing import NamedTuple

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.history import placements_of
from st_memory.core.queries.selection import reported_objects
from st_memory.core.queries.wording import is_gone
from st_memory.core.records import Placement
from st_memory.core.stamps import Moment

__all__ = ['Habits', 'Use', 'habits_of', 'uses_of']

# Nobody used a fixture for a thing that was merely seen there first.
_SEEN_ONLY = 'first_seen'


class Use(NamedTuple):
    """Something was taken from a fixture, or put there."""

    stamp_ns: int
    fixture_id: str


class Habits(NamedTuple):
    """
    What the uses so far say about the next one.

    Attributes
    ----------
    counts : Counter of str
        Uses by fixture.
    after_last : Counter of str
        Uses that came next whenever the fixture used last had been used before.
    last : str
        That fixture; '' when there was no use.

    """

    counts: Counter[str]
    after_last: Counter[str]
    last: str


def uses_of(reader: MemoryReader, at: Moment) -> tuple[Use, ...]:
    """
    Give every use of a fixture that is known as of a moment, by time.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    at : Moment
        Nothing later counts.

    """
    uses: set[Use] = set()
    for state in reported_objects(reader, at):
        if state.num_moves or state.in_motion or is_gone(state):
            for row in placements_of(reader, state, at):
                uses.update(_uses(row))
    return tuple(sorted(uses))


def habits_of(uses: Sequence[Use]) -> Habits:
    """Count how often fixtures are used, and which after the last one."""
    counts = Counter(use.fixture_id for use in uses)
    if not uses:
        return Habits(counts, Counter(), '')
    last = uses[-1].fixture_id
    after = Counter(
        then.fixture_id for now, then in itertools.pairwise(uses) if now.fixture_id == last
    )
    return Habits(counts, after, last)


def _uses(row: Placement) -> list[Use]:
    if not row.fixture_id:
        return []
    uses = [] if row.source == _SEEN_ONLY else [Use(row.start_ns, row.fixture_id)]
    return uses if row.end_ns is None else [*uses, Use(row.end_ns, row.fixture_id)]

"""What of an object's state is told: nothing that the state itself contradicts."""

from __future__ import annotations

from dataclasses import replace

from st_memory.core.ports import MemoryReader
from st_memory.core.records import LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment

__all__ = ['REPORTED', 'as_told', 'reported_called', 'reported_objects', 'sight_at_rest']

# Life cycles of which users are told.
REPORTED = (LifeCycle.CONFIRMED, LifeCycle.ABSENT)


def as_told(state: ObjectState) -> ObjectState:
    """
    Give an object's state as answers tell it.

    The fold keeps the fixture and the container that a thing was taken from until it is put
    down: in the hand it is in neither. And a movement can be found to have ended after the look
    of the same frame showed it under way.

    Parameters
    ----------
    state : ObjectState
        As the memory keeps it.

    """
    if state.in_motion:
        if not (state.fixture_id or state.container_id or state.fixture_alternatives):
            return state
        return replace(state, fixture_id='', fixture_alternatives=(), container_id='')
    if state.visibility is not Visibility.IN_MOTION:
        return state
    shown, cause = sight_at_rest(state.geometry)
    return replace(state, visibility=shown, cause=cause)


def sight_at_rest(geometry: Visibility) -> tuple[Visibility, str]:
    """Give the verdict and its cause of a look that still took a thing at rest for moving."""
    return geometry, 'in_view' if geometry is Visibility.VISIBLE else ''


def reported_objects(reader: MemoryReader, at: Moment | None) -> tuple[ObjectState, ...]:
    """Objects that users are told of: confirmed ones and tombstones."""
    return tuple(as_told(s) for s in reader.objects_at(at) if s.life_cycle in REPORTED)


def reported_called(reader: MemoryReader, name: str, at: Moment | None) -> tuple[ObjectState, ...]:
    """Give the objects that users are told of whose label or alias is a name."""
    return tuple(as_told(s) for s in reader.objects_called(name, at) if s.life_cycle in REPORTED)

"""What of an object's state is told: nothing that the state itself contradicts."""

from __future__ import annotations

from dataclasses import replace

from st_memory.core.records import ObjectState, Visibility

__all__ = ['as_told', 'sight_at_rest']


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

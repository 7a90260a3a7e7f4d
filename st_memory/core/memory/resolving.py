"""Which object an id means: its own, or the one that it was merged into."""

from __future__ import annotations

from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle

__all__ = ['is_forgotten', 'is_part_of', 'resolve']


def resolve(state: FoldState, object_id: str) -> Track | None:
    """Find the object that an id means: its own, or the one that took it over."""
    track = state.tracks.get(object_id)
    if track is None or track.life_cycle != LifeCycle.RETIRED or is_forgotten(track):
        return track
    owners = (t for t in state.ordered() if is_part_of(track, t))
    return next(owners, None)


def is_forgotten(track: Track) -> bool:
    """Whether a person has said to forget an object."""
    return track.said is not None and track.said.is_forgotten


def is_part_of(other: Track, track: Track) -> bool:
    """Whether an object was merged into another that is answered for, or is forgotten as one."""
    return (
        other is not track
        and other.life_cycle == LifeCycle.RETIRED
        and not is_forgotten(other)
        and (track.life_cycle != LifeCycle.RETIRED or is_forgotten(track))
        and other.object_id in track.aliases
    )

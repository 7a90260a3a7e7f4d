"""From an object as the fold holds it to its public record."""

from __future__ import annotations

from collections.abc import Set
import math

from st_memory.core.memory.track import Track
from st_memory.core.memory.view import fused_view, View
from st_memory.core.records import LifeCycle, ObjectState, Visibility

__all__ = ['state_of']


def state_of(track: Track, epoch: int, cameras: Set[str] | None = None) -> ObjectState:
    """
    Give the public record.

    Parameters
    ----------
    track : Track
        The object.
    epoch : int
        Epoch it belongs to.
    cameras : set of str, optional
        Cameras whose verdicts are fused; None for all that ever looked.

    """
    view = fused_view(track.views, cameras)
    place, size, quat = track.best_place, track.size, track.quat
    doubt = track.doubt
    return _made(
        object_id=track.object_id,
        label=track.label,
        epoch=epoch,
        life_cycle=LifeCycle(track.life_cycle),
        aliases=tuple(sorted(track.aliases)),
        world_p=None if place is None else (place[0], place[1], place[2]),
        size_m=(size[0], size[1], size[2]),
        quat_xyzw=(quat[0], quat[1], quat[2], quat[3]),
        position_sigma_m=math.sqrt(track.variance),
        visibility=_visibility(track, view),
        cause=_cause(track, view),
        occluder_id=view.occluder if view else '',
        geometry=Visibility(view.geometry) if view else Visibility.UNKNOWN,
        confirmed=bool(view and view.confirmed),
        first_seen_ns=track.first_seen_ns,
        last_seen_ns=track.last_seen_ns,
        last_visible_ns=track.last_visible_ns,
        last_placed_ns=track.last_placed_ns,
        placed_by=track.placed_by,
        visibility_since_ns=view.start_ns if view else None,
        fixture_id=track.fixture_id,
        fixture_alternatives=tuple(track.fixture_alternatives),
        container_id=track.container_id,
        in_motion=track.in_motion,
        num_moves=track.num_moves,
        num_observations=track.num_observations,
        existence_probability=0.0 if track.life_cycle == LifeCycle.ABSENT else 1.0,
        identity_confidence=1.0 if doubt is None else doubt.confidence,
        identity_alternatives=() if doubt is None else doubt.alternatives,
    )


def _made(**fields: object) -> ObjectState:
    """
    Make a record of all its fields.

    The constructor of a frozen dataclass sets them one by one, which takes three times as long;
    a frame makes sixty.
    """
    state = object.__new__(ObjectState)
    vars(state).update(fields)
    return state


def _visibility(track: Track, view: View | None) -> Visibility:
    """Give the fused state; a movement that began since the last look counts at once."""
    if track.in_motion:
        return Visibility.IN_MOTION
    return Visibility(view.state) if view else Visibility.UNKNOWN


def _cause(track: Track, view: View | None) -> str:
    if track.in_motion:
        return 'in_motion'
    return view.cause if view else 'not_yet_looked_for'

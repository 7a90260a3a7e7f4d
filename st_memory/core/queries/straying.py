"""Whether an object was seen elsewhere than where it is believed to be."""

from __future__ import annotations

from collections.abc import Sequence
import math

from st_memory.core.memory.settings import MemorySettings
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.history import observations_of, placements_of
from st_memory.core.queries.wording import describe_when, is_gone, is_just_now
from st_memory.core.records import ObjectState, Observation
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['doubts_of', 'straying']

_SENSORS = MemorySettings()
# Cameras that may match an object in one frame; more have no say.
_MAX_CAMERAS = 8
# More doubtful things than this make no sentence to listen to.
_MAX_NAMED = 3


def straying(reader: MemoryReader, state: ObjectState, at: Moment | None, lag: str = '') -> str:
    """
    Say that the newest match of an object lies elsewhere than its place; '' when it does not.

    The fold takes several displaced matches for a movement, so that one slip of a detector moves
    nothing. Until then the place it keeps is in doubt. A place that was concluded with or after
    the match is not, nor is that of what a drawer has carried on since.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    state : ObjectState
        The object as of ``at``.
    at : Moment, optional
        As of when; None for now.
    lag : str
        Says that ``at`` is long before the time asked about; '' when it is not.

    """
    if state.world_p is None:
        return ''
    latest = observations_of(reader, state, at, limit=1)
    if not latest or not _is_far(latest[0], state):
        return ''  # the usual case: one row settles it
    rows = observations_of(reader, state, at, limit=_MAX_CAMERAS)
    matches = [o for o in rows if o.stamp_ns == rows[-1].stamp_ns and o.world_p]
    if not matches or not all(_is_far(o, state) for o in matches):
        return ''
    newest = min(matches, key=lambda o: _gap(o.world_p, state.world_p))
    if newest.object_id != state.object_id:
        return ''
    stays = placements_of(reader, state, at)
    if stays and stays[-1].recorded_ns >= newest.stamp_ns:
        return ''
    then = reader.object_at(state.object_id, Moment(newest.epoch, newest.stamp_ns))
    if then is None or not _is_far(newest, then):
        return ''
    x, y, z = newest.world_p or state.world_p
    ago_ns = 0 if at is None else at.stamp_ns - newest.stamp_ns
    when = (
        'just now' if is_just_now(ago_ns) and not lag else describe_when(ago_ns, lagging=bool(lag))
    )
    away_m = _gap(newest.world_p, state.world_p)
    return f'it was seen {away_m:.1f} m from there, at ({x:.2f}, {y:.2f}, {z:.2f}) m, {when}'


def doubts_of(
    reader: MemoryReader, states: Sequence[ObjectState], at: Moment | None, lag: str = ''
) -> str:
    """
    Name what was seen elsewhere than where it is believed to be, of several; '' for nothing.

    What is gone from its place is not at it anyway. Parameters as for :func:`straying`.
    """
    told = [(s.object_id, straying(reader, s, at, lag)) for s in states if not is_gone(s)]
    doubtful = [f'{name} is doubtful ({why})' for name, why in told if why]
    more = len(doubtful) - _MAX_NAMED
    named = doubtful[:_MAX_NAMED] + ([f'{more} more are doubtful'] if more > 0 else [])
    return '; '.join(named)


def _gap(one: Point | None, other: Point | None) -> float:
    return math.inf if one is None or other is None else math.dist(one, other)


def _is_far(seen: Observation, state: ObjectState) -> bool:
    """Whether a match is farther from a place than noise and the object's size explain."""
    range_m = 0.0 if seen.camera_p is None else math.hypot(*seen.camera_p)
    sigma_m = math.hypot(
        state.position_sigma_m,
        _SENSORS.pose_sigma_m,
        _SENSORS.pose_sigma_rad * range_m,
        _SENSORS.depth_sigma_share * range_m,
    )
    # A match of the part that shows lies up to half of the box off the centre.
    half_m = math.hypot(*state.size_m) / 2
    explained_m = max(_SENSORS.move_distance_m, half_m + _SENSORS.gate_sigmas * sigma_m)
    return _gap(seen.world_p, state.world_p) > explained_m

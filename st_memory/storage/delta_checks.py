"""What every store demands of a frame before it is appended."""

from __future__ import annotations

import math

from st_memory.core.errors import StoreError
from st_memory.core.records import FrameDelta, FrameRecord, Placement, VisibilityInterval
from st_memory.core.stamps import Moment

__all__ = ['check_delta', 'moment_of']


def moment_of(frame: FrameRecord) -> Moment:
    """When the frame was."""
    return Moment(frame.epoch, frame.stamp_ns)


def check_delta(delta: FrameDelta, newest: FrameRecord | None) -> None:
    """
    Refuse a frame that cannot follow the newest one, or rows that are not of the frame.

    Parameters
    ----------
    delta : FrameDelta
        What is to be appended.
    newest : FrameRecord, optional
        The frame committed last; None for an empty memory.

    Raises
    ------
    StoreError
        If ``seq`` is not the next one or the moment lies before the newest.
    ValueError
        If a row names another epoch, an observation or a look another stamp, an interval or
        placement starts after the frame, or a number is not finite.

    """
    frame = delta.frame
    expected = 0 if newest is None else newest.seq + 1
    if frame.seq != expected:
        raise StoreError(f'commit: expected frame seq {expected}, got {frame.seq}')
    if newest is not None and moment_of(frame) < moment_of(newest):
        raise StoreError(
            f'commit: expected a frame at or after epoch {newest.epoch} stamp {newest.stamp_ns}, '
            f'got epoch {frame.epoch} stamp {frame.stamp_ns}'
        )
    _check_rows(delta)
    _check_numbers(delta)


def _check_rows(delta: FrameDelta) -> None:
    """Compare every row with the frame it came in."""
    frame = delta.frame
    now = (frame.epoch, frame.stamp_ns)
    for track in delta.tracks:
        if track.state.epoch != frame.epoch:
            raise ValueError(_unlike('track', track.state.object_id, track.state.epoch, now))
    for observation in delta.observations:
        if (observation.epoch, observation.stamp_ns) != now:
            found = (observation.epoch, observation.stamp_ns)
            raise ValueError(_unlike('observation', observation.observation_id, found, now))
    for look in delta.looks:
        if (look.epoch, look.stamp_ns) != now:
            raise ValueError(_unlike('look', look.camera_id, (look.epoch, look.stamp_ns), now))
    rows: tuple[VisibilityInterval | Placement, ...] = (*delta.intervals, *delta.placements)
    for row in rows:
        if row.epoch != frame.epoch or row.start_ns > frame.stamp_ns:
            kind = type(row).__name__
            raise ValueError(_unlike(kind, row.object_id, (row.epoch, row.start_ns), now))
    for event in delta.events:
        if event.epoch != frame.epoch:
            raise ValueError(_unlike('event', event.event_id, event.epoch, now))


def _check_numbers(delta: FrameDelta) -> None:
    """Refuse NaN and infinity: no store keeps them apart from a missing number."""
    for track in delta.tracks:
        s = track.state
        box = (*s.size_m, *s.quat_xyzw, *(s.world_p or ()))
        numbers = (s.position_sigma_m, s.existence_probability, s.identity_confidence, *box)
        _check_finite('track', s.object_id, numbers)
    for seen in delta.observations:
        numbers = (seen.score, *(seen.camera_p or ()), *(seen.world_p or ()), *(seen.box_px or ()))
        _check_finite('observation', seen.observation_id, numbers)
    for placement in delta.placements:
        _check_finite('placement', placement.object_id, placement.world_p)


def _check_finite(kind: str, name: str, numbers: tuple[float, ...]) -> None:
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f'{kind} {name[:80]!r}: expected finite numbers, got {numbers}')


def _unlike(kind: str, name: str, found: object, now: tuple[int, int]) -> str:
    """Say which row does not belong to the frame."""
    return f'{kind} {name[:80]!r}: expected a row of the frame (epoch, stamp) {now}, got {found}'

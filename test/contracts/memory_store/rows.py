"""Rows to put into a store, and what the rules say when they are broken."""

from __future__ import annotations

from dataclasses import replace

from st_memory.core.records import (
    CameraLook,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    Observation,
    Placement,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)

__all__ = [
    'ALL_OR_NOTHING',
    'AS_OF',
    'KEPT',
    'OTHER_EPOCH',
    'frame',
    'interval',
    'look',
    'placement',
    'seen',
    'state',
    'track',
]

AS_OF = 'an answer as of T must not depend on frames after T'
KEPT = 'a reader must give back exactly what was committed'
OTHER_EPOCH = 'rows of another epoch must not be seen'
ALL_OR_NOTHING = 'a refused frame must leave nothing behind'


def state(object_id: str = 'cup_1', epoch: int = 0, **fields: object) -> ObjectState:
    """Build a state whose fields all differ from their defaults, then change some."""
    full = ObjectState(
        object_id=object_id,
        label='cup',
        epoch=epoch,
        life_cycle=LifeCycle.ABSENT,
        aliases=('mug', 'tasse "groß"'),
        world_p=(0.1, -0.0, 1e-300),
        size_m=(0.08, 0.09, 0.1),
        quat_xyzw=(0.5, -0.5, 0.1, -0.7),
        position_sigma_m=0.012,
        visibility=Visibility.OCCLUDED,
        cause='occluded_by:door',
        occluder_id='door',
        geometry=Visibility.AMBIGUOUS_FIXTURE,
        confirmed=True,
        first_seen_ns=1,
        last_seen_ns=2,
        last_visible_ns=3,
        last_placed_ns=4,
        placed_by='inferred',
        visibility_since_ns=5,
        fixture_id='counter',
        fixture_alternatives=('shelf', 'sink'),
        container_id='drawer',
        in_motion=True,
        num_moves=6,
        num_observations=7,
        existence_probability=0.25,
    )
    return replace(full, **fields)  # type: ignore[arg-type]


def frame(seq: int, stamp_ns: int, epoch: int = 0, **rows: tuple[object, ...]) -> FrameDelta:
    """Build a frame's delta."""
    record = FrameRecord(epoch, stamp_ns, seq, f'{{"seq":{seq}}}')
    return FrameDelta(record, **rows)  # type: ignore[arg-type]


def track(**fields: object) -> tuple[TrackRecord]:
    """Build the tracks of a frame with one object."""
    return (TrackRecord(state(**fields), '{"n":1}'),)  # type: ignore[arg-type]


def look(stamp_ns: int, camera_id: str = 'head', epoch: int = 0) -> CameraLook:
    """Build a look without a pose."""
    return CameraLook(camera_id, epoch, stamp_ns, None, detector_reported=True)


def seen(stamp_ns: int, camera_id: str = 'head', object_id: str = 'cup_1') -> Observation:
    """Build an observation."""
    name = f'{stamp_ns}-{camera_id}-{object_id}'
    return Observation(name, object_id, 0, stamp_ns, 'cup', 0.5, camera_id)


def interval(start_ns: int, end_ns: int | None = None, **fields: object) -> VisibilityInterval:
    """Build an interval of ``cup_1`` in camera ``head``."""
    row = VisibilityInterval(
        'cup_1', 'head', 0, start_ns, end_ns, start_ns, Visibility.VISIBLE, Visibility.VISIBLE
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def placement(start_ns: int, end_ns: int | None = None, recorded_ns: int = 0) -> Placement:
    """Build a placement of ``cup_1``."""
    return Placement('cup_1', 0, start_ns, end_ns, recorded_ns, (1.0, 2.0, 3.0), 'counter')

"""
Worlds told in numbers: things at exact places, depth that is flat, parts with given poses.

The camera looks along +x from the origin unless a pose is given; the fixed frame has z up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint, NO_PART, RayHits
from st_memory.core.records import (
    CameraFrame,
    Detection,
    Fixture,
    FrameDelta,
    Scene,
    ScenePart,
    SensedFrame,
    TrackRecord,
)
from test.scenarios.synthetic import CAMERA, FRAME_NS, looking, WALL_M

S = 1_000_000_000
CUBE = (0.16, 0.16, 0.16)  # 10.4 px at 2 m, 8.3 px at 2.5 m
STAY = np.array([0.0, 0.0, 0.0, 1.0])


def at(x: float, y: float = 0.0, z: float = 0.0, quat: Sequence[float] = STAY) -> RigidTransform:
    return RigidTransform(np.array([x, y, z]), np.array(quat))


def turned(axis: Sequence[float], angle_rad: float) -> RigidTransform:
    """Turn about a unit axis through the origin."""
    half = angle_rad / 2
    return RigidTransform(np.zeros(3), np.array([*(np.array(axis) * np.sin(half)), np.cos(half)]))


def told(
    place: Sequence[float],
    label: str = 'cup',
    *,
    pose: RigidTransform | None = None,
    size: Sequence[float] = CUBE,
    quat: Sequence[float] | None = None,
    track_id: str = '',
    score: float = 0.8,
) -> Detection:
    """Detect a thing at an exact place of the fixed frame."""
    camera_T_world = (pose or looking()).inverse()
    camera_p = camera_T_world.apply(np.array(place, dtype=float))
    attitude = None
    if quat is not None:
        box = camera_T_world @ RigidTransform(np.zeros(3), np.array(quat))
        attitude = tuple(box.quat_xyzw.tolist())
    return Detection(
        label,
        score,
        track_id,
        camera_p=tuple(camera_p.tolist()),
        size_m=tuple(size),
        camera_quat_xyzw=attitude,
    )


def flat(depth_m: float = WALL_M) -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), depth_m, dtype=np.float32)


def frame(
    stamp_ns: int,
    detections: Iterable[Detection] | None = (),
    *,
    pose: RigidTransform | None = None,
    depth: np.ndarray | float | None = WALL_M,
    parts: Mapping[str, RigidTransform] | None = None,
    camera_id: str = 'cam',
    epoch: int = 0,
    own_body: np.ndarray | None = None,
) -> SensedFrame:
    """One look; depth as an image, as one number for all of it, or None."""
    image = flat(depth) if isinstance(depth, int | float) else depth
    seen = None if detections is None else tuple(detections)
    camera = CameraFrame(
        camera_id, CAMERA, pose or looking(), depth_m=image, detections=seen, own_body=own_body
    )
    return SensedFrame(stamp_ns, epoch=epoch, cameras=(camera,), world_T_part=parts or {})


def stamp(index: int) -> int:
    """Stamp of a frame at 5 Hz."""
    return (index + 1) * FRAME_NS


def run(frames: Iterable[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(one) for one in frames]


def track_of(memory: ObjectMemory, object_id: str = 'cup_1'):
    """Give the fold's own record of an object, for what no public record tells."""
    return memory._state.tracks[object_id]


def checkpoint_of(deltas: Iterable[FrameDelta]) -> Checkpoint:
    """Give what a store would hand to the next start: all but the last epoch is left behind."""
    chosen = list(deltas)
    tracks: dict[str, TrackRecord] = {}
    for delta in chosen:
        if delta.frame.epoch == chosen[-1].frame.epoch:
            tracks |= {r.state.object_id: r for r in delta.tracks}
    return Checkpoint(chosen[-1].frame, tuple(tracks[name] for name in sorted(tracks)))


def text_of(delta: FrameDelta) -> str:
    """Give all that a delta says, to the last digit; poses by their numbers."""
    looks = [
        (
            look.camera_id,
            look.stamp_ns,
            look.detector_reported,
            None if look.world_T_camera is None else look.world_T_camera.matrix.tolist(),
        )
        for look in delta.looks
    ]
    return repr((replace(delta, looks=()), looks))


def box_part(
    name: str,
    fixture_id: str,
    frame_id: str,
    low: Sequence[float],
    high: Sequence[float],
) -> ScenePart:
    """A part with the eight corners of a box; its triangles do not matter here."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    vertices = np.array(low) + corners * (np.array(high) - np.array(low))
    return ScenePart(name, fixture_id, frame_id, vertices, np.array([[0, 1, 2]], dtype=np.int32))


def fixture(
    name: str,
    centre: Sequence[float],
    size: Sequence[float],
    *,
    holds: bool = False,
    world_T_room: RigidTransform | None = None,
) -> Fixture:
    pose = (world_T_room or RigidTransform.identity()) @ at(*centre)
    return Fixture(name, name, pose, tuple(size), holds)


# A drawer whose tray is 0.4 x 0.4 x 0.1 m in its own frame; shut, it fills its cabinet at x = 2.5.
TRAY = box_part('drawer/tray', 'drawer', 'tray', (-0.2, -0.2, -0.05), (0.2, 0.2, 0.05))
SHUT, OPEN = at(2.5), at(2.0)
KITCHEN = Scene(
    parts=(TRAY,),
    fixtures=(
        fixture('drawer', (2.5, 0, 0), (0.42, 0.42, 0.12), holds=True),
        fixture('table', (2.0, 0, -0.1), (0.6, 0.6, 0.1)),
    ),
)


@dataclass
class Board:
    """A ray caster that blocks a given number of the points of every object it is asked about."""

    num_blocked: int = 0
    part_names: tuple[str, ...] = ('board',)
    part_fixtures: tuple[str, ...] = ('',)
    movable_frames: tuple[str, ...] = ()
    points_at_once: int = 9

    def pose_parts(self, world_T_part: object) -> None:
        """Stay."""

    def any_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> np.ndarray:
        if len(targets) == 1:  # what is asked of the ground under a thing
            return np.array([True])
        return np.arange(len(targets)) % self.points_at_once < self.num_blocked

    def first_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> RayHits:
        # Only points that are known to be blocked are asked about.
        hit = np.ones(len(targets), dtype=bool)
        return RayHits(np.where(hit, 0.5, np.inf), np.where(hit, 0, NO_PART).astype(np.int32))


class Slabs:
    """A ray caster of level surfaces: a name, a height, and the x and y that each spans."""

    movable_frames: tuple[str, ...] = ()

    def __init__(
        self, *slabs: tuple[str, float, tuple[float, float], tuple[float, float]]
    ) -> None:
        self._slabs = slabs
        self.part_names = tuple(name for name, *_ in slabs)
        self.part_fixtures = ('',) * len(slabs)

    def pose_parts(self, world_T_part: object) -> None:
        """Stay."""

    def any_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> np.ndarray:
        return self.first_hits(origin, targets, tolerance_m).part != NO_PART

    def first_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> RayHits:
        distance = np.full(len(targets), np.inf)
        part = np.full(len(targets), NO_PART, dtype=np.int32)
        for row, gap in enumerate(targets - origin):
            length = float(np.sqrt(gap @ gap))
            for index, (_, z, (west, east), (south, north)) in enumerate(self._slabs):
                share = (z - origin[2]) / gap[2] if gap[2] else np.inf
                x, y = (origin + share * gap)[:2] if np.isfinite(share) else (np.inf, np.inf)
                is_met = west <= x <= east and south <= y <= north and share > 0
                if is_met and share * length < min(distance[row], length - tolerance_m[row]):
                    distance[row], part[row] = share * length, index
        return RayHits(distance, part)

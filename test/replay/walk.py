"""A camera that turns left and right in front of a mug and a bowl; the bowl is carried once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import math

import numpy as np

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import (
    CameraFrame,
    Detection,
    Fixture,
    MovementReport,
    Scene,
    SensedFrame,
)
from st_memory.core.stamps import NS_PER_S

__all__ = ['CAMERA', 'FIRST_NS', 'MUG_P', 'STEP_NS', 'WalkSource', 'detections_at', 'pose_at']

CAMERA = PinholeCamera(width=320, height=240, fx=200.0, fy=200.0, cx=159.5, cy=119.5)
FIRST_NS = 100 * NS_PER_S
STEP_NS = NS_PER_S // 5
MUG_P = np.array([2.0, 0.3, 1.0])
BOWL_P = (np.array([1.8, -0.4, 1.0]), np.array([2.2, -0.9, 1.0]))
CARRY = (30, 40)  # frames between which the bowl is reported to move

# Optical axes (x right, y down, z forward) of a camera that looks along +x of the map.
_AHEAD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


def pose_at(index: int) -> RigidTransform:
    """Pose of the camera at a frame: at (0, 0, 1.5) m, turning by 1.8 rad to each side."""
    yaw = 1.8 * math.sin(index / 12.0)
    turn = np.array(
        [
            [math.cos(yaw), -math.sin(yaw), 0.0],
            [math.sin(yaw), math.cos(yaw), 0.0],
            [0.0, 0.0, 1.0],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ _AHEAD
    matrix[:3, 3] = (0.0, 0.0, 1.5)
    return RigidTransform.from_matrix(matrix)


def detections_at(index: int) -> tuple[Detection, ...]:
    """Give what a perfect detector with ids would say at a frame."""
    found = []
    bowl_p = BOWL_P[0] if index < CARRY[0] else BOWL_P[1]
    for name, world_p in (('mug', MUG_P), ('bowl', bowl_p)):
        if name == 'bowl' and CARRY[0] <= index < CARRY[1]:
            continue
        camera_p = pose_at(index).inverse().apply(world_p)
        pixel, valid = CAMERA.project(camera_p[None, :])
        inside = bool(valid[0]) and 20 < pixel[0, 0] < 300 and 20 < pixel[0, 1] < 220
        if inside and camera_p[2] > 0:
            u, v = pixel[0]
            found.append(
                Detection(
                    label=name,
                    score=0.9,
                    track_id=f'{name}_a',
                    box_px=(float(u) - 8, float(v) - 8, 16.0, 16.0),
                    camera_p=(float(camera_p[0]), float(camera_p[1]), float(camera_p[2])),
                    size_m=(0.1, 0.1, 0.1),
                )
            )
    return tuple(found)


class WalkSource:
    """A ``FrameSource`` of that walk, without a bag."""

    name = 'walk'

    def __init__(self, num_frames: int = 80, first: int = 0) -> None:
        self._indices = range(first, num_frames)
        pose = np.eye(4)
        pose[:3, 3] = (2.0, 0.0, 0.9)
        box = RigidTransform.from_matrix(pose)
        self.scene = Scene(fixtures=(Fixture('counter_1', 'counter', box, (1.0, 3.0, 0.1)),))

    def frames(self) -> Iterator[SensedFrame]:
        """Yield every frame."""
        for index in self._indices:
            camera = CameraFrame('head', CAMERA, pose_at(index), detections=detections_at(index))
            stamp_ns = FIRST_NS + index * STEP_NS
            movements = []
            if index in CARRY:
                start_ns = FIRST_NS + CARRY[0] * STEP_NS
                end_ns = stamp_ns if index == CARRY[1] else None
                movements.append(MovementReport('bowl_a', 'bowl', start_ns, end_ns))
            yield SensedFrame(stamp_ns, cameras=(camera,), movements=tuple(movements))

    def counters(self) -> Mapping[str, int]:
        """Nothing is left out."""
        return {'dropped': 0}

"""A room of known walls, and the depth images that a camera in it would take."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, PinholeCamera, RigidTransform
from st_memory.core.records import CameraFrame, Scene, ScenePart, SensedFrame
from st_memory.scene import BuildSettings, EmbreeRayCaster
from test.scene.files import BOX

__all__ = [
    'CAMERA',
    'CENTRE',
    'ROOM',
    'FakeVolume',
    'frames_of',
    'room_depth',
    'wall_distance',
]

CAMERA = PinholeCamera(160, 120, 100.0, 100.0, 79.5, 59.5)
# Far from the origin of the map, where float32 has steps of 8 mm.
CENTRE = np.array([100_000.0, -50_000.0, 2.0])
SIZE = np.array([3.0, 2.4, 2.0])
ROOM = Scene((ScenePart('walls', '', '', BOX[0] * SIZE + CENTRE, BOX[1].astype(np.int32)),))


def room_depth(model: CameraModel, world_T_camera: RigidTransform) -> NDArray[np.float32]:
    """Give the depth image of the room."""
    v, u = np.mgrid[0 : model.height, 0 : model.width]
    rays = model.unproject(np.column_stack([u.ravel(), v.ravel()]).astype(np.float64))
    ends = world_T_camera.apply(np.nan_to_num(rays) * 10.0)
    hits = EmbreeRayCaster(ROOM).first_hits(world_T_camera.translation, ends, np.zeros(len(ends)))
    depth = hits.distance_m / np.linalg.norm(rays, axis=1)
    return (
        np.where(np.isfinite(depth), depth, np.nan)
        .reshape(model.height, model.width)
        .astype(np.float32)
    )


def frames_of(num: int, model: CameraModel = CAMERA) -> Iterator[SensedFrame]:
    """Turn a camera around in the middle of the room, a little up and down."""
    for i in range(num):
        yaw, pitch = 2 * np.pi * i / num, 0.5 * np.sin(3.0 * i)
        forward = np.array(
            [np.cos(yaw) * np.cos(pitch), np.sin(yaw) * np.cos(pitch), np.sin(pitch)]
        )
        right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
        matrix = np.eye(4)
        matrix[:3, :3] = np.column_stack([right, np.cross(forward, right), forward])
        matrix[:3, 3] = CENTRE
        pose = RigidTransform.from_matrix(matrix)
        camera = CameraFrame('head', model, pose, depth_m=room_depth(model, pose))
        yield SensedFrame(stamp_ns=1_000_000_000 + i, epoch=0, cameras=(camera,))


def wall_distance(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distance of points to the nearest wall plane, metres."""
    return np.abs(np.abs(points - CENTRE) - SIZE / 2).min(axis=1)


class FakeVolume:
    """Stands in for the fusion where Open3D is not installed: its mesh is that of the room."""

    def __init__(self, _settings: BuildSettings) -> None:
        self.num_integrated = 0

    def integrate(self, camera: CameraFrame) -> None:
        """Count a look."""
        assert camera.world_T_camera is not None
        assert camera.depth_m is not None
        self.num_integrated += 1

    def mesh(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Give the walls once there were three looks, and one face without an area."""
        if self.num_integrated < 3:
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        (walls,) = ROOM.parts
        return walls.vertices, np.vstack([walls.triangles, [[0, 0, 1]]]).astype(np.int64)

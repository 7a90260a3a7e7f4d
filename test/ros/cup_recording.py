"""A recording of one camera that looks at a cup, turns away, and sees it no more."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from st_memory.bags import BagRecorder
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection, Fixture, MovementReport, Scene, ScenePart
from st_memory.core.stamps import NS_PER_S

__all__ = ['CUP_P', 'FIRST_NS', 'STEP_NS', 'stamp_of', 'write_cup_recording', 'write_late_statics']

CAMERA = PinholeCamera(width=64, height=48, fx=50.0, fy=50.0, cx=31.5, cy=23.5)
CUP_P = (2.0, 0.0, 1.0)
FIRST_NS = 100 * NS_PER_S
STEP_NS = NS_PER_S // 10
NUM_LOOKS_AT_CUP = 12
# Optical axes (x right, y down, z forward) of a camera that looks along +x, and along -x.
_AHEAD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
_BACK = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


def stamp_of(index: int) -> int:
    """Stamp of a frame, nanoseconds."""
    return FIRST_NS + index * STEP_NS


def _head_T_camera(index: int) -> RigidTransform:
    matrix = np.eye(4)
    matrix[:3, :3] = _AHEAD if index < NUM_LOOKS_AT_CUP else _BACK
    return RigidTransform.from_matrix(matrix)


def _scene() -> Scene:
    """A table under the cup, and a wall behind it."""
    at_table = np.eye(4)
    at_table[:3, 3] = (2.0, 0.0, 0.9)
    wall = ScenePart(
        name='wall',
        fixture_id='',
        frame_id='',
        vertices=np.array([[3.0, -2.0, 0.0], [3.0, 2.0, 0.0], [3.0, 0.0, 3.0]]),
        triangles=np.array([[0, 1, 2]], dtype=np.int32),
    )
    table = Fixture('table_1', 'table', RigidTransform.from_matrix(at_table), (1.0, 1.0, 0.1))
    return Scene(parts=(wall,), fixtures=(table,))


def _detections(index: int) -> list[Detection]:
    if index >= NUM_LOOKS_AT_CUP:
        return []
    return [
        Detection('cup', 0.9, box_px=(28.0, 20.0, 8.0, 8.0), camera_p=(0.0, 0.0, 2.0)),
    ]


def write_cup_recording(path: Path, num_frames: int = 30, first_ns: int = FIRST_NS) -> Path:
    """
    Write the recording; the frames from the twelfth on do not show the cup.

    The head stands 1 m above the map's origin; a bowl is reported to be carried at frames 3 to 5.
    """
    up = np.eye(4)
    up[:3, 3] = (0.0, 0.0, 1.0)
    with BagRecorder(path) as bag:
        bag.write_scene(first_ns, 'map', _scene())
        bag.write_transform(first_ns, 'map', 'head', RigidTransform.from_matrix(up), static=True)
        for index in range(num_frames):
            stamp_ns = first_ns + index * STEP_NS
            bag.write_transform(stamp_ns, 'head', 'head_optical', _head_T_camera(index))
            bag.write_camera_info(stamp_ns, 'head', 'head_optical', CAMERA)
            depth_m = np.full((48, 64), 3.0, dtype=np.float32)
            if index < NUM_LOOKS_AT_CUP:
                depth_m[20:28, 28:36] = 2.0
            bag.write_depth(stamp_ns, 'head', 'head_optical', depth_m)
            bag.write_detections(stamp_ns, 'head', 'head_optical', _detections(index))
            if index in (3, 5):
                end_ns = stamp_ns if index == 5 else None
                bag.write_movement(
                    stamp_ns, MovementReport('bowl_a', 'bowl', first_ns + 3 * STEP_NS, end_ns)
                )
    return path


def write_late_statics(path: Path) -> Path:
    """Write a recording whose static transform and scene stand at its end."""
    with BagRecorder(path) as bag:
        for index in range(5):
            bag.write_transform(stamp_of(index), 'head', 'head_optical', _head_T_camera(index))
            bag.write_camera_info(stamp_of(index), 'head', 'head_optical', CAMERA)
            bag.write_detections(stamp_of(index), 'head', 'head_optical', _detections(index))
        bag.write_transform(stamp_of(5), 'map', 'head', RigidTransform.identity(), static=True)
        bag.write_scene(stamp_of(5), 'map', _scene())
    return path

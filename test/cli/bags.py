"""Small bags for tests of the command line, good and bad."""

from __future__ import annotations

from pathlib import Path

from st_memory.bags import BagRecorder
from test.replay.walk import CAMERA, CARRY, detections_at, FIRST_NS, pose_at, STEP_NS, WalkSource

__all__ = ['write_walk']

FRAME = 'head_optical_frame'


def write_walk(
    path: Path,
    *,
    num_frames: int = 80,
    with_transforms: bool = True,
    with_detections: bool = True,
    with_camera_info: bool = True,
    with_scene: bool = True,
) -> Path:
    """Write the walk of ``test.replay.walk`` as a bag."""
    source = WalkSource(num_frames)
    movements = {f.stamp_ns: f.movements for f in source.frames() if f.movements}
    with BagRecorder(path, overwrite=True) as sink:
        if with_scene:
            sink.write_scene(FIRST_NS, 'map', source.scene)
        for index in range(num_frames):
            stamp_ns = FIRST_NS + index * STEP_NS
            if with_transforms:
                sink.write_transform(stamp_ns, 'map', FRAME, pose_at(index))
            if with_camera_info:
                sink.write_camera_info(stamp_ns, 'head', FRAME, CAMERA)
            if with_detections:
                sink.write_detections(stamp_ns, 'head', FRAME, detections_at(index))
            for movement in movements.get(stamp_ns, ()):
                if index in (CARRY[0], CARRY[1]):
                    sink.write_movement(stamp_ns, movement)
    return path

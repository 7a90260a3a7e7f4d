"""
RGB-D folders of 7-Scenes and 3DMatch kind into a recording.

Layout: ``camera-intrinsics.txt`` (3x3 matrix K) and, per frame, ``frame-NNNNNN.color.jpg`` or
``.png``, ``frame-NNNNNN.depth.png`` (uint16, millimetres) and ``frame-NNNNNN.pose.txt`` (4x4
``world_T_camera``, camera x right, y down, z forward). The frames may lie in the folder itself
or in its only ``seq-NN`` sub-folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.core.stamps import NS_PER_S
from st_memory.datasets.rgbd_files import (
    find_frames,
    image_size,
    read_color,
    read_depth,
    read_intrinsics,
    read_pose,
    RgbdFrameFiles,
)

__all__ = ['CAMERA_ID', 'FIRST_STAMP_NS', 'FrameProblem', 'RgbdReport', 'convert_rgbd']

CAMERA_ID = 'camera'
OPTICAL_FRAME = 'camera_optical_frame'
FIXED_FRAME = 'map'
DATASET_FRAME = 'rgbd_world'

# Frame index 0 would be at stamp 0, which means "no stamp" everywhere in ROS, so all stamps are
# frame index / rate plus one nanosecond.
FIRST_STAMP_NS = 1

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FrameProblem:
    """
    What one frame lacked.

    Parameters
    ----------
    frame_index : int
        Number in the file names.
    what : str
        ``pose``, ``depth`` or ``color``.
    reason : str
        One clause, for people.

    """

    frame_index: int
    what: str
    reason: str


@dataclass(frozen=True)
class RgbdReport:
    """
    What a conversion wrote and what it could not.

    Parameters
    ----------
    num_frames, num_poses, num_depth, num_color : int
        Frames in the folder; poses, depth and colour images written.
    first_stamp_ns, last_stamp_ns : int
        Range of the stamps written.
    problems : tuple of FrameProblem
        Missing or unusable files. A frame without a pose is left out whole: between its
        neighbours' poses a reader could only interpolate one that was never measured.
    gaps : tuple of (int, int)
        Frame indices around each jump larger than the sequence's usual step.
    no_depth_fraction : float
        Share of depth pixels without a reading (0 and 65535 in the files), in [0, 1].

    """

    num_frames: int
    num_poses: int
    num_depth: int
    num_color: int
    first_stamp_ns: int
    last_stamp_ns: int
    problems: tuple[FrameProblem, ...]
    gaps: tuple[tuple[int, int], ...]
    no_depth_fraction: float


class _Tally:
    """Counts while frames are written."""

    def __init__(self) -> None:
        self.stamps: list[int] = []
        self.problems: list[FrameProblem] = []
        self.num_depth = self.num_color = 0
        self.depth_pixels = self.no_depth_pixels = 0

    @property
    def no_depth_fraction(self) -> float:
        return self.no_depth_pixels / self.depth_pixels if self.depth_pixels else 0.0


def convert_rgbd(
    src: str | Path,
    sink: RecordingSink,
    *,
    rate_hz: float = 30.0,
    base_stamp_ns: int = FIRST_STAMP_NS,
    progress: Progress | None = None,
) -> RgbdReport:
    """
    Write an RGB-D folder to a sink.

    Topics: the pose of ``camera_optical_frame`` in ``map`` per frame, one static identity
    ``map`` -> ``rgbd_world`` (the data set's own name for the same frame), camera info, colour
    as it lies on disk, depth in metres. All messages of a frame carry the same stamp,
    ``base_stamp_ns + frame index / rate_hz``.

    Parameters
    ----------
    src : path
        Folder with frames, or with one ``seq-NN`` folder of frames.
    sink : RecordingSink
        Where the recording goes.
    rate_hz : float
        Rate of the original sequence; such folders have no time stamps.
    base_stamp_ns : int
        Stamp of frame index 0; > 0.
    progress : callable, optional
        Called with (frames done, frames in all).

    Returns
    -------
    RgbdReport
        What was written, and what was missing.

    Raises
    ------
    DatasetError
        If the folder holds no such frames, no usable intrinsics, no image or no usable pose.
    ValueError
        If the rate or the base stamp is not positive.

    """
    if not rate_hz > 0.0:
        raise ValueError(f'rate_hz: expected > 0, got {rate_hz}')
    if base_stamp_ns <= 0:
        raise ValueError(f'base_stamp_ns: expected > 0, got {base_stamp_ns}')
    folder = Path(src)
    frames = find_frames(folder)
    fx, fy, cx, cy = read_intrinsics(folder, frames[0].folder)
    size = next((s for s in map(image_size, frames) if s is not None), None)
    if size is None:
        raise DatasetError(f'{folder}: expected images that can be read, found none')
    camera = PinholeCamera(width=size[0], height=size[1], fx=fx, fy=fy, cx=cx, cy=cy)
    tally = _Tally()
    for done, files in enumerate(frames, start=1):
        stamp_ns = base_stamp_ns + round(files.index * NS_PER_S / rate_hz)
        _write_frame(sink, stamp_ns, files, camera, tally)
        if progress is not None:
            progress(done, len(frames))
    if not tally.stamps:
        reason = tally.problems[0].reason
        raise DatasetError(f'{folder}: expected poses, none of {len(frames)} is usable ({reason})')
    return RgbdReport(
        num_frames=len(frames),
        num_poses=len(tally.stamps),
        num_depth=tally.num_depth,
        num_color=tally.num_color,
        first_stamp_ns=tally.stamps[0],
        last_stamp_ns=tally.stamps[-1],
        problems=tuple(tally.problems),
        gaps=find_gaps([f.index for f in frames]),
        no_depth_fraction=tally.no_depth_fraction,
    )


def find_gaps(indices: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """
    Find jumps larger than the usual step.

    Parameters
    ----------
    indices : sequence of int
        Frame indices, ascending.

    Returns
    -------
    tuple of (int, int)
        The indices before and after each jump. The usual step is the most frequent one, the
        smaller of two equally frequent ones: a folder that keeps every fourth frame has no gaps.

    """
    steps = np.diff(np.asarray(indices, dtype=np.int64))
    if not len(steps):
        return ()
    values, counts = np.unique(steps, return_counts=True)
    usual = values[np.argmax(counts)]
    return tuple((indices[i], indices[i + 1]) for i in np.flatnonzero(steps > usual).tolist())


def _write_frame(
    sink: RecordingSink,
    stamp_ns: int,
    files: RgbdFrameFiles,
    camera: PinholeCamera,
    tally: _Tally,
) -> None:
    """Write one frame; what is missing goes to the tally."""
    pose, reason = read_pose(files)
    if pose is None:
        tally.problems.append(FrameProblem(files.index, 'pose', reason))
        return
    if not tally.stamps:
        identity = RigidTransform.identity()
        sink.write_transform(stamp_ns, FIXED_FRAME, DATASET_FRAME, identity, static=True)
    tally.stamps.append(stamp_ns)
    sink.write_transform(stamp_ns, FIXED_FRAME, OPTICAL_FRAME, pose)
    sink.write_camera_info(stamp_ns, CAMERA_ID, OPTICAL_FRAME, camera)
    color, reason = read_color(files)
    if color is None:
        tally.problems.append(FrameProblem(files.index, 'color', reason))
    else:
        sink.write_color_encoded(stamp_ns, CAMERA_ID, OPTICAL_FRAME, color[0], color[1])
        tally.num_color += 1
    depth_m, reason = read_depth(files, (camera.height, camera.width))
    if depth_m is None:
        tally.problems.append(FrameProblem(files.index, 'depth', reason))
    else:
        sink.write_depth(stamp_ns, CAMERA_ID, OPTICAL_FRAME, depth_m)
        tally.num_depth += 1
        tally.depth_pixels += depth_m.size
        tally.no_depth_pixels += int(np.isnan(depth_m).sum())

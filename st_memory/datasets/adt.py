"""
An Aria Digital Twin folder (path of the wearer, cameras, depth, objects) into a recording.

Reads of ``raw/``: ``aria_trajectory.csv``, ``scene_objects.csv``, ``3d_bounding_box.csv`` and
``instances.json``; of ``extracted/``: ``cameras.json``, ``manifest.csv`` and the images of kind
``image`` and ``depth`` that it lists. It opens neither ``2d_bounding_box.csv`` nor segmentation:
they say what can be seen.

Axes: the data set's scene has y up. ``map`` is the same place with z up, turned by the least
rotation that takes gravity to -z.

Stamps: a look of a camera has the capture stamp of its depth image; a colour image of that camera
within 1 ms joins it, any other is a look of its own. The trajectory counts whole microseconds and
is written at its own stamps, so a look is placed by interpolation; a look that rounding puts
before the first or after the last of them takes the pose of that one. A look farther than 1 ms
from every pose is left out and listed. Poses of objects stand at the looks that they are nearest
to, within the same 1 ms.

Depth: millimetres along the optical axis, as a recording wants it. The wiki of the data set does
not say so, its points do: lifted so, all lie in the boxes of their objects at any angle to the
axis; taken as lengths of rays, half of them do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.datasets.adt_files import (
    AdtImage,
    read_cameras,
    read_images,
    read_trajectory,
)
from st_memory.datasets.adt_objects import read_objects
from st_memory.datasets.aria import (
    AriaCamera,
    DEVICE_FRAME,
    FIXED_FRAME,
    place_device,
    place_objects,
)
from st_memory.datasets.png_images import read_depth_png, read_png
from st_memory.datasets.pose_series import gaps_between, MAX_STAMP_GAP_NS, PoseSeries
from st_memory.datasets.tables import DatasetProblem
from st_memory.datasets.timeline import Progress, Rank, Timeline

__all__ = ['AdtReport', 'convert_adt']

SCENE_FRAME = 'adt_scene'


@dataclass(frozen=True)
class AdtReport:
    """
    What a conversion wrote and what it could not.

    Parameters
    ----------
    stream_by_camera : mapping of str to str
        The data set's stream id of each camera of the recording.
    object_ids : tuple of str
        All objects of the folder, also those that could not be placed.
    num_poses, num_depth, num_color : int
        Poses of the device, depth and colour images written.
    num_observations, num_movements : int
        Positions of objects, and starts and ends of movements written.
    problems : tuple of DatasetProblem
        What is missing or unusable in the folder.
    gaps : tuple of (int, int)
        Stamps around each step of the trajectory longer than one and a half usual ones.

    """

    stream_by_camera: Mapping[str, str]
    object_ids: tuple[str, ...]
    num_poses: int
    num_depth: int
    num_color: int
    num_observations: int
    num_movements: int
    problems: tuple[DatasetProblem, ...]
    gaps: tuple[tuple[int, int], ...]


class _Look(NamedTuple):
    """One camera at one stamp, with its image files."""

    stamp_ns: int
    camera: AriaCamera
    depth: Path | None
    color: Path | None


class _Tally:
    """Counts while images are written."""

    def __init__(self) -> None:
        self.num_depth = self.num_color = 0
        self.problems: list[DatasetProblem] = []


def convert_adt(
    src: str | Path, sink: RecordingSink, *, progress: Progress | None = None
) -> AdtReport:
    """
    Write an Aria Digital Twin folder to a sink.

    Frames: ``map`` -> ``device`` along the trajectory; static ``device`` -> each camera's optical
    frame, and ``map`` -> ``adt_scene``, the axes of the data set. Images are as the sensor took
    them, which on these glasses is turned by 90 degrees. Everything that never moves is observed
    once, at the first stamp; what can move at each of its poses, and its movements are reported
    when its poses show them.

    Parameters
    ----------
    src : path
        The folder, with ``raw`` and ``extracted`` in it.
    sink : RecordingSink
        Where the recording goes.
    progress : callable, optional
        Called with (pieces done, pieces in all).

    Returns
    -------
    AdtReport
        What was written, and what was missing.

    Raises
    ------
    DatasetError
        If the folder or a table is missing, does not hold what its format promises, a camera is
        not FISHEYE624, a depth image has another size than its camera, or no look has a pose.

    """
    folder = Path(src)
    if not folder.is_dir():
        raise DatasetError(f'{folder}: expected an Aria Digital Twin folder, found none there')
    cameras = read_cameras(folder)
    trajectory, gravity, pose_problems = read_trajectory(folder)
    objects, object_problems = read_objects(folder)
    looks, look_problems = _looks(read_images(folder, tuple(cameras)), cameras, trajectory)
    if not looks:
        found = look_problems[0].reason if look_problems else 'no image is listed'
        raise DatasetError(f'{folder}: expected looks with a pose, found none ({found})')
    stamps = sorted({look.stamp_ns for look in looks})
    first_ns = min(stamps[0], trajectory.stamps[0])
    map_T_scene = _upright(gravity)
    timeline, tally = Timeline(), _Tally()
    fixed = [(FIXED_FRAME, SCENE_FRAME, map_T_scene)]
    fixed += [(DEVICE_FRAME, c.frame_id, c.device_T_camera) for c in cameras.values()]
    num_poses = place_device(timeline, first_ns, fixed, trajectory, stamps, map_T_scene)
    num_seen, num_movements = place_objects(timeline, objects, stamps, first_ns, map_T_scene)
    for look in looks:
        timeline.add(look.stamp_ns, Rank.LOOK, partial(_write_look, look=look, tally=tally))
    timeline.play(sink, progress)
    return AdtReport(
        stream_by_camera={c.camera_id: c.stream_id for c in cameras.values()},
        object_ids=tuple(thing.object_id for thing in objects),
        num_poses=num_poses,
        num_depth=tally.num_depth,
        num_color=tally.num_color,
        num_observations=num_seen,
        num_movements=num_movements,
        problems=(*pose_problems, *object_problems, *look_problems, *tally.problems),
        gaps=gaps_between(trajectory.stamps),
    )


def _looks(
    images: list[AdtImage], cameras: Mapping[str, AriaCamera], trajectory: PoseSeries
) -> tuple[list[_Look], list[DatasetProblem]]:
    """Join the images of each camera into looks; those without a pose are problems."""
    looks: dict[tuple[str, int], _Look] = {}
    problems = []
    for image in sorted(images, key=lambda i: i.kind != 'depth'):  # depth gives the stamps
        camera = cameras[image.stream_id]
        if trajectory.nearest(image.stamp_ns) is None:
            reason = f'no pose of the device within 1 ms of {image.stamp_ns}'
            problems.append(DatasetProblem('pose', image.path.name, reason))
        elif image.kind == 'depth':
            look = _Look(image.stamp_ns, camera, image.path, None)
            looks[image.stream_id, image.stamp_ns] = look
        else:
            look = _nearest_look(looks, camera, image.stamp_ns)
            key = image.stream_id, look.stamp_ns
            looks[key] = look._replace(color=image.path)
    return sorted(looks.values(), key=lambda k: (k.stamp_ns, k.camera.camera_id)), problems


def _nearest_look(
    looks: Mapping[tuple[str, int], _Look], camera: AriaCamera, stamp_ns: int
) -> _Look:
    """Give the look of a camera that an image belongs to; a new one when none is within 1 ms."""
    free = [
        look
        for look in looks.values()
        if look.camera is camera
        and look.color is None
        and abs(look.stamp_ns - stamp_ns) <= MAX_STAMP_GAP_NS
    ]
    nearest = min(free, key=lambda k: (abs(k.stamp_ns - stamp_ns), k.stamp_ns), default=None)
    return nearest or _Look(stamp_ns, camera, None, None)


def _write_look(sink: RecordingSink, *, look: _Look, tally: _Tally) -> None:
    """Write the calibration and the images of one look; what is missing goes to the tally."""
    camera_id, frame_id = look.camera.camera_id, look.camera.frame_id
    model = look.camera.model
    sink.write_camera_info(look.stamp_ns, camera_id, frame_id, model)
    if look.color is not None:
        data = read_png(look.color)
        if isinstance(data, str):
            tally.problems.append(DatasetProblem('color', look.color.name, data))
        else:
            sink.write_color_encoded(look.stamp_ns, camera_id, frame_id, data, 'png')
            tally.num_color += 1
    if look.depth is not None:
        depth_m = read_depth_png(look.depth, (model.height, model.width))
        if isinstance(depth_m, str):
            tally.problems.append(DatasetProblem('depth', look.depth.name, depth_m))
        else:
            sink.write_depth(look.stamp_ns, camera_id, frame_id, depth_m)
            tally.num_depth += 1


def _upright(gravity: tuple[float, float, float]) -> RigidTransform:
    """Give the least rotation that takes gravity to -z."""
    up = -np.array(gravity)
    if up[2] < -1.0 + 1e-12:  # upside down: any half turn about a level axis is the least
        return RigidTransform(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    # The quaternion half-way between "no turn" and "twice the turn" from up to z.
    quat = np.array([up[1], -up[0], 0.0, 1.0 + up[2]])
    return RigidTransform(np.zeros(3), quat / np.linalg.norm(quat))

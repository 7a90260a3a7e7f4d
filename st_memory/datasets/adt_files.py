"""Files of an Aria Digital Twin folder: cameras, images and the path of the wearer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.datasets.aria import AriaCamera, camera_name, fisheye624
from st_memory.datasets.pose_series import PoseSeries
from st_memory.datasets.tables import DatasetProblem, MALFORMED, read_json, read_table

__all__ = [
    'AdtImage',
    'read_cameras',
    'read_images',
    'read_trajectory',
]

_TRAJECTORY = 'aria_trajectory.csv'
_DEVICE_P = ('tx_world_device', 'ty_world_device', 'tz_world_device')
_DEVICE_Q = ('qx_world_device', 'qy_world_device', 'qz_world_device', 'qw_world_device')
_GRAVITY = ('gravity_x_world', 'gravity_y_world', 'gravity_z_world')

Point = tuple[float, float, float]


class AdtImage(NamedTuple):
    """One image file: stream, ``image`` or ``depth``, capture stamp (ns) and where it is."""

    stream_id: str
    kind: str
    stamp_ns: int
    path: Path


def read_cameras(folder: Path) -> dict[str, AriaCamera]:
    """
    Read ``extracted/cameras.json``.

    Returns
    -------
    dict of str to AriaCamera
        By stream id.

    Raises
    ------
    DatasetError
        If the file is missing or empty, a camera is not FISHEYE624, or two have one name.

    """
    path = folder / 'extracted' / 'cameras.json'
    entries = read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise DatasetError(f'{path}: expected cameras by stream id, found none')
    cameras = {}
    for stream_id, entry in sorted(entries.items()):
        try:
            cameras[stream_id] = _camera(stream_id, entry)
        except MALFORMED as error:
            clause = f'{type(error).__name__}: {error}'.splitlines()[0]
            raise DatasetError(
                f'{path}: expected a FISHEYE624 camera as {stream_id}, found {clause}'
            ) from error
    names = [camera.camera_id for camera in cameras.values()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DatasetError(f'{path}: expected one {twice}, found two')
    return cameras


def read_images(folder: Path, cameras: Sequence[str]) -> list[AdtImage]:
    """
    Read ``extracted/manifest.csv``: colour and depth images, and nothing else it lists.

    Returns
    -------
    list of AdtImage
        By stamp, then stream.

    Raises
    ------
    DatasetError
        If the table is missing or wrong, or an image is of a stream without a camera.

    """
    path = folder / 'extracted' / 'manifest.csv'
    images = []
    for row in read_table(path, ('stream_id', 'kind', 'capture_timestamp_ns', 'file')):
        kind, stream_id = row.text('kind'), row.text('stream_id')
        if kind not in ('image', 'depth'):
            continue
        if stream_id not in cameras:
            raise DatasetError(f'{path}: expected a stream of cameras.json, found {stream_id!r}')
        stamp_ns = row.stamp_ns('capture_timestamp_ns')
        images.append(AdtImage(stream_id, kind, stamp_ns, path.parent / row.text('file')))
    return sorted(images, key=lambda i: (i.stamp_ns, i.stream_id, i.kind))


def read_trajectory(folder: Path) -> tuple[PoseSeries, Point, list[DatasetProblem]]:
    """
    Read the path of the wearer.

    Returns
    -------
    PoseSeries
        ``scene_T_device``; stamps are whole microseconds in the file.
    (3,) float
        Unit vector of gravity in the scene's axes.
    list of DatasetProblem
        Lines without a usable pose.

    Raises
    ------
    DatasetError
        If the table is missing or wrong, holds no pose, or does not say where down is.

    """
    path = folder / 'raw' / _TRAJECTORY
    poses: dict[int, RigidTransform] = {}
    problems = []
    gravity: Point | None = None
    columns = ('tracking_timestamp_us', *_DEVICE_P, *_DEVICE_Q, *_GRAVITY)
    for row in read_table(path, columns):
        pose = row.pose(_DEVICE_P, _DEVICE_Q)
        if isinstance(pose, str):
            problems.append(DatasetProblem('pose', row.where, pose))
            continue
        poses.setdefault(row.stamp_ns('tracking_timestamp_us', unit_ns=1000), pose)
        gravity = gravity or _direction(row.numbers(_GRAVITY))
    if not poses:
        raise DatasetError(f'{path}: expected poses of the device, found none that is usable')
    if gravity is None:
        raise DatasetError(f'{path}: expected {", ".join(_GRAVITY)}, found no direction')
    return PoseSeries(poses), gravity, problems


def _camera(stream_id: str, entry: dict[str, Any]) -> AriaCamera:
    """Read one camera."""
    radius = entry.get('valid_radius')
    model = fisheye624(
        str(entry['model']),
        entry['projection_params'],
        entry['image_size'],
        None if radius is None else float(radius),
    )
    device_T_camera = RigidTransform.from_matrix(entry['T_device_camera'])
    return AriaCamera(stream_id, camera_name(str(entry['label'])), model, device_T_camera)


def _direction(vector: tuple[float, ...]) -> Point | None:
    """Give the unit vector; None where there is none."""
    length = float(np.linalg.norm(vector))
    if not 0.0 < length < np.inf:
        return None
    x, y, z = (v / length for v in vector)
    return x, y, z

"""Files of a Beyond3D folder: calibration, poses and object annotations."""

from __future__ import annotations

from dataclasses import dataclass
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import Fisheye624Camera, RigidTransform
from st_memory.datasets.tables import MALFORMED, sound_seconds, sound_text

__all__ = [
    'Calibration',
    'Stay',
    'TrackedObject',
    'read_calibration',
    'read_objects',
    'read_poses',
]

CALIBRATION_FILE = 'camera_rgb_calibration.json'
POSES_FILE = 'poses_1hz.jsonl'
OBJECTS_FILE = 'object_states.json'

_CAMERA = 'camera-rgb'
_NUM_PARAMETERS = 15

Point = tuple[float, float, float]


class Calibration(NamedTuple):
    """The RGB camera and where it sits on the device."""

    camera: Fisheye624Camera
    device_T_camera: RigidTransform


class Stay(NamedTuple):
    """
    A stay of an object between two movements.

    Attributes
    ----------
    from_sec : float or None
        When it came to rest; None before its first movement.
    to_sec : float or None
        When it is moved next; None after its last movement.
    world_p : (3,) float or None
        Where it is, metres; None when the annotation does not say.

    """

    from_sec: float | None
    to_sec: float | None
    world_p: Point | None


@dataclass(frozen=True)
class TrackedObject:
    """One annotated object: its id and name, where it stays, and when it is moved, seconds."""

    object_id: str
    name: str
    stays: tuple[Stay, ...]
    movements: tuple[tuple[float, float], ...]


def read_calibration(folder: Path) -> Calibration:
    """
    Read the calibration of the RGB camera.

    Parameters
    ----------
    folder : Path
        The data set's folder.

    Returns
    -------
    Calibration
        FISHEYE624 with ``f, cu, cv, k0..k5, p0, p1, s0..s3``, its valid circle about the
        principal point, and ``device_T_camera``.

    Raises
    ------
    DatasetError
        If the file is missing or holds another model.

    """
    path = folder / CALIBRATION_FILE
    text = _text_of(path)
    try:
        entry = json.loads(text)[_CAMERA]
        model, numbers = str(entry['model_name']), [float(v) for v in entry['projection_params']]
        if not model.endswith('FISHEYE624') or len(numbers) != _NUM_PARAMETERS:
            raise ValueError(f'{model} with {len(numbers)} parameters')
        width, height = (int(v) for v in entry['image_size'])
        f, cu, cv, *coeffs = numbers
        camera = Fisheye624Camera(
            width=width,
            height=height,
            f=f,
            cu=cu,
            cv=cv,
            coeffs=tuple(coeffs),
            valid_radius_px=float(entry['valid_radius']),
        )
        return Calibration(camera, RigidTransform.from_matrix(entry['T_device_camera']))
    except MALFORMED as error:
        raise _malformed(path, 'a FISHEYE624 calibration of camera-rgb', error) from error


def read_poses(folder: Path) -> tuple[list[tuple[float, RigidTransform]], list[float]]:
    """
    Read the device's pose of each second.

    Parameters
    ----------
    folder : Path
        The data set's folder.

    Returns
    -------
    list of (float, RigidTransform)
        Second and ``world_T_device``, ascending.
    list of float
        Seconds whose pose is null.

    Raises
    ------
    DatasetError
        If the file is missing, a line cannot be read, seconds do not ascend, or no pose is left.

    """
    path = folder / POSES_FILE
    poses: list[tuple[float, RigidTransform]] = []
    without: list[float] = []
    latest = -math.inf
    for number, line in enumerate(_text_of(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            second = sound_seconds(row['t_sec'])
            if second <= latest:
                raise ValueError(f't_sec {second} after {latest}')
            latest = second
            if row['T_world_device'] is None:
                without.append(second)
            else:
                poses.append((second, RigidTransform.from_matrix(row['T_world_device'])))
        except MALFORMED as error:
            raise _malformed(path, f'a pose in line {number}', error) from error
    if not poses:
        raise DatasetError(f'{path}: expected poses, found none')
    return poses, without


def read_objects(folder: Path) -> list[TrackedObject]:
    """
    Read stays and movements of every object.

    Parameters
    ----------
    folder : Path
        The data set's folder.

    Returns
    -------
    list of TrackedObject
        By object id.

    Raises
    ------
    DatasetError
        If the file is missing or a segment cannot be read.

    """
    path = folder / OBJECTS_FILE
    text = _text_of(path)
    try:
        return [_tracked(i, o) for i, o in sorted(json.loads(text)['objects'].items())]
    except MALFORMED as error:
        raise _malformed(path, 'objects with their segments', error) from error


def _tracked(object_id: str, entry: dict[str, Any]) -> TrackedObject:
    """Read one object."""
    stays, movements = [], []
    for segment in entry['segments']:
        start, end = (_seconds(segment[key]) for key in ('from_sec', 'to_sec'))
        if segment['state'] == 'static':
            stays.append(Stay(start, end, _point(segment.get('world_xyz'))))
        elif segment['state'] == 'in_motion' and start is not None and end is not None:
            if end < start:
                raise ValueError(f'{object_id}: a movement from {start} to {end}')
            movements.append((start, end))
        else:
            raise ValueError(f'{object_id}: segment {segment["state"]!r} from {start} to {end}')
    name = sound_text(entry['name'], f'{sound_text(object_id, "object")}: the name').strip()
    if not name:
        raise ValueError(f'{object_id}: no name')
    return TrackedObject(object_id, name, tuple(stays), tuple(movements))


def _seconds(value: Any) -> float | None:
    """Read seconds >= 0, or null."""
    return None if value is None else sound_seconds(value)


def _point(value: Any) -> Point | None:
    """Read three finite coordinates, or null."""
    if value is None:
        return None
    x, y, z = (_finite(v) for v in value)
    return x, y, z


def _finite(value: Any) -> float:
    """Read a finite number."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f'{number} is not finite')
    return number


def _text_of(path: Path) -> str:
    """Read a file of the folder."""
    if not path.is_file():
        raise DatasetError(f'{path.parent}: expected {path.name}, found none')
    try:
        return path.read_text(encoding='utf-8')
    except UnicodeDecodeError as error:
        raise DatasetError(f'{path}: expected text, found other bytes') from error


def _malformed(path: Path, expected: str, error: Exception) -> DatasetError:
    """Say in one line what a file should have held."""
    clause = f'{type(error).__name__}: {error}'.splitlines()[0]
    return DatasetError(f'{path}: expected {expected}, found {clause}')

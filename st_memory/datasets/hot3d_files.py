"""Files of a HOT3D folder: where they are, cameras, looks, the path of the headset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.datasets.aria import AriaCamera, camera_name, fisheye624
from st_memory.datasets.pose_series import PoseSeries
from st_memory.datasets.tables import DatasetProblem, MALFORMED, read_table

__all__ = [
    'Hot3dFolder',
    'find_hot3d',
    'read_cameras',
    'read_looks',
    'read_poses',
    'read_trajectory',
]

OBJECTS_FILE = 'dynamic_objects.csv'
_HEADSET = 'headset_trajectory.csv'
_CALIBRATION = 'online_calibration.jsonl'
_MASKS = ('mask_headset_pose_available.csv', 'mask_object_pose_available.csv')
_LIBRARY = 'object_library'
_STAMP, _UID = 'timestamp[ns]', 'object_uid'
_POSITION = ('t_wo_x[m]', 't_wo_y[m]', 't_wo_z[m]')
_QUATERNION = ('q_wo_x', 'q_wo_y', 'q_wo_z', 'q_wo_w')
# Label of each stream's camera, image size and valid radius, pixels: the calibration file leaves
# the last two out, and they are the same on all Aria glasses.
_CAMERAS = {
    '214-1': ('camera-rgb', (1408, 1408), 707.5),
    '1201-1': ('camera-slam-left', (640, 480), 330.0),
    '1201-2': ('camera-slam-right', (640, 480), 330.0),
}


class Hot3dFolder(NamedTuple):
    """Where the sequence lies, and where the meshes of its objects do."""

    sequence: Path
    library: Path

    @property
    def mesh_paths(self) -> dict[str, Path]:
        """The ``.glb`` files that are there, by object id."""
        return {path.stem: path for path in sorted(self.library.glob('*.glb'))}


def find_hot3d(src: str | Path) -> Hot3dFolder:
    """
    Find the sequence and the object library of a folder.

    Parameters
    ----------
    src : path
        A sequence (it holds ``dynamic_objects.csv``) with ``object_library`` in one of the two
        folders above it, or a folder with one sequence below ``Aria``.

    Raises
    ------
    DatasetError
        If there is no such folder, no sequence or no library, or there are several sequences.

    """
    folder = Path(src)
    if not folder.is_dir():
        raise DatasetError(f'{folder}: expected a HOT3D folder, found none there')
    if (folder / OBJECTS_FILE).is_file():
        found = [folder]
    else:
        found = sorted(path.parent for path in folder.glob(f'Aria/*/{OBJECTS_FILE}'))
    if len(found) != 1:
        names = ', '.join(path.name for path in found) or 'none'
        raise DatasetError(f'{folder}: expected one sequence (with {OBJECTS_FILE}), found {names}')
    places = [found[0].resolve(), *found[0].resolve().parents[:2]]
    library = next((p / _LIBRARY for p in places if (p / _LIBRARY).is_dir()), None)
    if library is None:
        raise DatasetError(f'{folder}: expected {_LIBRARY}, found none')
    return Hot3dFolder(found[0], library)


def read_cameras(sequence: Path) -> dict[str, AriaCamera]:
    """
    Read the first calibration of ``mps/slam/online_calibration.jsonl``.

    Its clock is another one than that of the frames, so none can be told to be nearer; within a
    second the lenses stay and the cameras shift by micrometres.

    Returns
    -------
    dict of str to AriaCamera
        By stream id.

    Raises
    ------
    DatasetError
        If the file is missing, or lacks a FISHEYE624 camera of that name.

    """
    path = sequence / 'mps' / 'slam' / _CALIBRATION
    if not path.is_file():
        raise DatasetError(f'{sequence}: expected mps/slam/{_CALIBRATION}, found none')
    try:
        with path.open(encoding='utf-8') as file:
            entries = json.loads(file.readline())['CameraCalibrations']
        by_label = {entry['Label']: entry for entry in entries}
        return {
            stream_id: _camera(stream_id, label, by_label[label], size, radius)
            for stream_id, (label, size, radius) in _CAMERAS.items()
        }
    except MALFORMED as error:
        clause = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(
            f'{path}: expected FISHEYE624 calibrations of '
            f'{", ".join(label for label, _, _ in _CAMERAS.values())}, found {clause}'
        ) from error


def read_looks(sequence: Path) -> tuple[list[tuple[int, str]], list[DatasetProblem]]:
    """
    Read when each camera looked, from the masks that say that poses are there.

    Returns
    -------
    list of (int, str)
        Stamp (ns) and stream id, ascending.
    list of DatasetProblem
        Looks that a mask takes out.

    Raises
    ------
    DatasetError
        If a mask is missing or wrong, or names a stream without a camera.

    """
    reason_by_look: dict[tuple[int, str], str] = {}
    for name in _MASKS:
        path = sequence / 'masks' / name
        for row in read_table(path, (_STAMP, 'stream_id', 'mask')):
            look = row.stamp_ns(_STAMP), row.text('stream_id')
            if look[1] not in _CAMERAS:
                known = ', '.join(_CAMERAS)
                raise DatasetError(f'{path}: expected a stream of {known}, found {look[1]!r}')
            reason = '' if row.text('mask') == 'True' else name.removesuffix('.csv')
            reason_by_look[look] = reason_by_look.get(look) or reason
    looks = sorted(look for look, reason in reason_by_look.items() if not reason)
    problems = [
        DatasetProblem('pose', f'stream {stream_id} at {stamp_ns}', f'left out by {reason}')
        for (stamp_ns, stream_id), reason in sorted(reason_by_look.items())
        if reason
    ]
    return looks, problems


def read_trajectory(sequence: Path) -> tuple[PoseSeries, list[DatasetProblem]]:
    """
    Read the path of the headset.

    Returns
    -------
    PoseSeries
        ``world_T_device``; the world has z up.
    list of DatasetProblem
        Lines without a usable pose.

    Raises
    ------
    DatasetError
        If the table is missing or wrong, or holds no pose.

    """
    path = sequence / _HEADSET
    by_id, problems = read_poses(path)
    if len(by_id) != 1:
        raise DatasetError(f'{path}: expected poses of one headset, found {len(by_id)} that move')
    return PoseSeries(next(iter(by_id.values()))), problems


def _camera(
    stream_id: str, label: str, entry: dict[str, Any], size: tuple[int, int], radius: float
) -> AriaCamera:
    """Read one camera."""
    lens, place = entry['Projection'], entry['T_Device_Camera']
    model = fisheye624(str(lens['Name']), lens['Params'], size, radius)
    w, (x, y, z) = place['UnitQuaternion']
    device_T_camera = RigidTransform(np.array(place['Translation']), np.array([x, y, z, w]))
    return AriaCamera(stream_id, camera_name(label), model, device_T_camera)


def read_poses(
    path: Path,
) -> tuple[dict[str, dict[int, RigidTransform]], list[DatasetProblem]]:
    """
    Read a table of poses.

    Returns
    -------
    dict of str to dict of int to RigidTransform
        ``world_T_object`` by id and stamp (ns).
    list of DatasetProblem
        Lines without a usable pose.

    Raises
    ------
    DatasetError
        If the table is missing or wrong.

    """
    poses: dict[str, dict[int, RigidTransform]] = {}
    problems = []
    for row in read_table(path, (_UID, _STAMP, *_POSITION, *_QUATERNION)):
        pose, stamp_ns = row.pose(_POSITION, _QUATERNION), row.stamp_ns(_STAMP)
        if isinstance(pose, str):
            problems.append(DatasetProblem('pose', row.where, pose))
        elif stamp_ns in poses.setdefault(row.text(_UID), {}):
            problems.append(DatasetProblem('pose', row.where, 'a second pose at this stamp'))
        else:
            poses[row.text(_UID)][stamp_ns] = pose
    return poses, problems

"""Objects of an Aria Digital Twin folder: where they are, how large, and what they are called."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.datasets.pose_series import PoseSeries
from st_memory.datasets.posed_objects import PosedObject
from st_memory.datasets.tables import DatasetProblem, MALFORMED, read_json, read_table

__all__ = ['read_objects']

_BOXES, _OBJECTS, _INSTANCES = '3d_bounding_box.csv', 'scene_objects.csv', 'instances.json'
_STAMP, _UID = 'timestamp[ns]', 'object_uid'
_ALWAYS = -1  # stamp of what does not change
_OBJECT_P = ('t_wo_x[m]', 't_wo_y[m]', 't_wo_z[m]')
_OBJECT_Q = ('q_wo_x', 'q_wo_y', 'q_wo_z', 'q_wo_w')
_LOW = tuple(f'p_local_obj_{axis}min[m]' for axis in 'xyz')
_HIGH = tuple(f'p_local_obj_{axis}max[m]' for axis in 'xyz')

Point = tuple[float, float, float]


def read_objects(folder: Path) -> tuple[list[PosedObject], list[DatasetProblem]]:
    """
    Read where every object is and how large.

    Returns
    -------
    list of PosedObject
        By id: everything that has a pose or a box.
    list of DatasetProblem
        Lines without a usable pose or box; objects without a box.

    Raises
    ------
    DatasetError
        If a file is missing or wrong.

    """
    raw = folder / 'raw'
    problems: list[DatasetProblem] = []
    labels = _read_labels(raw / _INSTANCES)
    boxes = _read_boxes(raw / _BOXES, problems)
    poses = _read_poses(raw / _OBJECTS, problems)
    objects = []
    for object_id in sorted({*boxes, *poses}):
        of_object = poses.get(object_id, {})
        fixed = of_object.pop(_ALWAYS, None)
        box = boxes.get(object_id)
        label = labels.get(object_id, '') or object_id
        if fixed is None and not of_object:
            problems.append(DatasetProblem('pose', label, f'object {object_id} has no pose'))
        if box is None:
            problems.append(DatasetProblem('box', label, f'object {object_id} has no box'))
        centre, size = (None, None) if box is None else box
        objects.append(PosedObject(object_id, label, centre, size, fixed, PoseSeries(of_object)))
    return objects, problems


def _read_labels(path: Path) -> dict[str, str]:
    """Category of every instance, in words."""
    entries = read_json(path)
    try:
        names = {i: str(e.get('category') or e['instance_name']) for i, e in entries.items()}
    except MALFORMED as error:
        clause = f'{type(error).__name__}: {error}'.splitlines()[0]
        raise DatasetError(f'{path}: expected instances by uid, found {clause}') from error
    return {object_id: name.replace('_', ' ').strip() for object_id, name in names.items()}


def _read_boxes(
    path: Path, problems: list[DatasetProblem]
) -> dict[str, tuple[RigidTransform, Point]]:
    """Centre in the object's frame, and size, of every box; they lie unevenly about its origin."""
    boxes = {}
    for row in read_table(path, (_UID, _STAMP, *_LOW, *_HIGH)):
        low, high = np.array(row.numbers(_LOW)), np.array(row.numbers(_HIGH))
        reason = ''
        if row.integer(_STAMP) != _ALWAYS:
            reason = 'a box that changes with time is not read'
        elif not (np.isfinite(low) & np.isfinite(high) & (low <= high)).all():
            reason = f'its box is none: from {low.tolist()} to {high.tolist()}'
        if reason:
            problems.append(DatasetProblem('box', row.where, reason))
            continue
        x, y, z = (high - low).tolist()
        centre = RigidTransform((low + high) / 2, np.array([0.0, 0.0, 0.0, 1.0]))
        boxes[row.text(_UID)] = (centre, (x, y, z))
    return boxes


def _read_poses(
    path: Path, problems: list[DatasetProblem]
) -> dict[str, dict[int, RigidTransform]]:
    """``scene_T_object`` by object and stamp."""
    poses: dict[str, dict[int, RigidTransform]] = {}
    for row in read_table(path, (_UID, _STAMP, *_OBJECT_P, *_OBJECT_Q)):
        pose = row.pose(_OBJECT_P, _OBJECT_Q)
        of_object = poses.setdefault(row.text(_UID), {})
        is_fixed = row.integer(_STAMP) == _ALWAYS
        stamp_ns = _ALWAYS if is_fixed else row.stamp_ns(_STAMP)
        if isinstance(pose, str):
            problems.append(DatasetProblem('pose', row.where, pose))
        elif stamp_ns in of_object:
            problems.append(DatasetProblem('pose', row.where, 'a second pose at this stamp'))
        else:
            of_object[stamp_ns] = pose
    return poses

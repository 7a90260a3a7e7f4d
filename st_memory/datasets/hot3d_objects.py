"""Objects of a HOT3D folder: where they are, their meshes, and the boxes around these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Scene
from st_memory.datasets.hot3d_files import Hot3dFolder, OBJECTS_FILE, read_poses
from st_memory.datasets.pose_series import PoseSeries
from st_memory.datasets.posed_objects import PosedObject
from st_memory.datasets.tables import DatasetProblem, MALFORMED, read_json

__all__ = ['object_scene', 'read_objects']

_INSTANCES = 'instance.json'
# No handled object is longer; one in millimetres is.
_MAX_OBJECT_M = 5.0


def read_objects(
    folder: Hot3dFolder, meshes: Mapping[str, Scene]
) -> tuple[list[PosedObject], list[DatasetProblem]]:
    """
    Read where the objects are, and what box their meshes need.

    Parameters
    ----------
    folder : Hot3dFolder
        Where the tables lie.
    meshes : mapping of str to Scene
        Meshes by object id, in the object's axes.

    Returns
    -------
    list of PosedObject
        By id; those without a mesh have no box.
    list of DatasetProblem
        Lines without a usable pose, objects without a mesh.

    Raises
    ------
    DatasetError
        If a file is missing or wrong, or a mesh is not in metres.

    """
    path = folder.library / _INSTANCES
    instances = read_json(path)
    poses, problems = read_poses(folder.sequence / OBJECTS_FILE)
    objects = []
    for object_id, of_object in sorted(poses.items()):
        try:
            label = str(instances[object_id]['instance_name']).replace('_', ' ').strip()
        except MALFORMED as error:
            raise DatasetError(f'{path}: expected a name of object {object_id}') from error
        box: tuple[RigidTransform | None, tuple[float, float, float] | None] = None, None
        if object_id in meshes:
            box = _box_of(object_id, meshes[object_id])
        else:
            problems.append(DatasetProblem('mesh', label, f'no mesh, no box: {object_id}'))
        objects.append(PosedObject(object_id, label, *box, None, PoseSeries(of_object)))
    return objects, problems


def object_scene(objects: Iterable[PosedObject], meshes: Mapping[str, Scene]) -> Scene:
    """Give the meshes of the objects as parts that follow them: a part's frame is their id."""
    parts = []
    for thing in objects:
        if thing.object_id in meshes:
            for number, part in enumerate(meshes[thing.object_id].parts):
                name = f'{thing.label} {thing.object_id}' + (f' #{number}' if number else '')
                frame_id = thing.object_id
                parts.append(replace(part, name=name, fixture_id='', frame_id=frame_id))
    return Scene(tuple(parts))


def _box_of(object_id: str, mesh: Scene) -> tuple[RigidTransform, tuple[float, float, float]]:
    """Box of a mesh along the object's axes: where its centre is, and its size."""
    vertices = np.concatenate([part.vertices for part in mesh.parts])
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    x, y, z = (high - low).tolist()
    if max(x, y, z) > _MAX_OBJECT_M:
        raise DatasetError(f'mesh of {object_id}: expected metres, found {max(x, y, z):.0f} m')
    return RigidTransform((low + high) / 2, np.array([0.0, 0.0, 0.0, 1.0])), (x, y, z)

"""
One HOT3D sequence of Aria glasses (handled objects with poses and meshes) into a recording.

Reads ``headset_trajectory.csv``, ``dynamic_objects.csv``, the two masks of ``masks/`` that say at
which frames poses are there, ``mps/slam/online_calibration.jsonl`` and, of ``object_library``,
``instance.json`` and the meshes. It opens no ``box2d_*.csv``: they say what can be seen. Images
are not read: they lie in a recording of the device of its own format.

Axes: the world has z up already and is ``map``. Meshes are in metres and in the axes of their
objects, although their format says y up.

Stamps: the colour camera looks about 0.1 ms before the other two, and poses are given for both
moments; each camera's look has its own stamp. A look farther than 1 ms from every pose of the
headset is left out and listed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.core.records import Scene
from st_memory.datasets.aria import (
    AriaCamera,
    DEVICE_FRAME,
    FIXED_FRAME,
    place_device,
    place_frame,
    place_objects,
)
from st_memory.datasets.hot3d_files import (
    find_hot3d,
    read_cameras,
    read_looks,
    read_trajectory,
)
from st_memory.datasets.hot3d_objects import object_scene, read_objects
from st_memory.datasets.pose_series import gaps_between
from st_memory.datasets.posed_objects import PosedObject
from st_memory.datasets.tables import DatasetProblem
from st_memory.datasets.timeline import Progress, Rank, Timeline

__all__ = ['Hot3dReport', 'convert_hot3d']


@dataclass(frozen=True)
class Hot3dReport:
    """
    What a conversion wrote and what it could not.

    Parameters
    ----------
    stream_by_camera : mapping of str to str
        The data set's stream id of each camera of the recording.
    object_ids : tuple of str
        All objects of the sequence.
    num_poses, num_looks : int
        Poses of the headset, and looks of all cameras written.
    num_meshes : int
        Objects with a mesh.
    num_observations, num_movements : int
        Positions of objects, and starts and ends of movements written.
    problems : tuple of DatasetProblem
        What is missing or unusable in the folder.
    gaps : tuple of (int, int)
        Stamps around each step between looks of one camera longer than one and a half usual
        ones.

    """

    stream_by_camera: Mapping[str, str]
    object_ids: tuple[str, ...]
    num_poses: int
    num_looks: int
    num_meshes: int
    num_observations: int
    num_movements: int
    problems: tuple[DatasetProblem, ...]
    gaps: tuple[tuple[int, int], ...]


def convert_hot3d(
    src: str | Path,
    sink: RecordingSink,
    *,
    meshes: Mapping[str, Scene],
    progress: Progress | None = None,
) -> Hot3dReport:
    """
    Write a HOT3D sequence to a sink.

    Frames: ``map`` -> ``device`` along the trajectory, static ``device`` -> each camera's optical
    frame, ``map`` -> every object that has a mesh, by its id. The meshes are parts of the scene in
    those frames, so that objects hide each other where they are. Objects are observed at each of
    their poses, as boxes around their meshes; without a mesh they are points at the origins of
    their frames.

    Parameters
    ----------
    src : path
        The sequence, or the folder that holds ``Aria`` and ``object_library``.
    sink : RecordingSink
        Where the recording goes.
    meshes : mapping of str to Scene
        Meshes by object id, read with the axes of their files (:meth:`Hot3dFolder.mesh_paths`
        says which there are).
    progress : callable, optional
        Called with (pieces done, pieces in all).

    Returns
    -------
    Hot3dReport
        What was written, and what was missing.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises, or no look has a pose.

    """
    folder = find_hot3d(src)
    cameras = read_cameras(folder.sequence)
    trajectory, pose_problems = read_trajectory(folder.sequence)
    listed, look_problems = read_looks(folder.sequence)
    objects, object_problems = read_objects(folder, meshes)
    looks = [look for look in listed if trajectory.nearest(look[0]) is not None]
    for stamp_ns, stream_id in sorted(set(listed) - set(looks)):
        reason = f'no pose of the headset within 1 ms of {stamp_ns}'
        look_problems.append(DatasetProblem('pose', f'stream {stream_id}', reason))
    if not looks:
        raise DatasetError(f'{folder.sequence}: expected looks with a pose, found none')
    stamps = sorted({stamp_ns for stamp_ns, _ in looks})
    first_ns = min(stamps[0], trajectory.stamps[0])
    timeline = Timeline()
    scene = object_scene(objects, meshes)
    if scene.parts:
        write_scene = partial(_write_scene, stamp_ns=first_ns, scene=scene)
        timeline.add(first_ns, Rank.SCENE, write_scene)
    fixed = [(DEVICE_FRAME, c.frame_id, c.device_T_camera) for c in cameras.values()]
    here = RigidTransform.identity()
    num_poses = place_device(timeline, first_ns, fixed, trajectory, stamps, here)
    num_seen, num_movements = place_objects(timeline, objects, stamps, first_ns, here)
    for thing in objects:
        if thing.object_id in meshes:
            _place_part(timeline, thing, stamps)
    for stamp_ns, stream_id in looks:
        write = partial(_write_look, stamp_ns=stamp_ns, camera=cameras[stream_id])
        timeline.add(stamp_ns, Rank.LOOK, write)
    timeline.play(sink, progress)
    return Hot3dReport(
        stream_by_camera={c.camera_id: c.stream_id for c in cameras.values()},
        object_ids=tuple(thing.object_id for thing in objects),
        num_poses=num_poses,
        num_looks=len(looks),
        num_meshes=len({part.frame_id for part in scene.parts}),
        num_observations=num_seen,
        num_movements=num_movements,
        problems=(*pose_problems, *look_problems, *object_problems),
        gaps=tuple(
            gap for name in cameras for gap in gaps_between([at for at, of in looks if of == name])
        ),
    )


def _place_part(timeline: Timeline, thing: PosedObject, look_stamps: list[int]) -> None:
    """Add the frame of an object's mesh at each of its poses."""
    for stamp_ns, pose in thing.poses.at_looks(look_stamps):
        place_frame(timeline, stamp_ns, (FIXED_FRAME, thing.object_id, pose))


def _write_scene(sink: RecordingSink, *, stamp_ns: int, scene: Scene) -> None:
    sink.write_scene(stamp_ns, FIXED_FRAME, scene)


def _write_look(sink: RecordingSink, *, stamp_ns: int, camera: AriaCamera) -> None:
    sink.write_camera_info(stamp_ns, camera.camera_id, camera.frame_id, camera.model)

"""Objects whose poses and boxes a dataset gives, as observations of a recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import MovementReport, WorldDetection
from st_memory.datasets.pose_series import PoseSeries, RestWatch

__all__ = ['ANNOTATION', 'PosedObject', 'observations', 'seen_at']

ANNOTATION = 'annotation'

Point = tuple[float, float, float]


@dataclass(frozen=True)
class PosedObject:
    """
    One object of a dataset.

    Parameters
    ----------
    object_id : str
        Its id in the dataset.
    label : str
        What it is, in words.
    object_T_box : RigidTransform, optional
        Centre and axes of its box in its own frame; None without a box.
    size_m : (3,) float, optional
        Extents along the axes of the box, metres; None without a box.
    fixed_pose : RigidTransform, optional
        ``scene_T_object`` of what never moves.
    poses : PoseSeries
        ``scene_T_object`` of what can be moved, by stamp.

    """

    object_id: str
    label: str
    object_T_box: RigidTransform | None
    size_m: Point | None
    fixed_pose: RigidTransform | None
    poses: PoseSeries


def seen_at(thing: PosedObject, map_T_object: RigidTransform) -> WorldDetection:
    """
    Give the observation of an object at a pose.

    Its place is the centre of its box, which need not be the origin of its frame. Without a box
    it is a point at that origin.
    """
    if thing.object_T_box is None:
        pose, size = map_T_object, None
    else:
        pose, size = map_T_object @ thing.object_T_box, thing.size_m
    x, y, z = pose.translation.tolist()
    qx, qy, qz, qw = pose.quat_xyzw.tolist()
    return WorldDetection(
        label=thing.label,
        score=1.0,
        world_p=(x, y, z),
        track_id=thing.object_id,
        size_m=size,
        quat_xyzw=(qx, qy, qz, qw),
        source=ANNOTATION,
    )


def observations(
    objects: Iterable[PosedObject],
    look_stamps: Sequence[int],
    first_ns: int,
    map_T_scene: RigidTransform,
) -> tuple[dict[int, list[WorldDetection]], list[tuple[int, MovementReport]]]:
    """
    Say where everything is, and when it starts and ends to move.

    Parameters
    ----------
    objects : iterable of PosedObject
        In the order in which they are to be written.
    look_stamps : sequence of int
        Stamps of the cameras' looks, nanoseconds, ascending.
    first_ns : int
        Stamp of what never moves.
    map_T_scene : RigidTransform
        Axes of the dataset in the fixed frame.

    Returns
    -------
    dict of int to list of WorldDetection
        By stamp: poses stand at the looks that they are nearest to, see
        :meth:`PoseSeries.at_looks`.
    list of (int, MovementReport)
        With the stamp at which each is known.

    """
    seen: dict[int, list[WorldDetection]] = {}
    movements: list[tuple[int, MovementReport]] = []
    for thing in objects:
        watch = RestWatch(thing.object_id, thing.label)
        if thing.fixed_pose is not None:
            there = seen_at(thing, map_T_scene @ thing.fixed_pose)
            seen.setdefault(first_ns, []).append(there)
        for stamp_ns, pose in thing.poses.at_looks(look_stamps):
            seen.setdefault(stamp_ns, []).append(seen_at(thing, map_T_scene @ pose))
            moved = watch.step(stamp_ns, pose)
            if moved is not None:
                movements.append((stamp_ns, moved))
    return seen, movements

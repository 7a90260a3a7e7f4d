"""From the stage to numbers: qpos for the renderer, transforms for the recording."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.sim.mjcf import HANDS, KitchenModel
from st_memory.sim.people import Hand, Person
from st_memory.sim.shapes import planar, Vec3
from st_memory.sim.stage import Stage

__all__ = ['HEAD_T_OPTICAL', 'Snapshot', 'take_snapshot']

HEAD_T_OPTICAL = RigidTransform(np.zeros(3), np.array([-0.5, 0.5, -0.5, 0.5]))
"""Optical frame (z forward, x right, y down) in the head (x forward, y left, z up)."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """
    Exact poses of one tick.

    Parameters
    ----------
    qpos : (nq,) float64
        Joint positions of the parts, then free poses (x, y, z, qw, qx, qy, qz).
    map_T_base, base_T_head : RigidTransform
        The wearer on the floor, and the head on the wearer.
    map_T_part : dict of str to RigidTransform
        Movable parts by frame.
    joints : dict of str to float
        Joint positions by joint name, radians or metres.
    map_T_thing : dict of str to RigidTransform
        Things by object id; those that are gone are far below the floor.

    """

    qpos: NDArray[np.float64]
    map_T_base: RigidTransform
    base_T_head: RigidTransform
    map_T_part: dict[str, RigidTransform]
    joints: dict[str, float]
    map_T_thing: dict[str, RigidTransform]

    @property
    def map_T_optical(self) -> RigidTransform:
        """Exact pose of the camera's optical frame in the map."""
        return self.map_T_base @ self.base_T_head @ HEAD_T_OPTICAL


def take_snapshot(stage: Stage, model: KitchenModel) -> Snapshot:
    """
    Read all poses off the stage.

    Parameters
    ----------
    stage : Stage
        What is going on.
    model : KitchenModel
        Order of the entries of qpos.

    """
    wearer = stage.wearer
    map_T_base = planar((wearer.x, wearer.y, 0.0), wearer.yaw)
    base_T_head = _head_on_base(wearer)
    poses = {name: planar(*stage.thing_pose(t)) for name, t in stage.things.items()}
    things = dict(poses)
    poses['head'] = map_T_base @ base_T_head
    partner = stage.partner
    poses['partner'] = planar((partner.x, partner.y, 0.0), partner.yaw)
    for frame in HANDS:
        found = stage.hand(frame)
        if found is not None:
            person, hand = found
            poses[frame] = planar(hand.position, person.yaw)
            poses[f'{frame}_arm'] = _arm(person, hand)
    numbers = [stage.joints[name] for name in model.hinged]
    for name in model.free:
        x, y, z, w = poses[name].quat_xyzw
        numbers += [*poses[name].translation, w, x, y, z]
    return Snapshot(
        np.array(numbers),
        map_T_base,
        base_T_head,
        {n: planar(*stage.part_pose(p)) for n, p in stage.parts.items()},
        {p.joint.name: stage.joints[n] for n, p in stage.parts.items() if p.joint},
        things,
    )


def _head_on_base(person: Person) -> RigidTransform:
    """Head pose in the person's frame: turned to the side, then down."""
    yaw, pitch = person.head_yaw - person.yaw, person.head_pitch
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    height = person.eye[2]
    return RigidTransform(
        np.array([0.08, 0.0, height]), np.array([-sy * sp, cy * sp, sy * cp, cy * cp])
    )


def _arm(person: Person, hand: Hand) -> RigidTransform:
    """Pose of an arm: from the wrist, +X towards the shoulder."""
    end: Vec3 = person.shoulder(hand)
    dx, dy, dz = (e - p for e, p in zip(end, hand.position, strict=True))
    yaw, pitch = math.atan2(dy, dx), -math.atan2(dz, math.hypot(dx, dy))
    cy, sy = math.cos(yaw / 2), math.sin(yaw / 2)
    cp, sp = math.cos(pitch / 2), math.sin(pitch / 2)
    quat = np.array([-sy * sp, cy * sp, sy * cp, cy * cp])
    return RigidTransform(np.array(hand.position), quat)

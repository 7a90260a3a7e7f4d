"""Records of furniture: parts, joints, slots for things, and the unit they make up."""

from __future__ import annotations

from dataclasses import dataclass
import math

from st_memory.sim.shapes import Primitive, rotate_xy, Vec3

__all__ = ['Anchor', 'Joint', 'Part', 'Slot', 'Stand', 'Unit']


@dataclass(frozen=True)
class Joint:
    """
    How a part moves.

    Parameters
    ----------
    name : str
        Name in ``/joint_states``.
    kind : str
        ``hinge`` (radians) or ``slide`` (metres).
    axis : (3,) float
        In the part's own frame; positive positions open it.
    limit : float
        Position when fully open; 0 is closed.
    handle : (3,) float
        Where a hand takes hold, in the part's frame, metres.

    """

    name: str
    kind: str
    axis: Vec3
    limit: float
    handle: Vec3


@dataclass(frozen=True)
class Part:
    """
    A rigid piece of furniture made of boxes.

    Parameters
    ----------
    name : str
        Unique; the TF frame of a movable part.
    fixture_id : str
        Fixture it belongs to; '' for the room itself.
    position : (3,) float
        Origin in the map with every joint closed, metres.
    yaw : float
        Orientation about +Z, radians.
    boxes : tuple of Primitive
        In the part's frame.
    joint : Joint, optional
        None for a part that never moves.

    """

    name: str
    fixture_id: str
    position: Vec3
    yaw: float
    boxes: tuple[Primitive, ...]
    joint: Joint | None = None


@dataclass(frozen=True)
class Slot:
    """
    A place where one thing can stand.

    Parameters
    ----------
    fixture_id : str
        Fixture it is on or in.
    frame : str
        Part that carries it; '' for the map.
    position : (3,) float
        Point on the support, in that frame, metres.
    radius, height : float
        Largest thing that fits, metres.

    """

    fixture_id: str
    frame: str
    position: Vec3
    radius: float
    height: float


@dataclass(frozen=True)
class Stand:
    """Where a person stands to use a unit: x, y in the map and the yaw that faces it."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Unit:
    """
    One fixture with everything that belongs to it.

    Parameters
    ----------
    fixture_id, label : str
        Name and type.
    is_container : bool
        Things are inside it, not on it.
    box_centre : (3,) float
        Centre of its box in the map, metres.
    box_size : (3,) float
        Extents along the box's own axes, metres.
    yaw : float
        Orientation of the box.
    parts : tuple of Part
        Static part first.
    slots : tuple of Slot
        Places in or on it.
    stand : Stand
        Where a person stands to use it.

    """

    fixture_id: str
    label: str
    is_container: bool
    box_centre: Vec3
    box_size: Vec3
    yaw: float
    parts: tuple[Part, ...]
    slots: tuple[Slot, ...]
    stand: Stand

    @property
    def door(self) -> Part | None:
        """The part that must be moved to reach inside, if there is one."""
        return next((p for p in self.parts if p.joint is not None), None)


@dataclass(frozen=True)
class Anchor:
    """
    Frame of a unit: origin on the floor under the middle of its front, +Y into the unit.

    Someone who faces the unit looks along +Y and has +X to the right.

    Parameters
    ----------
    x, y : float
        In the map, metres.
    yaw : float
        Of +X against the map's, radians.

    """

    x: float
    y: float
    yaw: float

    def point(self, x: float, y: float, z: float) -> Vec3:
        """Map a point of the unit's frame to the map."""
        dx, dy = rotate_xy(x, y, self.yaw)
        return self.x + dx, self.y + dy, z

    def stand(self, x: float, distance: float) -> Stand:
        """Give the place at ``distance`` in front of the unit, facing it."""
        px, py, _ = self.point(x, -distance, 0.0)
        return Stand(px, py, self.yaw + math.pi / 2)

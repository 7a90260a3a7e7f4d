"""Links that hang on each other by joints, and where they are when the joints' positions are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
import enum
import math
from typing import NamedTuple

import numpy as np

from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['Joint', 'JointKind', 'JointTree', 'Mimic']


@enum.unique
class JointKind(enum.Enum):
    """How a child link can move against its parent; the values are URDF's words."""

    FIXED = 'fixed'
    REVOLUTE = 'revolute'
    CONTINUOUS = 'continuous'
    PRISMATIC = 'prismatic'
    FLOATING = 'floating'  # six numbers, which joint states do not carry: placed by TF only
    PLANAR = 'planar'  # three numbers, likewise


_TURNING = (JointKind.REVOLUTE, JointKind.CONTINUOUS)
_ONE_NUMBER = (*_TURNING, JointKind.PRISMATIC)


class Mimic(NamedTuple):
    """A joint's position as ``multiplier * position of joint + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """
    What connects a child link to its parent.

    Parameters
    ----------
    name : str
        As in joint states.
    kind : JointKind
        How the child moves.
    parent, child : str
        Names of the links.
    parent_T_joint : RigidTransform
        Pose of the child link in the parent's frame at position 0.
    axis : (3,) float
        Axis of rotation or translation in the joint's frame; of any length but 0.
    limits : (2,) float, optional
        Lowest and highest position, radians or metres.
    mimic : Mimic, optional
        Which joint it follows when its own position is not known.

    Raises
    ------
    ValueError
        If the axis of a joint that needs one is 0 or not finite.

    """

    name: str
    kind: JointKind
    parent: str
    child: str
    parent_T_joint: RigidTransform
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    limits: tuple[float, float] | None = None
    mimic: Mimic | None = None

    def __post_init__(self) -> None:
        length = math.hypot(*self.axis)
        if self.kind in _ONE_NUMBER and not (0.0 < length < math.inf):
            raise ValueError(f'joint {self.name}: expected an axis, got {self.axis}')

    @property
    def has_position(self) -> bool:
        """Whether one number says where the child is."""
        return self.kind in _ONE_NUMBER

    def rest(self) -> float:
        """Give position 0, or the limit nearest to it, radians or metres."""
        return 0.0 if self.limits is None else min(max(0.0, self.limits[0]), self.limits[1])

    def parent_T_child(self, position: float) -> RigidTransform:
        """
        Give the pose of the child link.

        Parameters
        ----------
        position : float
            Radians or metres; ignored by a fixed joint.

        """
        if not self.has_position:
            return self.parent_T_joint
        axis = np.array(self.axis) / math.hypot(*self.axis)
        if self.kind is JointKind.PRISMATIC:
            moved = RigidTransform(position * axis, np.array([0.0, 0.0, 0.0, 1.0]))
        else:
            quat = np.append(math.sin(position / 2) * axis, math.cos(position / 2))
            moved = RigidTransform(np.zeros(3), quat)
        return self.parent_T_joint @ moved


class JointTree:
    """
    Links in a tree of joints.

    Parameters
    ----------
    joints : iterable of Joint
        In any order.
    links : iterable of str
        Names of all links; those of the joints need not be repeated.

    Raises
    ------
    ValueError
        If a name is given twice, there is not exactly one root, a link has two parents, joints
        go in a loop, or a mimic joint follows none or itself. One line names what.

    """

    def __init__(self, joints: Iterable[Joint], links: Iterable[str] = ()) -> None:
        given = tuple(joints)
        self._joint_by_name = {joint.name: joint for joint in given}
        self._joint_by_child: dict[str, Joint] = {}
        for joint in given:
            if self._joint_by_name[joint.name] is not joint:
                raise ValueError(f'joint {joint.name}: expected a name of its own, got it twice')
            other = self._joint_by_child.setdefault(joint.child, joint)
            if other is not joint:
                raise ValueError(
                    f'link {joint.child}: expected one parent, got {other.parent} '
                    f'(joint {other.name}) and {joint.parent} (joint {joint.name})'
                )
        named = (*links, *(name for j in given for name in (j.parent, j.child)))
        self._links = tuple(dict.fromkeys(named))
        self._root = self._only_root()
        self._joints = tuple(self._from_the_root())
        self._movable_links = self._below_a_joint()
        for joint in self._joints:
            self._check_mimic(joint)

    @property
    def root(self) -> str:
        """Name of the link that hangs on nothing."""
        return self._root

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints; a link's own joint comes before those of its children."""
        return self._joints

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links."""
        return self._links

    @property
    def movable_links(self) -> frozenset[str]:
        """Links with a joint other than a fixed one between them and the root."""
        return self._movable_links

    def joint(self, name: str) -> Joint | None:
        """Give a joint by name; None when there is none."""
        return self._joint_by_name.get(name)

    def joints_above(self, link: str) -> tuple[Joint, ...]:
        """Give the joints from the root to a link that are not fixed."""
        chain: list[Joint] = []
        while (joint := self._joint_by_child.get(link)) is not None:
            chain.append(joint)
            link = joint.parent
        return tuple(j for j in reversed(chain) if j.kind is not JointKind.FIXED)

    def position_of(self, joint: Joint, positions: Mapping[str, float]) -> float | None:
        """
        Give the position of a joint: its own, otherwise that of what it mimics.

        Parameters
        ----------
        joint : Joint
            One of this tree.
        positions : mapping of str to float
            What is known, by joint name, radians or metres.

        Returns
        -------
        float or None
            None when it is not known.

        """
        rules: list[Mimic] = []
        while joint.name not in positions:
            if joint.mimic is None:
                return None
            rules.append(joint.mimic)
            joint = self._joint_by_name[joint.mimic.joint]
        position = positions[joint.name]
        for rule in reversed(rules):
            position = rule.multiplier * position + rule.offset
        return position

    def rest_positions(self) -> dict[str, float]:
        """Give the position of every joint that nothing is known of: 0, within its limits."""
        return {j.name: j.rest() for j in self._joints if j.has_position and j.mimic is None}

    def poses(self, positions: Mapping[str, float]) -> dict[str, RigidTransform]:
        """
        Forward kinematics.

        Parameters
        ----------
        positions : mapping of str to float
            By joint name, radians or metres. Names of other trees are ignored.

        Returns
        -------
        dict of str to RigidTransform
            ``root_T_link`` of every link whose joints are all known. A floating or a planar
            joint never is: what hangs on it has its pose from TF or not at all.

        """
        root_T_link = {self._root: RigidTransform.identity()}
        for joint in self._joints:
            root_T_parent = root_T_link.get(joint.parent)
            position = 0.0 if joint.kind is JointKind.FIXED else None
            if joint.has_position:
                position = self.position_of(joint, positions)
            if root_T_parent is not None and position is not None:
                root_T_link[joint.child] = root_T_parent @ joint.parent_T_child(position)
        return root_T_link

    def _only_root(self) -> str:
        roots = [link for link in self._links if link not in self._joint_by_child]
        if not self._links:
            raise ValueError('expected at least one link, got none')
        if not roots:
            raise ValueError(
                f'expected a root link, got joints in a loop through {self._links[0]}'
            )
        if len(roots) > 1:
            raise ValueError(f'expected one root link, got {len(roots)}: {", ".join(roots[:5])}')
        return roots[0]

    def _from_the_root(self) -> Iterator[Joint]:
        """Walk the joints so that parents come first; what is not reached is in a loop."""
        by_parent: dict[str, list[Joint]] = {}
        for joint in self._joint_by_child.values():
            by_parent.setdefault(joint.parent, []).append(joint)
        reached = [self._root]
        for link in reached:
            for joint in by_parent.get(link, ()):
                yield joint
                reached.append(joint.child)
        known = set(reached)
        lost = [link for link in self._links if link not in known]
        if lost:
            raise ValueError(f'link {lost[0]}: expected a tree, got joints in a loop')

    def _below_a_joint(self) -> frozenset[str]:
        moving: set[str] = set()
        for joint in self._joints:
            if joint.kind is not JointKind.FIXED or joint.parent in moving:
                moving.add(joint.child)
        return frozenset(moving)

    def _check_mimic(self, joint: Joint) -> None:
        seen = {joint.name}
        at = joint
        while at.mimic is not None:
            followed = self._joint_by_name.get(at.mimic.joint)
            if followed is None:
                raise ValueError(f'joint {at.name}: mimics {at.mimic.joint}, which does not exist')
            if followed.name in seen:
                raise ValueError(f'joint {joint.name}: mimics itself through {at.name}')
            seen.add(followed.name)
            at = followed

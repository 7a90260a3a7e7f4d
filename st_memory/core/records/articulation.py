"""Where the links of a scene's furniture are, given the positions of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from st_memory.core.geometry.joint_tree import JointTree
from st_memory.core.geometry.se3 import RigidTransform

__all__ = ['Articulation']


@dataclass(frozen=True, eq=False)
class Articulation:
    """
    A tree of joints and where its root is; movable parts are in frames named as its links.

    Parameters
    ----------
    tree : JointTree
        Links and joints.
    root_frame : str
        Frame that the root link is fixed in; '' means the fixed frame.
    frame_T_root : RigidTransform
        Pose of the root link in that frame.

    """

    tree: JointTree
    root_frame: str = ''
    frame_T_root: RigidTransform = field(default_factory=RigidTransform.identity)

    def frame_poses(self, positions: Mapping[str, float]) -> dict[str, RigidTransform]:
        """
        Give the pose in the root's frame of every movable link whose joints are known.

        Parameters
        ----------
        positions : mapping of str to float
            By joint name, radians or metres.

        Returns
        -------
        dict of str to RigidTransform
            By link name; in ``root_frame`` (the fixed frame when that is '').

        """
        movable = self.tree.movable_links
        poses = self.tree.poses(positions)
        return {n: self.frame_T_root @ pose for n, pose in poses.items() if n in movable}

    def rest_poses(self) -> dict[str, RigidTransform]:
        """
        Give the pose in the fixed frame of every movable link while nothing is known of joints.

        Returns
        -------
        dict of str to RigidTransform
            By link name, with all joints at rest; empty when only TF knows where the root is.

        """
        return {} if self.root_frame else self.frame_poses(self.tree.rest_positions())

    def missing_joints(self, link: str, positions: Mapping[str, float]) -> tuple[str, ...]:
        """
        Name the joints that keep a link's pose from being known.

        Parameters
        ----------
        link : str
            A link of the tree.
        positions : mapping of str to float
            What is known, by joint name.

        """
        return tuple(
            joint.name
            for joint in self.tree.joints_above(link)
            if not joint.has_position or self.tree.position_of(joint, positions) is None
        )

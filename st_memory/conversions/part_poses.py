"""Poses of the movable parts of a scene at a stamp: from TF, or from the positions of joints."""

from __future__ import annotations

from collections import Counter
from typing import Any

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.joint_states import JointTracks
from st_memory.conversions.pending import PendingFrame
from st_memory.core.errors import TransformFailure, TransformUnavailableError
from st_memory.core.geometry import RigidTransform, TransformBuffer
from st_memory.core.records import Articulation, Scene

__all__ = ['PartPoses']


class PartPoses:
    """
    Say where movable parts are.

    A transform tells it. Only a link that no transform reaches is placed by the positions of
    its joints, so that a recording with joint states alone is enough.

    Parameters
    ----------
    settings : AssemblerSettings
        Fixed frame, and how long is waited and held.
    transforms : TransformBuffer
        Shared with the assembler, which fills it.
    counters : Counter
        Shared with the assembler. Gets ``missing_joint NAME`` for each frame in which that
        joint's position was needed and not known, and ``missing_part_frame NAME`` for each frame
        in which no transform reached that TF frame, and a part needed it.

    """

    def __init__(
        self, settings: AssemblerSettings, transforms: TransformBuffer, counters: Counter[str]
    ) -> None:
        self._settings = settings
        self._transforms = transforms
        self._counters = counters
        self._frames: tuple[str, ...] = ()
        self._articulation: Articulation | None = None
        self._joints: JointTracks | None = None

    @property
    def wants_joints(self) -> bool:
        """Whether positions of joints place anything."""
        return self._joints is not None

    def use(self, scene: Scene) -> None:
        """Take the parts of a scene; positions of joints that were known are kept."""
        self._frames = tuple(sorted({part.frame_id for part in scene.parts if part.frame_id}))
        if scene.articulation is not self._articulation:
            self._articulation = scene.articulation
            self._joints = None
            if scene.articulation is not None:
                self._joints = JointTracks(
                    scene.articulation.tree,
                    self._settings.joint_hold_ns,
                    self._settings.tf_history_ns,
                )

    def take_joints(self, stamp_ns: int, message: Any) -> None:
        """Take a ``sensor_msgs/JointState``; passed over by a scene without joints."""
        if self._joints is not None:
            self._counters.update(self._joints.add(stamp_ns, message))

    def start_epoch(self) -> None:
        """Forget where joints were."""
        if self._joints is not None:
            self._joints.clear()

    def may_come(self, frame: PendingFrame) -> bool:
        """
        Whether a pose that the frame needs may still come.

        Poses that are there are captured on the way.
        """
        wanted = [n for n in self._frames if n not in frame.world_T_part]
        late = [name for name in wanted if self._transform_may_come(name, frame)]
        rest = [n for n in wanted if n not in late and n not in frame.world_T_part]
        if self._joints is None or not any(map(self._is_link, rest)):
            return bool(late)
        return bool(late) or self._joints.may_come(frame.stamp_ns, self._settings.max_wait_ns)

    def at(self, frame: PendingFrame) -> dict[str, RigidTransform]:
        """Give the poses that are known at the stamp of a frame, by the parts' frame."""
        for name in self._frames:
            if name not in frame.world_T_part:
                self._transform_may_come(name, frame)
        known = frame.world_T_part
        missing = [n for n in self._frames if n not in known]
        links = list(filter(self._is_link, missing))
        unreached = set(missing).difference(links)
        if links:
            poses, roots = self._by_joints(links, frame.stamp_ns)
            known.update(poses)
            unreached |= roots
        self._counters.update(f'missing_part_frame {name}' for name in sorted(unreached))
        return {name: known[name] for name in self._frames if name in known}

    def _is_link(self, name: str) -> bool:
        return self._articulation is not None and name in self._articulation.tree.movable_links

    def _transform_may_come(self, name: str, frame: PendingFrame) -> bool:
        """Capture the pose by TF; whether one that is not there is worth waiting for."""
        fixed_frame = self._settings.fixed_frame
        try:
            frame.world_T_part[name] = self._transforms.lookup(fixed_frame, name, frame.stamp_ns)
        except TransformUnavailableError as error:
            return (
                error.failure is TransformFailure.TOO_NEW
                and error.gap_ns is not None
                and error.gap_ns <= self._settings.max_wait_ns
            )
        return False

    def _by_joints(
        self, names: list[str], stamp_ns: int
    ) -> tuple[dict[str, RigidTransform], set[str]]:
        """
        Poses of links by the positions of their joints, and the root's frame if only it lacks.

        Counts the joints that are missing.
        """
        if self._articulation is None or self._joints is None:
            return {}, set()
        positions = self._joints.at(stamp_ns)
        for joint in sorted(
            {j for n in names for j in self._articulation.missing_joints(n, positions)}
        ):
            self._counters[f'missing_joint {joint}'] += 1
        poses = self._articulation.frame_poses(positions)
        placed = [name for name in names if name in poses]
        root_frame = self._articulation.root_frame
        world_T_frame = self._root(root_frame, stamp_ns)
        if world_T_frame is None:
            return {}, {root_frame} if placed else set()
        return {name: world_T_frame @ poses[name] for name in placed}, set()

    def _root(self, root_frame: str, stamp_ns: int) -> RigidTransform | None:
        """Pose of the frame that the root link is in; None when it is not known."""
        if not root_frame:
            return RigidTransform.identity()
        try:
            return self._transforms.lookup(self._settings.fixed_frame, root_frame, stamp_ns)
        except TransformUnavailableError:
            return None

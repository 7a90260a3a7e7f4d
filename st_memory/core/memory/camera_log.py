"""What the fold keeps of each camera: its looks, and whether its pose can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.stamps import NS_PER_S

__all__ = ['CameraLog']


@dataclass
class CameraLog:
    """How often a camera has looked, and when and from where last."""

    looks: int = 0
    last_ns: int | None = None
    now_ns: int = 0  # of the look in progress
    pose: list[float] = field(default_factory=list)  # of the last look that had one; xyz, xyzw
    pose_ns: int | None = None
    doubt_until_ns: int | None = None

    def doubts_pose_at(self, stamp_ns: int) -> bool:
        """Whether the pose has jumped a moment ago."""
        return self.doubt_until_ns is not None and stamp_ns < self.doubt_until_ns

    def begin(self, stamp_ns: int, pose: RigidTransform | None, settings: MemorySettings) -> bool:
        """
        Take in where a look is from; gives whether it jumped there.

        A map that is corrected moves the camera farther than anyone carries it. For a while
        after, what is not found where it should be may be where it was.
        """
        self.now_ns = stamp_ns
        if pose is None:
            return False
        jumped = False
        if self.pose_ns is not None:
            before = RigidTransform(np.array(self.pose[:3]), np.array(self.pose[3:]))
            shift_m, turn_rad = before.distance_to(pose)
            elapsed_s = (stamp_ns - self.pose_ns) / NS_PER_S
            jumped = (
                shift_m > settings.pose_jump_m + settings.max_speed_mps * elapsed_s
                or turn_rad > settings.pose_jump_rad + settings.max_turn_radps * elapsed_s
            )
        if jumped:
            self.doubt_until_ns = stamp_ns + int(settings.pose_doubt_s * NS_PER_S)
        self.pose = [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]
        self.pose_ns = stamp_ns
        return jumped

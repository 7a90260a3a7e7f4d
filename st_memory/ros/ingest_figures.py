"""What the ingest tells of itself."""

from __future__ import annotations

from collections import Counter
import time
from typing import Any

from st_memory.conversions.deliveries import CAMERA_KINDS
from st_memory.conversions.roles import TopicRole
from st_memory.core.records import SensedFrame

__all__ = ['IngestFigures']

# Frames in the making, by their first message; more are of a camera whose frames never leave.
_MOST_WAITING = 10_000
_NS_PER_S = 1_000_000_000


class IngestFigures:
    """
    Numbers of the ingest; written by its thread, read by any.

    Attributes
    ----------
    poses : Counter of str
        Looks by what came of their pose: ``posed``, or the failure of the transforms.
    pose_problems : dict of str to str
        Why the newest look of a camera has no pose, by camera; '' where it has one.
    unusable : dict of TopicRole to str
        What is wrong with the newest message of a role; only where something is.
    commit_s : float
        How long the newest frame took to be folded and committed, seconds.
    delay_s : float
        How long before that its first message was taken, seconds.
    committed_s : float, optional
        Steady time at which it was on disk; None before the first one.

    """

    def __init__(self) -> None:
        self.poses: Counter[str] = Counter()
        self.pose_problems: dict[str, str] = {}
        self.unusable: dict[TopicRole, str] = {}
        self.commit_s = self.delay_s = 0.0
        self.committed_s: float | None = None
        self._begun_s = 0.0
        self._taken_s: dict[int, float] = {}

    def take(self, role: TopicRole, message: Any) -> None:
        """Note a message, as one that can be used until it is refused."""
        if self.unusable:
            self.unusable.pop(role, None)
        if role.kind in CAMERA_KINDS:
            stamp = message.header.stamp
            stamp_ns = int(stamp.sec) * _NS_PER_S + int(stamp.nanosec)
            self._taken_s.setdefault(stamp_ns, time.monotonic())

    def refuse(self, role: TopicRole, problem: str) -> None:
        """Note a message that can never be used."""
        self.unusable[role] = problem

    def begin(self, frame: SensedFrame) -> None:
        """Note that a frame leaves the assembly."""
        self._begun_s = time.monotonic()
        for camera in frame.cameras:
            self.pose_problems[camera.camera_id] = camera.pose_problem
            self.poses[camera.pose_problem.partition(':')[0] or 'posed'] += 1

    def commit(self, frame: SensedFrame) -> None:
        """Note that it is on disk."""
        self.committed_s = time.monotonic()
        self.commit_s = self.committed_s - self._begun_s
        self.delay_s = self.committed_s - self._taken_s.pop(frame.stamp_ns, self._begun_s)
        if len(self._taken_s) > _MOST_WAITING:
            self._taken_s.clear()

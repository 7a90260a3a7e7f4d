"""Frames in the making, by stamp."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
import heapq
from typing import Any

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import MovementReport

__all__ = ['Look', 'PendingFrame', 'PendingFrames']


@dataclass
class Look:
    """What has come of one camera at one stamp: messages by kind, and its pose once known."""

    stamp_ns: int
    pieces: dict[TopicKind, Any] = field(default_factory=dict)
    world_T_camera: RigidTransform | None = None
    pose_problem: str = ''
    camera_T_box: dict[int, RigidTransform] = field(default_factory=dict)  # of the own body


@dataclass
class PendingFrame:
    """What has come at one stamp."""

    stamp_ns: int
    looks: dict[str, Look] = field(default_factory=dict)
    world_batches: list[Any] = field(default_factory=list)
    movements: list[MovementReport] = field(default_factory=list)
    world_T_part: dict[str, RigidTransform] = field(default_factory=dict)


class PendingFrames:
    """
    Frames in the making, oldest first.

    Finding a frame by stamp costs O(1), taking the oldest O(log n), pairing with slop O(log n).

    Parameters
    ----------
    slop_ns : int
        Messages of one camera join a look whose stamp differs by at most this.

    """

    def __init__(self, slop_ns: int) -> None:
        self._slop_ns = slop_ns
        self._frame_by_stamp: dict[int, PendingFrame] = {}
        self._heap: list[int] = []
        self._look_stamps: dict[str, list[int]] = {}
        self._left_ns = 0

    def __len__(self) -> int:
        return len(self._heap)

    def waiting(self) -> Iterable[PendingFrame]:
        """Give all frames, in no order."""
        return self._frame_by_stamp.values()

    def oldest(self) -> PendingFrame | None:
        """Give the oldest frame and keep it."""
        return self._frame_by_stamp[self._heap[0]] if self._heap else None

    def take_oldest(self) -> PendingFrame:
        """Give the oldest frame and forget it; nothing older is taken any more."""
        frame = self._frame_by_stamp.pop(heapq.heappop(self._heap))
        self._left_ns = frame.stamp_ns
        for camera_id in frame.looks:
            stamps = self._look_stamps[camera_id]
            del stamps[bisect.bisect_left(stamps, frame.stamp_ns)]
        return frame

    def start_epoch(self) -> None:
        """Take what is older than all that left: the clock was set back."""
        self._left_ns = 0

    def add_piece(self, role: TopicRole, stamp_ns: int, message: Any) -> str:
        """Add a message of a camera; gives why it cannot be used, '' when it is."""
        if stamp_ns <= self._left_ns:
            return 'late'
        look = self.look(role.camera_id, stamp_ns, role.kind)
        if role.kind in look.pieces:
            return 'duplicate'
        look.pieces[role.kind] = message
        return ''

    def add_world_batch(self, stamp_ns: int, message: Any) -> str:
        """Add detections without a camera; gives why they cannot be used, '' when they are."""
        if stamp_ns <= self._left_ns:
            return 'late'
        self.at(stamp_ns).world_batches.append(message)
        return ''

    def add_movements(self, stamp_ns: int, movements: Sequence[MovementReport]) -> None:
        """Add movements, which say themselves when they were: rather late than never."""
        if movements:
            self.at(max(stamp_ns, self._left_ns + 1)).movements.extend(movements)

    def at(self, stamp_ns: int) -> PendingFrame:
        """Give the frame of a stamp, made when there is none."""
        frame = self._frame_by_stamp.get(stamp_ns)
        if frame is None:
            frame = self._frame_by_stamp[stamp_ns] = PendingFrame(stamp_ns)
            heapq.heappush(self._heap, stamp_ns)
        return frame

    def look(self, camera_id: str, stamp_ns: int, kind: TopicKind) -> Look:
        """Give the look that a message joins: the nearest one that has no message of its kind."""
        joined_ns = self._nearest(camera_id, stamp_ns, kind)
        frame = self.at(stamp_ns if joined_ns is None else joined_ns)
        look = frame.looks.get(camera_id)
        if look is None:
            look = frame.looks[camera_id] = Look(frame.stamp_ns)
            bisect.insort(self._look_stamps.setdefault(camera_id, []), frame.stamp_ns)
        return look

    def _nearest(self, camera_id: str, stamp_ns: int, kind: TopicKind) -> int | None:
        if not self._slop_ns:
            return None
        stamps = self._look_stamps.get(camera_id, [])
        first = bisect.bisect_left(stamps, stamp_ns - self._slop_ns)
        last = bisect.bisect_right(stamps, stamp_ns + self._slop_ns)
        free = [
            at
            for at in stamps[first:last]
            if kind not in self._frame_by_stamp[at].looks[camera_id].pieces
        ]
        return min(free, key=lambda at: (abs(at - stamp_ns), at), default=None)

"""When each movable part of the scene has moved: what is behind a shut door stays there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.stamps import NS_PER_S

__all__ = ['PartLog']

# A frame that has turned or shifted by less has not moved: TF has noise.
_STILL_M, _STILL_RAD = 5e-3, 1e-2
# A part that rests for less is still on its way.
_PAUSE_NS = NS_PER_S // 2
# Motions of one part that are remembered.
_KEPT = 4


class PartLog:
    """
    Keeps when the latest motions of each movable frame ended.

    Nothing is known of a part whose frame never came.
    """

    def __init__(self) -> None:
        # Frame to its pose (xyz, xyzw), and when its latest motions ended.
        self._parts: dict[str, tuple[list[float], list[int]]] = {}

    def note(self, world_T_part: Mapping[str, RigidTransform], stamp_ns: int) -> None:
        """Take in where the parts are at a stamp."""
        for frame_id, pose in world_T_part.items():
            known = self._parts.get(frame_id)
            if known is None:
                self._parts[frame_id] = (_numbers(pose), [])
                continue
            before, ends_ns = known
            shift_m, turn_rad = _pose(before).distance_to(pose)
            if shift_m < _STILL_M and turn_rad < _STILL_RAD:
                continue
            if ends_ns and stamp_ns - ends_ns[-1] <= _PAUSE_NS:
                ends_ns[-1] = stamp_ns
            else:
                del ends_ns[: -_KEPT + 1]
                ends_ns.append(stamp_ns)
            self._parts[frame_id] = (_numbers(pose), ends_ns)

    def was_in_reach(
        self, frames: Iterable[str], seen_ns: int, until_ns: int, grasp_ns: int
    ) -> bool | None:
        """
        Tell whether what was seen behind some parts can have been taken out before a stamp.

        Parameters
        ----------
        frames : iterable of str
            The movable parts of what it was in.
        seen_ns, until_ns : int
            When it was seen there last, and by when it would have been taken.
        grasp_ns : int
            Nobody takes a thing and shuts it off in less.

        Returns
        -------
        bool or None
            True when a part was opened again after it had been shut, or shut only a while after
            the last sight; False when it was shut right after it and has been so since; None
            when none has moved.

        """
        ends_ns = sorted(
            end_ns
            for frame in frames
            if frame in self._parts
            for end_ns in self._parts[frame][1]
            if seen_ns < end_ns <= until_ns
        )
        if not ends_ns:
            return None
        return len(ends_ns) > 1 or ends_ns[0] - seen_ns > grasp_ns

    def shut_since(self, frames: Iterable[str], stamp_ns: int) -> int | None:
        """
        Give since when what shows behind some parts must have been there.

        Returns
        -------
        int or None
            End of the motion before the one that shows it now, nanoseconds; 0 when there was
            none. None when no part is moving, or when there is a part that nothing is known of:
            then it may have got there at any time.

        """
        since_ns: list[int] = []
        for frame in frames:
            if frame not in self._parts:
                return None
            ends_ns = self._parts[frame][1]
            if ends_ns and stamp_ns - ends_ns[-1] <= _PAUSE_NS:
                since_ns.append(ends_ns[-2] if len(ends_ns) > 1 else 0)
        return max(since_ns, default=None)

    def to_plain(self) -> dict[str, Any]:
        """Give all as plain values, shared with the log: for writing at once."""
        return self._parts

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> PartLog:
        """Rebuild from :meth:`to_plain`."""
        log = cls()
        log._parts = {name: (pose, ends) for name, (pose, ends) in plain.items()}
        return log


def _numbers(pose: RigidTransform) -> list[float]:
    return [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]


def _pose(numbers: list[float]) -> RigidTransform:
    return RigidTransform(np.array(numbers[:3]), np.array(numbers[3:]))

"""What each camera is known to deliver, and whether all of it has come for a frame."""

from __future__ import annotations

from collections.abc import Mapping, Set

from st_memory.conversions.pending import PendingFrame
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.stream_clock import StreamClock

__all__ = ['CAMERA_KINDS', 'Deliveries']

CAMERA_KINDS = (
    TopicKind.CAMERA_INFO,
    TopicKind.IMAGE,
    TopicKind.DEPTH,
    TopicKind.DETECTIONS,
    TopicKind.SELF_MASK,
)
_AWAITED = (TopicKind.DEPTH, TopicKind.DETECTIONS, TopicKind.SELF_MASK)
_SPORADIC = (TopicKind.MOVEMENTS, TopicKind.WORLD_DETECTIONS)


class Deliveries:
    """
    Know what is delivered, and wait for no more than that.

    Parameters
    ----------
    clock : StreamClock
        Shared with the assembler: how far each stream is.
    max_wait_ns : int
        A camera of which nothing came for so long is not waited for.

    """

    def __init__(self, clock: StreamClock, max_wait_ns: int) -> None:
        self._clock = clock
        self._max_wait_ns = max_wait_ns
        self._kinds_by_camera: dict[str, set[TopicKind]] = {}
        self._has_sporadic = False

    @property
    def kinds_by_camera(self) -> Mapping[str, Set[TopicKind]]:
        """What each camera delivers."""
        return self._kinds_by_camera

    def expect(self, role: TopicRole) -> None:
        """Count on a role from now on."""
        if role.kind in CAMERA_KINDS:
            self._kinds_by_camera.setdefault(role.camera_id, set()).add(role.kind)
        elif role.kind in _SPORADIC:
            self._has_sporadic = True

    def count_no_more_on(self, role: TopicRole) -> None:
        """Wait for nothing of a role any more."""
        self._kinds_by_camera.get(role.camera_id, set()).discard(role.kind)

    def have_come(self, frame: PendingFrame, first_ns: int, sensor_ns: int) -> bool:
        """
        Whether nothing of a frame, and nothing before it, can still come.

        Parameters
        ----------
        frame : PendingFrame
            The oldest that waits.
        first_ns, sensor_ns : int
            First and newest stamp of the epoch, nanoseconds.

        """
        stamp_ns = frame.stamp_ns
        if self._has_sporadic and sensor_ns <= stamp_ns:
            return False
        for camera_id, kinds in self._kinds_by_camera.items():
            look = frame.looks.get(camera_id)
            if look is None:
                if self._is_behind(camera_id, kinds, stamp_ns, first_ns, sensor_ns):
                    return False
            elif any(kind in kinds and kind not in look.pieces for kind in _AWAITED) or (
                TopicKind.CAMERA_INFO not in look.pieces
                and self._is_behind(
                    camera_id, kinds & {TopicKind.CAMERA_INFO}, stamp_ns, first_ns, sensor_ns
                )
            ):
                return False
        return True

    def _is_behind(
        self,
        camera_id: str,
        kinds: Set[TopicKind],
        stamp_ns: int,
        first_ns: int,
        sensor_ns: int,
    ) -> bool:
        """Whether a camera is alive and may still deliver something as old as a stamp."""
        stamps = [self._clock.newest_ns(TopicRole(kind, camera_id)) for kind in kinds]
        # One that was announced and has not come yet counts as just behind the first stamp.
        newest_ns = max((ns for ns in stamps if ns is not None), default=first_ns - 1)
        is_alive = newest_ns >= sensor_ns - self._max_wait_ns
        return is_alive and newest_ns < stamp_ns

"""The clocks of the streams: which epoch does a stamp belong to."""

from __future__ import annotations

from collections.abc import Hashable
import enum

__all__ = ['Admission', 'StreamClock']


@enum.unique
class Admission(enum.Enum):
    """What to do with a message."""

    ADMIT = 'admit'
    NEW_EPOCH = 'new_epoch'  # the stream jumped back: first open an epoch, then admit
    LEFTOVER = 'leftover'  # still of the epoch before: leave it out


class StreamClock:
    """
    Newest stamps of all streams in the running epoch.

    When one stream jumps back, the others follow a little later. Until then their messages
    continue the old epoch and would pull the new one to its end: in its first moments, a message
    that goes on where its stream was before is left out.

    Parameters
    ----------
    jump_back_ns : int
        A stamp further than this behind the newest of its stream is a jump.

    """

    def __init__(self, jump_back_ns: int) -> None:
        self._jump_back_ns = jump_back_ns
        self._newest_ns: dict[Hashable, int] = {}
        self._newest_before_ns: dict[Hashable, int] = {}
        self._epoch_ns: int | None = None
        self._epoch_start_ns = 0

    def admit(self, stream: Hashable, stamp_ns: int) -> Admission:
        """
        Take note of a stamp and say what to do with its message.

        Parameters
        ----------
        stream : hashable
            One topic, or one link of the transform tree.
        stamp_ns : int
            Nanoseconds.

        """
        newest_ns = self._newest_ns.get(stream)
        if newest_ns is not None and stamp_ns < newest_ns - self._jump_back_ns:
            # A stream that did not follow the last jump yet keeps its older mark.
            self._newest_before_ns = {**self._newest_before_ns, **self._newest_ns}
            self._newest_ns = {stream: stamp_ns}
            self._epoch_ns = self._epoch_start_ns = stamp_ns
            return Admission.NEW_EPOCH
        if newest_ns is None and self._continues_old_epoch(stream, stamp_ns):
            self._newest_before_ns[stream] = stamp_ns
            return Admission.LEFTOVER
        self._newest_ns[stream] = stamp_ns if newest_ns is None else max(stamp_ns, newest_ns)
        self._epoch_ns = stamp_ns if self._epoch_ns is None else max(stamp_ns, self._epoch_ns)
        return Admission.ADMIT

    def newest_ns(self, stream: Hashable) -> int | None:
        """Give the newest stamp of a stream in this epoch."""
        return self._newest_ns.get(stream)

    def _continues_old_epoch(self, stream: Hashable, stamp_ns: int) -> bool:
        before_ns = self._newest_before_ns.get(stream)
        if before_ns is None or self._epoch_ns is None:
            return False
        tolerance_ns = self._jump_back_ns
        is_young = self._epoch_ns <= self._epoch_start_ns + tolerance_ns
        is_ahead = stamp_ns > self._epoch_ns + tolerance_ns
        return is_young and is_ahead and stamp_ns >= before_ns - tolerance_ns

"""The reference store: frames are kept as they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from st_memory.core.errors import StoreError
from st_memory.core.ports import Checkpoint, FrameName, FrameOrigin, StoredFrame
from st_memory.core.records import (
    FrameDelta,
    ObjectState,
    Scene,
    TrackRecord,
)
from st_memory.storage.delta_checks import check_delta, moment_of
from st_memory.storage.in_memory_reader import InMemoryReader

__all__ = ['InMemoryStore']


class InMemoryStore(InMemoryReader):
    """
    A ``MemoryStore`` in plain Python, for tests and as the oracle of the other stores.

    Parameters
    ----------
    robot_id, boot_id : str
        Origin of the frames that are committed.

    """

    def __init__(self, robot_id: str = 'robot', boot_id: str = 'boot') -> None:
        super().__init__()
        self._origin = FrameOrigin(robot_id, boot_id)

    def commit(self, delta: FrameDelta) -> None:
        """Append one frame; see :meth:`MemoryStore.commit`."""
        self.restore(StoredFrame(self._origin, delta))

    def restore(self, frame: StoredFrame) -> None:
        """Append a frame of another memory; see :meth:`MemoryStore.restore`."""
        self._check_open()
        check_delta(frame.delta, self._frames[-1].delta.frame if self._frames else None)
        self._frames.append(frame)

    def put_scene(self, scene: Scene) -> None:
        """Keep the scene; replaces an earlier one."""
        self._check_open()
        self._scene = scene

    def deltas_after(self, seq: int) -> Iterator[StoredFrame]:
        """Give the frames with a greater ``seq``; see :meth:`MemoryReader.deltas_after`."""
        self._check_open()
        if seq < -1:
            raise ValueError(f'seq: expected -1 or more, got {seq}')
        moments = [moment_of(stored.delta.frame) for stored in self._frames[max(0, seq) : seq + 2]]
        if seq >= 0 and len(moments) == 2 and moments[0] == moments[1]:
            raise StoreError(f'frames {seq} and {seq + 1} have the same moment')
        checkpoint = self.checkpoint()
        for stored in self._frames[seq + 1 :]:
            delta = stored.delta
            if checkpoint and delta.frame.seq == checkpoint.frame.seq:
                yield stored._replace(delta=replace(delta, tracks=checkpoint.tracks))
            else:
                tracks = tuple(replace(track, fold_json='') for track in delta.tracks)
                frame = replace(delta.frame, fold_json='')
                yield stored._replace(delta=replace(delta, frame=frame, tracks=tracks))

    def frame_at(self, seq: int) -> FrameName | None:
        """Moment and origin of a frame; None when there is no such frame."""
        self._check_open()
        if not 0 <= seq < len(self._frames):
            return None
        stored = self._frames[seq]
        return FrameName(moment_of(stored.delta.frame), stored.origin)

    def checkpoint(self) -> Checkpoint | None:
        """Give the newest frame and the objects of its epoch; None for an empty memory."""
        if self.now() is None:
            return None
        tracks: dict[str, TrackRecord] = {}
        for delta in self._until(None):
            tracks.update((track.state.object_id, track) for track in delta.tracks)
        return Checkpoint(
            self._frames[-1].delta.frame, tuple(track for _, track in sorted(tracks.items()))
        )

    def versions(self, object_id: str, epoch: int) -> Iterator[tuple[int, ObjectState]]:
        """Every state an object had in an epoch with the stamp it dates from, by stamp."""
        self._check_open()
        states = {
            delta.frame.stamp_ns: track.state
            for delta in (stored.delta for stored in self._frames)
            for track in delta.tracks
            if delta.frame.epoch == epoch and track.state.object_id == object_id
        }
        previous = ''
        for stamp_ns, state in states.items():
            if repr(state) != previous:  # repr tells -0.0 from 0.0
                yield stamp_ns, state
            previous = repr(state)

    def close(self) -> None:
        """Forget everything; further calls raise :class:`StoreError`."""
        self._closed = True
        self._frames.clear()

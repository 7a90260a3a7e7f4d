"""The reference store: a list of frames, read from the start for every question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from st_memory.core.errors import StoreError
from st_memory.core.ports import Checkpoint, FrameName, FrameOrigin, StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    Scene,
    TrackRecord,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.records.objects import is_called
from st_memory.core.stamps import Moment
from st_memory.storage.delta_checks import check_delta, moment_of
from st_memory.storage.nearby import check_ball, is_within

__all__ = ['InMemoryStore']

Key = TypeVar('Key', str, int, tuple[int, str])
Row = TypeVar('Row')


class InMemoryStore:
    """
    A ``MemoryStore`` in plain Python, for tests and as the oracle of the other stores.

    Notes
    -----
    Every answer is worked out from the frames up to the moment and from nothing else, so the
    as-of rule holds by construction; the price is time linear in the number of frames.

    """

    def __init__(self, robot_id: str = 'robot', boot_id: str = 'boot') -> None:
        self._origin = FrameOrigin(robot_id, boot_id)
        self._frames: list[StoredFrame] = []
        self._scene = Scene()
        self._closed = False

    def now(self) -> Moment | None:
        """Moment of the newest frame; None for an empty memory."""
        self._check_open()
        return moment_of(self._frames[-1].delta.frame) if self._frames else None

    def first_moment(self, epoch: int) -> Moment | None:
        """Moment of the first frame of an epoch; None when it has no frame."""
        moments = (moment_of(frame) for frame in self.frames())
        return next((m for m in moments if m.epoch == epoch), None)

    def latest_moment(self, at: Moment) -> Moment | None:
        """Moment of the newest frame of the moment's epoch not after it; None without one."""
        deltas = list(self._until(at))
        return moment_of(deltas[-1].frame) if deltas else None

    def epochs(self) -> tuple[int, ...]:
        """All epochs that have a frame, ascending."""
        return tuple(sorted({frame.epoch for frame in self.frames()}))

    def object_at(self, object_id: str, at: Moment | None = None) -> ObjectState | None:
        """State of one object; None when it was not known then."""
        return self._states(at).get(object_id)

    def objects_at(self, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object known then, by object id."""
        return tuple(state for _, state in sorted(self._states(at).items()))

    def objects_called(self, name: str, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object whose label or alias was the name then, by object id."""
        return tuple(s for s in self.objects_at(at) if is_called(s, name))

    def intervals(
        self, object_id: str, at: Moment | None = None, camera_id: str | None = None
    ) -> tuple[VisibilityInterval, ...]:
        """Visibility intervals by (start, camera), cut at the moment."""
        newest = {
            (row.start_ns, row.camera_id): row
            for delta in self._until(at)
            for row in delta.intervals
            if row.object_id == object_id and camera_id in (None, row.camera_id)
        }
        return tuple(
            self._count(row, at) if row.end_ns is None else row for _, row in sorted_by_key(newest)
        )

    def placements(self, object_id: str, at: Moment | None = None) -> tuple[Placement, ...]:
        """Placements by start; one that was open then has ``end_ns`` None."""
        newest = {
            row.start_ns: row
            for delta in self._until(at)
            for row in delta.placements
            if row.object_id == object_id
        }
        return tuple(row for _, row in sorted_by_key(newest))

    def observations(
        self, object_id: str, at: Moment | None = None, *, limit: int | None = None
    ) -> tuple[Observation, ...]:
        """Observations by (stamp, camera); with a limit the latest ones only."""
        if limit is not None and limit < 0:
            raise ValueError(f'limit: expected 0 or more, got {limit}')
        rows = [
            row
            for delta in self._until(at)
            for row in delta.observations
            if row.object_id == object_id
        ]
        rows.sort(key=lambda row: (row.stamp_ns, row.camera_id))
        return tuple(rows if limit is None else rows[max(0, len(rows) - limit) :])

    def num_confirmed(
        self, object_id: str, camera_id: str, span: tuple[int, int], at: Moment | None = None
    ) -> int:
        """Count an object's observations by a camera in a span, thinned out ones too."""
        who = (object_id, camera_id)
        return sum(
            (
                *stored.thinned,
                *((o.object_id, o.camera_id) for o in stored.delta.observations),
            ).count(who)
            for stored in self._stored_until(at)
            if span[0] <= stored.delta.frame.stamp_ns < span[1]
        )

    def events(
        self, at: Moment | None = None, *, object_id: str | None = None
    ) -> tuple[Event, ...]:
        """Events recorded by then, by (start, event id)."""
        newest = {row.event_id: row for delta in self._until(at) for row in delta.events}
        rows = sorted(newest.values(), key=lambda row: (row.start_ns, row.event_id))
        return tuple(
            row for row in rows if object_id is None or object_id in [who for _, who in row.roles]
        )

    def look_at(self, camera_id: str | None, at: Moment | None = None) -> CameraLook | None:
        """Latest look of a camera not after the moment; None when there is none."""
        looks = self.looks(camera_id, at)
        return looks[-1] if looks else None

    def looks(self, camera_id: str | None, at: Moment | None = None) -> tuple[CameraLook, ...]:
        """Every look up to the moment, by (stamp, camera)."""
        newest = {
            (row.stamp_ns, row.camera_id): row
            for delta in self._until(at)
            for row in delta.looks
            if camera_id in (None, row.camera_id)
        }
        return tuple(row for _, row in sorted_by_key(newest))

    def objects_within(self, world_p: Point, radius_m: float) -> tuple[ObjectState, ...]:
        """Objects of the newest moment in a ball, by object id."""
        check_ball(world_p, radius_m)
        return tuple(s for s in self.objects_at() if is_within(s, world_p, radius_m))

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

    def scene(self) -> Scene:
        """Scene given last; empty when there was none."""
        self._check_open()
        return self._scene

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

    def frames(self) -> Iterator[FrameRecord]:
        """Every frame in order of ``seq``; only the newest has its ``fold_json``."""
        self._check_open()
        newest = len(self._frames) - 1
        for stored in self._frames:
            frame = stored.delta.frame
            yield frame if frame.seq == newest else replace(frame, fold_json='')

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

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError('memory is closed')

    def _until(self, at: Moment | None) -> Iterator[FrameDelta]:
        """Deltas of the moment's epoch up to and including it."""
        return (stored.delta for stored in self._stored_until(at))

    def _stored_until(self, at: Moment | None) -> Iterator[StoredFrame]:
        moment = at or self.now()
        self._check_open()
        for stored in self._frames:
            frame = stored.delta.frame
            if moment and frame.epoch == moment.epoch and frame.stamp_ns <= moment.stamp_ns:
                yield stored

    def _states(self, at: Moment | None) -> dict[str, ObjectState]:
        return {
            track.state.object_id: track.state
            for delta in self._until(at)
            for track in delta.tracks
        }

    def _count(self, row: VisibilityInterval, at: Moment | None) -> VisibilityInterval:
        """Count the frames and confirmations of an open interval."""
        stamps = [
            look.stamp_ns
            for look in self.looks(row.camera_id, at)
            if look.stamp_ns >= row.start_ns
        ]
        return replace(
            row,
            last_frame_ns=stamps[-1] if stamps else row.start_ns,
            num_frames=max(1, len(stamps)),
            num_confirmed=self.num_confirmed(
                row.object_id, row.camera_id, (row.start_ns, 2**63), at
            ),
        )


def sorted_by_key(rows: Mapping[Key, Row]) -> list[tuple[Key, Row]]:
    """Items by key alone: the rows themselves have no order."""
    return sorted(rows.items(), key=lambda item: item[0])

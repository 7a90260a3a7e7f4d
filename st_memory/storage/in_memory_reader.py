"""The reading half of the reference store: a list of frames, read from the start each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from st_memory.core.errors import StoreError
from st_memory.core.ports import StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    Scene,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.records.objects import is_called
from st_memory.core.stamps import Moment
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.nearby import check_ball, is_within

__all__ = ['InMemoryReader']

Key = TypeVar('Key', str, int, tuple[int, str])
Row = TypeVar('Row')


class InMemoryReader:
    """
    What a memory was as of a moment, told from its frames.

    Notes
    -----
    Every answer is worked out from the frames up to the moment and from nothing else, so the
    as-of rule holds by construction; the price is time linear in the number of frames.

    """

    def __init__(self) -> None:
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

    def scene(self) -> Scene:
        """Scene given last; empty when there was none."""
        self._check_open()
        return self._scene

    def frames(self) -> Iterator[FrameRecord]:
        """Every frame in order of ``seq``; only the newest has its ``fold_json``."""
        self._check_open()
        newest = len(self._frames) - 1
        for stored in self._frames:
            frame = stored.delta.frame
            yield frame if frame.seq == newest else replace(frame, fold_json='')

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

"""Collect what one frame concludes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from st_memory.core.memory.track import Track
from st_memory.core.memory.track_state import state_of
from st_memory.core.memory.track_text import TrackWriter
from st_memory.core.memory.view import View
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameDelta,
    FrameRecord,
    Observation,
    Placement,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)

__all__ = ['DeltaBuilder', 'Touched']


class Touched(set[str]):
    """Objects that a frame has touched; knows which of them since it was last asked."""

    def __init__(self) -> None:
        super().__init__()
        self._recent: set[str] = set()

    def add(self, name: str) -> None:
        """Take in one object."""
        super().add(name)
        self._recent.add(name)

    def update(self, *names: Iterable[str]) -> None:
        """Take in some objects."""
        for some in names:
            for name in some:
                self.add(name)

    def __ior__(self, names: Set[str]) -> Touched:  # type: ignore[override, misc]
        """Take in some objects."""
        self.update(names)
        return self

    @property
    def are_recent(self) -> bool:
        """Whether any was touched since it was last asked for them."""
        return bool(self._recent)

    def take_recent(self) -> set[str]:
        """Give those that were touched since the last call, be it again."""
        recent, self._recent = self._recent, set()
        return recent


class DeltaBuilder:
    """Rows of one frame, and which objects it touched."""

    def __init__(self, epoch: int, stamp_ns: int) -> None:
        self.epoch = epoch
        self.stamp_ns = stamp_ns
        self.touched = Touched()
        self._observations: list[Observation] = []
        self._intervals: list[VisibilityInterval] = []
        self._placements: list[Placement] = []
        self._looks: list[CameraLook] = []
        self._events: list[Event] = []

    def observe(self, observation: Observation) -> None:
        """Append a positive match."""
        self._observations.append(observation)
        self.touched.add(observation.object_id)

    def look(self, look: CameraLook) -> None:
        """Append a camera's look."""
        self._looks.append(look)

    def interval(
        self,
        object_id: str,
        camera_id: str,
        view: View,
        *,
        looks_now: int,
        last_frame_ns: int,
        end_ns: int | None,
    ) -> None:
        """Append an opened or closed visibility interval."""
        self._intervals.append(
            VisibilityInterval(
                object_id=object_id,
                camera_id=camera_id,
                epoch=self.epoch,
                start_ns=view.start_ns,
                end_ns=end_ns,
                last_frame_ns=last_frame_ns,
                state=Visibility(view.state),
                geometry=Visibility(view.geometry),
                cause=view.cause,
                occluder_id=view.occluder,
                num_frames=looks_now - view.looks_before,
                num_confirmed=view.confirmed,
            )
        )
        self.touched.add(object_id)

    def placement(self, track: Track, *, end_ns: int | None = None) -> None:
        """Append the track's placement, opened or (with an end) closed."""
        if track.placed_ns is None or track.mean is None:
            return
        if end_ns is not None:
            end_ns = max(end_ns, track.placed_ns)  # no stay ends before it began
        self._placements.append(
            Placement(
                object_id=track.object_id,
                epoch=self.epoch,
                start_ns=track.placed_ns,
                end_ns=end_ns,
                recorded_ns=self.stamp_ns,
                world_p=(track.mean[0], track.mean[1], track.mean[2]),
                fixture_id=track.fixture_id,
                source=track.placement_source,
            )
        )
        self.touched.add(track.object_id)

    def placement_row(self, row: Placement) -> None:
        """Append a stay of before, told in the frame of now."""
        self._placements.append(row)
        self.touched.add(row.object_id)

    def event_row(self, row: Event) -> None:
        """Append an event of before, under its own id."""
        self._events.append(row)

    def event(
        self,
        event_type: str,
        start_ns: int,
        end_ns: int,
        roles: Iterable[tuple[str, str]],
        *,
        source: str = 'fold',
        detail: str = '',
    ) -> None:
        """Append an event; its id follows from the frame and its place in it."""
        self._events.append(
            Event(
                event_id=f'e{self.epoch}-{self.stamp_ns}-{len(self._events)}',
                event_type=event_type,
                epoch=self.epoch,
                start_ns=start_ns,
                end_ns=end_ns,
                recorded_ns=self.stamp_ns,
                roles=tuple(roles),
                source=source,
                detail=detail,
            )
        )

    def build(
        self,
        tracks: Mapping[str, Track],
        cameras: Set[str],
        seq: int,
        fold_json: str,
        writer: TrackWriter,
    ) -> FrameDelta:
        """
        Freeze everything into the unit of one transaction.

        Parameters
        ----------
        tracks : mapping
            All objects by id.
        cameras : set of str
            Cameras whose verdicts count now.
        seq, fold_json
            As in :class:`st_memory.core.records.FrameRecord`.
        writer : TrackWriter
            Has written the frames before.

        """
        records = [
            TrackRecord(state_of(track, self.epoch, cameras), writer.text(track))
            for track in (tracks[name] for name in sorted(self.touched))
        ]
        return FrameDelta(
            frame=FrameRecord(self.epoch, self.stamp_ns, seq, fold_json),
            tracks=tuple(records),
            observations=tuple(self._observations),
            intervals=tuple(self._intervals),
            placements=tuple(self._placements),
            looks=tuple(self._looks),
            events=tuple(self._events),
        )

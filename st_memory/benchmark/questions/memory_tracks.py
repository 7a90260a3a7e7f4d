"""A memory as tracks that questions are written from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.benchmark.questions.tracks import Movement, ObjectTrack, SceneTracks
from st_memory.core.errors import StMemoryError
from st_memory.core.geometry import CameraModel, in_image
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.history import (
    events_of,
    intervals_of,
    observations_of,
    placements_of,
)
from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import (
    CameraLook,
    Event,
    ObjectState,
    Placement,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['SAMPLE_RATE_HZ', 'tracks_of_memory']

SAMPLE_RATE_HZ = 5.0
"""Samples a second, at most: the nearest options of time are but one or two seconds apart."""

_END_OF_TIME_NS = 2**63 - 1
_END_SHOWN_NS = NS_PER_S
_SHOWN = (Visibility.VISIBLE, Visibility.IN_MOTION)


def tracks_of_memory(
    reader: MemoryReader,
    camera: CameraModel,
    video_id: str,
    camera_id: str,
    rate_hz: float = SAMPLE_RATE_HZ,
) -> SceneTracks:
    """
    Make tracks of everything that a memory tells users of, as of its end.

    Parameters
    ----------
    reader : MemoryReader
        The memory; of several epochs the newest.
    camera : CameraModel
        Of the images; the memory keeps poses only.
    video_id : str
        Name of the recording.
    camera_id : str
        The camera whose looks are the samples.
    rate_hz : float
        Samples a second, at most.

    Raises
    ------
    StMemoryError
        If that camera has no looks in the memory.

    """
    epochs = reader.epochs()
    at = Moment(epochs[-1], _END_OF_TIME_NS) if epochs else None
    looks = [] if at is None else _thinned(_looks(reader, camera_id, at), rate_hz)
    if not looks:
        raise StMemoryError(
            f'camera {camera_id!r}: expected looks of it in the memory, found none'
        )
    sampler = _Sampler(reader, camera, camera_id, at, looks)
    return SceneTracks(
        video_id=video_id,
        base_stamp_ns=looks[0].stamp_ns,
        stamps_ns=sampler.stamps_ns,
        world_T_camera=[look.world_T_camera for look in looks],
        camera=camera,
        scene=reader.scene(),
        objects=tuple(sampler.track(state) for state in reported_objects(reader, at)),
    )


def _looks(reader: MemoryReader, camera_id: str, at: Moment) -> list[CameraLook]:
    return [look for look in reader.looks(camera_id, at) if look.epoch == at.epoch]


def _thinned(looks: Sequence[CameraLook], rate_hz: float) -> list[CameraLook]:
    """Keep looks at least a period apart, as far as their stamps are even."""
    period_ns = NS_PER_S / rate_hz
    kept: list[CameraLook] = []
    for look in looks:
        # Half a tenth of a period: stamps of a camera that runs at the very rate jitter.
        if not kept or look.stamp_ns - kept[-1].stamp_ns >= 0.95 * period_ns:
            kept.append(look)
    return kept


class _Sampler:
    """Looks up what was so at every sample."""

    def __init__(
        self,
        reader: MemoryReader,
        camera: CameraModel,
        camera_id: str,
        at: Moment | None,
        looks: Sequence[CameraLook],
    ) -> None:
        self._reader, self._camera, self._camera_id = reader, camera, camera_id
        self._at, self._looks = at, looks
        self.stamps_ns: NDArray[np.int64] = np.array([o.stamp_ns for o in looks], dtype=np.int64)

    def track(self, state: ObjectState) -> ObjectTrack:
        """Sample one object."""
        reader, at = self._reader, self._at
        states = self._states(intervals_of(reader, state, at, self._camera_id))
        places, fixture_ids = self._places(placements_of(reader, state, at))
        shown_ns = self.stamps_ns[np.isin(states, _SHOWN)]
        return ObjectTrack(
            object_id=state.object_id,
            name=state.label,
            states=states,
            world_p=places,
            pixels=self._pixels(state, states, places),
            fixture_ids=fixture_ids,
            movements=_movements(events_of(reader, state, at), shown_ns),
        )

    def _states(self, rows: Sequence[VisibilityInterval]) -> NDArray[np.int8]:
        out = np.full(len(self.stamps_ns), Visibility.UNKNOWN, dtype=np.int8)
        for row in rows:
            until_ns = _END_OF_TIME_NS if row.end_ns is None else row.end_ns
            inside = (self.stamps_ns >= row.start_ns) & (self.stamps_ns < until_ns)
            out[inside] = row.state
        return out

    def _places(self, rows: Sequence[Placement]) -> tuple[NDArray[np.float64], list[str]]:
        """Give the place and the fixture at every sample; of a corrected placement the last."""
        count = len(self.stamps_ns)
        places, fixture_ids = np.full((count, 3), np.nan), [''] * count
        for row in sorted(rows, key=lambda row: (row.start_ns, row.recorded_ns)):
            first = int(np.searchsorted(self.stamps_ns, row.start_ns))
            places[first:] = row.world_p
            fixture_ids[first:] = [row.fixture_id] * (count - first)
        return places, fixture_ids

    def _pixels(
        self, state: ObjectState, states: NDArray[np.int8], places: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Give the middle of its box where it was detected, else the image of its place."""
        out = np.full((len(states), 2), np.nan)
        for i in map(int, np.flatnonzero(states == Visibility.VISIBLE)):
            pose = self._looks[i].world_T_camera
            if pose is not None and np.isfinite(places[i, 0]):
                pixels = self._camera.project(pose.inverse().apply(places[i : i + 1])).pixels
                if in_image(self._camera, pixels)[0]:
                    out[i] = pixels[0]
        index_by_stamp = {int(stamp): i for i, stamp in enumerate(self.stamps_ns)}
        for row in observations_of(self._reader, state, self._at):
            i = index_by_stamp.get(row.stamp_ns, -1)
            if row.camera_id == self._camera_id and row.box_px is not None and i >= 0:
                x, y, width, height = row.box_px
                out[i] = (x + width / 2, y + height / 2)
        return out


def _movements(events: Sequence[Event], shown_ns: NDArray[np.int64]) -> tuple[Movement, ...]:
    moved = sorted((e.start_ns, e.end_ns) for e in events if e.event_type == 'moved')
    return tuple(
        Movement(start, end, bool((np.abs(shown_ns - end) <= _END_SHOWN_NS).any()))
        for start, end in moved
    )

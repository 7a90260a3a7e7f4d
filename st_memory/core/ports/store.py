"""Where the memory is kept, and how questions read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

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
from st_memory.core.stamps import Moment

__all__ = [
    'Checkpoint',
    'FrameName',
    'FrameOrigin',
    'MemoryReader',
    'MemoryStore',
    'StoredFrame',
]


class Checkpoint(NamedTuple):
    """The fold as the last committed frame left it: the newest epoch's objects, all of them."""

    frame: FrameRecord
    tracks: tuple[TrackRecord, ...]


class FrameOrigin(NamedTuple):
    """Who wrote a frame first: with the frame's ``seq`` its name in a fleet."""

    robot_id: str
    boot_id: str


class FrameName(NamedTuple):
    """Which frame a number stands for: two memories with the same one are copies up to there."""

    moment: Moment
    origin: FrameOrigin


class StoredFrame(NamedTuple):
    """
    A committed frame as one memory hands it to another.

    Attributes
    ----------
    origin : FrameOrigin
        Kept with the frame wherever it goes.
    delta : FrameDelta
        Its rows. The fold's own words are kept for the newest frame alone: only there
        ``fold_json`` says anything, and that delta has the tracks of all objects of its epoch.
    thinned : tuple of (str, str)
        Object and camera of each observation of the frame that was thinned out: it still
        counts, and says nothing more.

    """

    origin: FrameOrigin
    delta: FrameDelta
    thinned: tuple[tuple[str, str], ...] = ()


@runtime_checkable
class MemoryReader(Protocol):
    """
    Read the memory as of a moment.

    Rules for every method that takes ``at``: rows of other epochs than ``at.epoch`` are not
    seen; a row counts from the stamp of the frame that appended it, and from then on replaces an
    earlier row with the same key; the answer is the same whether or not the store holds later
    frames. ``None`` means the newest moment. Keys: (object, stamp) of a state, (object, camera,
    start) of an interval, (object, start) of a placement, (camera, stamp) of a look, the id of an
    event, each within the epoch; observations are never replaced.
    """

    def now(self) -> Moment | None:
        """Moment of the newest committed frame; None for an empty memory."""

    def first_moment(self, epoch: int) -> Moment | None:
        """Moment of the first frame of an epoch; None when it has no frame."""

    def latest_moment(self, at: Moment) -> Moment | None:
        """Moment of the newest frame of the moment's epoch not after it; None without one."""

    def epochs(self) -> tuple[int, ...]:
        """All epochs that have a frame, ascending."""

    def object_at(self, object_id: str, at: Moment | None = None) -> ObjectState | None:
        """State of one object, whatever its life cycle; None when it was not known then."""

    def objects_at(self, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object that was known then, whatever its life cycle, by object id."""

    def objects_called(self, name: str, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """
        State of every object whose label or alias was the name then, by object id.

        Upper and lower case are the same, as ``str.lower`` has them; the life cycle may be any.
        """

    def intervals(
        self, object_id: str, at: Moment | None = None, camera_id: str | None = None
    ) -> tuple[VisibilityInterval, ...]:
        """
        Visibility intervals by (start, camera), cut at the moment.

        An interval that was open then has ``end_ns`` None, and its counts and ``last_frame_ns``
        take in the frames up to and including the moment: ``num_frames`` is the number of looks
        of the camera from the start on (1 when there is none, the frame that opened it),
        ``num_confirmed`` that of the object's observations by the camera. Counts of a closed
        interval are those of its closing row.
        """

    def placements(self, object_id: str, at: Moment | None = None) -> tuple[Placement, ...]:
        """
        Placements by start; one that was open then has ``end_ns`` None.

        A placement is seen from the frame that appended it (its ``recorded_ns``) on, its end
        from the frame that closed it.
        """

    def observations(
        self, object_id: str, at: Moment | None = None, *, limit: int | None = None
    ) -> tuple[Observation, ...]:
        """
        Observations by (stamp, camera) that are kept; with a limit the latest ones only.

        Raises
        ------
        ValueError
            If the limit is negative.

        """

    def num_confirmed(
        self, object_id: str, camera_id: str, span: tuple[int, int], at: Moment | None = None
    ) -> int:
        """Count an object's observations by a camera in a half-open span, kept or not."""

    def events(
        self, at: Moment | None = None, *, object_id: str | None = None
    ) -> tuple[Event, ...]:
        """Events recorded by then, by (start, event id); of one object when it has a role."""

    def look_at(self, camera_id: str | None, at: Moment | None = None) -> CameraLook | None:
        """
        Latest look of a camera not after the moment; for None the last one of :meth:`looks`.

        Returns None when there is none.
        """

    def looks(self, camera_id: str | None, at: Moment | None = None) -> Sequence[CameraLook]:
        """Give the looks up to the moment, by (stamp, camera)."""

    def objects_within(self, world_p: Point, radius_m: float) -> tuple[ObjectState, ...]:
        """
        Objects of the newest moment in a ball, its rim included, by object id.

        Parameters
        ----------
        world_p : (3,) float
            Centre in the fixed frame, metres.
        radius_m : float
            Metres. Objects without a place are in no ball.

        Raises
        ------
        ValueError
            If a number is not finite or the radius is negative.

        """

    def deltas_after(self, seq: int) -> Iterator[StoredFrame]:
        """
        Give the frames with a greater ``seq``, in order (-1: all), as of one moment.

        Restored one by one into an empty memory they give one that answers as this one does.
        Rows of frames with the same moment come with the last of them.

        Raises
        ------
        StoreError
            If the frame after ``seq`` has its moment: their rows cannot be told apart.

        """

    def frame_at(self, seq: int) -> FrameName | None:
        """Moment and origin of a frame; None when there is no such frame."""

    def scene(self) -> Scene:
        """Scene last given to :meth:`MemoryStore.put_scene`; empty when there was none."""


@runtime_checkable
class MemoryStore(MemoryReader, Protocol):
    """A memory that can be appended to, one frame a transaction."""

    def commit(self, delta: FrameDelta) -> None:
        """
        Append one frame, all or nothing.

        After a return the frame survives ``kill -9``.

        Raises
        ------
        StoreError
            If the frame's ``seq`` is not the next one, its moment lies before the newest one (it
            may be the same), or the medium refuses.
        ValueError
            If a row names another epoch than the frame, an observation or a look another stamp,
            an interval or placement starts after the frame, or a number is not finite.

        """

    def restore(self, frame: StoredFrame) -> None:
        """
        Append a frame of another memory, all or nothing, and keep its origin.

        Raises
        ------
        StoreError, ValueError
            As :meth:`commit`.

        """

    def put_scene(self, scene: Scene) -> None:
        """Keep the fixtures and meshes that answers refer to; replaces an earlier scene."""

    def checkpoint(self) -> Checkpoint | None:
        """Give what the fold needs to go on; None for an empty memory."""

    def close(self) -> None:
        """Release the medium; further calls raise :class:`StoreError`."""

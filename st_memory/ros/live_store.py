"""The store of a running memory: what is newest is answered without touching the disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from st_memory.core.ports import Checkpoint, FrameName, MemoryStore, StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameDelta,
    ObjectState,
    Observation,
    Placement,
    Scene,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.records.objects import is_called
from st_memory.core.stamps import Moment
from st_memory.ros.kept_scene import KeptScene
from st_memory.storage.nearby import check_ball, is_within

__all__ = ['LiveStore', 'LiveView']


@dataclass(frozen=True)
class _Newest:
    """The newest committed moment and what is remembered then; replaced as a whole."""

    moment: Moment
    first: Moment
    states: Mapping[str, ObjectState]
    ordered: tuple[ObjectState, ...]
    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    looks: Mapping[str, CameraLook] = field(default_factory=dict)

    def after(self, delta: FrameDelta) -> _Newest:
        """Give what is newest once a frame of the same epoch is committed."""
        states = {**self.states, **{t.state.object_id: t.state for t in delta.tracks}}
        seen: dict[str, Observation] = {}
        for row in sorted(delta.observations, key=lambda row: row.camera_id):
            seen[row.object_id] = row
        return _Newest(
            Moment(delta.frame.epoch, delta.frame.stamp_ns),
            self.first,
            states,
            tuple(states[name] for name in sorted(states)) if delta.tracks else self.ordered,
            {**self.observations, **{name: (row,) for name, row in seen.items()}},
            {**self.looks, **{look.camera_id: look for look in delta.looks}},
        )


class LiveView:
    """
    A ``MemoryReader`` in which "now" stays the same moment however many frames come meanwhile.

    Parameters
    ----------
    store : MemoryStore
        Where everything but the newest rows is read.
    newest : _Newest, optional
        What the store holds of its newest moment; None for an empty memory.
    read_scene : callable
        Gives the scene; from the second time on without reading it.

    """

    def __init__(
        self, store: MemoryStore, newest: _Newest | None, read_scene: Callable[[], Scene]
    ) -> None:
        self._store = store
        self._newest = newest
        self._read_scene = read_scene

    def now(self) -> Moment | None:
        """Moment of the newest committed frame; None for an empty memory."""
        return None if self._newest is None else self._newest.moment

    def first_moment(self, epoch: int) -> Moment | None:
        """Moment of the first frame of an epoch; None when it has no frame."""
        if self._newest is not None and self._newest.first.epoch == epoch:
            return self._newest.first
        return self._store.first_moment(epoch)

    def latest_moment(self, at: Moment) -> Moment | None:
        """Moment of the newest frame of the moment's epoch not after it; None without one."""
        now = self.now()
        if now is not None and at.epoch == now.epoch and at >= now:
            return now
        return self._store.latest_moment(at)

    def epochs(self) -> tuple[int, ...]:
        """All epochs that have a frame, ascending."""
        return self._store.epochs()

    def object_at(self, object_id: str, at: Moment | None = None) -> ObjectState | None:
        """State of one object, whatever its life cycle; None when it was not known then."""
        newest = self._at_newest(at)
        return newest.states.get(object_id) if newest else self._store.object_at(object_id, at)

    def objects_at(self, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object that was known then, by object id."""
        newest = self._at_newest(at)
        return newest.ordered if newest else self._store.objects_at(at)

    def objects_called(self, name: str, at: Moment | None = None) -> tuple[ObjectState, ...]:
        """State of every object whose label or alias was the name then, by object id."""
        newest = self._at_newest(at)
        if newest is None:
            return self._store.objects_called(name, at)
        return tuple(s for s in newest.ordered if is_called(s, name))

    def intervals(
        self, object_id: str, at: Moment | None = None, camera_id: str | None = None
    ) -> tuple[VisibilityInterval, ...]:
        """Visibility intervals by (start, camera), cut at the moment."""
        return self._store.intervals(object_id, self._moment(at), camera_id)

    def placements(self, object_id: str, at: Moment | None = None) -> tuple[Placement, ...]:
        """Placements by start; one that was open then has ``end_ns`` None."""
        return self._store.placements(object_id, self._moment(at))

    def observations(
        self, object_id: str, at: Moment | None = None, *, limit: int | None = None
    ) -> tuple[Observation, ...]:
        """Observations by stamp; with a limit the latest ones only."""
        newest = self._at_newest(at)
        if newest is None or limit != 1:
            return self._store.observations(object_id, self._moment(at), limit=limit)
        rows = newest.observations.get(object_id)
        if rows is None:  # seen before this process started: read once, kept from then on
            rows = self._store.observations(object_id, newest.moment, limit=1)
            newest.observations[object_id] = rows
        return rows

    def num_confirmed(
        self, object_id: str, camera_id: str, span: tuple[int, int], at: Moment | None = None
    ) -> int:
        """Count an object's observations by a camera in a half-open span of stamps."""
        return self._store.num_confirmed(object_id, camera_id, span, self._moment(at))

    def events(
        self, at: Moment | None = None, *, object_id: str | None = None
    ) -> tuple[Event, ...]:
        """Events recorded by then, by (start, event id); of one object when it has a role."""
        return self._store.events(self._moment(at), object_id=object_id)

    def look_at(self, camera_id: str | None, at: Moment | None = None) -> CameraLook | None:
        """Latest look of a camera (any for None) not after the moment; None without one."""
        newest = self._at_newest(at)
        look = newest.looks.get(camera_id) if newest is not None and camera_id else None
        if look is not None:
            return look
        return self._store.look_at(camera_id, self._moment(at))

    def looks(self, camera_id: str | None, at: Moment | None = None) -> Sequence[CameraLook]:
        """Every look up to the moment, by (stamp, camera)."""
        return self._store.looks(camera_id, self._moment(at))

    def objects_within(self, world_p: Point, radius_m: float) -> tuple[ObjectState, ...]:
        """Objects of the newest moment in a ball, by object id."""
        if self._newest is None:
            return self._store.objects_within(world_p, radius_m)
        check_ball(world_p, radius_m)
        return tuple(s for s in self._newest.ordered if is_within(s, world_p, radius_m))

    def deltas_after(self, seq: int) -> Iterator[StoredFrame]:
        """Give the frames with a greater ``seq``, in order (-1: all)."""
        return self._store.deltas_after(seq)

    def frame_at(self, seq: int) -> FrameName | None:
        """Moment and origin of a frame; None when there is no such frame."""
        return self._store.frame_at(seq)

    def scene(self) -> Scene:
        """Scene given last; empty when there was none."""
        return self._read_scene()

    def _moment(self, at: Moment | None) -> Moment | None:
        return at if at is not None or self._newest is None else self._newest.moment

    def _at_newest(self, at: Moment | None) -> _Newest | None:
        """Give the newest rows if the moment is theirs."""
        newest = self._newest
        return newest if newest is not None and at in (None, newest.moment) else None


class LiveStore(LiveView):
    """
    A ``MemoryStore`` that keeps the newest rows of the store below it in memory.

    One thread commits; any thread asks, best through :meth:`view`.

    Parameters
    ----------
    store : MemoryStore
        The store on disk, opened for writing.

    Attributes
    ----------
    on_scene : callable
        Called when there is another scene, and again when the next frame is committed, on the
        thread that commits.

    """

    def __init__(self, store: MemoryStore) -> None:
        self.on_scene: Callable[[], None] = lambda: None
        self._has_new_scene = False
        self._kept_scene = KeptScene(store.scene)
        super().__init__(store, _newest_of(store), self._kept_scene)

    def view(self) -> LiveView:
        """Give a reader for one question: all it reads is of the same moment."""
        return LiveView(self._store, self._newest, self._read_scene)

    def commit(self, delta: FrameDelta) -> None:
        """Append one frame on disk, then let it be seen."""
        self._store.commit(delta)
        moment = Moment(delta.frame.epoch, delta.frame.stamp_ns)
        before = self._newest
        if before is None or before.moment.epoch != moment.epoch:
            before = _Newest(moment, moment, {}, ())
        self._newest = before.after(delta)
        if self._has_new_scene:
            self._has_new_scene = False
            self.on_scene()

    def restore(self, frame: StoredFrame) -> None:
        """Append a frame of another memory on disk, then let it be seen."""
        self._store.restore(frame)
        self._newest = _newest_of(self._store)

    def put_scene(self, scene: Scene) -> None:
        """Keep the scene; replaces an earlier one."""
        self._store.put_scene(scene)
        self._kept_scene.forget()
        self._has_new_scene = True
        self.on_scene()

    def checkpoint(self) -> Checkpoint | None:
        """Give what the fold needs to go on; None for an empty memory."""
        return self._store.checkpoint()

    def close(self) -> None:
        """Release the file."""
        self._store.close()


def _newest_of(store: MemoryStore) -> _Newest | None:
    moment = store.now()
    first = None if moment is None else store.first_moment(moment.epoch)
    if moment is None or first is None:
        return None
    ordered = store.objects_at(moment)
    return _Newest(moment, first, {s.object_id: s for s in ordered}, ordered)

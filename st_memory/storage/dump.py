"""A memory as canonical JSON lines: equal memories give equal bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import dataclasses
import enum
import hashlib
import json
from typing import Any, Protocol

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryStore
from st_memory.core.records import FrameRecord, ObjectState, Scene
from st_memory.core.stamps import Moment
from st_memory.storage.codec import LAST_STAMP

__all__ = ['HistoryStore', 'dump', 'dump_lines']


class HistoryStore(MemoryStore, Protocol):
    """A store that can also list its frames and every state an object had."""

    def frames(self) -> Iterator[FrameRecord]:
        """Every frame in order of ``seq``; only the newest has its ``fold_json``."""

    def versions(self, object_id: str, epoch: int) -> Iterator[tuple[int, ObjectState]]:
        """Every state an object had in an epoch with the stamp it dates from, by stamp."""


def dump(store: HistoryStore) -> bytes:
    """Give all of :func:`dump_lines` at once."""
    return b''.join(dump_lines(store))


def dump_lines(store: HistoryStore) -> Iterator[bytes]:
    """
    Give everything a memory holds, one JSON object a line.

    Keys are sorted, floats have their shortest exact form, text is UTF-8. The lines are: the
    scene (arrays as SHA-256), the frames, then by epoch the looks, the events and by object its
    versions, observations, intervals and placements, and last what the fold goes on from.
    Frames that are committed meanwhile may be missed: dump a memory that rests.
    """
    yield from _scene_lines(store.scene())
    for frame in store.frames():
        yield _line('frame', frame)
    for epoch in store.epochs():
        end = Moment(epoch, LAST_STAMP)
        for look in store.looks(None, end):
            yield _line('look', look)
        for event in store.events(end):
            yield _line('event', event)
        for state in store.objects_at(end):
            yield from _object_lines(store, state.object_id, end)
    checkpoint = store.checkpoint()
    for track in checkpoint.tracks if checkpoint else ():
        fold = {'object_id': track.state.object_id, 'fold_json': track.fold_json}
        yield _line('track', fold)


def _object_lines(store: HistoryStore, object_id: str, end: Moment) -> Iterator[bytes]:
    for stamp_ns, version in store.versions(object_id, end.epoch):
        yield _line('version', {'from_ns': stamp_ns, 'state': version})
    for observation in store.observations(object_id, end):
        yield _line('observation', observation)
    for interval in store.intervals(object_id, end):
        yield _line('interval', interval)
    for placement in store.placements(object_id, end):
        yield _line('placement', placement)


def _scene_lines(scene: Scene) -> Iterator[bytes]:
    for part in scene.parts:
        yield _line('scene_part', part)
    for fixture in scene.fixtures:
        yield _line('scene_fixture', fixture)


def _line(kind: str, record: object) -> bytes:
    content = {'kind': kind, 'record': _plain(record)}
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(',', ':'))
    return text.encode('utf-8') + b'\n'


def _plain(value: Any) -> Any:
    """Turn a record into what JSON knows."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, RigidTransform):
        return [*value.translation.tolist(), *value.quat_xyzw.tolist()]
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value

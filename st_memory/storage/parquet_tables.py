"""The tables of a memory in Parquet: their columns, and rows to records and back."""

from __future__ import annotations

from collections.abc import Iterator
import enum
import types
from typing import Any, get_args, get_origin, Union

import pyarrow as pa

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    Fixture,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    VisibilityInterval,
)
from st_memory.storage.plain_records import hints_of, to_plain

__all__ = ['SCHEMAS', 'plain_of_rows', 'rows_of']

_SIMPLE = {int: pa.int64(), float: pa.float64(), str: pa.string(), bool: pa.bool_()}
_RECORDS = {
    'observations': Observation,
    'intervals': VisibilityInterval,
    'placements': Placement,
    'looks': CameraLook,
    'events': Event,
}


def _column(hint: Any) -> pa.DataType:
    """Give the column type of a field."""
    kind = get_origin(hint)
    if kind in (Union, types.UnionType):
        return _column(get_args(hint)[0])
    if kind is tuple:
        return pa.list_(_column(get_args(hint)[0]))
    if hint is RigidTransform:
        return pa.list_(pa.float64())
    if isinstance(hint, enum.EnumMeta):
        return pa.string()
    return _SIMPLE[hint]


def _schema(record: Any, *more: tuple[str, pa.DataType]) -> pa.Schema:
    columns = [(name, _column(hint)) for name, hint in hints_of(record).items()]
    return pa.schema([*more, *columns])


_SEQ = ('frame_seq', pa.int64())
_ORIGIN = (('robot_id', pa.string()), ('boot_id', pa.string()))

SCHEMAS: dict[str, pa.Schema] = {
    'frames': _schema(FrameRecord, *_ORIGIN),
    'tracks': _schema(ObjectState, _SEQ, ('track_json', pa.string())),
    **{name: _schema(record, _SEQ) for name, record in _RECORDS.items()},
    'thinned': pa.schema([_SEQ, ('object_id', pa.string()), ('camera_id', pa.string())]),
    'scene_parts': pa.schema(
        [
            ('name', pa.string()),
            ('fixture_id', pa.string()),
            ('frame_id', pa.string()),
            ('vertices', pa.list_(pa.list_(pa.float64()))),
            ('triangles', pa.list_(pa.list_(pa.int32()))),
        ]
    ),
    'scene_fixtures': _schema(Fixture),
}
"""By name of the table; ``frame_seq`` names the frame that appended a row."""


def rows_of(stored: StoredFrame) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the rows of a frame, each with its table."""
    delta, seq = stored.delta, {'frame_seq': stored.delta.frame.seq}
    yield 'frames', {**stored.origin._asdict(), **to_plain(delta.frame)}
    for track in delta.tracks:
        yield 'tracks', {**seq, 'track_json': track.fold_json, **to_plain(track.state)}
    for name in _RECORDS:
        for record in getattr(delta, name):
            yield name, {**seq, **to_plain(record)}
    for object_id, camera_id in stored.thinned:
        yield 'thinned', {**seq, 'object_id': object_id, 'camera_id': camera_id}


def plain_of_rows(frame: dict[str, Any], rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Give a frame as JSON knows it (see ``frame_of``) from its rows, without their numbers."""
    return {
        'origin': [frame.pop('robot_id'), frame.pop('boot_id')],
        'delta': {
            'frame': frame,
            'tracks': [
                {'fold_json': row.pop('track_json'), 'state': row} for row in rows['tracks']
            ],
            **{name: rows[name] for name in _RECORDS},
        },
        'thinned': [[row['object_id'], row['camera_id']] for row in rows['thinned']],
    }

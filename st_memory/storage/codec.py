"""Records to row values and back; strings stay strings here (the caller numbers them)."""

from __future__ import annotations

from collections.abc import Mapping
import json
import struct
from typing import Any

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import LifeCycle, ObjectState, Visibility
from st_memory.core.records.detections import ALONG_AXES, Quaternion

__all__ = [
    'FIRST_STAMP',
    'LAST_STAMP',
    'SLOW_COLUMNS',
    'SLOW_TEXTS',
    'decode_pose',
    'decode_slow',
    'encode_pose',
    'make_state',
    'pack_position',
    'position_of',
    'slow_of',
    'wrap',
]

FIRST_STAMP = -(2**63)
LAST_STAMP = 2**63 - 1

# Columns of slow_state after its id, in the order of slow_of().
SLOW_COLUMNS = (
    'label', 'life_cycle', 'aliases', 'size_x', 'size_y', 'size_z', 'visibility', 'cause',
    'occluder', 'geometry', 'confirmed', 'first_seen_ns', 'last_placed_ns', 'placed_by',
    'visibility_since_ns', 'fixture', 'fixture_alternatives', 'container', 'in_motion',
    'num_moves', 'attitude', 'identity',
)  # fmt: skip
# Positions in it that hold interned strings.
SLOW_TEXTS = tuple(
    SLOW_COLUMNS.index(name)
    for name in ('label', 'cause', 'occluder', 'placed_by', 'fixture', 'container')
)

_ALONG_AXES_TEXT = str(ALONG_AXES)
_POSE = struct.Struct('<7d')
_POSITION = struct.Struct('<4d')


def wrap(value: int) -> int:
    """
    Bring a difference of two stamps into int64.

    The sum of a stamp and a wrapped difference, wrapped again, is the other stamp exactly, so
    differences of stamps at opposite ends of int64 lose nothing.
    """
    return ((value + 2**63) & (2**64 - 1)) - 2**63


def encode_pose(pose: RigidTransform) -> bytes:
    """Seven float64: translation, then quaternion xyzw."""
    return _POSE.pack(*pose.translation.tolist(), *pose.quat_xyzw.tolist())


def decode_pose(blob: bytes) -> RigidTransform:
    """Inverse of :func:`encode_pose`."""
    values = np.frombuffer(blob, dtype='<f8')
    return RigidTransform(values[:3], values[3:])


def position_of(state: ObjectState) -> tuple[float | None, float | None, float | None, float]:
    """Values of a ``position`` row."""
    if state.world_p is None:
        return (None, None, None, state.position_sigma_m)
    x, y, z = state.world_p
    return (x, y, z, state.position_sigma_m)


def pack_position(state: ObjectState) -> bytes:
    """Bytes that differ whenever a ``position`` row would (-0.0 is not 0.0)."""
    if state.world_p is None:
        return struct.pack('<d', state.position_sigma_m)
    return _POSITION.pack(*state.world_p, state.position_sigma_m)


def slow_of(state: ObjectState) -> tuple[Any, ...]:
    """Values of a ``slow_state`` row, in the order of ``SLOW_COLUMNS``."""
    s = state
    return (
        s.label, int(s.life_cycle), _pack_words(s.aliases), *s.size_m, int(s.visibility), s.cause,
        s.occluder_id, int(s.geometry), int(s.confirmed), s.first_seen_ns, s.last_placed_ns,
        s.placed_by, s.visibility_since_ns, s.fixture_id, _pack_words(s.fixture_alternatives),
        s.container_id, int(s.in_motion), s.num_moves,
        _pack_attitude(s.quat_xyzw),
        _pack_identity(s.identity_confidence, s.identity_alternatives),
    )  # fmt: skip


def decode_slow(row: tuple[Any, ...]) -> dict[str, Any]:
    """Turn a ``slow_state`` row, strings in place of their numbers, into fields of a state."""
    v = dict(zip(SLOW_COLUMNS, row, strict=True))
    return {
        'label': v['label'],
        'life_cycle': LifeCycle(v['life_cycle']),
        'aliases': _unpack_words(v['aliases']),
        'size_m': (v['size_x'], v['size_y'], v['size_z']),
        'visibility': Visibility(v['visibility']),
        'cause': v['cause'],
        'occluder_id': v['occluder'],
        'geometry': Visibility(v['geometry']),
        'confirmed': bool(v['confirmed']),
        'first_seen_ns': v['first_seen_ns'],
        'last_placed_ns': v['last_placed_ns'],
        'placed_by': v['placed_by'],
        'visibility_since_ns': v['visibility_since_ns'],
        'fixture_id': v['fixture'],
        'fixture_alternatives': _unpack_words(v['fixture_alternatives']),
        'container_id': v['container'],
        'in_motion': bool(v['in_motion']),
        'num_moves': v['num_moves'],
        'quat_xyzw': tuple(json.loads(v['attitude'])) if v['attitude'] else ALONG_AXES,
        **_unpack_identity(v['identity']),
    }


def make_state(
    object_id: str,
    epoch: int,
    slow: Mapping[str, Any],
    position: tuple[Any, ...],
    fast: tuple[Any, ...],
) -> ObjectState:
    """
    Put a state together again.

    Parameters
    ----------
    object_id, epoch
        Whose, and when.
    slow : mapping
        As :func:`decode_slow` gives it.
    position : tuple
        As :func:`position_of` gives it.
    fast : tuple
        ``stamp_ns``, ``since_seen_ns``, ``since_visible_ns``, ``num_observations``,
        ``existence`` (None for 1).

    """
    x, y, z, sigma = position
    stamp_ns, since_seen, since_visible, num_observations, existence = fast
    return ObjectState(
        object_id=object_id,
        epoch=epoch,
        world_p=None if x is None else (x, y, z),
        position_sigma_m=sigma,
        last_seen_ns=None if since_seen is None else wrap(stamp_ns - since_seen),
        last_visible_ns=None if since_visible is None else wrap(stamp_ns - since_visible),
        num_observations=num_observations,
        existence_probability=1.0 if existence is None else existence,
        **slow,
    )


def _pack_attitude(quat_xyzw: Quaternion) -> str:
    """Write a quaternion as JSON, every bit of it; '' along the axes, the usual case."""
    # Equal numbers may differ in their bits: -0.0 is kept.
    if quat_xyzw == ALONG_AXES and str(quat_xyzw) == _ALONG_AXES_TEXT:
        return ''
    return json.dumps(quat_xyzw)


def _pack_identity(confidence: float, alternatives: tuple[str, ...]) -> str:
    """Write how sure it is which thing it is as JSON; '' for no doubt, the usual case."""
    if confidence == 1.0 and not alternatives:
        return ''
    return json.dumps([confidence, *alternatives], ensure_ascii=False)


def _unpack_identity(text: str) -> dict[str, Any]:
    confidence, *alternatives = json.loads(text) if text else [1.0]
    return {
        'identity_confidence': confidence,
        'identity_alternatives': tuple(alternatives),
    }


def _pack_words(words: tuple[str, ...]) -> str:
    """Write a tuple of strings as JSON; '' for none, the usual case."""
    return json.dumps(words, ensure_ascii=False) if words else ''


def _unpack_words(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text)) if text else ()

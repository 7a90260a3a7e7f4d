"""
The ``here`` table: where the newest epoch's objects are, found by place.

In SQLite it is an R*Tree, whose coordinates are float32: its boxes only ever grow by that, and
what it finds is compared again in float64.
"""

from __future__ import annotations

import math

from st_memory.core.records import ObjectState
from st_memory.core.records.detections import Point
from st_memory.storage.sql import SqlConnection

__all__ = ['check_ball', 'is_found_at', 'is_within', 'objects_near', 'put_here']

# Boxes in the table are that much larger on all sides (twice, for what rounding takes), so that
# a place that only trembles is not written anew.
_MARGIN_M = 0.1
# Where float32 ends. Bringing places and balls inside alike parts none that touch.
_FARTHEST = 3.0e38
_NEAR = """
    SELECT object FROM here
    WHERE x1 >= ? AND x0 <= ? AND y1 >= ? AND y0 <= ? AND z1 >= ? AND z0 <= ?"""


def check_ball(world_p: Point, radius_m: float) -> None:
    """Refuse a ball that is none."""
    if not all(map(math.isfinite, (*world_p, radius_m))) or radius_m < 0.0:
        raise ValueError(f'ball: expected finite numbers, got {world_p} and {radius_m} m')


def is_within(state: ObjectState, world_p: Point, radius_m: float) -> bool:
    """Whether an object's place is in a ball."""
    return state.world_p is not None and math.dist(state.world_p, world_p) <= radius_m


def is_found_at(kept: Point, place: Point) -> bool:
    """Whether what is kept for one place lets another be found as well."""
    return all(abs(a - b) <= _MARGIN_M for a, b in zip(kept, place, strict=True))


def put_here(connection: SqlConnection, number: int, place: Point | None) -> None:
    """Keep where an object is now; None for nowhere that is known."""
    connection.execute('DELETE FROM here WHERE object = ?', (number,))
    if place is not None:
        sides = [_inside(side) for p in place for side in (p - 2 * _MARGIN_M, p + 2 * _MARGIN_M)]
        connection.execute('INSERT INTO here VALUES (?, ?, ?, ?, ?, ?, ?)', (number, *sides))


def objects_near(connection: SqlConnection, world_p: Point, radius_m: float) -> list[int]:
    """Numbers of the objects in the box around a ball, and perhaps of some beside it."""
    # math.dist rounds: a little more keeps what it calls the rim.
    reach = radius_m * (1.0 + 1e-12)
    sides = [_inside(side) for p in world_p for side in (p - reach, p + reach)]
    return [number for (number,) in connection.execute(_NEAR, sides)]


def _inside(value: float) -> float:
    return min(max(value, -_FARTHEST), _FARTHEST)

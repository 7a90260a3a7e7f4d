"""The map of the page: furniture, objects and cameras from above, as of a moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from st_memory.asking import MemoryFile
from st_memory.core.geometry.boxes import Box3D
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.references import cameras_that_looked
from st_memory.core.records import BASE_LOOK, CameraLook, Scene
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.view.asked import Asked
from st_memory.view.clock import PageClock
from st_memory.view.objects import row_fields

__all__ = ['map_page']

# What lies further back than this is no trail to read, nor are more points than these.
_TRAIL_NS = 60 * NS_PER_S
_TRAIL_POINTS = 120
_AHEAD = (0.0, 0.0, 1.0)


def map_page(memory: MemoryFile, asked: Asked) -> dict[str, Any]:
    """Give what lies where as of the moment; outlines are (x, y) in the fixed frame, metres."""
    reader = memory.reader
    at = asked.moment(reader)
    clock = PageClock(reader, at)
    answer = memory.objects(at)
    scene = reader.scene()
    return {
        'at': clock.fields(),
        'sentence': answer.sentence,
        'objects': [row_fields(s, clock) for s in answer.objects if s.world_p is not None],
        'without_place': [s.object_id for s in answer.objects if s.world_p is None],
        'fixtures': [
            {
                'id': f.fixture_id,
                'label': f.label,
                'outline': outline(Box3D(f.world_T_box, f.size_m).corners),
                'top': float(f.world_T_box.translation[2]) + f.size_m[2] / 2,
            }
            for f in scene.fixtures
        ],
        'walls': walls(scene),
        'cameras': [] if at is None else _cameras(reader, at),
    }


def outline(world_p: NDArray[np.float64]) -> list[list[float]]:
    """
    Give the outline of points from above, as seen along the vertical.

    Parameters
    ----------
    world_p : (N, 3) float
        Points in the fixed frame, metres.

    Returns
    -------
    list of [x, y]
        Corners of their convex hull in order; the points' extent where they lie on a line.

    """
    flat = world_p[:, :2]
    try:
        return [[float(x), float(y)] for x, y in flat[ConvexHull(flat).vertices]]
    except (QhullError, ValueError):  # on a line, or fewer than three
        if not len(flat):
            return []
        low, high = flat.min(axis=0), flat.max(axis=0)
        return [[float(x), float(y)] for x, y in (low, high)]


def walls(scene: Scene) -> list[list[list[float]]]:
    """Give the outlines of what belongs to no fixture and never moves."""
    loose = [p for p in scene.parts if not p.fixture_id and not p.frame_id]
    return [outline(p.vertices) for p in loose]


def _cameras(reader: MemoryReader, at: Moment) -> list[dict[str, Any]]:
    """Give every camera and the base that had a pose by then, with the way it came."""
    found = []
    for name in (*cameras_that_looked(reader, at), BASE_LOOK):
        look = reader.look_at(name, at)
        if look is None or look.world_T_camera is None:
            continue
        pose = look.world_T_camera
        ahead = pose.rotation @ np.array((1.0, 0.0, 0.0) if name == BASE_LOOK else _AHEAD)
        found.append(
            {
                'id': 'base' if name == BASE_LOOK else name,
                'is_base': name == BASE_LOOK,
                'place': pose.translation.tolist(),
                'heading': ahead[:2].tolist(),
                'age': (at.stamp_ns - look.stamp_ns) / NS_PER_S,
                'trail': _trail(reader, name, at),
            }
        )
    return found


def _trail(reader: MemoryReader, name: str, at: Moment) -> list[list[float]]:
    """Give where a camera was in the last minute, thinned out, the oldest first."""
    first = reader.first_moment(at.epoch)
    start_ns = at.stamp_ns - _TRAIL_NS
    if first is not None:
        start_ns = max(start_ns, first.stamp_ns)
    steps = np.linspace(0, at.stamp_ns - start_ns, _TRAIL_POINTS).astype(np.int64)
    looks: dict[int, CameraLook] = {}
    for step in dict.fromkeys(steps.tolist()):
        look = reader.look_at(name, Moment(at.epoch, start_ns + step))
        if look is not None and look.stamp_ns >= start_ns:
            looks[look.stamp_ns] = look
    return _places([looks[stamp] for stamp in sorted(looks)])


def _places(looks: Sequence[CameraLook]) -> list[list[float]]:
    poses = [look.world_T_camera for look in looks]
    return [pose.translation[:2].tolist() for pose in poses if pose is not None]

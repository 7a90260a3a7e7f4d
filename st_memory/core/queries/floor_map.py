"""Where one can walk: the scene seen from above, as a grid of free and blocked cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.queries.surfaces import box_triangles, scene_meshes, surface_samples
from st_memory.core.records import Fixture, Scene

__all__ = ['FloorMap', 'FloorMapSettings', 'floor_height', 'floor_map_of']

Array = NDArray[np.float64]

# Triangles this steep are no floor; this share of all level area, from below, is one.
_LEVEL_COSINE = 0.9
_FLOOR_SHARE = 0.05


@dataclass(frozen=True)
class FloorMapSettings:
    """
    How a floor map is made.

    Parameters
    ----------
    cell_m : float
        Edge of a cell; doubled until the map has at most ``max_cells``.
    radius_m : float
        Radius of who walks; obstacles grow by it.
    low_m, high_m : float
        What is lower above the floor is stepped over, what is higher is walked under.
    margin_m : float
        The map reaches this far beyond what the scene shows.
    max_cells : int
        Most cells.

    """

    cell_m: float = 0.05
    radius_m: float = 0.25
    low_m: float = 0.1
    high_m: float = 1.8
    margin_m: float = 1.0
    max_cells: int = 200_000


@dataclass(frozen=True, eq=False)
class FloorMap:
    """
    A grid of cells over the floor.

    Parameters
    ----------
    origin_m : (2,) float64
        Centre of cell (0, 0) in the fixed frame.
    cell_m : float
        Edge of a cell.
    floor_z : float
        Height of the floor in the fixed frame, metres.
    free : (X, Y) bool
        Cells in which the middle of who walks may be; the first index goes along x.

    """

    origin_m: Array
    cell_m: float
    floor_z: float
    free: NDArray[np.bool_]

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """Give the cell of a place; the nearest one of the map for a place outside."""
        i, j = np.rint((np.array([x, y]) - self.origin_m) / self.cell_m).astype(int)
        high_i, high_j = self.free.shape
        return min(max(int(i), 0), high_i - 1), min(max(int(j), 0), high_j - 1)

    def place_of(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Give the middle of a cell in the fixed frame, metres."""
        x, y = (self.origin_m + self.cell_m * np.array(cell)).tolist()
        return x, y


def floor_map_of(
    scene: Scene,
    places: Sequence[Sequence[float]] = (),
    settings: FloorMapSettings | None = None,
) -> FloorMap | None:
    """
    Make the floor map of a scene, its movable parts at rest.

    Parts of unknown rest pose are left out; a fixture without any other part counts as its box.

    Parameters
    ----------
    scene : Scene
        Meshes and fixtures.
    places : sequence of (2,) or (3,) float
        The map reaches these too.
    settings : FloorMapSettings, optional
        None for the defaults.

    Returns
    -------
    FloorMap or None
        None for a scene that shows nothing.

    """
    chosen = settings or FloorMapSettings()
    seen = _seen_of(scene)
    if seen is None:
        return None
    reached = np.array([p[:2] for p in places], dtype=np.float64).reshape(-1, 2)
    low = np.vstack([seen.low_m, reached]).min(axis=0) - chosen.margin_m
    high = np.vstack([seen.high_m, reached]).max(axis=0) + chosen.margin_m
    # Whole metres: ways in the same room share one map.
    (west, south), (east, north) = np.floor(low).tolist(), np.ceil(high).tolist()
    return _map_of(scene, (west, south), (east, north), chosen)


class _Seen(NamedTuple):
    """What a scene shows: triangles (T, 3, 3), boxes without any, and the extent of both."""

    corners: Array
    boxes: tuple[Fixture, ...]
    floor_z: float
    low_m: Array
    high_m: Array


@lru_cache(maxsize=2)
def _seen_of(scene: Scene) -> _Seen | None:
    meshes = list(scene_meshes(scene))
    named = {name for name, _ in meshes}
    boxes = tuple(f for f in scene.fixtures if f.fixture_id not in named)
    triangles = [t for _, t in meshes] + [box_triangles(f) for f in boxes]
    if not triangles:
        return None
    corners = np.concatenate(triangles)
    flat = corners[..., :2].reshape(-1, 2)
    return _Seen(corners, boxes, floor_height(corners), flat.min(axis=0), flat.max(axis=0))


@lru_cache(maxsize=4)
def _map_of(
    scene: Scene,
    low_m: tuple[float, float],
    high_m: tuple[float, float],
    settings: FloorMapSettings,
) -> FloorMap | None:
    """Make the map between two corners; a scene never changes, so it is made once."""
    from scipy import ndimage  # a fifth of a second that only ways are worth

    seen = _seen_of(scene)
    if seen is None:
        return None
    low, high = np.array(low_m), np.array(high_m)
    cell_m = settings.cell_m
    while np.prod(np.ceil((high - low) / cell_m) + 1) > settings.max_cells:
        cell_m *= 2
    shape = tuple((np.ceil((high - low) / cell_m) + 1).astype(int).tolist())
    blocked = np.zeros(shape, dtype=np.bool_)
    band = (seen.floor_z + settings.low_m, seen.floor_z + settings.high_m)
    heights = seen.corners[..., 2]
    in_band = (heights.max(axis=1) > band[0]) & (heights.min(axis=1) < band[1])
    for points in surface_samples(seen.corners[in_band], cell_m / 2):
        inside = points[(points[:, 2] > band[0]) & (points[:, 2] < band[1])]
        i, j = np.rint((inside[:, :2] - low) / cell_m).astype(int).T
        blocked[i, j] = True
    for fixture in seen.boxes:
        _fill(blocked, fixture, low, cell_m, band)
    clear_m = ndimage.distance_transform_edt(~blocked, sampling=cell_m)
    free = clear_m > settings.radius_m if blocked.any() else ~blocked
    return FloorMap(low, cell_m, seen.floor_z, free)


def floor_height(corners: Array) -> float:
    """
    Give the height of the floor: the lowest level area that is not a mere speck.

    Parameters
    ----------
    corners : (T, 3, 3) float64
        Triangles in the fixed frame, metres.

    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1) / 2
    level = np.abs(normals[:, 2]) > _LEVEL_COSINE * 2 * np.maximum(area, 1e-12)
    if not level.any():
        return float(corners[..., 2].min())
    heights, areas = corners[level, :, 2].mean(axis=1), area[level]
    order = np.argsort(heights, kind='stable')
    share = np.cumsum(areas[order]) / areas.sum()
    return float(heights[order][int(np.searchsorted(share, _FLOOR_SHARE))])


def _fill(
    blocked: NDArray[np.bool_],
    fixture: Fixture,
    low: Array,
    cell_m: float,
    band: tuple[float, float],
) -> None:
    """Block the cells whose middle lies in a box, which may be turned about the vertical."""
    half = np.array(fixture.size_m) / 2
    middle_z = float(fixture.world_T_box.translation[2])
    reach_z = float(np.abs(fixture.world_T_box.rotation[2]) @ half)
    if middle_z + reach_z <= band[0] or middle_z - reach_z >= band[1]:
        return
    z = min(max(middle_z, band[0]), band[1])
    i, j = np.meshgrid(*(np.arange(n) for n in blocked.shape), indexing='ij')
    places = np.column_stack(
        (low[0] + cell_m * i.ravel(), low[1] + cell_m * j.ravel(), np.full(i.size, z))
    )
    local = np.abs(fixture.world_T_box.inverse().apply(places))
    blocked |= (local <= half + 1e-9).all(axis=1).reshape(blocked.shape)

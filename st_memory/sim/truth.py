"""What is really visible: pixels with everything in the way, and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from st_memory.core.geometry import PinholeCamera
from st_memory.core.records.detections import BoxPx
from st_memory.sim.outlines import apart, outline
from st_memory.sim.posing import Snapshot
from st_memory.sim.renderer import NOTHING, Renderer
from st_memory.sim.stage import GONE, Stage

__all__ = ['FrameTruth', 'ObjectTruth', 'TruthMeter']


@dataclass(frozen=True)
class ObjectTruth:
    """
    One object in one image.

    Parameters
    ----------
    object_id, label : str
        Who.
    visible_px : int
        Pixels it has in the image with everything in the way.
    unoccluded_px : int
        Pixels it would have if it were alone in the world.
    box_in_image : bool
        It has unoccluded pixels and none of them is on the image border: all of it is inside.
    box_px : (4,) float, optional
        Box of its visible pixels: x, y of the corner, width, height; pixel centres are at
        whole coordinates, so a box that covers column 0 starts at -0.5.
    occluder : str
        Owner of most of the pixels that hide it: an object, a part, or a person.
    is_present : bool
        Not yet taken away for good.
    in_hand : bool
        Carried.
    container, fixture : str
        Fixture it is inside, and fixture it is on or inside; '' while carried.
    openness : float
        How far its container is open, 0 to 1; 1 without a door or a container.
    position : (3,) float
        Centre in the map, metres.
    quat_xyzw : (4,) float
        Orientation in the map.

    """

    object_id: str
    label: str
    visible_px: int
    unoccluded_px: int
    box_in_image: bool
    box_px: BoxPx | None
    occluder: str
    is_present: bool
    in_hand: bool
    container: str
    fixture: str
    openness: float
    position: tuple[float, ...]
    quat_xyzw: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class FrameTruth:
    """
    One image.

    Parameters
    ----------
    depth_m : (H, W) float32
        Exact depth along the optical axis, metres; NaN where nothing is.
    objects : tuple of ObjectTruth
        Every object, by id.
    boxes : dict of str to (4,) float
        Box of the visible pixels of every owner that has some: objects, parts, people.

    """

    depth_m: NDArray[np.float32]
    objects: tuple[ObjectTruth, ...]
    boxes: dict[str, BoxPx]


class TruthMeter:
    """
    Measures images.

    Parameters
    ----------
    renderer : Renderer
        Posed before each call of :meth:`measure`.
    owners : sequence of str
        Names by owner index.
    camera : PinholeCamera
        Of the rendered image.

    """

    def __init__(self, renderer: Renderer, owners: Sequence[str], camera: PinholeCamera) -> None:
        self._renderer, self._owners, self._camera = renderer, tuple(owners), camera
        self._index = {name: i for i, name in enumerate(self._owners)}

    def measure(self, stage: Stage, snapshot: Snapshot) -> FrameTruth:
        """Render and count; the snapshot must be what the renderer was posed with."""
        depth_m, owners = self._renderer.depth_and_owners()
        visible = np.bincount(owners.ravel() + 1, minlength=len(self._owners) + 1)[1:]
        slices = _slices(owners, len(self._owners))
        solo = self._solo(stage, snapshot, owners)
        objects = tuple(
            self._object(stage, snapshot, name, visible, slices, solo)
            for name in sorted(stage.things)
        )
        boxes = {
            name: _box(place)
            for name, place in zip(self._owners, slices, strict=True)
            if place is not None
        }
        return FrameTruth(depth_m, objects, boxes)

    def _object(
        self,
        stage: Stage,
        snapshot: Snapshot,
        name: str,
        visible: NDArray[np.int64],
        slices: list[tuple[slice, slice] | None],
        solo: dict[str, tuple[int, bool, str]],
    ) -> ObjectTruth:
        thing, i = stage.things[name], self._index[name]
        unit, pose = stage.fixture_of(thing), snapshot.map_T_thing[name]
        unoccluded, inside, occluder = solo.get(name, (0, False, ''))
        place = slices[i]
        is_inside = unit is not None and unit.is_container
        return ObjectTruth(
            object_id=name,
            label=thing.spec.label,
            visible_px=int(visible[i]),
            unoccluded_px=unoccluded,
            box_in_image=inside,
            box_px=None if place is None else _box(place),
            occluder=occluder,
            is_present=thing.frame != GONE,
            in_hand=stage.hand(thing.frame) is not None,
            container=unit.fixture_id if unit is not None and is_inside else '',
            fixture=unit.fixture_id if unit is not None else '',
            openness=stage.openness(unit) if unit is not None and is_inside else 1.0,
            position=tuple(float(v) for v in pose.translation),
            quat_xyzw=tuple(float(v) for v in pose.quat_xyzw),
        )

    def _solo(
        self, stage: Stage, snapshot: Snapshot, owners: NDArray[np.int32]
    ) -> dict[str, tuple[int, bool, str]]:
        """
        Count unoccluded pixels of everything that may be in the image.

        Things whose outlines cannot touch in the image share one pass: each has there exactly
        the pixels that it would have alone.

        Returns
        -------
        dict
            By object id: pixels, wholly inside the image, main occluder.

        """
        out: dict[str, tuple[int, bool, str]] = {}
        outlines = {
            name: box
            for name, thing in sorted(stage.things.items())
            if (box := outline(self._camera, thing, snapshot)) is not None
        }
        for group in apart(outlines):
            alone = self._renderer.solo([self._index[n] for n in group])
            slices = _slices(alone, len(self._owners))
            for name in group:
                place = slices[self._index[name]]
                if place is not None:
                    out[name] = self._alone(self._index[name], place, alone, owners)
        return out

    def _alone(
        self,
        index: int,
        place: tuple[slice, slice],
        alone: NDArray[np.int32],
        owners: NDArray[np.int32],
    ) -> tuple[int, bool, str]:
        mask = alone[place] == index
        height, width = alone.shape
        rows, columns = place
        inside = (
            rows.start > 0 and columns.start > 0 and rows.stop < height and columns.stop < width
        )
        hiding = owners[place][mask]
        hiding = hiding[(hiding != index) & (hiding != NOTHING)]
        occluder = self._owners[int(np.bincount(hiding).argmax())] if hiding.size else ''
        return int(mask.sum()), inside, occluder


def _slices(owners: NDArray[np.int32], count: int) -> list[tuple[slice, slice] | None]:
    """Smallest rows and columns that hold each owner's pixels."""
    found: list[tuple[slice, slice] | None] = ndimage.find_objects(owners + 1, max_label=count)
    return found


def _box(place: tuple[slice, slice]) -> BoxPx:
    """Box around whole pixels; a pixel reaches half a unit to each side of its centre."""
    rows, columns = place
    return (
        columns.start - 0.5,
        rows.start - 0.5,
        float(columns.stop - columns.start),
        float(rows.stop - rows.start),
    )

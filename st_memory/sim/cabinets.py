"""Containers with a door or a tray that moves: cupboards, sliding cupboards, drawers, fridge."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.sim.furniture import Anchor, Joint, Part, Slot, Unit
from st_memory.sim.shapes import box, Primitive, Rgb

__all__ = ['Cabinet', 'drawer', 'hinged_cabinet', 'sliding_cabinet']

_BOARD = 0.018
_GAP = 0.002
_HANDLE: Rgb = (0.25, 0.25, 0.28)
_HINGE_LIMIT = 1.75
_DRAWER_LIMIT = 0.42


@dataclass(frozen=True)
class Cabinet:
    """
    What all cabinets have in common.

    Parameters
    ----------
    fixture_id, label : str
        Name and type.
    anchor : Anchor
        Where it stands.
    width, depth : float
        Metres.
    bottom, top : float
        Height of its lower and upper face, metres.
    body_rgb, front_rgb : (3,) float
        Colours.

    """

    fixture_id: str
    label: str
    anchor: Anchor
    width: float
    depth: float
    bottom: float
    top: float
    body_rgb: Rgb
    front_rgb: Rgb

    def carcass(self, shelves: tuple[float, ...] = ()) -> tuple[Primitive, ...]:
        """Four sides, a back and shelves at the given heights; open to the front."""
        w, d, t, rgb = self.width / 2, self.depth, _BOARD, self.body_rgb
        lo, hi = self.bottom, self.top
        boards = [
            box((-w, 0.0, lo), (w, d, lo + t), rgb),
            box((-w, 0.0, hi - t), (w, d, hi), rgb),
            box((-w, 0.0, lo + t), (-w + t, d, hi - t), rgb),
            box((w - t, 0.0, lo + t), (w, d, hi - t), rgb),
            box((-w + t, d - t, lo + t), (w - t, d, hi - t), rgb),
        ]
        boards += [box((-w + t, 0.03, z - t), (w - t, d - t, z), rgb) for z in shelves]
        return tuple(boards)

    def unit(
        self, parts: tuple[Part, ...], slots: tuple[Slot, ...], stand_x: float, reach: float
    ) -> Unit:
        """Put parts and slots together."""
        middle = (self.bottom + self.top) / 2
        return Unit(
            fixture_id=self.fixture_id,
            label=self.label,
            is_container=True,
            box_centre=self.anchor.point(0.0, self.depth / 2, middle),
            box_size=(self.width, self.depth, self.top - self.bottom),
            yaw=self.anchor.yaw,
            parts=parts,
            slots=slots,
            stand=self.anchor.stand(stand_x, reach),
        )

    def static_part(self, boxes: tuple[Primitive, ...]) -> Part:
        """Make the part that never moves."""
        origin = self.anchor.point(0.0, 0.0, 0.0)
        return Part(f'{self.fixture_id}/carcass', self.fixture_id, origin, self.anchor.yaw, boxes)

    def slots_at(
        self,
        floors: tuple[tuple[float, float], ...],
        x: tuple[float, ...],
        y: tuple[float, ...],
        radius: float,
    ) -> tuple[Slot, ...]:
        """Slots on floors given as (height of the floor, free height above it)."""
        return tuple(
            Slot(self.fixture_id, '', self.anchor.point(px, py, z + 0.001), radius, free)
            for z, free in floors
            for py in y
            for px in x
        )


def hinged_cabinet(cabinet: Cabinet, hinge: str, shelves: tuple[float, ...] = ()) -> Unit:
    """
    Build a cupboard or fridge with one hinged door.

    Parameters
    ----------
    cabinet : Cabinet
        Name, place and size.
    hinge : str
        ``left`` or ``right``, for someone who faces it.
    shelves : tuple of float
        Heights of shelves between floor and top, metres.

    """
    side = -1.0 if hinge == 'left' else 1.0
    w, height = cabinet.width, cabinet.top - cabinet.bottom
    far = -side * (w - 2 * _GAP)
    low, high = sorted((0.0, far))
    grip = far + side * 0.05
    door_boxes = (
        box((low, -0.02, 0.0), (high, -_GAP, height), cabinet.front_rgb),
        box(
            (grip - 0.008, -0.05, height / 2 - 0.07),
            (grip + 0.008, -0.02, height / 2 + 0.07),
            _HANDLE,
        ),
    )
    name = f'{cabinet.fixture_id}/door'
    door = Part(
        name,
        cabinet.fixture_id,
        cabinet.anchor.point(side * (w / 2 - _GAP), 0.0, cabinet.bottom),
        cabinet.anchor.yaw,
        door_boxes,
        Joint(
            f'{cabinet.fixture_id}_hinge',
            'hinge',
            (0.0, 0.0, side),
            _HINGE_LIMIT,
            (grip, -0.05, height / 2),
        ),
    )
    levels = (cabinet.bottom + _BOARD, *shelves)
    ceilings = (*(s - _BOARD for s in shelves), cabinet.top - _BOARD)
    floors = tuple((z, c - z) for z, c in zip(levels, ceilings, strict=True))
    x = (-w / 4 + 0.005, w / 4 - 0.005)
    y = (0.15, 0.15 + 0.24) if cabinet.depth > 0.5 else (0.15,)
    slots = cabinet.slots_at(floors, x, y, 0.118)
    parts = (cabinet.static_part(cabinet.carcass(shelves)), door)
    return cabinet.unit(parts, slots, -side * 0.12, 0.80)


def sliding_cabinet(cabinet: Cabinet) -> Unit:
    """
    Build a cupboard with a fixed left front and a right front that slides over it.

    Parameters
    ----------
    cabinet : Cabinet
        Name, place and size; a metre wide or so.

    """
    w, height = cabinet.width / 2, cabinet.top - cabinet.bottom
    fixed = box((-w, -0.015, cabinet.bottom), (0.0, -_GAP, cabinet.top), cabinet.front_rgb)
    panel = (
        box((-w + 0.01, -0.035, 0.0), (0.015, -0.018, height), cabinet.front_rgb),
        box(
            (-w + 0.03, -0.05, height / 2 - 0.06), (-w + 0.045, -0.035, height / 2 + 0.06), _HANDLE
        ),
    )
    door = Part(
        f'{cabinet.fixture_id}/door',
        cabinet.fixture_id,
        cabinet.anchor.point(w - 0.015, 0.0, cabinet.bottom),
        cabinet.anchor.yaw,
        panel,
        Joint(
            f'{cabinet.fixture_id}_slide',
            'slide',
            (-1.0, 0.0, 0.0),
            w - 0.03,
            (-w + 0.04, -0.05, height / 2),
        ),
    )
    floor = cabinet.bottom + _BOARD
    x = (w / 2 - 0.11, w / 2 + 0.11)
    slots = cabinet.slots_at(((floor, cabinet.top - _BOARD - floor),), x, (0.15, 0.39), 0.108)
    parts = (cabinet.static_part((*cabinet.carcass(), fixed)), door)
    return cabinet.unit(parts, slots, w / 2, 0.75)


def drawer(cabinet: Cabinet) -> Unit:
    """
    Build one drawer in its own compartment.

    Parameters
    ----------
    cabinet : Cabinet
        Name, place and size of the compartment.

    """
    w, d, height = cabinet.width / 2 - 0.025, cabinet.depth - 0.06, cabinet.top - cabinet.bottom
    t, wall, rgb = 0.012, height * 0.55, cabinet.body_rgb
    tray_boxes = (
        box((-w, 0.0, 0.02), (w, d, 0.02 + t), rgb),
        box((-w, 0.0, 0.02), (-w + t, d, wall), rgb),
        box((w - t, 0.0, 0.02), (w, d, wall), rgb),
        box((-w + t, d - t, 0.02), (w - t, d, wall), rgb),
        box((-w - 0.02, -0.02, 0.004), (w + 0.02, -_GAP, height - 0.004), cabinet.front_rgb),
        box((-0.07, -0.05, height * 0.7), (0.07, -0.02, height * 0.7 + 0.015), _HANDLE),
    )
    name = f'{cabinet.fixture_id}/tray'
    tray = Part(
        name,
        cabinet.fixture_id,
        cabinet.anchor.point(0.0, 0.0, cabinet.bottom),
        cabinet.anchor.yaw,
        tray_boxes,
        Joint(
            f'{cabinet.fixture_id}_slide',
            'slide',
            (0.0, -1.0, 0.0),
            _DRAWER_LIMIT,
            (0.0, -0.05, height * 0.7),
        ),
    )
    free = height - 0.02 - t - _BOARD
    slots = tuple(
        Slot(cabinet.fixture_id, name, (x, y, 0.02 + t + 0.001), 0.115, free)
        for y in (0.14,)
        for x in (-w / 2, w / 2)
    )
    parts = (cabinet.static_part(cabinet.carcass()), tray)
    return cabinet.unit(parts, slots, 0.0, 0.85)

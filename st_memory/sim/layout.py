"""Where everything stands: a seeded kitchen along three walls and a table."""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from st_memory.sim.cabinets import Cabinet, drawer, hinged_cabinet, sliding_cabinet
from st_memory.sim.catalog import choose_objects, ObjectSpec
from st_memory.sim.furniture import Anchor, Part, Slot, Stand, Unit
from st_memory.sim.room import room
from st_memory.sim.shapes import Rgb
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.surfaces import bin_unit, counter, shelf, table, WORKTOP_TOP

__all__ = ['Layout', 'make_layout']

_DEPTH = 0.60
_BASE_TOP = WORKTOP_TOP - 0.042
_PALETTE: tuple[Rgb, ...] = ((0.80, 0.78, 0.72), (0.55, 0.65, 0.62), (0.72, 0.60, 0.48))


@dataclass(frozen=True)
class Layout:
    """
    A kitchen before anything happens in it.

    Parameters
    ----------
    room : tuple of Part
        Floor, ceiling, walls.
    units : tuple of Unit
        Fixtures, by id.
    objects : tuple of ObjectSpec
        Graspable things, by id.
    walkable : (4,) float
        Smallest x, y and largest x, y of the free floor, metres.
    door_inside, door_outside : Stand
        The two ends of the way out.

    """

    room: tuple[Part, ...]
    units: tuple[Unit, ...]
    objects: tuple[ObjectSpec, ...]
    walkable: tuple[float, float, float, float]
    door_inside: Stand
    door_outside: Stand

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts: the room's, then each unit's."""
        return (*self.room, *(p for u in self.units for p in u.parts))

    @property
    def moving_parts(self) -> tuple[Part, ...]:
        """Parts with a joint."""
        return tuple(p for p in self.parts if p.joint is not None)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """All places for things; the index is the slot's number everywhere."""
        return tuple(s for u in self.units for s in u.slots)

    def unit(self, fixture_id: str) -> Unit:
        """Give the unit with this id."""
        return next(u for u in self.units if u.fixture_id == fixture_id)


def make_layout(spec: KitchenSpec, rng: np.random.Generator) -> Layout:
    """
    Arrange a kitchen.

    Parameters
    ----------
    spec : KitchenSpec
        Number of things and pairs.
    rng : numpy.random.Generator
        The layout stream.

    """
    width, depth = float(rng.uniform(4.6, 5.0)), float(rng.uniform(3.9, 4.3))
    body = _PALETTE[int(rng.integers(len(_PALETTE)))]
    front: Rgb = (min(1.0, body[0] + 0.12), min(1.0, body[1] + 0.12), min(1.0, body[2] + 0.12))
    colours = (body, front)
    units = [
        *_north_run(width, depth, colours, rng),
        *_east_run(width, depth, colours, rng),
        shelf('shelf_1', Anchor(-width / 2 + 0.30, depth / 2 - 0.75, math.pi / 2), 0.95),
        table(
            'table_1', Anchor(float(rng.uniform(0.3, 0.7)), -depth / 2 + 0.80, math.pi), 1.3, 0.80
        ),
        bin_unit('bin_1', Anchor(-width / 2 + 0.8, -depth / 2 + 0.32, math.pi)),
    ]
    door_y = (-0.85, 0.10)
    middle = sum(door_y) / 2
    return Layout(
        room=room(width, depth, door_y, (0.83, 0.80, 0.74)),
        units=tuple(sorted(units, key=lambda u: u.fixture_id)),
        objects=choose_objects(spec.num_objects, spec.num_pairs, rng),
        walkable=(
            -width / 2 + 0.35,
            -depth / 2 + 1.10,
            width / 2 - _DEPTH - 0.35,
            depth / 2 - _DEPTH - 0.35,
        ),
        door_inside=Stand(-width / 2 + 0.6, middle, math.pi),
        # Round the corner, so that nothing out there is seen from the kitchen.
        door_outside=Stand(-width / 2 - 0.75, middle + 1.3, math.pi / 2),
    )


def _north_run(
    width: float, depth: float, colours: tuple[Rgb, Rgb], rng: np.random.Generator
) -> list[Unit]:
    """Build base units with a worktop along the north wall and two cupboards above."""
    modules = [('hinged', 0.6), ('drawers', 0.6), ('sliding', 1.0), ('hinged', 0.6)]
    modules = [modules[i] for i in rng.permutation(len(modules))]
    total = sum(w for _, w in modules)
    start, y = width / 2 - _DEPTH - 0.05 - total, depth / 2 - _DEPTH
    units = [counter('counter_1', Anchor(start + total / 2, y, 0.0), total, (0.35, 0.33, 0.32))]
    x, names = start, iter(('cupboard_1', 'cupboard_2'))
    for kind, w in modules:
        anchor = Anchor(x + w / 2, y, 0.0)
        if kind == 'drawers':
            units += _drawers(('drawer_1', 'drawer_2'), anchor, w, colours)
        elif kind == 'sliding':
            units.append(
                sliding_cabinet(
                    Cabinet('cupboard_3', 'cupboard', anchor, w, _DEPTH, 0.08, _BASE_TOP, *colours)
                )
            )
        else:
            units.append(_hinged(next(names), anchor, w, (0.08, _BASE_TOP), colours, rng))
        x += w
    gap = float(rng.uniform(0.1, 0.7))
    for i, name in enumerate(('cupboard_5', 'cupboard_6')):
        anchor = Anchor(start + 0.4 + gap + i * (0.75 + gap / 2), depth / 2 - 0.35, 0.0)
        units.append(_hinged(name, anchor, 0.72, (1.40, 2.0), colours, rng))
    return units


def _east_run(
    width: float, depth: float, colours: tuple[Rgb, Rgb], rng: np.random.Generator
) -> list[Unit]:
    """Build a drawer and a cupboard under a worktop, and the fridge, along the east wall."""
    x, top = width / 2 - _DEPTH, depth / 2 - _DEPTH - 0.03
    fridge_first = bool(rng.integers(2))
    y = top - 0.68 if fridge_first else top
    fridge_y = top - 0.34 if fridge_first else top - 1.2 - 0.36
    order = [0.3, 0.9] if rng.integers(2) else [0.9, 0.3]
    east = -math.pi / 2
    fridge = Cabinet(
        'fridge_1',
        'fridge',
        Anchor(x, fridge_y, east),
        0.66,
        _DEPTH,
        0.10,
        1.75,
        (0.88, 0.88, 0.90),
        (0.93, 0.93, 0.95),
    )
    hinge = ('left', 'right')[int(rng.integers(2))]
    return [
        counter('counter_2', Anchor(x, y - 0.6, east), 1.2, (0.35, 0.33, 0.32)),
        *_drawers(('drawer_3', 'drawer_4'), Anchor(x, y - order[0], east), 0.6, colours),
        _hinged('cupboard_4', Anchor(x, y - order[1], east), 0.6, (0.08, _BASE_TOP), colours, rng),
        hinged_cabinet(fridge, hinge, (0.55, 0.95, 1.32)),
    ]


def _drawers(
    names: tuple[str, str], anchor: Anchor, width: float, colours: tuple[Rgb, Rgb]
) -> list[Unit]:
    """Two drawers above each other, the first on top."""
    middle = 0.50
    return [
        drawer(Cabinet(name, 'drawer', anchor, width, _DEPTH, low, high, *colours))
        for name, low, high in ((names[0], middle, _BASE_TOP), (names[1], 0.08, middle))
    ]


def _hinged(
    name: str,
    anchor: Anchor,
    width: float,
    heights: tuple[float, float],
    colours: tuple[Rgb, Rgb],
    rng: np.random.Generator,
) -> Unit:
    """Build a cupboard with a shelf half way and a hinge on a random side."""
    low, high = heights
    depth = 0.35 if low > 1.0 else _DEPTH
    cabinet = Cabinet(name, 'cupboard', anchor, width, depth, low, high, *colours)
    shelves = ((low + high) / 2,) if low > 1.0 else ()
    return hinged_cabinet(cabinet, ('left', 'right')[int(rng.integers(2))], shelves)

"""The state of a kitchen while it is acted in: joints, things, places, people, events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from st_memory.sim.catalog import ObjectSpec
from st_memory.sim.furniture import Part, Slot, Unit
from st_memory.sim.happenings import EventLog, Happening
from st_memory.sim.layout import Layout
from st_memory.sim.people import Hand, Person
from st_memory.sim.shapes import rotate_xy, Vec3

__all__ = ['GONE', 'Stage', 'Thing']

GONE = 'gone'
_INITIALLY_CONTAINED = 0.5


@dataclass
class Thing:
    """
    One graspable object on the stage.

    Parameters
    ----------
    spec : ObjectSpec
        What it is.
    frame : str
        What carries it: '' the map, a part, a hand, or :data:`GONE`.
    position : (3,) float
        Centre in that frame, metres.
    yaw : float
        In that frame, radians.
    slot : int, optional
        Slot it stands in.
    is_reserved : bool
        Somebody has plans with it.
    movement : Happening, optional
        The movement that is going on.

    """

    spec: ObjectSpec
    frame: str
    position: Vec3
    yaw: float
    slot: int | None = None
    is_reserved: bool = False
    movement: Happening | None = None


class Stage:
    """
    Everything that changes.

    Parameters
    ----------
    layout : Layout
        What does not change.
    rng : numpy.random.Generator
        The script stream; used here for the first places of things.

    """

    def __init__(self, layout: Layout, rng: np.random.Generator) -> None:
        self.layout = layout
        self.slots = layout.slots
        self.units = {u.fixture_id: u for u in layout.units}
        self.parts = {p.name: p for p in layout.moving_parts}
        self.joints = dict.fromkeys(self.parts, 0.0)
        self.busy_fixtures: set[str] = set()
        self.reserved_slots: set[int] = set()
        # Doors have moved too little so far: leave none of them open.
        self.doors_lag = True
        self.wearer = Person('wearer', -0.6, 0.0, 0.8)
        self.partner = Person('partner', 0.9, -0.5, 2.0)
        self.log = EventLog()
        self.things: dict[str, Thing] = {}
        self._fill(rng)

    def _fill(self, rng: np.random.Generator) -> None:
        """Put every object somewhere: a fixed share into containers, the rest in the open."""
        specs = [self.layout.objects[i] for i in rng.permutation(len(self.layout.objects))]
        inside = round(_INITIALLY_CONTAINED * len(specs))
        # Wide things first: they fit in fewer places.
        order = sorted(range(len(specs)), key=lambda i: -specs[i].radius)
        for i in order:
            index = self.free_slot(specs[i], rng, contained=i < inside)
            if index < 0:
                raise ValueError(f'layout: expected a free place for {specs[i].object_id}')
            slot = self.slots[index]
            position = self.rest_position(specs[i], slot)
            yaw = float(rng.uniform(-np.pi, np.pi))
            name = specs[i].object_id
            self.things[name] = Thing(specs[i], slot.frame, position, yaw, slot=index)

    def free_slot(
        self,
        spec: ObjectSpec,
        rng: np.random.Generator,
        *,
        contained: bool,
        fixture_id: str | None = None,
        avoid: tuple[str, ...] = ('bin_1',),
    ) -> int:
        """
        Choose a free place that an object fits in.

        Fixtures are drawn first, then places, so that a long worktop does not get everything.

        Returns
        -------
        int
            Index of the slot, or -1 when there is none.

        """
        taken = {t.slot for t in self.things.values()} | self.reserved_slots
        free: dict[str, list[int]] = {}
        for i, slot in enumerate(self.slots):
            unit = self.units[slot.fixture_id]
            fits = slot.radius >= spec.radius and slot.height >= 2 * spec.half_size[2]
            wanted = unit.is_container == contained and slot.fixture_id not in avoid
            if fixture_id is not None:
                wanted = slot.fixture_id == fixture_id
            if fits and wanted and i not in taken and slot.fixture_id not in self.busy_fixtures:
                free.setdefault(slot.fixture_id, []).append(i)
        if not free:
            return -1
        names = sorted(free)
        places = free[names[int(rng.integers(len(names)))]]
        return places[int(rng.integers(len(places)))]

    @staticmethod
    def rest_position(spec: ObjectSpec, slot: Slot) -> Vec3:
        """Centre of an object that stands in a slot, in the slot's frame."""
        x, y, z = slot.position
        return x, y, z + spec.half_size[2]

    def hand(self, frame: str) -> tuple[Person, Hand] | None:
        """Give the hand with this frame and its owner."""
        for person in (self.wearer, self.partner):
            for hand in (person.left, person.right):
                if hand.frame == frame:
                    return person, hand
        return None

    def part_pose(self, part: Part) -> tuple[Vec3, float]:
        """Position and yaw of a movable part in the map now."""
        joint, q = part.joint, self.joints.get(part.name, 0.0)
        if joint is None:
            return part.position, part.yaw
        if joint.kind == 'hinge':
            return part.position, part.yaw + joint.axis[2] * q
        return self._compose(part.position, part.yaw, _scale(joint.axis, q)), part.yaw

    def frame_pose(self, frame: str) -> tuple[Vec3, float]:
        """Position and yaw of whatever carries things."""
        if frame in self.parts:
            return self.part_pose(self.parts[frame])
        found = self.hand(frame)
        if found is not None:
            return found[1].position, found[0].yaw
        return (0.0, 0.0, 0.0), 0.0

    def thing_pose(self, thing: Thing) -> tuple[Vec3, float]:
        """Centre and yaw of a thing in the map."""
        position, yaw = self.frame_pose(thing.frame)
        return self._compose(position, yaw, thing.position), yaw + thing.yaw

    def slot_point(self, spec: ObjectSpec, index: int) -> Vec3:
        """Centre in the map that an object would have in a slot now."""
        slot = self.slots[index]
        position, yaw = self.frame_pose(slot.frame)
        return self._compose(position, yaw, self.rest_position(spec, slot))

    def handle_point(self, part: Part) -> Vec3:
        """Handle of a movable part in the map now."""
        position, yaw = self.part_pose(part)
        handle = part.joint.handle if part.joint is not None else (0.0, 0.0, 0.0)
        return self._compose(position, yaw, handle)

    def attach(self, thing: Thing, frame: str) -> None:
        """Let another frame carry a thing; it does not move by that."""
        world, world_yaw = self.thing_pose(thing)
        position, yaw = self.frame_pose(frame)
        dx, dy = rotate_xy(world[0] - position[0], world[1] - position[1], -yaw)
        thing.frame, thing.position = frame, (dx, dy, world[2] - position[2])
        thing.yaw = world_yaw - yaw

    def fixture_of(self, thing: Thing) -> Unit | None:
        """Fixture a thing stands on or in; None while it is carried or gone."""
        return None if thing.slot is None else self.units[self.slots[thing.slot].fixture_id]

    def openness(self, unit: Unit) -> float:
        """How far a container is open, 0 to 1; 1 for what has no door."""
        door = unit.door
        if door is None or door.joint is None:
            return 1.0
        return self.joints[door.name] / door.joint.limit

    @staticmethod
    def _compose(position: Vec3, yaw: float, local: Vec3) -> Vec3:
        dx, dy = rotate_xy(local[0], local[1], yaw)
        return position[0] + dx, position[1] + dy, position[2] + local[2]


def _scale(v: Vec3, factor: float) -> Vec3:
    return v[0] * factor, v[1] * factor, v[2] * factor

"""What is in a hand, and what only seems so: in a tray, on a wall, under its container's floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.places import Places
from st_memory.core.memory.track import Track
from st_memory.core.ports import RayHits
from st_memory.core.records import Detection, Fixture, FrameDelta, ObjectState, Scene
from test.core.memory.told import at, box_part, fixture, frame, Slabs, stamp, told, turned
from test.scenarios.synthetic import states_of

Place = Sequence[float]

# A deep drawer: cups that stand in it reach its rim, and nothing else than the floor is below.
DEEP = box_part('drawer/tray', 'drawer', 'tray', (-0.2, -0.2, -0.5), (0.2, 0.2, 0.1))
SCENE = Scene(
    parts=(DEEP,), fixtures=(fixture('drawer', (2.5, -0.7, -0.2), (0.5, 0.5, 0.7), holds=True),)
)
PULLED_OUT, SHUT = at(2.0, -0.7), at(2.5, -0.7)
FLOOR = ('floor', -1.0, (-9.0, 9.0), (-9.0, 9.0))
TABLE = ('table', -0.08, (1.5, 2.5), (0.3, 1.2))
ON_TABLE = (2.0, 0.7, 0.0)


class Walled(Slabs):
    """Level surfaces, and a wall across the view at an x, over a span of y."""

    def __init__(
        self, x: float, span: tuple[float, float], *slabs: tuple[str, float, tuple, tuple]
    ) -> None:
        super().__init__(*slabs)
        self._x, self._span = x, span
        self.part_names = (*self.part_names, 'wall')
        self.part_fixtures = (*self.part_fixtures, '')

    def first_hits(
        self, origin: np.ndarray, targets: np.ndarray, tolerance_m: np.ndarray
    ) -> RayHits:
        hits = super().first_hits(origin, targets, tolerance_m)
        distance, part = hits.distance_m.copy(), hits.part.copy()
        for row, gap in enumerate(targets - origin):
            length = float(np.sqrt(gap @ gap))
            share = (self._x - origin[0]) / gap[0] if gap[0] else np.inf
            if not 0 < share * length < min(distance[row], length - tolerance_m[row]):
                continue
            if self._span[0] <= origin[1] + share * gap[1] <= self._span[1]:
                distance[row], part[row] = share * length, len(self.part_names) - 1
        return RayHits(distance, part)


class Story:
    """Looks at 5 Hz into one room."""

    def __init__(
        self,
        room: Slabs,
        scene: Scene | None = None,
        parts: dict[str, RigidTransform] | None = None,
    ) -> None:
        self.memory = ObjectMemory(MemorySettings(), scene or Scene(), room)
        self.deltas: list[FrameDelta] = []
        self._parts = parts or {}

    def look(self, times: int, *found: Detection) -> None:
        for _ in range(times):
            one = frame(stamp(len(self.deltas)), found, parts=self._parts)
            self.deltas.append(self.memory.integrate(one))

    @property
    def states(self) -> dict[str, ObjectState]:
        return states_of(self.deltas)


# In a tray.


@pytest.mark.parametrize(
    ('place', 'tray', 'is_held'),
    [
        ((2.0, -0.7, 0.0), PULLED_OUT, False),
        ((2.0, -0.7, 0.09), PULLED_OUT, False),  # just under its rim, which is at 0.1 m
        ((2.0, -0.7, 0.11), PULLED_OUT, True),
        ((1.79, -0.7, 0.0), PULLED_OUT, True),  # before its front, which is at 1.8 m
        ((2.0, -0.7, 0.0), SHUT, True),  # where it was when it was open
    ],
)
def test_what_is_within_an_open_tray_hangs_not(
    place: Place, tray: RigidTransform, is_held: bool
) -> None:
    places = Places(SCENE, 0.15, Slabs(FLOOR))
    places.carriers.world_T_part = {'tray': tray}

    assert places.hangs(np.array(place), 0.06) is is_held


def test_tray_turns_with_its_frame() -> None:
    places = Places(SCENE, 0.15, Slabs(FLOOR))
    corner = np.array([2.0 + 0.26, -0.7, 0.0])
    about_z = turned((0, 0, 1), np.pi / 4).quat_xyzw

    places.carriers.world_T_part = {'tray': PULLED_OUT}
    assert places.hangs(corner, 0.06)
    places.carriers.world_T_part = {'tray': at(2.0, -0.7, quat=about_z.tolist())}
    assert not places.hangs(corner, 0.06)


def test_tray_of_unknown_frame_and_thin_door_hold_nothing() -> None:
    door = box_part('door', 'drawer', 'door', (-0.02, -0.2, -0.5), (0.02, 0.2, 0.1))
    places = Places(Scene(parts=(DEEP, door)), 0.15, Slabs(FLOOR))

    places.carriers.world_T_part = {'door': PULLED_OUT}

    assert places.hangs(np.array((2.0, -0.7, 0.0)), 0.06)


def test_top_of_a_cup_in_an_open_drawer_is_no_other_cup_in_a_hand() -> None:
    story = Story(Slabs(FLOOR, TABLE), SCENE, {'tray': PULLED_OUT})
    story.look(10, told(ON_TABLE))
    # The one on the table is missed for a moment.
    story.look(3, told((2.0, -0.7, 0.05), size=(0.08, 0.08, 0.06)))

    cup = story.states['cup_1']
    assert (cup.in_motion, cup.num_observations) == (False, 10)

    story.look(12, told(ON_TABLE), told((2.0, -0.7, 0.05), size=(0.08, 0.08, 0.06)))
    states = story.states
    assert sorted(states) == ['cup_1', 'cup_2']
    assert [(s.num_moves, s.in_motion) for s in states.values()] == [(0, False)] * 2
    assert states['cup_2'].container_id == 'drawer'


def test_cup_over_an_open_drawer_is_in_a_hand() -> None:
    story = Story(Slabs(FLOOR, TABLE), SCENE, {'tray': PULLED_OUT})
    story.look(10, told(ON_TABLE))
    story.look(3, told((2.0, -0.7, 0.25), size=(0.08, 0.08, 0.06)))

    assert story.states['cup_1'].in_motion


# On a wall.


@pytest.mark.parametrize(
    ('x', 'is_behind'), [(2.01, True), (1.99, False), (2.5, True), (1.0, False)]
)
def test_middle_behind_a_surface_is_of_a_picture(x: float, is_behind: bool) -> None:
    places = Places(Scene(), 0.15, Walled(2.0, (-1.0, 1.0), FLOOR))
    camera_p, place = np.zeros(3), np.array((x, 0.2 * x, 0.1))
    range_m = float(np.linalg.norm(place - camera_p))

    assert places.is_behind(place, range_m, place / range_m) is is_behind


def test_beside_a_wall_and_without_meshes_nothing_is_behind() -> None:
    place = np.array((2.5, 0.0, 0.0))
    beside = Places(Scene(), 0.15, Walled(2.0, (0.1, 1.0), FLOOR))
    blind = Places(Scene(), 0.15)

    assert not beside.is_behind(place, 2.5, place / 2.5)
    assert not blind.is_behind(place, 2.5, place / 2.5)


@pytest.mark.parametrize(('x', 'is_carried'), [(2.1, False), (1.9, True)])
def test_only_what_is_before_a_wall_drags_what_rests(x: float, is_carried: bool) -> None:
    story = Story(Walled(2.0, (-1.2, -0.2), FLOOR, TABLE))
    story.look(10, told(ON_TABLE))
    story.look(3, told((x, -0.5, 0.4)))

    cup = story.states['cup_1']
    assert cup.in_motion is is_carried
    if not is_carried:
        assert cup.num_observations == 10
        np.testing.assert_allclose(cup.world_p, ON_TABLE, atol=0.01)


# In, under and on its container.

FRIDGE = fixture('fridge', (2.0, 0.0, 1.0), (0.6, 0.6, 0.8), holds=True)  # z from 0.6 to 1.4
COUNTER = fixture('counter', (2.0, 0.0, 0.45), (0.6, 0.6, 0.1))  # z up to 0.5


def container_of(place: Place, *fixtures: Fixture, caster: Slabs | None = None) -> tuple[str, str]:
    track = Track('cup_1', label_votes={'cup': 1.0}, size=[0.1, 0.1, 0.1])
    track.reset_estimate(np.array(place))
    Places(Scene(fixtures=fixtures), 0.15, caster).attribute(track)
    return track.fixture_id, track.container_id


@pytest.mark.parametrize(
    ('place', 'expected'),
    [
        ((2.0, 0.0, 0.61), ('fridge', 'fridge')),
        ((2.0, 0.0, 0.51), ('fridge', 'fridge')),  # 9 cm under its floor
        ((2.0, 0.0, 0.49), ('fridge', '')),  # 11 cm under it
        ((2.0, 0.0, 1.45), ('fridge', '')),  # on it
        ((2.35, 0.0, 1.0), ('fridge', '')),  # beside it
        ((2.35, 0.0, 0.55), ('fridge', '')),  # beside and below
    ],
)
def test_measured_a_little_under_the_floor_is_in_it(
    place: Place, expected: tuple[str, str]
) -> None:
    assert container_of(place, FRIDGE) == expected


def test_on_the_counter_under_a_cupboard_is_not_in_the_cupboard() -> None:
    room = Slabs(('counter', 0.5, (1.7, 2.3), (-0.3, 0.3)))
    room.part_fixtures = ('counter',)

    assert container_of((2.0, 0.0, 0.55), FRIDGE, COUNTER, caster=room) == ('counter', '')


def test_under_the_floor_of_what_contains_nothing_is_in_nothing() -> None:
    shelf = fixture('shelf', (2.0, 0.0, 1.0), (0.6, 0.6, 0.8))

    assert container_of((2.0, 0.0, 0.55), shelf) == ('shelf', '')

"""What lies in drawers of which nothing is known: whose it is, and that it is not gone."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import Box3D
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.places import Places
from st_memory.core.memory.track import Track
from st_memory.core.records import (
    Fixture,
    LifeCycle,
    Scene,
    SensedFrame,
    Visibility,
    WorldDetection,
)
from test.core.memory.told import (
    at,
    box_part,
    checkpoint_of,
    fixture,
    flat,
    frame,
    KITCHEN,
    run,
    Slabs,
    stamp,
    text_of,
    told,
    track_of,
    turned,
)
from test.scenarios.synthetic import events_of, states_of

# Shut, each fills its cabinet; the drawers come out towards -x by at most their depth of 0.42 m.
UPPER = fixture('upper', (2.5, 0.0, 0.3), (0.42, 0.42, 0.12), holds=True)
LOWER = fixture('lower', (2.5, 0.0, 0.0), (0.42, 0.42, 0.12), holds=True)
TABLE = fixture('table', (2.0, 0.0, -0.1), (0.6, 0.6, 0.1))
TABLE_TOP = ('table', -0.05, (1.7, 2.3), (-0.3, 0.3))
NO_GROUND = Slabs()


def room_of(*fixtures: Fixture) -> Scene:
    """A scene in which every container has a tray, whose frame nobody knows."""
    trays = tuple(
        box_part(
            f'{f.fixture_id}/tray',
            f.fixture_id,
            f.fixture_id,
            (-0.2, -0.2, -0.05),
            (0.2, 0.2, 0.05),
        )
        for f in fixtures
        if f.is_container
    )
    return Scene(parts=trays, fixtures=fixtures)


ROOM = room_of(UPPER, LOWER, TABLE)


def box_of(name: str, scene: Scene) -> Box3D:
    found = next(f for f in scene.fixtures if f.fixture_id == name)
    return Box3D(found.world_T_box, found.size_m)


def attributed(
    place: tuple[float, float, float],
    unsure: tuple[str, ...] = ('upper', 'lower'),
    caster: Slabs | None = NO_GROUND,
    scene: Scene = ROOM,
) -> Track:
    track = Track('cup_1', label_votes={'cup': 1.0}, size=[0.1, 0.1, 0.1])
    track.reset_estimate(np.array(place))
    places = Places(scene, 0.15, caster)
    places.unsure = {name: box_of(name, scene) for name in unsure}
    places.attribute(track)
    return track


# Whose tray it is in.


def test_thing_on_nothing_beside_a_drawer_of_unknown_state_is_in_that_drawer() -> None:
    track = attributed((2.0, 0.0, 0.0))

    assert (track.fixture_id, track.container_id, track.fixture_alternatives) == (
        'lower',
        'lower',
        [],
    )


def test_thing_on_a_table_beside_it_is_on_the_table() -> None:
    track = attributed((2.0, 0.0, 0.0), caster=Slabs(TABLE_TOP))

    assert (track.fixture_id, track.container_id) == ('table', '')


def test_without_meshes_nothing_can_be_said_of_support() -> None:
    assert attributed((2.0, 0.0, 0.0), caster=None).fixture_id == 'table'


def test_drawer_whose_joint_is_known_is_where_it_is() -> None:
    assert attributed((2.0, 0.0, 0.0), unsure=()).fixture_id == 'table'
    # The other drawer is out of the question: 0.3 m higher.
    assert attributed((2.0, 0.0, 0.0), unsure=('upper',)).fixture_id == 'table'


@pytest.mark.parametrize(
    ('z', 'name'),
    [
        (0.149, 'lower'),  # halfway between the two, each of them 0.06 m half its height
        (0.151, 'upper'),
        (-0.159, 'lower'),  # 0.06 m and 0.1 m of play
        (-0.161, 'table'),
        (0.459, 'upper'),
        (0.461, ''),
    ],
)
def test_drawer_stays_at_its_height(z: float, name: str) -> None:
    assert attributed((2.0, 0.0, z)).fixture_id == name


@pytest.mark.parametrize(
    ('x', 'name'),
    [
        (1.871, 'lower'),  # 2.5 m - 0.21 m - 0.42 m = 1.87 m is as far as it comes out
        (1.869, ''),
        (3.129, 'lower'),  # nothing says which side its front is
        (3.131, ''),
    ],
)
def test_drawer_comes_out_by_no_more_than_its_depth(x: float, name: str) -> None:
    scene = room_of(LOWER)

    assert attributed((x, 0.0, 0.0), unsure=('lower',), scene=scene).fixture_id == name


def test_thing_right_above_a_cabinet_is_not_in_a_tray_of_it() -> None:
    # Inside the outline of the box as seen from above: it lies on the cabinet, not before it.
    track = attributed((2.5, 0.0, 0.15), unsure=('lower',), scene=room_of(LOWER))

    assert (track.fixture_id, track.container_id) == ('lower', '')


@pytest.mark.parametrize(('y', 'name'), [(-0.06, 'right'), (0.06, 'left')])
def test_nearer_of_two_drawers_has_it(y: float, name: str) -> None:
    left = fixture('left', (2.5, 0.25, 0.0), (0.42, 0.42, 0.12), holds=True)
    right = fixture('right', (2.5, -0.25, 0.0), (0.42, 0.42, 0.12), holds=True)
    scene = room_of(left, right)

    assert attributed((2.0, y, 0.0), unsure=('left', 'right'), scene=scene).fixture_id == name


def test_turned_kitchen_has_the_same_trays() -> None:
    room = at(3.0, -1.0, 0.5) @ turned((0, 0, 1), 0.7)
    turned_box = fixture(
        'lower', (2.5, 0.0, 0.0), (0.42, 0.42, 0.12), holds=True, world_T_room=room
    )
    scene = room_of(turned_box)

    names = []
    for x in (1.871, 1.869):
        place = tuple(room.apply(np.array([x, 0.0, 0.0])))
        names.append(attributed(place, unsure=('lower',), scene=scene).fixture_id)

    assert names == ['lower', '']


def test_what_a_movable_part_carries_is_in_its_fixture_wherever_that_is() -> None:
    track = Track('cup_1', label_votes={'cup': 1.0}, size=[0.1, 0.1, 0.1])
    track.reset_estimate(np.array((2.0, 0.0, 0.0)))
    places = Places(KITCHEN, 0.15)
    places.attribute(track)
    by_box = (track.fixture_id, track.container_id)

    places.carriers.attach(track, {'tray': at(2.0)})
    places.attribute(track)

    assert by_box == ('table', '')
    assert (track.fixture_id, track.container_id, track.fixture_alternatives) == (
        'drawer',
        'drawer',
        [],
    )


def test_part_of_something_that_is_no_container_holds_but_does_not_contain() -> None:
    lid = Scene(
        parts=KITCHEN.parts, fixtures=(fixture('drawer', (2.5, 0, 0), (0.42, 0.42, 0.12)),)
    )
    track = Track('cup_1', label_votes={'cup': 1.0}, carrier='tray')
    track.mean = [2.0, 0.0, 0.0]

    Places(lid, 0.15).attribute(track)

    assert (track.fixture_id, track.container_id) == ('drawer', '')


# What the fold makes of it.

CUP = (2.0, 0.0, 0.0)


def fold(caster: Slabs | None, *fixtures) -> ObjectMemory:
    return ObjectMemory(MemorySettings(), room_of(*fixtures), caster)


def test_thing_in_a_drawer_that_shuts_unknown_to_all_is_left_to_the_detector() -> None:
    memory = fold(NO_GROUND, LOWER)
    run([frame(stamp(i), [told(CUP)], depth=2.0) for i in range(6)], memory)

    # The front is where it is when shut, 0.21 m behind the cup; the cup is seen nowhere.
    deltas = run([frame(stamp(6 + i), [], depth=2.29) for i in range(60)], memory)

    state = states_of(deltas)['cup_1']
    assert state.visibility is Visibility.AMBIGUOUS_FIXTURE
    assert (state.cause, state.occluder_id) == ('occluded_by:lower', 'lower')
    assert state.life_cycle is LifeCycle.CONFIRMED
    assert events_of(deltas) == []


def test_thing_taken_from_a_counter_is_gone() -> None:
    counter = fixture('counter', (2.0, 0.0, -0.1), (0.6, 0.6, 0.1))
    memory = fold(Slabs(('counter', -0.08, (1.7, 2.3), (-0.3, 0.3))), counter, LOWER)
    run([frame(stamp(i), [told(CUP)], depth=2.0) for i in range(6)], memory)

    deltas = run([frame(stamp(6 + i), [], depth=2.29) for i in range(10)], memory)

    assert states_of(deltas)['cup_1'].life_cycle is LifeCycle.ABSENT
    assert states_of(deltas)['cup_1'].fixture_id == 'counter'
    assert events_of(deltas) == ['absent']


@pytest.mark.parametrize(
    ('front', 'state', 'occluder'),
    [
        # In the box of the shut drawer, which begins at 2.29 m, or up to 6 cm before it.
        (2.31, Visibility.AMBIGUOUS_FIXTURE, 'lower'),
        (2.24, Visibility.AMBIGUOUS_FIXTURE, 'lower'),
        (2.22, Visibility.OCCLUDED, 'depth'),
        (1.0, Visibility.OCCLUDED, 'depth'),  # somebody stands before it
    ],
)
def test_only_what_is_at_its_fixture_makes_it_ambiguous(
    front: float, state: Visibility, occluder: str
) -> None:
    memory = fold(NO_GROUND, LOWER)
    inside = (2.5, 0.0, 0.0)
    run([frame(stamp(i), [told(inside)], depth=2.5) for i in range(6)], memory)

    after = states_of(run([frame(stamp(6 + i), [], depth=front) for i in range(8)], memory))

    assert (after['cup_1'].visibility, after['cup_1'].occluder_id) == (state, occluder)


def test_thing_that_was_inside_the_box_and_is_seen_through_is_gone() -> None:
    # The open cupboard shows its back wall where the cup stood.
    memory = fold(NO_GROUND, LOWER)
    run([frame(stamp(i), [told((2.5, 0.0, 0.0))], depth=2.5) for i in range(6)], memory)

    deltas = run([frame(stamp(6 + i), [], depth=2.71) for i in range(10)], memory)

    assert states_of(deltas)['cup_1'].life_cycle is LifeCycle.ABSENT


def test_thing_found_again_in_its_open_drawer_is_visible_at_once() -> None:
    memory = fold(NO_GROUND, LOWER)
    run([frame(stamp(i), [told(CUP)], depth=2.0) for i in range(6)], memory)
    run([frame(stamp(6 + i), [], depth=2.29) for i in range(20)], memory)

    deltas = run([frame(stamp(26), [told(CUP)], depth=2.0)], memory)

    state = states_of(deltas)['cup_1']
    assert (state.visibility, state.num_moves) == (Visibility.VISIBLE, 0)
    assert track_of(memory).absent_looks == 0


def test_half_the_image_without_depth_says_nothing_of_what_is_behind_it() -> None:
    memory = fold(NO_GROUND, LOWER)
    run([frame(stamp(i), [told(CUP)], depth=2.0) for i in range(6)], memory)

    holes = flat(2.29)
    holes[:] = np.nan
    deltas = run([frame(stamp(6 + i), [], depth=holes) for i in range(20)], memory)

    state = states_of(deltas)['cup_1']
    assert state.life_cycle is LifeCycle.CONFIRMED
    assert state.visibility is not Visibility.AMBIGUOUS_FIXTURE


def test_restart_before_a_position_from_outside_changes_nothing() -> None:
    look = frame(stamp(0), None, depth=5.0)
    seen = WorldDetection('cup', 1.0, CUP, 'm1', (0.16, 0.16, 0.16))
    placed = SensedFrame(stamp(1), world_detections=(seen,))
    memory = fold(NO_GROUND, LOWER)
    first = run([look], memory)
    whole = run([placed], memory)

    start = checkpoint_of(first)
    resumed = ObjectMemory(MemorySettings(), room_of(LOWER), NO_GROUND, start)

    assert [text_of(d) for d in run([placed], resumed)] == [text_of(d) for d in whole]

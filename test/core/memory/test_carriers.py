"""What lies in a movable part goes where the part goes, and nothing else does."""

from __future__ import annotations

from dataclasses import asdict
import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.carriers import Carriers
from st_memory.core.memory.track import Track
from st_memory.core.records import Scene
from test.core.geometry.strategies import transforms
from test.core.memory.told import at, box_part, Slabs, turned

# 0.4 x 0.4 x 0.1 m around the origin of its frame.
TRAY = box_part('drawer/tray', 'drawer', 'tray', (-0.2, -0.2, -0.05), (0.2, 0.2, 0.05))
HERE = {'tray': at(2.0, 0.0, 1.0)}


def cup(*place: float, height: float = 0.1, quat: tuple = (0.0, 0.0, 0.0, 1.0)) -> Track:
    track = Track('cup_1', label_votes={'cup': 1.0}, size=[0.08, 0.08, height], quat=[*quat])
    track.reset_estimate(np.array(place))
    track.last_fix = [float(v) for v in place]
    return track


def carriers(*parts) -> Carriers:
    return Carriers(Scene(parts=parts or (TRAY,)))


# Who is carried.


@pytest.mark.parametrize(
    ('place', 'carrier'),
    [
        ((2.0, 0.0, 1.0), 'tray'),  # in the middle
        ((2.199, 0.199, 1.049), 'tray'),  # just inside its corner
        ((2.201, 0.0, 1.0), ''),  # a millimetre beside it
        ((2.0, 0.0, 0.949), ''),  # below it
        # On its highest point, 1.05: by 3 cm and half of its own height of 10 cm.
        ((2.0, 0.0, 1.129), 'tray'),
        ((2.0, 0.0, 1.131), ''),
        ((2.21, 0.0, 1.129), ''),  # as high, but beside it
    ],
)
def test_thing_is_carried_when_in_the_part_or_standing_on_it(place: tuple, carrier: str) -> None:
    track = cup(*place)

    carriers().attach(track, HERE)

    assert track.carrier == carrier
    assert track.carrier_pose == ([2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] if carrier else [])


def test_tall_thing_reaches_higher_above_the_part_than_a_flat_one() -> None:
    tall, flat = cup(2.0, 0.0, 1.2, height=0.3), cup(2.0, 0.0, 1.2, height=0.02)

    for track in (tall, flat):
        carriers().attach(track, HERE)

    # 1.05 + 0.03 + 0.15 = 1.23 and 1.05 + 0.03 + 0.01 = 1.09
    assert (tall.carrier, flat.carrier) == ('tray', '')


def test_up_is_up_in_a_part_that_lies_on_its_side() -> None:
    # A quarter turn about x: the part's own y axis points up, its z axis to -y.
    world_T_lid = RigidTransform(
        np.array([2.0, 0.0, 1.0]), turned((1, 0, 0), math.pi / 2).quat_xyzw
    )
    # Its box reaches 0.2 m up and 0.05 m to either side.
    above, beside = cup(2.0, 0.0, 1.27), cup(2.0, 0.12, 1.0)

    for track in (above, beside):
        carriers().attach(track, {'tray': world_T_lid})

    assert (above.carrier, beside.carrier) == ('tray', '')


def test_smallest_of_the_parts_that_hold_it_wins() -> None:
    basket = box_part('basket', 'basket', 'a_basket', (-0.1, -0.1, -0.05), (0.1, 0.1, 0.05))
    rack = box_part('rack', 'rack', 'z_rack', (-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
    poses = {name: at(2.0, 0.0, 1.0) for name in ('tray', 'a_basket', 'z_rack')}
    inner, middle, outer = cup(2.0, 0.0, 1.0), cup(2.15, 0.0, 1.0), cup(2.4, 0.0, 1.0)

    for track in (inner, middle, outer):
        carriers(rack, TRAY, basket).attach(track, poses)

    assert [t.carrier for t in (inner, middle, outer)] == ['a_basket', 'tray', 'z_rack']


def test_parts_of_one_frame_carry_as_one() -> None:
    front = box_part('drawer/front', 'drawer', 'tray', (-0.22, -0.2, -0.1), (-0.2, 0.2, 0.1))
    track = cup(2.0, 0.0, 1.09, height=0.0)

    carriers(TRAY, front).attach(track, HERE)

    # The tray ends at 1.05; together with its front the box reaches 1.1.
    assert track.carrier == 'tray'


# The worktop 2 cm above the highest point of the tray, and the tray's own bottom.
WORKTOP = ('worktop', 1.07, (1.0, 3.0), (-1.0, 1.0))
BOTTOM = ('drawer/tray', 1.04, (1.8, 2.2), (-0.2, 0.2))


@pytest.mark.parametrize(
    ('slabs', 'carrier'),
    [
        ((WORKTOP, BOTTOM), ''),  # it stands on the worktop, however near the drawer is
        ((BOTTOM,), 'tray'),
        ((), 'tray'),  # nothing under it is known: it may have been measured too high
    ],
)
def test_thing_on_the_worktop_over_a_drawer_is_not_in_the_drawer(
    slabs: tuple, carrier: str
) -> None:
    track = cup(2.0, 0.0, 1.12)  # its underside at 1.07

    Carriers(Scene(parts=(TRAY,)), Slabs(*slabs)).attach(track, HERE)

    assert track.carrier == carrier


def test_thing_in_a_tray_is_in_it_whatever_its_neighbours_are() -> None:
    # A plate between its centre and the bottom of the tray does not matter inside the tray.
    track = cup(2.0, 0.0, 1.0)
    plate = ('plate', 0.98, (1.0, 3.0), (-1.0, 1.0))

    Carriers(Scene(parts=(TRAY,)), Slabs(plate)).attach(track, HERE)

    assert track.carrier == 'tray'


def test_walls_carry_nothing() -> None:
    wall = box_part('wall', '', '', (-9, -9, -9), (9, 9, 9))
    track = cup(0.0, 0.0, 0.0)

    carriers(wall).attach(track, {'': at(0.0)})

    assert track.carrier == ''


def test_thing_without_a_place_is_carried_by_nothing() -> None:
    track = Track('cup_1', label_votes={'cup': 1.0})

    carriers().attach(track, HERE)

    assert track.carrier == ''


def test_carried_thing_at_the_edge_does_not_jump_out_for_a_little_noise() -> None:
    track = cup(2.19, 0.0, 1.0)
    fold = carriers()
    fold.attach(track, HERE)

    track.mean = [2.239, 0.0, 1.0]
    fold.attach(track, HERE)
    held = track.carrier
    track.mean = [2.241, 0.0, 1.0]  # beyond 0.2 m + 0.04 m
    fold.attach(track, HERE)

    assert (held, track.carrier, track.carrier_pose) == ('tray', '', [])


def test_thing_in_a_hand_is_where_it_was_seen_last_not_where_it_lay() -> None:
    track = cup(2.0, 0.0, 1.0)
    track.in_motion, track.last_fix = True, [1.0, 0.0, 1.0]

    carriers().attach(track, HERE)

    assert track.carrier == ''


def test_part_names_its_fixture() -> None:
    fold = carriers()

    assert (fold.fixture_of('tray'), fold.fixture_of('lid'), fold.fixture_of('')) == (
        'drawer',
        '',
        '',
    )


# What goes along.


def riding() -> Track:
    track = cup(2.1, 0.0, 1.0)
    track.trail = [(5, [2.12, 0.1, 1.0])]
    carriers().attach(track, HERE)
    return track


def test_sliding_tray_takes_place_fix_and_trail_along() -> None:
    track = riding()

    moved = carriers().ride(track, {'tray': at(2.5, -0.1, 1.0)})

    assert moved
    np.testing.assert_allclose(track.mean, (2.6, -0.1, 1.0), atol=1e-12)
    np.testing.assert_allclose(track.last_fix, (2.6, -0.1, 1.0), atol=1e-12)
    np.testing.assert_allclose(track.trail[0][1], (2.62, 0.0, 1.0), atol=1e-12)
    assert track.trail[0][0] == 5
    assert track.quat == [0.0, 0.0, 0.0, 1.0]  # to the last digit: it has not turned
    assert track.num_moves == 0


def test_turning_lid_turns_the_thing_about_its_hinge() -> None:
    track = riding()

    # The frame of the lid is 0.1 m to the left of the cup; a quarter turn to the left about it.
    carriers().ride(track, {'tray': at(2.0, 0.0, 1.0) @ turned((0, 0, 1), math.pi / 2)})

    np.testing.assert_allclose(track.mean, (2.0, 0.1, 1.0), atol=1e-12)
    np.testing.assert_allclose(track.trail[0][1], (1.9, 0.12, 1.0), atol=1e-12)
    np.testing.assert_allclose(track.quat, (0, 0, math.sqrt(0.5), math.sqrt(0.5)), atol=1e-12)


def test_there_and_back_again_is_where_it_was() -> None:
    track = riding()
    before = asdict(track)

    for pose in (at(2.4, 0.3, 1.1) @ turned((0.6, 0.0, 0.8), 1.0), HERE['tray']):
        carriers().ride(track, {'tray': pose})

    for name in ('mean', 'last_fix', 'quat', 'carrier_pose'):
        np.testing.assert_allclose(getattr(track, name), before[name], atol=1e-12)


def test_thing_in_a_hand_over_a_part_leaves_the_place_it_was_taken_from() -> None:
    track = riding()
    track.in_motion, track.mean = True, [1.0, 0.0, 1.0]

    carriers().ride(track, {'tray': at(2.5, 0.0, 1.0)})

    assert track.mean == [1.0, 0.0, 1.0]
    np.testing.assert_allclose(track.last_fix, (2.6, 0.0, 1.0), atol=1e-12)


def test_place_in_the_part_goes_along_even_while_the_thing_seems_to_move() -> None:
    track = riding()
    track.in_motion = True

    carriers().ride(track, {'tray': at(2.5, 0.0, 1.0)})

    np.testing.assert_allclose(track.mean, (2.6, 0.0, 1.0), atol=1e-12)


def test_part_that_the_scene_does_not_have_any_more_carries_nothing() -> None:
    track = riding()

    assert not Carriers(Scene()).ride(track, {'tray': at(2.5, 0.0, 1.0)})
    assert track.mean == [2.1, 0.0, 1.0]
    Carriers(Scene()).attach(track, {'tray': at(2.5, 0.0, 1.0)})
    assert track.carrier == ''


def test_what_is_in_no_part_stays() -> None:
    track = cup(2.0, 0.0, 3.0)

    assert not carriers().ride(track, {'tray': at(9.0)})
    assert track.mean == [2.0, 0.0, 3.0]


# Noise.


@pytest.mark.parametrize(
    ('pose', 'moves'),
    [
        (at(2.0009, 0.0, 1.0), False),
        (at(2.0011, 0.0, 1.0), True),
        (at(2.0, 0.0, 1.0) @ turned((0, 0, 1), 0.0019), False),
        (at(2.0, 0.0, 1.0) @ turned((0, 0, 1), 0.0021), True),
    ],
)
def test_frame_that_trembles_moves_nothing(pose: RigidTransform, moves: bool) -> None:
    track = riding()
    before = asdict(track)

    assert carriers().ride(track, {'tray': pose}) is moves
    assert (asdict(track) != before) is moves


def test_trembling_frame_does_not_creep() -> None:
    rng = np.random.default_rng(5)
    track, fold = riding(), carriers()

    for _ in range(500):
        noise = np.clip(rng.normal(0.0, 4e-4, size=3), -9e-4, 9e-4) / math.sqrt(3)
        fold.ride(track, {'tray': at(*(np.array([2.0, 0.0, 1.0]) + noise))})

    assert track.mean == [2.1, 0.0, 1.0]


def test_many_tiny_steps_are_a_long_way() -> None:
    track, fold = riding(), carriers()

    for i in range(1, 1001):
        fold.ride(track, {'tray': at(2.0 + 4e-4 * i, 0.0, 1.0)})

    assert track.mean[0] == pytest.approx(2.5, abs=1e-3)


def test_many_tiny_turns_about_the_frame_are_a_large_one() -> None:
    track, fold = riding(), carriers()

    for i in range(1, 1001):
        fold.ride(track, {'tray': at(2.0, 0.0, 1.0) @ turned((0, 0, 1), 1e-3 * i)})

    # The cup is 0.1 m from the axis.
    expected = (2.0 + 0.1 * math.cos(1.0), 0.1 * math.sin(1.0), 1.0)
    np.testing.assert_allclose(track.mean, expected, atol=1e-3)
    np.testing.assert_allclose(track.quat, turned((0, 0, 1), 1.0).quat_xyzw, atol=2e-3)


def test_many_tiny_turns_about_a_far_hinge_are_a_large_one() -> None:
    # 1.9 mrad a step is less than noise, but the frame itself, 1 m off the hinge, shifts 1.9 mm.
    track, fold = riding(), carriers()
    hinge = at(2.0, -1.0, 1.0)

    for i in range(1, 501):
        pose = hinge @ turned((0, 0, 1), 1.9e-3 * i) @ at(0.0, 1.0, 0.0)
        fold.ride(track, {'tray': pose})

    whole = hinge @ turned((0, 0, 1), 0.95)
    np.testing.assert_allclose(track.mean, whole.apply(np.array([0.1, 1.0, 0.0])), atol=2e-3)
    np.testing.assert_allclose(track.quat, whole.quat_xyzw, atol=2e-3)


def test_thing_looked_at_all_the_while_creeps_along_with_its_tray() -> None:
    # A slow drawer, 0.9 mm from look to look, each of which finds the cup in it.
    track, fold = riding(), carriers()

    for i in range(1, 401):
        poses = {'tray': at(2.0 + 9e-4 * i, 0.0, 1.0)}
        fold.ride(track, poses)
        fold.attach(track, poses)  # a match that does not correct the estimate at all

    assert track.mean[0] == pytest.approx(2.1 + 0.36, abs=1e-3)


# Frames that come and go.


def test_part_that_is_silent_for_a_while_takes_its_things_along_when_it_is_back() -> None:
    track, fold = riding(), carriers()

    assert not fold.ride(track, {})
    assert (track.mean, track.carrier) == ([2.1, 0.0, 1.0], 'tray')
    assert fold.ride(track, {'tray': at(2.5, 0.0, 1.0)})
    np.testing.assert_allclose(track.mean, (2.6, 0.0, 1.0), atol=1e-12)


def test_thing_seen_in_its_tray_while_the_tray_is_silent_still_lies_in_it() -> None:
    track, fold = riding(), carriers()

    fold.attach(track, {})

    assert track.carrier == 'tray'
    fold.ride(track, {'tray': at(2.5, 0.0, 1.0)})
    np.testing.assert_allclose(track.mean, (2.6, 0.0, 1.0), atol=1e-12)


def test_thing_seen_elsewhere_while_its_tray_is_silent_is_not_in_it_any_more() -> None:
    track, fold = riding(), carriers()

    track.mean = [1.0, 0.0, 1.0]
    fold.attach(track, {})

    assert (track.carrier, track.carrier_pose) == ('', [])


def test_thing_put_into_another_part_changes_over() -> None:
    lid = box_part('lid', 'bin', 'lid', (-0.2, -0.2, 0.0), (0.2, 0.2, 0.02))
    fold = carriers(TRAY, lid)
    track = riding()
    poses = {**HERE, 'lid': at(1.0, 0.0, 0.5)}

    track.mean = [1.0, 0.0, 0.55]
    fold.attach(track, poses)

    assert track.carrier == 'lid'
    assert track.carrier_pose[:3] == [1.0, 0.0, 0.5]


# Wherever the room stands.


@settings(deadline=None, max_examples=60)
@given(
    elsewhere_T_world=transforms(),
    world_T_part=transforms(),
    step=transforms(),
    local=st.tuples(*[st.floats(-0.15, 0.15)] * 3),
)
def test_moved_room_gives_the_same_ride_moved(
    elsewhere_T_world: RigidTransform,
    world_T_part: RigidTransform,
    step: RigidTransform,
    local: tuple,
) -> None:
    shift_m, turn_rad = world_T_part.distance_to(step @ world_T_part)
    # Right at the limits of noise, rounding decides.
    assume(abs(shift_m - 1e-3) > 1e-9 and abs(turn_rad - 2e-3) > 1e-9)
    cube = box_part('cube', '', 'cube', (-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))
    fold = carriers(cube)
    ends = []
    for room in (RigidTransform.identity(), elsewhere_T_world):
        pose = room @ world_T_part
        track = cup(*pose.apply(np.array(local)), quat=tuple(room.quat_xyzw))
        fold.attach(track, {'cube': pose})
        assert track.carrier == 'cube'
        fold.ride(track, {'cube': room @ step @ world_T_part})
        ends.append(track)

    here, there = ends
    # 1e-9: rounding of places hundreds of metres from the origin.
    np.testing.assert_allclose(there.mean, elsewhere_T_world.apply(np.array(here.mean)), atol=1e-9)
    np.testing.assert_allclose(
        there.last_fix, elsewhere_T_world.apply(np.array(here.last_fix)), atol=1e-9
    )
    expected = elsewhere_T_world @ RigidTransform(np.zeros(3), np.array(here.quat))
    got = RigidTransform(expected.translation, np.array(there.quat))
    assert got.distance_to(expected)[1] < 4.1e-3  # turns within noise are left out


@settings(deadline=None, max_examples=60)
@given(yaw=st.floats(-math.pi, math.pi), place=st.tuples(*[st.floats(-0.4, 0.4)] * 3))
def test_room_turned_about_the_vertical_holds_the_same_things(yaw: float, place: tuple) -> None:
    turn = turned((0, 0, 1), yaw)
    here, there = cup(*place), cup(*turn.apply(np.array(place)))

    carriers().attach(here, {'tray': at(0.0)})
    carriers().attach(there, {'tray': turn})

    edges = np.array([*np.abs(np.array(place[:2])) - 0.2, place[2] + 0.05, place[2] - 0.13])
    if (np.abs(edges) > 1e-9).all():  # else rounding decides
        assert here.carrier == there.carrier

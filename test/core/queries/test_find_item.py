"""Where something was left, and the way there."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import find_item, FloorMapSettings, Selector
from st_memory.core.queries.route_words import legs_in_words, side_of, turn_of
from st_memory.core.records import (
    AnswerStatus,
    BASE_LOOK,
    CameraLook,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    Scene,
    TrackRecord,
    Visibility,
)
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import S
from test.core.queries.story import fixture
from test.core.queries.test_floor_map import box_part, floor
from test.scenarios.synthetic import looking

CUP = ObjectState('cup_1', 'cup', 0, world_p=(3.0, 0.0, 1.0), first_seen_ns=S, last_seen_ns=S)
WHO = Selector(label='cup')
EAST, NORTH = 0.0, math.pi / 2


def body(x: float, y: float, yaw_rad: float) -> RigidTransform:
    """Pose of a base: x ahead, z up."""
    turn = np.array([0.0, 0.0, math.sin(yaw_rad / 2), math.cos(yaw_rad / 2)])
    return RigidTransform(np.array([x, y, 0.0]), turn)


def store_of(
    state: ObjectState,
    scene: Scene | None = None,
    camera: RigidTransform | None = None,
    base: RigidTransform | None = None,
    looked_s: float = 1.0,
    now_s: float = 1.0,
) -> InMemoryStore:
    """A memory of one object, and of where camera and base were."""
    store = InMemoryStore()
    if scene is not None:
        store.put_scene(scene)
    poses = {'cam': looking(0.0, (0.0, 0.0, 1.5)) if camera is None else camera, BASE_LOOK: base}
    looks = tuple(
        CameraLook(name, 0, round(looked_s * S), pose)
        for name, pose in poses.items()
        if pose is not None
    )
    record = FrameRecord(0, round(looked_s * S), 0, '{}')
    store.commit(FrameDelta(record, (TrackRecord(state, '{}'),), looks=looks))
    if now_s > looked_s:
        store.commit(FrameDelta(FrameRecord(0, round(now_s * S), 1, '{}')))
    return store


# Without a scene: straight there.


def test_way_without_a_scene_is_a_straight_line_and_says_so() -> None:
    answer = find_item(store_of(CUP), WHO)

    assert (answer.status, answer.source, answer.reachable) == (
        AnswerStatus.KNOWN,
        'straight',
        True,
    )
    assert (answer.start, answer.distance_m) == ('camera:cam', pytest.approx(3.0))
    assert [(s.text, s.world_p) for s in answer.steps] == [
        ('go straight on 3.0 m', (3.0, 0.0, 1.5)),
        ('it is at (3.00, 0.00, 1.00) m, ahead of you', (3.0, 0.0, 1.0)),
    ]
    assert answer.sentence == (
        'The cup (cup_1) was left at (3.00, 0.00, 1.00) m: go straight on 3.0 m; it is at '
        '(3.00, 0.00, 1.00) m, ahead of you (3.0 m in a straight line: there is no floor map).'
    )


@pytest.mark.parametrize(
    ('yaw_deg', 'turn'),
    [
        (0, 'go straight on 3.0 m'),
        (90, 'turn right and go 3.0 m'),
        (-90, 'turn left and go 3.0 m'),
        (180, 'turn round and go 3.0 m'),
        (30, 'bear right and go 3.0 m'),
    ],
)
def test_first_turn_is_from_where_one_faces(yaw_deg: float, turn: str) -> None:
    camera = looking(math.radians(yaw_deg), (0.0, 0.0, 1.5))

    assert find_item(store_of(CUP, camera=camera), WHO).steps[0].text == turn


def test_way_starts_at_the_base_where_it_is_known() -> None:
    store = store_of(CUP, base=body(3.0, -4.0, NORTH))

    assert find_item(store, WHO).start == 'base'
    assert find_item(store, WHO).distance_m == pytest.approx(4.0)
    assert find_item(store, WHO).steps[0].text == 'go straight on 4.0 m'
    assert find_item(store, WHO, start='camera').start == 'camera:cam'
    assert find_item(store, WHO, start='camera').distance_m == pytest.approx(3.0)


def test_who_looks_straight_down_is_told_no_turn() -> None:
    down = RigidTransform(np.array([0.0, 0.0, 1.5]), np.array([1.0, 0.0, 0.0, 0.0]))

    assert find_item(store_of(CUP, camera=down), WHO).steps[0].text == 'go 3.0 m'


# With a scene: round what stands there.

# A wall along y at x = 2, from y = -3 up to y = 2, in a room of 10 m: the way leads round its
# upper end.
WALL = Scene(
    parts=(floor(10.0, 10.0), box_part('wall', (2.0, -1.5, 1.0), (0.2, 7.0, 2.0))),
    fixtures=(fixture('shelf_1', (2.0, 3.4, 1.0), (0.4, 0.2, 0.4)),),
)
BEHIND = replace(CUP, world_p=(4.0, 0.0, 1.0), fixture_id='table_1')


def test_way_goes_round_a_wall_and_ends_within_reach() -> None:
    answer = find_item(store_of(BEHIND, WALL), WHO)

    assert (answer.status, answer.source, answer.reachable) == (
        AnswerStatus.KNOWN,
        'floor_map',
        True,
    )
    # Round the corners (1.9, 2) and (2.1, 2), 0.25 m of body away: a little over 6.1 m as the
    # crow flies over the corners, and no more than half a metre longer than that.
    shortest = math.dist((0, 0), (1.9, 2.0)) + 0.2 + math.dist((2.1, 2.0), (4.0, 0.0))
    assert answer.distance_m is not None
    assert shortest < answer.distance_m < shortest + 0.8
    *legs, last = answer.steps
    assert last.world_p == (4.0, 0.0, 1.0)
    assert math.dist(legs[-1].world_p[:2], (4.0, 0.0)) < 0.1
    assert sum(step.distance_m for step in legs) == pytest.approx(answer.distance_m)
    assert all(step.world_p[2] == 0.0 for step in legs)  # on the floor


def test_no_leg_of_the_way_comes_near_the_wall() -> None:
    answer = find_item(store_of(BEHIND, WALL), WHO)

    here: Point = (0.0, 0.0, 0.0)
    for step in answer.steps[:-1]:
        for share in np.linspace(0.0, 1.0, 50):
            x, y = (1 - share) * np.array(here[:2]) + share * np.array(step.world_p[:2])
            in_wall = abs(x - 2.0) < 0.1 + 0.2 and y < 2.0 + 0.2
            assert not in_wall, (x, y)
        here = step.world_p


def test_way_in_words_names_the_furniture_at_the_corner() -> None:
    told = find_item(store_of(BEHIND, WALL), WHO).sentence

    # Towards (1.6, 2.3), 55 degrees to the left; the shelf is a metre beyond the wall's end.
    assert told.startswith('The cup (cup_1) was left at table_1: turn left and go 2.8 m, then ')
    assert 'at the shelf and go' in told
    assert told.endswith('m in all).')


def test_way_to_what_is_across_the_table_ends_at_its_edge() -> None:
    table = Scene(parts=(floor(10.0, 10.0), box_part('top', (3.0, 0.0, 0.4), (1.0, 1.0, 0.8))))
    answer = find_item(store_of(CUP, table), WHO)

    # The table's edge is at x = 2.5; a body of 0.25 m stands before it.
    assert answer.reachable
    assert answer.distance_m == pytest.approx(2.2, abs=0.1)
    assert answer.steps[-1].distance_m == pytest.approx(0.8, abs=0.1)


def test_way_that_a_closed_room_bars_leads_to_the_nearest_place() -> None:
    walls = tuple(
        box_part(f'wall_{k}', centre, size)
        for k, (centre, size) in enumerate(
            [
                ((4.0, 2.0, 1.0), (4.0, 0.2, 2.0)),
                ((4.0, -2.0, 1.0), (4.0, 0.2, 2.0)),
                ((2.0, 0.0, 1.0), (0.2, 4.0, 2.0)),
                ((6.0, 0.0, 1.0), (0.2, 4.0, 2.0)),
            ]
        )
    )
    closed = Scene(parts=(floor(14.0, 14.0), *walls))
    answer = find_item(store_of(replace(CUP, world_p=(4.0, 0.0, 1.0)), closed), WHO)

    assert (answer.status, answer.reachable) == (AnswerStatus.UNKNOWN, False)
    assert answer.reason.startswith('no way leads to it; the nearest place one can reach is (1.')
    assert answer.steps[-1].world_p[0] < 2.0
    assert answer.sentence == (
        f'The cup (cup_1) was left at (4.00, 0.00, 1.00) m, but {answer.reason}.'
    )


def test_way_from_inside_the_furniture_is_not_known() -> None:
    block = Scene(parts=(floor(20.0, 20.0),), fixtures=(fixture('bar_1', (0, 0, 1), (6, 6, 2)),))
    answer = find_item(store_of(replace(CUP, world_p=(8.0, 0.0, 1.0)), block), WHO)

    assert (answer.status, answer.steps) == (AnswerStatus.UNKNOWN, ())
    assert answer.reason == 'where you are, the floor map has no free place'


def test_who_is_wider_takes_the_other_way() -> None:
    gap = Scene(
        parts=(
            floor(10.0, 10.0),
            box_part('low', (2.0, -2.2, 1.0), (0.2, 4.0, 2.0)),  # up to y = -0.2
            box_part('high', (2.0, 1.3, 1.0), (0.2, 1.8, 2.0)),  # y = 0.4 to 2.2
        )
    )
    goal = store_of(replace(CUP, world_p=(4.0, 0.0, 1.0)), gap)

    slim = find_item(goal, WHO, settings=FloorMapSettings(radius_m=0.2))
    wide = find_item(goal, WHO, settings=FloorMapSettings(radius_m=0.4))

    assert slim.distance_m == pytest.approx(4.0, abs=0.2)
    assert wide.distance_m is not None
    assert wide.distance_m > 5.0


# What is told of the object.


def test_container_is_to_be_opened_when_the_thing_cannot_be_seen() -> None:
    shut = replace(CUP, container_id='drawer_1', visibility=Visibility.OCCLUDED)

    told = find_item(store_of(shut), WHO)
    assert told.steps[-1].text == 'open drawer_1, ahead of you: it is inside'
    seen = find_item(store_of(replace(shut, visibility=Visibility.VISIBLE)), WHO)
    assert seen.steps[-1].text == 'it is inside drawer_1, ahead of you'


def test_thing_within_reach_needs_no_step() -> None:
    table = Scene(parts=(floor(6.0, 6.0),))
    answer = find_item(store_of(replace(CUP, world_p=(0.0, 0.4, 1.0)), table), WHO)

    assert answer.reachable
    # On the open floor one steps up to the thing itself.
    assert answer.distance_m == pytest.approx(0.4, abs=0.05)
    assert answer.steps[0].text == 'turn left and go 0.4 m'


def test_gone_thing_is_led_to_with_a_doubt() -> None:
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
    answer = find_item(store_of(gone), WHO)

    assert answer.status is AnswerStatus.STALE
    assert answer.steps
    assert answer.sentence.endswith('; its last place was seen to be empty.')


def test_thing_in_the_hand_was_last_somewhere() -> None:
    moving = replace(CUP, in_motion=True, visibility=Visibility.IN_MOTION)

    assert find_item(store_of(moving), WHO).sentence.startswith(
        'The cup (cup_1) is being moved, and was last at (3.00, 0.00, 1.00) m: go'
    )


def test_thing_that_was_never_measured_has_no_way() -> None:
    answer = find_item(store_of(replace(CUP, world_p=None)), WHO)

    assert (answer.status, answer.steps, answer.distance_m) == (AnswerStatus.UNKNOWN, (), None)
    assert answer.sentence == (
        'The cup (cup_1): it was reported but its position was never measured.'
    )


def test_thing_nobody_saw_has_no_way() -> None:
    answer = find_item(store_of(CUP), Selector(label='drone'))

    assert (answer.status, answer.object) == (AnswerStatus.NOT_YET_SEEN, None)


# What is known of who asks.


@pytest.mark.parametrize(
    ('start', 'reason'),
    [
        ('camera:wrist', 'camera wrist has not looked yet; cameras that have are: cam'),
        ('base', 'the base has no pose yet: the memory keeps it where base_frame is known to TF'),
    ],
)
def test_who_starts_nowhere_is_told_where_it_is_only(start: str, reason: str) -> None:
    answer = find_item(store_of(CUP), WHO, start=start)

    assert (answer.status, answer.reason, answer.start) == (AnswerStatus.NO_POSE, reason, start)
    assert answer.sentence == (
        'The cup (cup_1) was left at (3.00, 0.00, 1.00) m; I cannot say how to get there, because '
        f'{reason}.'
    )


@pytest.mark.parametrize(
    ('now', 'status'),
    [(1.5, AnswerStatus.KNOWN), (5, AnswerStatus.STALE), (20, AnswerStatus.NO_POSE)],
)
def test_start_ages_with_the_pose(now: float, status: AnswerStatus) -> None:
    answer = find_item(store_of(CUP, now_s=now), WHO)

    assert answer.status is status
    assert bool(answer.steps) == (status is not AnswerStatus.NO_POSE)
    if status is AnswerStatus.STALE:
        assert answer.sentence.endswith('; camera cam last looked 4.0 s ago.')


def test_way_as_of_an_earlier_time_starts_where_one_was_then() -> None:
    store = store_of(CUP)
    later = CameraLook('cam', 0, 2 * S, looking(math.pi, (2.0, 0.0, 1.5)))
    store.commit(FrameDelta(FrameRecord(0, 2 * S, 1, '{}'), looks=(later,)))

    assert find_item(store, WHO, Moment(0, S)).distance_m == pytest.approx(3.0)
    assert find_item(store, WHO).distance_m == pytest.approx(1.0)


# Words.


@pytest.mark.parametrize(
    ('degrees', 'words'),
    [
        (0, 'go straight on'),
        (20, 'go straight on'),
        (-19, 'go straight on'),
        (21, 'bear left'),
        (-50, 'bear right'),
        (51, 'turn left'),
        (-149, 'turn right'),
        (151, 'turn round'),
        (180, 'turn round'),
    ],
)
def test_turn_in_words(degrees: float, words: str) -> None:
    assert turn_of(math.radians(degrees)) == words


@pytest.mark.parametrize(
    ('place', 'side'),
    [
        ((1.0, 0.1, 0.0), 'ahead of you'),
        ((0.0, 1.0, 0.0), 'to your left'),
        ((0.0, -1.0, 0.0), 'to your right'),
        ((-1.0, 0.2, 0.0), 'behind you'),
    ],
)
@pytest.mark.parametrize('heading_deg', [0, 100, -170])
def test_side_turns_with_the_walker(place: Point, side: str, heading_deg: float) -> None:
    turn = body(5.0, 5.0, math.radians(heading_deg))
    there = turn.apply(np.array(place)).tolist()

    assert side_of((5.0, 5.0, 0.0), math.radians(heading_deg), tuple(there)) == side


def test_legs_of_a_square_turn_left_three_times() -> None:
    square: list[Point] = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 0)]
    steps = legs_in_words(square, EAST, Scene())

    assert [s.text for s in steps] == [
        'go straight on 2.0 m',
        *['turn left and go 2.0 m'] * 3,
    ]
    assert [s.heading_rad for s in steps] == pytest.approx([0, NORTH, math.pi, -NORTH])


@pytest.mark.parametrize(
    ('labels', 'words'),
    [(['stove', 'bar'], 'turn left at the stove and go 2.0 m'), (['bar', 'bar'], 'at bar_1')],
)
def test_corner_is_named_by_label_only_where_there_is_one_of_the_kind(
    labels: list[str], words: str
) -> None:
    scene = Scene(
        fixtures=tuple(
            fixture(f'bar_{k + 1}', (2.5 + 9 * k, 0.0, 0.0), (0.2, 0.2, 0.2), label=label)
            for k, label in enumerate(labels)
        )
    )
    steps = legs_in_words([(0, 0, 0), (2, 0, 0), (2, 2, 0)], EAST, scene)

    assert words in steps[1].text


def test_way_of_one_corner_has_no_leg() -> None:
    assert legs_in_words([(0.0, 0.0, 0.0)], EAST, Scene()) == []


@pytest.mark.parametrize('start', ['door', 'cup_1', 'Base', ' camera'])
def test_start_that_is_nobody_is_refused_and_not_taken_for_a_camera(start: str) -> None:
    with pytest.raises(StMemoryError, match=rf"^start: expected base, camera or .*got '{start}'"):
        find_item(store_of(CUP), WHO, start=start)

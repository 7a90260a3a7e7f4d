"""When a movement began, how many there were, and what is too little to tell of one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings
from st_memory.core.records import Detection, LifeCycle
from test.core.memory.test_in_hand import AIR, LEFT, RIGHT, Story
from test.core.memory.told import stamp, told, track_of
from test.scenarios.synthetic import looking

BACK = looking(np.pi)
# At the camera's back: two places on the floor of the room.
BEHIND, FARTHER = (-2.0, 0.5, -0.92), (-2.0, -0.9, -0.92)


def behind(place: tuple[float, float, float], label: str = 'cup') -> Detection:
    return told(place, label, pose=BACK)


# From when on.


def test_found_at_rest_elsewhere_it_moved_since_it_was_seen_last() -> None:
    story = Story(None)
    story.stay(2.0, told(LEFT))  # until look 9
    story.stay(0.8)
    story.stay(4.0, told(RIGHT))  # from look 14 on

    ((start, end),) = story.moves()
    assert (start, end) == (9, 14)
    assert story.known['cup_1'].num_moves == 1


def test_found_by_its_id_it_moved_since_it_was_seen_last() -> None:
    story = Story()
    story.stay(2.0, told(LEFT, track_id='a'))
    story.stay(6.0, away=True)
    story.stay(4.0, told(RIGHT, track_id='a'))  # from look 40 on

    assert story.moves() == [(9, 40)]


def test_met_in_a_hand_it_moves_since_then() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(0.6)
    story.carry((2.0, 0.4, 0.4), RIGHT, 1.0)  # from look 13 on
    story.stay(4.0, told(RIGHT))

    ((start, _),) = story.moves()
    assert start == 13


def test_single_sight_elsewhere_does_not_put_off_the_last_sure_one() -> None:
    # Beside its place for one look, then at it again: it was there until then.
    story = Story(None)
    story.stay(2.0, told(LEFT))
    story.look(told((2.0, 0.3, 0.0)))
    story.look(told(LEFT))  # look 11
    story.stay(0.6)
    story.stay(4.0, told(RIGHT))  # from look 15 on

    assert story.moves() == [(11, 15)]


# How many.


def moved_before_it_was_missed() -> Story:
    """Taken unseen; a newcomer is moved in view; only then is the old place found empty."""
    story = Story()
    story.stay(2.0, told(LEFT))  # until look 9
    story.stay(2.0, away=True)
    story.stay(3.0, behind(BEHIND), away=True)  # from look 20 on
    for share in np.linspace(0.0, 1.0, 8):
        way = (1 - share) * np.array(BEHIND) + share * np.array(FARTHER)
        way[2] += 0.5 * np.sin(np.pi * share)
        story.look(behind(tuple(way)), away=True)
    story.stay(4.0, behind(FARTHER), away=True)
    story.stay(3.0)
    return story


def test_newcomer_that_had_moved_itself_makes_two_moves_one_after_the_other() -> None:
    story = moved_before_it_was_missed()

    assert list(story.known) == ['cup_1']
    cup = story.known['cup_1']
    first, second = sorted(story.moves())
    assert first == (9, 20)
    assert 35 <= second[0] < second[1] <= 43
    assert cup.num_moves == 2
    np.testing.assert_allclose(cup.world_p, FARTHER, atol=0.05)


def test_newcomer_that_had_moved_itself_rests_since_its_own_move() -> None:
    story = moved_before_it_was_missed()

    latest = {(p.object_id, p.start_ns): p for d in story.deltas for p in d.placements}
    ((_, start_ns),) = [key for key, p in latest.items() if p.end_ns is None]
    _, last = sorted(story.moves())
    assert start_ns / stamp(0) - 1 == last[1]
    assert story.known['cup_1'].last_placed_ns == start_ns


def test_newcomer_that_had_rested_makes_one_move() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(2.0, away=True)
    story.stay(3.0, behind(BEHIND), away=True)
    story.stay(3.0)

    assert list(story.known) == ['cup_1']
    assert (story.known['cup_1'].num_moves, story.moves()) == (1, [(9, 20)])


def test_newcomer_that_appeared_in_a_hand_makes_one_move() -> None:
    # Of two, one was taken unseen; it is met in the air, and missed only when it was put down.
    story = Story()
    story.stay(2.0, told(LEFT), told(RIGHT))  # until look 9
    story.stay(2.0, away=True)
    for share in np.linspace(0.0, 1.0, 8):  # from look 20 on
        way = (-2.0, 0.5 - 1.4 * share, 0.3 - 1.22 * share)
        story.look(behind(way), away=True)
    story.stay(4.0, behind(FARTHER), away=True)
    story.stay(3.0, told(RIGHT))

    places = {name: tuple(np.round(s.world_p, 1)) for name, s in story.known.items()}
    assert sorted(places.values()) == [(-2.0, -0.9, -0.9), RIGHT]
    taken, stayed = sorted(story.known.values(), key=lambda s: s.world_p[0])
    assert (taken.num_moves, stayed.num_moves) == (1, 0)
    ((start, end),) = story.moves()
    assert 20 <= start < end <= 28


def test_lost_in_a_hand_and_met_where_it_was_lost_is_held_still() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(4.0, away=True)
    assert not story.known['cup_1'].in_motion

    story.look(told(AIR))
    assert story.known['cup_1'].in_motion

    story.carry(AIR, RIGHT, 1.0)
    story.stay(4.0, told(RIGHT))
    cup = story.known['cup_1']
    assert (cup.num_moves, len(story.moves()), cup.in_motion) == (1, 1, False)
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.05)


# What was shown to be gone.


def gone() -> Story:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(3.0)
    assert story.known['cup_1'].life_cycle is LifeCycle.ABSENT
    return story


def types_since(story: Story, look: int) -> list[str]:
    return [e.event_type for d in story.deltas[look:] for e in d.events]


def test_absent_thing_stays_absent_at_one_sight_in_the_air() -> None:
    story = gone()
    story.look(told(AIR))
    story.stay(3.0)

    cup = story.known['cup_1']
    assert (cup.life_cycle, cup.in_motion, cup.num_moves) == (LifeCycle.ABSENT, False, 0)
    assert types_since(story, 25) == []


def test_absent_thing_seen_twice_in_the_air_is_carried() -> None:
    story = gone()
    story.look(told(AIR))
    story.look(told((2.0, -0.1, 0.4)))

    cup = story.known['cup_1']
    assert (cup.life_cycle, cup.in_motion) == (LifeCycle.CONFIRMED, True)
    assert types_since(story, 25) == ['returned']

    story.carry((2.0, -0.2, 0.4), RIGHT, 1.0)
    story.stay(4.0, told(RIGHT))
    assert story.known['cup_1'].num_moves == 1
    ((start, _),) = story.moves()
    assert start == 9


@pytest.mark.parametrize(('pause', 'is_carried'), [(4, True), (5, False)])
def test_two_sights_count_together_within_the_time_of_a_pursuit(
    pause: int, is_carried: bool
) -> None:
    # With `pause` looks between the two, they are 0.2 s x (pause + 1) apart.
    assert MemorySettings().pursuit_s == 1.0
    story = gone()
    story.look(told(AIR))
    story.stay(0.2 * pause)
    story.look(told(AIR))

    assert story.known['cup_1'].in_motion is is_carried


def test_absent_thing_seen_at_its_place_is_there_at_once() -> None:
    story = gone()
    story.look(told(LEFT))

    cup = story.known['cup_1']
    assert (cup.life_cycle, cup.in_motion, cup.num_moves) == (LifeCycle.CONFIRMED, False, 0)


@pytest.mark.parametrize(('place', 'is_held'), [(RIGHT, False), (AIR, True)])
def test_absent_thing_known_by_its_id_needs_one_sight(
    place: tuple[float, ...], is_held: bool
) -> None:
    story = Story()
    story.stay(2.0, told(LEFT, track_id='a'))
    story.stay(3.0)
    assert story.known['a'].life_cycle is LifeCycle.ABSENT

    story.look(told(place, track_id='a'))

    cup = story.known['a']
    assert (cup.life_cycle, cup.in_motion) == (LifeCycle.CONFIRMED, is_held)
    assert cup.num_moves == len(story.moves()) == (not is_held)


def test_absent_thing_met_by_its_id_in_a_hand_was_moved_once() -> None:
    story = Story()
    story.stay(2.0, told(LEFT, track_id='a'))
    story.stay(3.0)
    for share in np.linspace(0.0, 1.0, 8):
        way = (1 - share) * np.array(AIR) + share * np.array(RIGHT)
        story.look(told(way, track_id='a'))
    story.stay(4.0, told(RIGHT, track_id='a'))

    cup = story.known['a']
    ((start, _),) = story.moves()
    assert (cup.num_moves, cup.in_motion, start) == (1, False, 9)
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.05)


# What is no lift.


def edge(place: tuple[float, float, float]) -> Detection:
    """A sight whose box ends at the upper edge of the image."""
    return replace(told(place), box_px=(70.0, 0.0, 90.0, 30.0))


@pytest.mark.parametrize(
    ('rise_m', 'is_cut', 'is_lifted'),
    [(0.17, True, False), (0.17, False, True), (0.27, True, True), (0.1, False, False)],
)
def test_cut_sight_a_little_higher_is_no_lift(
    rise_m: float, is_cut: bool, is_lifted: bool
) -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    place = (LEFT[0], LEFT[1], rise_m)
    story.stay(0.8, edge(place) if is_cut else told(place))

    cup = track_of(story.memory)
    assert cup.num_observations == 14
    assert cup.in_motion is is_lifted

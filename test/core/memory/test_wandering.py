"""How surprising it is to find a thing so far from where it was so long ago."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.memory.track import Track
from st_memory.core.memory.wandering import LONG_CARRY_S, surprises
from st_memory.core.records.objects import PLACED_BY_LOSS
from test.core.memory.test_in_hand import LEFT, RIGHT, Story
from test.core.memory.told import S, told, track_of
from test.scenarios.synthetic import looking

UNIT_M = 0.15
NOW = 100 * S


def seen(seconds_ago: float, **changes: object) -> Track:
    """Give a thing at rest that was seen so long ago; carried where the changes say so."""
    return replace(Track('cup_1', last_fix_ns=NOW - round(seconds_ago * S)), **changes)


def carried(seconds_ago: float) -> Track:
    return seen(seconds_ago, in_motion=True)


def one(distance_m: float, track: Track, now: int = NOW) -> float:
    return float(surprises(np.array([[distance_m]]), [track], now, UNIT_M)[0, 0])


# By hand.


def test_carried_thing_by_hand() -> None:
    # After 2 s the spread is 0.7 m/s x 2 s + 0.15 m = 1.55 m; of 8 s of carrying 2 s are over.
    by_hand = 0.15 * (2 * math.log(1.55 / 0.15) + 2 / 8 + 0.5 * (0.775 / 1.55) ** 2)

    assert by_hand == pytest.approx(0.757, abs=1e-3)
    assert one(0.775, carried(2.0)) == pytest.approx(by_hand)


def test_resting_thing_by_hand() -> None:
    # After 1 s: 0.85 m of spread, and 60 s of rest for each of them.
    by_hand = 0.15 * (2 * math.log(0.85 / 0.15) + math.log(61.0) + 0.5 * (1.7 / 0.85) ** 2)

    assert by_hand == pytest.approx(1.437, abs=1e-3)
    assert one(1.7, seen(1.0)) == pytest.approx(by_hand)


def test_seen_this_moment_in_a_hand_it_is_where_it_is() -> None:
    assert one(0.0, carried(0.0)) == 0.0
    assert one(0.3, carried(0.0)) == pytest.approx(0.15 * 0.5 * 4)


def test_seen_this_moment_at_rest_it_was_hardly_taken() -> None:
    assert one(0.0, seen(0.0)) == pytest.approx(0.15 * math.log(1 + 60e3))


@pytest.mark.parametrize(
    'changes',
    [{'in_motion': True}, {'trail': [(0, [0.0, 0.0, 0.0])]}, {'placed_by': PLACED_BY_LOSS}],
)
def test_each_sign_that_it_was_taken_is_worth_the_same(changes: dict) -> None:
    assert one(0.5, seen(1.0, **changes)) == one(0.5, carried(1.0)) < one(0.5, seen(1.0))


def test_one_that_was_being_lifted_was_taken() -> None:
    rest = {'mean': [1.0, 0.0, 0.82]}

    lifted = one(0.5, seen(1.0, last_fix=[1.0, 0.02, 0.93], **rest))
    lying = one(0.5, seen(1.0, last_fix=[1.0, 0.1, 0.85], **rest))

    assert lifted == one(0.5, carried(1.0))
    assert lying == one(0.5, seen(1.0))


def test_sight_of_a_later_time_is_as_one_of_now() -> None:
    # The clock was set back and the map rebased since.
    assert one(0.3, seen(-5.0)) == one(0.3, seen(0.0))
    assert one(0.3, carried(-5.0)) == one(0.3, carried(0.0))


# Who wins.


def test_one_carried_a_moment_ago_beats_a_nearer_one_lost_long_ago() -> None:
    assert one(1.5, carried(0.6)) < one(0.2, carried(20.0))


def test_one_carried_out_of_sight_beats_one_seen_at_rest_later() -> None:
    assert one(1.0, carried(1.2)) < one(1.0, seen(0.8))


def test_one_beside_its_own_place_beats_one_in_motion_elsewhere() -> None:
    trail = [(NOW - S, [2.0, 0.0, 0.3])]

    assert one(0.05, seen(0.2, trail=trail)) < one(0.8, carried(0.2))


@pytest.mark.parametrize('track', [carried(0.4), seen(0.4)])
def test_farther_is_more_surprising(track: Track) -> None:
    told_so = [one(d, track) for d in (0.0, 0.1, 0.5, 1.0, 3.0)]

    assert told_so == sorted(set(told_so))


# Laws.


def test_what_cannot_be_stays_impossible() -> None:
    table = np.array([[math.inf, 1.0], [1.0, math.inf]])

    weighed = surprises(table, [carried(1.0), seen(3.0)], NOW, UNIT_M)

    np.testing.assert_array_equal(np.isinf(weighed), np.isinf(table))
    assert (weighed > 0).all()


def test_nobody_and_nothing() -> None:
    assert surprises(np.zeros((0, 3)), [], NOW, UNIT_M).shape == (0, 3)
    assert surprises(np.zeros((2, 0)), [seen(1.0), seen(2.0)], NOW, UNIT_M).shape == (2, 0)


def crowd() -> tuple[list[Track], np.ndarray]:
    rng = np.random.default_rng(7)
    tracks = [
        seen(float(rng.uniform(0.0, 30.0)), in_motion=bool(rng.integers(2))) for _ in range(12)
    ]
    return tracks, rng.uniform(0.0, 4.0, (12, 5))


def test_shifted_clock_changes_nothing() -> None:
    tracks, table = crowd()
    shift = 17 * 10**15
    later = [replace(t, last_fix_ns=(t.last_fix_ns or 0) + shift) for t in tracks]

    np.testing.assert_array_equal(
        surprises(table, later, NOW + shift, UNIT_M), surprises(table, tracks, NOW, UNIT_M)
    )


def test_order_of_things_and_of_places_changes_nothing() -> None:
    tracks, table = crowd()
    rng = np.random.default_rng(8)
    rows, columns = rng.permutation(12), rng.permutation(5)

    turned = surprises(table[np.ix_(rows, columns)], [tracks[r] for r in rows], NOW, UNIT_M)

    np.testing.assert_array_equal(
        turned, surprises(table, tracks, NOW, UNIT_M)[np.ix_(rows, columns)]
    )


# What the fold makes of it.


def names_at(story: Story, *looks: int) -> list[list[str]]:
    """Say which objects some looks were of, by the order of the detections."""
    return [[o.object_id for o in story.deltas[look].observations] for look in looks]


def passed_by(heights: Sequence[float]) -> Story:
    """One on the left is carried over the place of one on the right, which is then missed."""
    story = Story()
    story.stay(2.0, told(LEFT), told(RIGHT))
    for y in (0.7, 0.5, 0.3, 0.1, -0.1, -0.3, -0.5):
        story.look(told((2.0, y, 0.3)), told(RIGHT))
    for z in heights:
        story.look(told((2.0, -0.7, z)))
    return story


@pytest.mark.parametrize('heights', [[0.16], [0.17, 0.17]])
def test_one_carried_over_the_place_of_another_stays_itself(heights: list[float]) -> None:
    story = passed_by(heights)
    past = [17 + i for i in range(len(heights))]

    assert names_at(story, *past) == [['cup_1']] * len(heights)
    for y in (-0.9, -1.1):
        story.look(told((2.0, y, 0.3)), told(RIGHT))
    mine, other = (track_of(story.memory, name) for name in ('cup_1', 'cup_2'))
    assert (mine.in_motion, other.in_motion) == (True, False)
    assert other.trail == []
    np.testing.assert_allclose(other.mean, RIGHT, atol=0.01)


def test_one_that_rests_alone_is_seen_a_little_high_for_once() -> None:
    # Nothing else of its class is about: no other can be carried past.
    story = Story()
    story.stay(2.0, told(RIGHT))
    story.look(told((2.0, -0.7, 0.17)))

    assert names_at(story, 10) == [['cup_1']]


def test_one_carried_unseen_for_longer_beats_one_that_rested_in_view() -> None:
    story = Story()
    story.stay(2.0, told(LEFT), told(RIGHT))
    story.carry(LEFT, (2.0, 0.5, 0.4), 0.6)  # looks 10 to 12
    story.stay(0.4, told(RIGHT))  # looks 13 and 14
    story.stay(0.6)
    story.look(told((2.0, -0.1, 0.5)))  # look 18: 1.2 s and 0.8 s later

    assert names_at(story, 12, 14, 18) == [['cup_1'], ['cup_2'], ['cup_1']]
    assert track_of(story.memory, 'cup_1').in_motion
    assert not track_of(story.memory, 'cup_2').trail


# What was lost in a hand, and how long ago.


def lost_in_a_hand(unseen_s: float) -> Story:
    """One of two is carried out of sight; so much later one is met in the air behind."""
    story = Story()
    story.stay(2.0, told(LEFT), told(RIGHT))
    for y in (0.6, 0.4, 0.2, 0.0):
        story.look(told((2.0, y, 0.4)), told(RIGHT))
    story.stay(unseen_s, away=True)
    for x in (-1.6, -1.7, -1.8, -1.9):
        story.look(told((x, 0.4, 0.2), pose=looking(np.pi)), away=True)
    return story


def test_lost_a_while_ago_it_is_met_at_once() -> None:
    story = lost_in_a_hand(LONG_CARRY_S - 1.0)

    assert names_at(story, -1) == [['cup_1']]
    assert story.known['cup_1'].in_motion


def test_lost_long_ago_it_waits_for_a_look_at_the_other() -> None:
    story = lost_in_a_hand(LONG_CARRY_S + 1.0)
    assert 'cup_1' not in names_at(story, -1)[0]

    floor = (-2.0, 0.4, -0.92)
    story.stay(4.0, told(floor, pose=looking(np.pi)), away=True)
    assert sorted(story.known) == ['cup_1', 'cup_2', 'cup_3']

    story.stay(1.0, told(RIGHT))
    assert sorted(story.known) == ['cup_1', 'cup_2']
    np.testing.assert_allclose(story.known['cup_1'].world_p, floor, atol=0.05)
    np.testing.assert_allclose(story.known['cup_2'].world_p, RIGHT, atol=0.05)


def test_lost_long_ago_it_may_be_the_other_where_that_is_missed_too() -> None:
    story = lost_in_a_hand(LONG_CARRY_S + 1.0)
    floor = (-2.0, 0.4, -0.92)
    story.stay(4.0, told(floor, pose=looking(np.pi)), away=True)

    story.stay(3.0)

    found = story.known['cup_1']
    assert sorted(story.known) == ['cup_1', 'cup_2']
    np.testing.assert_allclose(found.world_p, floor, atol=0.05)
    assert (found.identity_alternatives, found.identity_confidence) == (('cup_2',), 0.5)


def test_only_one_of_its_class_is_met_however_long_ago() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, (2.0, 0.0, 0.4), 1.0)
    story.stay(3 * LONG_CARRY_S, away=True)
    story.look(told((-1.6, 0.4, 0.2), pose=looking(np.pi)), away=True)

    assert names_at(story, -1) == [['cup_1']]

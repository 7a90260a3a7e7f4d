"""Hands: what hangs in the air is carried, and what is carried is neither lost nor two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Detection, FrameDelta, LifeCycle, ObjectState, SensedFrame
from test.core.memory.told import frame, Slabs, stamp, told, track_of
from test.scenarios.synthetic import looking, states_of

# A floor and two tables; cubes of 16 cm stand on the tables with their middle at height 0.
FLOOR = ('floor', -1.0, (-9.0, 9.0), (-9.0, 9.0))
ROOM = Slabs(
    FLOOR,
    ('left', -0.08, (1.5, 2.5), (0.3, 1.2)),
    ('right', -0.08, (1.5, 2.5), (-1.2, -0.3)),
)
LEFT, RIGHT = (2.0, 0.7, 0.0), (2.0, -0.7, 0.0)
AIR = (2.0, 0.0, 0.4)
Place = Sequence[float]


class Story:
    """Looks at 5 Hz, each told as what is found in it."""

    def __init__(self, room: Slabs | None = ROOM) -> None:
        self.memory = ObjectMemory(MemorySettings(), caster=room)
        self.deltas: list[FrameDelta] = []

    def look(self, *found: Detection, away: bool = False) -> None:
        """One look; away from everything, it finds nothing and sees nobody's place."""
        pose = looking(np.pi) if away else looking()
        self._fold(frame(stamp(len(self.deltas)), found, pose=pose))

    def stay(self, seconds: float, *found: Detection, away: bool = False) -> None:
        for _ in range(round(seconds * 5)):
            self.look(*found, away=away)

    def carry(self, start: Place, end: Place, seconds: float, label: str = 'cup') -> None:
        """Find a thing on its straight way."""
        for share in np.linspace(0.0, 1.0, round(seconds * 5)):
            self.look(told((1 - share) * np.array(start) + share * np.array(end), label))

    def _fold(self, one: SensedFrame) -> None:
        self.deltas.append(self.memory.integrate(one))

    @property
    def known(self) -> dict[str, ObjectState]:
        """Objects that were not merged into another."""
        states = states_of(self.deltas)
        return {k: s for k, s in states.items() if s.life_cycle is not LifeCycle.RETIRED}

    def moves(self) -> list[tuple[float, float]]:
        """Start and end of every movement, in looks."""
        events = [e for delta in self.deltas for e in delta.events if e.event_type == 'moved']
        return [(e.start_ns / stamp(0) - 1, e.end_ns / stamp(0) - 1) for e in events]


def test_hand_that_waits_puts_nothing_down() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(6.0, told(AIR))

    assert story.known['cup_1'].in_motion
    assert story.moves() == []

    story.carry(AIR, RIGHT, 1.0)
    story.stay(3.0, told(RIGHT))

    cup = story.known['cup_1']
    assert (len(story.known), cup.num_moves, cup.in_motion) == (1, 1, False)
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.05)
    assert len(story.moves()) == 1


def test_what_hangs_still_for_long_is_at_rest_after_all() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(MemorySettings().held_s + 1.0, told(AIR))

    cup = story.known['cup_1']
    assert (cup.in_motion, cup.num_moves) == (False, 1)


def test_thing_that_stood_on_what_the_scene_lacks_may_hang_again() -> None:
    # The scene has the floor alone: it says nothing of shelves.
    story = Story(Slabs(FLOOR))
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, RIGHT, 1.0)
    story.stay(3.0, told(RIGHT))

    cup = story.known['cup_1']
    assert (cup.in_motion, cup.num_moves) == (False, 1)


def test_two_sights_in_the_air_are_a_movement_and_one_is_not() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.look(told((2.0, 0.6, 0.25)))
    assert not story.known['cup_1'].in_motion

    story.look(told((2.0, 0.5, 0.3)))
    assert story.known['cup_1'].in_motion


def test_thing_measured_low_is_not_lifted() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(2.0, told((2.0, 0.7, -0.2)))  # below the table top, with only the floor under it

    assert not story.known['cup_1'].in_motion
    assert story.moves() == []


def test_lost_in_a_hand_and_found_at_rest_is_one_movement() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(4.0, away=True)  # lost from sight in the hand
    assert story.known['cup_1'].placed_by == 'lost'

    story.stay(5.0, told(RIGHT))

    cup = story.known['cup_1']
    assert (list(story.known), cup.num_moves, len(story.moves())) == (['cup_1'], 1, 1)
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.05)


def test_lost_in_a_hand_and_met_in_it_again_is_one_movement() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(4.0, away=True)
    story.carry((1.8, -0.4, 0.5), (2.0, -0.5, 0.3), 1.0)  # at once the one that was lost
    assert story.known['cup_1'].in_motion
    story.carry((2.0, -0.5, 0.3), RIGHT, 0.6)
    story.stay(3.0, told(RIGHT))

    cup = story.known['cup_1']
    assert (list(story.known), cup.num_moves, len(story.moves())) == (['cup_1'], 1, 1)
    # It was put down when it was put down, not when it was lost.
    assert cup.last_placed_ns > stamp(39)
    assert cup.placed_by == 'observed'


def test_after_a_loss_the_next_movement_counts_again() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(4.0, away=True)
    story.stay(5.0, told(RIGHT))
    story.carry(RIGHT, LEFT, 1.4)
    story.stay(3.0, told(LEFT))

    assert story.known['cup_1'].num_moves == 2
    assert len(story.moves()) == 2


def test_cup_in_the_cupboard_is_not_the_one_in_the_hand() -> None:
    # One cup is lost in a hand; another comes into sight; then the hand with the first does.
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, AIR, 1.0)
    story.stay(3.0, away=True)
    story.stay(1.4, told(RIGHT))
    story.carry((1.7, 0.0, 0.5), (1.8, 0.1, 0.45), 0.6)
    for share in np.linspace(0.0, 1.0, 5):
        story.look(told(RIGHT), told((1.8 + 0.2 * share, 0.1 + 0.6 * share, 0.45 - 0.45 * share)))
    story.stay(3.0, told(RIGHT), told(LEFT))

    places = {name: state.world_p for name, state in story.known.items()}
    assert sorted(places) == ['cup_1', 'cup_2']
    np.testing.assert_allclose(places['cup_1'], LEFT, atol=0.05)
    np.testing.assert_allclose(places['cup_2'], RIGHT, atol=0.05)
    assert story.known['cup_2'].num_moves == 0


def test_single_false_sight_in_the_air_moves_nothing() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(2.0, away=True)
    story.look(told((-2.0, 0.3, 0.5), pose=looking(np.pi)), away=True)
    story.stay(2.0, away=True)
    story.stay(2.0, told(LEFT))

    assert list(story.known) == ['cup_1']
    assert story.moves() == []
    np.testing.assert_allclose(story.known['cup_1'].world_p, LEFT, atol=0.05)


def test_weak_sight_in_the_air_is_nobody() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    seen_ns = story.known['cup_1'].last_seen_ns
    story.stay(2.0, away=True)
    weak = MemorySettings().confirm_score - 0.05
    story.look(told((-2.0, 0.3, 0.5), pose=looking(np.pi), score=weak), away=True)

    assert story.known['cup_1'].last_seen_ns == seen_ns


def test_false_sight_does_not_hide_that_a_thing_was_gone() -> None:
    # Gone from the left, for a moment mistaken in the air, then found on the right.
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(0.6, away=True)
    for _ in range(3):
        story.look(told(RIGHT))
    story.look(told((2.3, -0.7, 0.5)))
    story.stay(6.0, told(RIGHT))

    assert list(story.known) == ['cup_1']
    assert story.known['cup_1'].num_moves == 1


def test_only_one_of_its_class_met_in_the_air_is_it() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.stay(4.0, away=True)
    story.carry(AIR, RIGHT, 1.0)  # its place was never looked at: it was taken unseen
    story.stay(3.0, told(RIGHT))

    cup = story.known['cup_1']
    assert (list(story.known), cup.num_moves) == (['cup_1'], 1)
    ((start, end),) = story.moves()
    assert start >= 30  # when it was first met in the air
    assert 30 <= end <= 36


def test_one_of_two_met_in_the_air_waits_for_evidence() -> None:
    story = Story()
    story.stay(2.0, told(LEFT), told((2.3, 1.0, 0.0)))
    story.stay(4.0, away=True)
    for share in np.linspace(0.0, 1.0, 6):
        place = np.array(AIR) + share * np.array([0.0, -0.5, 0.0])
        story.look(told(place), away=False)
        assert {story.known['cup_1'].in_motion, story.known['cup_2'].in_motion} != {True}
    story.stay(0.4, told((2.0, -0.6, 0.3)))
    story.stay(8.0, told(RIGHT), told((2.3, 1.0, 0.0)))  # the other one is where it was

    known = story.known
    assert sorted(known) == ['cup_1', 'cup_2']
    ours = min(known, key=lambda name: abs(known[name].world_p[1] - RIGHT[1]))
    assert known[ours].num_moves == 1
    assert len(story.moves()) == 1


def test_thing_that_first_appears_in_a_hand_is_moving() -> None:
    story = Story()
    story.carry((2.0, 0.6, 0.4), (2.0, -0.6, 0.4), 2.0)

    assert story.known['cup_1'].in_motion

    story.stay(3.0, told(RIGHT))
    cup = story.known['cup_1']
    assert (list(story.known), cup.num_moves, len(story.moves())) == (['cup_1'], 1, 1)
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.05)


# Slips of the detector.


def test_another_thing_at_a_stale_place_is_another_thing() -> None:
    story = Story()
    story.stay(2.0, told(LEFT, 'cup'))
    story.stay(4.0, away=True)
    story.stay(4.0, told(LEFT, 'jar'))

    assert sorted(story.known) == ['cup_1', 'jar_1']
    assert {k: s.label for k, s in story.known.items()} == {'cup_1': 'cup', 'jar_1': 'jar'}


def test_slip_at_a_place_seen_just_now_is_the_thing() -> None:
    story = Story()
    story.stay(2.0, told(LEFT, 'cup'))
    story.look(told(LEFT, 'jar'))
    story.stay(2.0, told(LEFT, 'cup'))

    assert list(story.known) == ['cup_1']
    assert story.known['cup_1'].num_observations == 21
    assert track_of(story.memory).slips == 0


@pytest.mark.parametrize('others', [1, 2])
def test_slip_in_the_hand_does_not_drag_the_one_it_is_called(others: int) -> None:
    story = Story()
    jar = told((2.3, -1.0, 0.0), 'jar')
    story.stay(2.0, told(LEFT), jar)
    story.carry(LEFT, AIR, 1.0)
    for step in range(others):
        story.look(told((2.0, -0.02 * step, 0.4), 'jar'))
    story.carry(AIR, RIGHT, 1.0)
    story.stay(3.0, told(RIGHT), jar)

    assert sorted(story.known) == ['cup_1', 'jar_1']
    assert {k: s.num_moves for k, s in story.known.items()} == {'cup_1': 1, 'jar_1': 0}


# What must not matter.


def _crossing(order: Iterable[int]) -> list[tuple[str, tuple[float, ...]]]:
    """Two cups and a jar, one cup carried past the others; detections in a given order."""
    story = Story()
    chosen = list(order)
    jar, other = told((2.2, 0.5, 0.0), 'jar'), told((1.8, -0.5, 0.0))
    for _ in range(10):
        seen = [told(LEFT), jar, other]
        story.look(*(seen[i] for i in chosen))
    for share in np.linspace(0.0, 1.0, 8):
        place = np.array([2.0, 0.7 - 1.4 * share, 0.35 * np.sin(np.pi * share)])
        seen = [told(place), jar, other]
        story.look(*(seen[i] for i in chosen))
    for _ in range(15):
        seen = [told(RIGHT), jar, other]
        story.look(*(seen[i] for i in chosen))
    return [(k, tuple(np.round(s.world_p, 6))) for k, s in sorted(story.known.items())]


def test_order_of_detections_changes_nothing_but_names() -> None:
    places = [sorted(p for _, p in _crossing(o)) for o in ((0, 1, 2), (2, 1, 0), (1, 2, 0))]

    assert places[0] == places[1] == places[2]
    assert len(places[0]) == 3


def test_weak_sight_far_away_does_not_drag_what_was_put_down() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, RIGHT, 1.4)
    story.stay(1.4, told(RIGHT))  # too short to be sure that it rests
    story.stay(1.4, away=True)
    weak = MemorySettings().confirm_score - 0.05
    story.look(told((-2.0, 0.3, 0.5), pose=looking(np.pi), score=weak), away=True)
    story.stay(3.0, away=True)
    story.stay(1.0, told(RIGHT))

    assert list(story.known) == ['cup_1']
    np.testing.assert_allclose(story.known['cup_1'].world_p, RIGHT, atol=0.05)


def test_one_carried_past_another_takes_it_not_along() -> None:
    # The one on the right is not detected in the look at which the carried one is nearest to it.
    story = Story()
    story.stay(2.0, told(LEFT), told(RIGHT))
    for y in (0.7, 0.5, 0.3, 0.1):
        story.look(told((2.0, y, 0.3)), told(RIGHT))
    story.look(told((2.0, -0.35, 0.3)))
    for y in (-0.6, -0.8, -1.0):
        story.look(told((2.0, y, 0.3)), told(RIGHT))

    left, right = (track_of(story.memory, name) for name in ('cup_1', 'cup_2'))
    assert left.in_motion
    assert not right.in_motion
    np.testing.assert_allclose(right.mean, RIGHT, atol=0.01)
    assert not right.trail


def test_sight_of_another_thing_does_not_end_a_rest() -> None:
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, RIGHT, 1.4)
    story.stay(1.0, told(RIGHT))
    story.look(told((2.3, 0.2, 0.4)))  # a slip of the detector
    story.stay(1.0, told(RIGHT))

    cup = story.known['cup_1']
    assert not cup.in_motion
    np.testing.assert_allclose(cup.world_p, RIGHT, atol=0.01)
    assert cup.num_moves == 1


def test_thing_is_placed_when_it_has_come_down() -> None:
    # Held 10 cm above its place for a while, then there: within the radius of one rest.
    story = Story()
    story.stay(2.0, told(LEFT))
    story.carry(LEFT, (2.0, -0.7, 0.3), 1.4)
    above = (2.0, -0.7, 0.10)
    story.look(told(above))
    story.look(told(above))
    story.stay(3.0, told(RIGHT))

    ((_, end),) = story.moves()
    assert end == 10 + 7 + 2

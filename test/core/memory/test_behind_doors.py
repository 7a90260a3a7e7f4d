"""Doors tell who a newcomer can be: nothing leaves a shut cupboard, and nothing enters it."""

from __future__ import annotations

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Detection, FrameDelta, LifeCycle, ObjectState, Scene
from test.core.memory.told import box_part, fixture, frame, Slabs, stamp, told
from test.scenarios.synthetic import looking, states_of

# A cupboard to the right whose door slides along z, a table to the left, a floor.
CUPBOARD = (2.0, -0.7, 0.0)
TABLE = (2.0, 0.7, 0.0)
FLOOR = (-3.0, 0.7, -0.92)
SCENE = Scene(
    parts=(box_part('cupboard/door', 'cupboard', 'door', (1.5, -1.2, -0.3), (1.52, -0.2, 0.3)),),
    fixtures=(
        fixture('cupboard', (2.0, -0.7, 0.0), (0.9, 0.9, 0.5), holds=True),
        fixture('table', (2.0, 0.7, -0.2), (0.9, 0.9, 0.24)),
    ),
)
SHUT, OPEN = 0.0, 0.6


class Room(Slabs):
    """Surfaces under everything; the door hides nothing here, it only tells."""

    movable_frames = ('door',)

    def __init__(self) -> None:
        super().__init__(
            ('floor', -1.0, (-9.0, 9.0), (-9.0, 9.0)),
            ('table', -0.08, (1.5, 2.5), (0.3, 1.2)),
            ('cupboard', -0.08, (1.5, 2.5), (-1.2, -0.3)),
        )


class Story:
    """Looks at 5 Hz with a door that goes where it is told in a second."""

    def __init__(self) -> None:
        self.memory = ObjectMemory(MemorySettings(), SCENE, Room())
        self.deltas: list[FrameDelta] = []
        self.door = SHUT

    def stay(self, seconds: float, *found: Detection, away: bool = False) -> None:
        for _ in range(round(seconds * 5)):
            self._look(found, away)

    def move_door(self, goal: float, *found: Detection, away: bool = False) -> None:
        """Open or shut it; ``found`` is detected while it is more than a little open."""
        start = self.door
        for step in range(1, 6):
            self.door = start + (goal - start) * step / 5
            self._look(found if self.door > 0.2 * OPEN else (), away)

    def _look(self, found: tuple[Detection, ...], away: bool) -> None:
        pose = looking(np.pi) if away else looking()
        parts = {'door': RigidTransform(np.array([0.0, 0.0, self.door]), np.array([0, 0, 0, 1.0]))}
        one = frame(stamp(len(self.deltas)), found, pose=pose, parts=parts)
        self.deltas.append(self.memory.integrate(one))

    @property
    def known(self) -> dict[str, ObjectState]:
        states = states_of(self.deltas)
        return {k: s for k, s in states.items() if s.life_cycle is not LifeCycle.RETIRED}

    @property
    def moves(self) -> list[str]:
        events = [e for delta in self.deltas for e in delta.events if e.event_type == 'moved']
        return [dict(e.roles)['object'] for e in events]


def test_what_an_opening_shows_is_not_what_was_seen_outside_meanwhile() -> None:
    # A cup on the table; the cupboard opens and shows another; then the table is empty.
    story = Story()
    story.stay(2.0, told(TABLE))
    story.stay(1.0, away=True)
    story.move_door(OPEN, told(CUPBOARD))
    story.stay(1.0, told(CUPBOARD))
    story.stay(8.0, told(CUPBOARD))  # the table is in view, too: its cup has gone

    assert sorted(story.known) == ['cup_1', 'cup_2']
    assert story.known['cup_1'].life_cycle is LifeCycle.ABSENT
    assert story.moves == []


def test_what_shows_in_a_cupboard_that_stood_open_may_have_been_put_there() -> None:
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(TABLE))
    story.stay(4.0, away=True)
    story.stay(8.0, told(CUPBOARD))

    assert list(story.known) == ['cup_1']
    assert story.moves == ['cup_1']


def test_only_cup_behind_a_door_that_was_used_is_the_one_that_turns_up() -> None:
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD))
    story.move_door(SHUT, told(CUPBOARD))
    story.stay(1.0, away=True)
    story.move_door(OPEN, away=True)
    story.move_door(SHUT, away=True)
    story.stay(1.0, away=True)
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(5.0, seen, away=True)  # its old place is not looked at

    cup = story.known['cup_1']
    assert (list(story.known), cup.num_moves) == (['cup_1'], 1)
    np.testing.assert_allclose(cup.world_p, FLOOR, atol=0.05)


def test_cup_behind_a_door_that_stayed_shut_is_another() -> None:
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD))
    story.move_door(SHUT, told(CUPBOARD))
    story.stay(1.0, away=True)
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(5.0, seen, away=True)

    assert sorted(story.known) == ['cup_1', 'cup_2']
    assert story.moves == []


def test_cup_behind_a_door_that_opens_after_another_was_seen_is_not_that_one() -> None:
    # Shut in, another turns up, and only then the door opens again.
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD))
    story.move_door(SHUT, told(CUPBOARD))
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(3.0, seen, away=True)
    story.move_door(OPEN, away=True)
    story.stay(1.0, away=True)

    assert sorted(story.known) == ['cup_1', 'cup_2']
    assert story.moves == []


def test_cup_taken_unseen_before_the_door_was_shut_is_the_one_that_turns_up() -> None:
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD))
    story.stay(3.0, away=True)  # long enough to take it
    story.move_door(SHUT, away=True)
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(5.0, seen, away=True)

    assert list(story.known) == ['cup_1']
    assert story.moves == ['cup_1']


def test_cup_seen_elsewhere_meanwhile_is_not_the_one_that_turns_up() -> None:
    # Of two, the one on the table is still there: the one in the cupboard, which was used, is it.
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD), told(TABLE))
    story.stay(3.0, away=True)
    story.move_door(SHUT, away=True)
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(1.0, seen, away=True)
    story.stay(0.2, told(TABLE))  # one look at an empty cupboard shows nothing yet
    story.stay(3.0, seen, away=True)

    assert len(story.known) == 2
    places = sorted(tuple(np.round(s.world_p, 1)) for s in story.known.values())
    assert places == [(-3.0, 0.7, -0.9), (2.0, 0.7, 0.0)]
    assert len(story.moves) == 1


def test_shut_in_cup_is_not_the_one_in_the_air() -> None:
    # Of two cups one is shut in: the one in the air is the other.
    story = Story()
    story.move_door(OPEN)
    story.stay(2.0, told(CUPBOARD), told(TABLE))
    story.move_door(SHUT, told(CUPBOARD), told(TABLE))
    story.stay(0.4, told(TABLE))
    story.stay(3.0, away=True)
    for y in np.linspace(0.4, -0.4, 6):
        story._look((told((-2.0, y, 0.5), pose=looking(np.pi)),), True)

    by_place = {s.fixture_id: s for s in story.known.values() if not s.in_motion}
    assert len(story.known) == 2
    assert 'cupboard' in by_place
    assert sum(s.in_motion for s in story.known.values()) == 1


def test_two_missing_cups_wait_for_evidence_which_one_turned_up() -> None:
    # Two cups out of view; a third sight: the place that is found empty says which one it was.
    story = Story()
    left, right = (2.0, 0.5, 0.0), (2.0, 1.0, 0.0)
    story.stay(2.0, told(left), told(right))
    story.stay(3.0, away=True)
    seen = told(FLOOR, pose=looking(np.pi))
    story.stay(4.0, seen, away=True)
    assert len(story.known) == 3

    story.stay(6.0, told(right))

    places = sorted(tuple(np.round(s.world_p, 1)) for s in story.known.values())
    assert places == [(-3.0, 0.7, -0.9), (2.0, 1.0, 0.0)]
    assert len(story.moves) == 1

"""Which one a newcomer most likely is: the one that had by far the most time to become it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.chances import Chances
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.places import Places
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle, Scene
from test.core.memory.test_behind_doors import (
    CUPBOARD,
    FLOOR,
    OPEN,
    Room,
    SCENE,
    SHUT,
    Story,
    TABLE,
)
from test.core.memory.told import at, frame, S, stamp, told
from test.scenarios.synthetic import looking

FIRST_NS = 100 * S
HERE = [0.0, 0.0, 0.0]
NEWCOMER = Track('bowl_9', first_seen_ns=FIRST_NS, first_fix=HERE)
CHANCES = Chances(MemorySettings(), Places(SCENE, 0.15))


def lost(seconds_ago: float, metres_off: float = 0.0, name: str = 'bowl_1') -> Track:
    """Give a thing that was seen so long before the newcomer, so far from it."""
    fix = [metres_off, 0.0, 0.0]
    return Track(name, sure_fix=fix, sure_fix_ns=FIRST_NS - round(seconds_ago * S))


# The likeliest.


@pytest.mark.parametrize(
    ('seconds', 'winner'),
    [
        ([60.0], 0),
        ([60.0, 6.0], 0),  # a tenth is the most that a rival may have
        ([60.0, 6.1], None),
        ([6.0, 60.0], 1),
        ([60.0, 3.0, 3.0], 0),
        ([60.0, 3.1, 3.0], None),  # all rivals together
        ([60.0, 60.0], None),
        ([], None),
    ],
)
def test_by_far_the_most_time_wins(seconds: list[float], winner: int | None) -> None:
    some = [lost(s, name=f'bowl_{i}') for i, s in enumerate(seconds)]

    found = CHANCES.likeliest(some, NEWCOMER)

    assert found is (None if winner is None else some[winner])


@pytest.mark.parametrize(('metres', 'wins'), [(10.0, False), (0.0, True), (1.0, True)])
def test_the_way_takes_of_the_time(metres: float, wins: bool) -> None:
    # 61 s beside 6 s: with 1 m the ratio is exactly ten, with 10 m it is 51 to 6.
    far, near = lost(61.0, metres), lost(6.0, name='bowl_2')

    assert (CHANCES.likeliest([far, near], NEWCOMER) is far) is wins


def test_one_that_is_too_far_had_no_time() -> None:
    # 9 m in 8 s: none to spare, not less than none.
    far, near = lost(8.0, 9.0, 'bowl_1'), lost(4.0, name='bowl_2')

    assert CHANCES.likeliest([far, near], NEWCOMER) is near


def test_order_changes_nothing() -> None:
    some = [lost(80.0), lost(4.0, name='bowl_2'), lost(2.0, 1.0, 'bowl_3')]

    found = {CHANCES.likeliest(p, NEWCOMER) for p in itertools.permutations(some)}

    assert found == {some[0]}


def test_place_that_is_not_known_takes_no_way() -> None:
    nowhere = Track('bowl_1', sure_fix_ns=FIRST_NS - 60 * S)

    assert CHANCES.likeliest([nowhere, lost(6.0, name='bowl_2')], NEWCOMER) is nowhere


# Whether it could.


@pytest.mark.parametrize(
    ('seconds', 'metres', 'could'),
    [(1.0, 3.14, True), (1.0, 3.16, False), (0.0, 0.14, True), (10.0, 30.1, True)],
)
def test_nobody_carries_faster_than_the_fastest(
    seconds: float, metres: float, could: bool
) -> None:
    assert CHANCES.could_have_got_there(lost(seconds, metres), NEWCOMER) is could


def test_what_was_shut_in_before_the_other_was_seen_is_not_that_one() -> None:
    shut_in = Track('b', first_seen_ns=FIRST_NS, first_fix=HERE, shut_in_ns=FIRST_NS - 5 * S)

    assert not CHANCES.could_have_got_there(lost(4.0), shut_in)
    assert CHANCES.could_have_got_there(lost(6.0), shut_in)


def test_from_nowhere_nobody_knows() -> None:
    assert not CHANCES.could_have_got_there(Track('a', sure_fix_ns=0), NEWCOMER)


def test_doors_tell_from_the_last_sure_sight_on() -> None:
    state = FoldState(MemorySettings())
    for second, height in ((90, SHUT), (92, OPEN)):
        state.parts.note({'door': at(0.0, 0.0, height)}, second * S)
    inside = lost(20.0)
    inside.container_id = 'cupboard'

    assert CHANCES.was_in_reach(inside, NEWCOMER, state) is True
    inside.sure_fix_ns = 95 * S
    assert CHANCES.was_in_reach(inside, NEWCOMER, state) is None
    assert CHANCES.was_in_reach(lost(20.0), NEWCOMER, state) is None


# In the fold: one in a cupboard that was opened, one on the table that was seen just now.

LEFTWARDS = looking(0.42)  # the table alone is in view


class Kitchen(Story):
    """Two bowls, one of them behind the door."""

    def __init__(self, scene: Scene = SCENE) -> None:
        super().__init__()
        self.memory = ObjectMemory(MemorySettings(tentative_age_s=4.0), scene, Room())
        self.move_door(OPEN, away=True)
        self.stay(2.0, told(CUPBOARD, 'bowl'), told(TABLE, 'bowl'))
        self.move_door(SHUT, away=True)

    def watch_table(self, seconds: float) -> None:
        parts = {'door': at(0.0, 0.0, self.door)}
        bowl = told(TABLE, 'bowl', pose=LEFTWARDS)
        for _ in range(round(seconds * 5)):
            one = frame(stamp(len(self.deltas)), [bowl], pose=LEFTWARDS, parts=parts)
            self.deltas.append(self.memory.integrate(one))

    def find_on_floor(self, seconds: float) -> None:
        self.stay(seconds, told(FLOOR, 'bowl', pose=looking(np.pi)), away=True)

    def use_door(self) -> None:
        self.move_door(OPEN, away=True)
        self.move_door(SHUT, away=True)


def used_while_away(table_unseen_s: float) -> Kitchen:
    """Watch the table for 90 s after the door was used; then look away, and see the floor."""
    story = Kitchen()
    story.stay(1.0, away=True)
    story.use_door()
    story.watch_table(90.0)
    story.stay(table_unseen_s, away=True)
    return story


def test_newcomer_is_the_one_whose_door_was_opened_and_may_be_the_other() -> None:
    # 5.2 m to the floor: the one on the table had 1 s to spare, the other some 95 s.
    story = used_while_away(6.0)
    story.find_on_floor(3.0)
    assert sorted(story.known) == ['bowl_1', 'bowl_2', 'bowl_3']  # until it has waited

    story.find_on_floor(3.0)

    by_place = {s.fixture_id: s for s in story.known.values()}
    table, moved = by_place['table'], by_place['']
    assert len(story.known) == 2
    np.testing.assert_allclose(moved.world_p, FLOOR, atol=0.05)
    assert (table.num_moves, moved.num_moves) == (0, 1)
    assert story.moves == [moved.object_id]
    assert moved.identity_alternatives == (table.object_id,)
    assert moved.identity_confidence == 0.5
    assert (table.identity_alternatives, table.identity_confidence) == ((), 1.0)


def test_other_one_seen_at_its_place_ends_the_doubt() -> None:
    story = used_while_away(6.0)
    story.find_on_floor(6.0)
    story.watch_table(1.0)

    assert len(story.known) == 2
    assert all(s.identity_alternatives == () for s in story.known.values())
    assert len(story.moves) == 1


def test_newcomer_stays_a_stranger_while_both_had_their_time() -> None:
    story = used_while_away(20.0)  # 15 s to spare beside 110 s
    story.find_on_floor(6.0)

    assert sorted(story.known) == ['bowl_1', 'bowl_2', 'bowl_3']
    assert story.moves == []
    assert all(s.life_cycle is LifeCycle.CONFIRMED for s in story.known.values())


def test_newcomer_is_not_the_one_whose_door_stayed_shut() -> None:
    story = Kitchen()
    story.stay(4.0, away=True)
    story.watch_table(90.0)
    story.stay(6.0, away=True)
    story.find_on_floor(6.0)

    inside = {name for name, s in story.known.items() if s.fixture_id == 'cupboard'}
    assert len(inside) == 1
    assert not inside & set(story.moves)

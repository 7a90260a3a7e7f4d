"""Which thing it is: said to be open where class and place alone cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.doubt import Doubt
from st_memory.core.memory.rivals import nearly_as_good
from st_memory.core.ports import Checkpoint
from st_memory.core.queries import locate, Selector
from st_memory.core.records import Edit, EditAction, FrameDelta, ObjectState, SensedFrame
from st_memory.storage import InMemoryStore, SqliteMemoryStore
from test.scenarios.synthetic import Ball, FRAME_NS, looking, sense, states_of

RED, BLUE = (1.0, 0.0), (0.0, 1.0)
AWAY = looking(math.pi)
INF = math.inf


def mug(y: float, z: float = 0.0, embedding: tuple[float, ...] = ()) -> Ball:
    return Ball('mug', (2.0, y, z), embedding=embedding)


def run(frames: Sequence[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def unseen(first: list[Ball], then: list[Ball], looks: int = 40) -> list[SensedFrame]:
    frames = [sense(i, first) for i in range(10)]
    frames += [sense(10 + i, [], AWAY) for i in range(30)]
    return frames + [sense(40 + i, then) for i in range(looks)]


def doubts(states: dict[str, ObjectState]) -> dict[str, tuple[float, tuple[str, ...]]]:
    return {
        name: (s.identity_confidence, s.identity_alternatives)
        for name, s in states.items()
        if s.identity_confidence != 1.0 or s.identity_alternatives
    }


TWO = [mug(0.5), mug(-0.5)]
ONE_LEFT = [mug(0.0, 0.4)]


@pytest.fixture(scope='module')
def one_of_two() -> list[SensedFrame]:
    """Two mugs are gone from their places, and one has turned up elsewhere."""
    return unseen(TWO, ONE_LEFT)


# One of two.


def test_found_one_of_two_missing_may_be_either(one_of_two: list[SensedFrame]) -> None:
    states = states_of(run(one_of_two))

    found = [n for n in ('mug_1', 'mug_2') if states[n].num_moves]
    assert len(found) == 1
    (other,) = {'mug_1', 'mug_2'} - set(found)
    assert doubts(states) == {found[0]: (0.5, (other,))}


def test_found_one_that_looks_like_one_of_them_is_sure() -> None:
    frames = unseen(
        [mug(0.5, embedding=RED), mug(-0.5, embedding=BLUE)], [mug(0.0, 0.4, embedding=RED)]
    )

    states = states_of(run(frames))

    assert sum(s.num_moves for s in states.values()) == 1
    assert doubts(states) == {}


def test_only_one_of_its_class_is_sure() -> None:
    states = states_of(run(unseen([mug(0.5)], ONE_LEFT)))

    assert states['mug_1'].num_moves == 1
    assert doubts(states) == {}


def test_two_that_both_turn_up_elsewhere_may_be_each_other() -> None:
    states = states_of(run(unseen(TWO, [mug(0.0, 0.4), mug(0.0, -0.4)])))

    assert {n: s.num_moves for n, s in states.items() if n in ('mug_1', 'mug_2')} == {
        'mug_1': 1,
        'mug_2': 1,
    }
    assert doubts(states) == {'mug_1': (0.5, ('mug_2',)), 'mug_2': (0.5, ('mug_1',))}


def test_two_that_stay_in_view_are_sure() -> None:
    assert doubts(states_of(run([sense(i, TWO) for i in range(30)]))) == {}


def test_neighbours_are_sure_while_both_are_seen_and_open_while_one_is() -> None:
    near = [mug(0.07), mug(-0.07)]
    middle = [mug(0.0)]
    frames = [sense(i, near) for i in range(10)]

    both = states_of(run(frames))
    one = states_of(run([*frames, sense(10, middle)]))
    again = states_of(run([*frames, sense(10, middle), sense(11, near)]))

    assert doubts(both) == {}
    ((name, (confidence, others)),) = doubts(one).items()
    assert others == tuple({'mug_1', 'mug_2'} - {name})
    assert confidence == pytest.approx(0.5, abs=0.1)
    assert doubts(again) == {}


def test_rival_that_nobody_looked_for_rules_itself_out_where_it_stayed() -> None:
    # From the left only the first of two can be seen: it is gone, and one turned up above.
    left, stayed = looking(0.42), mug(-0.9)
    memory = ObjectMemory(MemorySettings(tentative_age_s=5.0))
    run([sense(i, [mug(0.9), stayed]) for i in range(10)], memory)
    run([sense(10 + i, [], AWAY) for i in range(20)], memory)

    open_still = states_of(
        run([sense(30 + i, [mug(0.5, 0.4), stayed], left) for i in range(40)], memory)
    )
    settled = states_of(run([sense(70 + i, [mug(0.5, 0.4), stayed]) for i in range(3)], memory))

    ((name, (confidence, (rival,))),) = doubts(open_still).items()
    assert confidence == 0.5
    assert settled[name].num_moves == 1
    assert settled[rival].num_moves == 0
    assert doubts(settled) == {}


def test_rival_that_was_gone_and_came_back_stays_one(one_of_two: list[SensedFrame]) -> None:
    # What stands there now may as well be the other one.
    ((name, (_, (rival,))),) = doubts(states_of(run(one_of_two))).items()
    at = states_of(run(one_of_two))[rival].world_p
    assert at is not None

    later = run(one_of_two + [sense(80 + i, [*ONE_LEFT, mug(at[1])]) for i in range(10)])

    assert states_of(later)[rival].num_moves == 0
    assert states_of(later)[name].identity_alternatives == (rival,)


def test_person_ends_the_doubt(one_of_two: list[SensedFrame]) -> None:
    memory = ObjectMemory(MemorySettings())
    ((name, (_, (rival,))),) = doubts(states_of(run(one_of_two, memory))).items()
    edit = Edit(EditAction.MERGE, name, other_id=rival)

    deltas = run([SensedFrame(100 * FRAME_NS, edits=(edit,))], memory)

    assert doubts(states_of(deltas)) == {}
    assert name in states_of(deltas)


# Where it is told.


def test_sentence_names_who_else_it_may_be(one_of_two: list[SensedFrame]) -> None:
    store = InMemoryStore()
    for delta in run(one_of_two):
        store.commit(delta)
    ((name, (_, (rival,))),) = doubts(states_of(run(one_of_two))).items()

    sentence = locate(store, Selector(object_id=name)).sentence

    assert sentence.endswith(f'; it may be {rival} (confidence 0.50).')
    assert 'may be' not in locate(store, Selector(object_id=rival)).sentence


def test_doubt_survives_the_store(one_of_two: list[SensedFrame], tmp_path) -> None:
    deltas = run(one_of_two)
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        for delta in deltas:
            store.commit(delta)
        found = {s.object_id: s for s in store.objects_at()}

    assert doubts(found) == doubts(states_of(deltas)) != {}


# Laws.


@pytest.mark.parametrize('cut', [41, 50, 55, 60, 79])
def test_restart_at_any_frame_changes_nothing(one_of_two: list[SensedFrame], cut: int) -> None:
    frames = one_of_two + [sense(80 + i, [*ONE_LEFT, mug(-0.5)]) for i in range(6)]
    whole, first = run(frames), run(frames[:cut])
    tracks = {r.state.object_id: r for d in first for r in d.tracks}
    checkpoint = Checkpoint(first[-1].frame, tuple(tracks[name] for name in sorted(tracks)))

    resumed = run(frames[cut:], ObjectMemory(MemorySettings(), checkpoint=checkpoint))

    assert [d.tracks for d in first + resumed] == [d.tracks for d in whole]


def test_moved_world_and_shifted_clock_change_no_doubt(one_of_two: list[SensedFrame]) -> None:
    new_T_old = RigidTransform(
        np.array([3.0, -1.0, 0.5]), np.array([0.0, 0.0, math.sin(0.4), math.cos(0.4)])
    )
    moved = [
        replace(
            f,
            stamp_ns=f.stamp_ns + 10**15,
            cameras=tuple(
                replace(c, world_T_camera=new_T_old @ c.world_T_camera) for c in f.cameras
            ),
        )
        for f in one_of_two
    ]

    assert doubts(states_of(run(moved))) == doubts(states_of(run(one_of_two)))


def test_order_of_detections_changes_no_doubt() -> None:
    frames = unseen(TWO, [mug(0.0, 0.4), mug(0.0, -0.4)])
    turned = [
        replace(f, cameras=tuple(replace(c, detections=c.detections[::-1]) for c in f.cameras))
        for f in frames
    ]

    def told(some: list[SensedFrame]) -> list[tuple[object, float]]:
        states = states_of(run(some)).values()
        return sorted((s.world_p or (), s.identity_confidence) for s in states)

    assert told(frames) == told(turned)


# Likelihoods.


def test_confidence_is_the_share_of_the_likelihoods() -> None:
    doubt = Doubt(0, {'b': 0.5, 'a': 0.5, 'c': 1.0})

    assert doubt.confidence == pytest.approx(1 / 3)
    assert doubt.alternatives == ('c', 'a', 'b')


def test_alternatives_are_few() -> None:
    assert len(Doubt(0, {f'mug_{i}': 1.0 for i in range(40)}).alternatives) == 5


@pytest.mark.parametrize(
    ('surprise', 'found', 'expected'),
    [
        ([[1.0]], [(0, 0)], {0: {}}),
        ([[1.0], [1.5]], [(0, 0)], {0: {1: math.exp(-0.5)}}),
        ([[1.0], [2.0]], [(0, 0)], {0: {}}),
        ([[1.0], [INF]], [(0, 0)], {0: {}}),
        ([[0.0, 0.1], [0.2, 0.0]], [(0, 0), (1, 1)], {0: {1: None}, 1: {0: None}}),
        ([[0.0, 1.0], [1.0, 0.0]], [(0, 0), (1, 1)], {0: {}, 1: {}}),
        ([[0.0, INF], [0.1, 0.0]], [(0, 0), (1, 1)], {0: {}, 1: {}}),
    ],
)
def test_nearly_as_good_by_hand(surprise: list, found: list, expected: dict) -> None:
    rivals = nearly_as_good(np.array(surprise), found)

    assert {row: set(others) for row, others in rivals.items()} == {
        row: set(others) for row, others in expected.items()
    }
    for row, others in expected.items():
        for other, share in others.items():
            # The swap of two costs 0.1 + 0.2 more.
            hand = math.exp(-0.3) if share is None else share
            assert rivals[row][other] == pytest.approx(hand)

"""One identity over ids, gaps and hands: what joins tracks and what keeps them apart."""

from __future__ import annotations

import math

import numpy as np

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    Detection,
    LifeCycle,
    MovementReport,
    SensedFrame,
    Visibility,
    WorldDetection,
)
from test.scenarios.synthetic import Ball, events_of, FRAME_NS, looking, sense, states_of


def run(frames: list[SensedFrame], memory: ObjectMemory | None = None) -> list:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def ball(y: float, track_id: str = '', label: str = 'cup') -> Ball:
    return Ball(label, (2.0, y, 0.0), track_id=track_id)


# Ids from outside.


def test_tracker_id_wins_over_place() -> None:
    # Two cups swap places between frames; their ids say which is which.
    frames = [sense(i, [ball(0.4, 'a'), ball(-0.4, 'b')]) for i in range(6)]
    frames += [sense(6 + i, [ball(-0.4, 'a'), ball(0.4, 'b')]) for i in range(16)]

    states = states_of(run(frames))

    assert sorted(states) == ['a', 'b']
    np.testing.assert_allclose(states['a'].world_p, (2.0, -0.4, 0.0), atol=0.04)
    assert {s.num_moves for s in states.values()} == {1}


def test_tracker_id_is_never_given_to_an_anonymous_place() -> None:
    # The same place, but another id: another object.
    frames = [sense(i, [ball(0.0, 'a')]) for i in range(6)]
    frames += [sense(6 + i, [ball(0.0, 'b')]) for i in range(6)]

    assert sorted(states_of(run(frames))) == ['a', 'b']


def test_generated_name_avoids_an_id_from_outside() -> None:
    frames = [sense(i, [ball(0.5, 'cup_1'), ball(-0.5)]) for i in range(6)]

    assert sorted(states_of(run(frames))) == ['cup_1', 'cup_2']


def test_label_without_letters_still_gets_a_name() -> None:
    frames = [sense(i, [ball(0.0, label='☕')]) for i in range(6)]

    assert list(states_of(run(frames))) == ['object_1']


def test_label_of_another_script_is_kept_in_the_name() -> None:
    frames = [sense(i, [ball(0.0, label='Чашка чая')]) for i in range(6)]

    assert list(states_of(run(frames))) == ['чашка_чая_1']


# Lost in a hand, found elsewhere.


def carried_off(found_after: int) -> list[SensedFrame]:
    """A cup is picked up, carried out of the image and found far to the left, at rest."""
    frames = [sense(i, [ball(0.0)]) for i in range(8)]
    frames += [sense(8 + i, [ball(-0.2 - 0.15 * i)]) for i in range(5)]
    away = looking(math.pi)
    frames += [sense(13 + i, [ball(-3.0)], away) for i in range(found_after)]
    left = looking(1.2)
    start = 13 + found_after
    frames += [sense(start + i, [Ball('cup', (0.8, 2.0, 0.0))], left) for i in range(10)]
    return frames


def test_cup_lost_in_a_hand_and_found_elsewhere_is_one_cup_that_moved_once() -> None:
    deltas = run(carried_off(found_after=14))

    states = states_of(deltas)
    live = [s for s in states.values() if s.life_cycle is LifeCycle.CONFIRMED]
    assert [s.object_id for s in live] == ['cup_1']
    assert live[0].num_moves == 1
    assert live[0].placed_by == 'inferred'
    np.testing.assert_allclose(live[0].world_p, (0.8, 2.0, 0.0), atol=0.04)


def test_movement_that_ended_unseen_is_one_moved_event() -> None:
    events = events_of(run(carried_off(found_after=14)))

    assert events.count('moved') == 1
    assert events.count('merged') == 1


def test_after_a_merge_placements_follow_each_other() -> None:
    deltas = run(carried_off(found_after=14))

    open_by_key: dict[tuple[str, int], int | None] = {}
    for placement in (p for d in deltas for p in d.placements):
        open_by_key[placement.object_id, placement.start_ns] = placement.end_ns
    still_open = [key for key, end in open_by_key.items() if end is None]
    assert [name for name, _ in still_open] == ['cup_1']


def test_newcomer_that_is_already_being_carried_is_joined_in_motion() -> None:
    frames = [sense(i, [ball(0.9)], looking(0.42)) for i in range(10)]
    # Away for 2 s; then at rest on the right, and carried on from there.
    right = looking(-0.42)
    frames += [sense(20 + i, [ball(-0.9)], right) for i in range(8)]
    frames += [sense(28 + i, [ball(-0.9 + 0.25 * i)], right) for i in range(1, 5)]
    memory = ObjectMemory(MemorySettings(absence_looks=1, absence_s=0.0))
    run(frames, memory)

    # One look at the old place proves it empty while the thing is in the hand.
    deltas = run([sense(34, [], looking(0.42)), sense(35, [], looking(0.42))], memory)

    state = states_of(deltas)['cup_1']
    assert state.in_motion
    assert state.visibility is Visibility.IN_MOTION
    assert 'cup_2' in state.aliases


# Annotated objects keep out of inference.


def test_annotated_object_is_not_moved_by_detections() -> None:
    start = SensedFrame(
        1,
        world_detections=(WorldDetection('cup', 1.0, (2.0, 0.0, 0.0), 'm1', source='annotation'),),
        movements=(MovementReport('m1', 'cup', 0, 1),),
    )
    frames = [start] + [sense(i, [ball(0.6, 'm1')]) for i in range(8)]

    state = states_of(run(frames))['m1']

    assert (state.num_moves, state.in_motion) == (1, False)


def test_reported_start_while_already_moving_changes_nothing() -> None:
    frames = [SensedFrame(t, movements=(MovementReport('m1', 'cup', 1),)) for t in (1, FRAME_NS)]

    state = states_of(run(frames))['m1']

    assert (state.in_motion, state.num_moves) == (True, 0)


def test_detection_without_depth_leaves_the_object_where_it_was() -> None:
    memory = ObjectMemory(MemorySettings())
    run([sense(i, [ball(0.0)]) for i in range(6)], memory)
    bearing = Detection('cup', 0.9, box_px=(5.0, 5.0, 12.0, 12.0))

    deltas = run([sense(6, [ball(0.0)], depth=False, extra=[bearing])], memory)

    assert deltas[0].observations == ()
    assert memory.counters['no_position'] == 2


def test_place_that_looked_empty_twice_and_a_newcomer_are_one_moved_cup() -> None:
    frames = [sense(i, [ball(0.9)], looking(0.42)) for i in range(8)]
    frames += [sense(8 + i, [], looking(0.42)) for i in range(2)]  # taken, seen for two looks
    frames += [sense(20 + i, [ball(-0.9)], looking(-0.42)) for i in range(6)]

    states = states_of(run(frames))

    assert states['cup_1'].life_cycle is LifeCycle.CONFIRMED
    assert states['cup_2'].life_cycle is LifeCycle.RETIRED
    assert states['cup_1'].num_moves == 1


def test_place_that_looked_empty_once_is_not_enough() -> None:
    frames = [sense(i, [ball(0.9)], looking(0.42)) for i in range(8)]
    frames += [sense(8, [], looking(0.42))]
    frames += [sense(20 + i, [ball(-0.9)], looking(-0.42)) for i in range(6)]

    assert {s.life_cycle for s in states_of(run(frames)).values()} == {LifeCycle.CONFIRMED}

"""The fold on synthetic worlds whose right answer is known by construction."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Detection, LifeCycle, SensedFrame, Visibility
from test.scenarios.synthetic import (
    Ball,
    events_of,
    FRAME_NS,
    looking,
    sense,
    states_of,
)

CUP = Ball('cup', (2.0, 0.0, 0.0))
BOWL = Ball('bowl', (2.2, 0.5, -0.1), radius=0.1)


def run(memory: ObjectMemory, frames: list[SensedFrame]) -> list:
    return [memory.integrate(frame) for frame in frames]


def fresh() -> ObjectMemory:
    return ObjectMemory(MemorySettings())


def path(start: np.ndarray, end: np.ndarray, steps: int) -> list[tuple[float, float, float]]:
    return [tuple(float(v) for v in start + (end - start) * i / steps) for i in range(steps + 1)]


# Becoming an object.


def test_cup_seen_often_enough_becomes_one_object() -> None:
    deltas = run(fresh(), [sense(i, [CUP]) for i in range(6)])

    states = states_of(deltas)
    assert list(states) == ['cup_1']
    assert events_of(deltas) == ['appeared']
    assert states['cup_1'].life_cycle is LifeCycle.CONFIRMED
    assert states['cup_1'].visibility is Visibility.VISIBLE
    # 2 cm: the centre is put half the extent behind the seen surface.
    np.testing.assert_allclose(states['cup_1'].world_p, CUP.at, atol=0.02)


def test_first_seen_is_the_first_detection_not_the_confirmation() -> None:
    deltas = run(fresh(), [sense(i, [CUP]) for i in range(6)])

    assert states_of(deltas)['cup_1'].first_seen_ns == FRAME_NS


def test_cup_seen_three_times_is_not_yet_an_object() -> None:
    deltas = run(fresh(), [sense(i, [CUP]) for i in range(3)])

    assert states_of(deltas) == {}
    assert all(not d.observations for d in deltas)


def test_weak_scores_never_become_an_object() -> None:
    weak = Ball('cup', CUP.at, score=0.3)

    deltas = run(fresh(), [sense(i, [weak]) for i in range(40)])

    assert states_of(deltas) == {}


def test_rarely_matching_detections_never_become_an_object() -> None:
    # One look in five matches: below the share that an object needs.
    hidden = Ball('cup', CUP.at, is_detected=False)
    frames = [sense(i, [CUP if i % 5 == 0 else hidden]) for i in range(40)]

    assert states_of(run(fresh(), frames)) == {}


def test_scores_below_the_floor_are_counted() -> None:
    memory = fresh()

    run(memory, [sense(0, [Ball('cup', CUP.at, score=0.1)])])

    assert memory.counters['below_min_score'] == 1


def test_detection_without_depth_is_counted_and_makes_no_object() -> None:
    memory = fresh()

    deltas = run(memory, [sense(i, [CUP], depth=False) for i in range(6)])

    assert states_of(deltas) == {}
    assert memory.counters['no_position'] == 6


def test_tracker_id_is_believed_at_once() -> None:
    ball = Ball('cup', CUP.at, track_id='mug-7')

    deltas = run(fresh(), [sense(0, [ball])])

    assert list(states_of(deltas)) == ['mug-7']


def test_the_match_that_tips_the_balance_is_the_first_observation_kept() -> None:
    deltas = run(fresh(), [sense(i, [CUP]) for i in range(6)])

    kept = [o.stamp_ns for d in deltas for o in d.observations]
    opened = next(i for d in deltas for i in d.intervals)
    assert kept == [4 * FRAME_NS, 5 * FRAME_NS, 6 * FRAME_NS]
    assert opened.start_ns == kept[0]


# Identity.


def test_two_of_a_kind_stay_two() -> None:
    other = Ball('cup', (2.0, 0.3, 0.0))

    deltas = run(fresh(), [sense(i, [CUP, other]) for i in range(20)])

    states = states_of(deltas)
    assert sorted(states) == ['cup_1', 'cup_2']
    assert {s.num_moves for s in states.values()} == {0}
    ys = sorted(s.world_p[1] for s in states.values())
    np.testing.assert_allclose(ys, [0.0, 0.3], atol=0.02)


def test_registration_scatter_of_15_cm_is_neither_a_move_nor_a_second_cup() -> None:
    rng = np.random.default_rng(0)
    frames = [
        sense(i, [Ball('cup', (2.0, float(rng.uniform(-0.07, 0.07)), 0.0))]) for i in range(60)
    ]

    states = states_of(run(fresh(), frames))

    assert list(states) == ['cup_1']
    assert states['cup_1'].num_moves == 0


def test_mislabelled_detection_keeps_the_identity() -> None:
    frames = [sense(i, [CUP]) for i in range(8)]
    frames += [sense(8, [Ball('bowl', CUP.at)])]
    frames += [sense(i, [CUP]) for i in range(9, 12)]

    states = states_of(run(fresh(), frames))

    assert list(states) == ['cup_1']
    assert states['cup_1'].label == 'cup'
    assert states['cup_1'].num_observations == 12


def test_thing_detected_twice_in_a_frame_is_counted_once() -> None:
    memory = fresh()
    run(memory, [sense(i, [CUP]) for i in range(6)])
    box = sense(6, [CUP]).cameras[0].detections[0].box_px
    doubled = Detection('cup', 0.7, box_px=(box[0] + 0.5, box[1], box[2], box[3]))

    deltas = run(memory, [sense(6, [CUP], extra=[doubled])])

    assert len(deltas[0].observations) == 1
    assert memory.counters['duplicate_detection'] == 1


def test_random_false_positives_make_no_objects() -> None:
    rng = np.random.default_rng(3)
    frames = []
    for i in range(150):
        x, y = rng.uniform(10, 120), rng.uniform(10, 90)
        clutter = [Detection('bottle', 0.6, box_px=(x, y, 20.0, 20.0))]
        frames.append(sense(i, [CUP], extra=clutter if rng.random() < 0.2 else []))

    assert list(states_of(run(fresh(), frames))) == ['cup_1']


# Moves.


def carried_over() -> list[SensedFrame]:
    """Ten frames at rest, six frames on the way 0.8 m to the left, fifteen at rest there."""
    start, end = np.array([2.0, 0.4, 0.0]), np.array([2.0, -0.4, 0.0])
    stations = [tuple(start)] * 10 + path(start, end, 6)[1:] + [tuple(end)] * 15
    return [sense(i, [Ball('cup', at)]) for i, at in enumerate(stations)]


def test_cup_carried_in_view_is_one_object_that_moved_once() -> None:
    deltas = run(fresh(), carried_over())

    state = states_of(deltas)['cup_1']
    assert list(states_of(deltas)) == ['cup_1']
    assert state.num_moves == 1
    assert state.placed_by == 'observed'
    assert not state.in_motion
    np.testing.assert_allclose(state.world_p, (2.0, -0.4, 0.0), atol=0.04)


def test_last_placed_is_when_it_came_to_rest() -> None:
    state = states_of(run(fresh(), carried_over()))['cup_1']

    # Frame 15 is the first at the new place; the walk back may take in the one before it.
    assert 15 * FRAME_NS <= state.last_placed_ns <= 17 * FRAME_NS


def test_cup_on_its_way_is_in_motion() -> None:
    deltas = run(fresh(), carried_over()[:15])

    state = states_of(deltas)['cup_1']
    assert state.in_motion
    assert state.visibility is Visibility.IN_MOTION


def test_placements_of_a_moved_cup_follow_each_other() -> None:
    deltas = run(fresh(), carried_over())

    placements = [p for d in deltas for p in d.placements]
    opened = [p for p in placements if p.end_ns is None]
    closed = [p for p in placements if p.end_ns is not None]
    assert [p.source for p in opened] == ['first_seen', 'observed']
    assert len(closed) == 1
    assert closed[0].start_ns == opened[0].start_ns
    assert closed[0].end_ns <= opened[1].start_ns


def moved_unseen(gap: int) -> tuple[list, list]:
    """
    A cup on the left; after ``gap`` frames without a look it stands on the right.

    Gives what was concluded while only the new place was seen, and what followed from seeing the
    old one empty.
    """
    left, right = Ball('cup', (2.0, 0.9, 0.0)), Ball('cup', (2.0, -0.9, 0.0))
    memory, turn = fresh(), 0.42
    frames = [sense(i, [left], looking(turn)) for i in range(10)]
    frames += [sense(10 + gap + i, [right], looking(-turn)) for i in range(10)]
    before = run(memory, frames)
    return before, run(memory, [sense(20 + gap + i, [right], looking(turn)) for i in range(12)])


def test_moved_cup_found_elsewhere_is_the_same_cup_once_its_place_is_seen_empty() -> None:
    before, after = moved_unseen(gap=10)

    assert sorted(states_of(before)) == ['cup_1', 'cup_2']
    states = states_of(before + after)
    assert states['cup_1'].life_cycle is LifeCycle.CONFIRMED
    assert states['cup_2'].life_cycle is LifeCycle.RETIRED
    assert states['cup_1'].num_moves == 1
    assert states['cup_1'].placed_by == 'inferred'
    assert 'cup_2' in states['cup_1'].aliases
    np.testing.assert_allclose(states['cup_1'].world_p, (2.0, -0.9, 0.0), atol=0.04)


def test_cup_that_nobody_could_have_carried_there_in_time_is_another_cup() -> None:
    # 1.8 m in 0.2 s.
    before, after = moved_unseen(gap=0)

    states = states_of(before + after)
    assert states['cup_1'].life_cycle is LifeCycle.ABSENT
    assert states['cup_2'].life_cycle is LifeCycle.CONFIRMED


def test_second_cup_elsewhere_stays_a_second_cup_while_the_first_is_at_its_place() -> None:
    left, right = Ball('cup', (2.0, 0.9, 0.0)), Ball('cup', (2.0, -0.9, 0.0))
    frames = [sense(i, [left, right], looking(0.42)) for i in range(10)]
    frames += [sense(10 + i, [left, right], looking(-0.42)) for i in range(10)]
    frames += [sense(20 + i, [left, right], looking(0.42)) for i in range(10)]

    states = states_of(run(fresh(), frames))

    assert sorted(states) == ['cup_1', 'cup_2']
    assert {s.life_cycle for s in states.values()} == {LifeCycle.CONFIRMED}


def test_thing_lost_while_carried_counts_as_put_down_there() -> None:
    frames = carried_over()[:16]
    away = [sense(16 + i, [], looking(math.pi)) for i in range(12)]

    state = states_of(run(fresh(), frames + away))['cup_1']

    assert not state.in_motion
    assert state.placed_by == 'lost'  # where it lies is only assumed
    assert state.num_moves == 1
    assert state.last_placed_ns == state.last_seen_ns


def test_lifted_and_put_back_without_going_far_is_no_move() -> None:
    wiggle = [0.0] * 8 + [0.3, 0.3, 0.3] + [0.0] * 12
    frames = [sense(i, [Ball('cup', (2.0, y, 0.0))]) for i, y in enumerate(wiggle)]

    state = states_of(run(fresh(), frames))['cup_1']

    assert state.num_moves == 0
    assert not state.in_motion
    np.testing.assert_allclose(state.world_p, (2.0, 0.0, 0.0), atol=0.04)


# Absence.


def test_removed_cup_becomes_absent_only_after_enough_looks() -> None:
    memory = fresh()
    run(memory, [sense(i, [CUP]) for i in range(6)])

    early = states_of(run(memory, [sense(6 + i, []) for i in range(5)]))
    late = run(memory, [sense(11 + i, []) for i in range(6)])

    assert early['cup_1'].life_cycle is LifeCycle.CONFIRMED
    assert states_of(late)['cup_1'].life_cycle is LifeCycle.ABSENT
    assert states_of(late)['cup_1'].visibility is Visibility.ABSENT
    assert events_of(late) == ['absent']


def test_absent_cup_that_returns_is_the_same_cup() -> None:
    frames = [sense(i, [CUP]) for i in range(6)] + [sense(6 + i, []) for i in range(12)]
    frames += [sense(18 + i, [CUP]) for i in range(3)]

    deltas = run(fresh(), frames)

    assert list(states_of(deltas)) == ['cup_1']
    assert states_of(deltas)['cup_1'].life_cycle is LifeCycle.CONFIRMED
    assert events_of(deltas) == ['appeared', 'absent', 'returned']


def test_silent_detector_is_no_evidence_of_absence() -> None:
    frames = [sense(i, [CUP]) for i in range(6)]
    frames += [sense(6 + i, [], detector=False) for i in range(40)]

    state = states_of(run(fresh(), frames))['cup_1']

    assert state.life_cycle is LifeCycle.CONFIRMED


def test_missed_but_present_cup_is_no_evidence_of_absence() -> None:
    blind = Ball('cup', CUP.at, is_detected=False)
    frames = [sense(i, [CUP]) for i in range(6)] + [sense(6 + i, [blind]) for i in range(40)]

    state = states_of(run(fresh(), frames))['cup_1']

    assert state.life_cycle is LifeCycle.CONFIRMED
    assert state.visibility is Visibility.VISIBLE


def test_without_depth_nothing_is_declared_absent() -> None:
    frames = [sense(i, [CUP]) for i in range(6)]
    frames += [sense(6 + i, [], depth=False) for i in range(40)]

    assert states_of(run(fresh(), frames))['cup_1'].life_cycle is LifeCycle.CONFIRMED


def test_hidden_cup_is_occluded_not_absent() -> None:
    screen = Ball('board', (1.0, 0.0, 0.0), radius=0.3, is_detected=False)
    frames = [sense(i, [CUP]) for i in range(6)]
    frames += [sense(6 + i, [CUP, screen]) for i in range(40)]

    state = states_of(run(fresh(), frames))['cup_1']

    assert state.life_cycle is LifeCycle.CONFIRMED
    assert state.visibility is Visibility.OCCLUDED
    assert (state.cause, state.occluder_id) == ('occluded_by:depth', 'depth')


def test_out_of_view_never_decays() -> None:
    frames = [sense(i, [CUP]) for i in range(6)]
    frames += [sense(6 + i, [CUP], looking(math.pi)) for i in range(100)]

    state = states_of(run(fresh(), frames))['cup_1']

    assert state.visibility is Visibility.OUT_OF_VIEW
    assert state.cause == 'behind_camera'
    assert state.last_seen_ns == 6 * FRAME_NS
    np.testing.assert_allclose(state.world_p, CUP.at, atol=0.02)


# Order and misuse.


def test_frame_that_is_not_later_is_refused() -> None:
    memory = fresh()
    memory.integrate(sense(3, [CUP]))

    with pytest.raises(ValueError, match='expected a moment after'):
        memory.integrate(sense(3, [CUP]))


def test_new_epoch_starts_from_nothing() -> None:
    memory = fresh()
    first = run(memory, [sense(i, [CUP]) for i in range(6)])

    second = run(memory, [sense(i, [CUP], epoch=1) for i in range(6)])

    assert [d.frame.seq for d in first + second] == list(range(12))
    assert states_of(second)['cup_1'].epoch == 1
    assert states_of(second)['cup_1'].num_observations == 6

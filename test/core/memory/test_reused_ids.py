"""Ids from outside that are given to other things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint
from st_memory.core.records import Detection, FrameDelta, LifeCycle, SensedFrame, WorldDetection
from test.scenarios.synthetic import Ball, events_of, FRAME_NS, sense, states_of

RED, BLUE = (1.0, 0.0), (0.0, 1.0)
HERE, THERE = (2.0, 0.5, 0.0), (2.0, -0.7, 0.0)


def run(frames: Sequence[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def jump(first: Ball, then: Ball, looks: int = 15) -> list[SensedFrame]:
    """One thing for two seconds, then another one at once."""
    return [sense(i, [first]) for i in range(10)] + [sense(10 + i, [then]) for i in range(looks)]


CUP = Ball('cup', HERE, track_id='7')
CHAIR = Ball('chair', THERE, track_id='7')


def test_id_on_another_class_far_away_is_another_object() -> None:
    memory = ObjectMemory(MemorySettings())
    deltas = run(jump(CUP, CHAIR), memory)

    states = states_of(deltas)
    assert sorted(states) == ['7', '7_1']
    assert (states['7'].label, states['7_1'].label) == ('cup', 'chair')
    np.testing.assert_allclose(states['7'].world_p, HERE, atol=0.03)
    np.testing.assert_allclose(states['7_1'].world_p, THERE, atol=0.03)
    assert {s.num_moves for s in states.values()} == {0}
    assert states['7_1'].num_observations == 13
    counts = memory.counters
    assert (counts['id_in_doubt'], counts['id_reused']) == (2, 1)


def test_reuse_is_an_event_that_names_both() -> None:
    (event,) = [e for d in run(jump(CUP, CHAIR)) for e in d.events if e.event_type == 'id_reused']

    assert event.roles == (('object', '7_1'), ('earlier', '7'))
    assert event.detail == 'the id 7 means 7_1, no longer 7'


def test_id_on_other_looks_far_away_is_another_object() -> None:
    red, blue = replace(CUP, embedding=RED), replace(CUP, at=THERE, embedding=BLUE)

    states = states_of(run(jump(red, blue)))

    assert sorted(states) == ['7', '7_1']
    np.testing.assert_allclose(states['7'].world_p, HERE, atol=0.03)


def test_id_on_the_same_class_far_away_is_a_move() -> None:
    deltas = run(jump(CUP, replace(CUP, at=THERE)))

    states = states_of(deltas)
    assert sorted(states) == ['7']
    assert states['7'].num_moves == 1
    np.testing.assert_allclose(states['7'].world_p, THERE, atol=0.03)
    assert 'id_reused' not in events_of(deltas)


def test_id_on_another_class_at_the_same_place_stays_the_same() -> None:
    assert sorted(states_of(run(jump(CUP, replace(CUP, label='mug'))))) == ['7']


@pytest.mark.parametrize('slips', [1, 2])
def test_wrong_sights_now_and_then_open_nothing(slips: int) -> None:
    memory = ObjectMemory(MemorySettings())
    frames = [sense(i, [CHAIR if i >= 10 and i % 5 < slips else CUP]) for i in range(30)]

    states = states_of(run(frames, memory))

    assert sorted(states) == ['7']
    assert memory.counters['id_in_doubt'] == 4 * slips
    np.testing.assert_allclose(states['7'].world_p, HERE, atol=0.03)


def test_id_goes_to_the_object_that_is_known_there() -> None:
    chair = replace(CHAIR, track_id='')
    frames = [sense(i, [CUP, chair]) for i in range(10)]
    frames += [sense(10 + i, [replace(CUP, track_id=''), CHAIR]) for i in range(10)]

    deltas = run(frames)

    states = states_of(deltas)
    assert sorted(states) == ['7', 'chair_1']
    assert states['chair_1'].num_observations > 12
    assert states['7'].num_observations > 12
    assert {s.num_moves for s in states.values()} == {0}


def test_id_that_goes_and_comes_back_leaves_two_objects() -> None:
    frames = jump(CUP, CHAIR) + [sense(25 + i, [CUP]) for i in range(10)]

    states = states_of(run(frames))

    assert sorted(states) == ['7', '7_1']
    assert {s.num_moves for s in states.values()} == {0}


def test_carried_thing_with_a_wrong_class_is_followed_within_reach() -> None:
    # 0.4 m in 0.2 s is walking speed: a slip of the class alone does not make another object.
    frames = [sense(i, [CUP]) for i in range(10)]
    frames += [
        sense(10 + i, [replace(CUP, label='bowl', at=(2.0, 0.5 - 0.4 * i, 0.0))])
        for i in range(1, 4)
    ]

    assert sorted(states_of(run(frames))) == ['7']


def positions(label: str, at: tuple[float, float, float], source: str) -> WorldDetection:
    return WorldDetection(label, 0.9, at, '7', source=source)


@pytest.mark.parametrize(('source', 'expected'), [('detector_3d', 2), ('annotation', 1)])
def test_positions_in_the_fixed_frame_follow_the_same_rule(source: str, expected: int) -> None:
    frames = [
        SensedFrame(
            (i + 1) * FRAME_NS,
            world_detections=(
                positions('cup' if i < 5 else 'chair', HERE if i < 5 else THERE, source),
            ),
        )
        for i in range(12)
    ]

    assert len(states_of(run(frames))) == expected


@pytest.mark.parametrize('cut', [9, 11, 12, 13])
def test_restart_while_an_id_is_in_doubt_changes_nothing(cut: int) -> None:
    frames = jump(CUP, CHAIR)
    whole, first = run(frames), run(frames[:cut])
    tracks = {r.state.object_id: r for d in first for r in d.tracks}
    checkpoint = Checkpoint(first[-1].frame, tuple(tracks[name] for name in sorted(tracks)))

    resumed = run(frames[cut:], ObjectMemory(MemorySettings(), checkpoint=checkpoint))

    assert [(d.tracks, d.events, d.frame) for d in first + resumed] == [
        (d.tracks, d.events, d.frame) for d in whole
    ]


def test_absent_object_whose_id_is_given_on_stays_absent() -> None:
    settings = MemorySettings(absence_looks=2, absence_s=0.2)
    frames = [sense(i, [CUP]) for i in range(10)] + [sense(10 + i, []) for i in range(10)]
    frames += [sense(20 + i, [CHAIR]) for i in range(6)]

    states = states_of(run(frames, ObjectMemory(settings)))

    assert states['7'].life_cycle is LifeCycle.ABSENT
    assert states['7_1'].life_cycle is LifeCycle.CONFIRMED


def test_detection_without_position_asks_for_no_id() -> None:
    frames = [sense(i, [CUP]) for i in range(6)]
    flat = Detection('chair', 0.9, '7', box_px=(1.0, 1.0, 5.0, 5.0))
    frames += [sense(6 + i, [], depth=False, extra=[flat]) for i in range(6)]

    assert sorted(states_of(run(frames))) == ['7']

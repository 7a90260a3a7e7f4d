"""A thing behind the own arm: hidden by it, still there, and never gone for it."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import LifeCycle, ObjectState, Visibility
from test.core.memory.told import flat, frame, run, stamp, told, track_of
from test.scenarios.synthetic import CAMERA, events_of, states_of

CUP = told((2.0, 0.0, 0.0))  # 10.4 px wide, around (79.5, 59.5)
ARM = np.zeros((CAMERA.height, CAMERA.width), dtype=bool)
ARM[40:, 60:100] = True
FREE_M, ARM_M, HELD = 5.0, 0.4, 6


def found() -> tuple[ObjectMemory, list]:
    memory = ObjectMemory(MemorySettings())
    return memory, run([frame(stamp(i), [CUP], depth=2.0) for i in range(HELD)], memory)


def hundred_looks(
    depth: np.ndarray | float | None, mask: np.ndarray | None
) -> tuple[ObjectMemory, ObjectState, list[str]]:
    memory, deltas = found()
    later = [frame(stamp(HELD + i), [], depth=depth, own_body=mask) for i in range(100)]
    deltas += run(later, memory)
    return memory, states_of(deltas)['cup_1'], events_of(deltas)


def arm_at(depth_m: float) -> np.ndarray:
    depth = flat(FREE_M)
    depth[ARM] = depth_m
    return depth


@pytest.mark.parametrize('depth', [None, arm_at(ARM_M), arm_at(np.nan), arm_at(FREE_M)])
def test_hundred_looks_at_the_arm_say_hidden_by_self_and_prove_no_absence(
    depth: np.ndarray | None,
) -> None:
    memory, state, events = hundred_looks(depth, ARM)

    assert state.visibility is Visibility.OCCLUDED
    assert (state.cause, state.occluder_id) == ('occluded_by:self', 'self')
    assert state.life_cycle is LifeCycle.CONFIRMED
    track = track_of(memory)
    assert (track.absent_looks, track.free_misses, track.misses) == (0, 0.0, 0)
    assert events == ['appeared']


def test_same_looks_without_the_mask_go_by_what_depth_makes_of_the_arm() -> None:
    _, measured, _ = hundred_looks(arm_at(ARM_M), None)
    _, glossy, events = hundred_looks(arm_at(FREE_M), None)

    assert (measured.visibility, measured.occluder_id) == (Visibility.OCCLUDED, 'depth')
    # Depth that goes through an arm is what the mask is for: here the cup would be given up.
    assert glossy.visibility is Visibility.ABSENT
    assert events == ['appeared', 'absent']


def test_arm_goes_away_and_the_cup_is_gone_only_then() -> None:
    memory, _, _ = hundred_looks(arm_at(FREE_M), ARM)
    begin = HELD + 100

    seven = run([frame(stamp(begin + i), [], depth=FREE_M) for i in range(7)], memory)
    eighth = run([frame(stamp(begin + 7), [], depth=FREE_M)], memory)

    assert events_of(seven) == []
    assert events_of(eighth) == ['absent']


def test_cup_that_shows_beside_the_arm_is_visible_when_detected() -> None:
    memory, _ = found()

    deltas = run([frame(stamp(HELD), [CUP], depth=arm_at(ARM_M), own_body=ARM)], memory)

    state = states_of(deltas)['cup_1']
    assert (state.visibility, state.cause) == (Visibility.VISIBLE, 'detected')


def test_empty_mask_leaves_every_delta_as_it_is() -> None:
    empty = np.zeros_like(ARM)
    runs = []
    for mask in (None, empty):
        memory = ObjectMemory(MemorySettings())
        looks = [([CUP], 2.0), ([], 0.5), ([], FREE_M), ([CUP], 2.0)] * 4
        frames = [
            frame(stamp(i), found_now, depth=depth, own_body=mask)
            for i, (found_now, depth) in enumerate(looks)
        ]
        runs.append(run(frames, memory))

    assert [d.tracks for d in runs[0]] == [d.tracks for d in runs[1]]
    assert [d.intervals for d in runs[0]] == [d.intervals for d in runs[1]]

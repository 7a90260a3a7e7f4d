"""A pose that jumps makes a miss worth nothing for a while; walking and turning do not."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.camera_log import CameraLog
from st_memory.core.records import LifeCycle, SensedFrame, Visibility
from test.core.memory.told import (
    at,
    checkpoint_of,
    frame,
    run,
    S,
    stamp,
    text_of,
    told,
    track_of,
    turned,
)
from test.scenarios.synthetic import events_of, FRAME_NS, looking, states_of

# Powers of two, so that limits are met exactly: 0.25 m + 1 m/s * 0.5 s = 0.75 m.
EXACT = MemorySettings(
    pose_jump_m=0.25,
    max_speed_mps=1.0,
    pose_jump_rad=0.25,
    max_turn_radps=0.5,
    pose_doubt_s=2.0,
)
HALF_NS = S // 2


def jumps(
    poses: list[tuple[int, RigidTransform | None]], settings: MemorySettings = EXACT
) -> list[bool]:
    log = CameraLog()
    return [log.begin(stamp_ns, pose, settings) for stamp_ns, pose in poses]


# What a jump is.


@pytest.mark.parametrize(
    ('shift_m', 'expected'), [(0.75, False), (math.nextafter(0.75, 1.0), True), (0.5, False)]
)
def test_shift_beyond_the_fastest_walk_is_a_jump(shift_m: float, expected: bool) -> None:
    assert jumps([(S, at(0.0)), (S + HALF_NS, at(0.0, shift_m))]) == [False, expected]


@pytest.mark.parametrize(
    ('turn_rad', 'expected'),
    [(0.4999999, False), (0.5000001, True)],  # 0.25 rad + 0.5 rad/s * 0.5 s
)
def test_turn_beyond_the_fastest_one_is_a_jump(turn_rad: float, expected: bool) -> None:
    turn = turned((0.6, 0.0, 0.8), turn_rad)

    assert jumps([(S, at(0.0)), (S + HALF_NS, turn)]) == [False, expected]


def test_same_attitude_with_the_other_sign_of_its_quaternion_is_no_jump() -> None:
    quat = np.array([0.0, 0.0, 0.6, 0.8])

    assert jumps([(S, at(0, quat=quat)), (S + 1, at(0, quat=-quat))]) == [False, False]


def test_first_pose_is_no_jump() -> None:
    assert jumps([(S, at(1000.0))]) == [False]


def test_more_time_allows_a_longer_way() -> None:
    # At 1 Hz 1.25 m, after 10 s 10.25 m.
    assert jumps([(S, at(0)), (2 * S, at(1.25)), (3 * S, at(0))]) == [False, False, False]
    assert jumps([(S, at(0)), (2 * S, at(1.26))]) == [False, True]
    assert jumps([(S, at(0)), (11 * S, at(10.25))]) == [False, False]


def test_looks_without_a_pose_in_between_do_not_hide_or_make_a_jump() -> None:
    gap: list[tuple[int, RigidTransform | None]] = [(2 * S, None), (3 * S, None)]

    # 1 m/s for 3 s and 0.25 m: counted from the last pose that was known.
    assert jumps([(S, at(0)), *gap, (4 * S, at(3.25))]) == [False] * 4
    assert jumps([(S, at(0)), *gap, (4 * S, at(3.26))]) == [False, False, False, True]


def test_jump_there_and_back_is_two() -> None:
    poses = [(S, at(0)), (2 * S, at(5.0)), (3 * S, at(0))]

    assert jumps(poses) == [False, True, True]


def test_every_camera_has_its_own_pose() -> None:
    memory = ObjectMemory(MemorySettings())
    for i in range(5):
        one = frame(stamp(i), [], camera_id='left')
        far = frame(stamp(i), [], pose=looking(at=(50.0, 0.0, 0.0)), camera_id='right')
        run([replace(one, cameras=(*one.cameras, *far.cameras))], memory)

    assert 'pose_jump' not in memory.counters


@pytest.mark.parametrize('rate_hz', [1, 5, 30, 200])
def test_brisk_walk_with_head_turns_never_jumps(rate_hz: int) -> None:
    # 2 m/s; the head swings by a radian to either side, at most 6.3 rad/s; steps shake it.
    memory = ObjectMemory(MemorySettings())
    for i in range(10 * rate_hz):
        t = i / rate_hz
        place = (2.0 * t, 0.0, 0.03 * math.sin(2 * math.pi * 2 * t))
        pose = looking(math.sin(2 * math.pi * t), at=place)
        run([frame(S + i * S // rate_hz, None, pose=pose, depth=None)], memory)

    assert 'pose_jump' not in memory.counters


@pytest.mark.parametrize('rate_hz', [1, 5, 30])
def test_map_that_is_corrected_by_much_is_a_jump_at_any_rate(rate_hz: int) -> None:
    memory = ObjectMemory(MemorySettings())
    for i in range(2 * rate_hz):
        shift = 3.5 if i >= rate_hz else 0.0  # more than 3 m/s for a second, and 0.1 m
        pose = looking(at=(0.0, shift, 0.0))
        run([frame(S + i * S // rate_hz, None, pose=pose, depth=None)], memory)

    assert memory.counters['pose_jump'] == 1


# How long it is doubted.


def test_doubt_ends_exactly_after_its_time() -> None:
    log = CameraLog()
    log.begin(S, at(0), EXACT)
    before = log.doubts_pose_at(S)
    log.begin(2 * S, at(9.0), EXACT)

    assert not before
    assert [log.doubts_pose_at(t) for t in (2 * S, 4 * S - 1, 4 * S)] == [True, True, False]


def test_another_jump_prolongs_the_doubt() -> None:
    log = CameraLog()
    for second, x in ((1, 0.0), (2, 9.0), (3, 0.0)):
        log.begin(second * S, at(x), EXACT)

    assert [log.doubts_pose_at(t) for t in (4 * S, 5 * S - 1, 5 * S)] == [True, True, False]


def test_no_time_of_doubt_is_no_doubt() -> None:
    log = CameraLog()
    careless = replace(EXACT, pose_doubt_s=0.0)
    log.begin(S, at(0), careless)

    assert log.begin(2 * S, at(9.0), careless)
    assert not log.doubts_pose_at(2 * S)


# What a doubtful pose does to what is remembered.

PLACE = (2.0, 0.0, 0.0)
OFF = looking(at=(0.0, 0.8, 0.0))  # the pose says so, but the camera is where it was
HELD = 6


def settled() -> ObjectMemory:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told(PLACE)], depth=2.0) for i in range(HELD)], memory)
    return memory


def off(index: int, **changes) -> SensedFrame:
    return frame(stamp(HELD + index), [], pose=OFF, depth=5.0, **changes)


def test_jump_is_counted_and_two_seconds_of_misses_show_nothing() -> None:
    memory = settled()
    expected_before = track_of(memory).expected_looks

    deltas = run([off(i) for i in range(10)], memory)  # 0 to 1.8 s after the jump

    track = track_of(memory)
    assert memory.counters['pose_jump'] == 1
    assert (track.expected_looks, track.misses, track.absent_looks) == (expected_before, 0, 0)
    assert track.absent_since_ns is None
    assert events_of(deltas) == []


def test_after_two_seconds_misses_count_again() -> None:
    memory = settled()
    run([off(i) for i in range(10)], memory)

    run([off(10)], memory)  # exactly 2.0 s after the jump
    counted = (track_of(memory).misses, track_of(memory).absent_looks)
    run([off(11 + i) for i in range(7)], memory)

    assert counted == (1, 1)
    assert track_of(memory).life_cycle == LifeCycle.ABSENT


def test_evidence_from_before_the_jump_is_neither_lost_nor_added_to() -> None:
    memory = settled()
    run([frame(stamp(HELD + i), [], depth=5.0) for i in range(5)], memory)

    run([replace(off(i), stamp_ns=stamp(HELD + 5 + i)) for i in range(10)], memory)

    assert track_of(memory).absent_looks == 5


def test_candidates_lose_nothing_either() -> None:
    # Seen three times, one short of belief; then twelve misses would drop it.
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told(PLACE)], depth=2.0) for i in range(3)], memory)
    candidate = memory._state.pool.candidates[0]
    before = (candidate.expected_looks, candidate.misses)

    at_25_hz = [replace(off(0), stamp_ns=stamp(3) + i * S // 25) for i in range(50)]
    run(at_25_hz, memory)
    deltas = run([frame(stamp(3) + 3 * S, [told(PLACE)], depth=2.0)], memory)

    assert before == (3, 0)
    assert (candidate.expected_looks, candidate.misses) == (4, 0)
    assert events_of(deltas) == ['appeared']


def test_without_the_jump_the_same_candidate_is_dropped() -> None:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told(PLACE)], depth=2.0) for i in range(3)], memory)

    run([frame(stamp(3) + i * S // 25, [], depth=5.0) for i in range(50)], memory)

    assert memory._state.pool.candidates == []
    assert memory.counters['candidates_dropped'] == 1


def test_thing_found_while_the_pose_is_doubted_is_found() -> None:
    memory = settled()
    run([off(0)], memory)
    seen = told(PLACE, pose=OFF)

    deltas = run([frame(stamp(HELD + 1), [seen], pose=OFF, depth=2.0)], memory)

    state = states_of(deltas)['cup_1']
    assert (state.visibility, state.num_observations) == (Visibility.VISIBLE, HELD + 1)


def test_other_camera_is_not_doubted() -> None:
    memory = settled()
    frames = []
    for i in range(8):
        steady = frame(stamp(HELD + i), [], depth=5.0, camera_id='other')
        frames.append(replace(steady, cameras=(*off(i).cameras, *steady.cameras)))

    deltas = run(frames, memory)

    assert events_of(deltas) == ['absent']


def test_jump_of_a_look_at_one_frame_a_second_doubts_two_more() -> None:
    memory = settled()
    last_ns = stamp(HELD - 1)
    far = looking(at=(-3.2, 0.0, 0.0))  # 3.2 m in a second: more than 0.1 m + 3 m
    near = looking(at=(0.0, 0.0, 0.0))

    run([frame(last_ns + S, [], pose=far, depth=5.0)], memory)
    # Back at once is a second jump, which doubts anew; then it stays.
    later = [frame(last_ns + (2 + i) * S, [], pose=near, depth=5.0) for i in range(4)]
    misses = []
    for one in later:
        run([one], memory)
        misses.append(track_of(memory).misses)

    assert memory.counters['pose_jump'] == 2
    assert misses == [0, 0, 1, 2]


def test_restart_within_the_doubt_changes_nothing() -> None:
    frames = [frame(stamp(i), [told(PLACE)], depth=2.0) for i in range(HELD)]
    frames += [off(i) for i in range(20)]
    blind = frames[HELD + 3].cameras[0]
    blind = replace(blind, world_T_camera=None, pose_problem='too_old')
    frames[HELD + 3] = replace(frames[HELD + 3], cameras=(blind,))
    whole = run(frames)

    for cut in range(1, len(frames)):
        resumed = ObjectMemory(MemorySettings(), checkpoint=checkpoint_of(whole[:cut]))
        for expected, got in zip(whole[cut:], run(frames[cut:], resumed), strict=True):
            assert text_of(got) == text_of(expected), f'restarted after frame {cut}'
    assert events_of(whole) == ['appeared', 'absent']


def test_new_epoch_knows_of_no_earlier_pose() -> None:
    memory = settled()

    run([frame(1 + i * FRAME_NS, [], pose=OFF, epoch=1) for i in range(3)], memory)

    assert 'pose_jump' not in memory.counters


def test_jump_of_the_whole_map_is_the_same_wherever_the_map_is() -> None:
    room = at(7.0, -3.0, 1.0) @ turned((0, 0, 1), 2.0)
    counts = []
    for origin in (RigidTransform.identity(), room):
        memory = ObjectMemory(MemorySettings())
        for i, y in enumerate((0.0, 0.1, 0.6, 2.0, 2.0, 2.69, 3.4)):
            pose = origin @ looking(at=(0.0, y, 0.0))
            run([frame(stamp(i), None, pose=pose, depth=None)], memory)
        counts.append(memory.counters['pose_jump'])

    # Steps of 0.1, 0.5, 1.4, 0, 0.69 and 0.71 m in 0.2 s; 0.7 m is the limit.
    assert counts == [2, 2]

"""A detection of all of a thing says where one frame has it; one of a part of it does not."""

from __future__ import annotations

from dataclasses import replace
import math

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.track import Track
from st_memory.core.records import Visibility
from test.core.memory.told import CUBE, flat, frame, run, S, stamp, told, track_of
from test.scenarios.synthetic import looking, states_of

PLACE = (2.0, 0.0, 0.0)
ASIDE = (2.0, 0.1, 0.0)  # within what is never a move
HELD = 8


def settled() -> ObjectMemory:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told(PLACE)], depth=2.0) for i in range(HELD)], memory)
    return memory


def sideways(memory: ObjectMemory, camera_id: str = 'cam') -> float:
    """Give how far to a side the last look has judged the cup to be; it is 2 m ahead."""
    distance = float(memory.looks[camera_id].verdicts.range_m[0])
    return math.sqrt(max(distance * distance - 4.0, 0.0))


def averaged(memory: ObjectMemory) -> float:
    """Give how far to the left its place is on average; a ninth match moves it a little."""
    left = float(track_of(memory).mean[1])
    assert 0.0 < left < 0.012
    return left


def test_detection_of_all_of_it_places_it_in_its_own_frame() -> None:
    memory = settled()

    run([frame(stamp(HELD), [told(ASIDE)], depth=2.0)], memory)
    own = sideways(memory)
    run([frame(stamp(HELD + 1), [], depth=2.0)], memory)

    assert own == pytest.approx(0.1)
    assert sideways(memory) == pytest.approx(averaged(memory))


@pytest.mark.parametrize(
    ('size', 'is_whole'),
    [
        ((0.16, 0.16, 0.16), True),
        ((0.4, 0.4, 0.4), True),
        ((0.129, 0.129, 0.129), True),  # 0.8 of 0.16 m is 0.128 m
        ((0.127, 0.16, 0.16), False),
        ((0.16, 0.16, 0.127), False),  # its lower part is hidden
        ((0.08, 0.16, 0.16), False),
        ((0.0, 0.0, 0.0), False),  # of unknown size
    ],
)
def test_half_hidden_detection_does_not(size: tuple, is_whole: bool) -> None:
    memory = settled()

    run([frame(stamp(HELD), [told(ASIDE, size=size)], depth=2.0)], memory)

    assert track_of(memory).whole_fix is is_whole
    assert sideways(memory) == pytest.approx(0.1 if is_whole else averaged(memory))


def test_detection_cut_by_the_border_does_not() -> None:
    memory = settled()
    cut = replace(told(ASIDE), box_px=(0.0, 50.0, 20.0, 20.0))

    run([frame(stamp(HELD), [cut], depth=2.0)], memory)

    assert not track_of(memory).whole_fix
    assert sideways(memory) == pytest.approx(averaged(memory))
    assert averaged(memory) < 0.0025  # a cut box weighs a fifth


def test_error_of_the_pose_of_one_frame_does_not_matter_in_it() -> None:
    # The pose of the ninth frame is 0.1 m off; what is seen is where it was seen. Everything 3 cm
    # before it would hide a cup that were taken to be beside the ray of its own detection.
    memory = settled()
    off = looking(at=(0.0, 0.1, 0.0))
    seen = told(ASIDE, pose=off)
    image = flat(1.0)
    image[48:71, 69:91] = 2.0  # the cup itself, in the middle of the image

    deltas = run([frame(stamp(HELD), [seen], pose=off, depth=image)], memory)

    assert memory.looks['cam'].verdicts.geometry[0] == Visibility.VISIBLE
    assert sideways(memory) == pytest.approx(0.0, abs=1e-6)
    assert states_of(deltas)['cup_1'].cause == 'in_view'


def test_thing_in_a_hand_is_where_it_was_seen_last_in_every_frame() -> None:
    memory = settled()
    way = [(2.0, 0.3 + 0.05 * i, 0.0) for i in range(4)]
    half = (0.08, 0.16, 0.16)
    run(
        [frame(stamp(HELD + i), [told(p, size=half)], depth=2.0) for i, p in enumerate(way)],
        memory,
    )
    in_motion = track_of(memory).in_motion

    run([frame(stamp(HELD + 4), [], depth=2.0)], memory)

    assert in_motion
    assert sideways(memory) == pytest.approx(0.45)


@pytest.mark.parametrize(
    ('changes', 'now', 'place'),
    [
        ({}, 5, [2.0, 0.0, 0.0]),
        ({'whole_fix': True}, 5, [2.0, 0.1, 0.0]),
        ({'whole_fix': True}, 6, [2.0, 0.0, 0.0]),  # of an earlier frame
        ({'in_motion': True}, 6, [2.0, 0.1, 0.0]),
        ({'in_motion': True, 'last_fix': None}, 6, [2.0, 0.0, 0.0]),
        ({'mean': None}, 5, None),
        ({'mean': None, 'in_motion': True}, 5, [2.0, 0.1, 0.0]),
    ],
)
def test_place_at_a_frame(changes: dict, now: int, place: list | None) -> None:
    track = Track('cup_1', mean=[2.0, 0.0, 0.0], last_fix=[2.0, 0.1, 0.0], last_fix_ns=5)
    for name, value in changes.items():
        setattr(track, name, value)

    assert track.place_at(now) == place


def test_candidate_is_at_the_average_of_its_fixes() -> None:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told(p)], depth=2.0) for i, p in enumerate((PLACE, ASIDE))], memory)

    candidate = memory._state.pool.candidates[0]

    assert candidate.place_at(stamp(1)) == pytest.approx([2.0, 0.05, 0.0])


def test_two_cameras_of_one_frame_have_it_where_each_saw_it() -> None:
    memory = settled()
    left = frame(stamp(HELD), [told(ASIDE)], depth=2.0).cameras[0]
    right = replace(
        frame(stamp(HELD), [told((2.0, -0.1, 0.0))], depth=2.0).cameras[0], camera_id='right'
    )

    run([replace(frame(stamp(HELD)), cameras=(left, right))], memory)

    assert sideways(memory, 'cam') == pytest.approx(0.1)
    assert sideways(memory, 'right') == pytest.approx(0.1)
    assert memory.looks['right'].verdicts.geometry[0] == Visibility.VISIBLE


def test_sizes_of_whole_detections_are_averaged() -> None:
    memory = settled()

    run([frame(stamp(HELD), [told(PLACE, size=(0.25, 0.16, 0.16))], depth=2.0)], memory)

    # It weighs about a ninth of 0.09 m, and no less than a tenth.
    assert 0.168 < track_of(memory).size[0] < 0.171
    assert track_of(memory).size[1:] == pytest.approx(CUBE[1:])


def test_thing_looked_for_after_a_long_time_is_where_it_was_on_average() -> None:
    memory = settled()
    run([frame(stamp(HELD), [told(ASIDE)], depth=2.0)], memory)

    run([frame(stamp(HELD) + 3600 * S, None, pose=looking(0.0), depth=2.0)], memory)

    assert sideways(memory) == pytest.approx(averaged(memory))
    assert math.isclose(track_of(memory).mean[0], 2.0)

"""Cameras that stop, jump or have no pose, doors that fall silent: now, and after a restart."""

from __future__ import annotations

import math

import numpy as np

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    CameraFrame,
    Fixture,
    FrameDelta,
    LifeCycle,
    Scene,
    ScenePart,
    SensedFrame,
    Visibility,
)
from st_memory.scene import EmbreeRayCaster
from test.core.memory.told import at, checkpoint_of, frame, run, stamp, text_of, told, track_of
from test.scenarios.synthetic import CAMERA, looking, states_of

PLACE = (2.0, 0.0, 0.0)
CUP = told(PLACE)
AWAY = looking(math.pi)


def texts(deltas: list[FrameDelta]) -> list[str]:
    return [text_of(delta) for delta in deltas]


def together(index: int, *frames: SensedFrame) -> SensedFrame:
    """Looks of several cameras at one stamp."""
    return SensedFrame(stamp(index), cameras=tuple(c for f in frames for c in f.cameras))


# A camera that stops.


def test_state_no_longer_rests_on_a_camera_that_has_stopped_looking() -> None:
    memory = ObjectMemory(MemorySettings())
    both = [
        together(
            i,
            frame(stamp(i), [CUP], camera_id='A'),
            frame(stamp(i), [], pose=AWAY, camera_id='B'),
        )
        for i in range(10)
    ]
    alone = [frame(stamp(i), [], pose=AWAY, camera_id='B') for i in range(10, 20)]

    seen = states_of(run(both, memory))['cup_1']
    later = run(alone, memory)

    assert seen.visibility is Visibility.VISIBLE
    # The last look of A is at stamp(9); a second later, 5 frames at 5 Hz, it still counts.
    told_at = [d.frame.stamp_ns for d in later if d.tracks]
    assert told_at == [stamp(15)]
    state = states_of(later)['cup_1']
    assert (state.visibility, state.cause) == (Visibility.OUT_OF_VIEW, 'behind_camera')


def test_camera_that_stopped_is_told_of_after_a_restart_just_the_same() -> None:
    frames = [
        together(
            i,
            frame(stamp(i), [CUP], camera_id='A'),
            frame(stamp(i), [], pose=AWAY, camera_id='B'),
        )
        for i in range(10)
    ] + [frame(stamp(i), [], pose=AWAY, camera_id='B') for i in range(10, 20)]
    whole = run(frames)

    for cut in (8, 12, 15):
        again = ObjectMemory(MemorySettings(), checkpoint=checkpoint_of(whole[:cut]))
        assert texts(run(frames[cut:], again)) == texts(whole[cut:])


# A jump of one camera is a jump of the map.


def test_jump_of_one_camera_makes_misses_of_the_other_worthless() -> None:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [CUP], depth=2.0, camera_id='B') for i in range(6)], memory)
    jumped = looking(0.0, (0.0, 3.0, 0.0))
    run([frame(stamp(6), [], depth=2.0, camera_id='A')], memory)

    run(
        [
            together(
                7 + i,
                frame(stamp(7 + i), [], pose=jumped, camera_id='A'),
                frame(stamp(7 + i), [], depth=5.0, camera_id='B'),
            )
            for i in range(10)  # two seconds of doubt
        ],
        memory,
    )

    assert memory.counters['pose_jump'] == 1
    assert track_of(memory).absent_looks == 0
    assert track_of(memory).life_cycle == LifeCycle.CONFIRMED


# Tombstones.


def absent(depth: float, poses: list) -> tuple[ObjectMemory, list[FrameDelta]]:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [CUP], depth=2.0) for i in range(6)], memory)
    looks = [
        frame(stamp(6 + i), [], pose=pose, depth=depth - pose.translation[0])
        for i, pose in enumerate(poses)
    ]
    return memory, run(looks, memory)


def test_tombstone_says_what_it_rests_on() -> None:
    here = [looking()] * 12
    around = [looking(at=(0.12 * (i % 4), 0.12 * (i // 4) - 0.36, 0.0)) for i in range(28)]

    seen_through, deltas = absent(5.0, here)
    missed, others = absent(2.0, around)

    assert track_of(seen_through).absent_looks >= MemorySettings().absence_looks
    assert states_of(deltas)['cup_1'].cause == 'seen_through'
    assert track_of(missed).absent_looks == 0
    state = states_of(others)['cup_1']
    assert (state.visibility, state.cause) == (Visibility.ABSENT, 'not_detected')


def test_tombstone_outlasts_a_look_without_a_pose() -> None:
    memory, _ = absent(5.0, [looking()] * 12)
    blind = CameraFrame('cam', CAMERA, None, pose_problem='too_old', detections=())

    deltas = run([SensedFrame(stamp(40 + i), cameras=(blind,)) for i in range(3)], memory)

    assert track_of(memory).views['cam'].state == Visibility.ABSENT
    assert all(r.state.visibility is Visibility.ABSENT for d in deltas for r in d.tracks)


# A door that falls silent.


def kitchen() -> Scene:
    """A cupboard of which only the door is there, 1 m ahead when it is shut."""
    corners = np.array([[0.0, y, z] for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    door = ScenePart(
        'cupboard/door', 'cupboard', 'hinge', corners, np.array([[0, 1, 3], [0, 3, 2]], np.int32)
    )
    box = Fixture('cupboard', 'cupboard', at(2.0), (1.9, 2.0, 2.0), is_container=True)
    return Scene((door,), (box,))


def with_door(checkpoint: object = None) -> ObjectMemory:
    scene = kitchen()
    return ObjectMemory(
        MemorySettings(),
        scene,
        EmbreeRayCaster(scene),
        checkpoint=checkpoint,  # type: ignore[arg-type]
    )


def test_door_that_falls_silent_is_unknown_and_a_restart_knows_no_more() -> None:
    shut, opened = {'hinge': at(1.0)}, {'hinge': at(1.0, 5.0)}
    frames = [
        *(frame(stamp(i), [CUP], depth=None, parts=opened) for i in range(6)),
        *(frame(stamp(i), [], depth=None, parts=shut) for i in range(6, 12)),
        *(frame(stamp(i), [], depth=None) for i in range(12, 16)),
    ]

    whole = run(frames, with_door())
    resumed = run(frames[13:], with_door(checkpoint_of(whole[:13])))

    hidden = states_of(whole[:12])['cup_1']
    assert (hidden.visibility, hidden.occluder_id) == (Visibility.OCCLUDED, 'cupboard/door')
    silent = states_of(whole)['cup_1']
    assert silent.visibility is not Visibility.OCCLUDED  # nobody knows where the door is
    assert texts(resumed) == texts(whole[13:])


def test_door_of_an_earlier_epoch_hides_nothing() -> None:
    memory = with_door()
    run([frame(stamp(i), [], depth=None, parts={'hinge': at(1.0)}) for i in range(3)], memory)

    later = run([frame(stamp(i), [CUP], depth=None, epoch=1) for i in range(6)], memory)
    after = run([frame(stamp(6), [], depth=None, epoch=1)], memory)

    assert states_of(later)['cup_1'].geometry is Visibility.VISIBLE
    assert memory.looks['cam'].verdicts.geometry.tolist() == [Visibility.VISIBLE]
    assert after[0].frame.epoch == 1

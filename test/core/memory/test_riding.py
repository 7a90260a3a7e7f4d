"""Things in drawers over time: they go along, stay where they were put, and are never gone."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    CameraFrame,
    FrameDelta,
    LifeCycle,
    MovementReport,
    Scene,
    ScenePart,
    SensedFrame,
    Visibility,
    WorldDetection,
)
from test.core.memory.told import (
    at,
    checkpoint_of,
    frame,
    KITCHEN,
    OPEN,
    run,
    S,
    SHUT,
    stamp,
    text_of,
    told,
    track_of,
    turned,
)
from test.scenarios.synthetic import events_of, looking, states_of

IN_TRAY = (2.0, 0.0, 0.0)
BEFORE_FRONT = 1.7  # what depth measures when something nearer than the cup is in the way
LOOKS = 8


def fold(scene: Scene = KITCHEN) -> ObjectMemory:
    return ObjectMemory(MemorySettings(), scene)


def in_open_tray(count: int = LOOKS) -> list[SensedFrame]:
    return [
        frame(stamp(i), [told(IN_TRAY)], depth=2.0, parts={'tray': OPEN}) for i in range(count)
    ]


def slide(
    start: int,
    way: RigidTransform,
    back: RigidTransform,
    steps: int = 10,
    pose: RigidTransform | None = None,
) -> list[SensedFrame]:
    """Looks that see nothing of the cup while the tray slides from one pose to another."""
    frames = []
    for i in range(1, steps + 1):
        x = way.translation + (back.translation - way.translation) * i / steps
        parts = {'tray': at(*x)}
        frames.append(frame(stamp(start + i - 1), [], pose=pose, depth=BEFORE_FRONT, parts=parts))
    return frames


def test_cup_in_a_drawer_that_shuts_is_in_the_shut_drawer() -> None:
    deltas = run([*in_open_tray(), *slide(LOOKS, OPEN, SHUT)], fold())

    state = states_of(deltas)['cup_1']
    np.testing.assert_allclose(state.world_p, (2.5, 0.0, 0.0), atol=1e-9)
    assert (state.fixture_id, state.container_id) == ('drawer', 'drawer')
    assert state.visibility is Visibility.OCCLUDED
    assert (state.num_moves, state.in_motion, state.last_placed_ns) == (0, False, None)
    assert events_of(deltas) == ['appeared']


def test_ride_is_no_new_placement() -> None:
    memory = fold()
    first = run(in_open_tray(), memory)

    later = run(slide(LOOKS, OPEN, SHUT), memory)

    told_of = [(p.start_ns, p.fixture_id) for d in first for p in d.placements]
    assert told_of[-1] == (stamp(0), 'drawer')
    assert [p for d in later for p in d.placements] == []


def test_cup_in_the_open_drawer_is_in_the_drawer_not_on_the_table_below() -> None:
    state = states_of(run(in_open_tray(), fold()))['cup_1']
    without_joints = states_of(run([replace(f, world_T_part={}) for f in in_open_tray()], fold()))[
        'cup_1'
    ]

    assert (state.fixture_id, without_joints.fixture_id) == ('drawer', 'table')


def test_cup_in_the_shut_drawer_is_never_gone() -> None:
    memory = fold()
    run([*in_open_tray(), *slide(LOOKS, OPEN, SHUT)], memory)

    # The front of the shut drawer, and the free way to where the cup was when it was open.
    shut = [frame(stamp(18 + i), [], depth=2.29, parts={'tray': SHUT}) for i in range(100)]
    deltas = run(shut, memory)

    assert track_of(memory).life_cycle == LifeCycle.CONFIRMED
    assert (track_of(memory).absent_looks, track_of(memory).free_misses) == (0, 0.0)
    assert events_of(deltas) == []


def test_cup_taken_along_is_still_missed_when_its_place_is_seen_empty() -> None:
    # The tray is pulled out again, and the cup is not in it any more.
    memory = fold()
    run([*in_open_tray(), *slide(LOOKS, OPEN, SHUT), *slide(18, SHUT, OPEN)], memory)

    deltas = run(
        [frame(stamp(28 + i), [], depth=5.0, parts={'tray': OPEN}) for i in range(8)], memory
    )

    assert events_of(deltas) == ['absent']


def test_drawer_opened_again_shows_the_same_cup_at_rest() -> None:
    memory = fold()
    run([*in_open_tray(), *slide(LOOKS, OPEN, SHUT), *slide(18, SHUT, OPEN)], memory)

    deltas = run(
        [
            frame(stamp(28 + i), [told(IN_TRAY)], depth=2.0, parts={'tray': OPEN})
            for i in range(12)
        ],
        memory,
    )

    states = states_of(deltas)
    assert list(states) == ['cup_1']
    assert (states['cup_1'].num_moves, states['cup_1'].visibility) == (0, Visibility.VISIBLE)
    assert events_of(deltas) == []


def test_cup_seen_in_the_tray_while_it_slides_has_not_moved() -> None:
    frames = in_open_tray()
    for i in range(1, 11):
        x = 2.0 + 0.05 * i
        frames.append(frame(stamp(LOOKS + i), [told((x, 0, 0))], depth=x, parts={'tray': at(x)}))

    states = states_of(run(frames, fold()))

    assert list(states) == ['cup_1']
    np.testing.assert_allclose(states['cup_1'].world_p, (2.5, 0, 0), atol=1e-9)
    assert (states['cup_1'].num_moves, states['cup_1'].in_motion) == (0, False)
    assert states['cup_1'].position_sigma_m < 1e-9


def test_tray_pulled_out_at_one_stroke_takes_the_cup_along() -> None:
    memory = fold()
    run(in_open_tray(), memory)

    deltas = run([frame(stamp(LOOKS), [], depth=BEFORE_FRONT, parts={'tray': at(1.2)})], memory)

    np.testing.assert_allclose(states_of(deltas)['cup_1'].world_p, (1.2, 0, 0), atol=1e-9)


def test_turned_lid_turns_the_box_of_what_lies_on_it() -> None:
    lid = Scene(parts=(replace_frame(KITCHEN.parts[0], 'lid'),))
    memory = fold(lid)
    run([replace(f, world_T_part={'lid': OPEN}) for f in in_open_tray()], memory)

    pose = at(2.0) @ turned((0, 0, 1), math.pi / 6)
    deltas = run([frame(stamp(LOOKS), [], depth=BEFORE_FRONT, parts={'lid': pose})], memory)

    state = states_of(deltas)['cup_1']
    np.testing.assert_allclose(state.world_p, IN_TRAY, atol=1e-9)
    np.testing.assert_allclose(state.quat_xyzw, pose.quat_xyzw, atol=1e-12)


def replace_frame(part: ScenePart, frame_id: str) -> ScenePart:
    return ScenePart(part.name, part.fixture_id, frame_id, part.vertices, part.triangles)


# In and out.


def test_cup_taken_out_by_hand_stays_where_it_was_put() -> None:
    memory = fold()
    run(in_open_tray(), memory)
    way = [(1.8, 0.2, 0.1), (1.6, 0.4, 0.1), (1.5, 0.5, 0.0)]
    spots = [*way, *[(1.5, 0.5, 0.0)] * 14]
    run(
        [
            frame(stamp(LOOKS + i), [told(p)], depth=p[0], parts={'tray': OPEN})
            for i, p in enumerate(spots)
        ],
        memory,
    )

    deltas = run(slide(LOOKS + len(spots), OPEN, SHUT, pose=looking(math.pi)), memory)

    track = track_of(memory)
    assert (track.carrier, track.carrier_pose, track.num_moves) == ('', [], 1)
    np.testing.assert_allclose(track.mean, (1.5, 0.5, 0.0), atol=1e-9)
    assert events_of(deltas) == []


def put_in(rest_looks: int) -> list[SensedFrame]:
    """A cup is carried into the open tray, and seen in it for some looks before it shuts."""
    spots = [(1.4, -0.6, 0.0)] * LOOKS
    spots += [(1.4 + 0.15 * i, -0.6 + 0.15 * i, 0.0) for i in range(1, 4)]
    spots += [IN_TRAY] * rest_looks
    frames = [
        frame(stamp(i), [told(p)], depth=p[0], parts={'tray': OPEN}) for i, p in enumerate(spots)
    ]
    shutting = slide(len(spots), OPEN, SHUT, steps=5)
    shut = [
        frame(stamp(len(spots) + 5 + i), [], depth=BEFORE_FRONT, parts={'tray': SHUT})
        for i in range(15)
    ]
    return [*frames, *shutting, *shut]


@pytest.mark.parametrize('rest_looks', [1, 2, 3, 5])
def test_cup_put_into_a_drawer_that_shuts_at_once_is_in_the_shut_drawer(rest_looks: int) -> None:
    memory = fold()

    deltas = run(put_in(rest_looks), memory)

    state = states_of(deltas)['cup_1']
    np.testing.assert_allclose(state.world_p, (2.5, 0.0, 0.0), atol=1e-9)
    assert (state.num_moves, state.in_motion, state.fixture_id) == (1, False, 'drawer')
    assert events_of(deltas) == ['appeared', 'moved']
    assert [e.detail for d in deltas for e in d.events][-1] == 'the cup was moved to drawer'


@pytest.mark.parametrize('rest_looks', [1, 3])
def test_cup_put_into_a_drawer_that_shuts_at_once_comes_out_with_it(rest_looks: int) -> None:
    memory = fold()
    frames = put_in(rest_looks)
    run(frames, memory)

    deltas = run(slide(len(frames), SHUT, OPEN), memory)

    state = states_of(deltas)['cup_1']
    np.testing.assert_allclose(state.world_p, IN_TRAY, atol=1e-9)
    assert (state.num_moves, state.fixture_id) == (1, 'drawer')


def test_scatter_just_before_the_drawer_shuts_is_no_move() -> None:
    # Three looks find it 0.3 m aside, as behind a hand; then the drawer shuts with it.
    memory = fold()
    run(in_open_tray(), memory)
    aside = told((2.0, 0.3, 0.0))
    strays = [frame(stamp(LOOKS + i), [aside], depth=2.0, parts={'tray': OPEN}) for i in range(3)]
    strays.append(frame(stamp(LOOKS + 3), [told(IN_TRAY)], depth=2.0, parts={'tray': OPEN}))
    run(strays, memory)
    seems_to_move = track_of(memory).in_motion
    end = LOOKS + len(strays)

    deltas = run(slide(end, OPEN, SHUT, steps=5), memory)
    shut = [
        frame(stamp(end + 5 + i), [], depth=BEFORE_FRONT, parts={'tray': SHUT}) for i in range(15)
    ]
    deltas += run(shut, memory)

    state = states_of(deltas)['cup_1']
    assert seems_to_move
    assert (state.num_moves, state.in_motion) == (0, False)
    np.testing.assert_allclose(state.world_p, (2.5, 0.0, 0.0), atol=1e-9)
    assert events_of(deltas) == []


def test_cup_reported_to_be_taken_to_nobody_knows_where_is_in_no_drawer() -> None:
    memory = fold()
    run([replace(f, cameras=(named(f.cameras[0]),)) for f in in_open_tray()], memory)
    start_ns = stamp(LOOKS)
    report = MovementReport('m1', 'cup', start_ns, start_ns + S)

    run([SensedFrame(start_ns + S, movements=(report,))], memory)

    track = track_of(memory, 'm1')
    assert (track.mean, track.carrier, track.carrier_pose, track.fixture_id) == (None, '', [], '')


def named(camera: CameraFrame) -> CameraFrame:
    """Let a tracker give the name of what it detects."""
    return replace(camera, detections=tuple(replace(d, track_id='m1') for d in camera.detections))


def test_cup_lost_in_the_hand_over_an_open_drawer_is_in_that_drawer() -> None:
    # It is last seen in the tray, which stays open: nearer boxes below do not have it.
    memory = fold()
    frames = put_in(rest_looks=3)
    frames = [replace(f, world_T_part={'tray': OPEN}) for f in frames]

    state = states_of(run(frames, memory))['cup_1']

    assert (state.fixture_id, state.container_id) == ('drawer', 'drawer')
    assert track_of(memory).carrier == 'tray'


def test_thing_that_was_in_a_drawer_and_is_found_elsewhere_is_not_in_the_drawer() -> None:
    memory = fold()
    run([*in_open_tray(), *slide(LOOKS, OPEN, SHUT), *slide(18, SHUT, OPEN)], memory)
    run([frame(stamp(28 + i), [], depth=5.0, parts={'tray': OPEN}) for i in range(8)], memory)
    elsewhere = told((1.5, 0.5, 0.0))
    run(
        [frame(stamp(40 + i), [elsewhere], depth=1.5, parts={'tray': OPEN}) for i in range(6)],
        memory,
    )

    run(slide(60, OPEN, SHUT, pose=looking(math.pi)), memory)

    state = track_of(memory)
    np.testing.assert_allclose(state.mean, (1.5, 0.5, 0.0), atol=1e-9)
    assert (state.carrier, state.fixture_id) == ('', '')


# Positions that come from outside.


def placed_from_outside(index: int, x: float, tray: RigidTransform) -> SensedFrame:
    """A 3D detector gives the place of the named cup, and a camera looks away."""
    away = frame(stamp(index), None, pose=looking(math.pi), parts={'tray': tray})
    seen = WorldDetection('cup', 1.0, (x, 0.0, 0.0), 'm1')
    return replace(away, world_detections=(seen,))


def test_thing_placed_in_a_tray_from_outside_rides_with_it() -> None:
    memory = fold()
    run([placed_from_outside(i, 2.0, OPEN) for i in range(3)], memory)

    run([frame(stamp(3), None, pose=looking(math.pi), parts={'tray': SHUT})], memory)

    np.testing.assert_allclose(track_of(memory, 'm1').mean, (2.5, 0.0, 0.0), atol=1e-9)


def test_thing_placed_from_outside_in_a_tray_that_has_just_slid_is_not_moved_twice() -> None:
    memory = fold()
    run([replace(f, cameras=(named(f.cameras[0]),)) for f in in_open_tray()], memory)

    run([placed_from_outside(LOOKS, 2.5, SHUT)], memory)

    track = track_of(memory, 'm1')
    np.testing.assert_allclose(track.mean, (2.5, 0.0, 0.0), atol=1e-9)
    np.testing.assert_allclose(track.last_fix, (2.5, 0.0, 0.0), atol=1e-9)


def test_lost_cup_that_is_the_one_in_the_tray_rides_with_it() -> None:
    memory = fold()
    left, right = looking(0.42), looking(-0.42)
    tray, shut = at(2.0, -0.9), at(2.5, -0.9)
    turn = tuple(turned((0, 0, 1), 0.5).quat_xyzw.tolist())
    here, there = told((2.0, 0.9, 0.0), pose=left), told((2.0, -0.9, 0.0), pose=right, quat=turn)
    parts = {'tray': tray}
    run([frame(stamp(i), [here], pose=left, depth=2.2, parts=parts) for i in range(6)], memory)
    run([frame(stamp(6), [], pose=left, depth=5.0, parts=parts)], memory)
    run(
        [frame(stamp(20 + i), [there], pose=right, depth=2.2, parts=parts) for i in range(6)],
        memory,
    )
    deltas = run(
        [frame(stamp(26 + i), [], pose=left, depth=5.0, parts=parts) for i in range(2)], memory
    )
    assert events_of(deltas) == ['moved', 'merged']

    run([frame(stamp(28), [], pose=left, depth=5.0, parts={'tray': shut})], memory)

    track = track_of(memory)
    np.testing.assert_allclose(track.quat, turn, atol=1e-12)
    np.testing.assert_allclose(track.mean, (2.5, -0.9, 0.0), atol=1e-9)


# Frames that come, go and tremble.


def test_silent_tray_leaves_its_cup_and_takes_it_along_when_it_is_back() -> None:
    memory = fold()
    run(in_open_tray(), memory)

    silent = run([frame(stamp(LOOKS + i), [], depth=BEFORE_FRONT) for i in range(5)], memory)
    at_rest = np.array(track_of(memory).mean)
    back = run([frame(stamp(20), [], depth=BEFORE_FRONT, parts={'tray': SHUT})], memory)

    np.testing.assert_allclose(at_rest, IN_TRAY, atol=1e-9)
    np.testing.assert_allclose(states_of(back)['cup_1'].world_p, (2.5, 0.0, 0.0), atol=1e-9)
    assert events_of(silent + back) == []


def test_trembling_tray_is_written_to_no_row() -> None:
    rng = np.random.default_rng(1)
    memory = fold()
    run(in_open_tray(), memory)
    away = looking(math.pi)
    run([frame(stamp(LOOKS), [], pose=away, parts={'tray': OPEN})], memory)

    frames = []
    for i in range(200):
        shift = np.clip(rng.normal(0.0, 3e-4, 3), -5e-4, 5e-4)
        turn = turned((0, 0, 1), float(rng.uniform(-1e-3, 1e-3)))
        pose = at(*(OPEN.translation + shift)) @ turn
        frames.append(frame(stamp(LOOKS + 1 + i), [], pose=away, parts={'tray': pose}))

    assert [d.tracks for d in run(frames, memory)] == [()] * 200
    np.testing.assert_allclose(track_of(memory).mean, IN_TRAY, atol=1e-9)


def test_two_cameras_of_one_frame_take_it_along_once() -> None:
    memory = fold()
    run(in_open_tray(), memory)
    one = frame(stamp(LOOKS), [], depth=BEFORE_FRONT, parts={'tray': SHUT})
    other = replace(one.cameras[0], camera_id='other')

    run([replace(one, cameras=(*one.cameras, other))], memory)

    np.testing.assert_allclose(track_of(memory).mean, (2.5, 0.0, 0.0), atol=1e-9)


def test_drawer_slid_while_nobody_looks_takes_it_along_too() -> None:
    memory = fold()
    run(in_open_tray(), memory)
    run([SensedFrame(stamp(LOOKS + i), world_T_part={'tray': SHUT}) for i in range(3)], memory)

    deltas = run([frame(stamp(20), [], pose=looking(math.pi), parts={'tray': SHUT})], memory)

    np.testing.assert_allclose(states_of(deltas)['cup_1'].world_p, (2.5, 0.0, 0.0), atol=1e-9)


# Restart, epochs, and other rooms.


def story() -> list[SensedFrame]:
    """Put in, shut, opened, looked at, taken out, with a tray that trembles throughout."""
    rng = np.random.default_rng(7)
    frames = put_in(rest_looks=4)
    frames += slide(len(frames), SHUT, OPEN)
    frames += [
        frame(stamp(len(frames) + i), [told(IN_TRAY)], depth=2.0, parts={'tray': OPEN})
        for i in range(3)
    ]
    for i in range(1, 4):
        p = (2.0 - 0.15 * i, 0.2 * i, 0.1)
        frames.append(frame(stamp(len(frames)), [told(p)], depth=p[0], parts={'tray': OPEN}))
    frames += slide(len(frames), OPEN, SHUT, steps=5)
    shaken = []
    for one in frames:
        noise = at(*rng.uniform(-4e-4, 4e-4, 3))
        shaken.append(replace(one, world_T_part={'tray': noise @ one.world_T_part['tray']}))
    return shaken


def test_story_is_one_of_riding() -> None:
    deltas = run(story(), fold())

    assert events_of(deltas).count('moved') >= 1
    assert list(states_of(deltas)) == ['cup_1']


def test_restart_at_any_frame_gives_the_same_deltas_to_the_last_digit() -> None:
    frames = story()
    whole = run(frames, fold())

    for cut in range(1, len(frames)):
        start = checkpoint_of(whole[:cut])
        resumed = ObjectMemory(MemorySettings(), KITCHEN, checkpoint=start)
        for expected, got in zip(
            whole[cut : cut + 3], run(frames[cut : cut + 3], resumed), strict=True
        ):
            assert text_of(got) == text_of(expected), f'restarted after frame {cut}'


def test_new_epoch_forgets_who_rides() -> None:
    memory = fold()
    run(in_open_tray(), memory)

    deltas = run(
        [frame(stamp(20 + i), [], parts={'tray': SHUT}, epoch=1) for i in range(3)], memory
    )

    assert [d.tracks for d in deltas] == [(), (), ()]
    assert memory._state.tracks == {}


def with_axes(turn: RigidTransform, frames: list[SensedFrame]) -> tuple[Scene, list[SensedFrame]]:
    """The same tray in a frame with other axes: vertices turned back, poses turned."""
    tray = KITCHEN.parts[0]
    vertices = turn.inverse().apply(tray.vertices)
    part = ScenePart(tray.name, tray.fixture_id, 'tray', vertices, tray.triangles)
    posed = [replace(f, world_T_part={'tray': f.world_T_part['tray'] @ turn}) for f in frames]
    return Scene(parts=(part,), fixtures=KITCHEN.fixtures), posed


@pytest.mark.parametrize(
    'turn',
    [
        turned((1, 0, 0), math.pi / 2),
        turned((0, 1, 0), -math.pi / 2),
        turned((0, 0, 1), math.pi),
        turned((1, 0, 0), math.pi / 2) @ turned((0, 1, 0), math.pi / 2),
    ],
)
def test_axes_of_the_part_do_not_matter(turn: RigidTransform) -> None:
    plain = states_of(run(story(), fold()))['cup_1']

    scene, frames = with_axes(turn, story())
    other = states_of(run(frames, fold(scene)))['cup_1']

    np.testing.assert_allclose(other.world_p, plain.world_p, atol=1e-9)
    assert (other.fixture_id, other.num_moves) == (plain.fixture_id, plain.num_moves)
    assert other.last_placed_ns == plain.last_placed_ns


@pytest.mark.parametrize('yaw', [0.3, 1.1, math.pi / 2, -2.5])
def test_moved_room_gives_the_same_answers_moved(yaw: float) -> None:
    room = at(3.0, -4.0, 0.7) @ turned((0, 0, 1), yaw)

    def elsewhere(one: SensedFrame) -> SensedFrame:
        camera = one.cameras[0]
        seen = []
        for d in camera.detections:
            box = camera.world_T_camera.inverse()  # along the axes of the room
            seen.append(replace(d, camera_quat_xyzw=tuple(box.quat_xyzw.tolist())))
        pose = room @ camera.world_T_camera
        parts = {name: room @ p for name, p in one.world_T_part.items()}
        moved = replace(camera, world_T_camera=pose, detections=tuple(seen))
        return replace(one, cameras=(moved,), world_T_part=parts)

    boxes = [replace(f, world_T_box=room @ f.world_T_box) for f in KITCHEN.fixtures]
    there_scene = Scene(parts=KITCHEN.parts, fixtures=tuple(boxes))

    here = run(story(), fold())
    there = run([elsewhere(f) for f in story()], fold(there_scene))

    for plain, moved in zip(here, there, strict=True):
        assert [r.state.object_id for r in moved.tracks] == [
            r.state.object_id for r in plain.tracks
        ]
        for a, b in zip(plain.tracks, moved.tracks, strict=True):
            check_moved(a.state, b.state, room)


def check_moved(here, there, room: RigidTransform) -> None:
    np.testing.assert_allclose(there.world_p, room.apply(np.array(here.world_p)), atol=1e-6)
    for name in ('visibility', 'cause', 'fixture_id', 'num_moves', 'in_motion', 'life_cycle'):
        assert getattr(there, name) == getattr(here, name), name


def deltas_text(deltas: list[FrameDelta]) -> list[str]:
    return [text_of(d) for d in deltas]


def test_two_runs_are_equal_to_the_last_digit() -> None:
    assert deltas_text(run(story(), fold())) == deltas_text(run(story(), fold()))


def test_span_of_the_story_is_as_long_as_it_says() -> None:
    frames = story()

    assert [f.stamp_ns for f in frames] == [stamp(i) for i in range(len(frames))]
    assert frames[-1].stamp_ns > 9 * S

"""Cases that a careless fold gets wrong: twice the same id, clashes, late reports, two cameras."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint
from st_memory.core.records import (
    Detection,
    FrameDelta,
    LifeCycle,
    MovementReport,
    SensedFrame,
    TrackRecord,
    Visibility,
    WorldDetection,
)
from test.scenarios.synthetic import Ball, events_of, FRAME_NS, looking, sense, states_of

S = 1_000_000_000


def run(frames: list[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def ball(y: float, track_id: str = '', label: str = 'cup', score: float = 0.8) -> Ball:
    return Ball(label, (2.0, y, 0.0), track_id=track_id, score=score)


def at(stamp_ns: int, y: float, source: str = 'detector_3d') -> SensedFrame:
    seen = WorldDetection('mug', 1.0, (2.0, y, 0.0), 'm1', source=source)
    return SensedFrame(stamp_ns, world_detections=(seen,))


def checkpoint_of(deltas: list[FrameDelta]) -> Checkpoint:
    tracks: dict[str, TrackRecord] = {}
    for delta in deltas:
        tracks |= {r.state.object_id: r for r in delta.tracks}
    return Checkpoint(deltas[-1].frame, tuple(tracks[name] for name in sorted(tracks)))


# Names.


def test_id_given_twice_in_a_frame_keeps_the_stronger_and_the_history() -> None:
    memory = ObjectMemory(MemorySettings())
    frames = [sense(i, [ball(0.0, 'a')]) for i in range(10)]
    frames.append(sense(10, [ball(0.0, 'a'), ball(0.9, 'a', score=0.5)]))

    deltas = run(frames, memory)

    state = states_of(deltas)['a']
    assert (state.num_observations, state.first_seen_ns) == (11, FRAME_NS)
    assert events_of(deltas) == ['appeared']
    assert memory.counters['duplicate_id'] == 1


def test_id_that_equals_a_generated_name_is_another_object() -> None:
    frames = [sense(i, [ball(0.6)]) for i in range(6)]
    frames += [sense(6 + i, [ball(0.6), ball(-0.6, 'cup_1')]) for i in range(6)]

    states = states_of(run(frames))

    assert sorted(states) == ['cup_1', 'cup_1_1']
    assert states['cup_1'].num_observations == 12
    np.testing.assert_allclose(states['cup_1_1'].world_p, (2.0, -0.6, 0.0), atol=0.03)


def test_two_objects_named_by_a_tracker_are_never_joined() -> None:
    memory = ObjectMemory(MemorySettings())
    run([sense(i, [ball(0.6, 'a')]) for i in range(6)], memory)
    run([sense(6 + i, []) for i in range(12)], memory)

    states = states_of(run([sense(30 + i, [ball(-0.6, 'b')]) for i in range(6)], memory))

    assert states['b'].life_cycle is LifeCycle.CONFIRMED
    assert states['a'].life_cycle is LifeCycle.ABSENT
    assert (states['a'].aliases, states['b'].aliases) == ((), ())


def test_newcomer_named_by_a_tracker_answers_to_its_id_after_the_merge() -> None:
    memory = ObjectMemory(MemorySettings())
    run([sense(i, [ball(0.9)], looking(0.42)) for i in range(8)], memory)
    run([sense(8 + i, [], looking(0.42)) for i in range(12)], memory)
    right = looking(-0.42)

    deltas = run([sense(40 + i, [ball(-0.9, 'b')], right) for i in range(6)], memory)

    states = states_of(deltas)
    assert states['b'].life_cycle is LifeCycle.RETIRED
    assert states['cup_1'].num_observations == 8 + 6
    assert events_of(deltas).count('appeared') == 1


def test_one_stray_label_does_not_lend_its_name() -> None:
    memory = ObjectMemory(MemorySettings())
    run([sense(i, [ball(0.0)]) for i in range(20)], memory)
    run([sense(20, [ball(0.0, label='bottle')])], memory)

    bottle = Ball('bottle', (2.0, 0.3, 0.0))
    states = states_of(run([sense(21 + i, [ball(0.0), bottle]) for i in range(8)], memory))

    assert sorted(states) == ['bottle_1', 'cup_1']
    assert states['cup_1'].num_moves == 0


def test_thing_always_detected_twice_is_one_object() -> None:
    frames = []
    for i in range(12):
        box = sense(i, [ball(0.0)]).cameras[0].detections[0].box_px
        twin = Detection('cup', 0.6, box_px=(box[0] + 0.5, box[1], box[2], box[3]))
        frames.append(sense(i, [ball(0.0)], extra=[twin]))

    assert list(states_of(run(frames))) == ['cup_1']


# Restart.


def test_restart_with_a_smaller_evidence_needed_goes_on() -> None:
    first = run([sense(i, [ball(0.0)]) for i in range(3)])  # three of four matches

    eager = MemorySettings(confirm_hits=2)
    memory = ObjectMemory(eager, checkpoint=checkpoint_of(first))
    deltas = run([sense(3, []), sense(4, [ball(0.0)])], memory)

    assert list(states_of(deltas)) == ['cup_1']


@pytest.mark.parametrize('seed', range(4))
def test_restart_anywhere_in_a_random_world_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frames = []
    for i in range(40):
        cups = [ball(0.5 if i < 15 else -0.4), ball(0.1, label='bowl')]
        seen = [replace(b, is_detected=bool(rng.random() > 0.3)) for b in cups]
        screen = [Ball('board', (1.0, 0.1, 0.0), radius=0.12, is_detected=False)]
        world = seen + (screen if 20 <= i < 28 else [])
        frames.append(sense(i, world, looking(float(rng.normal(0.0, 0.3)))))
    whole = run(frames)

    for cut in rng.integers(1, 40, size=5):
        first = run(frames[:cut])
        resumed = run(
            frames[cut:], ObjectMemory(MemorySettings(), checkpoint=checkpoint_of(first))
        )
        for expected, got in zip(whole[cut:], resumed, strict=True):
            assert repr(replace(got, looks=())) == repr(replace(expected, looks=()))


# Tombstones.


def buried(memory: ObjectMemory, track_id: str = '') -> None:
    run([sense(i, [ball(0.0, track_id)]) for i in range(6)], memory)
    deltas = run([sense(6 + i, []) for i in range(12)], memory)
    assert events_of(deltas) == ['absent']


def test_tombstone_is_revived_by_a_position_from_outside() -> None:
    memory = ObjectMemory(MemorySettings())
    buried(memory, 'm1')

    state = states_of(run([at(30 * FRAME_NS, 0.0)], memory))['m1']

    assert state.life_cycle is LifeCycle.CONFIRMED
    assert state.num_moves == 0


def test_tombstone_is_revived_by_a_reported_movement() -> None:
    memory = ObjectMemory(MemorySettings())
    buried(memory, 'm1')
    start = MovementReport('m1', 'cup', 30 * FRAME_NS)

    state = states_of(run([SensedFrame(30 * FRAME_NS, movements=(start,))], memory))['m1']

    assert (state.life_cycle, state.in_motion) == (LifeCycle.CONFIRMED, True)


def test_revived_elsewhere_it_is_there_and_was_moved() -> None:
    memory = ObjectMemory(MemorySettings())
    buried(memory, 'm1')

    state = states_of(run([sense(30, [ball(0.9, 'm1')])], memory))['m1']

    np.testing.assert_allclose(state.world_p, (2.0, 0.9, 0.0), atol=0.03)
    assert (state.num_moves, state.placed_by) == (1, 'inferred')


# Positions and reports from outside.


def test_position_that_jumps_is_a_move_not_an_average() -> None:
    frames = [at((i + 1) * S, 0.0) for i in range(5)] + [at((i + 6) * S, 1.0) for i in range(6)]

    state = states_of(run(frames))['m1']

    assert state.num_moves == 1
    np.testing.assert_allclose(state.world_p, (2.0, 1.0, 0.0), atol=1e-9)


def test_report_of_an_older_movement_is_left_out() -> None:
    memory = ObjectMemory(MemorySettings())
    frames = [at(S, 0.0, 'annotation')]
    for stamp, start, end in ((20, 8, 10), (21, 3, 5)):
        report = MovementReport('m1', 'mug', start * S, end * S)
        frames.append(SensedFrame(stamp * S, movements=(report,)))

    state = states_of(run(frames, memory))['m1']

    assert (state.num_moves, state.last_placed_ns) == (1, 10 * S)
    assert memory.counters['movement_out_of_order'] == 1


def test_no_placement_ends_before_it_begins() -> None:
    early = MovementReport('m1', 'mug', 9 * S)
    frames = [at(5 * S, 0.0, 'annotation'), SensedFrame(6 * S, movements=(early,))]

    placements = [p for d in run(frames) for p in d.placements if p.end_ns is not None]

    assert [(p.start_ns, p.end_ns) for p in placements] == [(5 * S, 6 * S)]


def test_moved_to_where_nobody_looked_then_seen_has_a_placement_again() -> None:
    memory = ObjectMemory(MemorySettings())
    report = MovementReport('m1', 'cup', 3 * S, 4 * S)
    run([at(S, 0.0, 'annotation'), SensedFrame(4 * S, movements=(report,))], memory)

    deltas = run([sense(30, [ball(0.5, 'm1')])], memory)

    opened = [p for p in deltas[0].placements if p.end_ns is None]
    assert [p.start_ns for p in opened] == [31 * FRAME_NS]


def test_jiggle_before_looking_away_is_no_move() -> None:
    wiggle = [0.0] * 8 + [0.32, 0.32, 0.0]
    frames = [sense(i, [ball(y)]) for i, y in enumerate(wiggle)]
    frames += [sense(11 + i, [ball(0.0)], looking(math.pi)) for i in range(20)]

    state = states_of(run(frames))['cup_1']

    assert (state.num_moves, state.in_motion) == (0, False)


# Two cameras.


def two_cameras(index: int) -> SensedFrame:
    """One camera sees the cup, another looks the other way."""
    front = sense(index, [ball(0.0)]).cameras[0]
    rear = sense(index, [ball(0.0)], looking(math.pi)).cameras[0]
    cameras = (replace(front, camera_id='front'), replace(rear, camera_id='rear'))
    return SensedFrame((index + 1) * FRAME_NS, cameras=cameras)


def test_one_camera_that_sees_it_outweighs_another_that_looks_away() -> None:
    state = states_of(run([two_cameras(i) for i in range(8)]))['cup_1']

    assert (state.visibility, state.confirmed) == (Visibility.VISIBLE, True)


def test_each_camera_has_its_own_intervals() -> None:
    deltas = run([two_cameras(i) for i in range(8)])

    opened = {(i.camera_id, i.state) for d in deltas for i in d.intervals}
    assert opened == {('front', Visibility.VISIBLE), ('rear', Visibility.OUT_OF_VIEW)}


def test_camera_that_stopped_looking_does_not_count_any_more() -> None:
    frames = [two_cameras(i) for i in range(8)]
    blind = replace(sense(20, [], looking(math.pi)).cameras[0], camera_id='rear')
    side = replace(sense(21, [], looking(math.pi / 2)).cameras[0], camera_id='rear')
    frames.append(SensedFrame(21 * FRAME_NS, cameras=(blind,)))
    frames.append(SensedFrame(22 * FRAME_NS, cameras=(side,)))

    state = states_of(run(frames))['cup_1']

    assert state.visibility is Visibility.OUT_OF_VIEW


def test_things_that_stay_out_of_view_are_not_written_again() -> None:
    memory = ObjectMemory(MemorySettings())
    run([two_cameras(i) for i in range(8)], memory)
    away = replace(sense(8, [], looking(math.pi)).cameras[0], camera_id='rear')
    aside = replace(sense(8, [], looking(math.pi / 2)).cameras[0], camera_id='front')
    pair = (replace(aside), replace(away))
    run([SensedFrame(9 * FRAME_NS, cameras=pair)], memory)

    deltas = run([SensedFrame((10 + i) * FRAME_NS, cameras=pair) for i in range(3)], memory)

    assert [d.tracks for d in deltas] == [(), (), ()]


def test_a_hole_in_the_depth_does_not_undo_a_confirmation() -> None:
    blind = ball(0.0)
    frames = [sense(i, [ball(0.0)]) for i in range(8)]
    hole = sense(8, [blind], detector=True)
    camera = replace(
        hole.cameras[0], depth_m=np.full((120, 160), np.nan, np.float32), detections=()
    )
    frames.append(replace(hole, cameras=(camera,)))
    unseen = replace(blind, is_detected=False)
    frames += [sense(9 + i, [unseen]) for i in range(2)]

    deltas = run(frames)

    causes = [(i.state, i.cause) for d in deltas for i in d.intervals if i.end_ns is None]
    assert causes == [
        (Visibility.VISIBLE, 'in_view'),
        (Visibility.UNKNOWN, 'invalid_depth'),
        (Visibility.VISIBLE, 'in_view'),
    ]


def test_put_down_just_before_looking_away_is_put_down() -> None:
    way = [0.4 - 0.2 * i for i in range(1, 5)]
    stations = [0.4] * 8 + way + [-0.4] * 3
    frames = [sense(i, [ball(y)]) for i, y in enumerate(stations)]
    frames += [sense(len(stations) + i, [], looking(math.pi)) for i in range(14)]

    state = states_of(run(frames))['cup_1']

    assert (state.placed_by, state.num_moves) == ('observed', 1)
    np.testing.assert_allclose(state.world_p, (2.0, -0.4, 0.0), atol=0.04)

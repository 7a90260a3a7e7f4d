"""Movements and positions that come from outside: annotations, recognisers, 3D detectors."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.places import Places
from st_memory.core.memory.stays import Stays
from st_memory.core.memory.track import Track
from st_memory.core.memory.track_text import TrackWriter
from st_memory.core.records import (
    CameraFrame,
    LifeCycle,
    MovementReport,
    Scene,
    SensedFrame,
    Visibility,
    WorldDetection,
)
from test.scenarios.synthetic import CAMERA, looking, states_of

S = 1_000_000_000
PLACE_A, PLACE_B = (2.0, 0.2, 0.0), (2.0, -0.4, 0.0)


def look(stamp_ns: int, pose: RigidTransform | None = None) -> SensedFrame:
    camera = CameraFrame('cam', CAMERA, pose or looking())
    return SensedFrame(stamp_ns, cameras=(camera,))


def seen(stamp_ns: int, at: tuple[float, float, float], source: str = 'annotation') -> SensedFrame:
    return SensedFrame(
        stamp_ns, world_detections=(WorldDetection('mug', 1.0, at, 'm1', source=source),)
    )


def moving(stamp_ns: int, start_ns: int, end_ns: int | None = None) -> SensedFrame:
    return SensedFrame(stamp_ns, movements=(MovementReport('m1', 'mug', start_ns, end_ns),))


def put_down(end_ns: int, start_ns: int, at: tuple[float, float, float]) -> SensedFrame:
    """The measurement at the end of a movement and the end itself, at one stamp."""
    return SensedFrame(
        end_ns,
        world_detections=(WorldDetection('mug', 1.0, at, 'm1', source='annotation'),),
        movements=(MovementReport('m1', 'mug', start_ns, end_ns),),
    )


def run(frames: list[SensedFrame], preset: str = 'beyond3d_track_v5') -> list:
    memory = ObjectMemory(MemorySettings(visibility_preset=preset))
    return [memory.integrate(frame) for frame in frames]


def final(frames: list[SensedFrame], preset: str = 'beyond3d_track_v5'):
    return states_of(run(frames, preset))['m1']


def test_object_before_its_first_movement_is_unknown() -> None:
    assert states_of(run([look(S)])) == {}


def test_lookahead_location_is_a_placement_of_that_source() -> None:
    deltas = run([seen(S, PLACE_A, 'annotation_lookahead'), look(2 * S)])

    assert deltas[0].placements[0].source == 'annotation_lookahead'
    assert states_of(deltas)['m1'].visibility is Visibility.VISIBLE


def test_started_movement_puts_the_object_in_motion_at_once() -> None:
    state = final([seen(S, PLACE_A), look(2 * S), moving(3 * S, 3 * S)])

    assert state.in_motion
    assert state.visibility is Visibility.IN_MOTION


def test_object_in_motion_that_was_never_located_is_in_motion_when_looked_for() -> None:
    state = final([moving(S, S), look(2 * S)])

    assert state.world_p is None
    assert state.visibility is Visibility.IN_MOTION


def test_ended_movement_places_the_object_where_it_was_measured() -> None:
    frames = [seen(S, PLACE_A), moving(3 * S, 3 * S), put_down(5 * S, 3 * S, PLACE_B), look(6 * S)]

    state = final(frames)

    assert state.world_p == PLACE_B
    assert (state.num_moves, state.last_placed_ns, state.placed_by) == (1, 5 * S, 'annotation')
    assert state.visibility is Visibility.VISIBLE


def test_movement_whose_end_nobody_measured_leaves_an_unknown_place() -> None:
    frames = [seen(S, PLACE_A), moving(3 * S, 3 * S), moving(5 * S, 3 * S, 5 * S), look(6 * S)]

    state = final(frames)

    assert state.world_p is None
    assert state.num_moves == 1
    assert (state.visibility, state.cause) == (Visibility.UNKNOWN, 'not_yet_located')


def test_movement_reported_only_at_its_end_counts() -> None:
    state = final([seen(S, PLACE_A), put_down(5 * S, 3 * S, PLACE_B)])

    assert (state.num_moves, state.in_motion) == (1, False)


@pytest.mark.parametrize(
    ('preset', 'expected'),
    [
        ('beyond3d_track_v5', Visibility.IN_MOTION),  # start <= t <= end
        ('live', Visibility.UNCONFIRMED),  # [start, end)
    ],
)
def test_look_at_the_very_end_of_a_movement(preset: str, expected: Visibility) -> None:
    camera = CameraFrame('cam', CAMERA, looking())
    end = SensedFrame(
        5 * S,
        cameras=(camera,),
        world_detections=(WorldDetection('mug', 1.0, PLACE_B, 'm1', source='annotation'),),
        movements=(MovementReport('m1', 'mug', 3 * S, 5 * S),),
    )

    deltas = run([seen(S, PLACE_A), moving(3 * S, 3 * S), end], preset)

    opened = [i for i in deltas[-1].intervals if i.end_ns is None]
    assert [i.state for i in opened] == [expected]


def test_moved_event_names_object_and_interval() -> None:
    deltas = run([seen(S, PLACE_A), moving(3 * S, 3 * S), put_down(5 * S, 3 * S, PLACE_B)])

    event = next(e for d in deltas for e in d.events if e.event_type == 'moved')
    assert (event.start_ns, event.end_ns) == (3 * S, 5 * S)
    assert event.roles == (('object', 'm1'),)
    assert event.source == 'annotation'


def test_world_detection_without_an_id_is_counted() -> None:
    memory = ObjectMemory(MemorySettings())

    memory.integrate(SensedFrame(S, world_detections=(WorldDetection('mug', 1.0, PLACE_A),)))

    assert memory.counters == {'world_detection_without_id': 1}


def test_repeated_positions_at_rest_are_averaged() -> None:
    state = final([seen(S, (2.0, 0.0, 0.0)), seen(2 * S, (2.0, 0.1, 0.0))])

    np.testing.assert_allclose(state.world_p, (2.0, 0.05, 0.0), atol=1e-12)


def test_box_of_a_world_detection_is_kept() -> None:
    turned = (0.0, 0.0, 0.6, 0.8)
    detection = WorldDetection('mug', 1.0, PLACE_A, 'm1', (0.1, 0.2, 0.3), turned)

    state = final([SensedFrame(S, world_detections=(detection,))])

    assert (state.size_m, state.quat_xyzw) == ((0.1, 0.2, 0.3), turned)


def test_camera_without_a_pose_leaves_everything_unknown() -> None:
    blind = CameraFrame('cam', CAMERA, None, pose_problem='not_connected')

    state = final([seen(S, PLACE_A), SensedFrame(2 * S, cameras=(blind,))])

    assert (state.visibility, state.cause) == (Visibility.UNKNOWN, 'no_pose')
    assert state.world_p == PLACE_A


def test_place_of_a_reported_movement_that_was_wrong_is_told_better_not_moved_again() -> None:
    # It was measured last in a hand; its place was seen empty since, and it turns up elsewhere.
    track = Track('m1', 'm1', label_votes={'mug': 1.0}, annotated=True)
    track.mean = track.last_fix = [2.0, 0.2, 0.0]
    track.last_fix_ns, track.last_placed_ns, track.placed_by = 4 * S, 5 * S, 'annotation'
    track.num_moves, track.life_cycle = 1, LifeCycle.ABSENT
    out = DeltaBuilder(0, 60 * S)

    Stays(MemorySettings(), Places(Scene(), 0.15)).revive(track, np.array(PLACE_B), out)
    delta = out.build({'m1': track}, {'cam'}, 1, '{}', TrackWriter())

    assert [e.event_type for e in delta.events] == ['returned']
    assert [(p.start_ns, p.world_p) for p in delta.placements] == [(5 * S, PLACE_B)]
    assert (track.num_moves, track.last_placed_ns, track.placed_by) == (1, 5 * S, 'annotation')

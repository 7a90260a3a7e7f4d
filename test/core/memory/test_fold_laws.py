"""What must hold for any world: determinism, restart, and indifference to what does not matter."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint
from st_memory.core.records import FrameDelta, SensedFrame, TrackRecord
from test.scenarios.synthetic import Ball, looking, sense, states_of

LAST = 70


@pytest.fixture(scope='module')
def story() -> list[SensedFrame]:
    """A cup is carried, another leaves for good, a bowl stays; the camera turns away and back."""
    rng = np.random.default_rng(11)
    frames = []
    for i in range(LAST):
        y = 0.5 if i < 12 else max(-0.5, 0.5 - 0.2 * (i - 11))
        world = [Ball('cup', (2.0, y, 0.0)), Ball('bowl', (2.3, 0.0, -0.3), radius=0.12)]
        if i < 40:
            world.append(Ball('cup', (2.1, 0.0, 0.35)))
        seen = [replace(b, is_detected=bool(rng.random() > 0.2)) for b in world]
        yaw = math.pi if 25 <= i < 30 else 0.02 * math.sin(i)
        frames.append(sense(i, seen, looking(yaw)))
    return frames


def run(frames: list[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def comparable(deltas: list[FrameDelta]) -> list[str]:
    """Everything in the deltas as text; poses by their numbers."""
    rows = []
    for delta in deltas:
        looks = [
            (k.camera_id, k.stamp_ns, k.detector_reported, k.world_T_camera.matrix.tolist())
            for k in delta.looks
            if k.world_T_camera is not None
        ]
        rows.append(repr((replace(delta, looks=()), looks)))
    return rows


def test_two_runs_give_identical_deltas(story: list[SensedFrame]) -> None:
    assert comparable(run(story)) == comparable(run(story))


@pytest.mark.parametrize('cut', [1, 3, 14, 20, 27, 45, LAST - 1])
def test_restart_at_any_frame_changes_nothing(story: list[SensedFrame], cut: int) -> None:
    whole = run(story)
    first = run(story[:cut])
    tracks: dict[str, TrackRecord] = {}
    for delta in first:
        tracks |= {r.state.object_id: r for r in delta.tracks}
    checkpoint = Checkpoint(first[-1].frame, tuple(tracks[name] for name in sorted(tracks)))

    resumed = run(story[cut:], ObjectMemory(MemorySettings(), checkpoint=checkpoint))

    assert comparable(first + resumed) == comparable(whole)


def test_story_has_something_to_say(story: list[SensedFrame]) -> None:
    states = states_of(run(story))

    assert sorted(s.label for s in states.values()) == ['bowl', 'cup', 'cup']
    assert sum(s.num_moves for s in states.values()) == 1
    assert sum(s.existence_probability == 0.0 for s in states.values()) == 1


def test_order_of_detections_does_not_matter(story: list[SensedFrame]) -> None:
    rng = np.random.default_rng(0)
    shuffled = []
    for frame in story:
        camera = frame.cameras[0]
        order = rng.permutation(len(camera.detections))
        mixed = tuple(camera.detections[i] for i in order)
        shuffled.append(replace(frame, cameras=(replace(camera, detections=mixed),)))

    plain, mixed_states = states_of(run(story)), states_of(run(shuffled))

    # Two cups may swap their numbers, so compare what is known of them, not their names.
    def content(states: dict) -> list[str]:
        return sorted(repr(replace(s, object_id='')) for s in states.values())

    assert content(plain) == content(mixed_states)


def test_shifted_clock_shifts_every_stamp(story: list[SensedFrame]) -> None:
    shift_ns = 1_700_000_000_000_000_000
    later = [replace(f, stamp_ns=f.stamp_ns + shift_ns) for f in story]

    plain, shifted = states_of(run(story)), states_of(run(later))

    for name, state in plain.items():
        other = shifted[name]
        assert other.last_seen_ns == state.last_seen_ns + shift_ns
        assert other.visibility is state.visibility
        assert other.num_moves == state.num_moves
        assert other.world_p == state.world_p


def test_moved_world_moves_every_position(story: list[SensedFrame]) -> None:
    # A quarter turn about z keeps the axis-aligned extents comparable.
    moved_T_world = RigidTransform(
        np.array([3.0, -4.0, 1.5]), np.array([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)])
    )
    elsewhere = []
    for frame in story:
        camera = frame.cameras[0]
        pose = moved_T_world @ camera.world_T_camera
        elsewhere.append(replace(frame, cameras=(replace(camera, world_T_camera=pose),)))

    plain, moved = states_of(run(story)), states_of(run(elsewhere))

    assert sorted(plain) == sorted(moved)
    for name, state in plain.items():
        expected = moved_T_world.apply(np.array(state.world_p))
        # 1e-6: rounding through two chains of transforms.
        np.testing.assert_allclose(moved[name].world_p, expected, atol=1e-6)
        assert moved[name].num_moves == state.num_moves


def test_candidates_survive_a_restart(story: list[SensedFrame]) -> None:
    # After two frames nothing is believed yet; the evidence so far must not be lost.
    first = run(story[:2])
    assert first[-1].tracks == ()
    checkpoint = Checkpoint(first[-1].frame, ())

    resumed = run(story[2:8], ObjectMemory(MemorySettings(), checkpoint=checkpoint))

    assert comparable(first + resumed) == comparable(run(story[:8]))

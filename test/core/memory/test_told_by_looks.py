"""What things look like: it tells two of a class apart, and never speaks where it is unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import Checkpoint
from st_memory.core.records import FrameDelta, LifeCycle, ObjectState, SensedFrame
from test.scenarios.synthetic import Ball, looking, sense, states_of

RED, BLUE, GREEN = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Look = tuple[float, ...]
AWAY = looking(math.pi)


def mug(y: float, look: Look = (), z: float = 0.0) -> Ball:
    return Ball('mug', (2.0, y, z), embedding=look)


def run(frames: Sequence[SensedFrame], memory: ObjectMemory | None = None) -> list[FrameDelta]:
    fold = memory or ObjectMemory(MemorySettings())
    return [fold.integrate(frame) for frame in frames]


def believed(deltas: Sequence[FrameDelta]) -> dict[str, ObjectState]:
    return {
        name: s for name, s in states_of(deltas).items() if s.life_cycle is LifeCycle.CONFIRMED
    }


def unseen(first: list[Ball], then: list[Ball], looks: int = 30) -> list[SensedFrame]:
    """One arrangement, six seconds of looking away, and another one."""
    frames = [sense(i, first) for i in range(10)]
    frames += [sense(10 + i, [], AWAY) for i in range(30)]
    return frames + [sense(40 + i, then) for i in range(looks)]


def noisy(frames: list[SensedFrame], sigma: float) -> list[SensedFrame]:
    """The same frames, with embeddings that vary from look to look."""
    rng = np.random.default_rng(5)
    out = []
    for frame in frames:
        (camera,) = frame.cameras
        detections = tuple(
            replace(
                d,
                embedding=tuple((np.array(d.embedding) + rng.normal(0, sigma, 3)).tolist()),
            )
            for d in camera.detections or ()
        )
        out.append(replace(frame, cameras=(replace(camera, detections=detections),)))
    return out


# Two of a class.


@pytest.fixture(scope='module')
def swap() -> list[SensedFrame]:
    return noisy(unseen([mug(0.4, RED), mug(-0.4, BLUE)], [mug(-0.4, RED), mug(0.4, BLUE)]), 0.15)


def test_swap_that_nobody_saw_is_told_by_the_looks(swap: list[SensedFrame]) -> None:
    states = believed(run(swap))

    before = states_of(run(swap[:10]))
    assert sorted(states) == ['mug_1', 'mug_2']
    for name, state in states.items():
        was = before[name].world_p
        assert was is not None and state.world_p is not None
        assert state.world_p[1] == pytest.approx(-was[1], abs=0.04)
        assert (state.num_moves, state.placed_by) == (1, 'inferred')


def test_swap_without_looks_goes_unnoticed() -> None:
    states = believed(run(unseen([mug(0.4), mug(-0.4)], [mug(-0.4), mug(0.4)])))

    assert {s.num_moves for s in states.values()} == {0}


def test_swap_of_twins_goes_unnoticed() -> None:
    frames = unseen([mug(0.4, RED), mug(-0.4, RED)], [mug(-0.4, RED), mug(0.4, RED)])

    states = believed(run(noisy(frames, 0.05)))

    assert sorted(states) == ['mug_1', 'mug_2']
    assert {s.num_moves for s in states.values()} == {0}


def test_swap_of_neighbours_is_told_by_the_looks() -> None:
    # 0.2 m apart, either fits both places: only the looks tell which one is where.
    frames = unseen([mug(0.1, RED), mug(-0.1, BLUE)], [mug(-0.1, RED), mug(0.1, BLUE)])
    red = next(
        name for name, s in states_of(run(frames[:10])).items() if s.world_p and s.world_p[1] > 0
    )

    states = believed(run(frames))

    assert sorted(states) == ['mug_1', 'mug_2']
    assert states[red].world_p is not None
    assert states[red].world_p[1] < 0


@pytest.mark.parametrize('taken', [0, 1])
def test_found_one_of_two_missing_is_the_one_that_looks_like_it(taken: int) -> None:
    first = [mug(0.5, RED), mug(-0.5, BLUE)]
    look = (RED, BLUE)[taken]
    before = states_of(run([sense(i, first) for i in range(10)]))
    name = next(n for n, s in before.items() if s.world_p and (s.world_p[1] > 0) == (taken == 0))

    states = states_of(run(unseen(first, [mug(0.0, look, z=0.4)], looks=40)))

    assert states[name].num_moves == 1
    assert states[name].world_p == pytest.approx((2.0, 0.0, 0.4), abs=0.05)
    (other,) = {'mug_1', 'mug_2'} - {name}
    assert states[other].num_moves == 0


def test_newcomer_that_looks_like_none_is_an_object_of_its_own() -> None:
    first = [mug(0.5, RED), mug(-0.5, BLUE)]

    states = states_of(run(unseen(first, [mug(0.0, GREEN, z=0.4)], looks=60)))

    assert states['mug_3'].life_cycle is LifeCycle.CONFIRMED
    assert {states[n].num_moves for n in ('mug_1', 'mug_2')} == {0}


def test_another_mug_at_the_same_place_is_another_object() -> None:
    states = states_of(run(unseen([mug(0.0, RED)], [mug(0.0, BLUE)])))

    assert sorted(states) == ['mug_1', 'mug_2']
    assert states['mug_1'].last_seen_ns is not None
    assert states['mug_2'].first_seen_ns is not None
    assert states['mug_1'].last_seen_ns < states['mug_2'].first_seen_ns


def test_single_bad_embedding_opens_nothing() -> None:
    frames = [sense(i, [mug(0.0, BLUE if i % 7 == 6 else RED)]) for i in range(40)]

    assert sorted(states_of(run(frames))) == ['mug_1']


def test_id_from_outside_outweighs_the_looks() -> None:
    red, blue = (Ball('mug', (2.0, 0.0, 0.0), track_id='a', embedding=e) for e in (RED, BLUE))
    frames = [sense(i, [red if i < 10 else blue]) for i in range(20)]

    assert sorted(states_of(run(frames))) == ['a']


# Looks that say nothing.


def test_useless_embeddings_change_nothing_and_are_counted() -> None:
    arrangement = [mug(0.4), mug(-0.4)], [mug(-0.4), mug(0.4)]
    useless = [[replace(b, embedding=(0.0, math.nan)) for b in some] for some in arrangement]
    plain, memory = ObjectMemory(MemorySettings()), ObjectMemory(MemorySettings())

    without, with_them = run(unseen(*arrangement), plain), run(unseen(*useless), memory)

    assert [d.tracks for d in with_them] == [d.tracks for d in without]
    assert [d.events for d in with_them] == [d.events for d in without]
    assert Counter(memory.counters) - Counter(plain.counters) == {'embedding_unusable': 80}
    assert 'appearance' not in with_them[5].tracks[0].fold_json


def test_embedding_of_another_size_is_counted_and_leaves_the_match() -> None:
    memory = ObjectMemory(MemorySettings())
    frames = [sense(i, [mug(0.0, RED)]) for i in range(6)]
    frames += [sense(6 + i, [mug(0.0, (1.0, 0.0))]) for i in range(4)]

    states = states_of(run(frames, memory))

    assert sorted(states) == ['mug_1']
    assert states['mug_1'].num_observations == 10
    assert memory.counters['embedding_of_another_size'] == 4


def test_detections_without_embedding_still_match_what_has_looks() -> None:
    frames = [sense(i, [mug(0.0, RED if i < 6 else ())]) for i in range(12)]

    assert states_of(run(frames))['mug_1'].num_observations == 12


# Laws.


@pytest.mark.parametrize('cut', [5, 20, 42, 45, 60])
def test_restart_at_any_frame_changes_nothing(swap: list[SensedFrame], cut: int) -> None:
    whole = run(swap)
    first = run(swap[:cut])
    tracks = {r.state.object_id: r for d in first for r in d.tracks}
    checkpoint = Checkpoint(first[-1].frame, tuple(tracks[name] for name in sorted(tracks)))

    resumed = run(swap[cut:], ObjectMemory(MemorySettings(), checkpoint=checkpoint))

    assert [d.tracks for d in first + resumed] == [d.tracks for d in whole]
    assert [d.frame for d in first + resumed] == [d.frame for d in whole]


def test_order_of_detections_does_not_matter(swap: list[SensedFrame]) -> None:
    turned = [
        replace(f, cameras=tuple(replace(c, detections=c.detections[::-1]) for c in f.cameras))
        for f in swap
    ]

    kept = {s.world_p: s.num_moves for s in believed(run(swap)).values()}
    other = {s.world_p: s.num_moves for s in believed(run(turned)).values()}

    assert kept == other


def test_shifted_clock_changes_no_identity(swap: list[SensedFrame]) -> None:
    later = [replace(f, stamp_ns=f.stamp_ns + 10**15) for f in swap]

    kept, other = believed(run(swap)), believed(run(later))

    assert {n: s.world_p for n, s in kept.items()} == {n: s.world_p for n, s in other.items()}


def test_moved_world_changes_no_identity(swap: list[SensedFrame]) -> None:
    new_T_old = RigidTransform(
        np.array([3.0, -1.0, 0.5]), np.array([0.0, 0.0, math.sin(0.4), math.cos(0.4)])
    )
    moved = [
        replace(
            f,
            cameras=tuple(
                replace(c, world_T_camera=new_T_old @ c.world_T_camera) for c in f.cameras
            ),
        )
        for f in swap
    ]

    kept, other = believed(run(swap)), believed(run(moved))

    assert kept.keys() == other.keys()
    for name, state in kept.items():
        expected = new_T_old.apply(np.array(state.world_p))
        np.testing.assert_allclose(other[name].world_p, expected, atol=1e-6)
        assert other[name].num_moves == state.num_moves

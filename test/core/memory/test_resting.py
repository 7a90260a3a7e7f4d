"""Where things rest, as arrays: the same costs as pair by pair, and no pair is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np

from st_memory.core.association import Measurement
from st_memory.core.memory import MemorySettings
from st_memory.core.memory.matching import normalized_distance
from st_memory.core.memory.resting import rest_costs, Resting
from st_memory.core.memory.track import Track
from st_memory.core.records import Detection, LifeCycle

SETTINGS = MemorySettings()
METRES = st.floats(-4.0, 4.0)
POINTS = st.tuples(METRES, METRES, METRES)
SIGMAS = st.floats(1e-3, 0.3)


def resting_at(name: str, *place: float, **changes) -> Track:
    track = Track(name, life_cycle=LifeCycle.CONFIRMED, **changes)
    track.mean = list(place) or None
    return track


def seen_at(place, ray=(0.0, 0.0, 1.0), ray_m: float = 0.05, lateral_m: float = 0.02):
    return Measurement(
        detection=Detection('cup', 0.9),
        index=0,
        camera_p=np.zeros(3),
        world_p=np.array(place, dtype=np.float64),
        world_ray=np.array(ray) / np.linalg.norm(ray),
        size_m=np.zeros(3),
        quat_xyzw=(0.0, 0.0, 0.0, 1.0),
        ray_sigma_m=ray_m,
        lateral_sigma_m=lateral_m,
        is_cut=False,
    )


@given(
    places=st.lists(st.tuples(POINTS, st.floats(0.0, 0.1)), min_size=1, max_size=12),
    gap=st.tuples(*[st.floats(-0.3, 0.3)] * 3),
    sigmas=st.tuples(SIGMAS, SIGMAS),
    shift=st.sampled_from([0.0, 1e3, -1e5]),
)
def test_costs_are_those_of_each_pair(places, gap, sigmas, shift) -> None:
    tracks = [
        resting_at(f't{i}', *(v + shift for v in place), variance=variance)
        for i, (place, variance) in enumerate(places)
    ]
    seen = [seen_at(np.array(t.mean) + gap, (1.0, 2.0, 2.0), *sigmas) for t in tracks[:3]]

    costs = rest_costs(Resting.of(tracks), seen, SETTINGS)

    for row, track in enumerate(tracks):
        for column, m in enumerate(seen):
            place = np.array(track.mean)
            expected = float(normalized_distance(place, m, float(np.sqrt(track.variance))))
            distance = float(np.linalg.norm(m.world_p - place))
            margin = abs(expected - SETTINGS.gate_sigmas), abs(distance - SETTINGS.same_object_m)
            if min(margin) < 1e-6:
                continue  # on the gate: rounding decides
            near = distance <= SETTINGS.same_object_m or expected <= SETTINGS.gate_sigmas
            assert np.isfinite(costs[row, column]) == near
            if near:
                np.testing.assert_allclose(costs[row, column], expected, rtol=1e-6, atol=1e-6)


def test_a_row_costs_the_same_bits_among_others() -> None:
    rng = np.random.default_rng(3)
    tracks = [resting_at(f't{i}', *rng.uniform(-3, 3, 3).tolist()) for i in range(200)]
    seen = [seen_at(np.array(t.mean) + 0.01, (1.0, 0.5, 0.2)) for t in tracks[:20]]

    together = rest_costs(Resting.of(tracks), seen, SETTINGS)

    alone = np.concatenate([rest_costs(Resting.of([t]), seen, SETTINGS) for t in tracks])
    np.testing.assert_array_equal(together, alone)
    assert np.isfinite(together).any(axis=0).all()


def test_what_moves_or_has_no_place_rests_nowhere() -> None:
    moving = resting_at('a', 0.0, 0.0, 0.0, in_motion=True)

    costs = rest_costs(Resting.of([moving, resting_at('b')]), [seen_at((0, 0, 0))], SETTINGS)

    assert np.isinf(costs).all()


def test_fixes_since_a_stamp_include_it_and_leave_out_none_at_all() -> None:
    tracks = [
        resting_at(str(i), last_fix_ns=ns) for i, ns in enumerate((5, 6, None, -(2**63) + 1))
    ]
    resting = Resting.of(tracks)

    assert resting.fixed_since(6).tolist() == [False, True, False, False]
    assert resting.fixed_since(-(2**70)).tolist() == [True, True, False, True]


def test_some_rows_keep_what_they_say() -> None:
    tracks = [
        resting_at('a', 1.0, 2.0, 3.0, variance=0.5),
        resting_at('b', last_fix_ns=7),
        resting_at('c', 4.0, 5.0, 6.0),
    ]
    tracks[2].life_cycle = LifeCycle.ABSENT

    some = Resting.of(tracks).take(np.array([True, False, True]))

    assert some.places.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert some.is_absent.tolist() == [False, True]
    assert some.variances.tolist() == [0.5, 0.0]

"""A look that is off as a whole: the camera's pose has drifted, nothing was moved."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from st_memory.core.association import Measurement
from st_memory.core.memory import MemorySettings
from st_memory.core.memory.common_shift import common_shifts
from st_memory.core.memory.track import Track
from st_memory.core.records import Detection

SETTINGS = MemorySettings()
DRIFT = np.array([-0.08, 0.03, 0.14])  # 0.16 m
STEP = np.array([0.02, 0.0, 0.0])
PLACES = ((2.0, 0.0, 0.9), (2.1, 0.5, 0.9), (1.9, -0.6, 0.8), (2.4, 0.2, 1.1))


def at_rest(place: Sequence[float], name: str) -> Track:
    track = Track(name, '', label_votes={name: 1.0})
    track.mean = [float(v) for v in place]
    return track


def seen(place: Sequence[float], *, is_partial: bool = False) -> Measurement:
    world_p = np.array(place, dtype=float)
    ray = world_p / np.linalg.norm(world_p)
    return Measurement(
        Detection('mug', 0.9, (0.0, 0.0, 4.0, 4.0)),
        0,
        world_p,
        world_p,
        ray,
        np.full(3, 0.1),
        (0.0, 0.0, 0.0, 1.0),
        0.05,
        0.05,
        is_cut=False,
        is_partial=is_partial,
    )


def look(offs: Sequence[np.ndarray]) -> list[tuple[Track, Measurement]]:
    return [
        (at_rest(place, f't{i}'), seen(np.array(place) + off))
        for i, (place, off) in enumerate(zip(PLACES, offs, strict=False))
    ]


def test_what_two_others_are_off_by_alike_is_the_camera() -> None:
    pairs = look([DRIFT, DRIFT + STEP, DRIFT - STEP])

    shifts = common_shifts(pairs, SETTINGS)

    np.testing.assert_allclose(shifts[pairs[0][0]], DRIFT, atol=1e-12)
    np.testing.assert_allclose(shifts[pairs[1][0]], DRIFT - STEP / 2, atol=1e-12)


def test_one_other_says_nothing() -> None:
    assert common_shifts(look([DRIFT, DRIFT]), SETTINGS) == {}


def test_one_that_was_moved_is_told_apart_from_the_drift_of_the_rest() -> None:
    pairs = look([np.array([0.0, 0.4, 0.2]), DRIFT, DRIFT, DRIFT])

    shifts = common_shifts(pairs, SETTINGS)

    np.testing.assert_allclose(shifts[pairs[0][0]], DRIFT, atol=1e-12)


def test_things_off_in_different_ways_say_nothing() -> None:
    offs = [np.zeros(3), np.array([0.4, 0, 0]), np.array([-0.4, 0, 0])]

    assert common_shifts(look(offs), SETTINGS) == {}


def test_things_carried_together_are_no_drift() -> None:
    assert common_shifts(look([np.array([0.0, 0.3, 0.2])] * 4), SETTINGS) == {}


@pytest.mark.parametrize('why', ['in_motion', 'trail', 'mean', 'partial'])
def test_what_does_not_surely_rest_is_no_witness(why: str) -> None:
    pairs = look([DRIFT] * 3)
    witness, m = pairs[2]
    if why == 'in_motion':
        witness.in_motion = True
    elif why == 'trail':
        witness.trail = [(1, [2.0, 0.0, 0.9])]
    elif why == 'mean':
        witness.mean = None
    else:
        pairs[2] = (witness, seen(m.world_p.tolist(), is_partial=True))

    shifts = common_shifts(pairs, SETTINGS)

    # For the witness itself two others are left; for these only one.
    assert list(shifts) == [witness]


def test_order_of_the_matches_does_not_matter() -> None:
    pairs = look([DRIFT, DRIFT * 1.1, DRIFT * 0.9, DRIFT * 1.05])

    there = common_shifts(pairs, SETTINGS)
    back = common_shifts(pairs[::-1], SETTINGS)

    assert there.keys() == back.keys()
    for track, shift in there.items():
        np.testing.assert_array_equal(shift, back[track])

"""Rules of the things in a kitchen."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from st_memory.sim.catalog import choose_objects, KINDS, ObjectSpec


@pytest.mark.parametrize('seed', range(5))
def test_choose_objects_gives_the_asked_number_and_pairs(seed: int) -> None:
    objects = choose_objects(16, 3, np.random.default_rng(seed))
    kinds = Counter(o.label for o in objects)
    assert len(objects) == 16
    assert sum(n == 2 for n in kinds.values()) == 3
    assert max(kinds.values()) == 2


def test_choose_objects_orders_by_unique_id() -> None:
    ids = [o.object_id for o in choose_objects(18, 4, np.random.default_rng(0))]
    assert len(set(ids)) == len(ids)
    assert ids == sorted(ids)


def test_kinds_are_of_mixed_size() -> None:
    longest = [2 * max(ObjectSpec('x_1', k, v).half_size) for k, v in KINDS.items()]
    assert min(longest) <= 0.10
    assert max(longest) >= 0.25


def test_half_size_counts_what_sticks_out() -> None:
    mug = ObjectSpec('mug_1', 'mug', KINDS['mug'])
    # The handle: centre at 0.052, radius 0.008.
    assert mug.half_size == pytest.approx((0.060, 0.042, 0.05))


def test_radius_of_a_box_is_half_its_diagonal() -> None:
    milk = ObjectSpec('milk_carton_1', 'milk carton', KINDS['milk carton'])
    assert milk.radius == pytest.approx(0.04 * 2**0.5)


def test_radius_of_round_things_is_their_reach() -> None:
    assert ObjectSpec('can_1', 'can', KINDS['can']).radius == pytest.approx(0.034)
    assert ObjectSpec('mug_1', 'mug', KINDS['mug']).radius == pytest.approx(0.060)

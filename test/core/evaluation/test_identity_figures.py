"""Identity figures against fractions worked out by hand."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.evaluation import identity_f1

PAIRS = st.lists(
    st.tuples(st.sampled_from(['', 'cup', 'pot', 'pan']), st.sampled_from(['', 'a', 'b', 'c'])),
    max_size=25,
)


def items(**counts: int) -> list[tuple[str, str]]:
    """Give pairs by number: ``cup_a=3`` is three items of the cup that object a was made of."""
    return [
        (name.partition('_')[0], name.partition('_')[2])
        for name, count in counts.items()
        for _ in range(count)
    ]


def test_one_object_for_each_thing_is_perfect() -> None:
    figures = identity_f1(items(cup_a=3, pot_b=2))

    assert (figures.precision, figures.recall, figures.f1) == (1.0, 1.0, 1.0)
    assert figures.object_by_truth == {'cup': 'a', 'pot': 'b'}


def test_a_thing_split_in_two_keeps_its_larger_part() -> None:
    figures = identity_f1(items(cup_a=6, cup_b=4))

    assert figures.true_positives == 6
    assert (figures.precision, figures.recall) == (6 / 10, 6 / 10)
    assert figures.f1 == pytest.approx(2 * 6 / (10 + 10))


def test_two_things_made_one_object_count_for_one_of_them() -> None:
    figures = identity_f1(items(cup_a=3, pot_a=5))

    assert figures.true_positives == 5
    assert figures.object_by_truth == {'pot': 'a'}
    assert figures.f1 == pytest.approx(10 / 16)


def test_the_assignment_is_the_best_one_not_the_greedy_one() -> None:
    # Greedily cup-a (5) leaves pot-b (1): 6 items; cup-b and pot-a are 4 + 4.
    figures = identity_f1(items(cup_a=5, cup_b=4, pot_a=4, pot_b=1))

    assert figures.true_positives == 8
    assert figures.object_by_truth == {'cup': 'b', 'pot': 'a'}


def test_missed_items_lower_recall_alone() -> None:
    figures = identity_f1([*items(cup_a=3), ('cup', '')])

    assert (figures.precision, figures.recall) == (1.0, 3 / 4)
    assert figures.f1 == pytest.approx(6 / 7)


def test_false_detections_taken_for_an_object_lower_precision_alone() -> None:
    figures = identity_f1([*items(cup_a=3), ('', 'a'), ('', 'b')])

    assert (figures.precision, figures.recall) == (3 / 5, 1.0)
    assert figures.f1 == pytest.approx(6 / 8)


def test_false_detections_that_nothing_was_made_of_do_not_count() -> None:
    assert identity_f1([*items(cup_a=3), ('', '')]).f1 == 1.0


@pytest.mark.parametrize('pairs', [[], [('', '')], [('cup', '')], [('', 'a')]])
def test_nothing_right_is_zero_and_not_an_error(pairs: list[tuple[str, str]]) -> None:
    figures = identity_f1(pairs)

    assert (figures.precision, figures.recall, figures.f1) == (0.0, 0.0, 0.0)
    assert figures.object_by_truth == {}


@given(PAIRS)
def test_true_positives_are_those_of_the_best_of_all_assignments(
    pairs: list[tuple[str, str]],
) -> None:
    truths, names = ['cup', 'pot', 'pan'], ['a', 'b', 'c']
    best = max(
        sum(pairs.count((t, n)) for t, n in zip(truths, order, strict=True))
        for order in itertools.permutations(names)
    )

    assert identity_f1(pairs).true_positives == best


@given(PAIRS)
def test_names_of_objects_do_not_matter(pairs: list[tuple[str, str]]) -> None:
    renamed = [(truth, {'a': 'z', 'b': 'y'}.get(name, name)) for truth, name in pairs]

    assert identity_f1(renamed).f1 == identity_f1(pairs).f1

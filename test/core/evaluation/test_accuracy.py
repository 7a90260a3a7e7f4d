"""Counts by group, and their mean over the classes."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.evaluation import Accuracy, accuracy_by, macro_accuracy

ITEMS = st.lists(st.tuples(st.sampled_from('abc'), st.booleans()), max_size=30)


def test_accuracy_by_counts_each_group_in_the_order_of_its_first_item() -> None:
    items = [('when', True), ('where', False), ('when', False), ('when', True)]

    counted = accuracy_by(items)

    assert list(counted) == ['when', 'where']
    assert counted['when'] == Accuracy(correct=2, total=3)
    assert counted['where'] == Accuracy(correct=0, total=1)


def test_macro_accuracy_weighs_classes_alike_whatever_their_size() -> None:
    # 1 of 1, 1 of 3, 0 of 6: the mean of 1, 1/3 and 0, not 2 of 10.
    items = [('a', True), *[('b', i == 0) for i in range(3)], *[('c', False)] * 6]

    assert macro_accuracy(accuracy_by(items)) == pytest.approx(float(Fraction(4, 9)))


def test_macro_accuracy_of_no_class_is_unknown() -> None:
    assert macro_accuracy(accuracy_by(())) is None


def test_share_of_nothing_is_zero() -> None:
    assert Accuracy(0, 0).share == 0.0


@given(ITEMS)
def test_counts_of_groups_add_up(items: list[tuple[str, bool]]) -> None:
    counted = accuracy_by(items).values()

    assert sum(a.total for a in counted) == len(items)
    assert sum(a.correct for a in counted) == sum(right for _, right in items)


@given(ITEMS, st.integers(2, 4))
def test_macro_accuracy_does_not_change_when_every_item_comes_again(
    items: list[tuple[str, bool]], times: int
) -> None:
    once, again = accuracy_by(items), accuracy_by(items * times)

    assert macro_accuracy(again) == pytest.approx(macro_accuracy(once))

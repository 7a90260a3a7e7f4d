"""Shares of right answers to yes-or-no questions, computed by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.evaluation import Confusion, confusion_of


def test_counts_are_those_of_each_kind() -> None:
    items = [(True, True)] * 3 + [(False, True)] * 2 + [(True, False)] + [(False, False)] * 4

    assert confusion_of(items) == Confusion(3, 2, 1, 4)


def test_shares_are_those_computed_by_hand() -> None:
    confusion = Confusion(3, 2, 1, 4)

    assert (confusion.right, confusion.total) == (7, 10)
    assert confusion.accuracy == 0.7
    assert confusion.precision == 0.6
    assert confusion.recall == 0.75
    assert confusion.specificity == pytest.approx(4 / 6)
    assert confusion.balanced_accuracy == pytest.approx((3 / 4 + 4 / 6) / 2)
    assert confusion.f1 == pytest.approx(6 / 9)


@pytest.mark.parametrize(
    ('counts', 'undefined'),
    [
        ((0, 0, 0, 0), {'accuracy', 'precision', 'recall', 'specificity', 'f1'}),
        ((0, 0, 0, 5), {'precision', 'recall', 'f1'}),
        ((5, 0, 0, 0), {'specificity'}),
        ((0, 0, 5, 0), {'precision', 'specificity'}),
        ((0, 5, 0, 0), {'recall'}),
    ],
)
def test_shares_of_nothing_are_not_defined(counts: tuple[int, ...], undefined: set[str]) -> None:
    confusion = Confusion(*counts)
    names = ('accuracy', 'precision', 'recall', 'specificity', 'f1')

    assert {name for name in names if getattr(confusion, name) is None} == undefined
    assert confusion.balanced_accuracy is None


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_turning_both_sides_round_keeps_what_is_symmetric(items: list[tuple[bool, bool]]) -> None:
    here = confusion_of(items)
    there = confusion_of([(not truth, not said) for truth, said in items])

    assert there.accuracy == here.accuracy
    assert (there.recall, there.specificity) == (here.specificity, here.recall)
    assert there.balanced_accuracy == here.balanced_accuracy

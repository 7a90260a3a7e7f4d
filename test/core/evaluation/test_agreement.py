"""Agreement of several judges, against examples computed by hand and in the literature."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.evaluation import (
    cohen_kappa,
    krippendorff_alpha,
    pairwise_kappa,
    unanimous_share,
)

# Krippendorff (2011), section C: four observers, twelve units, '.' where one is missing.
OBSERVERS = ('123321412...', '1233224125.3', '.3332342251.', '12332441251.')


def units_of(*observers: str) -> list[list[str]]:
    columns = zip(*observers, strict=True)
    return [[value for value in column if value != '.'] for column in columns]


def test_alpha_of_the_published_example_of_two_observers() -> None:
    # Section A: 10 binary units, alpha 0.095.
    units = units_of('0100000010', '1110010000')

    # By hand: 4 units differ, 14 zeros and 6 ones: 1 - 19 * 8 / (2 * 14 * 6).
    assert krippendorff_alpha(units) == pytest.approx(1 - 19 * 8 / 168)
    assert krippendorff_alpha(units) == pytest.approx(0.095, abs=5e-4)


def test_alpha_of_the_published_example_with_missing_values() -> None:
    assert krippendorff_alpha(units_of(*OBSERVERS)) == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_three_judges_by_hand() -> None:
    # Of three values one differs: 4 ordered pairs over 2, in units of 3 values.
    # Six values, 4 y and 2 n, 16 ordered pairs of differing ones: 1 - 5 * (2 + 2) / 16.
    assert krippendorff_alpha(['yyn', 'yyn']) == pytest.approx(-0.25)
    # Five that count, 4 y and 1 n, 8 such pairs: 1 - 4 * 2 / 8.
    assert krippendorff_alpha(['yyn', 'yy', 'n']) == pytest.approx(0.0)


@pytest.mark.parametrize('units', [[], ['y'], ['yy', 'yyy'], ['yy', 'n']])
def test_alpha_without_variation_is_not_defined(units: list[str]) -> None:
    assert krippendorff_alpha(units) is None


def test_alpha_of_perfect_agreement_is_one() -> None:
    assert krippendorff_alpha(['yy', 'nn', 'nnn']) == 1.0


UNITS = st.lists(st.lists(st.sampled_from('abc'), max_size=4), max_size=12)


@given(UNITS)
def test_alpha_knows_no_names_and_no_order(units: list[list[str]]) -> None:
    other = [[{'a': 1, 'b': 2, 'c': 0}[v] for v in reversed(unit)] for unit in reversed(units)]

    assert krippendorff_alpha(other) == pytest.approx(krippendorff_alpha(units))


@given(UNITS)
def test_alpha_is_at_most_one(units: list[list[str]]) -> None:
    alpha = krippendorff_alpha(units)

    assert alpha is None or alpha <= 1.0


@pytest.mark.parametrize(
    ('table', 'expected'),
    [
        # Both yes, only the first yes, only the second yes, both no.
        ((20, 5, 10, 15), 0.4),  # 0.7 agree, 0.5 by chance
        ((45, 15, 25, 15), (60 - 54) / (100 - 54)),
        ((25, 35, 5, 35), (60 - 46) / (100 - 46)),
        ((5, 0, 0, 5), 1.0),
        ((0, 5, 5, 0), -1.0),
        ((4, 0, 0, 0), None),
        ((0, 0, 0, 0), None),
        ((0, 3, 0, 0), 0.0),
    ],
)
def test_kappa_of_a_table(table: tuple[int, ...], expected: float | None) -> None:
    said = [(True, True), (True, False), (False, True), (False, False)]
    pairs = [pair for pair, n in zip(said, table, strict=True) for _ in range(n)]

    assert cohen_kappa(pairs) == pytest.approx(expected)
    assert cohen_kappa([(b, a) for a, b in pairs]) == pytest.approx(expected)


def test_kappa_of_each_pair_of_judges() -> None:
    units = [
        {'ann': True, 'bob': True},
        {'bob': False, 'ann': True},
        {'ann': False, 'bob': False, 'cy': False},
        {'cy': True},
        {'ann': False, 'bob': False},
    ]

    # Ann and Bob: 3 of 4 agree; by chance 2/4 * 1/4 + 2/4 * 3/4 = 1/2.
    assert pairwise_kappa(units) == {
        ('ann', 'bob'): (0.5, 4),
        ('ann', 'cy'): (None, 1),
        ('bob', 'cy'): (None, 1),
    }


@pytest.mark.parametrize(
    ('units', 'share'),
    [(['yy', 'yn', 'nnn', 'nny'], 0.5), (['y', 'n'], None), ([], None), (['y', 'yy'], 1.0)],
)
def test_share_on_which_all_agree(units: Sequence[str], share: float | None) -> None:
    for order in permutations(units):
        assert unanimous_share(order) == share

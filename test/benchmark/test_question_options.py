"""Options of times and fixtures: as many as promised, distinct, and only one of them right."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.benchmark.questions.options import (
    clock_time,
    fixture_options,
    time_option,
    time_options,
)
from st_memory.benchmark.questions.rules import WritingRules
from st_memory.core.records import Scene
from test.benchmark.question_scenes import fixture, SCENE

RULES = WritingRules()


def seconds_of(choices: tuple[str, ...]) -> list[int]:
    return [
        int(c[:2]) * 3600 + int(c[3:5]) * 60 + int(c[6:8]) for c in choices
    ]  # fmt: skip


def options(
    truth_s: float, query_s: float, ranks: tuple[int, ...] = (0,) * 5, until_s: float | None = None
) -> tuple[int, list[int], int] | None:
    found = time_options(truth_s, query_s, RULES, ranks, np.random.default_rng(3), until_s)
    if found is None:
        return None
    rank, (choices, correct) = found
    return rank, seconds_of(choices), correct


def test_clock_and_option_are_written_as_published() -> None:
    assert clock_time(3725.4) == '01:02:05'
    assert time_option(146, 190.2) == '00:02:26 — 44 seconds before the end'


@given(st.floats(40.0, 500.0), st.floats(21.0, 300.0), st.integers(0, 1000))
def test_one_distractor_lies_in_each_bin(truth_s: float, since_s: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = time_options(truth_s, truth_s + since_s, RULES, (0,) * 5, rng)
    assert found is not None
    rank, (choices, correct) = found
    times = seconds_of(choices)
    apart = sorted(abs(t - round(truth_s)) for t in times)

    assert times == sorted(times)
    assert times[correct] == round(truth_s)
    assert rank == correct
    assert apart[0] == 0
    for distance, (low, high) in zip(apart[1:], RULES.bins_s, strict=True):
        assert low <= distance <= high
    assert max(times) <= truth_s + since_s


@given(st.floats(40.0, 100.0), st.floats(0.0, 0.9), st.integers(0, 200))
def test_every_time_that_may_be_right_is_closest_to_the_right_option(
    truth_s: float, gap_s: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    found = time_options(truth_s, truth_s + 60.0, RULES, (0,) * 5, rng, truth_s + gap_s)
    if found is None:
        return
    times = seconds_of(found[1].choices)
    for told_s in np.linspace(truth_s - 0.2, truth_s + gap_s + 0.2, 9):
        nearest = min(range(5), key=lambda i: abs(times[i] - told_s))
        assert nearest == found[1].correct_idx


def test_rank_that_was_right_least_often_is_right_next() -> None:
    for rank in range(5):
        counts = tuple(0 if i == rank else 1 for i in range(5))
        found = options(200.0, 260.0, counts)

        assert found is not None
        assert found[0] == rank


def test_where_there_is_no_time_after_it_the_truth_comes_last() -> None:
    found = options(200.0, 200.4)

    assert found is not None
    assert found[2] == 4


def test_no_options_where_the_bins_do_not_fit() -> None:
    assert options(5.0, 10.0) is None  # neither 11 s before nor after is in the recording


def test_example_of_the_paper_fits_its_bins() -> None:
    """Truth 00:02:26 with distractors at 27, 29, 32 and 43 s of that minute."""
    apart = [27 - 26, 29 - 26, 32 - 26, 43 - 26]

    assert all(low <= a <= high for a, (low, high) in zip(apart, RULES.bins_s, strict=True))


def test_counter_areas_are_asked_by_their_names() -> None:
    found = fixture_options(SCENE, 'counter_2', RULES, np.random.default_rng(0))

    assert found is not None
    assert set(found.choices) == {'counter_1', 'counter_2', 'counter_3'}
    assert found.choices[found.correct_idx] == 'counter_2'


def test_fewer_than_three_areas_are_asked_with_other_open_surfaces() -> None:
    scene = Scene(
        fixtures=(
            fixture('counter_1'),
            fixture('counter_2'),
            fixture('table_1'),
            fixture('drawer_1', is_container=True),
        )
    )
    found = fixture_options(scene, 'counter_1', RULES, np.random.default_rng(0))

    assert found is not None
    assert set(found.choices) == {'counter_1', 'counter_2', 'table_1'}


def test_other_fixtures_are_asked_by_their_types() -> None:
    found = fixture_options(SCENE, 'drawer_1', RULES, np.random.default_rng(0))

    assert found is not None
    assert set(found.choices) == {'bin', 'counter', 'drawer', 'shelf', 'table'}
    assert found.choices[found.correct_idx] == 'drawer'


def test_no_more_options_than_asked_for_and_the_right_one_among_them() -> None:
    rules = replace(RULES, num_fixture_options=3)
    for seed in range(20):
        found = fixture_options(SCENE, 'drawer_1', rules, np.random.default_rng(seed))

        assert found is not None
        assert len(set(found.choices)) == 3
        assert found.choices[found.correct_idx] == 'drawer'


def test_place_of_the_right_fixture_is_random() -> None:
    found = [
        fixture_options(SCENE, 'drawer_1', RULES, np.random.default_rng(seed))
        for seed in range(40)
    ]

    assert {o.correct_idx for o in found if o is not None} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize('name', ['', 'sink_9'])
def test_no_options_for_a_fixture_that_the_scene_has_not(name: str) -> None:
    assert fixture_options(SCENE, name, RULES, np.random.default_rng(0)) is None


@pytest.mark.parametrize('name', ['counter_1', 'table_1'])
def test_no_options_where_there_are_too_few_fixtures(name: str) -> None:
    scene = Scene(fixtures=(fixture('counter_1'), fixture('table_1')))

    assert fixture_options(scene, name, RULES, np.random.default_rng(0)) is None

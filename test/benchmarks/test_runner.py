"""Tests of what is measured, what is kept and what is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.figure import Goal, Measured
from benchmarks.results import read_results
from benchmarks.runner import Outcome, run_figures, table_of, unknown_names
from test.benchmarks.fakes import FakeFigures

BOTH = ['quick', 'slow']


def _run(
    figures: FakeFigures, folder: Path, names: list[str], commit: str = 'abc', **options: Any
) -> Outcome:
    return run_figures(names, figures, folder / 'bench.json', lambda: commit, **options)


def test_first_run_measures_and_writes(figures: FakeFigures, tmp_path: Path) -> None:
    outcome = _run(figures, tmp_path, BOTH)
    assert figures.calls == BOTH
    assert [entry['ratio'] for entry in outcome.entries] == [0.5, 3.0]
    assert read_results(tmp_path / 'bench.json') == outcome.entries


def test_same_commit_reuses(figures: FakeFigures, tmp_path: Path) -> None:
    first = _run(figures, tmp_path, BOTH)
    figures.calls.clear()
    second = _run(figures, tmp_path, BOTH)
    assert figures.calls == []
    assert second.entries == first.entries
    assert second.reused == frozenset(BOTH)


def test_other_commit_measures_again(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, BOTH)
    _run(figures, tmp_path, BOTH, commit='def')
    assert figures.calls == BOTH * 2
    assert {entry['commit'] for entry in read_results(tmp_path / 'bench.json')} == {'def'}


def test_changed_tree_always_measures(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, ['quick'], commit='')
    outcome = _run(figures, tmp_path, ['quick'], commit='')
    assert figures.calls == ['quick'] * 2
    assert outcome.reused == frozenset()


def test_fresh_measures_again(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, ['quick'])
    outcome = _run(figures, tmp_path, ['quick'], fresh=True)
    assert figures.calls == ['quick'] * 2
    assert outcome.reused == frozenset()


def test_tree_changed_while_measuring_is_never_reused(
    figures: FakeFigures, tmp_path: Path
) -> None:
    commits: Iterator[str] = iter(['abc', ''])
    path = tmp_path / 'bench.json'
    outcome = run_figures(['quick'], figures, path, lambda: next(commits))
    assert outcome.entries[0]['commit'] == ''


def test_some_figures_leave_the_others_in_the_file(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, ['slow'])
    _run(figures, tmp_path, ['quick'], commit='def')
    found = read_results(tmp_path / 'bench.json')
    assert [(e['name'], e['commit']) for e in found] == [('quick', 'def'), ('slow', 'abc')]


def test_figure_that_cannot_be_measured_stops_no_other(
    figures: FakeFigures, tmp_path: Path
) -> None:
    outcome = _run(figures, tmp_path, ['broken', 'quick'])
    assert outcome.problems == {'broken': 'the rig is not here'}
    assert [entry['name'] for entry in outcome.entries] == ['quick']


def test_measuring_is_told_and_reusing_is_not(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, ['quick'])
    said: list[str] = []
    _run(figures, tmp_path, BOTH, tell=said.append)
    assert said == ['measuring slow']


def test_table_says_goals_and_what_was_kept(figures: FakeFigures, tmp_path: Path) -> None:
    _run(figures, tmp_path, ['quick'])
    lines = table_of(_run(figures, tmp_path, BOTH), figures).splitlines()
    assert lines[0].split() == ['figure', 'value', 'unit', 'reference', 'ratio', 'goal', 'met']
    assert lines[1].split() == [
        'quick',
        '2',
        'ms',
        '4',
        '0.5',
        'ratio',
        '<=',
        '0.5',
        'yes',
        'kept',
    ]
    assert lines[2].split() == ['slow', '9', 'ms', '3', '3', 'value', '>=', '10', 'NO']


def test_unknown_names_are_given_in_order(figures: FakeFigures) -> None:
    assert unknown_names(['b', 'quick', 'a'], figures) == ['b', 'a']


def test_goal_bound_itself_is_met() -> None:
    assert Goal('ratio', '<=', 1.5).is_met({'ratio': 1.5})
    assert Goal('value', '>=', 5.0).is_met({'value': 5.0})
    assert not Goal('value', '>=', 5.0).is_met({'value': 4.999})


def test_table_ends_with_what_else_a_run_found(figures: FakeFigures, tmp_path: Path) -> None:
    details = {'rays_per_s': 5_600_000.0, 'is_fast': True, 'is_near': False}
    figures.values['quick'] = Measured(2.0, 4.0, details)
    lines = table_of(_run(figures, tmp_path, BOTH), figures).splitlines()
    assert len(lines) == 4
    assert lines[-1] == 'quick: rays_per_s 5.6e+06, is_fast yes, is_near no'

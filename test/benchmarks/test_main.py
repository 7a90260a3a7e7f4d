"""Tests of ``python -m benchmarks``."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.figures import FIGURES
from test.benchmarks.fakes import FakeFigures


def test_only_measures_the_named_ones_and_writes_the_file(
    figures: FakeFigures, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['--only', 'slow, quick'], figures, checkout) == 0
    assert figures.calls == ['slow', 'quick']
    found = json.loads((checkout / 'build' / 'bench.json').read_text())
    assert [entry['name'] for entry in found] == ['quick', 'slow']
    assert 'slow' in capsys.readouterr().out


def test_second_run_in_a_clean_checkout_measures_nothing(
    figures: FakeFigures, checkout: Path
) -> None:
    main(['--only', 'quick'], figures, checkout)
    main(['--only', 'quick'], figures, checkout)
    assert figures.calls == ['quick']
    (checkout / 'new.py').write_text('')
    main(['--only', 'quick'], figures, checkout)
    assert figures.calls == ['quick'] * 2


def test_fresh_forces(figures: FakeFigures, checkout: Path) -> None:
    for _ in range(2):
        main(['--only', 'quick', '--fresh'], figures, checkout)
    assert figures.calls == ['quick'] * 2


def test_unknown_name_is_one_line_and_exit_2(
    figures: FakeFigures, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(['--only', 'quick,nonsense'], figures, checkout) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines == ['benchmarks: unknown figure nonsense; there are quick, slow, broken']
    assert figures.calls == []


def test_figure_that_cannot_be_measured_is_one_line_and_exit_1(
    figures: FakeFigures, checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], figures, checkout) == 1
    assert figures.calls == ['quick', 'slow', 'broken']
    assert capsys.readouterr().err.splitlines()[-1] == (
        'benchmarks: broken could not be measured: the rig is not here'
    )


def test_missed_goal_is_no_error(figures: FakeFigures, checkout: Path) -> None:
    assert main(['--only', 'slow'], figures, checkout) == 0


def test_figure_that_takes_long_is_measured_only_when_named(
    figures: FakeFigures, checkout: Path
) -> None:
    del figures['broken']
    figures['slow'] = replace(figures['slow'], only_named=True)
    assert main([], figures, checkout) == 0
    assert figures.calls == ['quick']
    assert main(['--only', 'slow'], figures, checkout) == 0
    assert figures.calls == ['quick', 'slow']
    assert [name for name, figure in FIGURES.items() if figure.only_named] == ['query_where_1e8']


def test_list_names_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['--list']) == 0
    said = capsys.readouterr().out
    assert [line.partition(':')[0] for line in said.splitlines()] == list(FIGURES)


@pytest.mark.parametrize(
    ('name', 'goal'),
    [
        ('cli_import', 'ratio <= 3'),
        ('replay_fixture', 'value >= 5'),
        ('service_roundtrip', 'ratio <= 1.25'),
        ('classify_1k', 'ratio <= 1.3'),
        ('classify_10k', 'ratio <= 1.3'),
        ('classify_100k', 'ratio <= 1.3'),
        ('classify_1k_ids', 'ratio <= 2'),
        ('classify_10k_ids', 'ratio <= 2'),
        ('classify_100k_ids', 'ratio <= 2'),
        ('rays_10k_in_view', 'ratio >= 0.8'),
        ('door_update_20', 'ratio <= 0.01'),
        ('pose_lookup_10h', 'ratio <= 2'),
        ('project_fisheye624_1e5', 'ratio <= 0.5'),
        ('rss_10k_mb', 'value <= 400'),
        ('query_where_1e6', 'value <= 10'),
        ('query_where_1e7', 'value <= 10'),
        ('query_where_1e8', 'value <= 10'),
        ('restart_1e6', 'value <= 1'),
        ('bytes_per_interval', 'value <= 40'),
    ],
)
def test_figures_have_the_goals_of_the_project(name: str, goal: str) -> None:
    assert str(FIGURES[name].goal) == goal

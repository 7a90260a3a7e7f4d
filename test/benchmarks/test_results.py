"""Tests of the results file."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
from typing import Any

import pytest

from benchmarks.figure import Measured
from benchmarks.results import clean_commit, entry_of, merge, read_results, write_results
from test.benchmarks.fakes import FakeFigures


def _entry(name: str, value: float = 1.0) -> dict[str, Any]:
    figures = FakeFigures()
    return {**entry_of(figures['quick'], Measured(value, 1.0), 'abc'), 'name': name}


def test_entry_has_the_keys_of_the_results_file(figures: FakeFigures) -> None:
    assert entry_of(figures['quick'], Measured(3.0, 2.0), 'abc') == {
        'name': 'quick',
        'value': 3.0,
        'unit': 'ms',
        'reference': 'the plain quick',
        'reference_value': 2.0,
        'ratio': 1.5,
        'commit': 'abc',
    }


def test_entry_keeps_details_where_there_are_any(figures: FakeFigures) -> None:
    measured = Measured(3.0, 2.0, {'rays_per_s': 5.0, 'is_fast': True})
    assert entry_of(figures['quick'], measured, '')['details'] == {
        'rays_per_s': 5.0,
        'is_fast': True,
    }


def test_results_are_a_json_list_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / 'build' / 'bench.json'
    write_results(path, [_entry('a'), _entry('b')])
    assert [entry['name'] for entry in json.loads(path.read_text())] == ['a', 'b']
    assert read_results(path) == [_entry('a'), _entry('b')]
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize('text', ['', '{', '{}', '3', '[3, {"name": "a"}]'])
def test_results_of_a_damaged_file_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'bench.json'
    path.write_text(text)
    assert read_results(path) == []


def test_results_of_a_missing_file_are_none(tmp_path: Path) -> None:
    assert read_results(tmp_path / 'bench.json') == []


def test_merge_replaces_by_name_and_keeps_the_order_given() -> None:
    before = [_entry('b', 1.0), _entry('a', 1.0), _entry('gone')]
    merged = merge(before, [_entry('b', 2.0)], ['a', 'b', 'c'])
    assert [(entry['name'], entry['value']) for entry in merged] == [('a', 1.0), ('b', 2.0)]


def test_clean_commit_is_the_head_of_a_clean_tree(checkout: Path) -> None:
    head = subprocess.check_output(['git', '-C', str(checkout), 'rev-parse', 'HEAD'], text=True)
    assert clean_commit(checkout) == head.strip()


def test_clean_commit_ignores_what_git_ignores(checkout: Path) -> None:
    (checkout / 'build').mkdir()
    (checkout / 'build' / 'bench.json').write_text('[]')
    assert clean_commit(checkout) != ''


@pytest.mark.parametrize('name', ['.gitignore', 'new.py'])
def test_clean_commit_of_a_changed_tree_is_empty(checkout: Path, name: str) -> None:
    (checkout / name).write_text('build/\nchanged\n')
    assert clean_commit(checkout) == ''


def test_clean_commit_without_a_repository_is_empty(tmp_path: Path) -> None:
    assert clean_commit(tmp_path / 'nowhere') == ''

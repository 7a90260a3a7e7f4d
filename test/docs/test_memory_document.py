"""The document about the memory: its commands run, and what they print is what it says."""

from __future__ import annotations

from pathlib import Path
import re
import subprocess
from typing import Any

import pytest

from docs.console import commands_in, run, scratch_folder
from st_memory.benchmark import BENCHMARKS
from st_memory.core.records import EditAction

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs' / 'memory.md').read_text(encoding='utf-8')


@pytest.fixture(scope='module')
def results() -> list[tuple[list[str], subprocess.CompletedProcess[str]]]:
    """Run the commands one after the other, once."""
    if not (ROOT / 'rosbag_fixtures' / 'kitchen_small.mcap').exists():
        pytest.skip('rosbag_fixtures/kitchen_small.mcap is not there')
    with scratch_folder() as folder:
        return [(words, run(words, folder)) for words in commands_in(TEXT)]


def test_commands_run_one_after_the_other(results: Any) -> None:
    assert len(results) > 10
    assert [(words, done.stderr) for words, done in results if done.returncode != 0] == []
    assert all(done.stdout.strip() for _, done in results)


def test_output_of_edits_is_what_the_document_shows(results: Any) -> None:
    """The speed of a replay is another each time, and places depend on the fold: not those."""
    told = [done.stdout.strip() for words, done in results if words[1] == 'edit']

    assert told == re.findall(r'^\$ st_memory edit .*\n(.*)$', TEXT, re.MULTILINE)
    assert len(told) == 7


def test_every_edit_has_its_row_and_its_example() -> None:
    for action in EditAction:
        name = action.name.lower()
        assert f'| `{name}` |' in TEXT
        assert f'st_memory edit edited.db {name}' in TEXT


@pytest.mark.parametrize('name', ['asof', 'crash', 'determinism'])
def test_benchmarks_of_the_promises_are_there(name: str) -> None:
    assert f'| `{name}` |' in TEXT
    assert name in BENCHMARKS

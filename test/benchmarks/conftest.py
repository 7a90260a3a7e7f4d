"""A checkout with one commit, and figures that cost nothing."""

from __future__ import annotations

from pathlib import Path
import subprocess

import pytest

from test.benchmarks.fakes import FakeFigures


@pytest.fixture
def figures() -> FakeFigures:
    """Figures that count how often they were measured."""
    return FakeFigures()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clean repository whose ``build`` folder is ignored."""
    (tmp_path / '.gitignore').write_text('build/\n')
    for words in (
        ['init', '-q'],
        ['add', '.gitignore'],
        ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'first'],
    ):
        subprocess.run(['git', '-C', str(tmp_path), *words], check=True)
    return tmp_path

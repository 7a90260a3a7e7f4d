"""A memory made once, and a way to run the command line in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from st_memory.cli.main import main
from test.cli.bags import write_walk

__all__ = ['CliResult', 'RunCli']


class CliResult(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


RunCli = Callable[..., CliResult]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> RunCli:
    """Run ``st_memory`` with these arguments."""

    def run(*arguments: object) -> CliResult:
        capsys.readouterr()
        try:
            code = main([str(a) for a in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return CliResult(code, captured.out, captured.err)

    return run


@pytest.fixture(scope='session')
def walk_bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the walk as a bag."""
    return write_walk(tmp_path_factory.mktemp('walk') / 'walk.mcap')


@pytest.fixture(scope='session')
def walk_db(walk_bag: Path) -> Path:
    """Give the memory of the walk; for reading only."""
    path = walk_bag.with_name('walk.db')
    if main(['replay', str(walk_bag), '--db', str(path)]) != 0:
        raise RuntimeError('the walk could not be replayed')
    return path

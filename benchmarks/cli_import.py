"""How long ``st_memory --help`` takes, beside an interpreter that does nothing."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.sampling import alternate, seconds_of

__all__ = ['CLI_IMPORT']

_ROUNDS = 15
# What the start of this process left in its environment and a shell does not have: with it, the
# ROS wheels skip a part of every start.
_LEFT_BY_OUR_START = ('_ROS_WHEELS_BOOTSTRAP_COMPLETE', 'LD_LIBRARY_PATH')


def _measure() -> Measured:
    program = Path(sys.executable).with_name('st_memory')
    if not program.is_file():
        raise MeasuringError(f'{program}: no such program; make setup installs it')
    environment = {k: v for k, v in os.environ.items() if k not in _LEFT_BY_OUR_START}

    def milliseconds(*words: str) -> float:
        def work() -> None:
            subprocess.run(words, check=True, capture_output=True, env=environment)

        try:
            return seconds_of(work) * 1e3
        except subprocess.CalledProcessError as error:
            raise MeasuringError(f'{" ".join(words)} ended with {error.returncode}') from error

    return alternate(
        lambda: milliseconds(str(program), '--help'),
        lambda: milliseconds(sys.executable, '-c', 'pass'),
        _ROUNDS,
    )


CLI_IMPORT = Figure(
    name='cli_import',
    unit='ms',
    reference='python -c pass, the same interpreter',
    measure=_measure,
    goal=Goal('ratio', '<=', 3.0),
)

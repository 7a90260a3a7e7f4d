"""How fast a recording becomes a memory, beside merely reading it."""

from __future__ import annotations

from contextlib import redirect_stdout
import io
from pathlib import Path
import tempfile

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.fixture import fixture_bag
from benchmarks.reference.read_bag import read_bag
from benchmarks.sampling import alternate, seconds_of
from st_memory.cli.main import main

__all__ = ['REPLAY_FIXTURE']

_ROUNDS = 5


def _measure() -> Measured:
    bag = fixture_bag()
    covered_s = read_bag(bag).covered_s
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / 'kitchen.db'
        return alternate(
            lambda: covered_s / seconds_of(lambda: _replay(bag, database)),
            lambda: covered_s / seconds_of(lambda: read_bag(bag)),
            _ROUNDS,
        )


def _replay(bag: Path, database: Path) -> None:
    """Run the command as it is, in this process."""
    said = io.StringIO()
    with redirect_stdout(said):
        code = main(['replay', str(bag), '--db', str(database), '--overwrite'])
    if code:
        raise MeasuringError(f'st_memory replay {bag} ended with {code}')


REPLAY_FIXTURE = Figure(
    name='replay_fixture',
    unit='s/s',
    reference='rosbags and OpenCV alone: deserialise every message, decode every depth image',
    measure=_measure,
    goal=Goal('value', '>=', 5.0),
)

"""How long it takes from the start of a process to its first right answer, after a crash."""

from __future__ import annotations

import json
from pathlib import Path
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.history import history_file, name_of, place_at
from benchmarks.query_where import STORES
from benchmarks.sampling import alternate

__all__ = ['RESTART_1E6', 'compare']

_ROOT = Path(__file__).resolve().parents[1]
_OBJECT = 321
_ROUNDS = 5
_PATIENCE_S = 120.0


def compare(original: Path, rounds: int = _ROUNDS) -> Measured:
    """
    Kill a writer in the middle of its work, then ask a new process; seconds of wall time.

    The new process is timed from outside: Python's own start, imports, opening for writing with
    what the crash left in the log, the checkpoint that the fold goes on from, and a "where" as of
    now. The reference starts Python, opens the same file with bare SQLite and reads one row.
    """
    with tempfile.TemporaryDirectory(dir=original.parent) as folder:
        path = Path(folder) / 'memory.db'
        shutil.copy(original, path)
        _crash(path)
        log = path.with_name('memory.db-wal')
        details = {'log_mb': log.stat().st_size / 1e6}
        left = {file: file.read_bytes() for file in (log, path.with_name('memory.db-shm'))}

        def put_back() -> None:
            # Opening moves the log into the file: the same bytes, so only the log is put back.
            for file, content in left.items():
                file.write_bytes(content)

        def ours() -> float:
            put_back()
            spent_s, said = _timed('-m', 'benchmarks.restart_process', str(path), name_of(_OBJECT))
            details.update({name: said[name] for name in ('spent_s', 'with_imports_s')})
            if said['world_p'] != list(place_at(_OBJECT, said['stamp_ns'])):
                raise MeasuringError(f'the first answer is wrong: {said}')
            return spent_s

        def bare() -> float:
            put_back()
            script = _ROOT / 'benchmarks' / 'reference' / 'bare_restart.py'
            return _timed(str(script), str(path), name_of(_OBJECT))[0]

        result = alternate(ours, bare, rounds)
    return result._replace(details=details)


def _crash(path: Path) -> None:
    """Let a process commit frames, and kill it."""
    command = [sys.executable, '-m', 'benchmarks.restart_process', str(path), '--write']
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(300):
            if not writer.stdout.readline():
                raise MeasuringError('the writer ended by itself')
        writer.send_signal(signal.SIGKILL)


def _timed(*words: str) -> tuple[float, dict[str, object]]:
    begun_s = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *words], cwd=_ROOT, capture_output=True, text=True, check=False,
        timeout=_PATIENCE_S,
    )  # fmt: skip
    spent_s = time.perf_counter() - begun_s
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['it said nothing'])[-1]
        raise MeasuringError(f'the process ended with {done.returncode}: {last}')
    said: dict[str, object] = json.loads(done.stdout)
    return spent_s, said


RESTART_1E6 = Figure(
    name='restart_1e6',
    unit='s',
    reference='bare: Python starts, opens the same file with SQLite and reads one row',
    measure=lambda: compare(history_file(STORES, 10**6)),
    goal=Goal('value', '<=', 1.0),
)

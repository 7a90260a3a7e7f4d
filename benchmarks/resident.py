"""How much memory ten thousand remembered objects take, beside their scene alone."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.resident_process import NUM_OBJECTS

__all__ = ['RSS_10K_MB', 'compare']

_ROOT = Path(__file__).resolve().parents[1]
_PATIENCE_S = 300.0


def compare(num_objects: int, fineness: float) -> Measured:
    """Start a process with a memory and one with the bare scene; resident MB of each."""
    shared = ('--objects', str(num_objects), '--fineness', str(fineness))
    full, bare = _run(*shared), _run('--bare', *shared)
    if full['objects'] != num_objects:
        raise MeasuringError(f'{full["objects"]:.0f} of {num_objects} objects are remembered')
    return Measured(full['resident_mb'], bare['resident_mb'])


def _run(*words: str) -> dict[str, float]:
    command = [sys.executable, '-m', 'benchmarks.resident_process', *words]
    try:
        done = subprocess.run(
            command, cwd=_ROOT, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired as error:
        raise MeasuringError(f'the process took more than {_PATIENCE_S:g} s') from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ['it said nothing'])[-1]
        raise MeasuringError(f'the process ended with {done.returncode}: {last}')
    said: dict[str, float] = json.loads(done.stdout)
    return said


RSS_10K_MB = Figure(
    name='rss_10k_mb',
    unit='MB',
    reference='a process with numpy and the same kitchen in bare Embree',
    measure=lambda: compare(NUM_OBJECTS, 1.0),
    goal=Goal('value', '<=', 400.0),
)

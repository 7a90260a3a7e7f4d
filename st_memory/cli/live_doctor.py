"""What the doctor of a running memory says, asked by a process that knows ROS."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from st_memory.core.errors import StMemoryError

__all__ = ['ask_live_doctor', 'print_live']

_CODE = 'import sys; from st_memory.ros.doctor_client import main; sys.exit(main())'
_GRACE_S = 30.0


def ask_live_doctor(memory: str, subject: str, timeout_s: float) -> dict[str, Any]:
    """
    Ask a running memory what is wrong with what it is given.

    Parameters
    ----------
    memory : str
        Name of its node, with its namespace.
    subject : str
        Topic, camera, frame or object; '' for everything.
    timeout_s : float
        How long to wait for it, seconds.

    Returns
    -------
    dict
        ``node``, ``sentence``, ``verdict``, ``missing`` and ``findings``, the worst first.

    Raises
    ------
    StMemoryError
        If nobody answers, with what to look at.

    """
    words = [memory, '--about', subject, '--timeout', f'{timeout_s:g}']
    try:
        done = subprocess.run(
            [sys.executable, '-c', _CODE, *words],
            capture_output=True,
            text=True,
            timeout=timeout_s + _GRACE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise StMemoryError(
            f'{memory}: asking took more than {timeout_s + _GRACE_S:g} s'
        ) from None
    lines = done.stderr.strip().splitlines()
    if done.returncode:
        raise StMemoryError(lines[-1] if lines else f'{memory}: asking ended without a word')
    told: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    missing = [f['message'] for f in told['findings'] if f['severity'] == 'error']
    verdict = 'unusable' if missing else 'ok'
    return {**told, 'verdict': verdict, 'missing': missing}


def print_live(told: dict[str, Any]) -> None:
    """Print for people: what is wrong and what to do, then the verdict."""
    for found in told['findings']:
        print(f'{found["severity"]}: {found["message"]}')
        if found['remedy']:
            print(f'    {found["remedy"]}')
    good = 'ok, it remembers' if not told['findings'] else 'ok, with the notes above'
    print(f'verdict: {"nothing is remembered as it is" if told["missing"] else good}')

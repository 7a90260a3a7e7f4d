"""Nodes as real processes, talking over DDS on this machine only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

from st_memory.ros.dds_profile import profile_environment

__all__ = ['NodeProcess']

ROOT = Path(__file__).resolve().parents[2]


class NodeProcess:
    """
    A node's ``main`` in a process of its own.

    Parameters
    ----------
    module : str
        Such as ``memory_node``.
    values : mapping
        Parameters.
    remaps : sequence of str
        Rules such as ``__ns:=/robot1``.

    """

    def __init__(self, module: str, values: Mapping[str, Any], remaps: Sequence[str] = ()) -> None:
        given = [word for rule in remaps for word in ('-r', rule)]
        for name, value in values.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            given += ['-p', f'{name}:={text}']
        self._log = tempfile.TemporaryFile(mode='w+', encoding='utf-8')  # noqa: SIM115 - see close
        self._process = subprocess.Popen(
            [
                sys.executable,
                '-c',
                f'import sys; from st_memory.ros.{module} import main; sys.exit(main())',
                *(['--ros-args', *given] if given else []),
            ],
            cwd=ROOT,
            env={**os.environ, **profile_environment(ROOT, os.environ)},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )

    @property
    def output(self) -> str:
        """What it wrote so far."""
        self._log.seek(0)
        return self._log.read()

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def wait(self, timeout_s: float = 60.0) -> int:
        """Wait for its end; gives the exit code."""
        return self._process.wait(timeout=timeout_s)

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, float]:
        """Ask it to end; gives the exit code and how many seconds it took."""
        start_s = time.monotonic()
        self.send(number)
        code = self.wait(timeout_s=20.0)
        return code, time.monotonic() - start_s

    def close(self) -> None:
        """End it for certain."""
        if self.is_running():
            self._process.kill()
            self._process.wait()
        self._log.close()

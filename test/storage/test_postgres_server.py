"""The server of the tests ends with them, whatever ends them."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import subprocess
import sys
import time

import pytest

from test.storage.postgres_server import NoServerError, running_server

psycopg = pytest.importorskip('psycopg', reason='needs psycopg (extra fleet)')

ROOT = Path(__file__).parents[2]
_CHILD = """
import sys
from test.storage.postgres_server import running_server
with running_server() as server:
    print((server.folder / 'data' / 'postmaster.pid').read_text().split()[0], flush=True)
    print(server.folder, flush=True)
    sys.stdin.read()
"""


def until(is_so: Callable[[], bool], patience_s: float = 30.0) -> bool:
    """Ask again and again, for so long."""
    deadline = time.monotonic() + patience_s
    while not is_so() and time.monotonic() < deadline:
        pass
    return is_so()


def is_running(pid: int) -> bool:
    """Whether there is such a process."""
    return Path(f'/proc/{pid}').exists()


def test_server_answers_and_leaves_nothing() -> None:
    try:
        with running_server() as server:
            folder = server.folder
            with psycopg.connect(server.url) as connection:
                assert connection.execute('SELECT 1').fetchone() == (1,)
                assert connection.execute('SHOW listen_addresses').fetchone() == ('',)
    except NoServerError as error:
        pytest.skip(str(error))

    assert not folder.exists()


@pytest.mark.skipif(not Path('/proc').is_dir(), reason='needs /proc to look for processes')
def test_server_ends_with_a_killed_test_run(postgres_server: object) -> None:
    """What `kill -9` leaves no time for, another process does."""
    del postgres_server  # where none can be started this test is skipped with its reason
    command = [sys.executable, '-c', _CHILD]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        pid, folder = int(child.stdout.readline()), Path(child.stdout.readline().strip())
        assert is_running(pid)
        assert pid != os.getpid()
        child.kill()

    assert until(lambda: not is_running(pid))
    assert until(lambda: not folder.exists())

"""A PostgreSQL server of our own: in a folder of its own, on a socket that nobody else sees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import pwd
import shutil
import subprocess
import tempfile
from typing import Any
from urllib.parse import quote

__all__ = ['NoServerError', 'ServerAtWork', 'running_server']

_PLACES = ('/usr/lib/postgresql', '/usr/pgsql-15', '/opt/homebrew/opt/postgresql@15')


class NoServerError(Exception):
    """There is no server to start; the message says why."""


class ServerAtWork:
    """
    A running server.

    Parameters
    ----------
    folder : Path
        Holds its data and its socket.

    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._control = _program('pg_ctl')

    @property
    def url(self) -> str:
        """Connection URI of its only database."""
        return f'postgresql://tester@/postgres?host={quote(str(self.folder), safe="")}'

    def start(self) -> None:
        """Start, and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses='' -c fsync=off -c max_connections=50"
        log = self.folder / 'log'
        self._do('start', '-w', '-o', options, '-l', str(log))

    def stop(self, mode: str = 'immediate') -> None:
        """Stop; ``immediate`` is what a crash would do."""
        self._do('stop', '-w', '-m', mode)

    def _do(self, *words: str) -> None:
        _run([self._control, '-D', str(self.folder / 'data'), '-s', *words])


@contextmanager
def running_server() -> Iterator[ServerAtWork]:
    """
    Make a server, start it, and take all of it away at the end.

    Raises
    ------
    NoServerError
        If PostgreSQL or psycopg is not installed, or nobody unprivileged can run it.

    """
    try:
        import psycopg
    except ImportError as error:
        raise NoServerError('needs psycopg (extra fleet)') from error
    del psycopg
    initdb = _program('initdb')
    # The name of a socket must be short, which that of the usual folder may not be.
    short = '/tmp' if os.path.isdir('/tmp') else None
    folder = Path(tempfile.mkdtemp(prefix='st_memory_pg_', dir=short))
    try:
        if os.geteuid() == 0:
            who = _unprivileged()
            os.chown(folder, who.pw_uid, who.pw_gid)
        data = str(folder / 'data')
        how = ('-A', 'trust', '-U', 'tester', '-E', 'UTF8', '--locale=C', '--no-sync')
        _run([initdb, '-D', data, *how])
        with _stopped_even_if_we_are_killed(folder):
            server = ServerAtWork(folder)
            server.start()
            try:
                yield server
            finally:
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _stopped_even_if_we_are_killed(folder: Path) -> Iterator[None]:
    """Let a process wait for our end, which it sees as the end of its input, and clear up."""
    script = 'read _; "$1" -D "$2/data" -m immediate stop; rm -rf "$2"'
    with subprocess.Popen(
        ['sh', '-c', script, 'sh', _program('pg_ctl'), str(folder)], cwd='/',
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, **_unprivileged_options(),
    ) as watcher:  # fmt: skip
        yield
        assert watcher.stdin is not None
        watcher.stdin.close()
        watcher.wait()


def _program(name: str) -> str:
    """Find a program of the server, which Debian keeps out of the path."""
    found = shutil.which(name)
    folders = [p for place in _PLACES for p in sorted(Path(place).glob('**/bin'), reverse=True)]
    for folder in folders:
        found = found or shutil.which(name, path=str(folder))
    if found is None:
        raise NoServerError(f'needs a PostgreSQL server ({name} is not installed)')
    return found


def _unprivileged() -> pwd.struct_passwd:
    """Give a user that the server consents to run as: it refuses root."""
    for name in ('postgres', 'nobody'):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoServerError('needs an unprivileged user (postgres or nobody) to run a server')


def _unprivileged_options() -> dict[str, Any]:
    """Give what makes a child run as somebody whom the server accepts."""
    if os.geteuid() != 0:
        return {}
    who = _unprivileged()
    return {'user': who.pw_uid, 'group': who.pw_gid, 'extra_groups': []}


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, cwd='/', stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, check=False, **_unprivileged_options(),
    )  # fmt: skip
    if done.returncode:
        raise NoServerError(f'{Path(command[0]).name} failed: {done.stderr.strip()[-300:]}')

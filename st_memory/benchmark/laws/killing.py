"""A writer of a memory file, killed, and what is left of the file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
import signal
import sqlite3
import subprocess
import time

from st_memory.core.errors import StMemoryError

__all__ = ['integrity_of', 'killed_run', 'remove', 'time_of_whole_run']


def killed_run(
    command: Sequence[str], db: Path, kill_after_s: float, *, starting: bool
) -> int | None:
    """
    Start a writer and kill it with -9.

    Parameters
    ----------
    command : sequence of str
        The writer; it says the number of each frame on a line once it is acknowledged.
    db : Path
        The file that it writes.
    kill_after_s : float
        How long after its first frame, or, when ``starting``, after its file is there.
    starting : bool
        See above.

    Returns
    -------
    int or None
        How many frames were acknowledged before the kill; None when all were done.

    Raises
    ------
    StMemoryError
        If the writer failed by itself.

    """
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        said = _begun(process, db, starting=starting)
        try:
            process.wait(kill_after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        said += process.stdout.read() if process.stdout is not None else b''
    if process.returncode == 0:
        return None
    if process.returncode != -signal.SIGKILL:
        raise StMemoryError(f'{command[-1]}: the writer ended with code {process.returncode}')
    whole = said[: said.rfind(b'\n') + 1].split()  # the last line may be cut short
    return int(whole[-1]) + 1 if whole else 0


def _begun(process: subprocess.Popen[bytes], db: Path, *, starting: bool) -> bytes:
    """Wait for the file to be there, or for the first frame to be acknowledged."""
    while not db.exists() and process.poll() is None:
        time.sleep(0.002)
    return b'' if starting or process.stdout is None else process.stdout.readline()


def time_of_whole_run(command: Sequence[str], db: Path) -> float:
    """
    Give how long a run takes that is not killed, from its first frame.

    Parameters
    ----------
    command : sequence of str
        The writer; with ``--time`` it says itself how many seconds it took. What this process
        would measure depends on when it is let run: on a busy machine everything is over by then.
    db : Path
        The file that it writes; removed before and after.

    Raises
    ------
    StMemoryError
        If the writer failed.

    """
    remove(db)
    done = subprocess.run((*command, '--time'), stdout=subprocess.PIPE, check=False)
    remove(db)
    if done.returncode:
        raise StMemoryError(f'{command[-1]}: the writer ended with code {done.returncode}')
    return float(done.stdout.split()[-1])


def integrity_of(db: Path) -> str:
    """Say 'ok' of a sound file, else what SQLite finds wrong with it."""
    try:
        with closing(sqlite3.connect(db)) as connection:
            return str(connection.execute('PRAGMA integrity_check').fetchone()[0])
    except sqlite3.Error as error:
        return f'{type(error).__name__}: {error}'


def remove(db: Path) -> None:
    """Remove a memory file and what is beside it."""
    for end in ('', '-wal', '-shm', '-lock'):
        db.with_name(db.name + end).unlink(missing_ok=True)

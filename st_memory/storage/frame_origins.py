"""Whose a frame is: the ``boot`` table, one row wherever the origin of the frames changes."""

from __future__ import annotations

from bisect import bisect_right
import secrets

from st_memory.core.ports import FrameOrigin
from st_memory.storage.codec import LAST_STAMP
from st_memory.storage.sql import SqlConnection

__all__ = ['Origins', 'new_origin', 'newest_origin', 'origin_at', 'write_origin']


class Origins:
    """
    The origin of every frame.

    Parameters
    ----------
    connection : SqlConnection
        To read them with, once.

    """

    def __init__(self, connection: SqlConnection) -> None:
        rows = connection.execute(
            'SELECT first_seq, robot_id, boot_id FROM boot ORDER BY first_seq'
        ).fetchall()
        self._first = [row[0] for row in rows]
        self._origins = [FrameOrigin(*row[1:]) for row in rows]

    def of(self, seq: int) -> FrameOrigin:
        """Give the origin of a frame."""
        return self._origins[bisect_right(self._first, seq) - 1]


def newest_origin(connection: SqlConnection) -> FrameOrigin | None:
    """Origin of the frame committed last; None for an empty memory."""
    return origin_at(connection, LAST_STAMP)


def origin_at(connection: SqlConnection, seq: int) -> FrameOrigin | None:
    """Origin of a frame, or of the last one before it; None for an empty memory."""
    row = connection.execute(
        'SELECT robot_id, boot_id FROM boot WHERE first_seq <= ? ORDER BY first_seq DESC LIMIT 1',
        (seq,),
    ).fetchone()
    return None if row is None else FrameOrigin(*row)


def new_origin(connection: SqlConnection, robot_id: str | None) -> FrameOrigin:
    """
    Make the origin of the frames of one opening.

    Parameters
    ----------
    connection : SqlConnection
        To the memory.
    robot_id : str, optional
        None for that of the frame committed last, or a random one that the memory keeps from
        its first frame on.

    """
    before = newest_origin(connection)
    if robot_id is None:
        robot_id = secrets.token_hex(8) if before is None else before.robot_id
    return FrameOrigin(robot_id, secrets.token_hex(8))


def write_origin(connection: SqlConnection, seq: int, origin: FrameOrigin) -> None:
    """Keep that the frames from one on are of an origin."""
    connection.execute('INSERT INTO boot VALUES (?, ?, ?)', (seq, *origin))

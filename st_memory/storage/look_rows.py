"""Read where the cameras were."""

from __future__ import annotations

from typing import Any

from st_memory.core.records import CameraLook
from st_memory.core.stamps import Moment
from st_memory.storage.codec import decode_pose
from st_memory.storage.sql import SqlConnection
from st_memory.storage.texts import TextReader

__all__ = ['LookReader']

_LOOK = 'SELECT camera, stamp_ns, detector_reported, pose FROM look'
_UNTIL = 'WHERE camera = ? AND epoch = ? AND stamp_ns <= ?'


class LookReader:
    """
    Read looks.

    Parameters
    ----------
    texts : TextReader
        Strings by number.

    """

    def __init__(self, texts: TextReader) -> None:
        self._texts = texts

    def newest(
        self, connection: SqlConnection, camera_id: str | None, at: Moment
    ) -> CameraLook | None:
        """Latest look of a camera, or of any: the last one of :meth:`all`."""
        looks = []
        for camera in self._cameras(connection, camera_id):
            row = connection.execute(
                f'{_LOOK} {_UNTIL} ORDER BY stamp_ns DESC LIMIT 1',
                (camera, at.epoch, at.stamp_ns),
            ).fetchone()
            if row is not None:
                looks.append(self._look(connection, at.epoch, row))
        return max(looks, key=lambda look: (look.stamp_ns, look.camera_id), default=None)

    def all(
        self, connection: SqlConnection, camera_id: str | None, at: Moment
    ) -> tuple[CameraLook, ...]:
        """Every look up to the moment, by (stamp, camera)."""
        looks = [
            self._look(connection, at.epoch, row)
            for camera in self._cameras(connection, camera_id)
            for row in connection.execute(f'{_LOOK} {_UNTIL}', (camera, at.epoch, at.stamp_ns))
        ]
        looks.sort(key=lambda look: (look.stamp_ns, look.camera_id))
        return tuple(looks)

    def _cameras(self, connection: SqlConnection, camera_id: str | None) -> list[int]:
        """Give the number of the camera, or of all that ever looked (one look-up each)."""
        if camera_id is not None:
            number = self._texts.number(connection, camera_id)
            return [] if number is None else [number]
        cameras: list[int] = []
        after = 'SELECT camera FROM look WHERE camera > ? ORDER BY camera LIMIT 1'
        row = connection.execute(after, (-1,)).fetchone()
        while row is not None:
            cameras.append(row[0])
            row = connection.execute(after, row).fetchone()
        return cameras

    def _look(self, connection: SqlConnection, epoch: int, row: tuple[Any, ...]) -> CameraLook:
        camera, stamp_ns, reported, pose = row
        return CameraLook(
            self._texts.value(connection, camera),
            epoch,
            stamp_ns,
            None if pose is None else decode_pose(pose),
            bool(reported),
        )

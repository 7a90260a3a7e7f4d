"""Poses over time in a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

from st_memory.core.errors import StMemoryError
from st_memory.core.geometry.pose_track import PoseTrack

__all__ = ['POSE_COLUMNS', 'read_poses']

POSE_COLUMNS = ('stamp_ns', 'x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')


def read_poses(path: Path) -> PoseTrack:
    """
    Read stamped poses.

    Parameters
    ----------
    path : Path
        A CSV file with the columns :data:`POSE_COLUMNS`: nanoseconds, metres, and a quaternion
        of length 1; stamps increase.

    Raises
    ------
    StMemoryError
        If it cannot be read, or a row is not a pose; one line with the row's number.

    """
    stamps: list[int] = []
    moves: list[list[float]] = []
    quats: list[list[float]] = []
    try:
        with path.open(encoding='utf-8', newline='') as stream:
            rows = csv.DictReader(stream)
            missing = [name for name in POSE_COLUMNS if name not in (rows.fieldnames or ())]
            if missing:
                raise StMemoryError(f'{path}: expected a column {missing[0]}, found none')
            for row in rows:
                try:
                    stamps.append(int(row['stamp_ns']))
                    moves.append([float(row[name]) for name in 'xyz'])
                    quats.append([float(row[name]) for name in POSE_COLUMNS[4:]])
                except (TypeError, ValueError) as error:
                    raise StMemoryError(
                        f'{path}: line {rows.line_num}: expected numbers in '
                        f'{", ".join(POSE_COLUMNS)}'
                    ) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, 'strerror', None) or 'not a text file of comma-separated values'
        raise StMemoryError(f'{path}: cannot be read ({reason})') from error
    if not stamps:
        raise StMemoryError(f'{path}: expected poses, found none')
    track = PoseTrack()
    try:
        track.extend(stamps, moves, quats)
    except (ValueError, OverflowError) as error:
        raise StMemoryError(f'{path}: {error}') from error
    return track

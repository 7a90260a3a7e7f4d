"""How the visibility of an object has been over time."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import VisibilityAnswer
from st_memory.core.queries.history import intervals_of, observations_of
from st_memory.core.queries.references import camera_named
from st_memory.core.queries.selection import Selector
from st_memory.core.queries.visibility import get_visibility
from st_memory.core.records import ObjectState, VisibilityInterval
from st_memory.core.stamps import Moment

__all__ = ['get_timeline']


def get_timeline(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    camera_id: str = '',
    *,
    start_ns: int | None = None,
    end_ns: int | None = None,
    limit: int | None = None,
) -> VisibilityAnswer:
    """
    Give the visibility intervals of a window, beside the state at its moment.

    Intervals from before a merge, recorded under the merged id, are among them.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`. As of an earlier time, an interval that was
        open then is open, and frames that came later count for nothing.
    camera_id : str
        Of one camera; '' for all.
    start_ns, end_ns : int, optional
        Window, half-open; None for from the beginning, and up to ``at``. An interval that
        reaches beyond is cut: its times and its frames are those inside, and cut at the end it
        is not open.
    limit : int, optional
        At most this many, the newest ones; None for all.

    Returns
    -------
    VisibilityAnswer
        ``intervals`` by (start, camera), ``total`` with those that the limit cut off.

    Raises
    ------
    StMemoryError
        If the window does not end after its start.
    ValueError
        If the limit is negative.

    """
    if limit is not None and limit < 0:
        raise ValueError(f'limit: expected >= 0, got {limit}')
    if start_ns is not None and end_ns is not None and end_ns <= start_ns:
        raise StMemoryError(
            f'window: expected an end after its start, got {start_ns} to {end_ns} ns'
        )
    current = get_visibility(reader, selector, at, camera_id)
    if current.object is None:
        return current
    whose = camera_named(reader, camera_id, current.at)
    rows = intervals_of(reader, current.object, current.at, whose)
    if start_ns is not None or end_ns is not None:
        pieces = [(row, _piece(row, start_ns, end_ns)) for row in rows]
        frames = _Frames(reader, current.object, current.at)
        rows = tuple(p if p == row else frames.counted(p) for row, p in pieces if p is not None)
        rows = tuple(sorted(rows, key=lambda row: (row.start_ns, row.camera_id)))
    kept = rows if limit is None else rows[max(0, len(rows) - limit) :]
    return replace(current, intervals=kept, total=len(rows), is_timeline=True)


def _piece(
    row: VisibilityInterval, start_ns: int | None, end_ns: int | None
) -> VisibilityInterval | None:
    """Give what of an interval lies in a window, its frames not yet counted; None for nothing."""
    # An open interval is known up to its latest frame, that one included.
    known_ns = row.last_frame_ns + 1 if row.end_ns is None else row.end_ns
    low = row.start_ns if start_ns is None else max(row.start_ns, start_ns)
    high = known_ns if end_ns is None else min(known_ns, end_ns)
    if low >= high:
        return None
    is_open = row.end_ns is None and high == known_ns
    return replace(row, start_ns=low, end_ns=None if is_open else high)


class _Frames:
    """Frames of each camera, and those of them with a match of one object."""

    def __init__(self, reader: MemoryReader, state: ObjectState, at: Moment | None) -> None:
        self._reader = reader
        self._at = at
        self._looks: dict[str, list[int]] = {}
        self._matches = {(o.camera_id, o.stamp_ns) for o in observations_of(reader, state, at)}

    def counted(self, row: VisibilityInterval) -> VisibilityInterval:
        """Count the frames of a cut interval; without one inside, the frame before counts."""
        looks = self._looks_of(row.camera_id)
        first = bisect_left(looks, row.start_ns)
        after = len(looks) if row.end_ns is None else bisect_left(looks, row.end_ns)
        inside = looks[first:after] or looks[max(0, first - 1) : first]
        return replace(
            row,
            last_frame_ns=max([row.start_ns, *inside[-1:]]),
            num_frames=max(1, len(inside)),
            num_confirmed=sum((row.camera_id, stamp) in self._matches for stamp in inside),
        )

    def _looks_of(self, camera_id: str) -> list[int]:
        if camera_id not in self._looks:
            looks = self._reader.looks(camera_id, self._at)
            self._looks[camera_id] = [look.stamp_ns for look in looks]
        return self._looks[camera_id]

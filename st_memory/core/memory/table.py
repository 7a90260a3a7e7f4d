"""All objects as arrays, kept up to date row by row: what is judged at once is not walked over."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.resting import Resting
from st_memory.core.memory.track import Track
from st_memory.core.memory.view_columns import Views
from st_memory.core.records import LifeCycle
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.visibility import Targets

__all__ = ['ObjectTable', 'Rows', 'targets_of']

Rows = NDArray[np.intp]

_CONFIRMED, _ABSENT = int(LifeCycle.CONFIRMED), int(LifeCycle.ABSENT)
_UPRIGHT = [0.0, 0.0, 0.0]


class ObjectTable:
    """
    Rows of all objects, in the order of their ids.

    A frame changes few objects, and marks them as touched; only their rows are written again.

    Attributes
    ----------
    tracks : list of Track
        The objects; row i is ``tracks[i]``.
    object_ids : tuple of str
        Their ids.
    is_live, is_located, is_moving, is_carried, is_doubtful, is_steady : (N,) bool
        Not merged into another; has a place; being moved; lies in a movable part; may be gone
        from where it was; believed and at rest.
    resting : Resting
        What the matching asks of them.

    """

    def __init__(self) -> None:
        self.tracks: list[Track] = []
        self.object_ids: tuple[str, ...] = ()
        self._row_of: dict[str, int] = {}
        self._fixture_ids: list[str] = []
        # Classes by number: what is of one class is found without walking over all.
        self._number_of_kind: dict[str, int] = {}
        # Placed by the present frame alone, or given up in it without being looked at.
        self._unsettled: set[str] = set()
        self._stamp_ns: int | None = None
        self._views: dict[str, Views] = {}
        self._resize(0)

    def _resize(self, count: int) -> None:
        self._centres = np.zeros((count, 3))
        self._sizes = np.zeros((count, 3))
        self._radii = np.zeros(count)
        self._rotations = np.tile(np.eye(3), (count, 1, 1))
        self._is_turned = np.zeros(count, dtype=bool)
        self.resting = Resting.zeros(count)
        self.is_live = self.resting.is_live
        self.is_located = np.zeros(count, dtype=bool)
        self.is_moving = self.resting.is_moving
        self.is_carried = np.zeros(count, dtype=bool)
        self.is_doubtful = np.zeros(count, dtype=bool)
        self.is_steady = np.zeros(count, dtype=bool)
        self._is_sized = np.zeros(count, dtype=bool)
        self._kinds = np.zeros(count, dtype=np.intp)
        self._fixture_ids = [''] * count

    def update(self, tracks: Sequence[Track], touched: Set[str], stamp_ns: int) -> None:
        """
        Write what has changed.

        Parameters
        ----------
        tracks : sequence of Track
            All objects, in the order of their ids.
        touched : set of str
            Objects that may have changed since the last update.
        stamp_ns : int
            Stamp of the frame.

        """
        is_later, self._stamp_ns = stamp_ns != self._stamp_ns, stamp_ns
        changed = touched | self._unsettled if is_later else set(touched)
        if len(tracks) != len(self.tracks):
            changed |= self._grow(tracks)
        # What is placed by this frame alone may have been attached to something since.
        lying = sorted(self._unsettled - changed)
        self._unsettled = set()
        if lying:
            self._write_places(np.array([self._row_of[name] for name in lying]), stamp_ns)
        rows = [self._row_of[name] for name in changed if name in self._row_of]
        if rows:
            self._write(np.array(rows), [self.tracks[row] for row in rows], stamp_ns)

    def _grow(self, tracks: Sequence[Track]) -> set[str]:
        """Make room for new objects among the old ones; gives the new ones."""
        before, old = self._row_of, self._arrays()
        fixture_ids = self._fixture_ids
        self.tracks = list(tracks)
        self.object_ids = tuple(t.object_id for t in tracks)
        self._row_of = {name: row for row, name in enumerate(self.object_ids)}
        self._resize(len(tracks))
        self._views = {name: Views.none(len(tracks)) for name in self._views}
        stayed = [name for name in self.object_ids if name in before]
        source, target = [before[n] for n in stayed], [self._row_of[n] for n in stayed]
        for was, now in zip(old, self._arrays(), strict=True):
            now[target] = was[source]
        for i, j in zip(source, target, strict=True):
            self._fixture_ids[j] = fixture_ids[i]
        return set(self.object_ids) - before.keys()

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """Give all arrays of N rows."""
        views = (array for name in sorted(self._views) for array in self._views[name])
        return (
            self._centres,
            self._sizes,
            self._radii,
            self._rotations,
            self._is_turned,
            self._is_sized,
            self._kinds,
            *self.resting,
            self.is_located,
            self.is_carried,
            self.is_doubtful,
            self.is_steady,
            *views,
        )

    def _write(self, rows: Rows, tracks: Sequence[Track], stamp_ns: int) -> None:
        """Write some rows, column by column."""
        self.resting.write(rows, tracks)
        self._write_places(rows, stamp_ns)
        self._kinds[rows] = [self._numbered(t.kind) for t in tracks]
        self._is_sized[rows] = [min(t.size) > 0.0 for t in tracks]
        self.is_steady[rows] = [t.life_cycle == _CONFIRMED and not t.in_motion for t in tracks]
        self.is_doubtful[rows] = [
            t.absent_since_ns is not None
            or t.life_cycle == _ABSENT
            or t.placed_by == PLACED_BY_LOSS
            or t.is_held
            for t in tracks
        ]
        for camera_id, views in self._views.items():
            views.write(rows, tracks, camera_id)

    def _write_places(self, rows: Rows, stamp_ns: int) -> None:
        """Write where some are, in or on what, and how their boxes lie."""
        tracks = [self.tracks[row] for row in rows.tolist()]
        for row, track in zip(rows.tolist(), tracks, strict=True):
            self._fixture_ids[row] = track.fixture_id
        self.is_carried[rows] = [t.carrier != '' for t in tracks]
        places = [track.place_at(stamp_ns) for track in tracks]
        sunk_m = np.array([track.sunk_m for track in tracks])
        is_located = np.array([place is not None for place in places])
        self.is_located[rows] = is_located
        located = rows[is_located]
        self._centres[located] = np.reshape([p for p in places if p is not None], (-1, 3))
        self._centres[located, 2] += sunk_m[is_located] / 2
        self._unsettled.update(
            track.object_id
            for track, place in zip(tracks, places, strict=True)
            if track.in_motion or place is not track.mean
        )
        sizes = np.array([track.size for track in tracks])
        sizes[:, 2] -= sunk_m
        self._sizes[rows] = sizes
        width, depth, height = sizes.T
        self._radii[rows] = 0.5 * np.sqrt(width * width + depth * depth + height * height)
        is_turned = np.array([track.quat[:3] != _UPRIGHT for track in tracks])
        for i in np.flatnonzero(is_turned | self._is_turned[rows]).tolist():
            attitude = RigidTransform(np.zeros(3), np.array(tracks[i].quat))
            self._rotations[rows[i]] = attitude.rotation
        self._is_turned[rows] = is_turned

    def some(self, which: NDArray[np.bool_]) -> list[Track]:
        """Give the objects of some rows, in their order."""
        return [self.tracks[row] for row in np.flatnonzero(which)]

    def _numbered(self, kind: str) -> int:
        """Give the number of a class, a new one when it has none."""
        return self._number_of_kind.setdefault(kind, len(self._number_of_kind))

    def of_kind(self, kind: str) -> list[Track]:
        """Give the objects of a class that are not merged into others, in their order."""
        return self.some(self.is_live & (self._kinds == self._number_of_kind.get(kind, -1)))

    def at_rest(self) -> Rows:
        """Give the rows of the believed objects that rest somewhere and have extents."""
        return np.flatnonzero(self.is_steady & self.resting.is_placed & self._is_sized)

    def are_of(self, rows: Rows, kinds: Sequence[str]) -> NDArray[np.bool_]:
        """Whether some objects are of each of some classes, (K, R)."""
        numbers = np.array([self._number_of_kind.get(kind, -1) for kind in kinds])
        is_of: NDArray[np.bool_] = numbers[:, None] == self._kinds[rows]
        return is_of

    def ids(self, rows: Rows) -> tuple[str, ...]:
        """Give the ids of some rows."""
        if len(rows) == len(self.tracks):
            return self.object_ids
        return tuple(self.object_ids[row] for row in rows)

    def rows_of(self, tracks: Collection[Track]) -> list[int]:
        """Give the rows of some objects; candidates have none."""
        rows = (self._row_of.get(t.object_id) for t in tracks)
        return [row for row in rows if row is not None]

    def views(self, camera_id: str) -> Views:
        """Give what the open intervals of a camera say, to be read."""
        views = self._views.get(camera_id)
        if views is None:
            views = self._views[camera_id] = Views.none(len(self.tracks))
            if self.tracks:  # once, when a camera is new
                views.write(np.arange(len(self.tracks)), self.tracks, camera_id)
        return views

    def targets(self, rows: Rows) -> Targets:
        """Give the places and boxes of some objects, which must be located."""
        if len(rows) == len(self.tracks):
            turned = bool(self._is_turned.any())
            return Targets(
                self._centres.copy(),
                self._sizes.copy(),
                tuple(self._fixture_ids),
                self._rotations.copy() if turned else None,
                self._radii.copy(),
            )
        turned = bool(self._is_turned[rows].any())
        return Targets(
            self._centres[rows],
            self._sizes[rows],
            tuple(self._fixture_ids[row] for row in rows),
            self._rotations[rows] if turned else None,
            self._radii[rows],
        )


def targets_of(tracks: Sequence[Track], stamp_ns: int) -> Targets:
    """Give the places and boxes of a few tracks at a frame; each must have a position."""
    table = ObjectTable()
    table.update(tracks, frozenset(), stamp_ns)
    return table.targets(np.arange(len(tracks)))

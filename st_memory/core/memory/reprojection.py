"""Stored measurements of cameras, projected anew on a corrected trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
from st_memory.core.memory.lineage import corrected_parent, end_of, parent_of
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import LEAST_GAIN
from st_memory.core.ports import MemoryReader
from st_memory.core.records import LifeCycle, ObjectState, Observation, Placement, RebaseKind
from st_memory.core.stamps import Moment

__all__ = ['Correction', 'Reprojection']

Array = NDArray[np.float64]


class Correction(NamedTuple):
    """The place of one stay, metres, and whether all that it rests on was projected anew."""

    world_p: Array
    is_whole: bool


@dataclass
class Reprojection:
    """
    Projects the observations of one memory anew.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    trajectory : CorrectedTrajectory
        Where the cameras have been.
    settings : MemorySettings
        Numbers of the fold.

    Attributes
    ----------
    num_observations, num_left : int
        Observations that were projected anew so far, and those that could not be.

    Notes
    -----
    The estimate of a place is a running mean with known gains, so moving each measurement moves
    the estimate by the sum of their moves, each with its weight. An epoch that an earlier
    correction opened holds no measurements from before: those of the epoch that it took over are
    projected anew, too.

    """

    reader: MemoryReader
    trajectory: CorrectedTrajectory
    settings: MemorySettings
    num_observations: int = 0
    num_left: int = 0
    _rows: dict[tuple[str, int], tuple[Observation, ...]] = field(default_factory=dict)

    def place(self, state: ObjectState, stay: Placement, epoch: int) -> Correction:
        """
        Give where a stay was.

        Parameters
        ----------
        state : ObjectState
            The object at the end of the epoch.
        stay : Placement
            Its last version in the epoch.
        epoch : int
            Of the stay.

        """
        place = _place_at_end(state, stay)
        seen = self._during(state, stay, place, epoch)
        before = self._before(state, stay, epoch)
        moves = np.zeros(3)
        first_step = np.zeros(3)
        left_share, num_left = 1.0, 0
        for number, (row, fixed_T_camera) in enumerate(reversed(seen)):
            gain = max(1.0 / (before.count + len(seen) - number), LEAST_GAIN)
            if fixed_T_camera is None or row.camera_p is None or row.world_p is None:
                num_left += 1
            else:
                first_step = fixed_T_camera.apply(row.camera_p) - np.array(row.world_p)
                moves += left_share * gain * first_step
            left_share *= 1.0 - gain
        # Nothing is kept of the matches before an object was believed in.
        moves += left_share * (first_step if before.is_unkept else before.step)
        is_known = before.is_whole or (bool(seen) and (before.is_unkept or not before.count))
        return Correction(place + moves, is_known and not num_left)

    def turn(self, state: ObjectState, epoch: int) -> RigidTransform | None:
        """Give what takes the latest fix of an object to where it was; None without one."""
        for row in reversed(self._observations(state, epoch)):
            corrected = self._corrected(row)
            if corrected is None:
                continue
            look = self.reader.look_at(row.camera_id, Moment(epoch, row.stamp_ns))
            if look is None or look.world_T_camera is None or look.stamp_ns != row.stamp_ns:
                continue
            return corrected @ look.world_T_camera.inverse()
        return None

    def looks_of(self, state: ObjectState, epoch: int) -> set[tuple[str, int]]:
        """Give the looks that an object was seen in, as camera and stamp."""
        return {(row.camera_id, row.stamp_ns) for row in self._observations(state, epoch)}

    def count(self, state: ObjectState, epoch: int) -> None:
        """Count the observations of an object, those of the epochs taken over too."""
        for row in self._observations(state, epoch):
            is_covered = self._corrected(row) is not None
            self.num_observations += is_covered
            self.num_left += not is_covered
        parent = corrected_parent(self.reader, epoch)
        earlier = None if parent is None else self._state(state.object_id, parent)
        if parent is not None and earlier is not None:
            self.count(earlier, parent)

    def _corrected(self, row: Observation) -> RigidTransform | None:
        if row.camera_p is None or row.world_p is None:
            return None
        at = Moment(row.epoch, row.stamp_ns)
        return self.trajectory.world_T_camera(row.camera_id, at, self.reader)

    def _during(
        self, state: ObjectState, stay: Placement, place: Array, epoch: int
    ) -> list[tuple[Observation, RigidTransform | None]]:
        """Give what was seen of an object at a stay, and from where, as it is known now."""
        end_ns = end_of(epoch).stamp_ns if stay.end_ns is None else stay.end_ns
        far_m = max(self.settings.move_distance_m, self.settings.same_object_m)
        return [
            (row, self._corrected(row))
            for row in self._observations(state, epoch)
            if stay.start_ns <= row.stamp_ns < end_ns
            and row.world_p is not None
            and float(np.linalg.norm(np.array(row.world_p) - place)) <= far_m
        ]

    def _before(self, state: ObjectState, stay: Placement, epoch: int) -> _Before:
        """Give what an earlier correction made of a stay, and what is known of that now."""
        origin = parent_of(self.reader, epoch)
        first = self.reader.first_moment(epoch)
        if origin is None or first is None or stay.start_ns >= first.stamp_ns:
            return self._unkept(state, stay, epoch)
        parent, kind = origin
        carried = _stay_at(self.reader, state.object_id, stay.start_ns, first)
        earlier = self._state(state.object_id, parent)
        source = _stay_at(self.reader, state.object_id, stay.start_ns, end_of(parent))
        if carried is None or earlier is None or source is None:
            return _Before()
        found = self.place(earlier, source, parent)
        place = _place_at_end(earlier, source)
        count = len(self._during(earlier, source, place, parent))
        count += self._before(earlier, source, parent).count
        if kind is RebaseKind.NEW_ORIGIN:
            return _Before(count)  # what was measured is in another frame
        step = found.world_p - np.array(carried.world_p) if found.is_whole else np.zeros(3)
        return _Before(count, step, found.is_whole)

    def _unkept(self, state: ObjectState, stay: Placement, epoch: int) -> _Before:
        """Count the matches of a first stay that no row tells of."""
        stays = self.reader.placements(state.object_id, end_of(epoch))
        if stay.source != 'first_seen' or stay.start_ns != stays[0].start_ns:
            return _Before()
        count = state.num_observations - len(self._observations(state, epoch))
        return _Before(max(0, count), is_unkept=True)

    def _observations(self, state: ObjectState, epoch: int) -> tuple[Observation, ...]:
        """Give all observations of an object in an epoch by stamp, under merged ids too."""
        key = (state.object_id, epoch)
        if key not in self._rows:
            names = [state.object_id, *self._merged(state, epoch)]
            rows = [row for n in names for row in self.reader.observations(n, end_of(epoch))]
            rows.sort(key=lambda row: (row.stamp_ns, row.camera_id))
            self._rows[key] = tuple(rows)
        return self._rows[key]

    def _merged(self, state: ObjectState, epoch: int) -> Iterator[str]:
        for name in state.aliases:
            other = self._state(name, epoch)
            if other is not None and other.life_cycle is LifeCycle.RETIRED:
                yield name

    def _state(self, object_id: str, epoch: int) -> ObjectState | None:
        return self.reader.object_at(object_id, end_of(epoch))


@dataclass(frozen=True)
class _Before:
    """Measurements of a stay in earlier epochs, and by how much its first place is off now."""

    count: int = 0
    step: Array = field(default_factory=lambda: np.zeros(3))
    is_whole: bool = False
    is_unkept: bool = False


def _stay_at(reader: MemoryReader, object_id: str, start_ns: int, at: Moment) -> Placement | None:
    rows = (row for row in reader.placements(object_id, at) if row.start_ns == start_ns)
    return next(rows, None)


def _place_at_end(state: ObjectState, stay: Placement) -> Array:
    """Give the last estimate of a stay: that of the object while it is open."""
    is_now = stay.end_ns is None and not state.in_motion and state.world_p is not None
    return np.array(state.world_p if is_now else stay.world_p)

"""When a thing moves, when it comes to rest, and what that makes of its placement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.matching import normalized_distance
from st_memory.core.memory.places import Places
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['MotionModel']

Array = NDArray[np.float64]

# Boxes of detectors jitter by some percent; a half-hidden thing loses more than this.
_WHOLE_SHARE = 0.8

# Who says so of a movement whose end comes from outside, by the source of the placement.
_TOLD = {'annotation': 'annotation', 'marked': 'human'}


class MotionModel:
    """Turns positions over time into movements and placements."""

    def __init__(self, settings: MemorySettings, places: Places) -> None:
        self._settings = settings
        self._places = places

    def sighted(self, track: Track, m: Measurement, out: DeltaBuilder) -> None:
        """
        Take in one located match.

        At rest, ``move_looks`` displaced matches in a row start a movement, back-dated to the
        first of them; moving, a stay of ``rest_s`` within ``rest_radius_m`` ends it, back-dated
        to its begin.
        """
        track.whole_fix = not (m.is_cut or m.is_partial) and _is_whole(track, m)
        if not (m.is_cut or m.is_partial):
            track.refine_box(m.size_m, m.quat_xyzw)
        is_displaced = self._is_displaced(track, m)
        self._arrive(track, m.world_p, is_displaced, m.weight, 'first_seen', out)

    def fixed(self, track: Track, world_p: Array, source: str, out: DeltaBuilder) -> None:
        """
        Take in a position that came ready-made in the fixed frame; it has no known spread.

        ``source`` is that of the placement it opens when there is none.
        """
        is_displaced = track.mean is not None and self._is_far(world_p, np.array(track.mean))
        self._arrive(track, world_p, is_displaced, 1.0, source, out)

    def revive(self, track: Track, world_p: Array | None, out: DeltaBuilder) -> None:
        """
        Take down a tombstone, for whatever evidence.

        Parameters
        ----------
        track : Track
            Absent until now.
        world_p : (3,) float64, optional
            Where it is seen; None while it is only known to be moving.
        out : DeltaBuilder
            Receives what follows.

        """
        track.life_cycle = LifeCycle.CONFIRMED
        gone_ns = track.absent_since_ns
        track.forget_absence()
        roles = [('object', track.object_id)]
        detail = f'the {track.label} was seen again'
        out.event('returned', out.stamp_ns, out.stamp_ns, roles, detail=detail)
        if world_p is None or track.in_motion:
            return
        track.last_fix, track.last_fix_ns = [float(v) for v in world_p], out.stamp_ns
        if track.mean is not None and self._is_far(world_p, np.array(track.mean)):
            track.motion_start_ns = gone_ns
            self.finish(track, world_p, out.stamp_ns, 'inferred', out)
        else:
            self.place(track, world_p, out.stamp_ns, 'observed', out)

    def start(self, track: Track, start_ns: int, out: DeltaBuilder) -> None:
        """Close the placement at ``start_ns`` and mark the object as moving."""
        if track.in_motion:
            return
        out.placement(track, end_ns=start_ns)
        track.placed_ns = None
        track.in_motion = True
        track.motion_start_ns = start_ns
        out.touched.add(track.object_id)

    def place(
        self,
        track: Track,
        world_p: Array,
        start_ns: int,
        source: str,
        out: DeltaBuilder,
        *,
        in_carrier: bool = False,
    ) -> None:
        """
        Open a placement without counting a movement (first sight, annotation).

        ``in_carrier`` says that the place was last seen to be in the part that carries it.
        """
        carrier, pose = (track.carrier, track.carrier_pose) if in_carrier else ('', [])
        track.reset_estimate(world_p)
        track.carrier, track.carrier_pose = carrier, pose
        track.placed_ns = start_ns
        track.placement_source = source
        self._places.attribute(track)
        out.placement(track)

    def finish(
        self,
        track: Track,
        world_p: Array | None,
        end_ns: int,
        source: str,
        out: DeltaBuilder,
        *,
        in_carrier: bool = False,
    ) -> None:
        """
        End a movement at ``end_ns``: count it and open the placement it led to.

        Without a place the object is known to have been moved to where nobody looked;
        ``in_carrier`` as in :meth:`place`.
        """
        start_ns = track.motion_start_ns if track.motion_start_ns is not None else end_ns
        track.in_motion = False
        track.motion_start_ns = None
        track.trail.clear()
        track.num_moves += 1
        track.last_placed_ns = end_ns
        track.placed_by = source
        if world_p is None:
            track.mean, track.num_fixes = None, 0
            track.carrier, track.carrier_pose = '', []
            self._places.attribute(track)
        else:
            self.place(track, world_p, end_ns, source, out, in_carrier=in_carrier)
        out.touched.add(track.object_id)
        where = f' to {track.fixture_id}' if track.fixture_id else ''
        out.event(
            'moved',
            min(start_ns, end_ns),
            end_ns,
            [('object', track.object_id)],
            source=_TOLD.get(source, 'fold'),
            detail=f'the {track.label} was moved{where}',
        )

    def vanish(self, track: Track, out: DeltaBuilder) -> None:
        """Set up a tombstone: it is shown not to be where it was."""
        gone_ns = track.absent_since_ns if track.absent_since_ns is not None else out.stamp_ns
        out.placement(track, end_ns=gone_ns)
        track.placed_ns = None
        track.life_cycle = LifeCycle.ABSENT
        out.touched.add(track.object_id)
        detail = f'the {track.label} is no longer where it was'
        roles = [('object', track.object_id)]
        out.event('absent', gone_ns, out.stamp_ns, roles, detail=detail)

    def expire(self, track: Track, out: DeltaBuilder) -> None:
        """Give up following a carried thing that was not seen for ``carry_timeout_s``."""
        if not track.in_motion or track.annotated or track.last_fix_ns is None:
            return
        if out.stamp_ns - track.last_fix_ns <= self._settings.carry_timeout_s * NS_PER_S:
            return
        last = np.array(track.last_fix)
        points = np.array([*(fix for _, fix in track.trail), track.last_fix])
        rest = self._resting_since(track)
        if not self._went_somewhere(track, points, last):
            self._resume(track, out)
        elif len(track.trail) - rest >= self._settings.move_looks:
            # Too short a rest to be sure while it was in view, but the last that was seen of it.
            self._put_down(track, rest, out)
        else:
            ended_ns = track.last_fix_ns
            self.finish(track, last, ended_ns, PLACED_BY_LOSS, out, in_carrier=True)

    def _arrive(
        self,
        track: Track,
        world_p: Array,
        is_displaced: bool,
        weight: float,
        source: str,
        out: DeltaBuilder,
    ) -> None:
        """Take in where it is now."""
        track.last_fix = [float(v) for v in world_p]
        track.last_fix_ns = out.stamp_ns
        if track.in_motion:
            if not track.annotated:  # else its end is reported, too
                track.trail.append((out.stamp_ns, track.last_fix))
                self._settle(track, out)
        elif track.mean is None:
            self.place(track, world_p, out.stamp_ns, source, out)
        elif is_displaced and not track.annotated:
            track.trail.append((out.stamp_ns, track.last_fix))
            if len(track.trail) >= self._settings.move_looks:
                self.start(track, track.trail[0][0], out)
        elif not is_displaced:
            track.trail.clear()
            if track.placed_by == PLACED_BY_LOSS:
                track.placed_by = 'inferred'  # it does lie where it was lost
            self._refine(track, world_p, weight)

    def _refine(self, track: Track, world_p: Array, weight: float) -> None:
        """Average a match at rest into the estimate."""
        track.refine(world_p, weight)
        if track.num_fixes & (track.num_fixes - 1) == 0:  # 1, 2, 4, 8, ...: as it settles
            self._places.attribute(track)

    def _is_displaced(self, track: Track, m: Measurement) -> bool:
        """Whether a match lies where noise and registration do not explain it."""
        if track.mean is None:
            return False
        place = np.array(track.mean)
        if not self._is_far(m.world_p, place):
            return False
        sigma = float(np.sqrt(track.variance))
        return float(normalized_distance(place, m, sigma)) > self._settings.gate_sigmas

    def _is_far(self, world_p: Array, place: Array) -> bool:
        """Whether two places are too far apart for one rest."""
        gap = world_p - place
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        return float(np.sqrt(gap @ gap)) > far

    def _settle(self, track: Track, out: DeltaBuilder) -> None:
        """End the movement when the latest matches stay within one place for long enough."""
        rest = self._resting_since(track)
        if out.stamp_ns - track.trail[rest][0] < self._settings.rest_s * NS_PER_S:
            # Matches from before the resting time cannot matter again.
            horizon = out.stamp_ns - int(4 * self._settings.rest_s * NS_PER_S)
            keep = [item for item in track.trail if item[0] >= horizon]
            track.trail = keep or track.trail[-1:]
            return
        points = np.array([fix for _, fix in track.trail])
        # Small jiggles that end where they began were noise, not a movement.
        if self._went_somewhere(track, points, points[rest:].mean(axis=0)):
            self._put_down(track, rest, out)
        else:
            self._resume(track, out)

    def _resting_since(self, track: Track) -> int:
        """Walk back from the newest match while all stays near its centre; gives the index."""
        points = np.array([fix for _, fix in track.trail]).reshape(-1, 3)
        first = max(len(points) - 1, 0)
        while first > 0:
            cluster = points[first - 1 :]
            gaps = cluster - cluster.mean(axis=0)
            if np.einsum('ij,ij->i', gaps, gaps).max() > self._settings.rest_radius_m**2:
                break
            first -= 1
        return first

    def _put_down(self, track: Track, rest: int, out: DeltaBuilder) -> None:
        """End the movement where the matches from an index on rest."""
        start_ns, count = track.trail[rest][0], len(track.trail) - rest
        centre = np.array([fix for _, fix in track.trail[rest:]]).mean(axis=0)
        self.finish(track, centre, start_ns, 'observed', out, in_carrier=True)
        track.num_fixes = count

    def _went_somewhere(self, track: Track, points: Array, centre: Array) -> bool:
        """Whether it ended elsewhere, or was far away in between."""
        if track.mean is None:
            return True
        place = np.array(track.mean)
        if self._is_far(centre, place):
            return True
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        return float(np.sqrt(((points - place) ** 2).sum(axis=1).max())) > 2 * far

    def _resume(self, track: Track, out: DeltaBuilder) -> None:
        """Go back to the placement that a false start of a movement had closed."""
        track.in_motion = False
        track.placed_ns = track.motion_start_ns
        track.motion_start_ns = None
        track.trail.clear()
        out.placement(track)


def _is_whole(track: Track, m: Measurement) -> bool:
    """Whether a detection is about as large as the object: nothing hides a part of it."""
    least = _WHOLE_SHARE * np.array(track.size)
    return bool((m.size_m > 0).all() and (m.size_m >= least).all())

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
from st_memory.core.records import LifeCycle, MovementReport, WorldDetection
from st_memory.core.stamps import NS_PER_S

__all__ = ['MotionModel']


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
        track.last_fix = [float(v) for v in m.world_p]
        track.last_fix_ns = out.stamp_ns
        if not m.is_cut:
            track.refine_size(m.size_m)
        if track.annotated:
            if not track.in_motion:
                self._refine(track, m)
            return
        if track.in_motion:
            track.trail.append((out.stamp_ns, track.last_fix))
            self._settle(track, out)
        elif self._is_displaced(track, m):
            track.trail.append((out.stamp_ns, track.last_fix))
            if len(track.trail) >= self._settings.move_looks:
                self.start(track, track.trail[0][0], out)
        else:
            track.trail.clear()
            track.is_verified = True
            self._refine(track, m)

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
        world_p: NDArray[np.float64],
        start_ns: int,
        source: str,
        out: DeltaBuilder,
    ) -> None:
        """Open a placement without counting a movement (first sight, annotation)."""
        track.reset_estimate(world_p)
        track.placed_ns = start_ns
        track.placement_source = source
        self._places.attribute(track)
        out.placement(track)

    def finish(
        self,
        track: Track,
        world_p: NDArray[np.float64] | None,
        end_ns: int,
        source: str,
        out: DeltaBuilder,
    ) -> None:
        """End a movement at ``end_ns``: count it and open the placement it led to."""
        start_ns = track.motion_start_ns if track.motion_start_ns is not None else end_ns
        track.in_motion = False
        track.motion_start_ns = None
        track.trail.clear()
        track.num_moves += 1
        track.last_placed_ns = end_ns
        track.placed_by = source
        track.is_verified = source != 'inferred'
        if world_p is not None:
            self.place(track, world_p, end_ns, source, out)
        out.touched.add(track.object_id)
        where = f' to {track.fixture_id}' if track.fixture_id else ''
        out.event(
            'moved',
            min(start_ns, end_ns),
            end_ns,
            [('object', track.object_id)],
            source='annotation' if source == 'annotation' else 'fold',
            detail=f'the {track.label} was moved{where}',
        )

    def reported(self, track: Track, movement: MovementReport, out: DeltaBuilder) -> None:
        """Take in the start or the end of a movement that was reported from outside."""
        track.annotated = True
        if movement.end_ns is None:
            self.start(track, movement.start_ns, out)
            return
        if not track.in_motion:  # only the end was reported
            self.start(track, movement.start_ns, out)
        # Where it was last measured since the movement began is where it was put down.
        fresh = (
            track.last_fix is not None
            and track.last_fix_ns is not None
            and track.last_fix_ns >= movement.start_ns
        )
        place = np.array(track.last_fix) if fresh else None
        self.finish(track, place, movement.end_ns, 'annotation', out)
        if place is None:
            track.mean = None  # moved to where nobody looked: its place is unknown
            track.num_fixes = 0
            track.fixture_id, track.fixture_alternatives, track.container_id = '', [], ''

    def fixed(self, track: Track, seen: WorldDetection, out: DeltaBuilder) -> None:
        """Take in a position that came ready-made in the fixed frame."""
        world_p = np.array(seen.world_p)
        track.last_fix, track.last_fix_ns = [float(v) for v in world_p], out.stamp_ns
        if seen.size_m is not None:
            track.refine_size(np.array(seen.size_m))
        if track.in_motion:
            return
        if track.mean is None:
            source = seen.source if seen.source.startswith('annotation') else 'first_seen'
            self.place(track, world_p, out.stamp_ns, source, out)
        else:
            track.refine(world_p, 1.0)

    def vanish(self, track: Track, out: DeltaBuilder) -> None:
        """Set up a tombstone: it is shown not to be where it was."""
        gone_ns = track.absent_since_ns if track.absent_since_ns is not None else out.stamp_ns
        out.placement(track, end_ns=gone_ns)
        track.placed_ns = None
        track.life_cycle = LifeCycle.ABSENT
        out.touched.add(track.object_id)
        out.event(
            'absent',
            gone_ns,
            out.stamp_ns,
            [('object', track.object_id)],
            detail=f'the {track.label} is no longer where it was',
        )

    def expire(self, track: Track, out: DeltaBuilder) -> None:
        """Count a carried thing as put down where it was lost after ``carry_timeout_s``."""
        if not track.in_motion or track.annotated or track.last_fix_ns is None:
            return
        if out.stamp_ns - track.last_fix_ns <= self._settings.carry_timeout_s * NS_PER_S:
            return
        self.finish(track, np.array(track.last_fix), track.last_fix_ns, 'inferred', out)

    def _refine(self, track: Track, m: Measurement) -> None:
        """Average a match at rest; a box cut by the image border counts little."""
        track.refine(m.world_p, m.weight)
        if track.num_fixes & (track.num_fixes - 1) == 0:  # 1, 2, 4, 8, ...: as it settles
            self._places.attribute(track)

    def _is_displaced(self, track: Track, m: Measurement) -> bool:
        """Whether a match lies where noise and registration do not explain it."""
        if track.mean is None:
            return False
        place = np.array(track.mean)
        gap = m.world_p - place
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        if float(np.sqrt(gap @ gap)) <= far:
            return False
        sigma = float(np.sqrt(track.variance))
        return normalized_distance(place, m, sigma) > self._settings.gate_sigmas

    def _settle(self, track: Track, out: DeltaBuilder) -> None:
        """End the movement when the latest matches stay within one place for long enough."""
        settings = self._settings
        points = np.array([fix for _, fix in track.trail])
        # Walk back from the newest match while everything stays near the running centre.
        first = len(points) - 1
        while first > 0:
            cluster = points[first - 1 :]
            gaps = cluster - cluster.mean(axis=0)
            if np.einsum('ij,ij->i', gaps, gaps).max() > settings.rest_radius_m**2:
                break
            first -= 1
        rest_start_ns = track.trail[first][0]
        if out.stamp_ns - rest_start_ns >= settings.rest_s * NS_PER_S:
            centre = points[first:].mean(axis=0)
            # Small jiggles that end where they began were noise, not a movement.
            if not self._went_somewhere(track, points, centre):
                self._resume(track, out)
                return
            self.finish(track, centre, rest_start_ns, 'observed', out)
            track.num_fixes = len(points) - first
        else:
            # Matches before the resting time cannot matter again once they have left the place.
            horizon = out.stamp_ns - int(4 * settings.rest_s * NS_PER_S)
            keep = [item for item in track.trail if item[0] >= horizon]
            track.trail = keep or track.trail[-1:]

    def _went_somewhere(
        self, track: Track, points: NDArray[np.float64], centre: NDArray[np.float64]
    ) -> bool:
        if track.mean is None:
            return True
        place = np.array(track.mean)
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        if float(np.sqrt(((centre - place) ** 2).sum())) > far:
            return True
        return float(np.sqrt(((points - place) ** 2).sum(axis=1).max())) > 2 * far

    def _resume(self, track: Track, out: DeltaBuilder) -> None:
        """Go back to the placement that a false start of a movement had closed."""
        track.in_motion = False
        track.placed_ns = track.motion_start_ns
        track.motion_start_ns = None
        track.trail.clear()
        out.placement(track)

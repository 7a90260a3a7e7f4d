"""When a thing moves, when it comes to rest, and what that makes of its placement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement
from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.matching import normalized_distance
from st_memory.core.memory.stays import Stays
from st_memory.core.memory.track import Track
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['MotionModel']

Array = NDArray[np.float64]

# Boxes of detectors jitter by some percent; a half-hidden thing loses more than this.
_WHOLE_SHARE = 0.8

# Of a thing at rest, few measurements lie this many times their usual scatter beside it.
_SCATTERS = 2.0

# What hangs in the air so often in a row has been taken.
_HELD_LOOKS = 2


class MotionModel(Stays):
    """Turns positions over time into movements and placements."""

    def sighted(
        self, track: Track, m: Measurement, out: DeltaBuilder, shift_m: Array | None = None
    ) -> None:
        """
        Take in one located match.

        At rest, ``move_looks`` displaced matches in a row start a movement, back-dated to the
        first of them; moving, a stay of ``rest_s`` within ``rest_radius_m`` ends it, back-dated
        to its begin. What hangs in the air is in a hand: it needs no more than
        ``same_object_m`` to be displaced, and ``held_s`` to be at rest. By what the rest of the
        look is off, (3,) ``shift_m``, nothing is displaced.
        """
        track.whole_fix = not (m.is_cut or m.is_partial) and _is_whole(track, m)
        if not (m.is_cut or m.is_partial):
            track.refine_box(m.size_m, m.quat_xyzw)
        seen = [m] if shift_m is None else [m, replace(m, world_p=m.world_p - shift_m)]
        is_lifted = all(self._is_lifted(track, s) for s in seen)
        is_displaced = is_lifted or all(self._is_displaced(track, s) for s in seen)
        track.is_held = is_lifted
        self._arrive(track, m.world_p, is_displaced, m.weight, 'first_seen', out)

    def fixed(self, track: Track, world_p: Array, source: str, out: DeltaBuilder) -> None:
        """
        Take in a position that came ready-made in the fixed frame; it has no known spread.

        ``source`` is that of the placement it opens when there is none.
        """
        is_displaced = track.mean is not None and self.is_far(world_p, np.array(track.mean))
        self._arrive(track, world_p, is_displaced, 1.0, source, out)

    def caught(self, track: Track, m: Measurement, out: DeltaBuilder) -> None:
        """
        Take in that a thing shows elsewhere that was not known to be anywhere.

        Once may be a false detection, unless an id from outside vouches for it; from the second
        time on it is being carried.
        """
        since_ns = out.stamp_ns - int(self._settings.pursuit_s * NS_PER_S)
        fix = [float(v) for v in m.world_p]
        trail = [item for item in track.trail[-1:] if item[0] >= since_ns]
        track.last_fix, track.last_fix_ns = fix, out.stamp_ns
        track.trail = [*trail, (out.stamp_ns, fix)]
        if len(track.trail) >= _HELD_LOOKS or m.detection.track_id:
            left_ns = track.trail[0][0] if track.sure_fix_ns is None else track.sure_fix_ns
            self.revive(track, None, out)
            self.start(track, left_ns, out)
            track.is_held = True

    def expire(self, track: Track, out: DeltaBuilder) -> None:
        """Give up following a carried thing that was not seen for ``carry_timeout_s``."""
        if not track.in_motion or track.annotated or track.last_fix_ns is None:
            return
        if out.stamp_ns - track.last_fix_ns <= self._settings.carry_timeout_s * NS_PER_S:
            return
        last = np.array(track.last_fix)
        points = np.array([*(fix for _, fix in track.trail), track.last_fix])
        rest = self._resting_since(track)
        is_held = self.is_held_at(track, last)
        if not is_held and not self._went_somewhere(track, points, last):
            self.resume(track, out)
        elif not is_held and len(track.trail) - rest >= self._settings.move_looks:
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
        track.last_fix = world_p.tolist()
        track.last_fix_ns = out.stamp_ns
        if track.in_motion:
            if not track.annotated:  # else its end is reported, too
                track.trail.append((out.stamp_ns, track.last_fix))
                self._settle(track, out)
            track.sure_fix, track.sure_fix_ns = track.last_fix, out.stamp_ns
        elif track.mean is None:
            self.place(track, world_p, out.stamp_ns, source, out)
        elif is_displaced and not track.annotated:
            track.trail.append((out.stamp_ns, track.last_fix))
            if len(track.trail) >= (_HELD_LOOKS if track.is_held else self._settings.move_looks):
                self.start(track, self._left_ns(track), out)
        elif not is_displaced:
            track.sure_fix, track.sure_fix_ns = track.last_fix, out.stamp_ns
            track.trail.clear()
            if track.placed_by == PLACED_BY_LOSS:
                if self.is_held_at(track, world_p):
                    self.start(track, out.stamp_ns, out)  # it is still held there
                    track.trail.append((out.stamp_ns, track.last_fix))
                    return
                track.placed_by = 'inferred'  # it does lie where it was lost
            self._refine(track, world_p, weight)

    def _left_ns(self, track: Track) -> int:
        """
        Tell when it left its place, at the earliest.

        What already rests elsewhere was moved at some time since it was seen at its place.
        """
        met_ns = track.trail[0][0]
        if track.is_held or track.sure_fix_ns is None:
            return met_ns
        return min(met_ns, track.sure_fix_ns)

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
        if not self.is_far(m.world_p, place):
            return False
        sigma = float(np.sqrt(track.variance))
        return float(normalized_distance(place, m, sigma)) > self._settings.gate_sigmas

    def _is_lifted(self, track: Track, m: Measurement) -> bool:
        """Whether a match hangs in the air beside the place of rest, which does not."""
        if track.mean is None:
            return False
        place = np.array(track.mean)
        gap = m.world_p - place
        if gap @ gap <= self._settings.same_object_m**2:
            return False
        is_rough = gap[2] <= 0.0 or m.is_cut or m.is_partial
        if is_rough and not self.is_far(m.world_p, place):
            return False  # nothing is lifted downwards: it was measured low, or in part
        return self.is_held_at(track, m.world_p)

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
        centre = np.median(points[rest:], axis=0)
        is_still = out.stamp_ns - track.trail[rest][0] >= self._settings.held_s * NS_PER_S
        if not is_still and self.is_held_at(track, centre):
            return
        # Small jiggles that end where they began were noise, not a movement.
        if self._went_somewhere(track, points, centre):
            self._put_down(track, rest, out)
        else:
            self.resume(track, out)

    def _resting_since(self, track: Track) -> int:
        """
        Walk back from the newest match while all stays near its centre; gives the index.

        One that lies elsewhere between two that do not is of something else.
        """
        points = np.array([fix for _, fix in track.trail]).reshape(-1, 3)
        first = max(len(points) - 1, 0)
        here = [first]
        for index in range(first - 1, -1, -1):
            cluster = points[[index, *here]]
            gaps = cluster - cluster.mean(axis=0)
            if np.einsum('ij,ij->i', gaps, gaps).max() <= self._settings.rest_radius_m**2:
                here.append(index)
                first = index
            elif index < first - 1:
                break
        return first

    def _arrived(self, points: Array) -> int:
        """
        Tell from which of the (K, 3) places of a stay on it has come to rest there.

        The first of them may be of a thing still being lowered: they lie farther from where it
        lay in the end than those that came later scatter.
        """
        settled = points[len(points) // 2 :]
        centre = np.median(settled, axis=0)
        scatter = float(np.sqrt(np.median(((settled - centre) ** 2).sum(axis=1))))
        off = np.sqrt(((points - centre) ** 2).sum(axis=1))
        is_there = off <= _SCATTERS * max(scatter, self._settings.pose_sigma_m)
        return int(np.argmax(is_there))

    def _put_down(self, track: Track, rest: int, out: DeltaBuilder) -> None:
        """End the movement where the matches from an index on rest."""
        rest += self._arrived(np.array([fix for _, fix in track.trail[rest:]]))
        start_ns, count = track.trail[rest][0], len(track.trail) - rest
        centre = np.median([fix for _, fix in track.trail[rest:]], axis=0)
        self.finish(track, centre, start_ns, 'observed', out, in_carrier=True)
        track.num_fixes = count

    def _went_somewhere(self, track: Track, points: Array, centre: Array) -> bool:
        """Whether it ended elsewhere, or was far away in between, and not in one look alone."""
        if track.mean is None:
            return True
        place = np.array(track.mean)
        if self.is_far(centre, place):
            return True
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        return float(np.sqrt(np.sort(((points - place) ** 2).sum(axis=1))[-2:][0])) > 2 * far


def _is_whole(track: Track, m: Measurement) -> bool:
    """Whether a detection is about as large as the object: nothing hides a part of it."""
    pairs = zip(m.size_m.tolist(), track.size, strict=True)
    return all(seen > 0.0 and seen >= _WHOLE_SHARE * known for seen, known in pairs)

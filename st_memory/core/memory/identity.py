"""One identity, many placements: a thing gone from here that turned up there is one thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.looks import CameraLog, LookRecorder
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['IdentityKeeper']


class IdentityKeeper:
    """Joins the track that lost a thing with the track that found it again."""

    def __init__(self, settings: MemorySettings, motion: MotionModel, looks: LookRecorder) -> None:
        self._settings = settings
        self._motion = motion
        self._looks = looks

    def reconcile(
        self, tracks: Mapping[str, Track], logs: Mapping[str, CameraLog], out: DeltaBuilder
    ) -> int:
        """
        Merge newcomers into missing objects of the same class; gives the number of merges.

        A missing object was shown to be gone, or was only assumed to lie where it was lost, or
        its place looked empty of late (weak alone, but not beside a newcomer). A newcomer first
        appeared after the missing one was last seen. The pair that lost sight most recently goes
        first; a newcomer serves one missing object.
        """
        merges = 0
        missing = [t for t in tracks.values() if self._is_missing(t)]
        missing.sort(key=lambda t: (-(t.last_seen_ns or 0), t.object_id))
        taken: set[str] = set()
        for lost in missing:
            newcomer = self._newcomer(lost, tracks.values(), taken)
            if newcomer is not None:
                taken.add(newcomer.object_id)
                self._merge(lost, newcomer, logs, out)
                merges += 1
        return merges

    def _is_missing(self, track: Track) -> bool:
        if track.annotated or track.in_motion:
            return False
        if track.life_cycle == LifeCycle.CONFIRMED:
            is_suspect = track.absent_looks >= self._settings.suspect_looks
            return is_suspect or not track.is_verified
        return track.life_cycle == LifeCycle.ABSENT

    def _could_have_got_there(self, lost: Track, newcomer: Track) -> bool:
        """Whether anyone could carry it that far between the last sight and the first."""
        start, end = lost.last_fix, newcomer.first_fix
        if start is None or end is None or lost.last_fix_ns is None:
            return False
        elapsed_s = ((newcomer.first_seen_ns or 0) - lost.last_fix_ns) / NS_PER_S
        reach = self._settings.max_speed_mps * elapsed_s + self._settings.same_object_m
        gap = np.array(end) - np.array(start)
        return float(np.sqrt(gap @ gap)) <= reach

    def _newcomer(self, lost: Track, tracks: Iterable[Track], taken: set[str]) -> Track | None:
        """Earliest object of the class that first appeared after ``lost`` was last seen."""
        fits = [
            t
            for t in tracks
            if t is not lost
            and t.object_id not in taken
            and t.life_cycle == LifeCycle.CONFIRMED
            and not t.annotated
            and t.label == lost.label
            and t.first_seen_ns is not None
            and lost.last_seen_ns is not None
            and t.first_seen_ns > lost.last_seen_ns
            and self._could_have_got_there(lost, t)
        ]
        return min(fits, key=lambda t: (t.first_seen_ns, t.object_id), default=None)

    def _merge(
        self, lost: Track, newcomer: Track, logs: Mapping[str, CameraLog], out: DeltaBuilder
    ) -> None:
        """Let the missing object live on as the newcomer."""
        found_ns = newcomer.first_seen_ns if newcomer.first_seen_ns is not None else out.stamp_ns
        counted = not lost.is_verified  # losing it already counted as the movement
        if not counted:
            gone_ns = lost.absent_since_ns if lost.absent_since_ns is not None else found_ns
            self._motion.start(lost, min(gone_ns, found_ns), out)
        else:
            out.placement(lost, end_ns=found_ns)
        for camera_id, log in sorted(logs.items()):
            self._looks.close(newcomer, camera_id, log, out)
        out.placement(newcomer, end_ns=out.stamp_ns)
        self._absorb(lost, newcomer, counted, found_ns, out)
        newcomer.life_cycle = LifeCycle.RETIRED
        newcomer.views.clear()
        newcomer.placed_ns = None
        out.touched.add(newcomer.object_id)
        out.event(
            'merged',
            out.stamp_ns,
            out.stamp_ns,
            [('object', lost.object_id), ('merged', newcomer.object_id)],
            detail=f'{newcomer.object_id} is {lost.object_id}, which was moved',
        )

    def _absorb(
        self, lost: Track, newcomer: Track, counted: bool, found_ns: int, out: DeltaBuilder
    ) -> None:
        """Take over place, extents, sightings and moves."""
        lost.life_cycle = LifeCycle.CONFIRMED
        lost.aliases = sorted({*lost.aliases, *newcomer.aliases, newcomer.object_id})
        lost.absent_looks, lost.absent_since_ns, lost.misses = 0, None, 0
        place = np.array(newcomer.mean if newcomer.mean is not None else newcomer.last_fix)
        if counted:
            lost.last_placed_ns, lost.placed_by = found_ns, 'inferred'
            self._motion.place(lost, place, found_ns, 'inferred', out)
        else:
            self._motion.finish(lost, place, found_ns, 'inferred', out)
        lost.is_verified = True
        lost.num_moves += newcomer.num_moves
        if newcomer.last_placed_ns is not None:
            lost.last_placed_ns, lost.placed_by = newcomer.last_placed_ns, newcomer.placed_by
        lost.num_fixes, lost.variance = newcomer.num_fixes, newcomer.variance
        lost.size, lost.num_sizes = list(newcomer.size), newcomer.num_sizes
        lost.last_fix, lost.last_fix_ns = newcomer.last_fix, newcomer.last_fix_ns
        if newcomer.in_motion and newcomer.motion_start_ns is not None:
            self._motion.start(lost, newcomer.motion_start_ns, out)
        lost.trail = list(newcomer.trail)
        lost.last_seen_ns = newcomer.last_seen_ns
        lost.last_visible_ns = newcomer.last_visible_ns
        lost.num_observations += newcomer.num_observations
        lost.score_sum += newcomer.score_sum
        for label, votes in newcomer.label_votes.items():
            lost.label_votes[label] = lost.label_votes.get(label, 0.0) + votes

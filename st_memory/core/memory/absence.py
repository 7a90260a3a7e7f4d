"""What says that a thing is gone from where it is remembered, and when it is enough."""

from __future__ import annotations

from collections.abc import Sequence
import math

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.judgement import Judgement
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import CameraFrame, LifeCycle
from st_memory.core.stamps import NS_PER_S
from st_memory.core.visibility import Cause

__all__ = ['AbsenceEvidence', 'absence_proven']

Point = Sequence[float]

# However well a detector has done, it may fail once in twenty.
_MAX_HIT_RATE = 0.95
# With less of the surface that was measured in its box than this share, its surface has gone.
_GONE_SHARE = 0.6
# Nothing worth mentioning is in the way from here on.
_CLEAR_SHARE = 0.9
# What a miss is worth beside a surface that is as it was.
_SAME_SURFACE = 0.5


class AbsenceEvidence:
    """Counts looks for and against a thing being where it is remembered."""

    def __init__(self, settings: MemorySettings) -> None:
        self._settings = settings

    def count(
        self,
        track: Track,
        judged: Judgement,
        frame: CameraFrame,
        *,
        hit: bool,
        out: DeltaBuilder,
    ) -> None:
        """
        Keep the evidence of one look at which a thing was found, or should have been.

        Parameters
        ----------
        track : Track
            The thing.
        judged : Judgement
            What the look says of it.
        frame : CameraFrame
            The look.
        hit : bool
            Whether a detection matched it.
        out : DeltaBuilder
            Told that the thing has changed.

        """
        track.expected_looks += 1
        out.touched.add(track.object_id)
        surface, visible_share = judged.surface_share, judged.visible_share
        if hit:
            track.refine_surface(surface)
            return
        track.misses += 1
        if track.in_motion:
            return
        is_free = visible_share >= self._settings.absence_free_share  # false for NaN
        # Where something hides a part of it, less of its surface shows though it is there.
        has_gone = visible_share >= _CLEAR_SHARE and surface < _GONE_SHARE * track.surface
        if judged.seen_through or has_gone:
            track.absent_looks += 1
        elif is_free and self._is_fresh_miss(track, frame):
            track.free_misses += _SAME_SURFACE
        else:
            return
        if track.absent_since_ns is None:
            track.absent_since_ns = out.stamp_ns
        track.absent_until_ns = out.stamp_ns

    def _is_fresh_miss(self, track: Track, frame: CameraFrame) -> bool:
        """
        Whether a miss with a free way to the thing adds to the earlier ones.

        A detector that fails once fails again from the same place.
        """
        place = track.best_place
        if place is None or frame.world_T_camera is None:
            return False
        eye = frame.world_T_camera.translation.tolist()
        if any(self._is_same_view(place, eye, other) for other in track.missed_from):
            return False
        track.missed_from.append(eye)
        return True

    def _is_same_view(self, place: Point, eye: Point, other: Point) -> bool:
        """Whether a place looks the same from two places, metres: near, and by the direction."""
        if math.dist(eye, other) >= self._settings.fresh_look_m:
            return False
        x, y, z = (a - b for a, b in zip(place, eye, strict=True))
        u, v, w = (a - b for a, b in zip(place, other, strict=True))
        lengths = math.sqrt((x * x + y * y + z * z) * (u * u + v * v + w * w))
        cosine = (x * u + y * v + z * w) / max(lengths, 1e-9)
        return cosine > math.cos(self._settings.fresh_look_rad)

    def why(self, track: Track) -> Cause:
        """Give what a tombstone rests on."""
        was_seen_through = track.absent_looks >= self._settings.absence_looks
        return Cause.SEEN_THROUGH if was_seen_through else Cause.NOT_DETECTED


def absence_proven(track: Track, stamp_ns: int, settings: MemorySettings) -> bool:
    """
    Whether enough looks over enough time say that it is gone.

    Looks that see through its place, or find most of its surface gone, prove it by their number.
    Where the way to it was free and there is a surface as there was, as over a plate, the
    detector must have missed it from more places than it does by chance, given the share of looks
    at which it found this very object before; and such a miss is worth half.
    """
    if track.absent_since_ns is None or track.absent_until_ns != stamp_ns or track.in_motion:
        return False  # only looks add to their span, not the time after the last of them
    if track.life_cycle != LifeCycle.CONFIRMED:
        return False
    span_ns = stamp_ns - track.absent_since_ns
    if track.absent_looks >= settings.absence_looks and span_ns >= settings.absence_s * NS_PER_S:
        return True
    earlier = track.expected_looks - track.misses
    hit_rate = min(track.num_observations / (earlier + 1), _MAX_HIT_RATE)
    num_missed = track.absent_looks / settings.absence_looks + track.free_misses
    chance = (1.0 - hit_rate) ** num_missed
    is_unlikely = chance <= settings.absence_chance and settings.absence_chance > 0.0
    return is_unlikely and span_ns >= settings.absence_free_s * NS_PER_S

"""Things seen too seldom to be believed, kept apart from the objects."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import Measurement
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.stamps import NS_PER_S

__all__ = ['CandidatePool']

# Two boxes of one class that overlap this much are one thing detected twice.
_DUPLICATE_IOU = 0.5


class CandidatePool:
    """
    Tracks on probation.

    A candidate becomes an object after ``confirm_hits`` matches with a mean score of at least
    ``confirm_score``, when at least ``confirm_hit_share`` of the looks at its place matched; it is
    dropped after ``tentative_misses`` misses in a row or ``tentative_age_s`` without a match.
    """

    def __init__(
        self, settings: MemorySettings, candidates: Sequence[Track] = (), next_number: int = 1
    ) -> None:
        self._settings = settings
        self.candidates: list[Track] = list(candidates)
        self.next_number = next_number

    def open(self, m: Measurement, stamp_ns: int) -> Track:
        """Start a candidate at a measurement that no track explains."""
        candidate = Track(object_id=f'candidate_{self.next_number}')
        self.next_number += 1
        candidate.last_fix = [float(v) for v in m.world_p]
        candidate.last_fix_ns = stamp_ns
        self.candidates.append(candidate)
        return candidate

    def count(self, expected: NDArray[np.bool_], matched: Set[Track]) -> None:
        """Count one look: (N,) whether each was expected, and the tracks that matched."""
        for candidate, is_expected in zip(self.candidates, expected, strict=True):
            hit = candidate in matched
            candidate.expected_looks += int(hit or is_expected)
            candidate.misses += int(is_expected and not hit)

    def take_confirmed(self, matched: Set[Track]) -> list[Track]:
        """Remove and give those of the matched candidates that have earned belief."""
        settings = self._settings
        ready = [
            c
            for c in self.candidates
            if c in matched
            and c.num_observations >= settings.confirm_hits
            and c.score_sum / c.num_observations >= settings.confirm_score
            and c.num_observations >= settings.confirm_hit_share * c.expected_looks
        ]
        self.candidates = [c for c in self.candidates if c not in ready]
        return ready

    def drop_stale(self, stamp_ns: int) -> int:
        """Forget candidates that did not return; gives their number."""
        oldest_ns = stamp_ns - int(self._settings.tentative_age_s * NS_PER_S)
        keep = [
            c
            for c in self.candidates
            if c.misses < self._settings.tentative_misses
            and (c.last_seen_ns is None or c.last_seen_ns >= oldest_ns)
        ]
        dropped = len(self.candidates) - len(keep)
        self.candidates = keep
        return dropped


def drop_duplicates(
    measurements: Sequence[Measurement], explained: Sequence[Measurement]
) -> list[Measurement]:
    """
    Leave out what repeats an explained detection, or a stronger one of the same frame.

    Two boxes of one class that mostly overlap are one thing; the order of the rest is kept.
    """
    kept: list[Measurement] = []
    for m in sorted(measurements, key=lambda m: (-m.detection.score, m.index)):
        if not any(_is_same_thing(m, other) for other in (*explained, *kept)):
            kept.append(m)
    return sorted(kept, key=lambda m: m.index)


def _is_same_thing(a: Measurement, b: Measurement) -> bool:
    same_class = a.detection.label == b.detection.label
    return same_class and _iou(a.detection.box_px, b.detection.box_px) > _DUPLICATE_IOU


def _iou(
    a: tuple[float, float, float, float] | None, b: tuple[float, float, float, float] | None
) -> float:
    """Intersection over union of two x, y, w, h boxes."""
    if a is None or b is None:
        return 0.0
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (a[2] * a[3] + b[2] * b[3] - shared)

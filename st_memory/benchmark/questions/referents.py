"""Whether a question can say which object it means, by name or by where it was seen."""

from __future__ import annotations

import re

import numpy as np

from st_memory.benchmark.questions.anchors import Anchor
from st_memory.benchmark.questions.tracks import Mark, ObjectTrack, SceneTracks
from st_memory.core.records import Visibility

__all__ = ['NameBook', 'mark_before', 'plain_name']

_APART = re.compile(
    r'\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|another|other)\b'
    r'|half of|\s*\d+$'
)


def plain_name(name: str) -> str:
    """
    Give a name without what only tells one of a kind from another.

    Examples
    --------
    >>> plain_name('the second Mug 2')
    'the mug'

    """
    return ' '.join(_APART.sub(' ', name.lower()).split())


class NameBook:
    """
    Which names mean one object.

    Parameters
    ----------
    tracks : SceneTracks
        All objects of the recording.
    may_point_out : bool
        Whether a place can tell what a name does not.

    """

    def __init__(self, tracks: SceneTracks, *, may_point_out: bool = True) -> None:
        self._tracks, self._may_point_out = tracks, may_point_out
        self._by_name: dict[str, list[ObjectTrack]] = {}
        for track in tracks.objects:
            self._by_name.setdefault(plain_name(track.name), []).append(track)

    def is_unique(self, track: ObjectTrack) -> bool:
        """Whether no other object is called the same."""
        return len(self._by_name[plain_name(track.name)]) == 1

    def can_tell(self, anchor: Anchor) -> bool:
        """
        Whether the target can be told: by its name, or by where it was seen before.

        For the latter nothing of its kind may have been moved since without the picture showing
        where it ended: nobody could say any more which is which.
        """
        if self.is_unique(anchor.track):
            return True
        mark = mark_before(self._tracks, anchor)
        if mark is None or not self._may_point_out:
            return False
        query_ns = int(self._tracks.stamps_ns[anchor.query])
        alike = self._by_name[plain_name(anchor.track.name)]
        since = [
            movement
            for track in alike
            for movement in track.movements
            if movement.end_ns > mark.stamp_ns and movement.start_ns <= query_ns
        ]
        return all(m.is_shown for m in since)


def mark_before(tracks: SceneTracks, anchor: Anchor) -> Mark | None:
    """
    Point the target out where it was last seen before its last movement.

    A mark at the place that is asked for would give the answer away.

    Returns
    -------
    Mark or None
        None when it was not seen before.

    """
    track, stamps = anchor.track, tracks.stamps_ns
    seen = (track.states == Visibility.VISIBLE) & np.isfinite(track.pixels[:, 0])
    seen &= stamps < anchor.movement.start_ns
    found = np.flatnonzero(seen)
    if not len(found):
        return None
    i = int(found[-1])
    return Mark(int(stamps[i]), float(track.pixels[i, 0]), float(track.pixels[i, 1]))

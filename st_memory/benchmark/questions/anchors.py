"""Where questions can be asked: moved, at rest since, and out of sight; and visible controls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.benchmark.questions.rules import WritingRules
from st_memory.benchmark.questions.tracks import Movement, ObjectTrack, SceneTracks
from st_memory.core.records import Visibility
from st_memory.core.stamps import stamp_from_seconds

__all__ = ['Anchor', 'find_anchors', 'find_controls', 'runs_of']

_HIDDEN = (Visibility.OUT_OF_VIEW, Visibility.OCCLUDED)
# This format takes stably visible states for visible, and leaves out what was last in motion.
_STABLE_ONLY = 'beyond3d_legacy'


class Anchor(NamedTuple):
    """
    One object at one time.

    Attributes
    ----------
    track : ObjectTrack
        The target.
    query : int
        Sample at which is asked.
    movement : Movement
        The last one before it.
    last_visible_ns : int
        When the target was last visible: the last sample that shows it, or the end of the
        movement where that sample shows it moving.
    unseen_from_ns, unseen_until_ns : int
        First and last sample of the span that surely do not show it; the query for a visible
        control.
    horizon_s : float
        Time since the target was last visible, seconds; 0 for a visible control.

    """

    track: ObjectTrack
    query: int
    movement: Movement
    last_visible_ns: int
    unseen_from_ns: int
    unseen_until_ns: int
    horizon_s: float


def runs_of(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Give the runs of true values as half-open index ranges."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def find_anchors(
    tracks: SceneTracks, track: ObjectTrack, rules: WritingRules, rng: np.random.Generator
) -> list[Anchor]:
    """
    Give the out-of-sight anchors of one object: some for each span and group of horizons.

    A span is a run of samples, all of them explicitly out of view or occluded. The target was
    seen at rest before, was moved since or before, the end of its last movement was shown, and
    it neither moves nor is seen before the span ends. In the legacy format what was in motion
    when it was last seen is left out.

    Parameters
    ----------
    tracks : SceneTracks
        For the stamps.
    track : ObjectTrack
        The target.
    rules : WritingRules
        Horizons and margins.
    rng : numpy.random.Generator
        Chooses among the samples of a span.

    """
    shown = np.flatnonzero(np.isin(track.states, (Visibility.VISIBLE, Visibility.IN_MOTION)))
    stable = np.flatnonzero(track.states == Visibility.VISIBLE)
    anchors: list[Anchor] = []
    for first, end in runs_of(np.isin(track.states, _HIDDEN)):
        before = shown[shown < first]
        if len(before) and len(stable) and stable[0] < first:
            seen = _last_sight(tracks, track, int(before[-1]), first, rules)
            if seen is not None:
                anchors += _in_span(tracks, track, rules, (first, end), seen, rng)
    return anchors


class _Sight(NamedTuple):
    """The last time that showed a target, and the movement before it."""

    stamp_ns: int
    movement: Movement


def _last_sight(
    tracks: SceneTracks, track: ObjectTrack, sample: int, first: int, rules: WritingRules
) -> _Sight | None:
    """
    Say when a target was last visible; None where the picture does not say when it was put down.

    Parameters
    ----------
    tracks, track, rules
        As in :func:`find_anchors`.
    sample : int
        The last one that shows it.
    first : int
        The first one that surely does not.

    """
    stamp_ns, unseen_ns = int(tracks.stamps_ns[sample]), int(tracks.stamps_ns[first])
    if track.states[sample] == Visibility.IN_MOTION:
        if rules.format == _STABLE_ONLY:
            return None
        under_way = [m for m in track.movements if m.start_ns <= stamp_ns < m.end_ns <= unseen_ns]
        movement = max(under_way, key=lambda m: m.end_ns, default=None)
        stamp_ns = stamp_ns if movement is None else movement.end_ns
    else:
        movement = track.last_movement(stamp_ns)
    if movement is None or not movement.is_shown:
        return None
    is_known = unseen_ns - stamp_ns <= stamp_from_seconds(rules.known_gap_s)
    return _Sight(stamp_ns, movement) if is_known else None


def _in_span(
    tracks: SceneTracks,
    track: ObjectTrack,
    rules: WritingRules,
    span: tuple[int, int],
    seen: _Sight,
    rng: np.random.Generator,
) -> Iterator[Anchor]:
    first, end = span
    stamps = tracks.stamps_ns
    margin_ns = stamp_from_seconds(rules.margin_s)
    start_ns, end_ns = int(stamps[first]) + margin_ns, int(stamps[end - 1]) - margin_ns
    moves_again = [m.start_ns for m in track.movements if m.start_ns >= seen.movement.end_ns]
    end_ns = min([end_ns, *(start - margin_ns for start in moves_again)])
    since_s = (stamps - seen.stamp_ns) / 1e9
    for low, high in rules.horizons_s:
        free = (stamps >= start_ns) & (stamps <= end_ns) & (since_s >= low) & (since_s <= high)
        free &= np.isfinite(track.world_p[:, 0])
        drawn = rng.permutation(np.flatnonzero(free))[: rules.draws_per_span]
        for query in sorted(int(i) for i in drawn):
            yield Anchor(
                track=track,
                query=query,
                movement=seen.movement,
                last_visible_ns=seen.stamp_ns,
                unseen_from_ns=int(stamps[first]),
                unseen_until_ns=int(stamps[end - 1]),
                horizon_s=float(since_s[query]),
            )


def find_controls(
    tracks: SceneTracks, track: ObjectTrack, rules: WritingRules, rng: np.random.Generator
) -> list[Anchor]:
    """
    Give visible controls of one object from each run of samples that stably show it.

    One for each group of query times that the run reaches into. The target was moved before and
    is at rest.
    """
    stamps = tracks.stamps_ns
    margin_ns = stamp_from_seconds(rules.margin_s)
    groups = np.array([rules.query_group_of(tracks.seconds(int(stamp))) for stamp in stamps])
    controls = []
    for first, end in runs_of(track.states == Visibility.VISIBLE):
        free = (stamps >= stamps[first] + margin_ns) & (stamps <= stamps[end - 1] - margin_ns)
        for group in range(len(rules.query_groups_s) + 1):
            found = np.flatnonzero(free & (groups == group))
            if len(found):
                query = int(found[rng.integers(len(found))])
                stamp_ns = int(stamps[query])
                movement = track.last_movement(stamp_ns)
                if movement is not None and not track.is_moving(stamp_ns):
                    controls.append(Anchor(track, query, movement, *(stamp_ns,) * 3, 0.0))
    return controls

"""Choose anchors so that no answer, time or object is asked more often than need be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from st_memory.benchmark.questions.anchors import Anchor
from st_memory.benchmark.questions.drafts import Draft, Reference
from st_memory.benchmark.questions.rules import HORIZONS, WritingRules
from st_memory.benchmark.questions.tracks import SceneTracks
from st_memory.benchmark.questions.trajectory_record import Trajectory
from st_memory.core.queries import format_named
from st_memory.core.records import Visibility

__all__ = ['choose_balanced', 'choose_controls']

# So many questions of one span and group of horizons may be asked where that evens answers out.
_FREE_OF_SPAN = 1

Write = Callable[[Draft, Reference, int], Trajectory | None]


def choose_balanced(
    tracks: SceneTracks,
    drafts: Sequence[Draft],
    count: int,
    rules: WritingRules,
    rng: np.random.Generator,
    write: Write,
    answers: Counter[str] | None = None,
) -> list[Trajectory]:
    """
    Write trajectories, one after the other, each where there are fewest yet.

    Fewest first of its horizon group, then of its horizon and query-time groups together, of its
    span, of its spatial answers together, of its object; of the references the one whose answers
    are rarest. Occluded targets are kept to their share. Horizon groups get equally many until
    one is used up; the others go on.

    Parameters
    ----------
    tracks : SceneTracks
        For the times.
    drafts : sequence of Draft
        What there is to choose from.
    count : int
        How many at most.
    rules : WritingRules
        The groups.
    rng : numpy.random.Generator
        Breaks ties.
    write : callable
        Writes one; gives None when it cannot be asked after all.
    answers : Counter of str, optional
        Spatial answers of earlier recordings, which those chosen are added to: together they
        are to be even.

    """
    chooser = _Chooser(tracks, rules, drafts, rng, Counter() if answers is None else answers)
    left, out = list(drafts), list[Trajectory]()
    while left and len(out) < count:
        draft = chooser.next(left)
        if draft is None:
            break
        left.remove(draft)
        reference = chooser.reference(draft)
        trajectory = write(draft, reference, len(out))
        if trajectory is not None:
            chooser.take(draft, reference)
            out.append(trajectory)
    return out


def choose_controls(
    tracks: SceneTracks,
    anchors: Sequence[Anchor],
    count: int,
    rules: WritingRules,
    rng: np.random.Generator,
) -> list[Anchor]:
    """
    Choose visible controls: fewest first of the query-time group, then of the object.

    Parameters
    ----------
    tracks, rules
        As in :func:`choose_balanced`.
    anchors : sequence of Anchor
        As :func:`.find_controls` finds them.
    count : int
        How many at most.
    rng : numpy.random.Generator
        Breaks ties.

    """
    taken: Counter[tuple[str, object]] = Counter()
    left, out = list(anchors), list[Anchor]()
    while left and len(out) < count:
        keys = [
            (('group', _query_group(tracks, a, rules)), ('object', a.track.object_id))
            for a in left
        ]
        ranks = [(taken[group], taken[target], rng.random()) for group, target in keys]
        best = ranks.index(min(ranks))
        taken.update(keys[best])
        out.append(left.pop(best))
    return out


def _query_group(tracks: SceneTracks, anchor: Anchor, rules: WritingRules) -> int:
    return rules.query_group_of(tracks.seconds(int(tracks.stamps_ns[anchor.query])))


class _Chooser:
    """Counts what was taken."""

    def __init__(
        self,
        tracks: SceneTracks,
        rules: WritingRules,
        drafts: Sequence[Draft],
        rng: np.random.Generator,
        answers: Counter[str],
    ) -> None:
        self._tracks, self._rules, self._rng = tracks, rules, rng
        self._answers = answers
        self._distances = format_named(rules.format).distances
        self._taken: Counter[tuple[str, object]] = Counter()
        self._num = 0
        found = {self._horizon(draft) for draft in drafts}
        self._groups = [name for name in HORIZONS if name in found]

    def next(self, left: Sequence[Draft]) -> Draft | None:
        """Give the draft that evens the counts out most; None when none may be taken."""
        for group in sorted(self._groups, key=lambda name: self._taken['horizon', name]):
            allowed = [d for d in left if self._horizon(d) == group and self._is_allowed(d)]
            if allowed:
                return min(allowed, key=lambda d: (*self._counts(d), self._rng.random()))
        return None

    def reference(self, draft: Draft) -> Reference:
        """Give the reference whose answers are rarest."""
        return min(
            draft.references,
            key=lambda r: (self._num_right(self._of_two(r)), self._rng.random()),
        )

    def take(self, draft: Draft, reference: Reference) -> None:
        """Count a draft that was written."""
        self._num += 1
        self._taken.update(self._keys(draft))
        self._answers.update((*self._of_one(draft), *self._of_two(reference)))

    def _is_allowed(self, draft: Draft) -> bool:
        """Keep occluded targets to their share."""
        if not self._is_occluded(draft):
            return True
        return self._taken['occluded', True] < self._rules.occluded_share * (self._num + 1)

    def _counts(self, draft: Draft) -> tuple[int, ...]:
        _, cell, span, target, _ = (self._taken[key] for key in self._keys(draft))
        rarest = min(self._num_right(self._of_two(r)) for r in draft.references)
        answers = self._num_right(self._of_one(draft)) + rarest
        return (cell, max(0, span - _FREE_OF_SPAN), answers, target)

    def _keys(self, draft: Draft) -> tuple[tuple[str, object], ...]:
        horizon = self._horizon(draft)
        group = _query_group(self._tracks, draft.anchor, self._rules)
        return (
            ('horizon', horizon),
            ('cell', (horizon, group)),
            ('span', (draft.anchor.track.object_id, draft.anchor.last_visible_ns, horizon)),
            ('object', draft.anchor.track.object_id),
            ('occluded', self._is_occluded(draft)),
        )

    def _num_right(self, answers: Sequence[str]) -> int:
        """How often some answers have been right so far."""
        return sum(self._answers[name] for name in answers)

    def _of_one(self, draft: Draft) -> tuple[str, str]:
        distance = self._distances.name_of(draft.distance_m)
        return f'direction {draft.direction}', f'camera_distance {distance}'

    def _of_two(self, reference: Reference) -> tuple[str, str]:
        distance = self._distances.name_of(reference.distance_m)
        return f'relation {reference.relation}', f'distance {distance}'

    def _horizon(self, draft: Draft) -> str:
        return self._rules.horizon_of(draft.anchor.horizon_s)

    @staticmethod
    def _is_occluded(draft: Draft) -> bool:
        anchor = draft.anchor
        return bool(anchor.track.states[anchor.query] == Visibility.OCCLUDED)

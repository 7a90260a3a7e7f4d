"""
What the memory said against what people marked.

References
----------
.. [1] Beyond3D (2026), sec. 11: marks matched within a second, the majority of the votes,
   unanimous ones apart, agreement of the annotators, intervals over whole videos.

"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.benchmark.beyond3d_truth import read_items
from st_memory.benchmark.track_audit import LOOKS, SAMPLES
from st_memory.benchmark.track_audit_files import Item, Mark, read_marks, read_videos
from st_memory.core.errors import DatasetError
from st_memory.core.evaluation import (
    cluster_bootstrap,
    Confusion,
    confusion_of,
    krippendorff_alpha,
    pairwise_kappa,
    unanimous_share,
)
from st_memory.core.records import Visibility

__all__ = ['score']

# A mark is compared with the nearest look no farther than this, seconds.
_NEAR_S = 1.0

# What is being moved is in somebody's hands, before their eyes.
_SEEN = (Visibility.VISIBLE.name, Visibility.IN_MOTION.name)

_FIGURES = ('accuracy', 'precision', 'recall', 'specificity', 'f1', 'balanced_accuracy')


class _Judged(NamedTuple):
    """One thing that people judged, and the memory too."""

    item: Item
    is_visible: bool
    is_unanimous: bool
    state: str


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the states with the marks.

    Returns
    -------
    dict
        ``marks``: how many there are and what became of them (``unknown``: those of which the
        memory knew nothing, which counts as not visible); ``agreement`` of the people;
        ``majority`` and ``unanimous``: counts, and each figure with its 95 % interval over
        resampled videos; ``by_participant``; ``missed_by_state`` and ``imagined_by_state``:
        what the memory said where it was wrong.

    Raises
    ------
    DatasetError
        If a file is missing, not what its format promises, or marks a video that is not there.

    """
    videos = read_videos(data)
    marks = read_marks(data)
    votes: dict[Item, dict[str, bool]] = {}
    for mark in marks:
        if mark.item.video_id not in videos:
            raise DatasetError(
                f'{data / "marks.csv"}: expected videos of videos.csv, found {mark.item.video_id}'
            )
        if not mark.is_uncertain:
            votes.setdefault(mark.item, {})[mark.annotator] = mark.is_visible
    tracks = _Tracks(out)
    judged, counts = _judge(votes, tracks)
    twice = [said for said in votes.values() if len(said) > 1]
    participants = sorted({video.participant_id for video in videos.values()})
    return {
        'marks': {
            'read': len(marks),
            'uncertain': sum(mark.is_uncertain for mark in marks),
            'items': len(votes),
            'multiply_rated': len(twice),
            'without_majority': counts['without_majority'],
            'without_look': counts['without_look'],
            'scored': len(judged),
            'unknown': sum(j.state == Visibility.UNKNOWN.name for j in judged),
        },
        'agreement': _agreement(twice, [m for m in marks if not m.is_uncertain]),
        'majority': _figures(judged),
        'unanimous': _figures([j for j in judged if j.is_unanimous]),
        'by_participant': {
            name: _plain(
                confusion_of(
                    _pair(j) for j in judged if videos[j.item.video_id].participant_id == name
                )
            )
            for name in participants
        },
        'missed_by_state': _states(j for j in judged if j.is_visible and not _is_seen(j)),
        'imagined_by_state': _states(j for j in judged if not j.is_visible and _is_seen(j)),
    }


class _Tracks:
    """The states after each look, by video and time."""

    def __init__(self, out: Path) -> None:
        self._looks: dict[str, list[float]] = {}
        self._states: dict[tuple[str, float, str], str] = {}
        for row in read_items(out / LOOKS):
            self._looks.setdefault(row['video_id'], []).append(float(row['t_sec']))
        for row in read_items(out / SAMPLES):
            key = row['video_id'], float(row['t_sec']), row['object_id']
            self._states[key] = row['state']

    def state_of(self, item: Item) -> str | None:
        """Give the state at the nearest look, the earlier of two; None without one near."""
        looks = self._looks.get(item.video_id, [])
        after = bisect_left(looks, item.t_sec)
        around = looks[max(0, after - 1) : after + 1]
        if not around:
            return None
        nearest = min(around, key=lambda t_sec: abs(t_sec - item.t_sec))
        if abs(nearest - item.t_sec) > _NEAR_S + 1e-9:
            return None
        key = item.video_id, nearest, item.object_id
        return self._states.get(key, Visibility.UNKNOWN.name)


def _judge(
    votes: Mapping[Item, Mapping[str, bool]], tracks: _Tracks
) -> tuple[list[_Judged], Counter[str]]:
    """Take the majority of the votes on each thing, and what the memory said of it."""
    judged: list[_Judged] = []
    counts: Counter[str] = Counter()
    for item, said in votes.items():
        num_visible, num = sum(said.values()), len(said)
        state = tracks.state_of(item)
        if 2 * num_visible == num:
            counts['without_majority'] += 1
        elif state is None:
            counts['without_look'] += 1
        else:
            is_unanimous = num > 1 and num_visible in (0, num)
            judged.append(_Judged(item, 2 * num_visible > num, is_unanimous, state))
    return judged, counts


def _agreement(twice: Sequence[Mapping[str, bool]], marks: Sequence[Mark]) -> dict[str, Any]:
    """Say how far people agree, and how often each of them sees something."""
    units = [list(said.values()) for said in twice]
    seen: dict[str, list[bool]] = {}
    for mark in marks:
        seen.setdefault(mark.annotator, []).append(mark.is_visible)
    return {
        'krippendorff_alpha': krippendorff_alpha(units),
        'unanimous': unanimous_share(units),
        'pairwise_kappa': {
            f'{one} | {other}': {'kappa': kappa, 'items': num}
            for (one, other), (kappa, num) in pairwise_kappa(twice).items()
        },
        'visible_rate': {name: sum(v) / len(v) for name, v in sorted(seen.items())},
    }


def _figures(judged: Sequence[_Judged]) -> dict[str, Any]:
    """Give counts and figures, each with its interval over whole videos."""
    videos: dict[str, list[tuple[bool, bool]]] = {}
    for one in judged:
        videos.setdefault(one.item.video_id, []).append(_pair(one))
    clusters = [confusion_of(videos[name]) for name in sorted(videos)]
    estimates = {name: cluster_bootstrap(clusters, _figure_named(name)) for name in _FIGURES}
    total = _sum(clusters)
    return {
        'items': len(judged),
        'videos': len(clusters),
        'true_positives': total.true_positives,
        'false_positives': total.false_positives,
        'false_negatives': total.false_negatives,
        'true_negatives': total.true_negatives,
        **{name: estimate._asdict() for name, estimate in estimates.items()},
    }


def _figure_named(name: str) -> Callable[[Sequence[Confusion]], float | None]:
    """Give the figure of that name of the items of several videos together."""

    def figure(clusters: Sequence[Confusion]) -> float | None:
        value: float | None = getattr(_sum(clusters), name)
        return value

    return figure


def _sum(clusters: Sequence[Confusion]) -> Confusion:
    return Confusion(
        sum(c.true_positives for c in clusters),
        sum(c.false_positives for c in clusters),
        sum(c.false_negatives for c in clusters),
        sum(c.true_negatives for c in clusters),
    )


def _plain(confusion: Confusion) -> dict[str, Any]:
    return {'items': confusion.total, **{name: getattr(confusion, name) for name in _FIGURES}}


def _pair(judged: _Judged) -> tuple[bool, bool]:
    return judged.is_visible, _is_seen(judged)


def _is_seen(judged: _Judged) -> bool:
    return judged.state in _SEEN


def _states(judged: Iterable[_Judged]) -> dict[str, int]:
    return dict(sorted(Counter(j.state for j in judged).items()))

"""Questions a planner would ask while it cannot see the thing it asks about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.cli.demo.truth import ObjectTrack, Truth

__all__ = ['Question', 'choose_questions']

_NUM_MOMENTS = 4
# Out of sight for so many images on both sides of the moment: an answer may come a bit later.
_MARGIN_IMAGES = 3
# Seen at rest at its present place in so many images: before that nobody could know.
_MIN_SIGHTINGS = 3
_APART_IMAGES = 8
_SAME_PLACE_M = 0.02


@dataclass(frozen=True)
class Question:
    """
    One question.

    Parameters
    ----------
    text : str
        As a person would put it.
    service : str
        Type of the service, such as ``LocateObject``.
    request : dict
        Fields of the request; ``at`` is left out: now.
    after_ns : int
        Asked as soon as ``/clock`` has reached this.
    object_ids : tuple of str
        Objects of the truth that it is about; unknown to the memory.

    """

    text: str
    service: str
    request: dict[str, Any]
    after_ns: int
    object_ids: tuple[str, ...] = field(default=())


class _Span(NamedTuple):
    """A run of images in which an object is out of sight and its place can be known."""

    object_id: str
    first: int
    last: int
    has_moved: bool

    @property
    def middle(self) -> int:
        return (self.first + self.last) // 2


def choose_questions(truth: Truth) -> tuple[Question, ...]:
    """
    Choose moments and questions from the truth alone, the same for the same truth.

    A moment is one at which a thing with a label of its own is out of sight for a while, at
    rest where it was seen before. Things that had moved come first, then long absences. At each
    moment five kinds of question are asked; at the last one also about things that exist twice.

    Returns
    -------
    tuple of Question
        In the order in which they are to be asked; empty when there is no such moment.

    """
    chosen = _choose_moments(truth)
    questions: list[Question] = []
    for number, (index, object_id) in enumerate(chosen.items()):
        after_ns = int(truth.stamps_ns[index])
        questions.extend(_about(truth.tracks[object_id], after_ns, number))
        if number == len(chosen) - 1:
            questions.extend(_lists(truth, index, after_ns))
    return tuple(questions)


def _choose_moments(truth: Truth) -> dict[int, str]:
    """Give the object to be asked about by image, in order of time."""
    labels = Counter(track.label for track in truth.tracks.values())
    spans = [
        span
        for track in truth.tracks.values()
        if labels[track.label] == 1
        for span in _spans(track, truth)
    ]
    spans.sort(key=lambda s: (not s.has_moved, s.first - s.last, s.object_id))
    chosen: dict[int, str] = {}
    for only_new in (True, False):
        for span in spans:
            if len(chosen) == _NUM_MOMENTS or (only_new and span.object_id in chosen.values()):
                continue
            moment = _moment_in(span, chosen)
            if moment is not None:
                chosen[moment] = span.object_id
    return dict(sorted(chosen.items()))


def _moment_in(span: _Span, taken: Collection[int]) -> int | None:
    """Give the image nearest to the middle that is apart from the moments there are."""
    images = sorted(range(span.first, span.last + 1), key=lambda i: abs(i - span.middle))
    apart = (i for i in images if all(abs(i - t) >= _APART_IMAGES for t in taken))
    return next(apart, None)


def _spans(track: ObjectTrack, truth: Truth) -> Iterator[_Span]:
    """Give the runs of images in the middle of an absence."""
    knowable = _knowable(track)
    count = len(knowable)
    first = 0
    while first < count:
        last = first
        while last < count and knowable[last]:
            last += 1
        if last - first > 2 * _MARGIN_IMAGES:
            start, end = first + _MARGIN_IMAGES, last - 1 - _MARGIN_IMAGES
            begun_ns = int(truth.stamps_ns[start])
            ends = [end_ns for _, end_ns in truth.movements.get(track.object_id, ())]
            yield _Span(track.object_id, start, end, any(e <= begun_ns for e in ends))
        first = last + 1


def _knowable(track: ObjectTrack) -> NDArray[np.bool_]:
    """(N,) whether it is out of sight, at rest, and was seen often enough where it is."""
    sightings = 0
    out = np.zeros(len(track.visible_px), dtype=bool)
    anchor = track.position[0]
    for i, position in enumerate(track.position):
        if track.in_hand[i] or np.linalg.norm(position - anchor) > _SAME_PLACE_M:
            anchor, sightings = position, 0
        sightings += bool(track.is_visible[i]) and not track.in_hand[i]
        is_hidden = track.visible_px[i] == 0 and not track.in_hand[i] and track.is_present[i]
        out[i] = is_hidden and sightings >= _MIN_SIGHTINGS
    return out


def _about(track: ObjectTrack, after_ns: int, number: int) -> Sequence[Question]:
    """Ask about one thing; the last question takes turns."""
    name, ids = track.label, (track.object_id,)

    def ask(text: str, service: str, **request: Any) -> Question:
        return Question(text, service, {'label': name, **request}, after_ns, ids)

    turns = (
        ask(f'When was the {name} last put down?', 'WhenLastPlaced'),
        ask(f'When could I last see the {name}?', 'WhenLastVisible'),
    )
    return (
        ask(f'Where is the {name}?', 'LocateObject'),
        ask(f'Can I see the {name} now?', 'GetVisibility'),
        ask(f'Which way is the {name}, and how far?', 'RelativePose', scheme='8'),
        turns[number % 2],
    )


def _lists(truth: Truth, index: int, after_ns: int) -> Iterator[Question]:
    """Ask for all things of a kind that exists more than once and has been seen."""
    by_label: dict[str, list[str]] = {}
    for track in truth.tracks.values():
        if track.is_visible[: index + 1].sum() >= _MIN_SIGHTINGS:
            by_label.setdefault(track.label, []).append(track.object_id)
    for label, ids in sorted(by_label.items()):
        if len(ids) > 1:
            text = f'Which {label}s do you know of?'
            yield Question(text, 'ListObjects', {'label': label}, after_ns, tuple(ids))

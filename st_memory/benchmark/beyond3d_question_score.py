"""Answers to the questions of a Beyond3D video against the published ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from st_memory.benchmark.beyond3d_question_file import KINDS
from st_memory.benchmark.beyond3d_questions import FORMAT, PREDICTIONS, TIMELINES
from st_memory.benchmark.beyond3d_truth import (
    CLOSED_FIXTURE,
    Published,
    published_answers,
    published_track,
    read_items,
)
from st_memory.core.errors import DatasetError
from st_memory.core.records import Visibility

__all__ = ['score']

Row = Mapping[str, str]
Figure = dict[str, int]

# How near a time must be, seconds.
_TOLERANCE_S = {'last_visible': 1.0, 'last_placed': 0.05}

# Last visible is a whole second, at which the pose is known: its pixel must be the very same.
_SAME_S = 1e-6
_SAME_PX = 1e-3

# The published rule for open questions is wider, and asks for the pixel too.
_OPEN_RULE_S = 1.0
_OPEN_RULE_SHARE = 0.08
_IMAGE_PX = 1408.0


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the answers with the published ones.

    Returns
    -------
    dict
        Per class {correct, total}, and ``answers`` of all: a time must be within 1 s and its
        pixel within 1e-3 px (last visible), or within 0.05 s (last placed, whose pixel needs
        a pose between those given). ``questions`` tells more: which were missed; how far off
        the pixels of right times are; ``last_visible_same_second``; ``published_open_rule``, by
        which a time counts within 1 s and its pixel within 8 % of the image;
        ``fixture_by_source``; and ``last_visible_were_closed_fixtures_known``, which leaves
        out of the object's visible seconds those that the published track puts into a closed
        fixture.

    """
    truths = published_answers(data)
    rows = {(row['trajectory_id'], row['step']): row for row in read_items(out / PREDICTIONS)}
    right = {t: _is_right(t, rows.get(t[:2])) for t in truths}
    opened = [t for t in truths if t.time_sec is not None]
    return {
        **{kind: _figure([right[t] for t in truths if t.kind == kind]) for kind in KINDS.values()},
        'answers': _figure(list(right.values())),
        'questions': {
            'format': FORMAT,
            'missed': [f'{t.trajectory_id}/{t.step}' for t in truths if not right[t]],
            **{f'{kind}_pixel': _pixels(opened, rows, kind) for kind in _TOLERANCE_S},
            'last_visible_same_second': _figure(
                [_is_near(t, rows.get(t[:2]), _SAME_S) for t in opened if t.kind == 'last_visible']
            ),
            'published_open_rule': {
                kind: _figure(
                    [_by_open_rule(t, rows.get(t[:2])) for t in opened if t.kind == kind]
                )
                for kind in _TOLERANCE_S
            },
            'fixture_by_source': _by_source(truths, rows, right),
            'last_visible_were_closed_fixtures_known': _figure(
                _with_doors(data, out, truths, rows)
            ),
        },
    }


def _is_right(truth: Published, row: Row | None) -> bool:
    if row is None:
        return False
    if truth.time_sec is None:
        return row['choice_idx'] != '' and int(row['choice_idx']) in truth.choices
    if not _is_near(truth, row, _TOLERANCE_S[truth.kind]):
        return False
    if truth.kind != 'last_visible' or truth.pixel is None:
        return True
    error_px = _error_px(truth, row)
    return error_px is not None and error_px <= _SAME_PX


def _is_near(truth: Published, row: Row | None, tolerance_s: float) -> bool:
    if row is None or truth.time_sec is None or not row['time_sec']:
        return False
    return abs(float(row['time_sec']) - truth.time_sec) <= tolerance_s


def _error_px(truth: Published, row: Row) -> float | None:
    """Larger of the two coordinates' errors; None where one of the pixels is missing."""
    if truth.pixel is None or not row['u_px']:
        return None
    gaps = (float(row['u_px']) - truth.pixel[0], float(row['v_px']) - truth.pixel[1])
    return max(map(abs, gaps))


def _pixels(
    truths: Sequence[Published], rows: Mapping[tuple[str, str], Row], kind: str
) -> dict[str, float | int | None]:
    """Say how many pixels of the right times are the published ones, and the largest error."""
    timely = [
        (t, rows[t[:2]])
        for t in truths
        if t.kind == kind
        and t.pixel is not None
        and _is_near(t, rows.get(t[:2]), _TOLERANCE_S[kind])
    ]
    errors = [error for t, row in timely if (error := _error_px(t, row)) is not None]
    return {
        'correct': sum(error <= _SAME_PX for error in errors),
        'total': len(timely),
        'max_error_px': max(errors, default=None),
    }


def _by_open_rule(truth: Published, row: Row | None) -> bool:
    if row is None or not _is_near(truth, row, _OPEN_RULE_S):
        return False
    if truth.pixel is None:
        return True
    error_px = _error_px(truth, row)
    return error_px is not None and error_px <= _OPEN_RULE_SHARE * _IMAGE_PX


def _by_source(
    truths: Sequence[Published],
    rows: Mapping[tuple[str, str], Row],
    right: Mapping[Published, bool],
) -> dict[str, Figure]:
    """Split the fixture questions by how the answer is known."""
    total, correct = Counter[str](), Counter[str]()
    for truth in truths:
        if truth.kind == 'fixture':
            row = rows.get(truth[:2])
            source = (row['source'] if row else '') or 'none'
            total[source] += 1
            correct[source] += right[truth]
    return {name: {'correct': correct[name], 'total': total[name]} for name in sorted(total)}


def _with_doors(
    data: Path,
    out: Path,
    truths: Sequence[Published],
    rows: Mapping[tuple[str, str], Row],
) -> list[bool]:
    """Take the last visible second that the published track does not put behind a closed door."""
    tracks = published_track(data)
    seen: dict[str, set[int]] = {}
    for row in read_items(out / TIMELINES):
        if row['state'] == Visibility.VISIBLE.name:
            first, last = round(float(row['start_sec'])), round(float(row['last_frame_sec']))
            seen.setdefault(row['trajectory_id'], set()).update(range(first, last + 1))
    right = []
    for truth in truths:
        answer = rows.get(truth[:2])
        if truth.kind != 'last_visible' or answer is None or truth.time_sec is None:
            continue
        if answer['object_id'] not in tracks:
            raise DatasetError(f'{data}: expected a published track of {answer["object_id"]}')
        statuses = dict(enumerate(tracks[answer['object_id']]['status_samples']))
        open_secs = [
            second
            for second in seen.get(truth.trajectory_id, ())
            if statuses.get(second) != CLOSED_FIXTURE
        ]
        right.append(max(open_secs, default=-1) == round(truth.time_sec))
    return right


def _figure(right: Sequence[bool]) -> Figure:
    return {'correct': sum(right), 'total': len(right)}

"""Marks are honest: right answers pass, wrong ones do not, and the truth is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.cli.demo.choosing import Question
from st_memory.cli.demo.marking import mark, MarkedAnswer, NO_ANSWER
from st_memory.cli.demo.transcript import transcript
from st_memory.cli.demo.truth import Truth
from st_memory.core.records import AnswerStatus, Visibility
from st_memory.core.stamps import stamp_to_sec_nanosec
from test.cli.demo.kitchens import BASE_NS, CUPS, MUG, SPOON, STEP_NS, write_truth


@pytest.fixture
def truth(tmp_path: Path) -> Truth:
    """Give the truth of a mug, a spoon and two cups."""
    return Truth.load(write_truth(tmp_path, [MUG, SPOON, *CUPS]))


def _time(stamp_ns: int) -> dict[str, int]:
    sec, nanosec = stamp_to_sec_nanosec(stamp_ns)
    return {'sec': sec, 'nanosec': nanosec}


def _mark(
    truth: Truth, service: str, index: int, *ids: str, status: int = 0, **fields: Any
) -> MarkedAnswer:
    response = {
        'status': status,
        'sentence': 'So it is.',
        'as_of': _time(BASE_NS + index * STEP_NS),
        **fields,
    }
    return mark(Question('What?', service, {}, 0, ids), response, 1.5, truth)


def _object(x: float, y: float, z: float, visibility: int = 2) -> dict[str, Any]:
    position = {'x': x, 'y': y, 'z': z}
    return {'pose_valid': True, 'pose': {'position': position}, 'visibility': visibility}


@pytest.mark.parametrize(
    ('x', 'status', 'correct'),
    [
        (2.29, AnswerStatus.KNOWN, True),
        (2.31, AnswerStatus.KNOWN, False),
        (2.0, AnswerStatus.AMBIGUOUS, False),
        (2.0, AnswerStatus.STALE, False),
    ],
)
def test_mark_locate_by_distance(
    x: float, status: AnswerStatus, correct: bool, truth: Truth
) -> None:
    marked = _mark(truth, 'LocateObject', 20, 'mug_1', status=status, object=_object(x, 0.5, 1.0))

    assert marked.correct is correct
    assert 'on table_1 at (2.00, 0.50, 1.00) m' in marked.truth
    assert (marked.status, marked.at_s, marked.latency_ms) == (status.name, 10.0, 1.5)


@pytest.mark.parametrize(
    ('name', 'index', 'right'),
    [
        ('mug_1', 2, {Visibility.VISIBLE}),
        ('mug_1', 20, {Visibility.OUT_OF_VIEW}),
        ('spoon_1', 25, {Visibility.OCCLUDED, Visibility.AMBIGUOUS_FIXTURE}),
        ('spoon_1', 7, {Visibility.IN_MOTION}),
    ],
)
def test_mark_visibility_by_pixels(
    name: str, index: int, right: set[Visibility], truth: Truth
) -> None:
    passed = {
        state
        for state in Visibility
        if _mark(truth, 'GetVisibility', index, name, visibility=int(state)).correct
    }

    assert passed == right


@pytest.mark.parametrize(
    ('vector', 'correct'),
    [
        # The spoon lies at (3, -1, 1) m: 1 m to the right, 3 m ahead, 18.4 degrees.
        ({'x': 1.0, 'y': 0.0, 'z': 3.0}, True),
        ({'x': 0.6, 'y': 0.0, 'z': 3.0}, True),
        ({'x': 0.1, 'y': 0.0, 'z': 3.16}, False),
        ({'x': -1.0, 'y': 0.0, 'z': 3.0}, False),
        ({'x': 0.5, 'y': 0.0, 'z': 1.5}, False),
    ],
)
def test_mark_relative_by_bearing_and_distance(
    vector: dict[str, float], correct: bool, truth: Truth
) -> None:
    distance = sum(v * v for v in vector.values()) ** 0.5

    marked = _mark(truth, 'RelativePose', 25, 'spoon_1', vector=vector, distance_m=distance)

    assert marked.correct is correct
    assert marked.truth.startswith('3.16 m front')


@pytest.mark.parametrize(
    ('seen', 'correct'), [(4, True), (6, True), (7, False), (1, False), (None, False)]
)
def test_mark_last_visible_by_time(seen: int | None, correct: bool, truth: Truth) -> None:
    stamp = {'valid': seen is not None, 'stamp': _time(BASE_NS + (seen or 0) * STEP_NS)}

    marked = _mark(truth, 'WhenLastVisible', 20, 'mug_1', stamp=stamp)

    assert marked.correct is correct
    assert 'it last showed 8.0 s ago' in marked.truth


def test_mark_last_placed_of_what_never_moved(truth: Truth) -> None:
    never, ever = ({'valid': v, 'stamp': _time(BASE_NS)} for v in (False, True))

    assert _mark(truth, 'WhenLastPlaced', 20, 'mug_1', stamp=never).correct
    assert not _mark(truth, 'WhenLastPlaced', 20, 'mug_1', stamp=ever).correct


@pytest.mark.parametrize(('index', 'correct'), [(10, True), (13, True), (15, False)])
def test_mark_last_placed_by_time(index: int, correct: bool, truth: Truth) -> None:
    stamp = {'valid': True, 'stamp': _time(BASE_NS + index * STEP_NS)}

    assert _mark(truth, 'WhenLastPlaced', 30, 'spoon_1', stamp=stamp).correct is correct


@pytest.mark.parametrize(
    ('objects', 'correct'),
    [
        ([_object(1, 1, 1), _object(1, -1, 1)], True),
        ([_object(1, 1, 1)], False),
        ([_object(1, 1, 1), _object(1.1, 1, 1)], False),
        ([_object(1, 1, 1), _object(1, -1, 1), _object(3, 3, 1)], False),
        ([_object(1, 1, 1), _object(1, -1, 1), _object(3, 3, 1, visibility=7)], True),
    ],
)
def test_mark_list_wants_every_thing_once(
    objects: list[dict[str, Any]], correct: bool, truth: Truth
) -> None:
    assert _mark(truth, 'ListObjects', 20, 'cup_a', 'cup_b', objects=objects).correct is correct


@pytest.mark.parametrize(
    ('index', 'name', 'unseen'),
    [(2, 'mug_1', False), (20, 'mug_1', True), (25, 'spoon_1', True), (7, 'spoon_1', False)],
)
def test_mark_says_whether_the_thing_was_out_of_sight(
    index: int, name: str, unseen: bool, truth: Truth
) -> None:
    marked = _mark(truth, 'GetVisibility', index, name, visibility=0)

    assert marked.out_of_sight is unseen


def test_mark_of_a_service_that_did_not_answer_is_wrong(truth: Truth) -> None:
    after_ns = BASE_NS + 20 * STEP_NS

    marked = mark(Question('What?', 'LocateObject', {}, after_ns, ('mug_1',)), None, 9.0, truth)

    assert (marked.status, marked.answer, marked.correct) == (NO_ANSWER, '', False)
    assert (marked.truth, marked.at_s) == ('the service did not answer', 10.0)


def test_transcript_says_what_is_wrong(truth: Truth) -> None:
    right = _mark(truth, 'LocateObject', 20, 'mug_1', object=_object(2.0, 0.5, 1.0))
    wrong = _mark(truth, 'LocateObject', 20, 'mug_1', object=_object(9.0, 0.5, 1.0))

    text = transcript([right, wrong], 'k.mcap')

    assert 'planner : What?' in text
    assert text.count('WRONG') == 1


def test_transcript_says_how_many_questions_are_about_things_out_of_sight(truth: Truth) -> None:
    seen, unseen = (
        _mark(truth, 'LocateObject', index, 'mug_1', object=_object(2.0, 0.5, 1.0))
        for index in (2, 20)
    )

    first = transcript([seen, unseen], 'k.mcap').splitlines()[0]

    assert '1 of 2 questions are about things out of sight' in first

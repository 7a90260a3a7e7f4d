"""Questions about movements, put to memories of nothing else: a video computed by hand."""

from __future__ import annotations

from collections.abc import Mapping
import csv
from pathlib import Path
from typing import Any

import pytest

from st_memory.benchmark import benchmark_named, run_predict, run_score
from st_memory.benchmark.hd_epic_questions import option_seconds, read_questions
from st_memory.core.errors import DatasetError
from st_memory.core.queries import count_moves, Selector
from st_memory.storage import SqliteMemoryStore
from test.benchmark.hd_epic_folder import (
    counting,
    MOVED,
    question,
    stationary,
    token,
    VIDEO,
    write_folder,
    write_questions,
)

MOTION = benchmark_named('hd-epic-motion')
SINCE = (12.5, 25.0, 26.0, 45.0, 5.0)


def answers(data: Path, out: Path) -> dict[str, dict[str, str]]:
    """Predict; give the rows by question."""
    run_predict(MOTION, data, out)
    with (out / 'predictions.csv').open(newline='', encoding='utf-8') as file:
        return {row['question_id']: row for row in csv.DictReader(file)}


def answer(tmp_path: Path, kind: str, asked: Mapping[str, Any], **folder: Any) -> dict[str, str]:
    """Give the row of the one question of a folder."""
    data = write_folder(tmp_path / 'data', **{kind: {'q': asked}}, **folder)
    return answers(data, tmp_path / 'out')['q']


# How many times moved.


@pytest.mark.parametrize(
    ('second', 'choices', 'choice_idx', 'said', 'num_tied'),
    [
        (10.0, ['1', '5', '4', '2', '3'], '4', '3', '1'),  # the mug, when it is taken first
        (42.0, ['1', '5', '4', '2', '3'], '4', '3', '1'),  # and when it is put down last
        (10.06, ['3'], '0', '3', '1'),  # 60 ms off
        (9.94, ['3'], '0', '3', '1'),
        (30.0, ['7', '2', '5', '6', '4'], '1', '1', '1'),  # the nearest one
        (30.0, ['2', '0', '5', '6', '7'], '0', '1', '2'),  # two as near: the first
        (30.0, ['0', '2', '5', '6', '7'], '0', '1', '2'),
        (30.0, ['many', '-1', ' 9 ', '1.0'], '2', '1', '1'),  # what is no number is none
    ],
)
def test_count_is_the_nearest_offered(
    second: float, choices: list[str], choice_idx: str, said: str, num_tied: str, tmp_path: Path
) -> None:
    row = answer(tmp_path, 'counting', counting(second, choices))

    assert (row['choice_idx'], row['said'], row['num_tied']) == (choice_idx, said, num_tied)
    assert (row['num_objects'], row['reason'], row['kind']) == ('1', '', 'movement_counting')


@pytest.mark.parametrize(
    ('second', 'num_objects', 'named'),
    [(51.03, '2', 'l1, p1'), (10.061, '0', 'none'), (15.0, '0', 'none'), (99.0, '0', 'none')],
)
def test_time_that_fits_not_one_object_is_left_open(
    second: float, num_objects: str, named: str, tmp_path: Path
) -> None:
    row = answer(tmp_path, 'counting', counting(second, ['1', '2']))

    assert (row['choice_idx'], row['object_id'], row['num_objects']) == ('', '', num_objects)
    assert row['reason'] == (
        f'not_unique: objects with a movement that starts or ends then: {named}'
    )


def test_options_without_a_number_leave_the_count_open(tmp_path: Path) -> None:
    row = answer(tmp_path, 'counting', counting(10.0, ['once', 'twice']))

    assert (row['choice_idx'], row['said']) == ('', '3')
    assert row['reason'] == 'no option is a whole number'


def test_movements_that_overlap_count_each(tmp_path: Path) -> None:
    moved = {'m1': ('mug', [(10.0, 20.0), (15.0, 25.0), (30.0, 40.0), (32.0, 35.0)])}

    row = answer(tmp_path, 'counting', counting(10.0, ['1', '2', '3', '4']), moved=moved)

    assert row['said'] == '4'


# Since when at rest.


@pytest.mark.parametrize(
    ('longer', 'choice'),
    [
        # The mug rests from 12.5 to 20, from 25 to 40 and from 42 on.
        (7.0, 12.5),
        (7.5, 12.5),  # a movement may begin at the very end
        (7.501, 25.0),
        (15.0, 25.0),
        (15.001, 45.0),
        (1000.0, 45.0),
    ],
)
def test_option_put_down_just_before_is_taken(
    longer: float, choice: float, tmp_path: Path
) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, longer, SINCE))

    assert row['choice_idx'] == str(SINCE.index(choice))
    assert row['object_id'] == 'm1'


def test_of_options_put_down_as_shortly_before_the_first_is_taken(tmp_path: Path) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, 7.0, [43.0, 25.0, 12.5]))

    # Both 25.0 and 12.5 are the very end of a movement.
    assert (row['choice_idx'], row['num_tied']) == ('1', '2')
    assert row['said'] == 'put down 0.000 s before'


@pytest.mark.parametrize(
    ('since', 'longer'),
    [
        (5.0, 5.1),  # moved before that long is over, though not before
        (11.0, 1.0),  # being moved
        (24.9, 10.0),
        (12.498, 5.0),  # more than a millisecond before it was put down
        (13.0, 7.1),  # moved before that long is over
    ],
)
def test_option_without_such_a_rest_is_not_taken(
    since: float, longer: float, tmp_path: Path
) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, longer, [since]))

    assert row['choice_idx'] == ''
    assert row['reason'] == 'it rests that long since none of the options'


def test_only_option_from_before_it_was_moved_is_the_last_resort(tmp_path: Path) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, 3.0, [11.0, 5.0, 8.5]))

    # It is in motion at 11 s, and is moved before 8.5 s + 3 s; not from 5 to 8 s.
    assert (row['choice_idx'], row['said'], row['num_tied']) == ('1', 'not moved by then', '1')


def test_options_from_before_it_was_moved_that_fit_alike_are_not_guessed_from(
    tmp_path: Path,
) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, 3.0, [11.0, 5.0, 7.0, 8.0]))

    # Nothing moved it from 5 to 8 s or from 7 to 10 s.
    assert row['choice_idx'] == ''
    assert row['reason'] == 'not moved by any of 2 options: all fit alike'


def test_rest_after_a_movement_goes_before_one_without(tmp_path: Path) -> None:
    row = answer(tmp_path, 'stationary', stationary(10.0, 3.0, [5.0, 30.0]))

    assert (row['choice_idx'], row['num_tied']) == ('1', '1')


def test_option_names_milliseconds_of_the_end_of_a_movement(tmp_path: Path) -> None:
    moved = {'m1': ('mug', [(10.0, 12.5004)])}

    row = answer(tmp_path, 'stationary', stationary(10.0, 5.0, [12.5]), moved=moved)

    assert row['choice_idx'] == '0'


def test_option_that_names_no_time_is_passed_over(tmp_path: Path) -> None:
    asked = stationary(10.0, 5.0, [12.5])
    asked['choices'].insert(0, 'never')

    assert answer(tmp_path, 'stationary', asked)['choice_idx'] == '1'


# What needs places.


@pytest.mark.parametrize(
    ('second', 'choice_idx', 'reason'),
    [
        (30.0, '1', ''),
        (10.0, '', '2 options have as many legs; it has not been seen at rest anywhere'),
    ],
)
def test_itinerary_is_told_by_its_number_of_legs_alone(
    second: float, choice_idx: str, reason: str, tmp_path: Path
) -> None:
    leg = 'from sink to hob'
    choices = [f'{leg}, then {leg}, then {leg}', leg, f'{leg}, then {leg}', f'{leg}, {leg}, {leg}']
    text = f'Where was the object <BBOX 1 2 3 4> seen at {token(second)} moved from/to?'

    row = answer(tmp_path, 'itinerary', question(text, choices))

    assert (row['choice_idx'], row['reason']) == (choice_idx, reason)


@pytest.mark.parametrize(
    ('choices', 'choice_idx'),
    [
        (['spoon', 'mug, Fork', 'mug, spoon'], '1'),
        (['mug', 'fork', 'spoon'], ''),
        (['spoon', 'cup', 'Nothing'], ''),  # the cup was never moved
    ],
)
def test_contents_are_what_is_known_at_all(
    choices: list[str], choice_idx: str, tmp_path: Path
) -> None:
    text = f'Which of these objects did the person put in the item in {token(33.0)}?'

    row = answer(tmp_path, 'contents', question(text, choices))

    assert (row['choice_idx'], row['num_objects']) == (choice_idx, '0')
    assert (row['reason'] == '') is (choice_idx != '')


def test_location_is_not_known_and_says_why(tmp_path: Path) -> None:
    text = f'Where did I put the object identified by <BBOX 1 2 3 4> at {token(31.0)}?'

    row = answer(tmp_path, 'location', question(text, ['sink', 'hob']))

    assert (row['choice_idx'], row['object_id']) == ('', 'f1')
    assert row['reason'] == 'its position has not been measured since it was moved'


# What changes nothing.


def all_kinds(later_sec: float = 0.0) -> dict[str, dict[str, Any]]:
    times = [second + later_sec for second in SINCE]
    return {
        'counting': {'c': counting(10.0 + later_sec, ['1', '2', '3'])},
        'stationary': {'s': stationary(10.0 + later_sec, 10.0, times)},
        'itinerary': {'i': question(f'at {token(30.0 + later_sec)}', ['from a to b', 'x'])},
    }


@pytest.mark.parametrize('later_sec', [1.0, 3600.0, 36000.0])
def test_later_video_is_answered_alike(later_sec: float, tmp_path: Path) -> None:
    here = write_folder(tmp_path / 'here', **all_kinds())
    later = write_folder(tmp_path / 'later', later_sec=later_sec, **all_kinds(later_sec))

    assert answers(later, tmp_path / 'b') == answers(here, tmp_path / 'a')


def test_options_in_another_order_are_answered_alike(tmp_path: Path) -> None:
    here = write_folder(tmp_path / 'here', **all_kinds())
    turned = all_kinds()
    for asked in turned.values():
        for entry in asked.values():
            entry['choices'].reverse()
    there = write_folder(tmp_path / 'there', **turned)

    before, after = answers(here, tmp_path / 'a'), answers(there, tmp_path / 'b')

    for name, num in (('c', 3), ('s', 5), ('i', 2)):
        assert int(after[name]['choice_idx']) == num - 1 - int(before[name]['choice_idx'])


def test_other_objects_at_other_times_change_nothing(tmp_path: Path) -> None:
    here = write_folder(tmp_path / 'here', **all_kinds())
    more = {**MOVED, 'x1': ('mug', [(1.0, 9.0), (13.0, 19.0), (27.0, 28.0), (100.0, 200.0)])}
    there = write_folder(tmp_path / 'there', moved=more, **all_kinds())

    assert answers(there, tmp_path / 'b') == answers(here, tmp_path / 'a')


def test_answers_in_the_files_change_no_prediction(tmp_path: Path) -> None:
    plain = write_folder(tmp_path / 'plain', **all_kinds())
    told = all_kinds()
    for asked in told.values():
        for entry in asked.values():
            entry['correct_idx'] = 0
    poisoned = write_folder(tmp_path / 'poisoned', **told)
    answers(plain, tmp_path / 'a')
    answers(poisoned, tmp_path / 'b')

    name = 'predictions.csv'
    assert (tmp_path / 'b' / name).read_bytes() == (tmp_path / 'a' / name).read_bytes()


def test_second_run_over_the_first_is_the_same(tmp_path: Path) -> None:
    data = write_folder(tmp_path / 'data', **all_kinds())
    first = run_predict(MOTION, data, tmp_path / 'out')

    assert run_predict(MOTION, data, tmp_path / 'out') == first
    assert first['run'] == {
        'questions': {'itinerary': 1, 'movement_counting': 1, 'stationary': 1},
        'answered': 3,
        'movements': 6,
        'videos': 1,
    }


def test_memory_of_a_video_can_be_asked_itself(tmp_path: Path) -> None:
    data = write_folder(tmp_path / 'data', **all_kinds())
    answers(data, tmp_path / 'out')

    memory = tmp_path / 'out' / 'memories' / VIDEO / 'memory.db'
    with SqliteMemoryStore.open(memory, read_only=True) as store:
        assert count_moves(store, Selector(object_id='m1')).count == 3


# The score.


def scored(tmp_path: Path, **questions: Mapping[str, Any]) -> dict[str, Any]:
    data = write_folder(tmp_path / 'data', **questions)
    run_predict(MOTION, data, tmp_path / 'out')
    return run_score(MOTION, data, tmp_path / 'out')


def test_counts_are_scored_among_those_with_one_object(tmp_path: Path) -> None:
    result = scored(
        tmp_path,
        counting={
            'right': counting(10.0, ['1', '3'], correct_idx=1),
            'wrong': counting(20.0, ['1', '3'], correct_idx=0),
            'near': counting(30.0, ['5', '2'], correct_idx=1),
            'tied': counting(31.0, ['0', '2'], correct_idx=0),
            'open': counting(40.0, ['some'], correct_idx=0),
            'two': counting(51.03, ['1', '3'], correct_idx=0),
            'none': counting(99.0, ['1', '3'], correct_idx=0),
        },
    )

    assert result['movement_counting'] == {
        'correct': 3,
        'total': 5,
        'questions': 7,
        'answered': 4,
        'accuracy': 0.6,
        'not_unique': 2,
        'tied': {'correct': 1, 'total': 1},
        'exact_count': {'correct': 1, 'total': 5},
    }


def test_other_kinds_are_scored_among_all(tmp_path: Path) -> None:
    result = scored(
        tmp_path,
        stationary={
            's_right': stationary(10.0, 10.0, SINCE, correct_idx=1),
            's_wrong': stationary(10.0, 10.0, SINCE, correct_idx=0),
            's_open': stationary(10.0, 10.0, [11.0], correct_idx=0),
            's_two': stationary(51.03, 10.0, SINCE, correct_idx=0),
        },
        itinerary={
            'i_right': question(f'at {token(30.0)}', ['from a to b', 'x'], correct_idx=0),
            'i_open': question(f'at {token(10.0)}', ['from a to b', 'x'], correct_idx=0),
        },
        contents={'c_right': question(f'in {token(1.0)}', ['mug', 'x'], correct_idx=0)},
        location={'l_open': question(f'at {token(31.0)}', ['sink', 'x'], correct_idx=0)},
    )

    assert result['stationary'] == {
        'correct': 1,
        'total': 3,
        'questions': 4,
        'answered': 2,
        'accuracy': 1 / 3,
        'not_unique': 1,
        'tied': {'correct': 0, 'total': 0},
    }
    basic = ('correct', 'total', 'questions', 'answered')
    assert [result['itinerary'][name] for name in basic] == [1, 2, 2, 1]
    assert [result['contents'][name] for name in basic] == [1, 1, 1, 1]
    assert [result['location'][name] for name in basic] == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ('correct', 'found'),
    [
        ({}, "KeyError: 'correct_idx'"),
        ({'correct_idx': None}, 'TypeError'),
        ({'correct_idx': 2}, 'ValueError: correct_idx 2 of 2 choices'),
        ({'correct_idx': -1}, 'ValueError: correct_idx -1 of 2 choices'),
    ],
    ids=str,
)
def test_score_without_a_usable_answer_is_one_line(
    correct: dict[str, Any], found: str, tmp_path: Path
) -> None:
    with pytest.raises(DatasetError, match='expected an answer of q to score against') as caught:
        scored(tmp_path, counting={'q': counting(10.0, ['1', '3'], **correct)})

    assert found in str(caught.value)


# A damaged folder.


@pytest.mark.parametrize(
    ('changes', 'found'),
    [
        ({'inputs': {}}, "KeyError: 'video 1'"),
        ({'inputs': {'video 1': {'id': 7}}}, 'ValueError: the video id 7'),
        ({'inputs': {'video 1': {'id': '../up'}}}, "ValueError: the video id '../up'"),
        ({'question': 'How often?'}, "ValueError: no time in 'How often?'"),
        ({'question': f'at {token(1.0)}'}, 'ValueError: no "more than N seconds"'),
        ({'question': None}, 'TypeError'),
        ({'choices': []}, 'TypeError: choices []'),
        ({'choices': 'abc'}, "TypeError: choices 'abc'"),
        ({'choices': [1, 2]}, 'TypeError: choices [1, 2]'),
        ({'question': f'at <TIME {"9" * 400}:00:01 video 1>'}, 'ValueError: no time'),
    ],
    ids=lambda value: str(value)[:60],
)
def test_damaged_question_is_one_line_with_its_name(
    changes: dict[str, Any], found: str, tmp_path: Path
) -> None:
    data = write_folder(tmp_path / 'data')
    asked = {'q7': {**stationary(10.0, 5.0, SINCE), **changes}}
    path = write_questions(data, 'stationary', asked)

    with pytest.raises(DatasetError) as caught:
        read_questions(path, 'stationary')

    assert str(caught.value).startswith(f'{path}: expected questions in q7, found ')
    assert found in str(caught.value)
    assert '\n' not in str(caught.value)


def test_question_id_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    data = write_folder(tmp_path / 'data')
    path = write_questions(data, 'counting', {'\ud83d': counting(10.0, ['1'])})

    with pytest.raises(DatasetError, match='UnicodeEncodeError'):
        read_questions(path, 'movement_counting')


@pytest.mark.parametrize(
    ('object_id', 'name'),
    [("m'; DROP TABLE objects;--", 'mυγ 😀'), ('m,"', 'a,"b"'), ('m' * 200, 'x' * 1_000)],
    ids=['sql', 'csv', 'long'],
)
def test_strange_names_are_answered_like_others(object_id: str, name: str, tmp_path: Path) -> None:
    moved = {object_id: (name, [(10.0, 12.0)])}

    row = answer(tmp_path, 'counting', counting(10.0, ['2', '1']), moved=moved)

    assert (row['object_id'], row['choice_idx']) == (object_id, '1')


@pytest.mark.parametrize(
    ('object_id', 'counter'),
    [
        ('x' * 201, 'movement_name_too_long'),
        ('m\n1', 'movement_name_with_control_character'),
    ],
    ids=['long', 'line break'],
)
def test_object_whose_id_no_bag_takes_is_counted(
    object_id: str, counter: str, tmp_path: Path
) -> None:
    moved = {**MOVED, object_id: ('mug', [(1.0, 2.0)])}
    data = write_folder(tmp_path / 'data', moved=moved, **all_kinds())

    # Its movement is told twice, when it starts and when it ends.
    assert run_predict(MOTION, data, tmp_path / 'out')['run'][counter] == 2


@pytest.mark.parametrize('value', [[], 'text', 7, None])
def test_file_that_is_no_table_of_questions_is_one_line(value: Any, tmp_path: Path) -> None:
    path = write_questions(write_folder(tmp_path / 'data'), 'counting', value)

    with pytest.raises(DatasetError, match=r'counting\.json: expected questions, found'):
        read_questions(path, 'movement_counting')


def test_question_about_a_video_without_movements_is_one_line(tmp_path: Path) -> None:
    data = write_folder(tmp_path / 'data')
    asked = {**counting(10.0, ['1']), 'inputs': {'video 1': {'id': 'P09-x'}}}
    write_questions(data, 'counting', {'q': asked})

    with pytest.raises(DatasetError, match='expected videos of the movements, found P09-x in q'):
        run_predict(MOTION, data, tmp_path / 'out')

    assert not (tmp_path / 'out').exists()


def test_question_id_in_two_files_is_one_line(tmp_path: Path) -> None:
    data = write_folder(
        tmp_path / 'data',
        counting={'q': counting(10.0, ['1'])},
        stationary={'q': stationary(10.0, 5.0, SINCE)},
    )

    with pytest.raises(DatasetError, match=r'localization\.json: expected another id .* found q'):
        run_predict(MOTION, data, tmp_path / 'out')


@pytest.mark.parametrize(
    'name',
    [
        'object_motion_object_movement_counting.json',
        'object_motion_stationary_object_localization.json',
        'object_motion_object_movement_itinerary.json',
    ],
)
def test_missing_question_file_is_one_line(name: str, tmp_path: Path) -> None:
    data = write_folder(tmp_path / 'data')
    (data / 'vqa' / name).unlink()

    with pytest.raises(DatasetError, match=f'vqa: expected {name}, found none'):
        run_predict(MOTION, data, tmp_path / 'out')


@pytest.mark.parametrize(
    ('text', 'seconds'),
    [
        ('<TIME 00:02:08.799 video 1>', 128.799),
        ('<TIME 00:05:3.633 video 1>', 303.633),
        ('<TIME 01:14:7 video 1>', 4447.0),
        ('<TIME 00:00:01.0 video 2>', None),
        ('128.8', None),
        ('', None),
    ],
)
def test_time_of_an_option_may_lack_leading_zeros(text: str, seconds: float | None) -> None:
    assert option_seconds(text) == seconds

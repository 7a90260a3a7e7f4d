"""Replies in words, prompts with cues, records in files, and the score of all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.benchmark.beyond3d_question_file import read_questions
from st_memory.benchmark.questions import write_trajectories, WritingRules
from st_memory.benchmark.questions.answer_parser import NOT_PARSED, option_meant
from st_memory.benchmark.questions.prompts import Cue, prompt_of
from st_memory.benchmark.questions.question_files import read_records, step_key, write_records
from st_memory.benchmark.questions.question_records import record_of
from st_memory.benchmark.questions.question_scores import read_replies, score_records
from st_memory.core.errors import DatasetError
from test.benchmark.question_scenes import scene_tracks, seen, track

FOUR = ['Front-left', 'Front-right', 'Back-left', 'Back-right']
YES_NO = ['No', 'Yes']
RELATIONS = ['to the right', 'to the left', 'in front of', 'behind']
Record = dict[str, Any]


@pytest.mark.parametrize(
    ('reply', 'choices', 'index'),
    [
        ('B', FOUR, 1),
        ('b', FOUR, 1),
        ('(C)', FOUR, 2),
        ('**D**', FOUR, 3),
        ('- B. Front-right', FOUR, 1),
        ('B 2022 something', FOUR, 1),
        ('The answer is (B).', FOUR, 1),
        ('Final answer: C', FOUR, 2),
        ('Option A is tempting, but the correct answer is D', FOUR, 3),
        ('Answer: A\nAnswer: C', FOUR, 2),  # the last one counts
        ('B\nbecause A is wrong', FOUR, 1),  # the first line counts
        ('\n\n  A\n', FOUR, 0),
        ('\x1b[31mB\x1b[0m', FOUR, 1),
        ('front-right', FOUR, 1),
        ('It is front-right of you', FOUR, 1),
        ('answer: back-left', FOUR, 2),
        ('yes', YES_NO, 1),
        ('No, it left the picture', YES_NO, 0),
        ('Yesterday', YES_NO, NOT_PARSED),
        ('1 to under 1.5', ['Under 1 m', '1 to under 1.5 m', '1.5 m or more'], 1),
        ('E', FOUR, NOT_PARSED),  # there is no fifth option
        ('Bananas', FOUR, NOT_PARSED),  # a letter that goes on as a word is no letter
        ('', FOUR, NOT_PARSED),
        ('I cannot tell', FOUR, NOT_PARSED),
        ('B</think> C', FOUR, 1),  # what follows the reasoning is deleted, as published
        ('</think> C', FOUR, NOT_PARSED),
        ('</think> Answer: C', FOUR, 2),  # but an announced letter is found in all of it
        ('Right', FOUR, NOT_PARSED),  # it means 'to the right', which is no option here
        ('left', FOUR, NOT_PARSED),
        ('back', FOUR, NOT_PARSED),
        ('at the  back', FOUR, NOT_PARSED),
        ('front', FOUR, NOT_PARSED),
        ('in front', FOUR, NOT_PARSED),
        ('ahead of', FOUR, NOT_PARSED),
        ('Answer: right', FOUR, NOT_PARSED),
        ('Right.', FOUR, 1),  # only the bare word is a name of a relation
        ('right', RELATIONS, 0),
        ('ahead of', RELATIONS, 2),
        ('At the back', RELATIONS, 3),
        ('to the left', ['Right', 'Left'], 1),  # options are names too
        ('counter_1 it is', ['counter_1', 'counter_2'], 0),
        ('counter 1', ['counter_1', 'counter_2'], NOT_PARSED),  # nothing stands for a blank
        ('counter_1', ['counter 1', 'counter 2'], NOT_PARSED),
        ('_Yes_', YES_NO, 1),
        ('Aİ', FOUR, NOT_PARSED),  # that is a letter, too
        ('STRASSE', ['straße', 'Weg'], NOT_PARSED),
        ('Answer: yes\x0bor no', YES_NO, 1),  # an announced answer ends with its line
        ('Answer: ...', FOUR, NOT_PARSED),
        ('A', [f'choice {i}' for i in range(30)], 0),
    ],
)
def test_option_that_a_reply_means(reply: str, choices: list[str], index: int) -> None:
    assert option_meant(reply, choices) == index


def test_every_letter_of_every_number_of_options_is_understood() -> None:
    for count in range(2, 7):
        choices = [f'choice number {i}' for i in range(count)]
        for i, letter in enumerate('ABCDEF'[:count]):
            for form in ('{}', '{}.', '({})', 'Answer: {}', 'The final answer is {}'):
                assert option_meant(form.format(letter), choices) == i


def records(form: str = 'beyond3d_final') -> list[Record]:
    """Give a trajectory about a mug and its visible control."""
    story = 'V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 60
    mug = track('mug_1', story, ((30.0, 33.5),), place=seen(30.0, 2.0))
    pot = track('pot_1', 'V' * 100, ((2.0, 4.0),), place=seen(0.0, 1.0), pixel=(80.0, 60.0))
    tracks = scene_tracks(mug, pot)
    written = write_trajectories(tracks, 1, WritingRules(format=form), seed=1)
    return [record_of(tracks, trajectory, form) for trajectory in written]


def test_record_has_the_fields_of_the_published_files() -> None:
    record, control = records()
    relation = record['steps'][6]

    assert record['question_class'] == 'oos_staged_trajectory'
    assert control['question_class'] == 'visible_staged_trajectory'
    assert record['mode'] == 'multi_turn'
    assert record['object_a_assoc_id'] == 'mug_1'
    assert record['horizon_sec'] == record['query_time_sec'] - 39.0
    assert record['generation_info']['movements_sec'] == [[30.0, 33.5]]
    assert record['generation_info']['oos_span_start_sec'] == 40.0
    assert record['generation_info']['oos_span_end_sec'] == 99.0
    assert record['generation_info']['relocation_score'] == 1
    assert record['generation_info']['anchor_name'] == 'pot'
    assert record['steps'][1]['answer_metadata']['sampled_last_visible_time_sec'] == 39.0
    assert record['steps'][2]['answer_metadata']['last_placement_time_sec'] == 33.5
    assert record['steps'][3]['target_text'] == 'shelf'
    assert relation['step'] == '5c'
    assert relation['depends_on_steps'] == ['1', '2', '3']
    assert relation['answer_metadata']['object_y_normalized_projected_pixel'] == [0.25, 0.25]
    assert 'oos_span_start_sec' not in control['generation_info']


def test_files_of_both_formats_are_read_again(tmp_path: Path) -> None:
    for form in ('beyond3d_final', 'beyond3d_legacy'):
        path = tmp_path / form
        written = records(form)
        write_records(path, written, form)
        again = read_records(path)

        assert [r['trajectory_id'] for r in again] == [r['trajectory_id'] for r in written]
        assert [len(r['steps']) for r in again] == [8 if 'final' in form else 7, 1]


def test_legacy_file_is_what_the_published_ones_are(tmp_path: Path) -> None:
    """The reader of the published files reads ours."""
    path = tmp_path / 'questions_own.json'
    write_records(path, records('beyond3d_legacy'), 'beyond3d_legacy')
    questions = read_questions(path)

    assert [q.kind for q in questions[:7]] == [
        'visibility',
        'last_visible',
        'last_placed',
        'fixture',
        'direction',
        'relation',
        'distance',
    ]
    assert {q.anchor_id for q in questions[:7]} == {'pot_1'}


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('{"trajectory_id": "a"}\n', 'expected a question in line 1'),
        ('no json\n', 'expected JSON in line 1'),
        ('{"a": {"video_id": "v"}}\n', 'expected a question in trajectory a'),
        ('[1, 2]\n', 'expected a question in line 1'),
    ],
)
def test_what_is_no_question_file_is_named(tmp_path: Path, text: str, found: str) -> None:
    path = tmp_path / 'q.jsonl'
    path.write_text(text, encoding='utf-8')

    with pytest.raises(DatasetError, match=found):
        read_records(path)


def test_missing_question_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='expected a question file'):
        read_records(tmp_path / 'none.jsonl')


def test_prompt_asks_one_step_by_itself() -> None:
    record = records()[0]
    text = prompt_of(record, record['steps'][4])

    assert text.startswith('You are a helpful assistant for egocentric video')
    assert 'sampled at 1 frame per second' in text
    assert '\nOptions:\nA. Front-left\nB. Front-right\nC. Back-left\nD. Back-right\n' in text
    assert text.endswith('output only its letter.')
    assert 'assuming the previously moved mug remains at its last known position' in text
    assert 'was moved from' not in text


def test_cue_of_movements_names_them_before_the_question() -> None:
    record = records()[0]
    text = prompt_of(record, record['steps'][1], Cue.MOVEMENTS)

    told = 'The mug was moved from <TIME 00:00:30.0 video 1> to <TIME 00:00:33.5 video 1>.'
    assert told in text
    assert text.index(told) < text.index('Question:')


def test_cue_of_invisibility_takes_the_place_of_the_assumption() -> None:
    record = records()[0]
    first, direction = (prompt_of(record, record['steps'][i], Cue.UNSEEN) for i in (0, 4))

    assert 'no longer visible' not in first  # it would be the answer
    assert 'the mug is no longer visible.' in direction
    assert 'assuming' not in direction
    assert 'in which direction is the mug from your viewpoint?' in direction


def test_both_cues_are_both() -> None:
    record = records()[0]
    text = prompt_of(record, record['steps'][3], Cue.BOTH)

    assert 'was moved from' in text
    assert 'is no longer visible' in text


def test_prompt_of_an_open_question_says_what_to_write() -> None:
    record = records('beyond3d_legacy')[0]
    record['steps'] = record['incremental_steps']
    text = prompt_of(record, record['steps'][1])

    assert 'Options' not in text
    assert '<TIME HH:MM:SS.s video 1>; Point=(<x>, <y>)' in text


def keys(some: list[Record]) -> dict[str, int]:
    return {step_key(r, s): s['correct_idx'] for r in some for s in r['steps']}


def test_right_replies_score_one_by_index_and_by_letter() -> None:
    some = records()
    right = keys(some)
    for replies in (right, {name: 'ABCDE'[i] for name, i in right.items()}):
        figures = score_records(some, replies)

        assert figures['overall'] == figures['macro_avg'] == figures['micro_avg'] == 1.0
        assert figures['trajectory_success_rate'] == 1.0
        assert figures['parse_rate'] == 1.0
        assert figures['first_mistakes'] == {}


def test_macro_is_over_classes_and_micro_over_questions() -> None:
    some = records()
    replies = keys(some)
    replies[step_key(some[1], some[1]['steps'][0])] = 0  # the control: one of two of its class
    figures = score_records(some, replies)

    assert figures['macro_avg'] == pytest.approx((0.5 + 7) / 8)
    assert figures['micro_avg'] == pytest.approx(8 / 9)
    assert figures['trajectory_success_rate'] == 0.5  # a control is a trajectory of one step
    assert figures['out_of_sight_success_rate'] == 1.0
    assert figures['first_mistakes'] == {'1': 1}


def test_no_reply_and_nonsense_are_wrong_and_lower_the_parse_rate() -> None:
    some = records()
    replies: dict[str, str | int | None] = dict(keys(some))
    del replies[step_key(some[0], some[0]['steps'][2])]
    replies[step_key(some[0], some[0]['steps'][4])] = 'I cannot tell'
    replies[step_key(some[0], some[0]['steps'][5])] = 7  # there is no such option
    figures = score_records(some, replies)

    assert figures['micro_avg'] == pytest.approx(6 / 9)
    assert figures['parse_rate'] == pytest.approx(6 / 9)
    assert figures['first_mistakes'] == {'3': 1}
    assert figures['trajectory_success_rate'] == 0.5  # the control alone
    assert figures['out_of_sight_success_rate'] == 0.0
    # Of the five steps after step 3 (4, 5a .. 5d) two are wrong.
    assert figures['error_propagation_rate'] == 1.0
    assert figures['post_error_failure_rate'] == pytest.approx(2 / 5)
    # Wrong are the only 3, 5a and 5b: five of eight steps are right.
    assert figures['step_macro_avg'] == pytest.approx(5 / 8)


def test_any_acceptable_option_is_right() -> None:
    some = records()
    replies = keys(some)
    step = some[0]['steps'][3]
    replies[step_key(some[0], step)] = (step['correct_idx'] + 1) % 5

    assert score_records(some, replies)['micro_avg'] == pytest.approx(8 / 9)
    for name in ('acceptable_idxs', 'acceptable_answer_idxs'):
        step['acceptable_idxs'] = []
        step[name] = [step['correct_idx'], (step['correct_idx'] + 1) % 5]
        assert score_records(some, replies)['micro_avg'] == 1.0


def test_groups_are_those_of_the_record() -> None:
    some = records()
    figures = score_records(some, keys(some))
    filled = [name for name, value in figures['macro_by_horizon'].items() if value is not None]

    assert filled == [WritingRules().horizon_of(some[0]['horizon_sec'])]
    assert figures['macro_by_query_time'] == {'early': 1.0, 'middle': None, 'late': None}


def test_video_average_weighs_videos_alike() -> None:
    some = [*records(), *records()]
    for record in some[2:]:
        record['video_id'], record['doc_id'] = 'other', f'other {record["doc_id"]}'
        record['trajectory_id'] = record['doc_id']
    replies = keys(some[:2])  # the other video has no replies

    assert score_records(some, replies)['video_macro_avg'] == 0.5


def test_replies_are_read_by_word_or_index(tmp_path: Path) -> None:
    path = tmp_path / 'replies.jsonl'
    rows = [{'id': 'a', 'reply': 'B'}, {'id': 'b', 'choice_idx': 2}]
    path.write_text('\n'.join(map(json.dumps, rows)), encoding='utf-8')

    assert read_replies(path) == {'a': 'B', 'b': 2}


@pytest.mark.parametrize(
    'text',
    [
        '{"id": "a"}',
        'nothing',
        '[1]',
        '{"reply": "A"}',
        '{"id": 1, "reply": "A"}',
        '{"id": "a", "choice_idx": [0]}',
        '{"id": "a", "choice_idx": false}',
        '{"id": "a", "choice_idx": 1.0}',
        '{"id": "a", "choice_idx": "A"}',
        '{"id": "a", "reply": {"text": "A"}}',
        '{"id": "a", "reply": true}',
        '{"id": "a", "reply": "A"}\n{"id": "a", "reply": "B"}',
        '[' * 100_000,
    ],
)
def test_what_are_no_replies_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'replies.jsonl'
    path.write_text(text, encoding='utf-8')

    with pytest.raises(DatasetError, match='expected lines with id and reply or choice_idx') as no:
        read_replies(path)
    assert '\n' not in str(no.value)


def test_reply_of_nothing_is_a_reply(tmp_path: Path) -> None:
    path = tmp_path / 'replies.jsonl'
    path.write_text('{"id": "a", "reply": null}\n{"id": "b", "choice_idx": null}\n', 'utf-8')

    assert read_replies(path) == {'a': None, 'b': None}

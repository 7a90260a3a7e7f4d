"""Question files that are none: one line each, which names the place and what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.benchmark.questions.prompts import Cue, prompt_of
from st_memory.benchmark.questions.question_files import read_records, step_key
from st_memory.core.errors import DatasetError

Row = dict[str, Any]


def step(**changes: object) -> Row:
    """Give a good step; ``...`` takes a field out of it."""
    good: Row = {
        'step': '1',
        'step_question_class': 'oos_step1_visibility',
        'question': 'Visible?',
        'choices': ['No', 'Yes'],
        'correct_idx': 0,
        'acceptable_idxs': [0],
        'answer_metadata': {},
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}


def record(*steps: Row, **changes: object) -> Row:
    good: Row = {
        'trajectory_id': 't',
        'video_id': 'v',
        'query_time_sec': 94.0,
        'horizon_sec': 30.0,
        'object_a_name': 'mug',
        'steps': list(steps) or [step()],
    }
    return {name: value for name, value in {**good, **changes}.items() if value is not ...}


def read(path: Path, *records: object) -> list[Row]:
    path.write_text('\n'.join(map(json.dumps, records)), encoding='utf-8')
    return read_records(path)


@pytest.mark.parametrize(
    ('bad', 'found'),
    [
        (record(trajectory_id=...), 'nothing for trajectory_id'),
        (record(trajectory_id=7), '7 for trajectory_id'),
        (record(doc_id=['t']), "['t'] for doc_id"),
        (record(video_id='  '), "'  ' for video_id"),
        (record(video_id='\ud800'), 'for video_id'),
        (record(query_time_sec='94'), "'94' for query_time_sec"),
        (record(query_time_sec=True), 'True for query_time_sec'),
        (record(query_time_sec=float('nan')), 'nan for query_time_sec'),
        (record(query_time_sec=float('inf')), 'inf for query_time_sec'),
        (record(query_time_sec=-1.0), '-1.0 for query_time_sec'),
        (record(query_time_sec=10**400), '... for query_time_sec'),
        (record(horizon_sec='long'), "'long' for horizon_sec"),
        (record(object_a_name=['mug']), "['mug'] for object_a_name"),
        (record(question_class=1), '1 for question_class'),
        (record(generation_info=[1]), '[1] for generation_info'),
        (record(steps=...), 'neither steps nor incremental_steps'),
        (record(steps={'1': step()}), 'for steps'),
        (record(steps=['Visible?']), "'Visible?' for a step"),
        (record(steps=..., incremental_steps=3), '3 for a list of steps'),
        (record(steps=..., incremental_steps=[], branch_groups=[1]), '[1] for branch_groups'),
        (record(steps=..., incremental_steps=[], branch_groups={'a': 1}), '1 for a list of steps'),
        (record(step(step=...)), 'step nothing'),
        (record(step(step=[1])), 'step [1]'),
        (record(step(step_question_class=...)), 'nothing for step_question_class'),
        (record(step(question=...)), 'nothing for question'),
        (record(step(question=[])), '[] for question'),
        (record(step(question=[1])), '[1] for question'),
        (record(step(question={'text': 'a'})), 'for question'),
        (record(step(choices='No')), "'No' for choices"),
        (record(step(choices=['No', 1])), 'choices that are not at most 26 texts'),
        (record(step(choices=['a'] * 27)), 'choices that are not at most 26 texts'),
        (record(step(correct_idx=2)), 'correct_idx 2 of 2 choices'),
        (record(step(correct_idx='0')), "correct_idx '0' of 2 choices"),
        (record(step(correct_idx=False)), 'correct_idx False of 2 choices'),
        (record(step(acceptable_idxs=3)), '3 for acceptable_idxs'),
        (record(step(acceptable_idxs=[0, -1])), 'acceptable_idxs -1 of 2 choices'),
        (record(step(acceptable_answer_idxs=[9])), 'acceptable_answer_idxs 9 of 2 choices'),
        (record(step(acceptable_answers='yes')), "'yes' for acceptable_answers"),
        (record(step(answer_metadata=[1])), '[1] for answer_metadata'),
        (
            record(step(answer_metadata={'acceptable_answer_metadata': {'time_sec': 1}})),
            'for acceptable_answer_metadata',
        ),
        (
            record(step(answer_metadata={'acceptable_answer_metadata': [1]})),
            '1 for an entry of acceptable_answer_metadata',
        ),
        (record(step(), step()), 't__step_1 again'),
        (['a list'], "['a list'] for a record"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, bad: object, found: str) -> None:
    path = tmp_path / 'q.jsonl'
    with pytest.raises(DatasetError) as told:
        read(path, record(trajectory_id='good'), bad)

    assert str(told.value).startswith(f'{path}: expected a question in line 2, found ')
    assert found in str(told.value)
    assert '\n' not in str(told.value)


@pytest.mark.parametrize('text', ['', '\n\n', '{}'])
def test_file_without_questions_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'q.jsonl'
    path.write_text(text, encoding='utf-8')

    with pytest.raises(DatasetError, match='expected questions, found none'):
        read_records(path)


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'q.jsonl'
    path.write_text('[' * 100_000, encoding='utf-8')

    with pytest.raises(DatasetError, match='expected JSON in line 1'):
        read_records(path)


def test_line_separators_inside_a_text_end_no_line(tmp_path: Path) -> None:
    path = tmp_path / 'q.jsonl'
    path.write_text(
        json.dumps(record(step(question='One\u2028two?')), ensure_ascii=False), encoding='utf-8'
    )

    assert read_records(path)[0]['steps'][0]['question'] == 'One\u2028two?'


def test_question_in_a_list_is_taken_out_of_it(tmp_path: Path) -> None:
    (one,) = read(tmp_path / 'q.jsonl', record(step(question=['Where is it?', 'And since when?'])))

    assert one['steps'][0]['question'] == 'Where is it? And since when?'


def test_steps_are_told_by_their_names_whatever_their_types(tmp_path: Path) -> None:
    old = step(
        step=3, step_question_class=..., question_class='old', choices=None, correct_idx=None
    )
    old['acceptable_idxs'] = None
    (one,) = read(
        tmp_path / 'q.jsonl',
        record(steps=..., incremental_steps=[old], branch_groups={'a': [step(step='5a')]}),
    )

    assert [s['step'] for s in one['steps']] == ['3', '5a']
    assert one['steps'][0]['step_question_class'] == 'old'
    assert one['steps'][0]['choices'] == []
    assert step_key(one, one['steps'][1]) == 't__step_5a'


def test_skipped_steps_are_not_asked(tmp_path: Path) -> None:
    (one,) = read(tmp_path / 'q.jsonl', record(step(), {'step': '2', 'skipped': True}))

    assert [s['step'] for s in one['steps']] == ['1']


def cued(cue: Cue, **changes: object) -> str:
    asked = step(step='5a', step_question_class='oos_branch_object_camera_relative_position')
    return prompt_of(record(asked, **changes), asked, cue)


@pytest.mark.parametrize('cue', [Cue.MOVEMENTS, Cue.BOTH])
@pytest.mark.parametrize(
    'info',
    [
        None,
        {},
        {'movements_sec': None},
        {'movements_sec': []},
        {'movements_sec': [[1.0]]},
        {'movements_sec': [1.0, 2.0]},
        {'movements_sec': [[1.0, '2']]},
        {'movements_sec': [[1.0, True]]},
        {'movements_sec': [[2.0, 1.0]]},
        {'movements_sec': [[1.0, float('inf')]]},
    ],
)
def test_cue_of_movements_that_are_not_told_is_refused(cue: Cue, info: object) -> None:
    with pytest.raises(DatasetError) as told:
        cued(cue, generation_info=info)

    assert str(told.value) == (
        'trajectory t: expected pairs of seconds in generation_info.movements_sec for the cue '
        f'{cue.value}, found none'
    )


@pytest.mark.parametrize('cue', [Cue.MOVEMENTS, Cue.UNSEEN, Cue.BOTH])
def test_cue_about_a_thing_without_a_name_is_refused(cue: Cue) -> None:
    with pytest.raises(DatasetError, match=f'expected object_a_name for the cue {cue.value}'):
        cued(cue, object_a_name=None, generation_info={'movements_sec': [[1.0, 2.0]]})


def test_no_cue_needs_no_name() -> None:
    assert 'Question: Visible?' in cued(Cue.NONE, object_a_name=None)


def test_question_that_asks_for_no_time_is_answered_briefly() -> None:
    asked = step(step_question_class='other', choices=[], correct_idx=None)

    assert prompt_of(record(asked), asked).endswith('\nAnswer briefly and directly.')

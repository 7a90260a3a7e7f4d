"""``st_memory questions``: a memory's own questions, their prompts and the score of replies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from st_memory.cli.commands import questions as command
from st_memory.storage import SqliteMemoryStore
from test.benchmark.question_scenes import remember_stories, seen, Story
from test.cli.bags import write_walk
from test.cli.conftest import RunCli


@pytest.fixture(scope='module')
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Give a bag with a camera, and a memory of a mug that was moved and left behind."""
    folder = tmp_path_factory.mktemp('questions')
    bag, db = write_walk(folder / 'walk.mcap', num_frames=2), folder / 'walk.db'
    mug = Story('V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 60, ((30.0, 33.5),), seen(30.0, 2.0))
    pot = Story('V' * 100, ((2.0, 4.0),), seen(3.0, 1.0))
    with SqliteMemoryStore.open(db) as store:
        remember_stories(store, {'mug_1': mug, 'pot_1': pot}, 'head')
    return bag, db


def test_questions_are_written_prompted_and_scored(
    cli: RunCli, files: tuple[Path, Path], tmp_path: Path
) -> None:
    bag, db = files
    out, prompts = tmp_path / 'q.jsonl', tmp_path / 'prompts.jsonl'

    done = cli('questions', 'write', db, '--bag', bag, '--out', out, '--count', 5)
    assert done.code == 0, done.err
    records = [json.loads(line) for line in out.read_text(encoding='utf-8').splitlines()]
    assert 'about 5 times out of sight, with 2 visible controls' in done.out
    assert f'{sum(len(r["steps"]) for r in records)} questions' in done.out

    assert cli('questions', 'prompt', out, '--cue', 'both', '--out', prompts).code == 0
    asked = [json.loads(line) for line in prompts.read_text(encoding='utf-8').splitlines()]
    assert all('was moved from' in row['prompt'] for row in asked)

    keys = {
        f'{r["doc_id"]}__step_{s["step"]}': 'ABCDE'[s['correct_idx']]
        for r in records
        for s in r['steps']
    }
    assert [row['id'] for row in asked] == list(keys)
    replies = tmp_path / 'replies.jsonl'
    rows = (json.dumps({'id': name, 'reply': letter}) for name, letter in keys.items())
    replies.write_text('\n'.join(rows), encoding='utf-8')
    told = cli('questions', 'score', out, replies, '--json')
    assert json.loads(told.out)['overall'] == 1.0
    assert 'macro_avg' in cli('questions', 'score', out, replies).out


def test_same_seed_writes_the_same_file_and_legacy_another_one(
    cli: RunCli, files: tuple[Path, Path], tmp_path: Path
) -> None:
    bag, db = files
    one, two, old = (tmp_path / name for name in ('a.jsonl', 'b.jsonl', 'c.json'))
    for out in (one, two):
        assert cli('questions', 'write', db, '--bag', bag, '--out', out, '--seed', 7).code == 0
    legacy = cli('questions', 'write', db, '--bag', bag, '--format', 'legacy', '--out', old)

    assert legacy.code == 0
    assert one.read_bytes() == two.read_bytes()
    for record in json.loads(old.read_text(encoding='utf-8')).values():
        assert record['incremental_steps']


def test_existing_file_is_kept(cli: RunCli, files: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / 'mine.jsonl'
    out.write_text('mine', encoding='utf-8')
    done = cli('questions', 'write', files[1], '--bag', files[0], '--out', out)

    assert done.code == 1
    assert '--overwrite' in done.err
    assert out.read_text(encoding='utf-8') == 'mine'


@pytest.mark.parametrize(
    ('options', 'found'),
    [
        (('--count', -1), '--count: expected >= 0, got -1'),
        (('--seed', -5), '--seed: expected >= 0, got -5'),
        (('--camera', 'wrist'), "expected a camera 'wrist', found head"),
        (('--count', 0), 'expected objects that were moved'),
    ],
)
def test_bad_options_are_named_in_one_line(
    cli: RunCli,
    files: tuple[Path, Path],
    tmp_path: Path,
    options: tuple[object, ...],
    found: str,
) -> None:
    out = tmp_path / 'q.jsonl'
    done = cli('questions', 'write', files[1], '--bag', files[0], '--out', out, *options)

    assert done.code == 1
    assert found in done.err
    assert done.err.count('\n') == 1
    assert not out.exists()


def test_cues_offered_are_those_there_are() -> None:
    from st_memory.benchmark.questions.prompts import Cue
    from st_memory.core.queries import FORMATS

    assert {cue.value for cue in Cue} == set(command._CUES)
    assert {f'beyond3d_{name}' for name in command._FORMATS} == set(FORMATS)


PUBLISHED = 'beyond3d_p01/questions_h30_legacy_format.json'


@pytest.mark.parametrize('cue', ['none', 'unseen'])
def test_published_legacy_file_is_prompted(
    cli: RunCli, shared_data: Path, tmp_path: Path, cue: str
) -> None:
    out = tmp_path / 'prompts.jsonl'
    done = cli('questions', 'prompt', shared_data / PUBLISHED, '--cue', cue, '--out', out)
    prompts = [json.loads(line)['prompt'] for line in out.read_text(encoding='utf-8').splitlines()]

    assert done.code == 0, done.err
    assert len(prompts) == 140
    assert not any("Question: ['" in prompt for prompt in prompts)
    assert sum('is no longer visible' in prompt for prompt in prompts) == 120 * (cue == 'unseen')


@pytest.mark.parametrize('cue', ['movements', 'both'])
def test_cue_that_a_file_has_no_data_for_names_the_file(
    cli: RunCli, shared_data: Path, tmp_path: Path, cue: str
) -> None:
    out = tmp_path / 'prompts.jsonl'
    done = cli('questions', 'prompt', shared_data / PUBLISHED, '--cue', cue, '--out', out)

    assert done.code == 1
    assert done.err.count('\n') == 1
    assert f'{shared_data / PUBLISHED}: trajectory ' in done.err
    assert f'generation_info.movements_sec for the cue {cue}' in done.err
    assert not out.exists()


@pytest.mark.parametrize('stage', ['prompt', 'score'])
@pytest.mark.parametrize('text', ['', '[]', '{"a": []}', '{"trajectory_id": "a"}', 'no json'])
def test_malformed_question_file_is_one_line(
    cli: RunCli, tmp_path: Path, stage: str, text: str
) -> None:
    path, replies, out = (tmp_path / name for name in ('q.jsonl', 'r.jsonl', 'out.jsonl'))
    path.write_text(text, encoding='utf-8')
    replies.write_text('', encoding='utf-8')
    more = (replies,) if stage == 'score' else ('--out', out)
    done = cli('questions', stage, path, *more)

    assert done.code == 1
    assert done.err.count('\n') == 1
    assert str(path) in done.err
    assert not out.exists()


def test_what_was_written_says_what_can_be_answered_without_looking(
    cli: RunCli, files: tuple[Path, Path], tmp_path: Path
) -> None:
    """One mug about which all answers are the same gives itself away."""
    bag, db = files
    out = tmp_path / 'q.jsonl'
    written = cli('questions', 'write', db, '--bag', bag, '--out', out, '--count', 20)
    told = json.loads((tmp_path / 'q.jsonl.shortcuts.json').read_text(encoding='utf-8'))
    checked = cli('questions', 'check', out, '--json')
    table = cli('questions', 'check', out)

    assert written.code == 0, written.err
    assert told['oos_branch_object_object_distance']['answer_prior'] == 1.0
    assert told['oos_branch_object_object_distance']['leaks'] == ['answer_prior', 'position']
    assert told['oos_step4_fixture']['leaks'] == []
    assert 'without looking: oos_branch_object_object_distance: answer_prior' in written.err
    assert json.loads(checked.out) == told
    assert checked.code == table.code == 3
    assert 'leaks: oos_branch_object_object_distance: answer_prior gets 1.00 of 20' in table.out


@pytest.mark.parametrize('name', ['q.jsonl', 'q.jsonl.shortcuts.json'])
def test_nothing_written_is_replaced(
    cli: RunCli, files: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text('mine', encoding='utf-8')
    done = cli('questions', 'write', files[1], '--bag', files[0], '--out', tmp_path / 'q.jsonl')

    assert done.code == 1
    assert '--overwrite' in done.err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_published_file_is_checked(cli: RunCli, shared_data: Path) -> None:
    done = cli('questions', 'check', shared_data / PUBLISHED)

    assert 'oos_step1_visibility' in done.out
    assert done.code == 3  # all of its targets are out of sight
    assert 'leaks: oos_step1_visibility: answer_prior gets 1.00 of 20' in done.out

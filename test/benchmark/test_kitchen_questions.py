"""A short kitchen, small pictures: the whole way from a seed to answers and figures."""

from __future__ import annotations

from collections.abc import Iterator
import csv
import json
import os
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest

from st_memory.benchmark import benchmark_named, kitchen_questions, run_predict, run_score
from st_memory.benchmark.kitchen_questions_follow import main as follow_main
from st_memory.benchmark.questions.templates import CLASSES
from st_memory.core.errors import DatasetError, MissingExtraError, StMemoryError
from st_memory.sim import load_mujoco, RenderingUnavailableError
from test.conftest import ROOT

QUESTIONS = benchmark_named('kitchen-questions')
SMALL = {
    'duration_s': 80.0,
    'image_rate_hz': 3.0,
    'width': 160,
    'height': 120,
    'min_detection_px': 12,
}
SEED = 11


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Predict and score one small kitchen; skips where nothing can render."""
    try:
        load_mujoco()
    except (MissingExtraError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    out = tmp_path_factory.mktemp('kitchens') / 'out'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kitchen_questions, 'OPTIONS', {**kitchen_questions.OPTIONS, **SMALL})
        patch.setattr(kitchen_questions, 'NUM_KITCHENS', 1)
        patch.setattr(kitchen_questions, 'NUM_TRAJECTORIES', 9)
        run_predict(QUESTIONS, None, out, SEED)
        yield out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def test_real_kitchens_are_ten_noisy_minutes_with_nothing_given_away() -> None:
    options = kitchen_questions.OPTIONS

    assert options['duration_s'] == 600.0
    assert options['noise'] == 'standard'
    assert not {'oracle_ids', 'oracle_movements'} & set(options)
    assert kitchen_questions.NUM_TRAJECTORIES % 3 == 0  # three groups of horizons


def test_all_classes_are_asked_with_one_key_each(run: Path) -> None:
    rows = lines(run / 'questions.jsonl')

    assert {row['class'] for row in rows} == set(CLASSES.values())
    assert len({row['id'] for row in rows}) == len(rows)
    for row in rows:
        assert row['choices'][row['correct_idx']]
        assert len(set(row['choices'])) == len(row['choices']) >= 2


def test_every_question_has_one_prediction_in_each_rung(run: Path) -> None:
    ids = {row['id'] for row in lines(run / 'questions.jsonl')}
    for rung in ('.', 'oracle_detections', 'oracle_tracks', 'static_memory'):
        rows = lines(run / rung / 'predictions.jsonl')

        assert len(rows) == len(ids)
        assert {row['id'] for row in rows} == ids


def test_every_detection_of_the_recording_is_an_item(run: Path) -> None:
    """The detector is run again on the truth: its detections must be those that were taken."""
    rows = table(run / 'identities.csv')
    taken = [row for row in rows if row['object_id']]

    assert len(taken) > 0.5 * len(rows)
    assert any(not row['true_id'] for row in rows)  # false detections
    assert any(row['true_id'] and row['label'] != row['true_id'][:-2] for row in rows)


def test_tracks_of_a_perfect_tracker_are_perfect(run: Path) -> None:
    figures = run_score(QUESTIONS, None, run)['ladder']['oracle_tracks']

    assert figures['idf1'] == pytest.approx(1.0, abs=0.02)
    assert figures['moves']['recall'] == 1.0


def test_score_has_all_figures(run: Path) -> None:
    result = run_score(QUESTIONS, None, run)

    assert json.loads((run / 'score.json').read_text()) == result
    assert set(result['macro_by_horizon']) == {'short', 'medium', 'long'}
    assert result['questions'] == len(lines(run / 'questions.jsonl'))
    assert set(result['ladder']) == {
        'oracle_detections',
        'oracle_tracks',
        'static_memory',
        'text_only',
        'chance',
    }
    for name in ('macro', 'idf1', 'wrong_fixture_rate'):
        assert 0.0 <= result[name] <= 1.0
    assert 0.0 <= result['moves']['precision'] <= 1.0
    assert result['difficulty']['k1']['same_kind_pairs'] >= 2


def test_independent_count_agrees(run: Path, shared_data: Path) -> None:
    tool = shared_data.parent / 'tools' / 'rescore.py'
    if not tool.is_file():
        pytest.skip(f'needs {tool}')
    ours = run_score(QUESTIONS, None, run)
    words = [sys.executable, str(tool), 'kitchen-questions', '-', str(run)]
    theirs = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)

    assert theirs['macro'] == pytest.approx(ours['macro'])
    shares = {name: v['correct'] / v['total'] for name, v in ours['per_class'].items()}
    assert theirs['per_class'] == pytest.approx(shares)


def test_keys_of_a_question_change_no_answer(run: Path, tmp_path: Path) -> None:
    """With every key wrong the process that answers must say the same."""
    rows = lines(run / 'questions.jsonl')
    for row in rows:
        row['correct_idx'] = (row['correct_idx'] + 1) % len(row['choices'])
        row['answer'], row['horizon'] = {'time_sec': 0.0}, 'long'
    asked = tmp_path / 'asked.jsonl'
    asked.write_text('\n'.join(map(json.dumps, rows)), encoding='utf-8')
    bag = run / 'recordings' / 'k1' / 'bag.mcap'

    assert follow_main([str(bag), str(asked), str(tmp_path)]) == 0
    assert lines(tmp_path / 'answers.jsonl') == lines(run / 'predictions.jsonl')


_WATCH = """
import runpy, sys
opened = open({log!r}, 'w')
def note(event, values):
    if event in ('open', 'os.listdir', 'os.scandir') and isinstance(values[0], (str, bytes)):
        opened.write(f'{{event}} {{values[0]}}\\n')
sys.addaudithook(note)
sys.argv = ['follow', 'bag.mcap', 'asked.jsonl', 'out']
runpy.run_module('st_memory.benchmark.kitchen_questions_follow', run_name='__main__')
"""


def test_answering_process_opens_the_bag_and_the_questions_alone(
    run: Path, tmp_path: Path
) -> None:
    place, log = tmp_path / 'place', tmp_path / 'opened.txt'
    (place / 'out').mkdir(parents=True)
    (place / 'bag.mcap').write_bytes((run / 'recordings' / 'k1' / 'bag.mcap').read_bytes())
    (place / 'asked.jsonl').write_text('', encoding='utf-8')
    subprocess.run(
        [sys.executable, '-c', _WATCH.format(log=str(log))],
        cwd=place,
        check=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT)},
    )
    touched = {line.partition(' ')[2].strip() for line in log.read_text().splitlines()}
    # Code and what the system brings are read from where they are installed.
    system = (str(ROOT), sys.prefix, sys.base_prefix, '/proc', '/sys', '/dev', '/usr', '/etc')
    system += ('/lib',)
    ours = {(place / name).resolve() for name in touched if not name.startswith(system)}
    given = {place / 'bag.mcap', place / 'asked.jsonl'}

    assert given <= {path for path in ours if path.is_file()}
    assert all(path in given or path == place or place / 'out' in (path, path.parent)
               for path in ours)  # fmt: skip


def test_recording_that_cannot_be_read_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'asked.jsonl').write_text('', encoding='utf-8')
    code = follow_main([str(tmp_path / 'no.mcap'), str(tmp_path / 'asked.jsonl'), str(tmp_path)])

    assert code == 1
    assert capsys.readouterr().err.count('\n') == 1


@pytest.mark.parametrize('name', ['questions.jsonl', 'predictions.jsonl', 'moves.csv'])
def test_changed_file_is_not_scored(run: Path, name: str) -> None:
    path = run / name
    before = path.read_bytes()
    path.write_bytes(before + b'\n')
    try:
        with pytest.raises(StMemoryError, match=f'{name}: is not the file that was predicted'):
            run_score(QUESTIONS, None, run)
    finally:
        path.write_bytes(before)


def test_run_without_questions_is_named(tmp_path: Path) -> None:
    (tmp_path / 'questions.jsonl').write_text('', encoding='utf-8')

    with pytest.raises(DatasetError, match=r'questions\.jsonl: expected questions, found none'):
        kitchen_questions.score(tmp_path, tmp_path)


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    run_predict(QUESTIONS, None, tmp_path / 'again', SEED)

    for name in QUESTIONS.predictions:
        assert (tmp_path / 'again' / name).read_bytes() == (run / name).read_bytes(), name

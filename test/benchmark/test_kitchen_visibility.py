"""Short kitchens, small pictures: the whole way from a seed to the figures."""

from __future__ import annotations

from collections.abc import Iterator
import csv
from dataclasses import replace
import json
import os
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest

from st_memory.benchmark import benchmark_named, kitchen_visibility, run_predict, run_score
from st_memory.benchmark import kitchen_visibility_render as rendering
from st_memory.benchmark.kitchen_visibility_follow import follow, Prediction
from st_memory.benchmark.kitchen_visibility_follow import main as follow_main
from st_memory.cli.main import main
from st_memory.core.errors import MissingExtraError, StMemoryError
from st_memory.sim import load_mujoco, RenderingUnavailableError
from test.conftest import ROOT

KITCHENS = benchmark_named('kitchen-visibility')
SMALL = {
    'duration_s': 6.0,
    'image_rate_hz': 3.0,
    'width': 160,
    'height': 120,
    'min_detection_px': 12,
}


def shortened() -> tuple[rendering.KitchenBlock, ...]:
    """Give the blocks with small kitchens, two of them in the first."""
    return tuple(
        replace(block, num_kitchens=2 - min(i, 1), options={**block.options, **SMALL})
        for i, block in enumerate(kitchen_visibility.BLOCKS)
    )


@pytest.fixture(scope='module')
def blocks() -> Iterator[tuple[rendering.KitchenBlock, ...]]:
    """Put small kitchens in the place of the real ones; skips where nothing can render."""
    try:
        load_mujoco()
    except (MissingExtraError, RenderingUnavailableError) as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kitchen_visibility, 'BLOCKS', shortened())
        yield kitchen_visibility.BLOCKS


@pytest.fixture(scope='module')
def run(
    blocks: tuple[rendering.KitchenBlock, ...], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Predict with seed 5."""
    out = tmp_path_factory.mktemp('kitchens') / 'out'
    run_predict(KITCHENS, None, out, 5)
    return out


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def test_real_blocks_are_minutes_long_without_movements_reported() -> None:
    seconds = {
        block.name: sum(spec.duration_s for spec in block.kitchens(list(range(9))))
        for block in kitchen_visibility.BLOCKS
    }
    specs = {block.name: block.kitchens([1] * 9)[0] for block in kitchen_visibility.BLOCKS}

    assert seconds == {'clean': 180.0, 'unknown_joints': 120.0, 'noisy': 180.0}
    assert {name: spec.noise for name, spec in specs.items()} == {
        'clean': 'clean',
        'unknown_joints': 'clean',
        'noisy': 'standard',
    }
    assert [name for name, spec in specs.items() if not spec.publish_joints] == ['unknown_joints']
    assert all(spec.oracle_ids and not spec.oracle_movements for spec in specs.values())


def test_tables_of_every_block_join_by_id_and_stamp(run: Path) -> None:
    for block, kitchens in (('clean', 2), ('unknown_joints', 1), ('noisy', 1)):
        truth = table(run / block / 'truth.csv')
        predictions = table(run / block / 'predictions.csv')
        keys = {(row['object_id'], row['stamp_ns']) for row in truth}
        named = [row for row in predictions if '/unnamed/' not in row['object_id']]

        assert len(truth) == len(keys) == kitchens * 18 * 16  # images of six seconds, objects
        assert len({row['object_id'].partition('/')[0] for row in truth}) == kitchens
        assert named
        assert all((row['object_id'], row['stamp_ns']) in keys for row in named)
        assert len({(row['object_id'], row['stamp_ns']) for row in predictions}) == len(
            predictions
        )
        assert tuple(predictions[0]) == Prediction._fields


def test_object_has_rows_from_its_first_detection_on(run: Path) -> None:
    truth = table(run / 'clean' / 'truth.csv')
    first: dict[str, int] = {}
    for row in table(run / 'clean' / 'predictions.csv'):
        first.setdefault(row['object_id'], int(row['stamp_ns']))
    for object_id, stamp_ns in first.items():
        seen = [
            int(row['stamp_ns'])
            for row in truth
            if row['object_id'] == object_id and int(row['visible_px']) >= 12
        ]
        stamps = {int(row['stamp_ns']) for row in truth if row['object_id'] == object_id}
        assert min(seen) <= stamp_ns
        assert sum(s >= stamp_ns for s in stamps) == sum(
            row['object_id'] == object_id for row in table(run / 'clean' / 'predictions.csv')
        )


def test_kitchens_have_seeds_of_their_own_and_the_manifest_says_them(run: Path) -> None:
    manifest = json.loads((run / 'manifest.json').read_text())
    kitchens = {k: v for block in manifest['run'].values() for k, v in block.items()}

    assert manifest['seed'] == 5
    assert set(kitchens) == {'k1', 'k2', 'k3', 'k4'}
    assert len({kitchen['seed'] for kitchen in kitchens.values()}) == 4
    for name, kitchen in kitchens.items():
        report = json.loads((run / 'recordings' / name / 'truth' / 'report.json').read_text())
        assert report['spec']['seed'] == kitchen['seed']
        assert kitchen['images'] == 18


def test_score_is_of_all_blocks(run: Path) -> None:
    result = run_score(KITCHENS, None, run)

    assert json.loads((run / 'score.json').read_text()) == result
    for block in ('clean', 'unknown_joints', 'noisy'):
        assert result[block]['cases'] > 0
        assert (
            sum(n for row in result['details'][block]['confusion'].values() for n in row.values())
            == result[block]['cases']
        )
    assert result['clean']['all_accuracy'] > 0.5


def test_independent_count_agrees(run: Path, shared_data: Path) -> None:
    tool = shared_data.parent / 'tools' / 'rescore.py'
    if not tool.is_file():
        pytest.skip(f'needs {tool}')
    ours = run_score(KITCHENS, None, run)
    words = [sys.executable, str(tool), 'kitchen-visibility', '-', str(run)]
    theirs = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)

    assert set(theirs) == {'clean', 'noisy'}
    for block, figures in theirs.items():
        assert figures == {name: ours[block][name] for name in figures}


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes(run: Path, tmp_path: Path) -> None:
    run_predict(KITCHENS, tmp_path / 'elsewhere', tmp_path / 'again', 5)

    assert (tmp_path / 'elsewhere' / 'k1' / 'bag.mcap').is_file()
    assert not (tmp_path / 'again' / 'recordings').exists()
    for name in KITCHENS.predictions:
        assert (tmp_path / 'again' / name).read_bytes() == (run / name).read_bytes()


@pytest.mark.parametrize('name', KITCHENS.predictions)
def test_changed_table_is_not_scored(run: Path, name: str) -> None:
    path = run / name
    before = path.read_bytes()
    path.write_bytes(before + b'\n')
    try:
        with pytest.raises(StMemoryError, match=f'{name}: is not the file that was predicted'):
            run_score(KITCHENS, None, run)
    finally:
        path.write_bytes(before)


_WATCH = """
import runpy, sys
opened = open({log!r}, 'w')
def note(event, values):
    if event in ('open', 'os.listdir', 'os.scandir') and isinstance(values[0], (str, bytes)):
        opened.write(f'{{event}} {{values[0]}}\\n')
sys.addaudithook(note)
sys.argv = ['follow', 'bag.mcap', 'rows.csv']
runpy.run_module('st_memory.benchmark.kitchen_visibility_follow', run_name='__main__')
"""


def test_predicting_process_opens_the_bag_alone(run: Path, tmp_path: Path) -> None:
    place, log = tmp_path / 'place', tmp_path / 'opened.txt'
    place.mkdir()
    bag = place / 'bag.mcap'
    bag.write_bytes((run / 'recordings' / 'k1' / 'bag.mcap').read_bytes())
    subprocess.run(
        [sys.executable, '-c', _WATCH.format(log=str(log))],
        cwd=place,
        check=True,
        env={**os.environ, 'PYTHONPATH': str(ROOT)},
    )
    touched = {line.partition(' ')[2] for line in log.read_text().splitlines()}
    # Code and what the system brings are read from where they are installed.
    system = (
        str(ROOT),
        sys.prefix,
        sys.base_prefix,
        '/proc',
        '/sys',
        '/dev',
        '/usr',
        '/etc',
        '/lib',
    )
    ours = {str((place / name).resolve()) for name in touched if not name.startswith(system)}

    assert str(bag) in ours
    assert ours <= {str(place), str(bag), str(place / 'rows.csv')}
    assert not any(name.endswith('truth.csv') for name in touched)


def test_predicting_process_gets_a_folder_with_the_bag_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bag = tmp_path / 'recordings' / 'k1' / 'bag.mcap'
    bag.parent.mkdir(parents=True)
    bag.write_bytes(b'a recording')
    (bag.parent / 'truth').mkdir()
    given: dict[str, Any] = {}

    def spy(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        folder = Path(options['cwd'])
        given.update(words=words, files=[path.name for path in folder.rglob('*')], folder=folder)
        (folder / 'rows.csv').write_text('rows')
        return subprocess.CompletedProcess(words, 0, '', '')

    monkeypatch.setattr(subprocess, 'run', spy)
    rendering.predict_apart(bag, tmp_path / 'rows.csv')

    assert given['files'] == ['bag.mcap']
    assert given['words'][-2:] == ['bag.mcap', 'rows.csv']
    assert not any(str(tmp_path) in word for word in given['words'])
    assert not given['folder'].exists()
    assert (tmp_path / 'rows.csv').read_text() == 'rows'


def test_bag_that_cannot_be_followed_is_one_line(tmp_path: Path) -> None:
    bag = tmp_path / 'bag.mcap'
    bag.write_bytes(b'no recording')

    with pytest.raises(StMemoryError, match=r'bag\.mcap: following it ended with 1: .+') as caught:
        rendering.predict_apart(bag, tmp_path / 'rows.csv')

    assert '\n' not in str(caught.value)
    assert not (tmp_path / 'rows.csv').exists()


def test_following_a_broken_bag_says_so_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = tmp_path / 'bag.mcap'
    bag.write_bytes(b'no recording')

    assert follow_main([str(bag), str(tmp_path / 'rows.csv')]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_following_in_this_process_gives_the_same_rows(run: Path) -> None:
    rows = [tuple(map(str, row)) for row in follow(run / 'recordings' / 'k4' / 'bag.mcap')]
    written = [tuple(row.values()) for row in table(run / 'noisy' / 'predictions.csv')]

    assert [(f'k4/{first}', *rest) for first, *rest in rows] == written


def test_seeds_of_kitchens_follow_from_the_seed_and_differ() -> None:
    seeds = rendering.distinct_seeds(7, 500)

    assert len(set(seeds)) == 500
    assert rendering.distinct_seeds(7, 3) == seeds[:3]
    assert rendering.distinct_seeds(8, 3) != seeds[:3]


@pytest.mark.parametrize(
    'error',
    [
        MissingExtraError('mujoco', 'sim', 'rendering a kitchen'),
        RenderingUnavailableError('no EGL'),
    ],
)
def test_machine_that_cannot_render_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: StMemoryError,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(rendering, 'render_kitchen', refuse)

    assert main(['bench', 'run', 'kitchen-visibility', '--out', str(tmp_path / 'out')]) == 1
    assert capsys.readouterr().err.splitlines() == [f'st_memory: error: {error}']
    # What is left of it can be made anew, and is no result.
    assert main(['bench', 'score', 'kitchen-visibility', '--out', str(tmp_path / 'out')]) == 1
    assert 'is not the file that was predicted' in capsys.readouterr().err


@pytest.mark.slow
def test_command_prints_the_figures_and_one_line_per_kitchen(
    run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level('INFO', logger='st_memory.benchmark')
    out = tmp_path / 'out'

    assert main(['bench', 'run', 'kitchen-visibility', '--out', str(out), '--seed', '9']) == 0

    printed = capsys.readouterr().out
    assert 'clean.clear_cases_accuracy' in printed
    assert 'details' not in printed
    assert json.loads((out / 'manifest.json').read_text())['seed'] == 9
    for name in KITCHENS.predictions:  # another seed, other kitchens
        assert (out / name).read_bytes() != (run / name).read_bytes()
    lines = [r.getMessage() for r in caplog.records if r.name.startswith('st_memory.benchmark')]
    assert [line.partition(':')[0] for line in lines] == [f'kitchen {i} of 4' for i in range(1, 5)]

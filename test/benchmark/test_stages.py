"""Two stages that only fit each other: predictions first, then a score of just those."""

from __future__ import annotations

from collections.abc import Callable
import json
from pathlib import Path

import pytest

from st_memory.benchmark import Benchmark, benchmark_named, BENCHMARKS, run_predict, run_score
from st_memory.core.errors import ConfigError, DatasetError, StMemoryError


def _predict(data: Path, out: Path, seed: int) -> dict[str, int]:
    (out / 'guesses.csv').write_text((data / 'inputs.csv').read_text() + str(seed))
    return {'items': 1}


def _draw(data: Path, out: Path, seed: int) -> dict[str, int]:
    data.mkdir(parents=True, exist_ok=True)
    for name in (out / 'guesses.csv', data / 'truth.csv'):
        name.write_text(str(seed))
    return {'items': 1}


def _score(data: Path, out: Path) -> dict[str, int]:
    return {'right': int((out / 'guesses.csv').read_text() == (data / 'truth.csv').read_text())}


ECHO = Benchmark('echo', 'repeats its input', ('guesses.csv',), _predict, _score)
RENDERED = Benchmark('drawn', 'makes its data', ('guesses.csv',), _draw, _score, is_rendered=True)
OTHER = Benchmark('other', 'another', ('guesses.csv',), _predict, _score)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / 'data'
    folder.mkdir()
    (folder / 'inputs.csv').write_text('a')
    (folder / 'truth.csv').write_text('a7')
    return folder


def test_score_is_of_the_predicted_files(data: Path, tmp_path: Path) -> None:
    out = tmp_path / 'new' / 'out'

    run_predict(ECHO, data, out, seed=7)
    result = run_score(ECHO, data, out)

    assert result['right'] == 1
    assert json.loads((out / 'score.json').read_text()) == result


def test_manifest_says_what_ran(data: Path, tmp_path: Path) -> None:
    manifest = run_predict(ECHO, data, tmp_path / 'out', seed=3)

    assert manifest['benchmark'] == 'echo'
    assert manifest['seed'] == 3
    assert manifest['run'] == {'items': 1}
    assert manifest == json.loads((tmp_path / 'out' / 'manifest.json').read_text())


def test_edited_predictions_are_not_scored(data: Path, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    run_predict(ECHO, data, out)
    (out / 'guesses.csv').write_text('a7')

    with pytest.raises(StMemoryError, match=r'guesses\.csv: is not the file that was predicted'):
        run_score(ECHO, data, out)


def test_score_before_predict_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(StMemoryError, match='run bench predict first'):
        run_score(ECHO, data, tmp_path)


@pytest.mark.parametrize('stage', [run_predict, run_score])
def test_folder_of_another_benchmark_is_refused(data: Path, tmp_path: Path, stage: object) -> None:
    run_predict(ECHO, data, tmp_path / 'out')

    with pytest.raises(StMemoryError, match='holds a run of echo, not other'):
        stage(OTHER, data, tmp_path / 'out')


def test_new_predictions_drop_the_old_score(data: Path, tmp_path: Path) -> None:
    out = tmp_path / 'out'
    run_predict(ECHO, data, out)
    run_score(ECHO, data, out)

    run_predict(ECHO, data, out, seed=1)

    assert not (out / 'score.json').exists()


def test_data_that_is_no_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='nowhere: expected a folder with the data of echo'):
        run_predict(ECHO, tmp_path / 'nowhere', tmp_path / 'out')


@pytest.mark.parametrize('stage', [run_predict, run_score])
def test_no_data_for_a_benchmark_that_needs_some_is_one_line(
    tmp_path: Path, stage: Callable[[Benchmark, None, Path], object]
) -> None:
    with pytest.raises(DatasetError, match='echo: expected a folder with its data, got none'):
        stage(ECHO, None, tmp_path / 'out')


def test_rendered_data_go_into_the_results_by_default(tmp_path: Path) -> None:
    run_predict(RENDERED, None, tmp_path / 'out', seed=4)

    assert (tmp_path / 'out' / 'recordings' / 'truth.csv').read_text() == '4'
    assert run_score(RENDERED, None, tmp_path / 'out')['right'] == 1


def test_rendered_data_go_where_they_are_wanted(tmp_path: Path) -> None:
    run_predict(RENDERED, tmp_path / 'new' / 'data', tmp_path / 'out', seed=4)

    assert not (tmp_path / 'out' / 'recordings').exists()
    assert run_score(RENDERED, tmp_path / 'new' / 'data', tmp_path / 'out')['right'] == 1


def test_seed_of_what_is_rendered_is_fresh_and_in_the_manifest(tmp_path: Path) -> None:
    seeds = {run_predict(RENDERED, None, tmp_path / 'out')['seed'] for _ in range(5)}

    assert len(seeds) > 1
    assert int((tmp_path / 'out' / 'guesses.csv').read_text()) in seeds


def test_seed_without_rendering_is_zero(data: Path, tmp_path: Path) -> None:
    assert run_predict(ECHO, data, tmp_path / 'out')['seed'] == 0


def test_negative_seed_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='seed: expected a whole number >= 0, got -1'):
        run_predict(ECHO, data, tmp_path / 'out', seed=-1)


@pytest.mark.parametrize('text', ['{', '[]', '{"benchmark": "echo"}'])
def test_broken_manifest_is_one_line(data: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / 'manifest.json').write_text(text)

    with pytest.raises(StMemoryError, match='expected a manifest of a benchmark run'):
        run_score(ECHO, data, tmp_path)


def test_unknown_benchmark_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"one of .*beyond3d-track.*, got 'beyond4d'"):
        benchmark_named('beyond4d')


def test_names_in_the_list_are_those_of_the_benchmarks() -> None:
    assert all(benchmark_named(name).name == name for name in BENCHMARKS)


# What is there already.


def test_results_where_a_file_is_are_refused(data: Path, tmp_path: Path) -> None:
    file = tmp_path / 'shelf.obj'
    file.write_text('mine')

    with pytest.raises(StMemoryError, match=r'shelf\.obj: expected a folder for the results'):
        run_predict(ECHO, data, file)
    with pytest.raises(StMemoryError, match=r'expected to be in a folder, found the file .*obj'):
        run_predict(ECHO, data, file / 'deep' / 'out')
    assert file.read_text() == 'mine'


def test_folder_with_files_of_somebody_is_refused(data: Path, tmp_path: Path) -> None:
    out = tmp_path / 'mine'
    out.mkdir()
    (out / 'guesses.csv').write_text('mine')

    with pytest.raises(StMemoryError, match=r'earlier run of echo, found guesses\.csv'):
        run_predict(ECHO, data, out)

    assert (out / 'guesses.csv').read_text() == 'mine'
    assert [path.name for path in out.iterdir()] == ['guesses.csv']


def _fail_early(data: Path, out: Path, seed: int) -> dict[str, int]:
    raise DatasetError(f'{data}: expected something else')


def _fail_late(data: Path, out: Path, seed: int) -> dict[str, int]:
    (out / 'guesses.csv').write_text('half')
    raise DatasetError(f'{data}: expected more')


@pytest.mark.parametrize(('fail', 'score_is_left'), [(_fail_early, True), (_fail_late, False)])
def test_failed_run_leaves_the_score_of_predictions_that_are_still_there(
    data: Path, tmp_path: Path, fail: Callable, score_is_left: bool
) -> None:
    run_predict(ECHO, data, tmp_path / 'out', seed=7)
    run_score(ECHO, data, tmp_path / 'out')
    failing = Benchmark('echo', 'fails', ('guesses.csv',), fail, _score)

    with pytest.raises(DatasetError):
        run_predict(failing, data, tmp_path / 'out')

    assert (tmp_path / 'out' / 'score.json').exists() is score_is_left
    assert sorted(p.name for p in (tmp_path / 'out').iterdir() if p.name != 'score.json') == [
        'guesses.csv',
        'manifest.json',
    ]


def test_failed_first_run_leaves_nothing_or_can_be_run_again(data: Path, tmp_path: Path) -> None:
    early = Benchmark('echo', 'fails', ('guesses.csv',), _fail_early, _score)
    late = Benchmark('echo', 'fails', ('guesses.csv',), _fail_late, _score)

    with pytest.raises(DatasetError):
        run_predict(early, data, tmp_path / 'early')
    with pytest.raises(DatasetError):
        run_predict(late, data, tmp_path / 'late')

    assert not (tmp_path / 'early').exists()
    with pytest.raises(StMemoryError, match='is not the file that was predicted'):
        run_score(ECHO, data, tmp_path / 'late')
    assert run_predict(ECHO, data, tmp_path / 'late', seed=7)['seed'] == 7
    assert run_score(ECHO, data, tmp_path / 'late')['right'] == 1

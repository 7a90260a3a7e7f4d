"""The published Beyond3D track, met through bag, fold and classifier; truth stays unread."""

from __future__ import annotations

import json
from pathlib import Path
import shutil

import pytest

from st_memory.benchmark import benchmark_named, run_predict, run_score
from st_memory.core.errors import DatasetError

TRACK = benchmark_named('beyond3d-track')
TRUTH = ('inview_track_*.json', 'questions_*.json', '*recovered*.csv')


@pytest.fixture(scope='module')
def stripped(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the folder without any answer."""
    folder = tmp_path_factory.mktemp('beyond3d') / 'stripped'
    shutil.copytree(shared_data / 'beyond3d_p01', folder)
    for pattern in TRUTH:
        for path in folder.glob(pattern):
            path.chmod(0o644)
            path.unlink()
    return folder


@pytest.fixture(scope='module')
def run(stripped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predict from the stripped folder."""
    out = tmp_path_factory.mktemp('track')
    run_predict(TRACK, stripped, out)
    return out


@pytest.mark.data
def test_track_is_met_exactly(shared_data: Path, run: Path) -> None:
    result = run_score(TRACK, shared_data / 'beyond3d_p01', run)

    assert result['geometrically_occluded'] == {'correct': 353, 'total': 353}
    assert result['in_view'] == {'correct': 3934, 'total': 3934}
    assert result['in_motion'] == {'correct': 376, 'total': 376}
    assert result['out_of_view'] == {'correct': 8370, 'total': 8370}
    assert result['pixels']['compared'] == result['pixels']['total'] == 6698
    assert result['pixels']['max_error_px'] <= 1e-5


@pytest.mark.data
def test_geometry_alone_cannot_tell_closed_fixtures(shared_data: Path, run: Path) -> None:
    result = run_score(TRACK, shared_data / 'beyond3d_p01', run)

    assert result['closed_fixture']['by_geometry_alone'] == {'OCCLUDED': 127, 'VISIBLE': 267}


@pytest.mark.data
def test_without_the_lookahead_early_samples_are_unknown(shared_data: Path, run: Path) -> None:
    result = run_score(TRACK, shared_data / 'beyond3d_p01', run)

    assert result['without_lookahead'] == {'before_first_movement': 4452, 'unknown': 4452}


@pytest.mark.data
def test_truth_in_the_folder_changes_no_prediction(
    shared_data: Path, run: Path, tmp_path: Path
) -> None:
    run_predict(TRACK, shared_data / 'beyond3d_p01', tmp_path)

    for name in TRACK.predictions:
        assert (tmp_path / name).read_bytes() == (run / name).read_bytes()


@pytest.mark.data
def test_score_without_truth_is_one_line(stripped: Path, run: Path) -> None:
    with pytest.raises(DatasetError, match='expected one inview_track'):
        run_score(TRACK, stripped, run)


def test_folder_without_a_mesh_is_one_line(tmp_path: Path) -> None:
    (tmp_path / 'object_states.json').write_text(json.dumps({'objects': {}}))

    with pytest.raises(DatasetError, match=r'expected one \.glb mesh of the kitchen, found 0'):
        run_predict(TRACK, tmp_path, tmp_path / 'out')

"""The published Beyond3D track, met through bag, fold and classifier; truth stays unread."""

from __future__ import annotations

import csv
import json
from pathlib import Path
import shutil

import pytest

from st_memory.benchmark import benchmark_named, run_predict, run_score
from st_memory.core.errors import DatasetError
from test.benchmark.beyond3d_folder import write_folder

TRACK = benchmark_named('beyond3d-track')
QUESTIONS = benchmark_named('beyond3d-questions')
TRUTH = ('inview_track_*.json', '*recovered*.csv')
ANSWERS = ('correct_idx', 'answer_metadata', 'acceptable_idxs', 'target_text')


@pytest.fixture(scope='module')
def stripped(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the folder without any answer; of the questions only what is asked stays."""
    folder = tmp_path_factory.mktemp('beyond3d') / 'stripped'
    shutil.copytree(shared_data / 'beyond3d_p01', folder)
    for pattern in TRUTH:
        for path in folder.glob(pattern):
            path.chmod(0o644)
            path.unlink()
    (path,) = folder.glob('questions_*.json')
    trajectories = json.loads(path.read_text())
    for trajectory in trajectories.values():
        anchor_id = trajectory['generation_info']['anchor_assoc_id']
        trajectory['generation_info'] = {'anchor_assoc_id': anchor_id}
        for steps in (trajectory['incremental_steps'], *trajectory['branch_groups'].values()):
            for step in steps:
                for answer in ANSWERS:
                    step.pop(answer, None)
    path.chmod(0o644)
    path.write_text(json.dumps(trajectories))
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
    assert sum(result['closed_fixture']['blocked_by'].values()) == 127


@pytest.mark.data
def test_fixture_rule_stands_apart_and_hides_nothing_more(shared_data: Path, run: Path) -> None:
    result = run_score(TRACK, shared_data / 'beyond3d_p01', run)['closed_fixture']
    ruled = result['with_fixture_rule']

    # The rule only renames what is hidden already; none of the clear rays becomes blocked.
    assert ruled['states']['VISIBLE'] == 267
    assert ruled['states']['OCCLUDED'] + ruled['states']['AMBIGUOUS_FIXTURE'] == 127
    assert sum(ruled['ambiguous_by_fixture'].values()) == ruled['states']['AMBIGUOUS_FIXTURE']
    assert ruled['preset'] == 'beyond3d_track_v5_with_fixture_rule'


@pytest.mark.data
def test_questions_are_answered_as_published(shared_data: Path, run: Path) -> None:
    result = run_score(TRACK, shared_data / 'beyond3d_p01', run)

    for kind in ('visibility', 'last_placed', 'direction', 'relation', 'distance'):
        assert result[kind] == {'correct': 20, 'total': 20}
    # One box lies in a drawer that is shut, which poses, places and mesh do not show: the second
    # that geometry calls the last visible one is 5 s after the published one.
    assert result['last_visible'] == {'correct': 19, 'total': 20}
    assert result['questions']['missed'] == ['oos_staged_h30p0_3/2']
    assert result['questions']['last_visible_were_closed_fixtures_known'] == {
        'correct': 20,
        'total': 20,
    }


@pytest.mark.data
def test_pixels_of_the_last_look_are_the_published_ones(shared_data: Path, run: Path) -> None:
    folder = shared_data / 'beyond3d_p01'
    published = json.loads((folder / 'questions_h30_legacy_format.json').read_text())
    gaps = []
    with (run / 'predictions.csv').open(newline='') as file:
        for row in csv.DictReader(file):
            if row['class'] == 'last_visible':
                step = published[row['trajectory_id']]['incremental_steps'][1]['answer_metadata']
                if float(row['time_sec']) == step['sampled_last_visible_time_sec']:
                    u, v = step['projected_pixel']
                    gaps += [abs(float(row['u_px']) - u), abs(float(row['v_px']) - v)]

    assert len(gaps) == 2 * 19
    assert max(gaps) < 1e-5


@pytest.mark.data
def test_questions_alone_are_answered_as_with_the_track(
    stripped: Path, run: Path, tmp_path: Path
) -> None:
    run_predict(QUESTIONS, stripped, tmp_path)

    for name in QUESTIONS.predictions:
        assert (tmp_path / name).read_bytes() == (run / name).read_bytes()


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


def test_closed_fixture_is_told_by_geometry_and_apart_by_the_rule(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / 'data', cupboard=True)
    run_predict(TRACK, folder, tmp_path / 'out')
    # From 3 s to 5 s the camera looks at the mug, which a shut cupboard holds.
    closed, hidden = 'occluded_inside_closed_fixture', 'geometrically_occluded'
    statuses = ['in_view', 'in_view', 'in_motion', closed, closed, hidden, 'out_of_view']
    track = {'status_samples': statuses, 'projected_pixel_samples': [None] * len(statuses)}
    truth = json.dumps({'object_tracks': {'m1': track}})
    (folder / 'inview_track_x.json').write_text(truth)

    result = run_score(TRACK, folder, tmp_path / 'out')

    assert result['geometrically_occluded'] == {'correct': 1, 'total': 1}
    assert result['in_motion'] == result['out_of_view'] == {'correct': 1, 'total': 1}
    block = result['closed_fixture']
    assert block['by_geometry_alone'] == {'OCCLUDED': 2}
    assert block['blocked_by'] == {'cupboard.001': 2}
    ruled = block['with_fixture_rule']
    assert ruled['states'] == {'AMBIGUOUS_FIXTURE': 2}
    assert ruled['ambiguous_by_fixture'] == {'cupboard.001': 2}
    assert ruled['ambiguous_elsewhere'] == {'geometrically_occluded': 1}


def test_folder_without_a_mesh_is_one_line(tmp_path: Path) -> None:
    (tmp_path / 'object_states.json').write_text(json.dumps({'objects': {}}))

    with pytest.raises(DatasetError, match=r'expected one \.glb mesh of the kitchen, found 0'):
        run_predict(TRACK, tmp_path, tmp_path / 'out')

"""Visibility in Aria Digital Twin folders: worked out by hand, and against the real renderings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import shutil

import numpy as np
import pytest

from st_memory.benchmark import benchmark_named, run_predict, run_score
from st_memory.benchmark.share_samples import read_samples, SAMPLES, ShareSample
from st_memory.core.errors import DatasetError
from test.datasets.adt_folder import (
    AdtWorld,
    BOOK,
    CHAIR,
    CUP,
    edit_table,
    LOOKS_NS,
    STREAM,
    turned,
    VASE,
    write_table,
)

ADT = benchmark_named('adt')
TRUTH = ('raw/2d_bounding_box.csv', 'extracted/*instance_uid*')
FIRST, SECOND = LOOKS_NS

Predict = Callable[[Path], dict[tuple[str, int], ShareSample]]


@pytest.fixture
def predict(tmp_path: Path) -> Predict:
    """Give a function that predicts and gives the samples by object and stamp."""

    def run(folder: Path) -> dict[tuple[str, int], ShareSample]:
        out = tmp_path / f'out_{folder.name}'
        run_predict(ADT, folder, out)
        return {(s.object_uid, s.stamp_ns): s for s in read_samples(out / SAMPLES)}

    return run


def write_truth(folder: Path, ratio_by_object: dict[str, float]) -> None:
    """Write true ratios of both looks."""
    header = ['stream_id', 'object_uid', 'timestamp[ns]', 'visibility_ratio[%]']
    rows = [
        [STREAM, uid, stamp + 700, ratio]
        for stamp in LOOKS_NS
        for uid, ratio in ratio_by_object.items()
    ]
    write_table(folder / 'raw' / '2d_bounding_box.csv', header, rows)


def test_every_object_is_judged_at_every_stamp_with_depth(
    predict: Predict, tmp_path: Path
) -> None:
    samples = predict(AdtWorld().write(tmp_path / 'adt'))

    assert set(samples) == {(uid, at) for uid in (BOOK, VASE, CHAIR, CUP) for at in LOOKS_NS}
    assert {s.stream_id for s in samples.values()} == {STREAM}


def test_what_stands_before_the_wall_is_seen_whole(predict: Predict, tmp_path: Path) -> None:
    samples = predict(AdtWorld().write(tmp_path / 'adt'))

    for stamp_ns in LOOKS_NS:
        book = samples[BOOK, stamp_ns]
        assert (book.visible, book.visible_share, book.blocked_fraction) == (1, 1.0, 0.0)
        assert book.in_view_points == 9


def test_what_stands_behind_the_wall_is_not_seen(predict: Predict, tmp_path: Path) -> None:
    samples = predict(AdtWorld().write(tmp_path / 'adt'))

    vase = samples[VASE, FIRST]
    assert (vase.visible, vase.visible_share, vase.blocked_fraction) == (0, 0.0, 1.0)
    assert vase.in_view_points == 9


def test_what_is_behind_the_camera_has_no_share(predict: Predict, tmp_path: Path) -> None:
    samples = predict(AdtWorld().write(tmp_path / 'adt'))

    chair = samples[CHAIR, FIRST]
    assert (chair.visible, chair.in_view_points) == (0, 0)
    assert np.isnan([chair.visible_share, chair.blocked_fraction]).all()


def test_what_moves_is_judged_where_it_is(predict: Predict, tmp_path: Path) -> None:
    samples = predict(AdtWorld().write(tmp_path / 'adt'))

    assert [samples[CUP, at].visible for at in LOOKS_NS] == [1, 0]
    assert [samples[CUP, at].visible_share for at in LOOKS_NS] == [1.0, 0.0]


def test_half_hidden_thing_is_seen_with_half_a_share(predict: Predict, tmp_path: Path) -> None:
    world = AdtWorld()
    # The book reaches from x = 0.1 to 0.3 at z = 0.9: it hides the left half of a box behind.
    # At its front, z = 1.75, the right edge of the book's shade is at x = 0.3 / 0.9 * 1.75.
    edge = 0.3 / 0.9 * 1.75
    world.things[VASE].low = (-0.1, -0.05, -0.05)
    world.things[VASE].high = (0.1, 0.05, 0.05)
    world.things[VASE].place_by_stamp = {-1: (edge, 0.0, 1.8)}

    vase = predict(world.write(tmp_path / 'adt'))[VASE, FIRST]

    assert vase.visible == 1
    assert vase.visible_share == pytest.approx(0.5, abs=0.2)  # a few pixels wide
    assert vase.visible_share + vase.blocked_fraction == pytest.approx(1.0)


def test_empty_box_before_the_wall_is_not_seen(predict: Predict, tmp_path: Path) -> None:
    world = AdtWorld()
    folder = world.write(tmp_path / 'adt')

    def move(rows: list[dict[str, str]]) -> None:
        rows[0].update({'t_wo_x[m]': '-0.1', 't_wo_z[m]': '1.5'})  # no depth was rendered there

    edit_table(folder / 'raw' / 'scene_objects.csv', move)

    book = predict(folder)[BOOK, FIRST]

    assert book.visible == 0
    assert book.visible_share == 1.0  # nothing hides the place


def test_object_without_a_pose_is_not_seen_and_has_no_share(
    predict: Predict, tmp_path: Path
) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')

    def drop(rows: list[dict[str, str]]) -> None:
        del rows[0]

    edit_table(folder / 'raw' / 'scene_objects.csv', drop)

    book = predict(folder)[BOOK, FIRST]

    assert (book.visible, book.in_view_points) == (0, 0)
    assert np.isnan(book.visible_share)


def test_look_without_its_depth_file_is_not_judged(predict: Predict, tmp_path: Path) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')
    next((folder / 'extracted').glob(f'*{SECOND}.depth_mm.png')).unlink()

    samples = predict(folder)

    assert {at for _, at in samples} == {FIRST}


@pytest.mark.parametrize(
    'move',
    [
        turned((0, 1, 0), 0.8, (4, 1, -3)),
        turned((1, 2, -1), 2.0, (-7, 0.5, 2)),
    ],
    ids=['level', 'tilted'],
)
def test_moved_world_changes_no_verdict(predict: Predict, tmp_path: Path, move: object) -> None:
    plain = predict(AdtWorld().write(tmp_path / 'plain'))

    other = predict(AdtWorld(world_T_scene=move).write(tmp_path / 'moved'))  # type: ignore

    for key, sample in plain.items():
        assert other[key].visible == sample.visible, key
        assert other[key].in_view_points == sample.in_view_points
        assert other[key].visible_share == pytest.approx(
            sample.visible_share, abs=1e-9, nan_ok=True
        )


def test_same_box_told_along_other_axes_gives_the_same_verdicts(
    predict: Predict, tmp_path: Path
) -> None:
    world = AdtWorld()
    rod = world.things[VASE]  # it sticks through the wall, along the line of sight
    rod.low, rod.high = (-0.03, -0.03, -0.5), (0.03, 0.03, 0.5)
    rod.place_by_stamp = {-1: (0.0, 0.3, 2.2)}
    plain = predict(world.write(tmp_path / 'plain'))
    folder = world.write(tmp_path / 'turned')
    part = str(np.sqrt(0.5))  # of a quarter turn about y, which takes x to -z

    def lay_along_x(rows: list[dict[str, str]]) -> None:
        rod = next(row for row in rows if row['object_uid'] == VASE)
        for end, sign in (('min', '-'), ('max', '')):
            rod[f'p_local_obj_x{end}[m]'] = f'{sign}0.5'
            rod[f'p_local_obj_z{end}[m]'] = f'{sign}0.03'

    def turn(rows: list[dict[str, str]]) -> None:
        rod = next(row for row in rows if row['object_uid'] == VASE)
        rod.update({'q_wo_w': part, 'q_wo_y': part})

    edit_table(folder / 'raw' / '3d_bounding_box.csv', lay_along_x)
    edit_table(folder / 'raw' / 'scene_objects.csv', turn)

    other = predict(folder)

    assert plain[VASE, FIRST].visible == 1
    for key, sample in plain.items():
        assert other[key][:4] == sample[:4]
        assert other[key].in_view_points == sample.in_view_points
        assert other[key].visible_share == pytest.approx(sample.visible_share, nan_ok=True)


def test_shifted_clock_changes_stamps_only(predict: Predict, tmp_path: Path) -> None:
    plain = predict(AdtWorld().write(tmp_path / 'plain'))

    later = predict(AdtWorld(shift_us=86_400_000_000).write(tmp_path / 'later'))

    shift_ns = 86_400_000_000_000
    moved = [s._replace(stamp_ns=s.stamp_ns - shift_ns) for s in later.values()]
    np.testing.assert_equal(moved, list(plain.values()))


def test_predictions_are_the_same_without_the_truth(tmp_path: Path) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')
    run_predict(ADT, folder, tmp_path / 'without')
    write_truth(folder, {VASE: 1.0})
    (folder / 'extracted' / 'never_opened.npz').write_bytes(b'no archive')

    run_predict(ADT, folder, tmp_path / 'with')

    with_truth = (tmp_path / 'with' / SAMPLES).read_bytes()
    assert (tmp_path / 'without' / SAMPLES).read_bytes() == with_truth


def test_score_is_per_camera(tmp_path: Path) -> None:
    folder, out = AdtWorld().write(tmp_path / 'adt'), tmp_path / 'out'
    write_truth(folder, {BOOK: 1.0, CUP: 1.0})
    run_predict(ADT, folder, out)

    result = run_score(ADT, folder, out)

    # Eight samples; the cup is said to be seen at the second look and is behind the wall there.
    assert set(result['cameras']) == {STREAM}
    assert result['cameras'][STREAM]['accuracy'] == 7 / 8
    assert result['cameras'][STREAM]['missed'] == 1


def test_score_without_truth_is_one_line(tmp_path: Path) -> None:
    folder, out = AdtWorld().write(tmp_path / 'adt'), tmp_path / 'out'
    run_predict(ADT, folder, out)

    with pytest.raises(DatasetError, match=r'expected 2d_bounding_box\.csv to score against'):
        run_score(ADT, folder, out)


def test_run_says_what_was_missing(tmp_path: Path) -> None:
    folder = AdtWorld().write(tmp_path / 'adt')
    edit_table(folder / 'raw' / '3d_bounding_box.csv', lambda rows: rows.pop(0))

    manifest = run_predict(ADT, folder, tmp_path / 'out')

    assert manifest['run'] == {'preset': 'any_part', 'problems': {'box': 1}, 'samples': 8}


@pytest.fixture(scope='module')
def stripped(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the folder without any answer."""
    folder = tmp_path_factory.mktemp('adt') / 'stripped'
    shutil.copytree(shared_data / 'adt_kitchen', folder)
    for pattern in TRUTH:
        for path in folder.glob(pattern):
            path.parent.chmod(0o755)
            path.chmod(0o644)
            path.unlink()
    return folder


@pytest.fixture(scope='module')
def kitchen(stripped: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Predict from the stripped folder."""
    out = tmp_path_factory.mktemp('adt_run')
    run_predict(ADT, stripped, out)
    return out


@pytest.mark.data
@pytest.mark.parametrize('stream_id', ['214-1', '1201-1'])
def test_kitchen_figures_reach_the_gates(shared_data: Path, kitchen: Path, stream_id: str) -> None:
    result = run_score(ADT, shared_data / 'adt_kitchen', kitchen)['cameras'][stream_id]

    assert result['samples'] == 698
    assert result['accuracy'] >= 0.988
    assert result['correlation'] >= 0.80
    assert result['always_visible'] < 0.3


@pytest.mark.data
def test_kitchen_has_a_known_share_wherever_the_score_needs_one(kitchen: Path) -> None:
    samples = read_samples(kitchen / SAMPLES)

    assert len(samples) == 2 * 698
    assert all(not np.isnan(s.visible_share) for s in samples if s.in_view_points > 3)


@pytest.mark.data
def test_truth_in_the_kitchen_folder_changes_no_prediction(
    shared_data: Path, kitchen: Path, tmp_path: Path
) -> None:
    run_predict(ADT, shared_data / 'adt_kitchen', tmp_path)

    assert (tmp_path / SAMPLES).read_bytes() == (kitchen / SAMPLES).read_bytes()

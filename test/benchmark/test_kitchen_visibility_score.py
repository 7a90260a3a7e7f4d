"""Every figure of the kitchens' visibility on tables small enough to count by hand."""

from __future__ import annotations

from collections.abc import Iterable
import json
from pathlib import Path
import random
import subprocess
import sys
from typing import Any

import pytest

from st_memory.benchmark import kitchen_visibility
from st_memory.benchmark.kitchen_visibility_rows import read_block
from st_memory.benchmark.kitchen_visibility_score import MOVING_PARTS, score_block
from st_memory.core.errors import DatasetError
from st_memory.sim import KitchenSpec
from st_memory.sim.layout import make_layout
from st_memory.sim.noise import stream
from test.benchmark.kitchen_tables import Row, said, true, write_tables

SECOND = 1_000_000_000


def score(folder: Path, truth: Iterable[Row], predictions: Iterable[Row]) -> dict[str, Any]:
    """Figures of a block with these rows; its details are under ``details``."""
    write_tables(folder, truth, predictions)
    block = read_block(folder / 'truth.csv', folder / 'predictions.csv')
    figures, details = score_block(block)
    return {**figures, 'details': details}


def one(folder: Path, truth: Row, prediction: Row) -> dict[str, Any]:
    return score(folder, [truth], [prediction])


@pytest.mark.parametrize(
    ('visible_px', 'geometry', 'is_right', 'is_clear'),
    [
        (50, 'VISIBLE', True, False),  # exactly half is visible
        (49, 'VISIBLE', False, False),
        (50, 'OCCLUDED', False, False),
        (49, 'OUT_OF_VIEW', True, False),
        (49, 'AMBIGUOUS_FIXTURE', True, False),
        (49, 'UNKNOWN', True, False),
        (10, 'OCCLUDED', True, False),  # exactly a tenth is no clear case
        (9, 'OCCLUDED', True, True),
        (9, 'VISIBLE', False, True),
        (90, 'VISIBLE', True, False),  # nor are nine tenths
        (91, 'VISIBLE', True, True),
        (91, 'OCCLUDED', False, True),
        (0, 'VISIBLE', False, True),
        (100, 'VISIBLE', True, True),
    ],
)
def test_geometry_is_held_against_half_of_the_pixels(
    tmp_path: Path, visible_px: int, geometry: str, is_right: bool, is_clear: bool
) -> None:
    result = one(tmp_path, true(visible_px=visible_px), said(geometry=geometry))

    assert result['cases'] == 1
    assert result['all_accuracy'] == float(is_right)
    assert (result['clear_cases'], result['border_cases']) == ((1, 0) if is_clear else (0, 1))
    assert result['clear_cases_accuracy'] == (float(is_right) if is_clear else None)
    assert result['border_accuracy'] == (None if is_clear else float(is_right))


@pytest.mark.parametrize(
    ('values', 'cases'),
    [
        ({'unoccluded_px': 30, 'visible_px': 30}, 1),
        ({'unoccluded_px': 29, 'visible_px': 29}, 0),
        ({'in_hand': 1}, 0),
        ({'box_in_image': 0}, 0),
        ({'present': 0}, 0),
    ],
)
def test_only_whole_resting_things_of_thirty_pixels_count(
    tmp_path: Path, values: Row, cases: int
) -> None:
    assert one(tmp_path, true(**values), said())['cases'] == cases


def test_accuracies_are_shares_of_all_clear_and_border_cases(tmp_path: Path) -> None:
    visible = [100, 100, 95, 0, 60, 60, 20, 30]
    verdicts = ['VISIBLE', 'VISIBLE', 'OCCLUDED', 'OCCLUDED', 'VISIBLE', 'OCCLUDED', 'VISIBLE']
    truth = [true(stamp_ns=i, visible_px=px) for i, px in enumerate(visible)]
    predictions = [said(stamp_ns=i, geometry=name) for i, name in enumerate(verdicts)]

    result = score(tmp_path, truth, predictions)

    assert result['cases'] == 7
    assert result['all_accuracy'] == 4 / 7
    assert (result['clear_cases'], result['clear_cases_accuracy']) == (4, 3 / 4)
    assert (result['border_cases'], result['border_accuracy']) == (3, 1 / 3)
    assert result['details']['confusion'] == {
        'below_0.1': {'OCCLUDED': 1},
        '0.1_to_0.5': {'VISIBLE': 1},
        '0.5_to_0.9': {'OCCLUDED': 1, 'VISIBLE': 1},
        'above_0.9': {'OCCLUDED': 1, 'VISIBLE': 2},
    }
    assert result['not_yet_known'] == 1  # the eighth look has no prediction


def test_looks_before_the_first_sighting_stand_apart(tmp_path: Path) -> None:
    truth = [true(stamp_ns=0), true(stamp_ns=1, box_in_image=0), true(stamp_ns=2)]

    result = score(tmp_path, truth, [said(stamp_ns=2)])

    assert result['cases'] == 1
    assert result['not_yet_known'] == 1  # the look at the border would not have counted
    assert result['all_accuracy'] == 1.0


def test_rows_about_nothing_are_counted_apart(tmp_path: Path) -> None:
    result = score(tmp_path, [true()], [said(), said(object_id='k1/unnamed/cup_1')])

    assert result['not_in_truth'] == 1
    assert result['cases'] == 1


def test_things_of_the_same_name_in_two_kitchens_are_two(tmp_path: Path) -> None:
    truth = [true(), true(object_id='k2/mug_1', visible_px=0)]
    predictions = [said(), said(object_id='k2/mug_1', geometry='OCCLUDED')]

    result = score(tmp_path, truth, predictions)

    assert result['cases'] == 2
    assert result['all_accuracy'] == 1.0


@pytest.mark.parametrize(
    ('visible_px', 'state', 'agrees', 'agrees_with_motion'),
    [
        (30, 'VISIBLE', 1.0, 1.0),
        (29, 'VISIBLE', 0.0, 0.0),
        (30, 'IN_MOTION', 0.0, 1.0),
        (29, 'IN_MOTION', 1.0, 0.0),
        (30, 'OCCLUDED', 0.0, 0.0),
        (29, 'OCCLUDED', 1.0, 1.0),
        (30, 'UNCONFIRMED', 0.0, 0.0),
    ],
)
def test_fused_state_is_held_against_thirty_pixels(
    tmp_path: Path, visible_px: int, state: str, agrees: float, agrees_with_motion: float
) -> None:
    result = one(tmp_path, true(visible_px=visible_px, unoccluded_px=400), said(state=state))

    assert result['fused_agreement'] == agrees
    assert result['fused_agreement_with_in_motion'] == agrees_with_motion


@pytest.mark.parametrize(
    ('occluder', 'visible_px', 'geometry', 'errors'),
    [
        ('cupboard_1/door', 91, 'OCCLUDED', 1),
        ('drawer_2/tray', 91, 'OCCLUDED', 1),
        ('cupboard_1/door', 90, 'OCCLUDED', 0),  # a border case
        ('cupboard_1/carcass', 91, 'OCCLUDED', 0),
        ('depth', 91, 'OCCLUDED', 0),
        ('', 91, 'OCCLUDED', 0),
        ('cupboard_1/door', 91, 'AMBIGUOUS_FIXTURE', 0),
        ('cupboard_1/door', 91, 'VISIBLE', 0),
    ],
)
def test_door_before_a_thing_in_full_view_is_a_door_error(
    tmp_path: Path, occluder: str, visible_px: int, geometry: str, errors: int
) -> None:
    result = one(tmp_path, true(visible_px=visible_px), said(geometry=geometry, occluder=occluder))

    assert result['door_false_occlusions'] == errors


def test_what_moves_in_a_kitchen_is_called_as_the_score_expects() -> None:
    layout = make_layout(KitchenSpec(3), stream(3, 'layout'))
    moving = {part.name for part in layout.moving_parts}

    assert moving
    for part in layout.parts:
        assert (part.name.rpartition('/')[2] in MOVING_PARTS) == (part.name in moving)
        if part.fixture_id:
            assert part.name.partition('/')[0] == part.fixture_id


def test_ambiguous_verdicts_are_right_when_they_name_the_container(tmp_path: Path) -> None:
    hidden = {'visible_px': 0, 'container': 'cupboard_1', 'container_open': 0.0}
    open_hidden = {**hidden, 'container_open': 0.1}  # no longer shut
    truth = [
        true(stamp_ns=0, **hidden),
        true(stamp_ns=1, **hidden),
        true(stamp_ns=2, **hidden),
        true(stamp_ns=3, **hidden),
        true(stamp_ns=4, **open_hidden),
        true(stamp_ns=5, visible_px=0),  # behind the cupboard, in nothing
        true(stamp_ns=6, **hidden, box_in_image=0),
        true(stamp_ns=7, **hidden, in_hand=1),
        true(stamp_ns=8, **{**hidden, 'visible_px': 10}),
    ]
    ambiguous = {'geometry': 'AMBIGUOUS_FIXTURE', 'state': 'AMBIGUOUS_FIXTURE'}
    predictions = [
        said(stamp_ns=0, **ambiguous, occluder='cupboard_1/door'),
        said(stamp_ns=1, **ambiguous, occluder='cupboard_10/door'),
        said(stamp_ns=2, geometry='OCCLUDED', occluder='cupboard_1/carcass'),
        said(stamp_ns=3),
        said(stamp_ns=4, **ambiguous, occluder='cupboard_1'),  # the fixture itself
        said(stamp_ns=5, **ambiguous, occluder='cupboard_1/door'),
        said(stamp_ns=6, **ambiguous, occluder='cupboard_1/door'),
        said(stamp_ns=7, **ambiguous, occluder='cupboard_1/door'),
        said(stamp_ns=8, geometry='OCCLUDED'),
    ]

    result = score(tmp_path, truth, predictions)

    assert result['ambiguous'] == {
        'named_correctly': 2,
        'total': 4,
        'share': 0.5,
        'anywhere': {'named_correctly': 3, 'total': 5, 'share': 0.6},
    }
    assert result['hidden_in_closed_container'] == {
        'AMBIGUOUS_FIXTURE_misnamed': 1,
        'AMBIGUOUS_FIXTURE_named': 1,
        'OCCLUDED': 1,
        'VISIBLE': 1,
    }


def test_ambiguous_verdict_that_names_nothing_is_wrong(tmp_path: Path) -> None:
    result = one(tmp_path, true(visible_px=0), said(geometry='AMBIGUOUS_FIXTURE', occluder=''))

    assert result['ambiguous']['named_correctly'] == 0
    assert result['ambiguous']['total'] == 1


ABSENT = {'geometry': 'VISIBLE', 'state': 'ABSENT'}


def test_tombstones_are_wrong_when_pixels_or_place_speak_against_them(tmp_path: Path) -> None:
    away = {'x': 1.26}  # 0.26 m from where it is remembered
    truth = [
        true(stamp_ns=0, visible_px=30, **away),  # seen, elsewhere
        true(stamp_ns=1, visible_px=29, x=1.25),  # hardly seen, a quarter of a metre away
        true(stamp_ns=2, visible_px=100),  # seen at its place
        true(stamp_ns=3, visible_px=29, **away),  # rightly missed
        true(stamp_ns=4, visible_px=0, present=0, x=0.0, y=0.0, z=-100.0),  # rightly gone
        true(stamp_ns=5, visible_px=40, in_hand=1, **away),
        true(stamp_ns=6, visible_px=0, unoccluded_px=0, box_in_image=0, **away),
        true(stamp_ns=7),
    ]
    predictions = [said(stamp_ns=i, **ABSENT) for i in range(7)] + [said(stamp_ns=7)]

    result = score(tmp_path, truth, predictions)

    assert result['false_absent'] == {'contradicted_by_pixels': 3, 'at_its_place': 2, 'total': 4}
    assert result['absent_but_elsewhere'] == 2


def removed(
    name: str, looks: int, step_ns: int, last_state: str = 'ABSENT'
) -> tuple[list[Row], ...]:
    """Give a thing that is taken away after one look, and looks at its place after that."""
    gone = {
        'object_id': name,
        'visible_px': 0,
        'unoccluded_px': 0,
        'box_in_image': 0,
        'present': 0,
    }
    truth = [true(object_id=name)]
    predictions = [said(object_id=name)]
    for i in range(1, looks + 1):
        state = last_state if i == looks else 'UNCONFIRMED'
        truth.append(true(**gone, stamp_ns=i * step_ns))
        predictions.append(said(object_id=name, stamp_ns=i * step_ns, state=state))
    return truth, predictions


@pytest.mark.parametrize(
    ('looks', 'span_ns', 'total'),
    [(20, 3 * SECOND, 1), (19, 3 * SECOND, 0), (20, 3 * SECOND - 19, 0), (60, 9 * SECOND, 1)],
)
def test_absence_is_owed_after_twenty_looks_over_three_seconds(
    tmp_path: Path, looks: int, span_ns: int, total: int
) -> None:
    step_ns = span_ns // (looks - 1)
    # Whole steps: 19 or 59 of them must make up the span.
    extra = span_ns - step_ns * (looks - 1)
    truth, predictions = removed('k1/mug_1', looks, step_ns)
    truth[-1]['stamp_ns'] = predictions[-1]['stamp_ns'] = looks * step_ns + extra

    recall = score(tmp_path, truth, predictions)['true_absent_recall']

    assert recall == {
        'found': total,
        'total': total,
        'share': 1.0 if total else None,
        'removed': 1,
        'never_known': 0,
    }


def test_looks_at_the_place_of_a_tombstone_count_though_its_geometry_is_unknown(
    tmp_path: Path,
) -> None:
    truth, predictions = removed('k1/mug_1', 30, SECOND)
    for row in predictions[5:]:
        row['state'], row['geometry'] = 'ABSENT', 'UNKNOWN'

    recall = score(tmp_path, truth, predictions)['true_absent_recall']

    assert (recall['found'], recall['total']) == (1, 1)


@pytest.mark.parametrize(('pixel_size', 'total'), [('8.0', 1), ('7.99', 0), ('', 0)])
def test_absence_of_what_is_too_small_to_be_found_is_not_owed(
    tmp_path: Path, pixel_size: str, total: int
) -> None:
    truth, predictions = removed('k1/mug_1', 30, SECOND)
    for row in predictions:
        row['pixel_size'] = pixel_size

    recall = score(tmp_path, truth, predictions)['true_absent_recall']

    assert (recall['total'], recall['removed']) == (total, 1)


def test_recall_is_the_share_of_owed_absences_that_are_known_in_the_end(tmp_path: Path) -> None:
    parts = [
        removed('k1/mug_1', 40, SECOND),
        removed('k1/bowl_1', 40, SECOND, last_state='UNCONFIRMED'),
        removed('k2/mug_1', 40, SECOND),
        removed('k2/bowl_1', 5, SECOND),
    ]
    truth = [row for rows, _ in parts for row in rows]
    predictions = [row for _, rows in parts for row in rows]
    truth.append(true(object_id='k2/box_1', visible_px=0, present=0))
    hidden = removed('k3/mug_1', 40, SECOND)
    truth += hidden[0]
    predictions += [{**row, 'geometry': 'OCCLUDED'} for row in hidden[1]]

    recall = score(tmp_path, truth, predictions)['true_absent_recall']

    assert recall == {'found': 2, 'total': 3, 'share': 2 / 3, 'removed': 6, 'never_known': 1}


def test_absence_that_is_taken_back_is_not_found(tmp_path: Path) -> None:
    truth, predictions = removed('k1/mug_1', 40, SECOND, last_state='UNCONFIRMED')
    for row in predictions[10:39]:
        row['state'] = 'ABSENT'

    recall = score(tmp_path, truth, predictions)['true_absent_recall']

    assert (recall['found'], recall['total']) == (0, 1)


def test_worst_cases_come_clear_first_then_by_number(tmp_path: Path) -> None:
    truth = [true(stamp_ns=i, visible_px=60) for i in range(3)]
    predictions = [said(stamp_ns=i, geometry='OCCLUDED', occluder='depth') for i in range(3)]
    for i in range(2):
        row = {'object_id': 'k1/bowl_1', 'stamp_ns': i}
        truth.append(true(**row, visible_px=0, occluder='shelf_1', x=1.3, y=2.4))
        predictions.append(said(**row, blocked_fraction=''))

    first, second = score(tmp_path, truth, predictions)['details']['worst_cases']

    assert (first['object_id'], first['looks'], first['is_clear']) == ('k1/bowl_1', 2, True)
    assert (first['first_stamp_ns'], first['last_stamp_ns']) == (0, 1)
    assert first['gap_m'] == pytest.approx(0.5)
    assert first['blocked_fraction'] is None
    assert first['true_occluder'] == 'shelf_1'
    assert (second['object_id'], second['looks'], second['share']) == ('k1/mug_1', 3, 0.6)
    assert second['occluder'] == 'depth'


def test_worst_cases_are_bounded(tmp_path: Path) -> None:
    truth = [true(object_id=f'k1/mug_{i}', visible_px=0) for i in range(50)]
    predictions = [said(object_id=f'k1/mug_{i}') for i in range(50)]

    result = score(tmp_path, truth, predictions)

    assert len(result['details']['worst_cases']) == 20


def test_block_without_any_case_has_no_shares(tmp_path: Path) -> None:
    result = score(tmp_path, [], [])

    assert result['cases'] == 0
    assert result['all_accuracy'] is None
    assert result['true_absent_recall']['share'] is None
    json.dumps(result, allow_nan=False)


def test_missing_table_is_named(tmp_path: Path) -> None:
    write_tables(tmp_path, [true()], [said()])
    (tmp_path / 'truth.csv').unlink()

    with pytest.raises(DatasetError, match=r'truth\.csv: expected a table .* found none'):
        read_block(tmp_path / 'truth.csv', tmp_path / 'predictions.csv')


def test_missing_column_is_named(tmp_path: Path) -> None:
    write_tables(tmp_path, [true()], [said()])
    path = tmp_path / 'predictions.csv'
    path.write_text(path.read_text().replace('geometry', 'verdict'))

    with pytest.raises(DatasetError, match=r"predictions\.csv: expected a column 'geometry'"):
        read_block(tmp_path / 'truth.csv', path)


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({'visible_px': 'many'}, r'row 1: invalid literal'),
        ({'in_hand': 'maybe'}, r"row 1: expected 0 or 1, found 'maybe'"),
        ({'stamp_ns': ''}, r'row 1: invalid literal'),
    ],
)
def test_value_that_is_none_is_named_by_its_row(tmp_path: Path, values: Row, words: str) -> None:
    write_tables(tmp_path, [true(**values)], [said()])

    with pytest.raises(DatasetError, match=words):
        read_block(tmp_path / 'truth.csv', tmp_path / 'predictions.csv')


def test_object_twice_at_a_stamp_is_refused(tmp_path: Path) -> None:
    write_tables(tmp_path, [true()], [said(), said()])

    with pytest.raises(
        DatasetError, match=r'predictions\.csv: row 2: expected k1/mug_1 once at 0'
    ):
        read_block(tmp_path / 'truth.csv', tmp_path / 'predictions.csv')


def test_independent_count_agrees_on_random_tables(tmp_path: Path, shared_data: Path) -> None:
    tool = shared_data.parent / 'tools' / 'rescore.py'
    if not tool.is_file():
        pytest.skip(f'needs {tool}')
    draw = random.Random(5)
    for block in kitchen_visibility.BLOCKS:
        truth, predictions = [], []
        for i in range(2000):
            whole = draw.choice([10, 20, 29, 30, 40, 100])
            truth.append(
                true(
                    stamp_ns=i,
                    visible_px=draw.choice([0, whole // 10, whole // 2, whole * 9 // 10, whole]),
                    unoccluded_px=whole,
                    box_in_image=draw.randrange(2),
                    in_hand=draw.randrange(2),
                )
            )
            if draw.random() < 0.9:
                verdict = draw.choice(['VISIBLE', 'OCCLUDED', 'OUT_OF_VIEW', 'UNKNOWN'])
                predictions.append(said(stamp_ns=i, geometry=verdict))
        write_tables(tmp_path / block.name, truth, predictions)

    ours = kitchen_visibility.score(tmp_path, tmp_path)
    words = [sys.executable, str(tool), 'kitchen-visibility', '-', str(tmp_path)]
    theirs = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)

    for name, figures in theirs.items():
        assert figures['cases'] > 100
        assert figures == {key: ours[name][key] for key in figures}


def test_figures_with_a_goal_are_plain_numbers(tmp_path: Path) -> None:
    for block in kitchen_visibility.BLOCKS:
        truth, predictions = removed('k1/mug_1', 30, SECOND, last_state='ABSENT')
        hidden = {'object_id': 'k1/can_1', 'visible_px': 0, 'container': 'drawer_1'}
        truth.append(true(**hidden, container_open=0.0))
        occluder = 'drawer_1' if block.name == 'unknown_joints' else ''
        said_of_it = 'AMBIGUOUS_FIXTURE' if occluder else 'OCCLUDED'
        predictions.append(said(object_id='k1/can_1', geometry=said_of_it, occluder=occluder))
        write_tables(tmp_path / block.name, truth, predictions)

    result = kitchen_visibility.score(tmp_path, tmp_path)

    clean = result['clean']
    assert (clean['false_absent'], clean['true_absent_recall']) == (0, 1.0)
    assert clean['ambiguous_named_correctly'] == 1.0
    assert (clean['false_absent_rows']['total'], clean['true_absent_counts']['found']) == (0, 1)
    assert result['noisy']['ambiguous_named_correctly'] is None

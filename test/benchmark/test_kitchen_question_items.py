"""Per-item tables of a kitchen, and the figures made of them, against hand-made ones."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from st_memory.benchmark.kitchen_questions_items import append_items
from st_memory.benchmark.kitchen_questions_score import score_items
from st_memory.benchmark.kitchen_questions_truth import KitchenTruth
from st_memory.core.errors import DatasetError
from st_memory.core.records import Detection
from test.benchmark.kitchen_stories import detected, kitchen, row, write_followed

HERE, THERE, NEAR = (0.0, 0.0, 2.0), (2.0, 0.0, 2.0), (0.1, 0.0, 2.0)
Row = dict[str, str]


def tables(
    tmp_path: Path, truth: KitchenTruth, found: dict[int, list[Detection]], **followed: Any
) -> dict[str, list[Row]]:
    out = tmp_path / 'out'
    append_items('k1', truth, found, write_followed(tmp_path / 'followed', **followed), out)
    return {path.stem: read(path) for path in out.iterdir()}


def read(path: Path) -> list[Row]:
    with path.open(newline='', encoding='utf-8') as file:
        return list(csv.DictReader(file))


def moved_mug(place: tuple[float, float, float] = THERE) -> KitchenTruth:
    """Ten seconds: a mug that is carried from 4 to 6 s."""
    rows = [
        row(
            s,
            HERE if s < 4 else place,
            'shelf_1' if s < 4 else 'table_1' if s >= 6 else '',
            in_hand=4 <= s < 6,
        )
        for s in range(10)
    ]
    return kitchen({'mug_1': rows}, [('mug_1', 4, 6, 'table_1')])


SEEN = [(s, 'mug_1') for s in (1, 2, 6, 7, 8)]


def movements(tmp_path: Path, truth: KitchenTruth, *found: tuple[float, str]) -> list[Row]:
    rows = tables(tmp_path, truth, detected(*found))['moves']
    return [row for row in rows if row['source'] == 'true']


def test_detection_is_taken_by_the_object_with_the_very_box(tmp_path: Path) -> None:
    other = (50.0, 60.0, 8.0, 6.0)
    rows = tables(
        tmp_path,
        moved_mug(),
        detected((1, 'mug_1'), (1, '', other), (2, 'mug_1')),
        observations=[('cup_7', 1), ('cup_8', 1, (50.0, 60.0004, 8.0, 6.0)), ('cup_9', 3)],
    )['identities']

    assert [(r['true_id'], r['object_id']) for r in rows] == [
        ('mug_1', 'cup_7'),
        ('', 'cup_8'),
        ('mug_1', ''),
    ]
    assert {r['kitchen'] for r in rows} == {'k1'}


def test_movement_seen_before_and_after_counts(tmp_path: Path) -> None:
    (only,) = movements(tmp_path, moved_mug(), *SEEN)

    assert (only['start_ns'], only['end_ns'], only['not_counted']) == (
        '4000000000',
        '6000000000',
        '',
    )


@pytest.mark.parametrize(
    ('found', 'why'),
    [
        ([(6, 'mug_1'), (7, 'mug_1'), (8, 'mug_1')], 'not seen before'),
        ([(1, 'mug_1'), (6, 'mug_1'), (7, 'mug_1')], 'hardly seen after'),
        ([(1, 'mug_1')], 'hardly seen after'),
    ],
)
def test_movement_that_nobody_can_know_does_not_count(
    tmp_path: Path, found: list[tuple[float, str]], why: str
) -> None:
    assert [m['not_counted'] for m in movements(tmp_path, moved_mug(), *found)] == [why]


def test_what_was_put_back_counts_only_when_it_was_seen_moving(tmp_path: Path) -> None:
    unseen = movements(tmp_path / 'a', moved_mug(NEAR), *SEEN)
    seen = movements(tmp_path / 'b', moved_mug(NEAR), *SEEN, (5, 'mug_1'))

    assert [m['not_counted'] for m in unseen] == ['put back unseen']
    assert [m['not_counted'] for m in seen] == ['']


def test_what_was_taken_away_does_not_count(tmp_path: Path) -> None:
    rows = [row(s, is_present=s < 6) for s in range(10)]
    truth = kitchen({'mug_1': rows}, [('mug_1', 4, 6, 'gone')])

    assert [m['not_counted'] for m in movements(tmp_path, truth, *SEEN)] == ['taken away']


def twice_moved() -> KitchenTruth:
    rows = [row(s, HERE if s < 2 else THERE if s >= 6 else NEAR) for s in range(10)]
    return kitchen({'mug_1': rows}, [('mug_1', 2, 3, 'table_1'), ('mug_1', 5, 6, 'shelf_1')])


def test_two_movements_without_a_sight_in_between_are_one(tmp_path: Path) -> None:
    found = [(1, 'mug_1'), (7, 'mug_1'), (8, 'mug_1'), (9, 'mug_1')]
    (only,) = movements(tmp_path / 'a', twice_moved(), *found)
    both = movements(tmp_path / 'b', twice_moved(), *found, (4, 'mug_1'))

    assert (only['start_ns'], only['end_ns'], only['not_counted']) == (
        '2000000000',
        '6000000000',
        '',
    )
    # Seen at rest in between but once: it did come to be there, and nobody can be asked to know.
    assert [m['not_counted'] for m in both] == ['hardly seen after', '']


def fixtures(tmp_path: Path, truth: KitchenTruth, **followed: Any) -> list[tuple[str, str, str]]:
    found = detected(*((s, 'mug_1') for s in range(10)))
    rows = tables(tmp_path, truth, found, **followed)['fixtures']
    return [(r['true_id'], r['fixture'], r['said']) for r in rows]


def test_placement_is_held_against_where_the_thing_came_to_rest(tmp_path: Path) -> None:
    got = fixtures(
        tmp_path,
        moved_mug(),
        observations=[('cup_7', s) for s in range(10)],
        placements=[('cup_7', 0, 1, 'shelf_1'), ('cup_7', 5.6, 7, 'drawer_1')],
    )

    assert got == [('mug_1', 'shelf_1', 'shelf_1'), ('mug_1', 'table_1', 'drawer_1')]


def test_corrected_placement_counts_as_last_told(tmp_path: Path) -> None:
    got = fixtures(
        tmp_path,
        moved_mug(),
        observations=[('cup_7', s) for s in range(10)],
        placements=[
            ('cup_7', 6, 9, 'table_1'),
            ('cup_7', 0, 1, 'shelf_1'),
            ('cup_7', 6, 7, 'drawer_1'),
        ],
    )

    assert got == [('mug_1', 'shelf_1', 'shelf_1'), ('mug_1', 'table_1', 'table_1')]


def test_placement_of_nothing_has_no_thing(tmp_path: Path) -> None:
    got = fixtures(
        tmp_path,
        moved_mug(),
        observations=[('cup_7', 1)],
        placements=[
            ('cup_7', 1.2, 2, 'table_1'),  # no image until its next one
            ('cup_7', 1.8, 2, 'table_1'),
            ('cup_8', 0, 1, 'drawer_1'),  # no detection of a thing
        ],
    )

    assert got == [
        ('', '', 'table_1'),
        ('mug_1', 'shelf_1', 'table_1'),
        ('', '', 'drawer_1'),
    ]


def test_kitchens_are_added_one_after_the_other(tmp_path: Path) -> None:
    followed = write_followed(tmp_path / 'f', observations=[('cup_7', 1)])
    for name in ('k1', 'k2'):
        append_items(name, moved_mug(), detected((1, 'mug_1')), followed, tmp_path / 'out')
    rows = read(tmp_path / 'out' / 'identities.csv')

    assert [r['kitchen'] for r in rows] == ['k1', 'k2']


def scored(tmp_path: Path, **followed: Any) -> dict[str, Any]:
    tables(tmp_path, moved_mug(), detected(*SEEN, (3, '')), **followed)
    return score_items(tmp_path / 'out')


TAKEN = [('cup_7', s) for s, _ in SEEN]


def test_perfect_memory_has_perfect_figures(tmp_path: Path) -> None:
    figures = scored(
        tmp_path,
        observations=TAKEN,
        moves=[('cup_7', 4.2, 5.8)],
        placements=[('cup_7', 0, 1, 'shelf_1'), ('cup_7', 6, 7, 'table_1')],
    )

    assert figures['idf1'] == 1.0
    assert (figures['moves']['precision'], figures['moves']['recall']) == (1.0, 1.0)
    assert figures['wrong_fixture_rate'] == 0.0
    assert figures['phantom_placement_rate'] == 0.0
    assert figures['fixtures'] == {'wrong': 0, 'told': 2, 'not_told': 0, 'of_nothing': 0}


def test_placements_of_nothing_have_a_share_of_their_own(tmp_path: Path) -> None:
    figures = scored(
        tmp_path,
        observations=TAKEN,
        placements=[
            ('cup_7', 0, 1, 'shelf_1'),
            ('cup_7', 6, 7, 'drawer_1'),
            ('cup_8', 0, 1, 'drawer_1'),  # no detection of a thing
        ],
    )

    assert figures['wrong_fixture_rate'] == 1 / 2
    assert figures['phantom_placement_rate'] == 1 / 3
    assert figures['fixtures'] == {'wrong': 1, 'told': 2, 'not_told': 0, 'of_nothing': 1}


def test_silent_memory_has_no_figures_that_need_words(tmp_path: Path) -> None:
    figures = scored(tmp_path)

    assert figures['idf1'] == 0.0
    assert (figures['moves']['precision'], figures['moves']['recall']) == (None, 0.0)
    assert figures['wrong_fixture_rate'] is None
    assert figures['phantom_placement_rate'] is None


def test_false_detection_that_became_an_object_costs(tmp_path: Path) -> None:
    figures = scored(tmp_path, observations=[*TAKEN, ('cup_8', 3)])

    # Five of five things right, six detections taken: 2 * 5 / (5 + 6).
    assert figures['idf1'] == pytest.approx(10 / 11)


@pytest.mark.parametrize(
    ('moves', 'precision', 'recall'),
    [
        ([('cup_7', 8.0, 8.0)], 1.0, 1.0),  # two seconds after its end
        ([('cup_7', 8.1, 8.1)], 0.0, 0.0),
        ([('cup_7', 4, 5), ('cup_7', 5, 6)], 0.5, 1.0),  # told twice
        ([('cup_9', 4, 6)], 0.0, 0.0),  # of an object that stands for no thing
        ([('cup_7', 4, 6), ('cup_9', 4, 6)], 0.5, 1.0),
    ],
)
def test_moves_match_once_and_by_thing(
    tmp_path: Path, moves: list[tuple[str, float, float]], precision: float, recall: float
) -> None:
    figures = scored(tmp_path, observations=TAKEN, moves=moves)['moves']

    assert (figures['precision'], figures['recall']) == (precision, recall)


def test_movement_that_does_not_count_is_neither_right_nor_wrong(tmp_path: Path) -> None:
    tables(
        tmp_path,
        moved_mug(),
        detected((1, 'mug_1'), (2, 'mug_1'), (6, 'mug_1')),
        observations=[('cup_7', 1), ('cup_7', 2), ('cup_7', 6)],
        moves=[('cup_7', 4, 6), ('cup_7', 9, 9)],
    )
    figures = score_items(tmp_path / 'out')['moves']

    assert figures['true'] == 0
    assert figures['told_of_not_counted'] == 1
    assert (figures['precision'], figures['recall']) == (0.0, None)


def test_same_names_in_two_kitchens_are_two_things(tmp_path: Path) -> None:
    for name, taken in (('k1', 'cup_1'), ('k2', 'cup_2')):
        followed = write_followed(tmp_path / name, observations=[(taken, 1), (taken, 2)])
        found = detected((1, 'mug_1'), (2, 'mug_1'))
        append_items(name, moved_mug(), found, followed, tmp_path / 'out')

    assert score_items(tmp_path / 'out')['idf1'] == 1.0


def test_missing_table_or_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'identities\.csv: expected a table'):
        score_items(tmp_path)
    (tmp_path / 'identities.csv').write_text('kitchen,true_id\n', encoding='utf-8')
    with pytest.raises(DatasetError, match=r'identities\.csv: expected a column object_id'):
        score_items(tmp_path)

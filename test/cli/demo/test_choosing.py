"""Questions come from the truth, at moments at which the answer can be known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from st_memory.cli.demo.choosing import choose_questions
from st_memory.cli.demo.truth import find_truth, Truth
from st_memory.core.errors import DatasetError
from test.cli.demo.kitchens import (
    BASE_NS,
    CUPS,
    MUG,
    SHOWN_PX,
    SPOON,
    STEP_NS,
    Thing,
    write_truth,
)


def _truth(folder: Path, *things: Thing) -> Truth:
    return Truth.load(write_truth(folder, things))


def test_choose_asks_five_kinds_of_question_about_things_of_their_own_label(
    tmp_path: Path,
) -> None:
    questions = choose_questions(_truth(tmp_path, MUG, SPOON, *CUPS))

    assert {q.object_ids for q in questions} == {('mug_1',), ('spoon_1',), ('cup_a', 'cup_b')}
    assert {q.service for q in questions} == {
        'LocateObject',
        'GetVisibility',
        'RelativePose',
        'WhenLastPlaced',
        'WhenLastVisible',
        'ListObjects',
    }


def test_choose_asks_only_while_the_thing_is_out_of_sight(tmp_path: Path) -> None:
    truth = _truth(tmp_path, MUG, SPOON)

    for question in choose_questions(truth):
        index = truth.index_at(question.after_ns)
        track = truth.tracks[question.object_ids[0]]
        around = range(index - 3, index + 4)
        assert not any(track.visible_px[i] or track.in_hand[i] for i in around)


def test_choose_names_labels_and_never_the_ids_of_the_truth(tmp_path: Path) -> None:
    for question in choose_questions(_truth(tmp_path, MUG, SPOON, *CUPS)):
        assert not set(question.object_ids) & set(map(str, question.request.values()))
        assert 'at' not in question.request


def test_choose_is_in_order_of_time_and_repeatable(tmp_path: Path) -> None:
    truth = _truth(tmp_path, MUG, SPOON, *CUPS)

    questions = choose_questions(truth)

    assert [q.after_ns for q in questions] == sorted(q.after_ns for q in questions)
    assert choose_questions(truth) == questions


def test_choose_skips_a_thing_that_moved_while_nobody_looked(tmp_path: Path) -> None:
    moved_unseen = replace(MUG, carried=range(8, 10), moved_to=(9.0, 9.0, 1.0))
    truth = _truth(tmp_path, moved_unseen)

    assert all(q.after_ns < BASE_NS + 8 * STEP_NS for q in choose_questions(truth))


def test_choose_finds_nothing_where_everything_is_in_sight(tmp_path: Path) -> None:
    always = replace(MUG, visible=range(40))

    assert choose_questions(_truth(tmp_path, always)) == ()


def test_find_truth_beside_the_bag(tmp_path: Path) -> None:
    write_truth(tmp_path / 'k_truth', [MUG])

    assert find_truth(tmp_path / 'k.mcap') == tmp_path / 'k_truth'


def test_find_truth_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'k\.mcap: expected its truth in .*k_truth'):
        find_truth(tmp_path / 'k.mcap')


@pytest.mark.parametrize('name', ['cameras.csv', 'events.json', 'report.json', 'truth.csv'])
def test_load_of_a_damaged_truth_is_an_error(name: str, tmp_path: Path) -> None:
    folder = write_truth(tmp_path / 'k_truth', [MUG])
    (folder / name).write_text('object_id\nmug')

    with pytest.raises(DatasetError, match='expected the truth of a kitchen'):
        Truth.load(folder)


@pytest.mark.parametrize(
    ('min_px', 'num_seen'), [(SHOWN_PX - 1, 5), (SHOWN_PX, 5), (SHOWN_PX + 1, 0)]
)
def test_load_takes_the_least_pixels_of_the_detector_from_the_report(
    min_px: int, num_seen: int, tmp_path: Path
) -> None:
    truth = Truth.load(write_truth(tmp_path, [MUG], min_detection_px=min_px))

    assert truth.tracks['mug_1'].is_visible.sum() == num_seen


def test_load_of_the_fixture_sees_from_twelve_pixels_on() -> None:
    folder = Path(__file__).resolve().parents[3] / 'rosbag_fixtures' / 'kitchen_small_truth'

    tracks = Truth.load(folder).tracks.values()

    assert min(t.visible_px[t.is_visible].min() for t in tracks if t.is_visible.any()) == 12


def test_load_reads_poses_and_movements(tmp_path: Path) -> None:
    truth = _truth(tmp_path, SPOON)

    camera_p = truth.camera_poses[0].inverse().apply([2.0, -0.5, 1.0])
    assert camera_p == pytest.approx([0.5, 0.0, 2.0])  # right, down, ahead
    assert truth.movements == {'spoon_1': ((BASE_NS + 6 * STEP_NS, BASE_NS + 10 * STEP_NS),)}

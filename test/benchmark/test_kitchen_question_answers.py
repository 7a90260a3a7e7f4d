"""A kitchen's truth as tracks, questions as they are put, and answers from a memory's queries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.benchmark import kitchen_questions_run as kitchen_run
from st_memory.benchmark.json_lines import write_lines
from st_memory.benchmark.kitchen_questions_answers import answer, Reply
from st_memory.benchmark.kitchen_questions_asked import Asked, read_asked, rows_of, without_key
from st_memory.benchmark.kitchen_questions_truth import read_kitchen, tracks_of
from st_memory.benchmark.questions import write_trajectories, WritingRules
from st_memory.benchmark.questions.tracks import Mark
from st_memory.core.errors import StMemoryError
from st_memory.core.records import Visibility
from st_memory.core.stamps import NS_PER_S
from st_memory.sim import KitchenSpec
from st_memory.sim.truth_files import TRUTH_COLUMNS
from st_memory.storage import InMemoryStore
from test.benchmark.kitchen_stories import kitchen, row
from test.benchmark.question_scenes import (
    CAMERA,
    remember_stories,
    SCENE,
    scene_tracks,
    seen,
    Story,
    track,
)


def states(*rows: Any, moves: tuple = ()) -> list[Visibility]:
    truth = kitchen({'mug_1': rows}, [('mug_1', *m, 'shelf_1') for m in moves])
    (mug,) = tracks_of(truth, SCENE, 'k1').objects
    return [Visibility(int(s)) for s in mug.states]


@pytest.mark.parametrize(
    ('values', 'state'),
    [
        ({}, Visibility.VISIBLE),
        ({'visible_px': 30, 'unoccluded_px': 60}, Visibility.VISIBLE),
        ({'visible_px': 30, 'unoccluded_px': 61}, Visibility.UNCONFIRMED),
        ({'visible_px': 29, 'unoccluded_px': 29}, Visibility.UNCONFIRMED),
        ({'visible_px': 1, 'unoccluded_px': 900}, Visibility.UNCONFIRMED),
        ({'visible_px': 0, 'unoccluded_px': 1}, Visibility.OCCLUDED),
        ({'visible_px': 0, 'unoccluded_px': 0}, Visibility.OUT_OF_VIEW),
        # The image is 0.8 m to either side at 1 m: most of it is cut off by the border.
        ({'world_p': (1.59, 0.0, 2.0)}, Visibility.VISIBLE),
        ({'world_p': (1.61, 0.0, 2.0)}, Visibility.UNCONFIRMED),
        ({'world_p': (0.0, 0.0, -2.0), 'visible_px': 0}, Visibility.OCCLUDED),
        ({'in_hand': True}, Visibility.IN_MOTION),
        ({'in_hand': True, 'visible_px': 29}, Visibility.UNKNOWN),
        ({'is_present': False, 'visible_px': 0}, Visibility.ABSENT),
    ],
)
def test_state_follows_from_pixels(values: dict[str, Any], state: Visibility) -> None:
    assert states(row(0, **values)) == [state]


def test_thing_moves_from_when_it_leaves_its_place_until_it_stands() -> None:
    V, M = Visibility.VISIBLE, Visibility.IN_MOTION

    assert states(*(row(s) for s in range(5)), moves=((1, 3),)) == [V, M, M, V, V]


def test_detector_with_another_limit_makes_other_states() -> None:
    truth = kitchen({'mug_1': [row(0, visible_px=20, unoccluded_px=20)]})

    for limit, state in ((20, Visibility.VISIBLE), (21, Visibility.UNCONFIRMED)):
        (mug,) = tracks_of(truth, SCENE, 'k1', limit).objects
        assert mug.states.tolist() == [state]


def test_end_of_a_movement_is_shown_by_pixels_within_a_second() -> None:
    rows = [row(s, visible_px=0 if s in (3, 4, 5) else 100) for s in range(9)]
    moves = [('mug_1', 1, 2, 'shelf_1'), ('mug_1', 3.5, 4.2, 'shelf_1'), ('mug_1', 6, 7, '')]
    (mug,) = tracks_of(kitchen({'mug_1': rows}, moves), SCENE, 'k1').objects

    assert [m.is_shown for m in mug.movements] == [True, False, True]


def test_pixel_is_the_middle_of_the_visible_box() -> None:
    truth = kitchen({'mug_1': [row(0), row(1, box_px=None)]})
    (mug,) = tracks_of(truth, SCENE, 'k1').objects

    assert mug.pixels[0].tolist() == [14.0, 23.0]
    assert np.isnan(mug.pixels[1]).all()


def test_truth_folder_is_read(tmp_path: Path) -> None:
    values = dict.fromkeys(TRUTH_COLUMNS, '0')
    values |= {
        'object_id': 'tea_box_1',
        'label': 'tea box',
        'stamp_ns': '5',
        'visible_px': '40',
        'unoccluded_px': '80',
        'present': '1',
        'fixture': 'shelf_1',
        'x': '1.5',
        'box_x': '2',
        'box_w': '4',
        'box_h': '3',
    }
    lines = [','.join(values), ','.join(values.values())]
    lines.append(','.join({**values, 'stamp_ns': '9', 'box_w': ''}.values()))
    (tmp_path / 'truth.csv').write_text('\n'.join(lines), encoding='utf-8')
    camera = 'stamp_ns,width,height,fx,fy,cx,cy,x,y,z,qx,qy,qz,qw\n'
    camera += '5,320,240,200,201,159.5,119.5,1,2,3,0,0,0,1\n9,320,240,200,201,159.5,119.5'
    (tmp_path / 'cameras.csv').write_text(camera + ',1,2,3,0,0,0,1\n', encoding='utf-8')
    event = {'event_type': 'movement', 'start_ns': 6, 'end_ns': 8}
    event |= {'roles': {'object': 'tea_box_1'}, 'detail': {'to_fixture': 'gone'}}
    cut_off = {**event, 'end_ns': None}
    other = {**event, 'event_type': 'take'}
    (tmp_path / 'events.json').write_text(json.dumps([event, cut_off, other]), encoding='utf-8')

    truth = read_kitchen(tmp_path)

    assert truth.labels == {'tea_box_1': 'tea box'}
    first, second = truth.rows['tea_box_1']
    assert (first.visible_px, first.box_px, first.world_p) == (40, (2, 0, 4, 3), (1.5, 0, 0))
    assert second.box_px is None
    assert [(m.start_ns, m.end_ns, m.is_removal) for m in truth.moves] == [(6, 8, True)]
    assert truth.camera.fy == 201
    assert truth.poses[9].translation.tolist() == [1, 2, 3]


def rows() -> list[dict[str, Any]]:
    story = 'V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 60
    mug, other = (
        track(f'mug_{i}', story, ((30.0, 33.5),), place=seen(30.0 * i, 2.0)) for i in (1, 2)
    )
    pot = track('pot_1', 'V' * 100, ((2.0, 4.0),), place=seen(0.0, 1.0))
    tracks = scene_tracks(mug, other, pot)
    written = write_trajectories(tracks, 6, WritingRules(), seed=1)
    return rows_of(written, 'k1', tracks.base_stamp_ns, seed=2)


def test_rows_say_nothing_of_the_answer_to_who_answers() -> None:
    for whole in rows():
        told = without_key(whole)

        assert set(whole) - set(told) == {'correct_idx', 'horizon', 'trajectory_id', 'answer'}
        assert whole['trajectory_id'] not in json.dumps(told)


def test_order_and_ids_do_not_tell_which_questions_belong_together() -> None:
    whole = rows()
    ids = [row['id'] for row in whole]
    by_order = [row['trajectory_id'] for row in whole]

    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert by_order != sorted(by_order)


def test_asked_is_what_was_written(tmp_path: Path) -> None:
    whole = rows()
    write_lines(tmp_path / 'asked.jsonl', map(without_key, whole))
    read = list(read_asked(tmp_path / 'asked.jsonl'))

    assert [q.question_id for q in read] == [row['id'] for row in whole]
    for one, row_ in zip(read, whole, strict=True):
        assert (one.target_mark is None) == (one.target == 'pot')  # there are two mugs
        assert one.target == 'mug' or row_['horizon'] == ''
        assert (one.reference == '') == (one.kind not in ('relation', 'distance'))


MUG, POT = seen(30.0, 2.0), seen(3.0, 1.0)


@pytest.fixture(scope='module')
def memory() -> InMemoryStore:
    """A mug moved at 30 s and out of view from 40 s on, its like on the other side, and a pot."""
    store = InMemoryStore()
    stories = {
        'mug_1': Story('V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 60, ((30.0, 33.5),), MUG),
        'mug_2': Story('V' * 100, ((5.0, 6.0),), seen(-20.0, 2.0), 'counter_2'),
        'pot_1': Story('V' * 100, ((2.0, 4.0),), POT, 'table_1'),
        'lid_1': Story('V' * 20 + 'O' * 80, (), seen(170.0, 0.5), ''),
    }
    remember_stories(store, stories, 'cam')
    return store


def pixel(place: tuple[float, float, float], second: float) -> Mark:
    u, v = CAMERA.project(np.array([[-place[1], -place[2], place[0]]])).pixels[0].tolist()
    return Mark(round(second * NS_PER_S), u, v)


ITS_MARK = pixel(MUG, 29)


def ask(
    memory: InMemoryStore,
    kind: str,
    choices: tuple[str, ...],
    *,
    at_s: float = 60.0,
    target: str = 'mug',
    mark: Mark | None = ITS_MARK,
    reference: str = '',
    reference_mark: Mark | None = None,
) -> Reply:
    stamp_ns = round(at_s * NS_PER_S)
    asked = Asked(
        'q', kind, choices, stamp_ns, 0, target, mark, reference, reference_mark
    )  # fmt: skip
    return answer(memory, CAMERA, asked)


TIMES = tuple(f'00:00:{s:02d} — {60 - s} seconds before the end' for s in (20, 34, 39, 41, 50))
TYPES = ('bin', 'counter', 'shelf')
DIRECTIONS = ('Front-left', 'Front-right', 'Back-left', 'Back-right')
DISTANCES = ('Under 1 m', '1 to under 1.5 m', '1.5 m or more')
RELATIONS = ("12 to 4:30 o'clock", "4:30 to 7:30 o'clock", "7:30 to 12 o'clock")


def test_mark_tells_one_of_two(memory: InMemoryStore) -> None:
    other = pixel(seen(-20.0, 2.0), 29)

    assert ask(memory, 'direction', DIRECTIONS).said == 'Front-right'
    assert ask(memory, 'direction', DIRECTIONS, mark=other).said == 'Front-left'
    assert ask(memory, 'fixture', TYPES).said == 'shelf'
    assert ask(memory, 'fixture', ('counter_1', 'counter_2'), mark=other).said == 'counter_2'


def test_visibility_is_that_of_the_moment(memory: InMemoryStore) -> None:
    said = [ask(memory, 'visibility', ('No', 'Yes'), at_s=s).said for s in (25, 31, 38, 60)]

    assert said == ['Yes', 'Yes', 'Yes', 'No']


def test_times_are_those_known_at_the_moment(memory: InMemoryStore) -> None:
    for second in (60.0, 95.0):
        assert ask(memory, 'last_visible', TIMES, at_s=second).choice_idx == 2  # 39 s
        assert ask(memory, 'last_placed', TIMES, at_s=second).choice_idx == 1  # 33.5 s
    before = ask(memory, 'last_placed', TIMES, at_s=29.0)

    assert before.choice_idx is None
    assert 'has not been seen to move' in before.reason


def test_unknown_thing_is_answered_with_a_reason(memory: InMemoryStore) -> None:
    for mark in (None, pixel(MUG, 29)):
        reply = ask(memory, 'direction', DIRECTIONS, target='kettle', mark=mark)

        assert reply.choice_idx is None
        assert 'kettle' in reply.reason


def test_spatial_answers_are_of_the_view_at_the_question(memory: InMemoryStore) -> None:
    reply = ask(memory, 'camera_distance', DISTANCES)
    lid = ask(memory, 'direction', DIRECTIONS, target='lid', mark=None)

    assert (reply.said, reply.choice_idx) == ('1.5 m or more', 2)
    assert lid.said == 'Back-right'


def test_two_things_are_related_by_mark_or_by_name(memory: InMemoryStore) -> None:
    pot = pixel(POT, 60)
    for kind, choices, said in (
        ('relation', RELATIONS, "12 to 4:30 o'clock"),
        ('distance', DISTANCES, '1 to under 1.5 m'),
    ):
        reply = ask(memory, kind, choices, reference='pot', reference_mark=pot)
        assert reply.said == said
        missing = ask(memory, kind, choices, reference='vase', reference_mark=pot)
        assert missing.choice_idx is None
        assert 'vase' in missing.reason


def test_answer_that_is_no_option_is_none(memory: InMemoryStore) -> None:
    reply = ask(memory, 'direction', ('Up', 'Down'))

    assert reply == Reply(None, 'Front-right', 'that is no option')
    assert ask(memory, 'fixture', ('sink',)).reason == 'no fixture is an option'


def test_times_before_anything_was_seen_have_a_reason(memory: InMemoryStore) -> None:
    reply = ask(memory, 'last_placed', TIMES, target='lid', mark=None)

    assert reply.choice_idx is None
    assert reply.reason


def test_following_process_that_fails_is_named_with_its_last_words(tmp_path: Path) -> None:
    bag = tmp_path / 'bag.mcap'
    bag.write_bytes(b'no bag')
    truth = kitchen({'mug_1': [row(0)]})

    with pytest.raises(
        StMemoryError, match=r'bag\.mcap: following it ended with 1: .*bag'
    ) as told:
        kitchen_run._follow(
            kitchen_run.LADDER[0], bag, rows(), truth, KitchenSpec(5), tmp_path / 'scratch'
        )
    assert '\n' not in str(told.value)


def test_ladder_begins_with_the_memory_as_it_is() -> None:
    own, *bounds = kitchen_run.LADDER

    assert (own.name, own.has_detections, own.has_ids) == ('', False, False)
    assert all(rung.has_detections for rung in bounds)
    assert [rung.has_ids for rung in bounds] == [False, True]

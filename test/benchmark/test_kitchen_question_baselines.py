"""The ladder beside the memory: chance, words alone, the latest row, perfect detections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.benchmark.kitchen_questions_asked import Asked
from st_memory.benchmark.kitchen_questions_options import nearest_time
from st_memory.benchmark.kitchen_questions_oracle import (
    OracleSource,
    true_detections,
    write_oracle,
)
from st_memory.benchmark.kitchen_questions_score import score_answers
from st_memory.benchmark.kitchen_questions_static import StaticMemory, Watched
from st_memory.benchmark.kitchen_questions_text import chance_by_class, text_only_choices
from st_memory.core.records import CameraFrame, Detection, SensedFrame
from st_memory.core.stamps import NS_PER_S
from st_memory.sim import KitchenSpec
from test.benchmark.kitchen_stories import kitchen, row
from test.benchmark.question_scenes import SCENE
from test.replay.walk import WalkSource
from test.scenarios.synthetic import CAMERA, looking

TIMES = ('00:00:01 — 9 seconds before the end', '00:00:04 — 6 seconds before the end')


def question(name: str, kind: str, choices: tuple[str, ...], correct: int, **more: Any) -> Any:
    values = {
        'id': name,
        'class': f'class of {kind}',
        'kind': kind,
        'choices': list(choices),
        'correct_idx': correct,
        'trajectory_id': name.partition('/')[0],
        'horizon': 'short',
        'query_stamp_ns': 10 * NS_PER_S,
        'base_stamp_ns': 0,
    }
    return {**values, **more}


def test_chance_is_that_of_the_number_of_options() -> None:
    rows = [
        question('a/1', 'visibility', ('No', 'Yes'), 0),
        question('b/1', 'fixture', ('a', 'b', 'c', 'd'), 0),
        question('c/1', 'fixture', ('a', 'b'), 0),
    ]

    assert chance_by_class(rows) == {'class of visibility': 0.5, 'class of fixture': 0.375}


def test_words_alone_know_what_is_right_elsewhere() -> None:
    # Of four trajectories a and c are one half, b and d the other one.
    rows = [
        question('a/1', 'fixture', ('shelf', 'table'), 0),
        question('b/1', 'fixture', ('table', 'shelf'), 1),
        question('c/1', 'fixture', ('table', 'shelf'), 1),
        question('d/1', 'fixture', ('shelf', 'table'), 1),
    ]

    # a and c follow b and d: one shelf, one table; the first of equals. b and d follow a and c.
    assert text_only_choices(rows) == {'a/1': 0, 'b/1': 1, 'c/1': 0, 'd/1': 0}


def test_times_are_told_by_their_rank_alone() -> None:
    rows = [question(f'{name}/1', 'last_visible', TIMES, 1) for name in 'abcd']

    assert set(text_only_choices(rows).values()) == {1}


def test_key_of_a_trajectory_does_not_help_itself() -> None:
    rows = [question('a/1', 'fixture', ('shelf', 'table'), 1)]

    assert text_only_choices(rows) == {'a/1': 0}


def test_answers_are_scored_by_class_horizon_and_query_time() -> None:
    rows = [
        question('a/1', 'visibility', ('No', 'Yes'), 0),
        question('a/2', 'fixture', ('a', 'b'), 1, horizon='long', query_stamp_ns=400 * NS_PER_S),
        question('b/1', 'visibility', ('No', 'Yes'), 1, horizon=''),
        question('c/1', 'visibility', ('No', 'Yes'), 0),
    ]
    figures = score_answers(rows, {'a/1': 0, 'a/2': 1, 'b/1': 0, 'c/1': None})

    assert figures['per_class']['class of visibility'] == {'correct': 1, 'total': 3}
    assert figures['macro'] == pytest.approx((1 / 3 + 1) / 2)
    assert figures['macro_by_horizon'] == {'short': 0.5, 'medium': None, 'long': 1.0}
    assert figures['macro_by_query_time'] == {'early': 0.5, 'middle': None, 'late': 1.0}
    assert figures['unanswered'] == 1


def test_nearest_time_is_the_earlier_of_two_as_near() -> None:
    assert nearest_time(TIMES, 2.4) == 0
    assert nearest_time(TIMES, 2.5) == 0
    assert nearest_time(TIMES, 2.6) == 1
    with pytest.raises(ValueError, match='expected times HH:MM:SS'):
        nearest_time(('soon',), 1.0)


def asked(
    kind: str, choices: tuple[str, ...], at_s: float = 10.0, target: str = 'mug', other: str = ''
) -> Asked:
    stamp_ns = round(at_s * NS_PER_S)
    return Asked(f'{kind}@{at_s}', kind, choices, stamp_ns, 0, target, None, other, None)


def frame(
    second: float, *things: tuple[str, tuple[float, float, float]], yaw: float = 0.0
) -> SensedFrame:
    """One image of a camera at the origin; places are in its optical frame."""
    found = tuple(Detection(label, 0.9, camera_p=place) for label, place in things)
    camera = CameraFrame('cam', CAMERA, looking(yaw), detections=found)
    return SensedFrame(stamp_ns=round(second * NS_PER_S), cameras=(camera,))


MUG, POT = ('mug', (0.5, 0.0, 2.0)), ('pot', (0.0, 0.0, 1.0))
DIRECTIONS = ('Front-left', 'Front-right', 'Back-left', 'Back-right')
DISTANCES = ('Under 1 m', '1 to under 1.5 m', '1.5 m or more')
RELATIONS = ("12 to 4:30 o'clock", "4:30 to 7:30 o'clock", "7:30 to 12 o'clock")


def said(one: Asked, *frames: SensedFrame) -> str | None:
    memory = StaticMemory([one], SCENE)
    for each in frames:
        memory.watch(each)
    memory.finish()
    index = memory.choices[one.question_id]
    return None if index is None else one.choices[index]


@pytest.mark.parametrize(
    ('one', 'answer'),
    [
        (asked('visibility', ('No', 'Yes')), 'Yes'),
        (asked('last_visible', TIMES), TIMES[1]),
        (asked('last_placed', TIMES), TIMES[1]),
        (asked('direction', DIRECTIONS), 'Front-right'),
        (asked('camera_distance', DISTANCES), '1.5 m or more'),
        # The mug is 0.5 m to the right of the pot and 1 m beyond it.
        (asked('relation', RELATIONS, other='pot'), "12 to 4:30 o'clock"),
        (asked('distance', DISTANCES, other='pot'), '1 to under 1.5 m'),
        # x of the fixtures goes up in metres; the mug is at x = 2 m: counter_3.
        (asked('fixture', ('bin', 'counter', 'shelf')), 'counter'),
        (asked('fixture', ('counter_1', 'counter_2')), 'counter_2'),
        (asked('fixture', ('sink',)), None),
        (asked('direction', DIRECTIONS, target='jar'), None),
        (asked('relation', RELATIONS, other='jar'), None),
        (asked('direction', ('Up', 'Down')), None),
    ],
)
def test_latest_row_answers_every_class(one: Asked, answer: str | None) -> None:
    assert said(one, frame(1, MUG, POT), frame(4, MUG)) == answer


def test_camera_that_turned_away_sees_the_place_no_more() -> None:
    frames = frame(1, MUG), frame(4, yaw=np.pi)

    assert said(asked('visibility', ('No', 'Yes')), *frames) == 'No'
    assert said(asked('direction', DIRECTIONS), *frames) == 'Back-left'


def test_later_frames_change_no_answer() -> None:
    moved = ('mug', (-0.5, 0.0, 2.0))
    one = asked('direction', DIRECTIONS, at_s=5.0)

    assert said(one, frame(1, MUG), frame(5, MUG), frame(6, moved)) == 'Front-right'
    assert said(one, frame(1, MUG), frame(5, moved), frame(6, MUG)) == 'Front-left'


def test_frame_without_a_pose_is_passed_over() -> None:
    blind = SensedFrame(
        stamp_ns=2 * NS_PER_S,
        cameras=(CameraFrame('cam', CAMERA, None, 'no transform', detections=()),),
    )

    assert said(asked('direction', DIRECTIONS), blind) is None
    assert said(asked('direction', DIRECTIONS), frame(1, MUG), blind) == 'Front-right'


def test_watching_changes_no_frame() -> None:
    source = WalkSource(3)
    watched = Watched(source, StaticMemory([], source.scene))

    assert [f.stamp_ns for f in watched.frames()] == [f.stamp_ns for f in source.frames()]
    assert (watched.name, watched.scene) == (source.name, source.scene)
    assert watched.counters() == source.counters()


SPEC = KitchenSpec(5, noise='standard')


def test_perfect_detections_are_all_that_shows_enough() -> None:
    rows = [row(0), row(1, visible_px=29), row(2, box_px=None, visible_px=0)]
    truth = kitchen({'mug_1': rows, 'pot_1': [row(s) for s in range(3)]})
    found = true_detections(truth, SPEC, 'clean')

    assert [[d.track_id for d in found[s * NS_PER_S]] for s in range(3)] == [
        ['mug_1', 'pot_1'],
        ['pot_1'],
        ['pot_1'],
    ]
    assert {d.label for some in found.values() for d in some} == {'mug', 'pot'}


def test_noisy_detections_are_the_same_every_time() -> None:
    truth = kitchen({'mug_1': [row(s) for s in range(50)]})

    assert true_detections(truth, SPEC, 'standard') == true_detections(truth, SPEC, 'standard')


def oracle(tmp_path: Path, *, has_ids: bool) -> list[SensedFrame]:
    """Give the walk with detections of a mug in its images, which is moved in the second one."""
    source = WalkSource(4)
    stamps = [f.stamp_ns for f in source.frames()]
    rows = [row(0)._replace(stamp_ns=stamp) for stamp in stamps]
    truth = kitchen({'mug_1': rows})
    move = (stamps[0] + 1, stamps[2])
    truth.moves.append(kitchen({}, [('mug_1', 0, 0, 'shelf_1')]).moves[0]._replace(
        start_ns=move[0], end_ns=move[1]
    ))  # fmt: skip
    write_oracle(tmp_path / 'o.jsonl', truth, SPEC, has_ids=has_ids)
    return list(OracleSource(source, tmp_path / 'o.jsonl').frames())


def test_oracle_detections_take_the_place_of_those_in_the_bag(tmp_path: Path) -> None:
    frames = oracle(tmp_path, has_ids=False)

    for one in frames:
        for camera in one.cameras:
            assert [(d.label, d.track_id) for d in camera.detections or ()] == [('mug', '')]
        assert one.movements == ()


def test_oracle_tracks_have_ids_and_movements_in_time(tmp_path: Path) -> None:
    frames = oracle(tmp_path, has_ids=True)
    ids = {d.track_id for f in frames for c in f.cameras for d in c.detections or ()}
    told = [[(m.start_ns, m.end_ns) for m in f.movements] for f in frames]
    start_ns, end_ns = frames[0].stamp_ns + 1, frames[2].stamp_ns

    assert ids == {'mug_1'}
    assert told == [[], [(start_ns, None)], [(start_ns, end_ns)], []]


def test_oracle_file_without_ids_names_no_object(tmp_path: Path) -> None:
    oracle(tmp_path, has_ids=False)
    lines = (tmp_path / 'o.jsonl').read_text(encoding='utf-8').splitlines()

    assert all('mug_1' not in line for line in lines)
    assert all('movement' not in json.loads(line) for line in lines)

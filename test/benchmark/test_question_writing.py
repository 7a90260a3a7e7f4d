"""From tracks to trajectories: names, references, balance, and all eight questions of one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from st_memory.benchmark.questions import (
    find_anchors,
    find_controls,
    write_trajectories,
    WritingRules,
)
from st_memory.benchmark.questions.anchors import Anchor
from st_memory.benchmark.questions.balance import choose_controls
from st_memory.benchmark.questions.drafts import Draft, draft_of
from st_memory.benchmark.questions.referents import mark_before, NameBook, plain_name
from st_memory.benchmark.questions.templates import time_token
from st_memory.benchmark.questions.tracks import ObjectTrack, SceneTracks
from st_memory.benchmark.questions.trajectory_record import Trajectory
from st_memory.core.records import Visibility
from test.benchmark.question_scenes import at, scene_tracks, seen, track

RULES = WritingRules()
LEGACY = WritingRules(format='beyond3d_legacy')
LENGTH = 100
MOVE = ((30.0, 33.5),)
STORY = 'V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 60


def target(name: str = 'mug_1', **options: object) -> ObjectTrack:
    """Give a mug that is moved at 30 s and last seen at 39 s."""
    return track(name, STORY, MOVE, **options)


def reference(name: str = 'pot_1', **options: object) -> ObjectTrack:
    """Give a pot that was moved once and is in view ever since."""
    return track(name, 'V' * LENGTH, ((2.0, 4.0),), **options)


def first_anchor(tracks: SceneTracks, one: ObjectTrack) -> Anchor:
    return find_anchors(tracks, one, RULES, np.random.default_rng(0))[0]


def draft(mug: ObjectTrack, *others: ObjectTrack, rules: WritingRules = RULES) -> Draft | None:
    tracks = scene_tracks(mug, *others)
    return draft_of(tracks, first_anchor(tracks, mug), rules)


@pytest.mark.parametrize(
    ('name', 'plain'),
    [
        ('mug', 'mug'),
        ('Mug 2', 'mug'),
        ('the second mug', 'the mug'),
        ('another plate', 'plate'),
        ('half of the onion', 'the onion'),
        ('tenth bowl', 'bowl'),
        ('tenthouse bowl', 'tenthouse bowl'),
    ],
)
def test_what_only_numbers_a_thing_is_no_name(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_unique_name_is_told_without_a_mark() -> None:
    mug = target()
    tracks = scene_tracks(mug, reference())
    names = NameBook(tracks)

    assert names.is_unique(mug)
    assert names.can_tell(first_anchor(tracks, mug))


def test_one_of_two_is_told_by_where_it_was_before_its_last_movement() -> None:
    mug, other = target(pixel=(40.0, 60.0)), target('mug_2')
    tracks = scene_tracks(mug, other)
    anchor = first_anchor(tracks, mug)
    mark = mark_before(tracks, anchor)

    assert not NameBook(tracks).is_unique(mug)
    assert NameBook(tracks).can_tell(anchor)
    assert mark == (at(29), 40.0, 60.0)
    assert not NameBook(tracks, may_point_out=False).can_tell(anchor)


def test_one_of_two_is_not_told_when_the_other_was_moved_unseen() -> None:
    mug = target()
    other = track('mug_2', 'V' * 45 + '?' * 55, ((45.0, 48.0),), is_shown=False)
    tracks = scene_tracks(mug, other)
    anchors = find_anchors(
        tracks, mug, replace(RULES, draws_per_span=99), np.random.default_rng(0)
    )
    names = NameBook(tracks)

    assert {a.query: names.can_tell(a) for a in anchors if a.query in (42, 44, 45, 49)} == {
        42: True,
        44: True,
        45: False,  # it may be either from here on
        49: False,
    }


def test_one_of_two_that_was_not_seen_before_cannot_be_pointed_out() -> None:
    mug = track('mug_1', 'OOO' + 'MMM' + 'V' * 34 + 'O' * 60, ((3.0, 5.5),))
    tracks = scene_tracks(mug, target('mug_2'))

    assert mark_before(tracks, first_anchor(tracks, mug)) is None
    assert not NameBook(tracks).can_tell(first_anchor(tracks, mug))


def test_draft_knows_direction_distance_and_relation() -> None:
    # 30 degrees right and 2 m ahead; the pot 1 m straight ahead.
    found = draft(target(place=seen(30.0, 2.0)), reference(place=seen(0.0, 1.0)))

    assert found is not None
    assert found.direction == 'front-right'
    assert found.distance_m == pytest.approx(2.0)
    (pot,) = found.references
    # The mug lies 0.732 m beyond the pot and 1 m to its right: 53.8 degrees clockwise of ahead.
    assert pot.relation == '12 to 4:30'
    assert pot.distance_m == pytest.approx(np.hypot(1.0, 2.0 * np.cos(np.pi / 6) - 1.0))


@pytest.mark.parametrize(
    ('degrees', 'name'),
    [(10.0, 'front-right'), (170.0, 'back-right'), (190.0, 'back-left'), (350.0, 'front-left')],
)
def test_direction_goes_by_quadrants(degrees: float, name: str) -> None:
    found = draft(target(place=seen(degrees, 2.0)), reference())

    assert found is not None
    assert found.direction == name


@pytest.mark.parametrize('place', [seen(0.0, 2.0), seen(88.0, 2.0), seen(92.0, 2.0)])
def test_no_draft_within_the_margins_of_the_directions(place: tuple) -> None:
    assert draft(target(place=place), reference()) is None


@pytest.mark.parametrize(
    'other',
    [
        track('pot_1', 'V' * LENGTH),  # never moved
        track('pot_1', 'V' * 30 + 'O' * 70, ((2.0, 4.0),)),  # out of view
        track('pot_1', 'V' * 30 + 'U' * 70, ((2.0, 4.0),)),  # not confirmed
        track('pot_1', 'V' * LENGTH, ((2.0, 4.0),), pixel=(10.0, 120.0)),  # 5 % of 320 is 16
        track('pot_1', 'V' * LENGTH, ((2.0, 4.0),), pixel=(160.0, 235.0)),
        track('pot_1', 'V' * LENGTH, ((2.0, 4.0),), pixel=(np.nan, np.nan)),
        track('pot_1', 'V' * LENGTH, ((2.0, 4.0),), place=(np.nan,) * 3),
    ],
)
def test_reference_is_moved_before_in_view_and_well_inside(other: ObjectTrack) -> None:
    assert draft(target(), other) is None


def test_no_draft_without_a_fixture_or_a_pose() -> None:
    assert draft(target(fixture_id=''), reference()) is None
    mug = target()
    tracks = scene_tracks(mug, reference())
    blind = replace(tracks, world_T_camera=[None] * LENGTH)

    assert draft_of(blind, first_anchor(tracks, mug), RULES) is None


def steps_of(trajectory: Trajectory) -> dict[str, tuple[str, str]]:
    return {
        s.kind: (s.question, '' if s.correct_idx is None else s.choices[s.correct_idx])
        for s in trajectory.steps
    }


def written(rules: WritingRules = RULES, **options: object) -> list[Trajectory]:
    mug = target(place=seen(30.0, 2.0), **options)
    tracks = scene_tracks(mug, reference(place=seen(0.0, 1.0)))
    return write_trajectories(tracks, 1, rules, seed=1)


def test_all_eight_questions_of_a_trajectory() -> None:
    trajectory, control = written()
    told, number = steps_of(trajectory), trajectory.anchor.query
    now = f'At <TIME 00:{number // 60:02d}:{number % 60:02d}.0 video 1>, '
    left = 'assuming the previously moved mug remains at its last known position, '

    assert [s.step for s in trajectory.steps] == ['1', '2', '3', '4', '5a', '5b', '5c', '5d']
    assert told['visibility'] == (
        f'{now}is the previously moved mug visible in the current frame?',
        'No',
    )
    assert told['last_visible'][1] == f'00:00:39 — {number - 39} seconds before the end'
    # Put down at 33.5 s, which is rounded to the even second.
    assert told['last_placed'][1] == f'00:00:34 — {number - 34} seconds before the end'
    assert told['fixture'] == (
        f'{now}based on the last known position of the mug that was moved earlier, which fixture '
        'type is closest to it?',
        'shelf',
    )
    assert told['direction'] == (
        f'{now}{left}in which direction is the mug from your viewpoint?',
        'Front-right',
    )
    assert told['camera_distance'][1] == '1.5 m or more'
    assert told['relation'] == (
        f'{now}{left}where is it relative to the pot (marked in red in the current frame) from '
        'your viewpoint?',
        "12 to 4:30 o'clock",
    )
    assert told['distance'][1] == '1 to under 1.5 m'
    assert all(s.acceptable_idxs == (s.correct_idx,) for s in trajectory.steps)
    assert control.horizon == ''
    assert steps_of(control)['visibility'][1] == 'Yes'
    assert len(control.steps) == 1


def test_legacy_questions_are_open_where_they_ask_for_times() -> None:
    trajectory = written(LEGACY)[0]
    steps = {s.kind: s for s in trajectory.steps}

    assert [s.step for s in trajectory.steps] == ['1', '2', '3', '4', '5a', '5b', '5c']
    assert [s.kind for s in trajectory.steps[-2:]] == ['relation', 'distance']
    assert steps['last_visible'].choices == ()
    assert steps['last_visible'].correct_idx is None
    assert steps['last_visible'].acceptable_idxs == ()
    assert steps['last_placed'].answer['time_sec'] == 33.5
    # 53.8 degrees clockwise of ahead, and 1.24 m: quadrants, and 1 and 2 m.
    assert steps_of(trajectory)['relation'][1] == 'Front-right'
    assert steps_of(trajectory)['distance'][1] == 'medium'
    assert steps['distance'].choices == ('very close', 'close', 'medium', 'far')


def test_counter_is_asked_by_its_area() -> None:
    told = steps_of(written(fixture_id='counter_2')[0])

    assert told['fixture'][1] == 'counter_2'
    assert 'which counter area is closest' in told['fixture'][0]


def test_same_seed_gives_the_same_questions_and_another_one_others() -> None:
    one, again = ([steps_of(t) for t in written()] for _ in range(2))

    assert one == again


def test_nothing_to_ask_about_gives_no_questions() -> None:
    assert write_trajectories(scene_tracks(reference()), 5, RULES, seed=1) == []
    assert write_trajectories(scene_tracks(), 5, RULES, seed=1) == []


def kitchen() -> SceneTracks:
    """Give ten minutes: eight things, each moved and out of sight again and again."""
    rng = np.random.default_rng(5)
    names = ['mug_1', 'jar_1', 'can_1', 'bowl_1', 'plate_1', 'tray_1', 'lid_1', 'cup_1']
    objects = []
    for i, name in enumerate(names):
        story, moves = 'V' * (5 + i), []
        while len(story) < 560:
            moves.append((float(len(story)), len(story) + 2.5))
            story += (
                'MMMVVVV' + rng.choice(['O', 'O', 'O', 'C']) * int(rng.integers(8, 90)) + 'VVV'
            )
        place = seen(float(rng.integers(5, 355)), float(rng.uniform(0.5, 3.0)))
        objects.append(
            track(name, (story + 'V' * 600)[:600], tuple(moves), place=place, rate_hz=5)
        )
    pots = [
        track(f'{n}_1', 'V' * 600, ((1.0, 2.0),), place=seen(a, d), rate_hz=5)
        for n, a, d in (('pot', 0.0, 1.0), ('pan', 90.0, 0.6), ('vase', 200.0, 2.0))
    ]
    return scene_tracks(*objects, *pots, rate_hz=5)


def test_horizons_query_times_and_ranks_are_even() -> None:
    tracks = kitchen()
    trajectories = write_trajectories(tracks, 45, RULES, seed=3)
    hidden = [t for t in trajectories if t.horizon]
    groups = Counter(RULES.query_group_of(tracks.seconds(t.query_stamp_ns)) for t in hidden)
    ranks = [
        Counter(s.correct_idx for t in hidden for s in t.steps if s.kind == kind)
        for kind in ('last_visible', 'last_placed')
    ]

    assert Counter(t.horizon for t in hidden) == {'short': 15, 'medium': 15, 'long': 15}
    assert len(trajectories) == 90
    assert max(groups.values()) - min(groups.values()) <= 3
    for counted in ranks:
        assert set(counted) == {0, 1, 2, 3, 4}
        assert max(counted.values()) - min(counted.values()) <= 2


def test_occluded_targets_keep_to_their_share() -> None:
    hidden = [t for t in write_trajectories(kitchen(), 45, RULES, seed=3) if t.horizon]
    states = [Visibility(int(t.anchor.track.states[t.anchor.query])) for t in hidden]
    occluded = states.count(Visibility.OCCLUDED)

    assert 0 < occluded <= 0.1 * len(hidden) + 1


def test_answers_of_an_earlier_recording_are_evened_out() -> None:
    before = Counter({'direction front-left': 100, 'direction back-left': 100})
    counted = Counter(before)
    hidden = [t for t in write_trajectories(kitchen(), 9, RULES, 3, counted) if t.horizon]
    right = [s.choices[s.correct_idx] for t in hidden for s in t.steps if s.kind == 'direction']

    assert all(text.endswith('right') for text in right)
    assert sum(counted[f'direction {t.lower()}'] for t in set(right)) == len(hidden) == 9


def test_horizon_that_is_used_up_leaves_the_others_their_turn() -> None:
    """One long span of a mug, and short ones of a jar: long anchors run out, short ones do not."""
    mug = track(
        'mug_1', 'V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 36 + 'V' * 164, MOVE, place=seen(30, 2)
    )
    story, moves = 'V' * 80, []
    while len(story) < 236:
        moves.append((float(len(story)), len(story) + 2.5))
        story += 'MMMVV' + 'O' * 8
    jar = track('jar_1', (story + 'V' * 10)[:240], tuple(moves), place=seen(200, 1.2))
    pot = track('pot_1', 'V' * 240, ((2.0, 4.0),), place=seen(0.0, 1.0))
    hidden = [
        t for t in write_trajectories(scene_tracks(mug, jar, pot), 40, RULES, 1) if t.horizon
    ]
    counted = Counter(t.horizon for t in hidden)

    # Of the mug's 36 s there are five anchors beyond 30 s, with a second of margin.
    assert counted['long'] == 5
    assert len(hidden) == 40
    assert min(counted['short'], counted['medium']) > counted['long']


def test_controls_are_spread_over_query_times_as_far_as_they_go() -> None:
    """One pot in view for ten minutes is asked about early, in the middle and late."""
    tracks = scene_tracks(
        track('pot_1', 'V' * 600, ((1.0, 2.0),)),
        *(track(f'mug{i}_1', 'V' * 40 + 'O' * 560, ((1.0, 2.0),)) for i in range(4)),
    )
    rng = np.random.default_rng(0)
    found = [a for one in tracks.objects for a in find_controls(tracks, one, RULES, rng)]
    chosen = choose_controls(tracks, found, 3, RULES, rng)
    groups = [RULES.query_group_of(tracks.seconds(int(tracks.stamps_ns[a.query]))) for a in chosen]

    assert len(found) == 3 + 4
    assert sorted(groups) == [0, 1, 2]
    assert len(choose_controls(tracks, found, 99, RULES, rng)) == 7
    assert choose_controls(tracks, found, 0, RULES, rng) == []


def test_controls_of_a_recording_are_even_over_query_times() -> None:
    tracks = kitchen()
    controls = [t for t in write_trajectories(tracks, 45, RULES, seed=3) if not t.horizon]
    groups = Counter(RULES.query_group_of(tracks.seconds(t.query_stamp_ns)) for t in controls)

    assert len(controls) == 45
    assert groups == {0: 15, 1: 15, 2: 15}


def test_horizon_that_nothing_has_is_left_out() -> None:
    mug = track('mug_1', 'V' * 30 + 'MMMM' + 'V' * 6 + 'O' * 11, MOVE, place=seen(30.0, 2.0))
    pot = track('pot_1', 'V' * 51, ((2.0, 4.0),), place=seen(0.0, 1.0))
    trajectories = write_trajectories(scene_tracks(mug, pot), 2, RULES, seed=1)

    assert [t.horizon for t in trajectories if t.horizon] == ['short', 'short']


def test_no_object_has_a_second_control_before_all_have_one() -> None:
    tracks = scene_tracks(target(), reference())
    one, two = (Anchor(o, i, None, 0, 0, 0, 0.0) for i, o in enumerate(tracks.objects))  # type: ignore[arg-type]
    for seed in range(10):
        rng = np.random.default_rng(seed)
        chosen = choose_controls(tracks, [one, one, one, two], 2, RULES, rng)

        assert {a.track.object_id for a in chosen} == {'mug_1', 'pot_1'}


@pytest.mark.parametrize(
    ('seconds', 'token'),
    [
        (94.0, '<TIME 00:01:34.0 video 1>'),
        (3599.96, '<TIME 01:00:00.0 video 1>'),
        (0.05, '<TIME 00:00:00.0 video 1>'),
    ],
)
def test_time_token_never_has_sixty_seconds(seconds: float, token: str) -> None:
    assert time_token(seconds) == token

"""The table of all objects says what the objects themselves say, after whatever happens."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.builder import Touched
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.table import ObjectTable, targets_of
from st_memory.core.memory.track import Track
from st_memory.core.memory.view import View
from st_memory.core.records import (
    LifeCycle,
    MovementReport,
    SensedFrame,
    Visibility,
    WorldDetection,
)
from test.core.memory.told import (
    at,
    checkpoint_of,
    CUBE,
    frame,
    KITCHEN,
    run,
    S,
    stamp,
    text_of,
    told,
    turned,
)
from test.scenarios.synthetic import FRAME_NS, looking

CAMERAS = ('cam', 'left')
MASKS = ('is_live', 'is_located', 'is_moving', 'is_carried', 'is_doubtful', 'is_steady')


def check_equal(table: ObjectTable, tracks: list[Track], stamp_ns: int) -> None:
    """Compare a table that was kept up to date with one that is built anew."""
    fresh = ObjectTable()
    fresh.update(tracks, frozenset(), stamp_ns)
    assert table.object_ids == fresh.object_ids
    assert all(a is b for a, b in zip(table.tracks, tracks, strict=True))
    for name in MASKS:
        np.testing.assert_array_equal(getattr(table, name), getattr(fresh, name), err_msg=name)
    for name, ours, theirs in zip(
        fresh.resting._fields, table.resting, fresh.resting, strict=True
    ):
        np.testing.assert_array_equal(ours, theirs, err_msg=name)
    rows = np.flatnonzero(fresh.is_located)
    got, expected = table.targets(rows), fresh.targets(rows)
    np.testing.assert_array_equal(got.centres, expected.centres)
    np.testing.assert_array_equal(got.sizes, expected.sizes)
    assert got.fixture_ids == expected.fixture_ids
    assert (got.rotations is None) == (expected.rotations is None)
    if got.rotations is not None:
        np.testing.assert_array_equal(got.rotations, expected.rotations)
    for camera_id in CAMERAS:
        for name, ours, theirs in zip(
            ('state', 'geometry', 'cause'),
            table.views(camera_id),
            fresh.views(camera_id),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs, err_msg=f'{camera_id} {name}')


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Compare the table with the objects whenever the fold looks at it; counts how often."""
    counts = [0]
    refresh = FoldState.refresh

    def checking(state: FoldState, touched: set[str], stamp_ns: int) -> ObjectTable:
        table = refresh(state, touched, stamp_ns)
        check_equal(table, state.ordered(), stamp_ns)
        counts[0] += 1
        return table

    monkeypatch.setattr(FoldState, 'refresh', checking)
    return counts


# A small world in which everything happens.

PLACES = ((2.0, 0.0, 0.0), (2.0, 0.5, 0.0), (1.8, -0.5, 0.1), (2.4, 0.2, -0.3))
LABELS = ('cup', 'bowl')


@st.composite
def looks(draw: st.DrawFn) -> dict:
    """One frame, as choices."""
    return {
        'gap': draw(st.sampled_from([1, 1, 1, 2, 6, 40])),
        'cameras': draw(st.sampled_from([('cam',), ('cam',), ('cam', 'left'), ('left',), ()])),
        'yaw': draw(st.sampled_from([0.0, 0.0, 0.0, 0.05, 1.0, math.pi])),
        'pose': draw(st.sampled_from(['there'] * 6 + ['none', 'jumped'])),
        'depth': draw(st.sampled_from([None, 1.0, 2.0, 5.0, 5.0])),
        'seen': draw(
            st.one_of(
                st.none(),
                st.lists(
                    st.tuples(
                        st.integers(0, 3),
                        st.sampled_from(LABELS),
                        st.sampled_from(['', '', '', 'named']),
                        st.booleans(),
                    ),
                    max_size=3,
                ),
            )
        ),
        'reported': draw(st.sampled_from([''] * 8 + ['start', 'end', 'placed', 'beside'])),
        'tray': draw(st.sampled_from([None, 2.0, 2.0, 2.2, 2.5])),
        'epoch': draw(st.sampled_from([0] * 30 + [1])),
        'repeat': draw(st.sampled_from([1, 1, 4, 9])),
    }


def camera_of(look: dict, name: str, pose: RigidTransform):
    seen = look['seen']
    if seen is not None:
        seen = [
            told(
                PLACES[place],
                label,
                pose=pose,
                track_id=f'{label}_{name_given}' if name_given else '',
                quat=turned((0, 0, 1), 0.5).quat_xyzw if is_turned else None,
            )
            for place, label, name_given, is_turned in seen
        ]
    one = frame(1, seen, pose=pose, depth=look['depth'], camera_id=name).cameras[0]
    if look['pose'] == 'none':
        return replace(one, world_T_camera=None, pose_problem='not_connected')
    return one


def film(script: list[dict]) -> list[SensedFrame]:
    frames, now, epoch = [], 0, 0
    for look in script:
        epoch += look['epoch']
        for _ in range(look['repeat']):
            now += look['gap'] * FRAME_NS
            y = 3.0 if look['pose'] == 'jumped' else 0.0
            pose = looking(look['yaw'], at=(0.0, y, 0.0))
            side = looking(look['yaw'] + 0.3, at=(0.0, 0.3, 0.0))
            cameras = tuple(
                camera_of(look, name, pose if name == 'cam' else side) for name in look['cameras']
            )
            movements, placed = (), ()
            if look['reported'] == 'start':
                movements = (MovementReport('m1', 'mug', now),)
            elif look['reported'] == 'end':
                movements = (MovementReport('m1', 'mug', now - FRAME_NS, now),)
            elif look['reported'] == 'placed':
                placed = (WorldDetection('mug', 1.0, PLACES[0], 'm1', CUBE),)
            elif look['reported'] == 'beside':
                placed = (WorldDetection('mug', 1.0, (2.1, 0.0, 0.0), 'm1', CUBE),)
            tray = {} if look['tray'] is None else {'tray': at(look['tray'])}
            frames.append(SensedFrame(now, epoch, cameras, placed, movements, world_T_part=tray))
    return frames


def eager() -> MemorySettings:
    """Everything happens after a few looks."""
    return MemorySettings(confirm_hits=2, absence_looks=2, absence_s=0.2, move_looks=2, rest_s=0.4)


SCRIPTS = st.lists(looks(), min_size=4, max_size=14)
MANY = settings(
    deadline=None,
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@MANY
@given(script=SCRIPTS)
def test_rows_are_what_the_objects_say(checked: list[int], script: list[dict]) -> None:
    before = checked[0]

    run(film(script), ObjectMemory(eager(), KITCHEN))

    with_cameras = [look for look in script if look['cameras']]
    assert checked[0] - before >= len(with_cameras)


@MANY
@given(script=SCRIPTS, data=st.data())
def test_memory_restarted_anywhere_goes_on_to_the_last_digit(
    script: list[dict], data: st.DataObject
) -> None:
    frames = film(script)
    whole = run(frames, ObjectMemory(eager(), KITCHEN))
    cut = data.draw(st.integers(1, len(frames)))

    resumed = ObjectMemory(eager(), KITCHEN, checkpoint=checkpoint_of(whole[:cut]))

    for expected, got in zip(whole[cut:], run(frames[cut:], resumed), strict=True):
        assert text_of(got) == text_of(expected)


@settings(
    deadline=None,
    max_examples=10,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(script=SCRIPTS)
def test_memory_restarted_at_every_frame_is_one_that_never_stopped(script: list[dict]) -> None:
    frames = film(script)
    whole = run(frames, ObjectMemory(eager(), KITCHEN))

    deltas = run(frames[:1], ObjectMemory(eager(), KITCHEN))
    for one in frames[1:]:
        resumed = ObjectMemory(eager(), KITCHEN, checkpoint=checkpoint_of(deltas))
        deltas += run([one], resumed)

    assert [text_of(d) for d in deltas] == [text_of(d) for d in whole]


# The world above does what it is for.


def test_scripted_world_has_objects_that_come_go_move_ride_and_merge() -> None:
    base = {
        'gap': 1,
        'cameras': ('cam',),
        'yaw': 0.0,
        'pose': 'there',
        'depth': 2.0,
        'seen': [(0, 'cup', '', False)],
        'reported': '',
        'tray': 2.0,
        'epoch': 0,
        'repeat': 4,
    }
    script = [
        base,
        {**base, 'tray': 2.2, 'seen': [], 'depth': 1.0},
        {**base, 'seen': [], 'depth': 5.0},
        {**base, 'seen': [(1, 'cup', '', True)], 'gap': 6},
        {**base, 'reported': 'start', 'repeat': 1, 'seen': None},
    ]

    deltas = run(film(script), ObjectMemory(eager(), KITCHEN))

    events = [e.event_type for d in deltas for e in d.events]
    assert events == ['appeared', 'absent', 'appeared', 'moved', 'merged']
    states = {r.state.object_id: r.state for d in deltas for r in d.tracks}
    assert states['cup_1'].num_moves == 1
    assert states['m1'].in_motion


# What a camera turned away, or nothing at all, leaves to be concluded from time alone.


def moved_out_of_sight() -> list[SensedFrame]:
    """A cup is carried and lost on its way, while the camera turns away for good."""
    frames = [frame(stamp(i), [told(PLACES[0])], depth=2.0) for i in range(6)]
    for i in range(4):
        frames.append(frame(stamp(6 + i), [told((2.0, 0.2 + 0.2 * i, 0.0))], depth=2.0))
    away = looking(math.pi)
    frames += [frame(stamp(10 + i), [], pose=away) for i in range(20)]
    return frames


def test_row_of_a_thing_given_up_in_a_hand_is_right_in_the_next_frame(checked: list[int]) -> None:
    deltas = run(moved_out_of_sight())

    assert [e.event_type for d in deltas for e in d.events] == ['appeared', 'moved']
    assert checked[0] > 0


def test_thing_given_up_in_a_hand_is_looked_for_where_it_was_put_down() -> None:
    # It rested for three looks, 2 cm apart: in the middle of them, not where the last one was.
    frames = moved_out_of_sight()[:9]
    frames += [
        frame(stamp(9 + i), [told((2.0, 0.9 + 0.02 * i, 0.0))], depth=2.0) for i in range(3)
    ]
    frames += [frame(stamp(12 + i), [], depth=1.0) for i in range(20)]
    memory = ObjectMemory(MemorySettings())

    ranges = []
    for one in frames:
        delta = memory.integrate(one)
        ranges.append(memory.looks['cam'].verdicts.range_m[0] if memory.looks else None)
        if [e.event_type for e in delta.events] == ['moved']:
            break
    memory.integrate(frames[len(ranges)])

    assert ranges[-1] == pytest.approx(math.hypot(2.0, 0.94))
    now = memory.looks['cam'].verdicts.range_m[0]
    assert now == pytest.approx(math.hypot(2.0, 0.92))


def test_restart_right_after_a_thing_was_given_up_changes_nothing() -> None:
    frames = moved_out_of_sight()
    whole = run(frames)

    for cut in range(10, len(frames)):
        resumed = ObjectMemory(MemorySettings(), checkpoint=checkpoint_of(whole[:cut]))
        for expected, got in zip(whole[cut:], run(frames[cut:], resumed), strict=True):
            assert text_of(got) == text_of(expected), f'restarted after frame {cut}'


# Rows by hand.


def placed(name: str, *place: float, **changes) -> Track:
    track = Track(name, label_votes={'cup': 1.0}, life_cycle=LifeCycle.CONFIRMED, **changes)
    track.reset_estimate(np.array(place))
    return track


def test_only_what_is_touched_is_written_again() -> None:
    one, other = placed('a', 1.0, 0.0, 0.0), placed('b', 2.0, 0.0, 0.0)
    table = ObjectTable()
    table.update([one, other], frozenset(), S)
    one.mean, other.mean = [5.0, 0.0, 0.0], [6.0, 0.0, 0.0]

    table.update([one, other], frozenset({'a'}), 2 * S)

    np.testing.assert_array_equal(table.targets(np.arange(2)).centres[:, 0], [5.0, 2.0])


def test_whole_fix_places_it_in_its_own_frame_only() -> None:
    track = placed('a', 1.0, 0.0, 0.0, size=[0.1] * 3)
    track.last_fix, track.last_fix_ns, track.whole_fix = [1.1, 0.0, 0.0], 2 * S, True
    table = ObjectTable()

    centres = []
    for now in (2 * S, 2 * S, 3 * S):
        table.update([track], frozenset(), now)
        centres.append(table.targets(np.arange(1)).centres[0, 0])

    assert centres == [1.1, 1.1, 1.0]


def test_new_object_between_two_others_shifts_the_rows() -> None:
    one, other = placed('a', 1.0, 0.0, 0.0), placed('c', 3.0, 0.0, 0.0)
    other.views['cam'] = View(
        int(Visibility.OCCLUDED), int(Visibility.OCCLUDED), 'occluded_by:door', 'door', 1, 0
    )
    table = ObjectTable()
    table.update([one, other], frozenset(), S)
    table.views('cam')

    table.update([one, placed('b', 2.0, 0.0, 0.0), other], frozenset(), 2 * S)

    assert table.object_ids == ('a', 'b', 'c')
    np.testing.assert_array_equal(table.targets(np.arange(3)).centres[:, 0], [1.0, 2.0, 3.0])
    assert table.views('cam').geometry[2] == Visibility.OCCLUDED
    assert table.rows_of([other, one]) == [2, 0]


def test_turned_box_that_turns_back_lies_along_the_axes_again() -> None:
    track = placed('a', 1.0, 0.0, 0.0, size=[0.1] * 3)
    track.quat = [0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]
    table = ObjectTable()
    table.update([track], frozenset(), S)
    turned_then = table.targets(np.arange(1)).rotations

    track.quat = [0.0, 0.0, 0.0, 1.0]
    table.update([track], frozenset({'a'}), 2 * S)

    np.testing.assert_allclose(turned_then[0] @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-12)
    assert table.targets(np.arange(1)).rotations is None


def test_some_rows_are_those_of_all_rows() -> None:
    tracks = [placed(name, float(i), 0.0, 0.0, fixture_id=name) for i, name in enumerate('abcd')]
    tracks[2].quat = [0.0, 0.0, 0.6, 0.8]
    table = ObjectTable()
    table.update(tracks, frozenset(), S)
    rows = np.array([1, 2])

    some, everything = table.targets(rows), table.targets(np.arange(4))

    np.testing.assert_array_equal(some.centres, everything.centres[rows])
    np.testing.assert_array_equal(some.rotations, everything.rotations[rows])
    assert (some.fixture_ids, table.ids(rows)) == (('b', 'c'), ('b', 'c'))
    assert table.targets(np.array([0, 1])).rotations is None


def test_targets_of_a_few_are_copies() -> None:
    table = ObjectTable()
    track = placed('a', 1.0, 0.0, 0.0)
    table.update([track], frozenset(), S)
    before = table.targets(np.arange(1))

    track.mean = [9.0, 0.0, 0.0]
    table.update([track], frozenset({'a'}), 2 * S)

    assert before.centres[0, 0] == 1.0
    assert targets_of([track], S).centres[0, 0] == 9.0


def test_candidate_has_no_row() -> None:
    table = ObjectTable()
    table.update([placed('a', 1.0, 0.0, 0.0)], frozenset({'candidate_1'}), S)

    assert table.rows_of([placed('candidate_1', 1.0, 0.0, 0.0)]) == []


@pytest.mark.parametrize(
    ('changes', 'masks'),
    [
        ({}, {'is_live', 'is_located', 'is_steady'}),
        ({'in_motion': True}, {'is_live', 'is_located', 'is_moving'}),
        ({'life_cycle': LifeCycle.RETIRED}, {'is_located'}),
        ({'life_cycle': LifeCycle.ABSENT}, {'is_live', 'is_located', 'is_doubtful'}),
        ({'carrier': 'tray'}, {'is_live', 'is_located', 'is_steady', 'is_carried'}),
        ({'absent_since_ns': 5}, {'is_live', 'is_located', 'is_steady', 'is_doubtful'}),
        ({'mean': None}, {'is_live', 'is_steady'}),
    ],
)
def test_row_says_what_the_object_is(changes: dict, masks: set) -> None:
    track = placed('a', 1.0, 0.0, 0.0)
    for name, value in changes.items():
        setattr(track, name, value)
    table = ObjectTable()

    table.update([track], frozenset(), S)

    assert {name for name in MASKS if getattr(table, name)[0]} == masks


def test_new_object_leaves_the_rows_of_the_others_as_they_were() -> None:
    table = ObjectTable()
    tracks = {}
    for name, x in (('b', 2.0), ('d', 4.0), ('a', 1.0), ('c', 3.0)):
        track = Track(name, label_votes={name: 1.0}, life_cycle=LifeCycle.CONFIRMED)
        track.mean, track.size = [x, 0.0, 0.0], [0.1, 0.2, 0.3 * x]
        track.fixture_id = f'on {name}'
        tracks[name] = track
        table.update([tracks[n] for n in sorted(tracks)], {name}, 0)

    whole = ObjectTable()
    whole.update([tracks[n] for n in sorted(tracks)], set(tracks), 0)

    rows = np.arange(4)
    ours, theirs = table.targets(rows), whole.targets(rows)
    assert table.object_ids == whole.object_ids == ('a', 'b', 'c', 'd')
    assert ours.fixture_ids == theirs.fixture_ids
    np.testing.assert_array_equal(ours.centres, theirs.centres)
    np.testing.assert_array_equal(ours.sizes, theirs.sizes)
    np.testing.assert_array_equal(ours.radii, theirs.radii)
    assert [[t.object_id for t in table.of_kind(kind)] for kind in 'abcde'] == [
        ['a'],
        ['b'],
        ['c'],
        ['d'],
        [],
    ]


def test_touched_knows_what_is_new_since_it_was_asked() -> None:
    touched = Touched()
    touched.add('a')
    touched |= {'b'}
    assert touched.take_recent() == {'a', 'b'}

    touched.update(['a'], ['c'])
    assert touched.take_recent() == {'a', 'c'}
    assert touched.take_recent() == set()
    assert touched == {'a', 'b', 'c'}

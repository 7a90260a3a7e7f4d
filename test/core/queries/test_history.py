"""What was recorded under an id that was merged belongs to the object it was merged into."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.queries import (
    get_timeline,
    get_visibility,
    locate,
    relative_pose,
    Selector,
    when_last_visible,
)
from st_memory.core.queries.history import intervals_of, observations_of, state_then
from st_memory.core.records import (
    AnswerStatus,
    LifeCycle,
    ObjectState,
    Observation,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S, stay

CUP = Selector(label='cup')
ONE = ObjectState(
    'cup_1',
    'cup',
    0,
    world_p=(2.0, 0.5, 0.0),
    visibility=Visibility.VISIBLE,
    first_seen_ns=S,
    last_seen_ns=2 * S,
    last_visible_ns=2 * S,
)
GONE = replace(ONE, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
TWO = replace(
    ONE,
    object_id='cup_2',
    world_p=(2.0, -0.5, 0.0),
    first_seen_ns=5 * S,
    last_seen_ns=6 * S,
    last_visible_ns=6 * S,
)
JOINED = replace(TWO, object_id='cup_1', aliases=('cup_2', 'mug'), first_seen_ns=S)
UNSEEN = Visibility.OUT_OF_VIEW


def seen(object_id: str, second: int) -> Observation:
    return Observation(f'o{second}', object_id, 0, second * S, 'cup', 0.9, camera_id='cam')


@pytest.fixture
def merged() -> InMemoryStore:
    """
    cup_1 is seen at 1 s and 2 s and gone at 3 s; cup_2 appears at 5 s; they are one at 7 s.

    From 8 s on it is out of view.
    """
    store = InMemoryStore()
    absent = stay('cup_1', 3, None, Visibility.ABSENT)
    frames = [
        (1, (ONE,), (stay('cup_1', 1, None),), (seen('cup_1', 1),)),
        (2, (), (), (seen('cup_1', 2),)),
        (3, (GONE,), (stay('cup_1', 1, 3, last=2), absent), ()),
        (4, (), (), ()),
        (5, (TWO,), (stay('cup_2', 5, None),), (seen('cup_2', 5),)),
        (6, (), (), (seen('cup_2', 6),)),
        (
            7,
            (JOINED, replace(TWO, life_cycle=LifeCycle.RETIRED)),
            (stay('cup_2', 5, 7, last=6), replace(absent, end_ns=7 * S, last_frame_ns=6 * S)),
            (),
        ),
        (8, (replace(JOINED, visibility=UNSEEN),), (stay('cup_1', 8, None, UNSEEN),), ()),
    ]
    for second, states, intervals, observations in frames:
        commit(
            store,
            second,
            *states,
            cameras=['cam'],
            intervals=intervals,
            observations=observations,
        )
    return store


def spans(rows: tuple[VisibilityInterval, ...]) -> list[tuple[float, float | None, str]]:
    return [
        (row.start_ns / S, None if row.end_ns is None else row.end_ns / S, row.state.name)
        for row in rows
    ]


def test_evidence_is_found_under_the_merged_id(merged: InMemoryStore) -> None:
    assert locate(merged, CUP).evidence_ids == ('o6',)


def test_observations_are_those_of_all_ids(merged: InMemoryStore) -> None:
    everything = observations_of(merged, JOINED, None)

    assert [o.stamp_ns // S for o in everything] == [1, 2, 5, 6]
    assert observations_of(merged, JOINED, None, limit=3) == everything[1:]
    assert observations_of(merged, JOINED, None, limit=0) == ()


def test_timeline_takes_the_newcomers_time_from_the_missing_one(merged: InMemoryStore) -> None:
    rows = get_timeline(merged, CUP).intervals

    assert spans(rows) == [
        (1, 3, 'VISIBLE'),
        (3, 5, 'ABSENT'),
        (5, 7, 'VISIBLE'),
        (8, None, 'OUT_OF_VIEW'),
    ]
    assert {row.object_id for row in rows} == {'cup_1'}


def test_what_is_left_of_an_interval_is_counted_anew(merged: InMemoryStore) -> None:
    absent = get_timeline(merged, CUP).intervals[1]

    assert (absent.num_frames, absent.last_frame_ns, absent.num_confirmed) == (2, 4 * S, 0)


def test_interval_around_a_merged_one_is_left_on_both_sides() -> None:
    store = commit(InMemoryStore(), 1, ONE, intervals=(stay('cup_1', 1, None, UNSEEN),))
    commit(store, 4, TWO, intervals=(stay('cup_2', 4, None),))
    commit(store, 6, JOINED, replace(TWO, life_cycle=LifeCycle.RETIRED))
    commit(store, 6, intervals=(stay('cup_2', 4, 6, last=5),))

    rows = intervals_of(store, JOINED, None)

    assert spans(rows) == [(1, 4, 'OUT_OF_VIEW'), (4, 6, 'VISIBLE'), (6, None, 'OUT_OF_VIEW')]


def test_other_cameras_intervals_are_not_cut(merged: InMemoryStore) -> None:
    commit(merged, 9, cameras=['wrist'], intervals=(stay('cup_1', 4, 6, camera_id='wrist'),))

    wrist = get_timeline(merged, CUP, camera_id='wrist')

    assert wrist.status is AnswerStatus.UNKNOWN  # it does not look now
    assert spans(wrist.intervals) == [(4, 6, 'VISIBLE')]
    assert (4, 6, 'VISIBLE') in spans(get_timeline(merged, CUP).intervals)


@pytest.mark.parametrize('confirmed_only', [True, False])
def test_last_sight_by_a_camera_is_found_under_the_merged_id(
    merged: InMemoryStore, confirmed_only: bool
) -> None:
    answer = when_last_visible(merged, CUP, camera_id='cam', confirmed_only=confirmed_only)

    assert answer.stamp_ns == 6 * S


def test_before_the_merge_the_two_are_apart(merged: InMemoryStore) -> None:
    at = Moment(0, 6 * S)

    answer = get_timeline(merged, Selector(object_id='cup_1'), at)

    assert spans(answer.intervals) == [(1, 3, 'VISIBLE'), (3, None, 'ABSENT')]
    assert locate(merged, Selector(object_id='cup_1'), at).evidence_ids == ('o2',)


def test_alias_that_is_another_living_object_is_no_history(merged: InMemoryStore) -> None:
    other = ObjectState('mug', 'mug', 0, world_p=(1.0, 0.0, 0.0))
    commit(merged, 9, other, observations=(seen('mug', 9),))

    assert locate(merged, CUP).evidence_ids == ('o6',)


def test_state_then_is_that_of_the_id_it_had(merged: InMemoryStore) -> None:
    def place(second: int) -> tuple[float, ...] | None:
        state = state_then(merged, JOINED, None, Moment(0, second * S))
        return None if state is None else state.world_p

    assert (place(0), place(2)) == (None, (2.0, 0.5, 0.0))
    assert place(6) == place(8) == (2.0, -0.5, 0.0)


def test_merged_id_still_names_the_object(merged: InMemoryStore) -> None:
    answer = get_visibility(merged, Selector(object_id='cup_2'))

    assert answer.object.object_id == 'cup_1'


# As the reference of a relation.


def bowl(store: InMemoryStore, reference: str, at: Moment | None = None) -> tuple:
    answer = relative_pose(store, Selector(label='bowl'), reference, at=at)
    return answer.status, answer.reason, answer.distance_m


BOWL = ObjectState('bowl_1', 'bowl', 0, world_p=(2.0, -1.5, 0.0), last_seen_ns=5 * S)


def test_reference_by_a_merged_id_is_the_object_it_became(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, cameras=['cam'])

    assert bowl(merged, 'cup_2') == bowl(merged, 'cup_1') == (AnswerStatus.KNOWN, '', 1.0)


def test_retired_reference_is_never_used(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, replace(JOINED, aliases=()), cameras=['cam'])

    status, reason, distance = bowl(merged, 'cup_2')

    assert (status, distance) == (AnswerStatus.NOT_YET_SEEN, None)
    assert reason.startswith('it is not known where cup_2 is: no cup_2 has been seen by then')


def test_absent_reference_makes_the_relation_stale(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, GONE, cameras=['cam'])

    status, reason, distance = bowl(merged, 'cup_1')

    assert (status, distance) == (AnswerStatus.STALE, 2.0)
    assert reason == 'the reference cup_1 is doubtful (its last place was seen to be empty)'


def test_reference_never_located_is_unknown(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, ObjectState('jar_1', 'jar', 0), cameras=['cam'])

    status, reason, _ = bowl(merged, 'jar_1')

    assert status is AnswerStatus.UNKNOWN
    assert 'jar_1' in reason
    assert 'never measured' in reason


def test_reference_that_is_missing_a_name_is_unknown(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, cameras=['cam'])

    assert bowl(merged, '')[:2] == (AnswerStatus.UNKNOWN, 'no reference was named')


def test_base_without_a_pose_is_no_pose_and_says_what_it_takes(merged: InMemoryStore) -> None:
    commit(merged, 9, BOWL, cameras=['cam'])

    status, reason, _ = bowl(merged, 'base')

    assert status is AnswerStatus.NO_POSE
    assert reason.startswith('the base has no pose yet')


@pytest.mark.parametrize(
    ('second', 'status', 'reason'),
    [
        (10, AnswerStatus.KNOWN, ''),
        (11, AnswerStatus.STALE, 'camera cam last looked 2.0 s ago'),
        (19, AnswerStatus.STALE, 'camera cam last looked 10 s ago'),
        (20, AnswerStatus.NO_POSE, 'camera cam last looked 11 s ago and may be anywhere now'),
    ],
)
def test_old_camera_pose_is_said_and_then_refused(
    merged: InMemoryStore, second: int, status: AnswerStatus, reason: str
) -> None:
    commit(merged, 9, BOWL, cameras=['cam'])
    commit(merged, second)

    assert bowl(merged, 'camera')[:2] == bowl(merged, 'cup_1')[:2] == (status, reason)

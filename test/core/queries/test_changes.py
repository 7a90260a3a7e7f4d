"""What is different now from how it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.queries import ChangesAnswer, list_changes, ObjectFilter
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import event, make_story, rest

CUP = ObjectState(
    'cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), first_seen_ns=S, last_seen_ns=S, fixture_id='bar'
)


@pytest.fixture(scope='module')
def story() -> InMemoryStore:
    return make_story()


def at(second: float) -> Moment:
    return Moment(0, round(second * S))


def kinds(answer: ChangesAnswer) -> list[tuple[str, str, float]]:
    return [(c.kind, c.object_id, c.stamp_ns / S) for c in answer.changes]


# Two times of one story, worked out by hand.


def test_changes_since_the_beginning_are_all_that_is_there(story: InMemoryStore) -> None:
    answer = list_changes(story)

    # The bowl came and went: since the beginning nothing of it has changed.
    assert kinds(answer) == [
        ('appeared', 'mug_1', 1),
        ('appeared', 'plate_1', 1),
        ('appeared', 'spoon_1', 6),
        ('closed', 'drawer_1', 10),
    ]
    assert answer.since == Moment(0, S - 1)
    assert answer.status is AnswerStatus.KNOWN


@pytest.mark.parametrize(
    ('since', 'until', 'expected'),
    [
        (20, 20, []),
        (15, 17, []),
        (1, 2, []),
        (2, 4, [('appeared', 'bowl_1', 3), ('opened', 'drawer_1', 3)]),
        # In the hand at both times: nothing differs yet.
        (5, 7, [('appeared', 'spoon_1', 6)]),
        (4, 6, [('lifted', 'mug_1', 6), ('appeared', 'spoon_1', 6)]),
        (4, 9, [('appeared', 'spoon_1', 6), ('moved', 'mug_1', 8)]),
        (9, 11, [('closed', 'drawer_1', 10)]),
        (13, 14, [('gone', 'bowl_1', 14)]),
        (9, 16, [('closed', 'drawer_1', 10), ('gone', 'bowl_1', 14), ('moved', 'mug_1', 15)]),
        (16, 20, [('lifted', 'plate_1', 20)]),
    ],
)
def test_changes_between_two_times(
    since: float, until: float, expected: list, story: InMemoryStore
) -> None:
    answer = list_changes(story, round(since * S), at(until))

    assert kinds(answer) == expected
    assert answer == list_changes(make_story(until), round(since * S), at(until))


def test_change_tells_from_where_to_where_and_on_what_it_rests(story: InMemoryStore) -> None:
    (moved,) = [c for c in list_changes(story, 9 * S).changes if c.kind == 'moved']

    assert (moved.label, moved.from_fixture, moved.to_fixture) == ('mug', 'drawer_1', 'counter_1')
    assert moved.event_ids == ('e09',)
    assert moved.text == 'was moved from where it was inside drawer_1 to be at counter_1'


def test_change_over_two_moves_counts_both(story: InMemoryStore) -> None:
    (moved,) = [c for c in list_changes(story, 2 * S).changes if c.object_id == 'mug_1']

    assert moved.text == 'was moved from where it was at table_1 to be at counter_1, 2 times'
    assert moved.event_ids == ('e06', 'e09')
    assert moved.stamp_ns == 15 * S


def test_changes_sentence_names_them_in_order(story: InMemoryStore) -> None:
    assert list_changes(story, 9 * S, at(14)).sentence == (
        'I know of 3 changes: drawer_1 was closed; bowl_1 is no longer at counter_1; '
        'mug_1 was taken up from where it was inside drawer_1.'
    )


def test_one_change_is_one(story: InMemoryStore) -> None:
    assert list_changes(story, 13 * S, at(14)).sentence == (
        'I know of 1 change: bowl_1 is no longer at counter_1.'
    )


def test_no_change_says_that_it_knows_of_none(story: InMemoryStore) -> None:
    answer = list_changes(story, 16 * S, at(17))

    assert answer.status is AnswerStatus.KNOWN
    assert answer.sentence == 'Nothing that I know of has changed.'


def test_changes_of_one_object_or_kind_leave_out_the_others(story: InMemoryStore) -> None:
    by_id = list_changes(story, 2 * S, wanted=ObjectFilter(object_id='mug_1'))
    by_label = list_changes(story, 2 * S, wanted=ObjectFilter(label='BOWL'))

    assert kinds(by_id) == [('moved', 'mug_1', 15)]
    assert kinds(by_label) == []


# What hardly ever happens.


def _then_now(before: ObjectState, now: ObjectState, *events) -> ChangesAnswer:
    store = commit(InMemoryStore(), 1, before)
    commit(store, 5, now, events=events)
    return list_changes(store, 2 * S)


def test_what_came_back_has_returned() -> None:
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
    answer = _then_now(gone, CUP, event('r', 'returned', 5, 5, 'cup_1'))

    assert kinds(answer) == [('returned', 'cup_1', 5)]
    assert answer.changes[0].text == 'is back at bar'
    assert answer.evidence_ids == ('r',)


def test_what_was_moved_and_is_moved_again_says_both() -> None:
    now = replace(CUP, num_moves=1, in_motion=True, fixture_id='', last_placed_ns=3 * S)
    (change,) = _then_now(CUP, now).changes

    assert (change.kind, change.stamp_ns, change.to_fixture) == ('moved', 3 * S, '')
    assert change.text == 'was moved from where it was at bar and is being moved'


def test_what_was_tentative_then_has_appeared_since() -> None:
    answer = _then_now(replace(CUP, life_cycle=LifeCycle.TENTATIVE), CUP)

    # It was first seen before the time it is compared with, and believed after it.
    assert kinds(answer) == [('appeared', 'cup_1', 5)]


def test_what_was_seen_before_and_believed_after_appeared_when_it_was_believed() -> None:
    told = replace(event('a', 'appeared', 1, 1, 'cup_1'), recorded_ns=4 * S)
    store = commit(InMemoryStore(), 1, replace(CUP, life_cycle=LifeCycle.TENTATIVE))
    commit(store, 4, CUP, events=(told,))
    commit(store, 6)

    assert kinds(list_changes(store, 2 * S)) == [('appeared', 'cup_1', 4)]
    assert kinds(list_changes(store)) == [('appeared', 'cup_1', 1)]


def test_what_came_and_went_unknown_then_has_not_changed() -> None:
    before = replace(CUP, life_cycle=LifeCycle.TENTATIVE)
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)

    assert _then_now(before, gone).changes == ()


def test_what_is_still_gone_has_not_changed() -> None:
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)

    assert _then_now(gone, replace(gone, aliases=('beaker',))).changes == ()


def test_move_of_what_was_merged_is_one_change_of_the_object() -> None:
    kept = replace(CUP, object_id='cup_2', aliases=('cup_1',), num_moves=1, last_placed_ns=5 * S)
    store = commit(InMemoryStore(), 1, CUP)
    merged = replace(CUP, life_cycle=LifeCycle.RETIRED)
    commit(store, 5, kept, merged, events=(event('m', 'merged', 5, 5, 'cup_2'),))

    answer = list_changes(store, 2 * S)

    assert kinds(answer) == [('moved', 'cup_2', 5)]
    assert answer.changes[0].event_ids == ('m',)


def test_fixture_without_a_name_in_the_scene_goes_by_its_id() -> None:
    store = commit(InMemoryStore(), 1)
    commit(store, 2, events=(event('o', 'opened', 2, 2, 'hatch_9'),))

    (change,) = list_changes(store, S).changes

    assert (change.kind, change.object_id, change.label) == ('opened', 'hatch_9', 'hatch_9')


def test_fixture_opened_and_closed_again_is_as_it_is_left(story: InMemoryStore) -> None:
    closed = [c for c in list_changes(story, 2 * S).changes if c.object_id == 'drawer_1']

    assert [(c.kind, c.label) for c in closed] == [('closed', 'drawer')]


def test_many_changes_are_listed_all_and_the_latest_said() -> None:
    store = commit(InMemoryStore(), 1)
    cups = [
        replace(CUP, object_id=f'cup_{i}', first_seen_ns=(i + 2) * S, fixture_id='')
        for i in range(8)
    ]
    commit(store, 10, *cups)

    answer = list_changes(store)

    assert [c.object_id for c in answer.changes] == [f'cup_{i}' for i in range(8)]
    assert answer.sentence.startswith('I know of 8 changes, the latest: cup_2 appeared at (1.00,')
    assert 'cup_1 ' not in answer.sentence


# Times.


def test_changes_since_a_time_after_the_answer_is_an_error(story: InMemoryStore) -> None:
    with pytest.raises(StMemoryError, match=r'since: expected .* not after the answer, 10000000'):
        list_changes(story, 12 * S, at(10))


def test_changes_long_after_the_newest_frame_are_stale(story: InMemoryStore) -> None:
    answer = list_changes(story, 16 * S, at(30))

    assert answer.status is AnswerStatus.STALE
    assert kinds(answer) == [('lifted', 'plate_1', 20)]
    assert answer.sentence.endswith(f'; {answer.reason}.')


def test_changes_since_the_gap_after_the_newest_frame_are_none(story: InMemoryStore) -> None:
    answer = list_changes(story, 25 * S, at(30))

    assert (answer.status, answer.changes) == (AnswerStatus.STALE, ())


@pytest.mark.parametrize(
    ('second', 'status'), [(0.5, AnswerStatus.NOT_YET_SEEN), (None, AnswerStatus.UNKNOWN)]
)
def test_changes_of_no_time_are_refused(
    second: float | None, status: AnswerStatus, story: InMemoryStore, empty: InMemoryStore
) -> None:
    answer = list_changes(empty) if second is None else list_changes(story, None, at(second))

    assert (answer.status, answer.changes, answer.since) == (status, (), None)
    assert answer.sentence == f'I do not know: {answer.reason}.'


def test_changes_are_those_of_the_epoch_that_is_asked_about() -> None:
    store = make_story()
    commit(store, 30, replace(CUP, epoch=1), epoch=1)

    assert kinds(list_changes(store)) == [('appeared', 'cup_1', 30)]
    assert kinds(list_changes(store, 13 * S, at(14))) == [('gone', 'bowl_1', 14)]
    assert list_changes(store, None, Moment(7, S)).status is AnswerStatus.UNKNOWN


# The time and the place of a change are those of one fact.


def test_what_appeared_is_told_where_it_appeared_and_where_it_is_now() -> None:
    moved = replace(CUP, fixture_id='sink', container_id='sink', num_moves=1, last_placed_ns=8 * S)
    stays = (
        rest('cup_1', 1, 5, (1.0, 0.0, 0.0), fixture_id='bar'),
        rest('cup_1', 8, None, (4.0, 0.0, 0.0), fixture_id='sink'),
    )
    store = commit(InMemoryStore(), 1, CUP, placements=(replace(stays[0], end_ns=None),))
    commit(store, 8, moved, placements=stays)
    commit(store, 9, replace(moved, in_motion=True))

    (at_rest,), (in_hand,) = (list_changes(store, None, at(k)).changes for k in (8, 9))

    assert (at_rest.kind, at_rest.stamp_ns, at_rest.to_fixture) == ('appeared', S, 'sink')
    assert at_rest.text == 'appeared at bar and is now inside sink'
    assert in_hand.text == 'appeared at bar and is now being moved'


def test_what_appeared_at_no_fixture_is_told_by_its_place() -> None:
    stays = (rest('cup_1', 1, 5, (1.0, 0.0, 0.0)), rest('cup_1', 8, None, (4.0, 0.0, 0.0)))
    store = commit(InMemoryStore(), 1, CUP)
    commit(store, 8, CUP, placements=stays)

    (change,) = list_changes(store).changes

    assert change.text == 'appeared at (1.00, 0.00, 0.00) m and is now at bar'


def test_what_stayed_where_it_appeared_is_told_by_what_it_is_in() -> None:
    inside = replace(CUP, container_id='box')
    stays = (rest('cup_1', 1, None, (1.0, 0.0, 0.0), fixture_id='bar'),)

    (change,) = list_changes(commit(InMemoryStore(), 1, inside, placements=stays)).changes

    assert change.text == 'appeared inside box'


def test_what_others_were_merged_into_appeared_when_the_first_of_them_did() -> None:
    store = commit(InMemoryStore(), 1, events=(event('a', 'appeared', 1, 1, 'cup_1'),))
    commit(store, 1, CUP)
    told = event('b', 'appeared', 5, 5, 'cup_2')
    commit(store, 5, replace(CUP, object_id='cup_2'), events=(told,))
    merged = replace(CUP, object_id='cup_2', life_cycle=LifeCycle.RETIRED)
    commit(store, 6, replace(CUP, aliases=('cup_2',)), merged)

    assert kinds(list_changes(store)) == [('appeared', 'cup_1', 1)]


def test_what_went_after_a_move_is_gone_from_where_it_was_last() -> None:
    gone = replace(
        CUP,
        fixture_id='sink',
        num_moves=1,
        life_cycle=LifeCycle.ABSENT,
        visibility=Visibility.ABSENT,
    )

    (change,) = _then_now(CUP, gone, event('g', 'absent', 5, 5, 'cup_1')).changes

    assert (change.kind, change.from_fixture) == ('gone', 'bar')
    assert change.text == 'is no longer at sink'

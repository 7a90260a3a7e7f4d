"""Which frame answers a question about a time, and what is said when it is an old one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from st_memory.core import queries
from st_memory.core.queries import (
    Answer,
    count_moves,
    find_item,
    get_itinerary,
    get_timeline,
    get_visibility,
    list_changes,
    list_contents,
    list_objects,
    ListAnswer,
    locate,
    nearest_fixture,
    nearest_fixture_to_point,
    predict_interaction,
    relative_pose,
    Selector,
    when_first_seen,
    when_last_detected,
    when_last_placed,
    when_last_visible,
    when_static_since,
)
from st_memory.core.queries.as_of import as_of, no_such_epoch
from st_memory.core.records import AnswerStatus, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S, stay
from test.core.queries.story import make_story

MUG = ObjectState(
    'mug_1',
    'mug',
    0,
    world_p=(2.0, 0.0, 0.0),
    visibility=Visibility.VISIBLE,
    last_seen_ns=5 * S,
    last_visible_ns=5 * S,
    last_placed_ns=4 * S,
)
MUGS = Selector(label='mug')
HOURS = 10_000 * S
OLD = "the memory's newest frame is 2 h 46 min older than the time asked about"


QUESTIONS = (
    'count_',
    'find_',
    'get_',
    'list_',
    'locate',
    'nearest_',
    'predict_',
    'relative_',
    'when_',
)
# Every function of the package that asks, with the shortest question.
EVERY_FAMILY: dict[str, Callable[[InMemoryStore, Moment], Answer]] = {
    **{
        ask.__name__: lambda store, at, ask=ask: ask(store, MUGS, at=at)
        for ask in (
            count_moves,
            find_item,
            get_itinerary,
            get_timeline,
            get_visibility,
            locate,
            nearest_fixture,
            relative_pose,
            when_first_seen,
            when_last_detected,
            when_last_placed,
            when_last_visible,
            when_static_since,
        )
    },
    'list_changes': lambda store, at: list_changes(store, None, at),
    'list_contents': lambda store, at: list_contents(store, 'table_1', at),
    'list_objects': lambda store, at: list_objects(store, at=at),
    'nearest_fixture_to_point': lambda store, at: nearest_fixture_to_point(store, (0, 0, 0), at),
    'predict_interaction': lambda store, at: predict_interaction(store, at=at),
}
NOTHING = {ListAnswer: 'know of nothing'}


@pytest.fixture
def store() -> InMemoryStore:
    """A mug in view at 5 s, 6 s and, much later, at 20 s."""
    made = commit(InMemoryStore(), 5, MUG, cameras=['cam'], intervals=(stay('mug_1', 5, None),))
    for second in (6, 20):
        seen = replace(MUG, last_seen_ns=second * S, last_visible_ns=second * S)
        commit(made, second, seen, cameras=['cam'])
    return made


def answers(store: InMemoryStore, at: Moment) -> list[Answer]:
    asked = [locate, get_visibility, relative_pose, when_last_visible, when_last_placed]
    return [*(ask(store, MUGS, at=at) for ask in asked), list_objects(store, at=at)]


def test_time_after_the_newest_frame_is_answered_from_it_and_stale(store: InMemoryStore) -> None:
    for answer in answers(store, Moment(0, 20 * S + HOURS)):
        assert answer.at == Moment(0, 20 * S)
        assert (answer.status, answer.reason) == (AnswerStatus.STALE, OLD)
        assert answer.sentence.endswith(f'{OLD}.')


@pytest.mark.parametrize(
    'ask', [EVERY_FAMILY[k] for k in EVERY_FAMILY if 'point' not in k], ids=lambda _: ''
)
def test_every_family_says_in_its_sentence_how_old_the_newest_frame_is(
    store: InMemoryStore, ask: Callable[[InMemoryStore, Moment], Answer]
) -> None:
    store.put_scene(make_story().scene())

    answer = ask(store, Moment(0, 20 * S + HOURS))

    assert answer.status in (AnswerStatus.STALE, AnswerStatus.UNKNOWN)
    assert OLD in answer.reason
    assert OLD in answer.sentence


def test_durations_do_not_run_on(store: InMemoryStore) -> None:
    at = Moment(0, 20 * S + HOURS)

    assert get_visibility(store, MUGS, at).sentence == (
        f'The mug (mug_1) was last visible for 15 s: {OLD}.'
    )
    assert when_last_visible(store, MUGS, at).ago_ns == 0
    assert when_last_visible(store, MUGS, at).sentence == (
        f'The mug (mug_1) was last visible in the newest frame: {OLD}.'
    )
    assert when_last_placed(store, MUGS, at).sentence.startswith(
        'The mug (mug_1) was last put down at (2.00, 0.00, 0.00) m 16 s before the newest frame'
    )


def test_one_second_after_the_newest_frame_is_still_fresh(store: InMemoryStore) -> None:
    at_limit, beyond = Moment(0, 21 * S), Moment(0, 21 * S + 1)

    assert {a.status for a in answers(store, at_limit)} == {AnswerStatus.KNOWN}
    assert {a.status for a in answers(store, beyond)} == {AnswerStatus.STALE}
    assert {a.at for a in answers(store, at_limit)} == {Moment(0, 20 * S)}


def test_answer_in_a_pause_is_the_same_before_and_after_later_frames() -> None:
    rows = (stay('mug_1', 5, None),)
    store = commit(InMemoryStore(), 5, MUG, cameras=['cam'], intervals=rows)
    at = Moment(0, 9 * S)
    before = answers(store, at)

    commit(store, 20, replace(MUG, last_seen_ns=20 * S), cameras=['cam'])

    assert answers(store, at) == before
    assert {a.status for a in before} == {AnswerStatus.STALE}


@pytest.mark.parametrize('ask', EVERY_FAMILY.values(), ids=EVERY_FAMILY)
@pytest.mark.parametrize('epoch', [-1, 1, 3])
def test_epoch_that_is_not_there_is_refused_by_every_family(
    store: InMemoryStore, ask: Callable[[InMemoryStore, Moment], Answer], epoch: int
) -> None:
    commit(store, 1, replace(MUG, epoch=2), epoch=2)
    store.put_scene(make_story().scene())
    at = Moment(epoch, 7 * S)

    answer = ask(store, at)

    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.reason == f'the memory has no epoch {epoch}; known are: 0 and 2'
    assert answer.sentence == f'I {NOTHING.get(type(answer), "do not know")}: {answer.reason}.'
    assert (answer.at, answer.object, answer.evidence_ids) == (at, None, ())


def test_every_question_is_among_the_families() -> None:
    asked = {name for name in queries.__all__ if name.startswith(QUESTIONS)}

    assert asked == set(EVERY_FAMILY)


def test_many_epochs_are_named_by_the_first_and_the_last() -> None:
    store = InMemoryStore()
    for epoch in range(12):
        commit(store, 1, epoch=epoch)

    assert no_such_epoch(store, 12) == 'the memory has no epoch 12; known are: 0 to 11'


def test_time_after_the_end_of_an_older_epoch_is_answered_from_its_end(
    store: InMemoryStore,
) -> None:
    commit(store, 1, epoch=2)

    answer = locate(store, MUGS, Moment(0, 25 * S))

    assert (answer.at, answer.status) == (Moment(0, 20 * S), AnswerStatus.STALE)
    assert answer.reason.startswith("the memory's newest frame is 5.0 s older")


def test_time_before_the_first_frame_is_not_clamped(store: InMemoryStore) -> None:
    found = as_of(store, Moment(0, 4 * S))

    assert found.moment == Moment(0, 4 * S)
    assert found.status is AnswerStatus.NOT_YET_SEEN
    listed = list_objects(store, at=Moment(0, 4 * S))
    assert (listed.status, listed.objects) == (AnswerStatus.NOT_YET_SEEN, ())


def test_camera_that_stopped_looking_makes_its_verdict_stale() -> None:
    rows = (stay('mug_1', 5, None), stay('mug_1', 5, None, camera_id='wrist'))
    store = commit(InMemoryStore(), 5, MUG, cameras=['cam', 'wrist'], intervals=rows)
    commit(store, 8, cameras=['cam', 'wrist'])
    commit(store, 20, cameras=['cam'])

    answer = get_visibility(store, MUGS, camera_id='wrist')

    assert answer.reason == 'camera wrist last looked 12 s ago'
    assert answer.sentence == f'The mug (mug_1) was last visible for 3.0 s: {answer.reason}.'
    assert get_visibility(store, MUGS).status is AnswerStatus.KNOWN

"""Where it has been, how often it was moved, and since when it rests."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.queries import (
    count_moves,
    get_itinerary,
    Selector,
    when_first_seen,
    when_last_detected,
    when_static_since,
)
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import event, make_story, rest

MUG, BOWL, PLATE, SPOON = (Selector(label=name) for name in ('mug', 'bowl', 'plate', 'spoon'))
FAMILIES = [get_itinerary, count_moves, when_first_seen, when_last_detected, when_static_since]


@pytest.fixture(scope='module')
def story() -> InMemoryStore:
    return make_story()


def at(second: float) -> Moment:
    return Moment(0, round(second * S))


# Where it has been.


def test_itinerary_gives_every_stay_in_order(story: InMemoryStore) -> None:
    answer = get_itinerary(story, MUG)

    assert answer.status is AnswerStatus.KNOWN
    assert [
        (row.fixture_id, row.start_ns // S, row.end_ns and row.end_ns // S, row.source)
        for row in answer.placements
    ] == [
        ('table_1', 1, 5, 'first_seen'),
        ('drawer_1', 8, 12, 'annotation'),
        ('counter_1', 15, None, 'observed'),
    ]
    assert (answer.total, answer.num_moves) == (3, 2)
    assert (answer.first_seen_ns, answer.last_seen_ns) == (S, 15 * S)
    assert (answer.last_visible_ns, answer.static_since_ns) == (15 * S, 15 * S)
    assert answer.evidence_ids == ('e06', 'e09')


def test_itinerary_sentence_names_the_stops_in_order(story: InMemoryStore) -> None:
    assert get_itinerary(story, MUG).sentence == (
        'The mug (mug_1) was at table_1 from 19 s ago, at drawer_1 from 12 s ago and then '
        'at counter_1 from 5.0 s ago, where it is still believed to be.'
    )


@pytest.mark.parametrize(
    ('second', 'fixtures', 'moves', 'since'),
    [
        (1, ['table_1'], 0, 1),
        (4.9, ['table_1'], 0, 1),
        (6, ['table_1'], 0, None),  # in the hand
        (8, ['table_1', 'drawer_1'], 1, 8),
        (13, ['table_1', 'drawer_1'], 1, None),
        (15, ['table_1', 'drawer_1', 'counter_1'], 2, 15),
    ],
)
def test_itinerary_as_of_a_time_knows_nothing_later(
    second: float, fixtures: list[str], moves: int, since: int | None, story: InMemoryStore
) -> None:
    answer = get_itinerary(story, MUG, at(second))

    assert [row.fixture_id for row in answer.placements] == fixtures
    assert answer.num_moves == moves
    assert answer.static_since_ns == (None if since is None else since * S)
    assert answer == get_itinerary(make_story(until=second), MUG, at(second))


def test_itinerary_of_what_is_in_the_hand_says_so(story: InMemoryStore) -> None:
    assert get_itinerary(story, MUG, at(6)).sentence == (
        'The mug (mug_1) was at table_1 from 5.0 s ago; it is being moved now.'
    )


def test_itinerary_of_what_is_gone_does_not_believe_it_there(story: InMemoryStore) -> None:
    answer = get_itinerary(story, BOWL)

    assert answer.status is AnswerStatus.STALE
    assert answer.static_since_ns is None
    assert answer.placements[-1].end_ns == 14 * S
    assert answer.sentence == (
        'The bowl (bowl_1) was at counter_1 from 17 s ago: its last place was seen to be empty.'
    )


@pytest.mark.parametrize(
    ('limit', 'offset', 'expected'),
    [
        (None, 0, ['table_1', 'drawer_1', 'counter_1']),
        (2, 0, ['drawer_1', 'counter_1']),
        (1, 1, ['drawer_1']),
        (5, 2, ['table_1']),
        (5, 3, []),
        (5, 99, []),
        (0, 0, []),
    ],
)
def test_itinerary_pages_from_the_newest(
    limit: int | None, offset: int, expected: list[str], story: InMemoryStore
) -> None:
    answer = get_itinerary(story, MUG, limit=limit, offset=offset)

    assert [row.fixture_id for row in answer.placements] == expected
    assert answer.total == 3


@pytest.mark.parametrize('given', [{'limit': -1}, {'offset': -1}])
def test_itinerary_of_fewer_than_none_is_an_error(
    given: dict[str, int], story: InMemoryStore
) -> None:
    with pytest.raises(ValueError, match='expected >= 0'):
        get_itinerary(story, MUG, **given)


def _roamer(stops: int) -> InMemoryStore:
    """A cup that is at a new place every second, the k-th at (k, 0, 1)."""
    store = InMemoryStore()
    for k in range(1, stops + 1):
        place = (float(k), 0.0, 1.0)
        state = ObjectState(
            'cup_1', 'cup', 0, world_p=place, first_seen_ns=S, last_seen_ns=k * S,
            num_moves=k - 1, last_placed_ns=k * S if k > 1 else None,
        )  # fmt: skip
        before = (rest('cup_1', k - 1, k, (k - 1.0, 0.0, 1.0)),) if k > 1 else ()
        rows = (*before, rest('cup_1', k, None, place))
        moved = (event(f'm{k:03d}', 'moved', k - 0.5, k, 'cup_1'),) if k > 1 else ()
        commit(store, k, state, placements=rows, events=moved)
    return store


@pytest.mark.parametrize(
    ('stops', 'start'),
    [
        (1, 'The cup (cup_1) was at (1.00, 0.00, 1.00) m from now'),
        (5, 'The cup (cup_1) was at one more place before, then at (2.00, 0.00, 1.00) m from 3.0'),
        (7, 'The cup (cup_1) was at 3 more places before, then at (4.00, 0.00, 1.00) m from 3.0'),
    ],
)
def test_itinerary_of_many_stops_names_the_newest(stops: int, start: str) -> None:
    answer = get_itinerary(_roamer(stops), Selector(label='cup'))

    assert answer.sentence.startswith(start)
    assert len(answer.placements) == stops


@given(st.integers(1, 9), st.integers(0, 10), st.integers(0, 10))
def test_itinerary_pages_together_are_all_of_it(stops: int, first: int, second: int) -> None:
    store, cup = _roamer(stops), Selector(label='cup')

    newest = get_itinerary(store, cup, limit=first).placements
    before = get_itinerary(store, cup, limit=second, offset=first).placements

    everything = get_itinerary(store, cup).placements
    assert (*before, *newest) == everything[max(0, stops - first - second) :]


def test_itinerary_of_what_was_never_at_rest_is_unknown() -> None:
    carried = ObjectState('cup_1', 'cup', 0, in_motion=True, last_seen_ns=S, first_seen_ns=S)
    answer = get_itinerary(commit(InMemoryStore(), 1, carried), Selector(label='cup'))

    assert (answer.status, answer.total) == (AnswerStatus.UNKNOWN, 0)
    assert answer.sentence == 'The cup (cup_1): it has not been seen at rest anywhere.'


def test_itinerary_of_what_was_merged_tells_each_stay_once() -> None:
    """cup_1 at A until 3; cup_2 at B from 5 to 7, then known to be cup_1, at B since 5."""
    a, b = (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)
    one = ObjectState('cup_1', 'cup', 0, world_p=a, first_seen_ns=S, last_seen_ns=S)
    two = replace(one, object_id='cup_2', world_p=b, first_seen_ns=5 * S, last_seen_ns=5 * S)
    store = commit(InMemoryStore(), 1, one, placements=(rest('cup_1', 1, None, a),))
    commit(store, 5, two, placements=(rest('cup_2', 5, None, b),))
    joined = replace(one, world_p=b, aliases=('cup_2',), num_moves=1, last_placed_ns=5 * S)
    rows = (
        rest('cup_1', 1, 3, a),
        rest('cup_2', 5, 7, b),
        rest('cup_1', 5, None, b, source='inferred', recorded=7),
    )
    commit(store, 7, joined, replace(two, life_cycle=LifeCycle.RETIRED), placements=rows)

    answer = get_itinerary(store, Selector(label='cup'))

    assert [(row.start_ns // S, row.end_ns, row.source) for row in answer.placements] == [
        (1, 3 * S, 'first_seen'),
        (5, None, 'inferred'),
    ]
    assert {row.object_id for row in answer.placements} == {'cup_1'}


def test_itinerary_keeps_stays_of_a_merged_id_that_the_object_has_none_for() -> None:
    place = (2.0, 0.0, 0.0)
    kept = ObjectState('cup_2', 'cup', 0, world_p=place, aliases=('cup_1',), last_seen_ns=5 * S)
    merged = replace(kept, object_id='cup_1', aliases=(), life_cycle=LifeCycle.RETIRED)
    rows = (rest('cup_1', 1, 3, (1.0, 0.0, 0.0)), rest('cup_2', 5, None, place))
    store = commit(InMemoryStore(), 5, kept, merged, placements=rows)

    assert get_itinerary(store, Selector(label='cup')).total == 2


# How often it was moved.


@pytest.mark.parametrize(
    ('second', 'count', 'sentence'),
    [
        (4, 0, 'The mug (mug_1) has been moved 0 times.'),
        (6, 0, 'The mug (mug_1) has been moved 0 times, and is being moved now.'),
        (9, 1, 'The mug (mug_1) has been moved once, last 1.0 s ago.'),
        (13, 1, 'The mug (mug_1) has been moved once, last 5.0 s ago, and is being moved now.'),
        (20, 2, 'The mug (mug_1) has been moved 2 times, last 5.0 s ago.'),
    ],
)
def test_count_moves_counts_completed_ones(
    second: float, count: int, sentence: str, story: InMemoryStore
) -> None:
    answer = count_moves(story, MUG, at(second))

    assert (answer.status, answer.count, answer.sentence) == (AnswerStatus.KNOWN, count, sentence)
    assert len(answer.evidence_ids) == count


@pytest.mark.parametrize(
    ('since', 'count'), [(0.5, 2), (5, 2), (7.9, 2), (8, 1), (14.9, 1), (15, 0), (20, 0)]
)
def test_count_moves_since_counts_those_completed_after_it(
    since: float, count: int, story: InMemoryStore
) -> None:
    answer = count_moves(story, MUG, since_ns=round(since * S))

    assert (answer.count, answer.since_ns) == (count, round(since * S))
    assert answer.evidence_ids == ('e06', 'e09')[2 - count :]


def test_count_moves_since_says_over_what_time(story: InMemoryStore) -> None:
    assert count_moves(story, MUG, since_ns=9 * S).sentence == (
        'The mug (mug_1) has been moved once in the last 11 s, last 5.0 s ago.'
    )


def test_count_moves_since_a_time_after_the_answer_is_an_error(story: InMemoryStore) -> None:
    with pytest.raises(StMemoryError, match='since: expected a time not after the answer'):
        count_moves(story, MUG, at(10), since_ns=11 * S)


def test_count_moves_long_after_the_newest_frame_is_stale(story: InMemoryStore) -> None:
    answer = count_moves(story, MUG, at(50))

    assert (answer.status, answer.count) == (AnswerStatus.STALE, 2)
    assert "memory's newest frame is 30 s older" in answer.reason


def test_count_moves_of_two_candidates_is_ambiguous_and_names_both() -> None:
    one = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S, num_moves=3)
    store = commit(
        InMemoryStore(), 2, one, replace(one, object_id='cup_2', last_seen_ns=2 * S, num_moves=1)
    )
    answer = count_moves(store, Selector(label='cup'))

    assert (answer.status, answer.count) == (AnswerStatus.AMBIGUOUS, 1)
    assert answer.reason == '2 objects fit cup: cup_2 and cup_1'
    assert [s.object_id for s in answer.alternatives] == ['cup_1']


# Since when.


@pytest.mark.parametrize(
    ('second', 'since', 'source'),
    [(2, 1, 'first_seen'), (9, 8, 'annotation'), (20, 15, 'observed')],
)
def test_static_since_is_the_start_of_the_present_rest(
    second: float, since: int, source: str, story: InMemoryStore
) -> None:
    answer = when_static_since(story, MUG, at(second))

    assert (answer.status, answer.stamp_ns, answer.source) == (
        AnswerStatus.KNOWN,
        since * S,
        source,
    )
    assert answer.ago_ns == round(second * S) - since * S


def test_static_since_says_at_least_where_it_was_never_seen_to_move(story: InMemoryStore) -> None:
    assert when_static_since(story, SPOON).sentence == (
        'The spoon (spoon_1) has been inside drawer_1 without moving at least since 14 s ago.'
    )


@pytest.mark.parametrize(
    ('who', 'second', 'reason'),
    [
        (MUG, 13, 'it is being moved'),
        (PLATE, 20, 'it is being moved'),
        (BOWL, 20, 'it is no longer at its last place'),
    ],
)
def test_static_since_of_what_does_not_rest_is_unknown(
    who: Selector, second: float, reason: str, story: InMemoryStore
) -> None:
    answer = when_static_since(story, who, at(second))

    assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, reason)
    assert answer.stamp_ns is None


def test_static_since_without_a_placement_is_unknown() -> None:
    marked = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S)
    answer = when_static_since(commit(InMemoryStore(), 1, marked), Selector(label='cup'))

    assert answer.reason == 'it has not been seen at rest'


def test_first_seen_is_the_first_match(story: InMemoryStore) -> None:
    answer = when_first_seen(story, BOWL)

    assert (answer.status, answer.stamp_ns) == (AnswerStatus.KNOWN, 3 * S)
    assert answer.sentence == 'The bowl (bowl_1) was first seen 17 s ago.'


def test_first_seen_takes_in_what_was_merged() -> None:
    kept = ObjectState(
        'cup_2', 'cup', 0, world_p=(1.0, 0.0, 0.0), aliases=('cup_1',), first_seen_ns=4 * S
    )
    merged = replace(
        kept, object_id='cup_1', aliases=(), first_seen_ns=2 * S, life_cycle=LifeCycle.RETIRED
    )
    store = commit(InMemoryStore(), 5, kept, merged)

    assert when_first_seen(store, Selector(label='cup')).stamp_ns == 2 * S


@pytest.mark.parametrize(
    ('question', 'reason'),
    [
        (when_first_seen, 'it was reported and never seen'),
        (when_last_detected, 'no detector has found it'),
    ],
)
def test_sight_of_what_was_only_reported_is_unknown(question, reason: str) -> None:
    told = ObjectState('cup_1', 'cup', 0, in_motion=True, visibility=Visibility.IN_MOTION)
    answer = question(commit(InMemoryStore(), 1, told), Selector(label='cup'))

    assert (answer.status, answer.stamp_ns) == (AnswerStatus.UNKNOWN, None)
    assert answer.reason == reason


def test_last_detected_may_be_before_it_was_last_visible() -> None:
    state = ObjectState(
        'cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=2 * S, last_visible_ns=4 * S
    )
    answer = when_last_detected(commit(InMemoryStore(), 5, state), Selector(label='cup'))

    assert (answer.stamp_ns, answer.source) == (2 * S, 'detection')
    assert answer.ago_ns == 3 * S


# What all of them refuse alike.


@pytest.mark.parametrize('question', FAMILIES)
def test_class_never_seen_is_not_yet_seen(question, story: InMemoryStore) -> None:
    answer = question(story, Selector(label='drone'))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.sentence == f'I do not know: {answer.reason}.'
    assert 'no drone has been seen by then; known are: bowl, mug, plate and spoon' in answer.reason


@pytest.mark.parametrize('question', FAMILIES)
def test_before_the_first_frame_is_not_yet_seen(question, story: InMemoryStore) -> None:
    answer = question(story, MUG, at(0.5))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.reason == 'the memory holds nothing from before that time'


@pytest.mark.parametrize('question', FAMILIES)
def test_object_of_an_earlier_map_has_no_place_in_this_one(question) -> None:
    store = make_story()
    commit(store, 30, epoch=1)

    answer = question(store, MUG)

    assert answer.status is AnswerStatus.NO_POSE
    assert answer.reason == (
        'mug_1 was last at counter_1 in an earlier map; its place in this map is not known'
    )


@pytest.mark.parametrize('question', FAMILIES)
def test_empty_memory_is_unknown(question, empty: InMemoryStore) -> None:
    assert question(empty, MUG).reason == 'the memory is empty'


def test_present_stay_is_at_the_fixture_that_the_object_is_at() -> None:
    # Which fixture it is at was told only once more matches had settled the place.
    told_late = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), fixture_id='bar')
    stays = (
        rest('cup_1', 1, 2, (5.0, 0.0, 0.0)),
        rest('cup_1', 3, None, (1.0, 0.0, 0.0)),
    )
    store = commit(InMemoryStore(), 3, told_late, placements=stays)

    answer = get_itinerary(store, Selector(label='cup'))

    assert [row.fixture_id for row in answer.placements] == ['', 'bar']
    assert 'at bar from now' in answer.sentence


@pytest.mark.parametrize(('num_moves', 'expected'), [(0, [(5, None)]), (1, [(1, 5), (5, None)])])
def test_two_that_a_person_made_one_were_never_at_two_places_at_once(
    num_moves: int, expected: list[tuple[int, int | None]]
) -> None:
    here = (1.0, 0.0, 0.0)
    kept = ObjectState('cup_1', 'cup', 0, aliases=('cup_2',), world_p=here, num_moves=num_moves)
    other = replace(kept, object_id='cup_2', aliases=(), life_cycle=LifeCycle.RETIRED)
    stays = (rest('cup_2', 1, None, (5.0, 0.0, 0.0)), rest('cup_1', 5, None, here))
    store = commit(InMemoryStore(), 6, kept, other, placements=stays)

    rows = get_itinerary(store, Selector(label='cup')).placements

    assert [(r.start_ns // S, r.end_ns and r.end_ns // S) for r in rows] == expected
    assert {row.object_id for row in rows} == {'cup_1'}

"""A place that the newest match contradicts is not told as known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from st_memory.core.queries import (
    Answer,
    count_moves,
    find_item,
    get_itinerary,
    get_visibility,
    list_contents,
    list_objects,
    locate,
    ObjectFilter,
    relative_pose,
    Selector,
    when_first_seen,
    when_last_detected,
    when_last_placed,
    when_static_since,
)
from st_memory.core.queries.straying import straying
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Observation, Visibility
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import make_story, rest

HOME: Point = (2.0, 0.0, 1.0)
CUP = ObjectState(
    'cup_1',
    'cup',
    0,
    world_p=HOME,
    size_m=(0.1, 0.1, 0.1),
    fixture_id='table_1',
    visibility=Visibility.VISIBLE,
    cause='in_view',
    first_seen_ns=S,
    last_seen_ns=S,
)
CUP_NOW = replace(CUP, last_seen_ns=5 * S)
WHO = Selector(label='cup')


def seen(second: float, at: Point | None, *, who: str = 'cup_1', **given: object) -> Observation:
    """Make a match of the cup; with a range of 3 m from its camera unless told."""
    name = f'{who}-{second}-{given.get("camera_id", "cam")}'
    rows = {'camera_id': 'cam', 'camera_p': (0.0, 0.0, 3.0), **given}
    return Observation(name, who, 0, round(second * S), 'cup', 0.9, world_p=at, **rows)


def remembered(*matches: Observation, state: ObjectState = CUP_NOW) -> InMemoryStore:
    """A cup that came to rest at 1 s, matched as given at 5 s; the camera looks till 6 s."""
    stay = rest('cup_1', 1, None, HOME, fixture_id='table_1')
    first = (seen(1, HOME),)
    store = commit(
        InMemoryStore(), 1, CUP, cameras=['cam'], observations=first, placements=(stay,)
    )
    commit(store, 5, state, cameras=['cam'], observations=matches)
    return commit(store, 6, cameras=['cam'])


# By hand: one sigma at 3 m is sqrt(0.02^2 + 0.06^2 + 0.06^2) = 0.0872 m, four are 0.349 m; half of
# the box's diagonal is 0.0866 m. So 0.435 m are explained.
@pytest.mark.parametrize(
    ('away_m', 'status'), [(0.43, AnswerStatus.KNOWN), (0.44, AnswerStatus.STALE)]
)
def test_place_is_in_doubt_once_noise_and_size_do_not_explain_the_newest_match(
    away_m: float, status: AnswerStatus
) -> None:
    answer = locate(remembered(seen(5, (2.0, away_m, 1.0))), WHO)

    assert answer.status is status


def test_doubt_says_where_it_was_seen_and_when() -> None:
    answer = locate(remembered(seen(5, (2.0, 3.0, 1.0))), WHO)

    why = 'it was seen 3.0 m from there, at (2.00, 3.00, 1.00) m, 1.0 s ago'
    assert (answer.status, answer.reason) == (AnswerStatus.STALE, why)
    assert answer.sentence == f'The cup (cup_1) was last at table_1: {why}.'
    assert answer.evidence_ids == ('cup_1-5-cam',)


def test_every_answer_that_tells_the_place_doubts_it() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    stale = AnswerStatus.STALE

    assert relative_pose(store, WHO).status is stale
    assert get_itinerary(store, WHO).status is stale
    assert 'still believed' not in get_itinerary(store, WHO).sentence
    since = when_static_since(store, WHO)
    assert since.status is stale
    assert 'had been at table_1 without moving' in since.sentence
    way = find_item(store, WHO)
    assert way.status is stale
    assert way.steps[-1].text.startswith('it was last at table_1')
    # When it was first seen does not depend on where it is.
    assert when_first_seen(store, WHO).status is AnswerStatus.KNOWN


def test_contents_name_what_was_seen_elsewhere() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    store.put_scene(make_story().scene())

    answer = list_contents(store, 'table_1')

    assert answer.status is AnswerStatus.STALE
    assert [s.object_id for s in answer.objects] == ['cup_1']
    assert 'cup_1 is doubtful (it was seen 3.0 m from there' in answer.sentence


def test_list_names_what_was_seen_elsewhere() -> None:
    why = 'it was seen 3.0 m from there, at (2.00, 3.00, 1.00) m, 1.0 s ago'

    answer = list_objects(remembered(seen(5, (2.0, 3.0, 1.0))))

    assert (answer.status, [s.object_id for s in answer.objects]) == (
        AnswerStatus.STALE,
        ['cup_1'],
    )
    assert answer.reason == f'cup_1 is doubtful ({why})'
    assert answer.sentence == f'I know of 1 such object: cup_1; {answer.reason}.'
    assert list_objects(remembered(seen(5, HOME))).status is AnswerStatus.KNOWN


def test_list_doubts_only_what_it_lists() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    commit(store, 6, replace(CUP, object_id='jar_1', label='jar'), cameras=['cam'])

    assert list_objects(store, ObjectFilter(label='jar')).status is AnswerStatus.KNOWN
    assert list_objects(store, ObjectFilter(label='CUP')).status is AnswerStatus.STALE
    assert list_objects(store, ObjectFilter(object_id='jar_1')).status is AnswerStatus.KNOWN


def test_list_with_many_doubts_names_the_first_and_counts_the_rest() -> None:
    names = [f'cup_{k}' for k in range(1, 6)]
    store = InMemoryStore()
    commit(
        store,
        5,
        *(replace(CUP, object_id=name) for name in names),
        cameras=['cam'],
        observations=tuple(seen(5, (2.0, 3.0, 1.0), who=name) for name in names),
    )
    commit(store, 5, *(replace(CUP, object_id=name) for name in names))

    answer = list_objects(store)

    assert answer.reason.count('is doubtful (') == 3
    assert answer.reason.endswith('; 2 more are doubtful')


def test_list_does_not_doubt_the_place_of_what_is_gone() -> None:
    gone = replace(CUP_NOW, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)

    answer = list_objects(remembered(seen(5, (2.0, 3.0, 1.0)), state=gone))

    assert (answer.status, len(answer.objects)) == (AnswerStatus.KNOWN, 1)


def test_before_the_match_and_after_one_at_home_the_place_is_known() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    later = replace(CUP, last_seen_ns=7 * S)
    commit(store, 7, later, cameras=['cam'], observations=(seen(7, HOME),))

    told = [locate(store, WHO, Moment(0, k * S)).status for k in (1, 5, 6, 7)]

    known, stale = AnswerStatus.KNOWN, AnswerStatus.STALE
    assert told == [known, stale, stale, known]


def test_one_camera_that_has_it_at_home_settles_it() -> None:
    away = seen(5, (2.0, 3.0, 1.0), camera_id='wrist')

    assert locate(remembered(seen(5, HOME), away), WHO).status is AnswerStatus.KNOWN


def test_match_without_a_place_contradicts_nothing() -> None:
    assert locate(remembered(seen(5, None)), WHO).status is AnswerStatus.KNOWN


def test_word_of_a_person_after_the_match_settles_it() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    told = rest('cup_1', 6.5, None, HOME, fixture_id='table_1', source='marked')
    commit(store, 6.5, CUP_NOW, placements=(told,))

    assert locate(store, WHO).status is AnswerStatus.KNOWN


def test_what_a_drawer_carried_off_since_it_was_matched_is_where_the_drawer_took_it() -> None:
    store = remembered(seen(5, HOME))
    commit(store, 7, replace(CUP_NOW, world_p=(2.6, 0.0, 1.0)), cameras=['cam'])

    assert locate(store, WHO).status is AnswerStatus.KNOWN


def test_thing_that_is_gone_is_so_for_that_reason_alone() -> None:
    gone = replace(CUP_NOW, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)

    answer = locate(remembered(seen(5, (2.0, 3.0, 1.0)), state=gone), WHO)

    assert answer.reason == 'its last place was seen to be empty'


def test_ambiguity_names_the_doubt_too() -> None:
    store = remembered(seen(5, (2.0, 3.0, 1.0)))
    other = replace(CUP, object_id='cup_2')
    commit(store, 7, other)

    answer = locate(store, WHO)

    assert answer.status is AnswerStatus.STALE
    assert '; 2 objects fit cup: cup_1 and cup_2' in answer.reason


def test_thing_never_measured_strays_nowhere() -> None:
    nowhere = replace(CUP, world_p=None)

    assert straying(remembered(seen(5, HOME)), nowhere, None) == ''
    assert straying(InMemoryStore(), CUP, None) == ''


def test_last_placement_is_in_doubt_as_well() -> None:
    placed = replace(CUP_NOW, last_placed_ns=S, placed_by='observed', num_moves=1)

    answer = when_last_placed(remembered(seen(5, (2.0, 3.0, 1.0)), state=placed), WHO)

    assert answer.status is AnswerStatus.STALE


class Counting:
    """A reader that counts how often matches of an object are read, by the limit given."""

    def __init__(self, store: InMemoryStore) -> None:
        self._store = store
        self.limits: list[int | None] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def observations(
        self, object_id: str, at: Moment | None = None, *, limit: int | None = None
    ) -> tuple[Observation, ...]:
        """Count, then read."""
        self.limits.append(limit)
        return self._store.observations(object_id, at, limit=limit)


@pytest.mark.parametrize('ask', [get_visibility, when_first_seen, when_last_detected])
def test_question_that_is_not_about_a_place_reads_the_match_for_its_evidence_alone(
    ask: Callable[..., Answer],
) -> None:
    reader = Counting(remembered(seen(5, (2.0, 3.0, 1.0))))

    ask(reader, WHO)

    assert reader.limits == [1]


def test_match_at_its_place_is_settled_by_the_newest_row() -> None:
    reader = Counting(remembered(seen(5, HOME)))

    answer = locate(reader, WHO)

    assert answer.status is AnswerStatus.KNOWN
    assert reader.limits == [1, 1]  # for the doubt, and for the evidence


def test_move_count_reads_no_match() -> None:
    reader = Counting(remembered(seen(5, (2.0, 3.0, 1.0))))

    count_moves(reader, WHO)

    assert reader.limits == []

"""What a person says: done as a whole, kept with its provenance, and stronger than detectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.queries import locate, Selector
from st_memory.core.records import (
    AnswerStatus,
    Edit,
    EditAction,
    FrameDelta,
    LifeCycle,
    ObjectState,
    SensedFrame,
    WorldDetection,
)
from st_memory.storage import InMemoryStore
from test.scenarios.synthetic import Ball, FRAME_NS, looking, sense

LEFT, RIGHT = (2.0, 0.5, 0.0), (2.0, -0.5, 0.0)


class Told:
    """A memory that is told things between looks, with the store that it is kept in."""

    def __init__(self) -> None:
        self.memory = ObjectMemory(MemorySettings())
        self.store = InMemoryStore()
        self.index = 0

    def see(self, *balls: Ball, looks: int = 6) -> Told:
        for _ in range(looks):
            self._integrate(sense(self.index, balls))
            self.index += 1
        return self

    def say(self, action: EditAction, object_id: str = '', **fields: object) -> FrameDelta:
        return self.say_all([Edit(action, object_id, **fields)])

    def say_all(self, edits: Iterable[Edit]) -> FrameDelta:
        stamp_ns = 1 if self.store.now() is None else self.store.now().stamp_ns + 1
        return self._integrate(SensedFrame(stamp_ns, edits=tuple(edits)))

    def restart(self) -> Told:
        self.memory = ObjectMemory(MemorySettings(), checkpoint=self.store.checkpoint())
        return self

    def state(self, object_id: str) -> ObjectState:
        state = self.store.object_at(object_id)
        assert state is not None
        return state

    def where(self, object_id: str = '', **words: str) -> AnswerStatus:
        return locate(self.store, Selector(object_id, **words)).status

    def live(self) -> list[str]:
        gone = LifeCycle.RETIRED
        return [s.object_id for s in self.store.objects_at() if s.life_cycle is not gone]

    def _integrate(self, frame: SensedFrame) -> FrameDelta:
        delta = self.memory.integrate(frame)
        self.store.commit(delta)
        return delta


def cup(at: tuple[float, float, float] = LEFT, track_id: str = '', label: str = 'cup') -> Ball:
    return Ball(label, at, track_id=track_id)


def seen_cup() -> Told:
    return Told().see(cup())


# Provenance.


def test_edit_is_kept_as_an_event_of_a_person_with_the_note() -> None:
    told = seen_cup()

    delta = told.say(EditAction.RENAME, 'cup_1', label='Annas Tasse', note='it is hers')

    (event,) = delta.events
    assert (event.event_type, event.source) == ('renamed', 'human')
    assert event.roles == (('object', 'cup_1'),)
    assert event.detail == 'the cup is called Annas Tasse: it is hers'
    assert event.start_ns == event.end_ns == event.recorded_ns == delta.frame.stamp_ns


@pytest.mark.parametrize(
    'edit',
    [
        Edit(EditAction.RENAME, 'cup_9', label='mug'),
        Edit(EditAction.FORGET, 'cup_9'),
        Edit(EditAction.RESTORE, 'cup_9'),
        Edit(EditAction.MERGE, 'cup_1', 'cup_9'),
        Edit(EditAction.MERGE, 'cup_9', 'cup_1'),
        Edit(EditAction.SPLIT, 'cup_9', 'cup_1'),
        Edit(EditAction.MARK, 'cup_9', world_p=(0.0, 0.0, 0.0)),
    ],
)
def test_edit_of_what_nobody_knows_is_refused_and_changes_nothing(edit: Edit) -> None:
    told = seen_cup()
    before = told.store.objects_at()

    assert told.memory.refusal(edit) == "no object 'cup_9' is known in this epoch"
    delta = told.say_all([edit])

    assert (delta.tracks, delta.events) == ((), ())
    assert told.store.objects_at() == before
    assert told.memory.counters['edit_refused'] == 1


# Marking.


def test_marked_object_is_known_where_it_was_said_to_be() -> None:
    told = Told()

    delta = told.say(EditAction.MARK, label='fire extinguisher', world_p=(1.0, 2.0, 0.5))

    state = told.state('fire_extinguisher_1')
    assert (state.world_p, state.num_observations) == ((1.0, 2.0, 0.5), 0)
    assert (state.first_seen_ns, state.last_seen_ns) == (None, None)
    assert [p.source for p in delta.placements] == ['marked']
    assert told.where(label='fire extinguisher') is AnswerStatus.KNOWN


def test_mark_without_a_place_is_known_by_name_only() -> None:
    told = Told()

    told.say(EditAction.MARK, 'keys', label='keys')

    assert told.state('keys').world_p is None
    assert told.where('keys') is AnswerStatus.UNKNOWN


def test_marked_object_is_the_one_that_is_then_seen_there() -> None:
    told = Told()
    told.say(EditAction.MARK, label='cup', world_p=LEFT)

    told.see(cup())

    assert told.live() == ['cup_1']
    assert told.state('cup_1').num_observations == 6


def test_mark_elsewhere_moves_a_known_object_and_counts_it() -> None:
    told = seen_cup()

    delta = told.say(EditAction.MARK, 'cup_1', world_p=(0.0, 3.0, 1.0))

    state = told.state('cup_1')
    assert (state.world_p, state.num_moves, state.placed_by) == ((0.0, 3.0, 1.0), 1, 'marked')
    assert [(e.event_type, e.source) for e in delta.events] == [
        ('moved', 'human'),
        ('marked', 'human'),
    ]
    assert [p.end_ns for p in told.store.placements('cup_1')] == [delta.frame.stamp_ns, None]


def test_mark_at_its_place_corrects_it_and_is_no_move() -> None:
    told = seen_cup()
    nudged = (2.0, 0.55, 0.0)

    told.say(EditAction.MARK, 'cup_1', world_p=nudged)

    assert (told.state('cup_1').world_p, told.state('cup_1').num_moves) == (nudged, 0)


def test_mark_takes_down_a_tombstone() -> None:
    told = seen_cup().see(looks=40)
    assert told.state('cup_1').life_cycle is LifeCycle.ABSENT

    told.say(EditAction.MARK, 'cup_1', world_p=(0.0, 3.0, 1.0))

    assert told.state('cup_1').life_cycle is LifeCycle.CONFIRMED
    assert told.where('cup_1') is AnswerStatus.KNOWN


def test_marked_object_that_is_not_there_is_found_to_be_absent() -> None:
    told = Told()
    told.say(EditAction.MARK, label='cup', world_p=LEFT)
    told.see(cup(), looks=6).see(looks=40)

    assert told.state('cup_1').life_cycle is LifeCycle.ABSENT


# Renaming.


def test_new_name_outlives_what_the_detector_goes_on_to_say() -> None:
    told = seen_cup()
    told.say(EditAction.RENAME, 'cup_1', label='mug')

    told.see(cup(), looks=30)

    assert told.state('cup_1').label == 'mug'
    assert told.state('cup_1').aliases == ('cup',)
    assert told.live() == ['cup_1']
    assert told.where(label='cup') is told.where(label='mug') is AnswerStatus.KNOWN


def test_renamed_object_that_was_carried_off_is_found_again_by_its_class() -> None:
    told = seen_cup()
    told.say(EditAction.RENAME, 'cup_1', label='mug')

    told.see(looks=40).see(cup(RIGHT), looks=8)

    assert told.live() == ['cup_1']
    assert told.state('cup_1').label == 'mug'
    np.testing.assert_allclose(told.state('cup_1').world_p, RIGHT, atol=0.05)


def test_renaming_twice_to_the_same_is_done_once() -> None:
    told = seen_cup()
    told.say(EditAction.RENAME, 'cup_1', label='mug')

    delta = told.say(EditAction.RENAME, 'cup_1', label='mug')

    assert (delta.tracks, delta.events) == ((), ())


# Forgetting.


def test_forgotten_object_is_answered_for_no_more() -> None:
    told = seen_cup()

    told.say(EditAction.FORGET, 'cup_1')

    assert told.where('cup_1') is told.where(label='cup') is AnswerStatus.UNKNOWN
    assert told.state('cup_1').life_cycle is LifeCycle.RETIRED
    assert told.store.placements('cup_1')[-1].end_ns is not None


def test_forgetting_twice_is_no_error_and_one_event() -> None:
    told = seen_cup()
    told.say(EditAction.FORGET, 'cup_1')

    assert told.memory.refusal(Edit(EditAction.FORGET, 'cup_1')) == ''
    assert told.say(EditAction.FORGET, 'cup_1').events == ()


@pytest.mark.parametrize('restarts', [False, True])
@pytest.mark.parametrize('track_id', ['', 'tracker-7'])
def test_forgotten_object_that_is_seen_again_is_a_new_one(track_id: str, restarts: bool) -> None:
    told = Told().see(cup(track_id=track_id))
    (name,) = told.live()
    told.say(EditAction.FORGET, name)
    if restarts:
        told.restart()

    told.see(cup(track_id=track_id), looks=8)

    (new,) = told.live()
    assert new != name
    assert told.state(name).life_cycle is LifeCycle.RETIRED
    assert told.state(new).num_observations == 8


def test_position_that_comes_in_under_a_forgotten_name_opens_a_new_object() -> None:
    told = Told()
    told.say(EditAction.MARK, 'keys', label='keys', world_p=LEFT)
    told.say(EditAction.FORGET, 'keys')
    seen = WorldDetection('keys', 1.0, RIGHT, 'keys')

    told._integrate(SensedFrame(told.store.now().stamp_ns + 1, world_detections=(seen,)))

    (new,) = told.live()
    assert new != 'keys'
    assert told.state(new).world_p == RIGHT


def test_restored_object_is_answered_for_where_it_was() -> None:
    told = seen_cup()
    before = told.state('cup_1')
    told.say(EditAction.FORGET, 'cup_1')

    delta = told.say(EditAction.RESTORE, 'cup_1', note='by mistake')

    assert told.where('cup_1') is AnswerStatus.KNOWN
    assert told.state('cup_1').world_p == before.world_p
    assert delta.events[0].event_type == 'restored'
    assert told.say(EditAction.RESTORE, 'cup_1').events == ()


def test_restored_object_answers_to_its_tracker_again() -> None:
    told = Told().see(cup(track_id='seven'))
    told.say(EditAction.FORGET, 'seven')
    told.say(EditAction.RESTORE, 'seven')

    told.see(cup(track_id='seven'))

    assert told.live() == ['seven']


def test_forgotten_object_is_neither_merged_nor_renamed_before_it_is_restored() -> None:
    told = Told().see(cup(), cup(RIGHT))
    told.say(EditAction.FORGET, 'cup_2')

    for edit in (
        Edit(EditAction.RENAME, 'cup_2', label='x'),
        Edit(EditAction.MERGE, 'cup_1', 'cup_2'),
    ):
        assert told.memory.refusal(edit) == "'cup_2' is forgotten: restore it first"


# Merging and splitting.


def two_cups() -> Told:
    """One cup after the other, both seen ever since: as of two detections of one thing."""
    return Told().see(cup(), looks=6).see(cup(), cup(RIGHT), looks=6)


def test_merged_id_means_the_object_that_took_it_over() -> None:
    told = two_cups()
    told.say(EditAction.RENAME, 'cup_2', label='bowl')

    told.say(EditAction.MERGE, 'cup_1', other_id='cup_2')

    assert told.live() == ['cup_1']
    answer = locate(told.store, Selector('cup_2'))
    assert answer.object is not None
    assert (answer.status, answer.object.object_id) == (AnswerStatus.KNOWN, 'cup_1')
    assert told.where(label='bowl') is AnswerStatus.KNOWN


def test_merge_adds_up_what_was_seen() -> None:
    told = two_cups()
    num = [told.state(f'cup_{i}').num_observations for i in (1, 2)]

    told.say(EditAction.MERGE, 'cup_2', other_id='cup_1')

    state = told.state('cup_2')
    assert state.num_observations == sum(num)
    assert state.first_seen_ns == FRAME_NS  # that of the older one


def test_merge_of_what_was_found_elsewhere_is_a_move() -> None:
    told = seen_cup().see(looks=3).see(cup(RIGHT, label='bowl'), looks=6)

    told.say(EditAction.MERGE, 'cup_1', other_id='bowl_1')

    state = told.state('cup_1')
    np.testing.assert_allclose(state.world_p, RIGHT, atol=0.05)
    assert (state.num_moves, state.placed_by) == (1, 'inferred')
    assert state.label == 'bowl' or state.label == 'cup'


def test_merged_object_is_one_for_trackers_that_knew_two() -> None:
    told = Told().see(cup(track_id='a'), cup(RIGHT, track_id='b'))
    told.say(EditAction.MERGE, 'a', other_id='b')

    told.see(cup(RIGHT, track_id='b'), looks=3)

    assert told.live() == ['a']


def test_merging_twice_is_done_once() -> None:
    told = two_cups()
    told.say(EditAction.MERGE, 'cup_1', other_id='cup_2')

    edit = Edit(EditAction.MERGE, 'cup_1', 'cup_2')

    assert told.memory.refusal(edit) == ''
    assert told.say_all([edit]).events == ()


@pytest.mark.parametrize('restarts', [False, True])
def test_split_gives_back_what_was_merged(restarts: bool) -> None:
    told = two_cups()
    before = {name: told.state(name) for name in ('cup_1', 'cup_2')}
    told.say(EditAction.MERGE, 'cup_1', other_id='cup_2')
    if restarts:
        told.restart()

    delta = told.say(EditAction.SPLIT, 'cup_1', other_id='cup_2')

    assert told.live() == ['cup_1', 'cup_2']
    for name, was in before.items():
        state = told.state(name)
        assert (state.world_p, state.label, state.aliases) == (was.world_p, was.label, was.aliases)
        assert state.num_observations == was.num_observations
        assert (state.first_seen_ns, state.num_moves) == (was.first_seen_ns, was.num_moves)
        assert told.store.placements(name)[-1].end_ns is None
    assert [e.event_type for e in delta.events] == ['split']


def test_split_after_it_was_seen_leaves_the_sightings_with_the_nearer_one() -> None:
    told = two_cups()
    told.say(EditAction.MERGE, 'cup_1', other_id='cup_2')
    told.see(cup(RIGHT), looks=4)

    told.say(EditAction.SPLIT, 'cup_1', other_id='cup_2')

    np.testing.assert_allclose(told.state('cup_1').world_p, LEFT, atol=0.05)
    np.testing.assert_allclose(told.state('cup_2').world_p, RIGHT, atol=0.05)
    assert told.state('cup_2').last_seen_ns == told.index * FRAME_NS
    assert told.state('cup_1').last_seen_ns < told.state('cup_2').last_seen_ns


def test_split_trackers_are_two_again() -> None:
    told = Told().see(cup(track_id='a'), cup(RIGHT, track_id='b'))
    told.say(EditAction.MERGE, 'a', other_id='b')
    told.say(EditAction.SPLIT, 'a', other_id='b')

    told.see(cup(track_id='a'), cup(RIGHT, track_id='b'), looks=3)

    assert told.live() == ['a', 'b']
    assert {told.state(name).num_observations for name in 'ab'} == {9}


def test_split_of_what_was_always_one_opens_a_second_object() -> None:
    told = seen_cup()

    told.say(EditAction.SPLIT, 'cup_1', label='saucer', world_p=RIGHT)

    assert told.live() == ['cup_1', 'saucer_1']
    assert told.state('saucer_1').world_p == RIGHT


def test_split_of_what_is_part_of_another_is_refused() -> None:
    told = Told().see(cup(), cup(RIGHT), cup((2.0, 0.0, 0.0), label='bowl'))
    told.say(EditAction.MERGE, 'cup_1', other_id='cup_2')

    reason = told.memory.refusal(Edit(EditAction.SPLIT, 'bowl_1', 'cup_2'))

    assert reason == "'cup_2' was not merged into 'bowl_1'"


def test_edits_of_one_frame_build_on_each_other() -> None:
    told = Told()

    told.say_all(
        [
            Edit(EditAction.MARK, 'a', label='cup', world_p=LEFT),
            Edit(EditAction.RENAME, 'a', label='mug'),
            Edit(EditAction.FORGET, 'nobody'),
            Edit(EditAction.MARK, 'b', label='cup', world_p=RIGHT),
        ]
    )

    assert told.live() == ['a', 'b']
    assert told.state('a').label == 'mug'
    assert told.memory.counters['edit'] == 3


# Restarts and time.


def test_edited_memory_goes_on_after_a_restart_as_if_it_had_not_stopped() -> None:
    def life(*, restarts: bool) -> InMemoryStore:
        told = two_cups()
        edits = [
            Edit(EditAction.MARK, label='plant', world_p=(3.0, 1.0, 0.0)),
            Edit(EditAction.RENAME, 'cup_1', label='mug'),
            Edit(EditAction.MERGE, 'cup_1', 'cup_2'),
            Edit(EditAction.SPLIT, 'cup_1', 'cup_2'),
            Edit(EditAction.FORGET, 'plant_1'),
        ]
        for edit in edits:
            told.say_all([edit])
            if restarts:
                told.restart()
            told.see(cup(), cup(RIGHT), looks=2)
        return told.store

    stopped, running = life(restarts=True), life(restarts=False)

    assert stopped.objects_at() == running.objects_at()
    assert stopped.events() == running.events()
    assert stopped.checkpoint() == running.checkpoint()


def test_answer_as_of_before_an_edit_knows_nothing_of_it() -> None:
    told = seen_cup()
    before = told.store.now()
    told.say(EditAction.RENAME, 'cup_1', label='mug')
    told.say(EditAction.FORGET, 'cup_1')

    answer = locate(told.store, Selector('cup_1'), before)

    assert answer.status is AnswerStatus.KNOWN
    assert answer.object is not None
    assert answer.object.label == 'cup'


def test_edits_leave_no_trace_in_what_is_kept_of_other_objects() -> None:
    told = Told().see(cup(), cup(RIGHT))

    told.say(EditAction.RENAME, 'cup_1', label='mug')

    kept = {t.state.object_id: t.fold_json for t in told.store.checkpoint().tracks}
    assert '"said"' in kept['cup_1']
    assert '"said"' not in kept['cup_2']


def test_forgotten_object_is_judged_by_no_look() -> None:
    told = seen_cup()
    told.say(EditAction.FORGET, 'cup_1')

    told._integrate(sense(told.index + 1, [], looking()))

    assert told.store.intervals('cup_1')[-1].end_ns is not None

"""Can it be seen, since when, when was it last, and when was it put down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.memory.track import Track
from st_memory.core.memory.view import fused_view, View
from st_memory.core.queries import (
    get_timeline,
    get_visibility,
    locate,
    Selector,
    when_last_placed,
    when_last_visible,
)
from st_memory.core.records import AnswerStatus, ObjectState, Visibility
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, remember, S, stay
from test.scenarios.synthetic import Ball, FRAME_NS, looking, sense

CUP = Selector(label='cup')


def carried() -> InMemoryStore:
    """A cup at rest, carried 0.8 m to the right over six frames, at rest again."""
    stations = [0.4] * 10 + [0.4 - 0.8 * i / 6 for i in range(1, 7)] + [-0.4] * 15
    return remember([sense(i, [Ball('cup', (2.0, y, 0.0))]) for i, y in enumerate(stations)])


# Visibility.


def test_cup_behind_the_camera_is_out_of_view_with_the_cause(kitchen: InMemoryStore) -> None:
    answer = get_visibility(kitchen, CUP)

    assert (answer.state, answer.cause) == (Visibility.OUT_OF_VIEW, 'behind_camera')
    assert answer.since_ns == 11 * FRAME_NS
    assert answer.sentence == (
        'The cup (cup_1) has been out of view (behind the camera) for 1.8 s.'
    )


def test_earlier_the_cup_was_visible_and_confirmed(kitchen: InMemoryStore) -> None:
    answer = get_visibility(kitchen, CUP, Moment(0, 9 * FRAME_NS))

    assert answer.state is Visibility.VISIBLE
    assert answer.confirmed_fraction == 1.0


def test_hidden_cup_names_its_occluder(two_cups: InMemoryStore) -> None:
    states = {n: get_visibility(two_cups, Selector(object_id=n)) for n in ('cup_1', 'cup_2')}

    hidden = next(a for a in states.values() if a.state is Visibility.OCCLUDED)
    assert hidden.occluder_id == 'depth'
    assert 'hidden by something in front of it' in hidden.sentence


def test_camera_that_never_looked_is_unknown(kitchen: InMemoryStore) -> None:
    answer = get_visibility(kitchen, CUP, camera_id='wrist')

    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.reason == 'camera wrist has not looked yet; cameras that have are: cam'
    assert answer.object.object_id == 'cup_1'


def test_cup_on_its_way_is_being_moved() -> None:
    answer = get_visibility(carried(), CUP, Moment(0, 15 * FRAME_NS))

    assert answer.state is Visibility.IN_MOTION
    assert answer.sentence == 'The cup (cup_1) is being moved.'


def test_timeline_has_no_gaps(kitchen: InMemoryStore) -> None:
    intervals = get_timeline(kitchen, CUP).intervals

    assert [i.state for i in intervals] == [Visibility.VISIBLE, Visibility.OUT_OF_VIEW]
    assert intervals[0].end_ns == intervals[1].start_ns
    assert intervals[1].end_ns is None
    assert intervals[1].num_frames == 10


def test_timeline_of_an_unknown_object_is_empty(kitchen: InMemoryStore) -> None:
    answer = get_timeline(kitchen, Selector(label='drone'))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.intervals == ()


# Several cameras.


PAIRS = [(a, b) for a in Visibility for b in Visibility]


def seen_by_two(turned_from: int = 99, silent_from: int = 99) -> InMemoryStore:
    """A cup and two cameras: ``wrist`` looks away, ``cam`` at the cup, up to a frame."""
    frames = []
    for i in range(20):
        frame = sense(i, [Ball('cup', (2.0, 0.0, 0.0))], looking(np.pi * (i >= turned_from)))
        away = sense(i, [], looking(np.pi)).cameras[0]
        own = frame.cameras if i < silent_from else ()
        cameras = (*own, replace(away, camera_id='wrist'))
        frames.append(replace(frame, cameras=cameras))
    return remember(frames)


def test_one_camera_that_sees_it_outweighs_one_that_looks_away() -> None:
    store = seen_by_two(turned_from=10)

    for index in range(5, 20):
        at = Moment(0, (index + 1) * FRAME_NS)
        answer = get_visibility(store, CUP, at)
        told = Visibility.VISIBLE if index < 10 else Visibility.OUT_OF_VIEW
        assert answer.state is answer.object.visibility is told
        assert answer.intervals[0].camera_id == 'cam'
        assert get_visibility(store, CUP, at, 'wrist').state is Visibility.OUT_OF_VIEW
    earlier = get_visibility(store, CUP, Moment(0, 9 * FRAME_NS))
    assert 'has been visible for' in earlier.sentence
    assert ', visible, seen just now' in locate(store, CUP, earlier.at).sentence


def test_a_camera_that_falls_silent_is_believed_for_a_second_more() -> None:
    store = seen_by_two(silent_from=10)  # its last look is of frame 9

    answers = [get_visibility(store, CUP, Moment(0, (i + 1) * FRAME_NS)) for i in range(5, 20)]

    assert [a.state for a in answers] == [a.object.visibility for a in answers]
    assert [a.state for a in answers].count(Visibility.VISIBLE) == 10  # frames 5 to 14
    assert {a.state for a in answers[10:]} == {Visibility.OUT_OF_VIEW}


@pytest.mark.parametrize(('first', 'second'), PAIRS)
def test_the_view_that_says_most_is_the_one_the_memory_puts_first(
    first: Visibility, second: Visibility
) -> None:
    track = Track('cup_1', label_votes={'cup': 1.0})
    for camera_id, state in (('a', first), ('b', second)):
        track.views[camera_id] = View(state, state, camera_id, '', 0, 0)
    rows = (stay('cup_1', 1.0, None, first, 'a'), stay('cup_1', 2.0, None, second, 'b', last=2.0))
    store = commit(
        InMemoryStore(),
        2.0,
        ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S),
        cameras=('a', 'b'),
        intervals=rows,
    )

    (chosen,) = get_visibility(store, CUP).intervals

    assert chosen.camera_id == fused_view(track.views).cause


@pytest.mark.parametrize(('second', 'camera_id'), [(2.0, 'a'), (2.001, 'b')])
def test_a_camera_that_has_not_looked_for_a_second_has_no_say(
    second: float, camera_id: str
) -> None:
    store = InMemoryStore()
    state = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S)
    sees = stay('cup_1', 1.0, None, Visibility.VISIBLE, 'a')
    away = stay('cup_1', 1.0, None, Visibility.OUT_OF_VIEW, 'b')
    commit(store, 1.0, state, cameras=('a', 'b'), intervals=(sees, away))
    commit(store, second, cameras=('b',))

    assert get_visibility(store, CUP).intervals[0].camera_id == camera_id
    assert get_visibility(store, CUP, Moment(0, S)).intervals[0].camera_id == 'a'


def test_when_no_camera_looked_lately_the_last_one_to_look_is_asked() -> None:
    store = InMemoryStore()
    state = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=S)
    sees = stay('cup_1', 1.0, None, Visibility.VISIBLE, 'a')
    away = stay('cup_1', 1.0, None, Visibility.OUT_OF_VIEW, 'b')
    commit(store, 1.0, state, cameras=('a', 'b'), intervals=(sees, away))
    commit(store, 2.0, cameras=('b',))
    commit(store, 9.0)

    answer = get_visibility(store, CUP)

    assert (answer.status, answer.intervals[0].camera_id) == (AnswerStatus.STALE, 'b')
    assert answer.reason == 'camera b last looked 7.0 s ago'


# When.


def test_last_visible_is_the_last_frame_before_the_turn(kitchen: InMemoryStore) -> None:
    answer = when_last_visible(kitchen, CUP)

    assert answer.stamp_ns == 10 * FRAME_NS
    assert answer.ago_ns == 10 * FRAME_NS
    assert answer.sentence == 'The cup (cup_1) was last visible 2.0 s ago.'


def test_visible_now_is_now(kitchen: InMemoryStore) -> None:
    answer = when_last_visible(kitchen, CUP, Moment(0, 7 * FRAME_NS))

    assert (answer.stamp_ns, answer.ago_ns) == (7 * FRAME_NS, 0)
    assert answer.sentence.endswith('now.')


def test_cup_never_moved_has_no_placement_time(kitchen: InMemoryStore) -> None:
    answer = when_last_placed(kitchen, CUP)

    assert answer.status is AnswerStatus.UNKNOWN
    assert answer.reason == 'it has not been seen to move'
    assert answer.stamp_ns is None


def test_moved_cup_was_put_down_when_it_came_to_rest() -> None:
    answer = when_last_placed(carried(), CUP)

    assert answer.status is AnswerStatus.KNOWN
    assert answer.source == 'observed'
    # Frame 15 (stamp 16 frames) is the first at the new place.
    assert abs(answer.stamp_ns - 16 * FRAME_NS) <= FRAME_NS


def test_cup_moving_for_the_first_time_has_not_been_put_down() -> None:
    answer = when_last_placed(carried(), CUP, Moment(0, 15 * FRAME_NS))

    assert answer.reason == 'it is being moved for the first time'


@pytest.mark.parametrize('ask', [when_last_visible, when_last_placed])
def test_unknown_object_is_a_status(kitchen: InMemoryStore, ask: object) -> None:
    assert ask(kitchen, Selector(label='drone')).status is AnswerStatus.NOT_YET_SEEN


def test_never_visible_is_unknown() -> None:
    from st_memory.core.records import SensedFrame, WorldDetection

    behind = WorldDetection('mug', 1.0, (-2.0, 0.0, 0.0), 'm1')
    store = remember([SensedFrame(1, world_detections=(behind,)), sense(0, [])])

    answer = when_last_visible(store, Selector(object_id='m1'))

    assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, 'it was never visible')
    np.testing.assert_array_equal(answer.object.world_p, (-2.0, 0.0, 0.0))


def test_cup_being_carried_in_view_was_last_visible_now() -> None:
    answer = when_last_visible(carried(), CUP, Moment(0, 15 * FRAME_NS))

    assert (answer.ago_ns, answer.source) == (0, 'detection')


@pytest.mark.parametrize('confirmed_only', [True, False])
def test_one_camera_alone_gives_the_same_when_it_is_the_only_one(
    kitchen: InMemoryStore, confirmed_only: bool
) -> None:
    answer = when_last_visible(kitchen, CUP, camera_id='cam', confirmed_only=confirmed_only)

    assert answer.stamp_ns == 10 * FRAME_NS

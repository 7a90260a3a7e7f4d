"""The visibility of an object over time: cut to a window, limited, and as of a past time."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.queries import get_timeline, get_visibility, Selector
from st_memory.core.records import (
    AnswerStatus,
    CameraFrame,
    ObjectState,
    Observation,
    SensedFrame,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, remember, S, stay
from test.scenarios.synthetic import Ball, FRAME_NS, looking, sense

CUP = Selector(object_id='cup_1')
STATE = ObjectState('cup_1', 'cup', 0, world_p=(2.0, 0.0, 0.0), last_seen_ns=S)
HIDDEN = Visibility.OCCLUDED


def seen(second: int, camera_id: str = 'cam') -> Observation:
    return Observation(
        f'o{second}{camera_id}', 'cup_1', 0, second * S, 'cup', 0.9, camera_id=camera_id
    )


@pytest.fixture(scope='module')
def tens() -> InMemoryStore:
    """
    One frame a second from 0 (stamp 10 s) to 9 s later, confirmed in the first three.

    Visible from 10 s to 15 s, hidden by a drawer from then on.
    """
    store = InMemoryStore()
    hidden = replace(
        stay('cup_1', 15, None, HIDDEN), cause='occluded_by:drawer', occluder_id='drawer'
    )
    rows = {
        10: (stay('cup_1', 10, None),),
        15: (
            replace(stay('cup_1', 10, 15, last=14), num_frames=5, num_confirmed=3),
            hidden,
        ),
    }
    for second in range(10, 20):
        commit(
            store,
            second,
            replace(STATE, visibility=Visibility.VISIBLE if second < 15 else HIDDEN),
            cameras=['cam'],
            intervals=rows.get(second, ()),
            observations=(seen(second),) if second < 13 else (),
        )
    return store


def spans(rows: tuple[VisibilityInterval, ...]) -> list[tuple[float, float | None]]:
    """Start and end in seconds."""
    return [(r.start_ns / S, None if r.end_ns is None else r.end_ns / S) for r in rows]


def counts(rows: tuple[VisibilityInterval, ...]) -> list[tuple[int, int]]:
    return [(r.num_confirmed, r.num_frames) for r in rows]


def test_timeline_whole_has_state_cause_occluder_and_shares(tens: InMemoryStore) -> None:
    answer = get_timeline(tens, CUP)

    assert spans(answer.intervals) == [(10, 15), (15, None)]
    assert [(i.state, i.cause, i.occluder_id) for i in answer.intervals] == [
        (Visibility.VISIBLE, '', ''),
        (HIDDEN, 'occluded_by:drawer', 'drawer'),
    ]
    assert [i.confirmed_fraction for i in answer.intervals] == [3 / 5, 0.0]
    assert answer.total == 2
    assert (answer.state, answer.since_ns, answer.occluder_id) == (HIDDEN, 15 * S, 'drawer')


@pytest.mark.parametrize(
    ('start', 'end', 'expected', 'confirmed'),
    [
        (12, 17, [(12, 15), (15, 17)], [(1, 3), (0, 2)]),
        (None, 12, [(10, 12)], [(2, 2)]),  # the end is exclusive
        (12, None, [(12, 15), (15, None)], [(1, 3), (0, 5)]),
        (15, 16, [(15, 16)], [(0, 1)]),  # the earlier interval ends where the window starts
        (14, 15, [(14, 15)], [(0, 1)]),
        (0, 100, [(10, 15), (15, None)], [(3, 5), (0, 5)]),  # wider than all: nothing is cut
        (12.25, 12.75, [(12.25, 12.75)], [(1, 1)]),  # the frame before speaks for it
        (13.25, 13.75, [(13.25, 13.75)], [(0, 1)]),
        (19, None, [(19, None)], [(0, 1)]),  # the newest frame
        (0, 10, [], []),  # before the first frame
        (20, 30, [], []),  # nothing is known of what comes
    ],
    ids=str,
)
def test_timeline_of_a_window_is_cut_and_recounted(
    tens: InMemoryStore,
    start: float | None,
    end: float | None,
    expected: list[tuple[float, float | None]],
    confirmed: list[tuple[int, int]],
) -> None:
    window = {
        name: None if second is None else round(second * S)
        for name, second in (('start_ns', start), ('end_ns', end))
    }
    answer = get_timeline(tens, CUP, **window)

    assert spans(answer.intervals) == expected
    assert counts(answer.intervals) == confirmed
    assert answer.total == len(expected)
    assert all(i.start_ns <= i.last_frame_ns for i in answer.intervals)


@pytest.mark.parametrize('end', [12, 11])
def test_timeline_window_without_length_is_one_clear_line(tens: InMemoryStore, end: int) -> None:
    with pytest.raises(StMemoryError, match='window: expected an end after its start, got 12'):
        get_timeline(tens, CUP, start_ns=12 * S, end_ns=end * S)


@pytest.mark.parametrize(('limit', 'starts'), [(0, []), (1, [15]), (2, [10, 15]), (9, [10, 15])])
def test_timeline_limit_keeps_the_newest(
    tens: InMemoryStore, limit: int, starts: list[int]
) -> None:
    answer = get_timeline(tens, CUP, limit=limit)

    assert [i.start_ns // S for i in answer.intervals] == starts
    assert answer.total == 2


def test_timeline_negative_limit_is_refused(tens: InMemoryStore) -> None:
    with pytest.raises(ValueError, match='limit: expected >= 0, got -1'):
        get_timeline(tens, CUP, limit=-1)


def test_timeline_as_of_a_past_time_is_open_and_counts_up_to_it(tens: InMemoryStore) -> None:
    answer = get_timeline(tens, CUP, Moment(0, 13 * S))

    assert spans(answer.intervals) == [(10, None)]
    assert counts(answer.intervals) == [(3, 4)]
    assert (answer.state, answer.since_ns) == (Visibility.VISIBLE, 10 * S)
    assert answer.confirmed_fraction == 3 / 4


def test_timeline_window_beyond_the_past_time_stays_open(tens: InMemoryStore) -> None:
    answer = get_timeline(tens, CUP, Moment(0, 13 * S), start_ns=12 * S, end_ns=18 * S)

    assert spans(answer.intervals) == [(12, None)]
    assert counts(answer.intervals) == [(1, 2)]


def test_timeline_of_nothing_is_a_status() -> None:
    answer = get_timeline(InMemoryStore(), CUP, start_ns=S, limit=3)

    assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, 'the memory is empty')
    assert (answer.intervals, answer.total) == ((), 0)


def test_timeline_of_an_unknown_object_is_a_status(tens: InMemoryStore) -> None:
    answer = get_timeline(tens, Selector(object_id='drone_1'))

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert 'drone_1' in answer.reason
    assert answer.total == 0


def test_timeline_of_an_ambiguous_label_is_that_of_the_one_seen_last(
    two_cups: InMemoryStore,
) -> None:
    answer = get_timeline(two_cups, Selector(label='cup'))

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert len(answer.alternatives) == 1
    alone = get_timeline(two_cups, Selector(object_id=answer.object.object_id))
    assert answer.intervals == alone.intervals


def two_cameras(num_frames: int = 20) -> list[SensedFrame]:
    """A cup that `cam` sees until it turns round at frame 10; `wrist` looks away, then at it."""
    frames = []
    for i in range(num_frames):
        one = sense(i, [Ball('cup', (2.0, 0.0, 0.0))], looking(0.0 if i < 10 else math.pi))
        two = sense(i, [Ball('cup', (2.0, 0.0, 0.0))], looking(math.pi if i < 6 else 0.0))
        cameras: tuple[CameraFrame, ...] = one.cameras
        if i % 2:
            cameras += tuple(replace(c, camera_id='wrist') for c in two.cameras)
        frames.append(replace(one, cameras=cameras))
    return frames


@pytest.fixture(scope='module')
def both() -> InMemoryStore:
    return remember(two_cameras())


def test_timeline_of_two_cameras_is_that_of_each(both: InMemoryStore) -> None:
    of_both = get_timeline(both, CUP).intervals
    alone = {c: get_timeline(both, CUP, camera_id=c).intervals for c in ('cam', 'wrist')}

    assert [i.state for i in alone['cam']] == [Visibility.VISIBLE, Visibility.OUT_OF_VIEW]
    assert [i.state for i in alone['wrist']] == [Visibility.OUT_OF_VIEW, Visibility.VISIBLE]
    assert sorted(of_both, key=lambda i: (i.start_ns, i.camera_id)) == list(of_both)
    assert set(of_both) == {*alone['cam'], *alone['wrist']}


def test_timeline_window_counts_the_frames_of_its_own_camera(both: InMemoryStore) -> None:
    window = {'start_ns': 12 * FRAME_NS, 'end_ns': 16 * FRAME_NS}

    (cam,) = get_timeline(both, CUP, camera_id='cam', **window).intervals
    (wrist,) = get_timeline(both, CUP, camera_id='wrist', **window).intervals

    assert (cam.num_confirmed, cam.num_frames) == (0, 4)
    assert (wrist.num_confirmed, wrist.num_frames) == (2, 2)


STORES = {n: remember(two_cameras()[:n]) for n in range(1, 21)}


@given(
    st.integers(1, 20),
    st.integers(0, FRAME_NS - 1),
    st.sampled_from(['', 'cam', 'wrist']),
    st.tuples(st.integers(0, 21), st.integers(1, 21)),
    st.none() | st.integers(0, 4),
)
def test_timeline_and_visibility_as_of_a_time_are_those_of_a_memory_stopped_then(
    num_frames: int, after_ns: int, camera_id: str, window: tuple[int, int], limit: int | None
) -> None:
    at = Moment(0, num_frames * FRAME_NS + after_ns)  # frame i has the stamp (i + 1) frames
    start_ns = window[0] * FRAME_NS
    cut = {'start_ns': start_ns, 'end_ns': start_ns + window[1] * FRAME_NS, 'limit': limit}

    # The full memory goes on for longer; what it says of then must not show it.
    whole, stopped = STORES[20], STORES[num_frames]
    assert get_timeline(whole, CUP, at, camera_id) == get_timeline(stopped, CUP, at, camera_id)
    assert get_timeline(whole, CUP, at, camera_id, **cut) == get_timeline(
        stopped, CUP, at, camera_id, **cut
    )
    assert get_visibility(whole, CUP, at, camera_id) == get_visibility(stopped, CUP, at, camera_id)


@given(st.integers(0, 19), st.integers(1, 20))
def test_timeline_pieces_of_a_cut_add_up(first: int, length: int) -> None:
    cut_ns = (first + length) * FRAME_NS

    before = get_timeline(STORES[20], CUP, camera_id='cam', end_ns=cut_ns).intervals
    after = get_timeline(STORES[20], CUP, camera_id='cam', start_ns=cut_ns).intervals
    whole = get_timeline(STORES[20], CUP, camera_id='cam').intervals

    for count in ('num_frames', 'num_confirmed'):
        total = sum(getattr(i, count) for i in whole)
        assert sum(getattr(i, count) for i in (*before, *after)) == total

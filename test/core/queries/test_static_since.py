"""Since when a thing has rested, whether or not its place was measured."""

from __future__ import annotations

import pytest

from st_memory.core.queries import get_itinerary, Selector, when_static_since
from st_memory.core.records import AnswerStatus, MovementReport, SensedFrame, WorldDetection
from st_memory.core.stamps import Moment
from test.core.queries.conftest import remember, S

MUG = Selector(object_id='m1')


def moving(second: int, start: int, end: int | None = None) -> SensedFrame:
    end_ns = None if end is None else end * S
    return SensedFrame(second * S, movements=(MovementReport('m1', 'mug', start * S, end_ns),))


def put(second: int, x: float) -> SensedFrame:
    where = WorldDetection('mug', 1.0, (x, 0.0, 0.0), 'm1', source='annotation')
    return SensedFrame(second * S, world_detections=(where,))


def test_what_was_put_down_unmeasured_rests_since_its_movement_ended() -> None:
    store = remember([moving(3, 3), moving(5, 3, 5), moving(9, 9)])

    answer = when_static_since(store, MUG, Moment(0, 8 * S))

    assert (answer.stamp_ns, answer.source) == (5 * S, 'annotation')
    assert 'at an unknown place without moving since' in answer.sentence
    assert get_itinerary(store, MUG, Moment(0, 8 * S)).static_since_ns == 5 * S


@pytest.mark.parametrize('second', [3, 4, 9, 12])
def test_what_is_being_moved_has_no_rest(second: int) -> None:
    store = remember([moving(3, 3), moving(5, 3, 5), moving(9, 9)])

    answer = when_static_since(store, MUG, Moment(0, second * S))

    assert (answer.status, answer.stamp_ns) == (AnswerStatus.UNKNOWN, None)
    assert answer.reason.startswith('it is being moved')
    assert get_itinerary(store, MUG, Moment(0, second * S)).static_since_ns is None


def test_measured_place_before_an_unmeasured_one_does_not_count() -> None:
    store = remember([put(1, 2.0), moving(3, 3), moving(5, 3, 5), moving(8, 7, 8)])

    # Measured from 1 s to 3 s, then put down twice where nobody measured.
    assert when_static_since(store, MUG, Moment(0, 2 * S)).stamp_ns == 1 * S
    assert when_static_since(store, MUG, Moment(0, 6 * S)).stamp_ns == 5 * S
    assert when_static_since(store, MUG).stamp_ns == 8 * S


def test_what_was_only_seen_rests_at_least_since_then() -> None:
    answer = when_static_since(remember([put(1, 2.0), put(2, 2.0)]), MUG)

    assert answer.stamp_ns == 1 * S

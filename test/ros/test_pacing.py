"""When a replay may send."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.ros.pacing import Pacer

SECOND = 1_000_000_000


def _acked(rate: float = 0.0, window: int = 10) -> Pacer:
    pacer = Pacer(rate, window)
    pacer.expect({'/a', '/b'}, consumer_total=7)
    return pacer


def test_delay_first_message_is_zero() -> None:
    assert _acked().delay_s('/a', 5 * SECOND, 0.0) == 0.0


def test_delay_other_topic_of_a_later_time_waits_for_acknowledgement() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/b', 2 * SECOND, 0.1) == math.inf
    pacer.acknowledge(8, 0.2)
    assert pacer.delay_s('/b', 2 * SECOND, 0.2) == 0.0


def test_delay_other_topic_of_the_same_time_goes_along() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/b', SECOND, 0.1) == 0.0


@pytest.mark.parametrize(('first', 'second'), [('/a', '/b'), ('/b', '/a')])
def test_delay_barrier_never_goes_along(first: str, second: str) -> None:
    pacer = Pacer(0.0)
    pacer.expect({'/a', '/b'}, 0, barriers={'/a'})
    pacer.sent(first, SECOND, 0.0)
    assert pacer.delay_s(second, SECOND, 0.1) == math.inf


def test_delay_same_topic_goes_on_up_to_the_window() -> None:
    pacer = _acked(window=2)
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/a', SECOND, 0.0) == 0.0
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/a', SECOND, 0.0) == math.inf


def test_delay_topic_nobody_acknowledges_never_waits() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/image', SECOND, 0.0) == 0.0


def test_delay_with_rate_follows_the_recording() -> None:
    pacer = Pacer(2.0)
    pacer.sent('/a', 10 * SECOND, 100.0)
    assert pacer.delay_s('/a', 13 * SECOND, 100.5) == pytest.approx(1.0)


def test_delay_after_restart_begins_anew() -> None:
    pacer = Pacer(1.0)
    pacer.sent('/a', 10 * SECOND, 100.0)
    pacer.restart()
    assert pacer.delay_s('/a', 5 * SECOND, 130.0) == 0.0


def test_acknowledge_restarted_consumer_counts_the_rest_as_lost() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    pacer.acknowledge(0, 1.0)
    assert (pacer.num_lost, pacer.num_outstanding) == (1, 0)


def test_give_up_before_timeout_keeps_waiting() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 10.0)
    assert pacer.give_up(5.0, 14.9) == 0
    assert pacer.give_up(5.0, 15.0) == 1
    assert pacer.num_lost == 1


def test_give_up_counts_from_the_last_progress() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    pacer.sent('/a', SECOND, 0.0)
    pacer.acknowledge(8, 4.0)
    assert pacer.give_up(5.0, 8.9) == 0


@given(
    st.lists(
        st.tuples(st.sampled_from(['/a', '/b', '/free', 'ack']), st.integers(1, 3)), max_size=60
    )
)
def test_pacer_on_the_way_is_one_topic_or_one_time(steps: list[tuple[str, int]]) -> None:
    pacer = _acked(window=3)
    on_way: list[tuple[str, int]] = []
    total = 7
    for topic, log_ns in steps:
        if topic == 'ack':
            total += len(on_way)
            on_way.clear()
            pacer.acknowledge(total, 0.0)
        elif pacer.delay_s(topic, log_ns, 0.0) == 0.0:
            pacer.sent(topic, log_ns, 0.0)
            if topic != '/free':
                on_way.append((topic, log_ns))
        assert min(len({t for t, _ in on_way}), len({ns for _, ns in on_way})) <= 1
        assert len(on_way) <= 3
    assert pacer.num_outstanding == len(on_way)

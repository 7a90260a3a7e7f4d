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


def test_delay_other_topic_waits_for_acknowledgement() -> None:
    pacer = _acked()
    pacer.sent('/a', SECOND, 0.0)
    assert pacer.delay_s('/b', SECOND, 0.1) == math.inf
    pacer.acknowledge(8, 0.2)
    assert pacer.delay_s('/b', SECOND, 0.2) == 0.0


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


@given(st.lists(st.sampled_from(['/a', '/b', '/free', 'ack']), max_size=60))
def test_pacer_never_lets_two_acked_topics_be_on_their_way(steps: list[str]) -> None:
    pacer = _acked(window=3)
    on_way: list[str] = []
    total = 7
    for step in steps:
        if step == 'ack':
            total += len(on_way)
            on_way.clear()
            pacer.acknowledge(total, 0.0)
        elif pacer.delay_s(step, SECOND, 0.0) == 0.0:
            pacer.sent(step, SECOND, 0.0)
            if step != '/free':
                on_way.append(step)
        assert len(set(on_way)) <= 1
        assert len(on_way) <= 3
    assert pacer.num_outstanding == len(on_way)

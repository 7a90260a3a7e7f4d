"""What waits for the memory: in order, with an end, and sensor data dropped before the rest."""

from __future__ import annotations

import threading
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.ros.backlog import Backlog, TopicMessage, ToTell

pytestmark = pytest.mark.ros

DEPTH, TF = TopicRole(TopicKind.DEPTH, 'head'), TopicRole(TopicKind.TF)


def _nothing(*_: Any) -> Any:
    return None


def test_messages_and_edits_come_out_in_their_order() -> None:
    line = Backlog(10)
    line.put(DEPTH, 1)
    line.tell(_nothing, _nothing)
    line.put(TF, 2)
    line.end()

    assert list(line.take_all()) == [
        TopicMessage(DEPTH, 1),
        ToTell(_nothing, _nothing),
        TopicMessage(TF, 2),
    ]
    assert line.is_empty


def test_full_line_refuses_sensor_data_and_keeps_what_later_frames_need() -> None:
    line = Backlog(2)

    assert [line.put(DEPTH, n) for n in range(3)] == [True, True, False]
    assert line.put(TF, 0)
    assert [line.put(TF, n) for n in range(200)].count(True) == 2 * 100 - 3
    assert not line.is_empty


@pytest.mark.parametrize(
    'kind',
    [
        TopicKind.TF,
        TopicKind.TF_STATIC,
        TopicKind.SCENE,
        TopicKind.MESH,
        TopicKind.SELF_MASK_FIXED,
        TopicKind.MOVEMENTS,
    ],
)
def test_what_cannot_be_had_again_is_kept_beyond_the_capacity(kind: TopicKind) -> None:
    line = Backlog(0 + 1)
    line.put(DEPTH, 0)

    assert not line.put(DEPTH, 1)
    assert line.put(TopicRole(kind), 1)


def test_edits_find_room_in_a_full_line() -> None:
    line = Backlog(1)
    line.put(DEPTH, 0)
    line.tell(_nothing, _nothing)
    line.end()

    assert [type(item) for item in line.take_all()] == [TopicMessage, ToTell]


def test_edits_that_come_after_the_end_are_found() -> None:
    line = Backlog(10)
    line.end()
    line.put(DEPTH, 1)
    line.tell(_nothing, _nothing)

    assert list(line.take_all()) == []
    assert list(line.take_late()) == [ToTell(_nothing, _nothing)]
    assert line.is_empty


def test_taker_waits_for_what_another_thread_brings() -> None:
    line = Backlog(10)
    taken: list[Any] = []
    taker = threading.Thread(target=lambda: taken.extend(line.take_all()))
    taker.start()
    line.put(DEPTH, 1)
    line.end()
    taker.join(60.0)

    assert taken == [TopicMessage(DEPTH, 1)]

"""The client of the demonstration goes on when a service stays silent."""

from __future__ import annotations

from collections.abc import Iterator
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs rclpy (make setup)')

from st_memory.ros import demo_client  # noqa: E402


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[demo_client.DemoClient]:
    """Give a client that is alone and does not wait long for an answer."""
    monkeypatch.setattr(demo_client, '_ANSWER_S', 0.01)
    rclpy.init(args=[])
    node = demo_client.DemoClient('nobody', time.monotonic() + 60.0)
    yield node
    node.destroy_node()
    rclpy.try_shutdown()


def test_client_writes_null_for_a_silent_service_and_asks_the_next(
    client: demo_client.DemoClient,
) -> None:
    questions = [
        {'after_ns': 0, 'service': kind, 'request': {'label': 'mug'}}
        for kind in ('LocateObject', 'ListObjects')
    ]

    answers = client.ask_all(questions)

    assert [answer['response'] for answer in answers] == [None, None]
    assert all(answer['latency_ms'] >= 10.0 for answer in answers)

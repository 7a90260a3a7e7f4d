"""
A client such as a planner would be: waits for its moments, asks, writes the answers down.

Knows nothing but the services and ``/clock``. Questions come as a JSON list of ``{after_ns,
service, request}``; the answers go to another file, as a list of ``{latency_ms, response}`` in
the same order, ``response`` null where none came. ``ready`` on stdout says that the services
are there and the clock is heard.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import json
from pathlib import Path
import sys
import time
from typing import Any

import rclpy
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from st_memory_interfaces import srv

from st_memory.core.stamps import stamp_from_sec_nanosec
from st_memory.ros.topics import reliable_qos

__all__ = ['DemoClient', 'main']

_SERVICES = {
    'GetVisibility': 'get_visibility',
    'ListObjects': 'list_objects',
    'LocateObject': 'locate_object',
    'RelativePose': 'relative_pose',
    'WhenLastPlaced': 'when_last_placed',
    'WhenLastVisible': 'when_last_visible',
}
_TICK_S = 0.05
# A service that has not answered by then does not answer; the next question is asked.
_ANSWER_S = 6.0


class DemoClient(Node):
    """
    Asks questions at moments of ``/clock``.

    Parameters
    ----------
    memory : str
        Name of the memory's node.
    deadline_s : float
        Give up at this reading of ``time.monotonic``.
    **node_options
        As for ``rclpy.node.Node``.

    """

    def __init__(self, memory: str, deadline_s: float, **node_options: Any) -> None:
        super().__init__('demo_client', **node_options)
        self._deadline_s = deadline_s
        self._now_ns = 0
        self._memory_clients = {
            kind: self.create_client(getattr(srv, kind), f'/{memory}/{name}')
            for kind, name in _SERVICES.items()
        }
        self.create_subscription(Clock, '/clock', self._hear_clock, reliable_qos(10))

    def wait_for_services(self) -> bool:
        """Wait until every service is there; false when the time is up."""
        clients = self._memory_clients.values()
        while not all(client.service_is_ready() for client in clients):
            if time.monotonic() > self._deadline_s:
                return False
            rclpy.spin_once(self, timeout_sec=_TICK_S)
        return True

    def ask_all(self, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Ask the questions in order, each at its moment; fewer answers when the time is up."""
        answers: list[dict[str, Any]] = []
        for question in questions:
            while self._now_ns < question['after_ns']:
                if time.monotonic() > self._deadline_s:
                    return answers
                rclpy.spin_once(self, timeout_sec=_TICK_S)
            answers.append(self._ask(question['service'], question['request']))
        return answers

    def _hear_clock(self, message: Clock) -> None:
        self._now_ns = stamp_from_sec_nanosec(message.clock.sec, message.clock.nanosec)

    def _ask(self, service: str, fields: dict[str, Any]) -> dict[str, Any]:
        request = getattr(srv, service).Request(**fields)
        begun_s = time.perf_counter()
        future = self._memory_clients[service].call_async(request)
        until_s = min(self._deadline_s, time.monotonic() + _ANSWER_S)
        while not future.done() and time.monotonic() <= until_s:
            rclpy.spin_once(self, timeout_sec=_TICK_S)
        latency_ms = (time.perf_counter() - begun_s) * 1e3
        response = _plain(future.result()) if future.done() else None
        if response is None:
            self._memory_clients[service].remove_pending_request(future)
        return {'latency_ms': latency_ms, 'response': response}


def _plain(value: Any) -> Any:
    """Turn a message into what JSON knows."""
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: _plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, (bool, int, float, str)):
        return value
    return [_plain(item) for item in value]


def main(args: Sequence[str] | None = None) -> int:
    """Run the client; gives 1 when not every question was answered in time."""
    parser = argparse.ArgumentParser(description='Ask a memory questions at moments of /clock.')
    parser.add_argument('questions', type=Path)
    parser.add_argument('answers', type=Path)
    parser.add_argument('--memory', default='memory_node')
    parser.add_argument('--timeout', type=float, default=120.0, help='seconds')
    arguments = parser.parse_args(args)
    questions = json.loads(arguments.questions.read_text(encoding='utf-8'))
    rclpy.init(args=[])
    client = DemoClient(arguments.memory, time.monotonic() + arguments.timeout)
    try:
        if not client.wait_for_services():
            sys.stderr.write(f'the services of {arguments.memory} did not appear\n')
            return 1
        sys.stdout.write('ready\n')
        sys.stdout.flush()
        answers = client.ask_all(questions)
    finally:
        client.destroy_node()
        rclpy.try_shutdown()
    arguments.answers.write_text(json.dumps(answers, indent=2), encoding='utf-8')
    if len(answers) < len(questions):
        sys.stderr.write(f'{len(answers)} of {len(questions)} questions were answered in time\n')
        return 1
    return 0

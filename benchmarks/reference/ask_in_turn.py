"""
A client that asks two services the same question in turn and writes down how long each took.

Prints a JSON object: ``latencies_ms`` (one list a service) and ``statuses`` (that each answered
with last).
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from st_memory_interfaces.srv import LocateObject

__all__ = ['main']

_PATIENCE_S = 30.0


class Asker:
    """Asks and waits, on an executor of its own."""

    def __init__(self, services: list[str]) -> None:
        self._node = Node('asker', start_parameter_services=False, enable_rosout=False)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._askers = [self._node.create_client(LocateObject, name) for name in services]

    def wait_for_services(self) -> bool:
        """Wait until every service is there; false when the patience is at its end."""
        end_s = time.monotonic() + _PATIENCE_S
        while not all(client.service_is_ready() for client in self._askers):
            if time.monotonic() > end_s:
                return False
            self._executor.spin_once(timeout_sec=0.1)
        return True

    def ask(self, index: int, request: LocateObject.Request) -> tuple[float, int]:
        """Give the round trip, ms, and the status of the answer."""
        begun_s = time.perf_counter()
        future = self._askers[index].call_async(request)
        self._executor.spin_until_future_complete(future, timeout_sec=_PATIENCE_S)
        spent_s = time.perf_counter() - begun_s
        if not future.done():
            raise TimeoutError(f'no answer from {self._askers[index].srv_name}')
        return spent_s * 1e3, int(future.result().status)


def main() -> int:
    """Ask, print, end."""
    parser = argparse.ArgumentParser()
    parser.add_argument('services', nargs='+')
    parser.add_argument('--object', default='')
    parser.add_argument('--rounds', type=int, default=1000)
    parser.add_argument('--warm-ups', type=int, default=100)
    arguments = parser.parse_args()
    rclpy.init(args=[])
    asker = Asker(arguments.services)
    if not asker.wait_for_services():
        sys.stderr.write(f'not all there: {", ".join(arguments.services)}\n')
        return 1
    request = LocateObject.Request(object_id=arguments.object)
    latencies: list[list[float]] = [[] for _ in arguments.services]
    statuses = [0] * len(arguments.services)
    for turn in range(-arguments.warm_ups, arguments.rounds):
        for index in range(len(arguments.services)):
            spent_ms, statuses[index] = asker.ask(index, request)
            if turn >= 0:
                latencies[index].append(spent_ms)
    rclpy.try_shutdown()
    print(json.dumps({'latencies_ms': latencies, 'statuses': statuses}))
    return 0


if __name__ == '__main__':
    sys.exit(main())

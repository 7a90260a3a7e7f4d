"""A middleware of its own for each test process, and nodes that are cleaned up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import os
import time
from typing import Any

import pytest

# No two test processes on a machine may hear each other. Domains up to 101 keep clear of the
# ports that Linux gives away.
os.environ['ROS_DOMAIN_ID'] = str(1 + os.getpid() % 100)
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'


class Graph:
    """A context with nodes on one executor, spun by the test itself."""

    def __init__(self) -> None:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self._nodes: list[Any] = []

    def add(self, node: Any) -> Any:
        """Spin a node; it is finished and destroyed at the end."""
        self._nodes.append(node)
        self.executor.add_node(node)
        return node

    def remove(self, node: Any) -> None:
        """Destroy a node before the end."""
        self._nodes.remove(node)
        self.executor.remove_node(node)
        node.destroy_node()

    def spin_until(self, is_done: Callable[[], bool], timeout_s: float = 30.0) -> bool:
        """Run callbacks until a condition holds; gives whether it did in time."""
        end_s = time.monotonic() + timeout_s
        while not is_done():
            if time.monotonic() > end_s:
                return False
            self.executor.spin_once(timeout_sec=0.05)
        return True

    def call(self, client: Any, request: Any) -> Any:
        """Ask a service and wait for its response."""
        assert self.spin_until(client.service_is_ready), client.srv_name
        future = client.call_async(request)
        assert self.spin_until(future.done), client.srv_name
        return future.result()

    def close(self) -> None:
        """Finish and destroy all nodes."""
        import rclpy

        for node in self._nodes:
            getattr(node, 'finish', lambda: None)()
        self.executor.shutdown(timeout_sec=1.0)
        for node in self._nodes:
            node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A middleware; skips where there is none."""
    pytest.importorskip('rclpy', reason='needs ROS 2')
    pytest.importorskip('st_memory_interfaces', reason='needs the interface package')
    made = Graph()
    yield made
    made.close()

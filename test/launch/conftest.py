"""A middleware for the test itself, and processes that never outlive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from test.launch.processes import NodeProcess
from test.ros.conftest import graph
from test.ros.cup_recording import write_cup_recording

__all__ = ['bag', 'graph', 'start']


@pytest.fixture(scope='session')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a cup."""
    return write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap')


@pytest.fixture
def start() -> Iterator[Callable[..., NodeProcess]]:
    """Start nodes as processes; skips where there is no middleware."""
    pytest.importorskip('rclpy', reason='needs ROS 2')
    pytest.importorskip('st_memory_interfaces', reason='needs the interface package')
    started: list[NodeProcess] = []

    def make(module: str, values: Mapping[str, Any], *remaps: str) -> NodeProcess:
        started.append(NodeProcess(module, values, remaps))
        return started[-1]

    yield make
    for process in started:
        process.close()

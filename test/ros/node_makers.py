"""Nodes with parameters, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ['make_memory', 'make_replay', 'parameters']


def parameters(**values: Any) -> list[Any]:
    """Give parameter overrides; ``__`` in a name stands for a dot."""
    from rclpy.parameter import Parameter

    return [Parameter(name.replace('__', '.'), value=value) for name, value in values.items()]


def make_memory(graph: Any, database: Path | str, **values: Any) -> Any:
    """Add an active memory node."""
    from st_memory.ros.memory_node import MemoryNode

    given = {'discovery_period_s': 0.1, 'reliability': 'reliable', **values}
    node = MemoryNode(
        context=graph.context,
        parameter_overrides=parameters(database=str(database), **given),
    )
    graph.add(node)
    node.start()
    return node


def make_replay(graph: Any, bag: Path | str, **values: Any) -> Any:
    """Add a replay node that is about to play."""
    from st_memory.ros.replay_node import ReplayNode

    node = ReplayNode(
        context=graph.context, parameter_overrides=parameters(bag=str(bag), **values)
    )
    graph.add(node)
    node.start()
    return node

"""Several nodes in one process, on one executor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from st_memory.ros.memory_node import MemoryNode
from st_memory.ros.process import run
from st_memory.ros.replay_node import ReplayNode

__all__ = ['main']


def main(args: Sequence[str] | None = None) -> int:
    """
    Run the memory and, when its parameter ``bag`` is set, a replay; gives the exit code.

    The memory stays to be asked when the replay is over.
    """
    return run([MemoryNode, partial(ReplayNode, needs_bag=False)], args)

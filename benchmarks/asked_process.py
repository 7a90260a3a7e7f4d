"""
The process that is asked: the live memory and the constant service, on the same executor.

The two differ in what they do for an answer and in nothing else: interpreter, wait set,
participant and whatever the machine does to this process are the same for both.
"""

from __future__ import annotations

import sys

from benchmarks.reference.constant_service import ConstantService
from st_memory.ros.memory_node import MemoryNode
from st_memory.ros.process import run

__all__ = ['main']


def main() -> int:
    """Answer until told to stop; gives the exit code."""
    return run([MemoryNode, ConstantService])


if __name__ == '__main__':
    sys.exit(main())

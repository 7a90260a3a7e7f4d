"""
Own the demonstration: choose questions, run the real nodes, mark the answers, draw the report.

Truth is read here to choose moments and to mark answers; the nodes get the bag and nothing
else. Imports no ROS: nodes and client are processes of their own. A reader starts with
:func:`choose_questions`, :func:`mark` and :func:`run_nodes`.
"""

from __future__ import annotations

from st_memory.cli.demo.choosing import choose_questions, Question
from st_memory.cli.demo.marking import mark, MarkedAnswer
from st_memory.cli.demo.processes import NodeRun, run_nodes
from st_memory.cli.demo.truth import find_truth, Truth

__all__ = [
    'MarkedAnswer',
    'NodeRun',
    'Question',
    'Truth',
    'choose_questions',
    'find_truth',
    'mark',
    'run_nodes',
]

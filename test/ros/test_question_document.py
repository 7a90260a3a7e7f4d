"""The example of docs/questions.md that asks over the middleware."""

from __future__ import annotations

import os
from pathlib import Path
import re
import subprocess
import sys

from test.core.queries.story import make_story
from test.ros.asking import Asker
from test.ros.conftest import Graph

TEXT = (Path(__file__).parents[2] / 'docs' / 'questions.md').read_text(encoding='utf-8')


def test_example_in_python_asks_a_node(graph: Graph) -> None:
    asker = Asker(graph, make_story())
    (code,) = re.findall(r'```py\n(import rclpy\n.*?)```', TEXT, re.DOTALL)

    child = subprocess.Popen(
        [sys.executable, '-c', code.replace('/memory_node/', f'/{asker.name}/')],
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        graph.spin_until(lambda: child.poll() is not None, 60.0)
    finally:
        child.kill()
    told, failed = child.communicate()

    assert child.returncode == 0, failed
    assert told.strip() == asker.ask('find_item', label='mug').sentence

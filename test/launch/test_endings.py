"""Processes that are told to end while they work, and several memories on one machine."""

from __future__ import annotations

from pathlib import Path
import signal
from typing import Any

import pytest

from st_memory.storage import SqliteMemoryStore
from test.launch.test_processes import MOST_S

pytestmark = pytest.mark.launch


def _values(database: Path, **values: Any) -> dict[str, Any]:
    return {'database': database, 'reliability': 'reliable', 'discovery_period_s': 0.1, **values}


def _frames_of(database: Path) -> int:
    with SqliteMemoryStore.open(database, read_only=True) as store:
        return len(list(store.frames()))


def _await_progress(graph: Any, processes: list[Any], topic: str, num_frames: int) -> None:
    """Wait until a memory has so many frames on disk."""
    from rclpy.node import Node
    from st_memory_interfaces.msg import Progress

    from st_memory.ros.qos import latched_qos

    told: list[int] = [0]
    ear = graph.add(Node('ear', context=graph.context))
    ear.create_subscription(Progress, topic, lambda m: told.append(m.num_frames), latched_qos(1))
    alive = graph.spin_until(
        lambda: told[-1] >= num_frames or not all(p.is_running() for p in processes)
    )
    assert alive and told[-1] >= num_frames, [p.output for p in processes]


@pytest.mark.parametrize(
    'signals', [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT, signal.SIGTERM)]
)
def test_memory_told_to_end_while_it_takes_frames_in_ends_in_order(
    graph: Any, start: Any, bag: Path, tmp_path: Path, signals: tuple[signal.Signals, ...]
) -> None:
    database = tmp_path / 'live.db'
    memory = start('memory_node', _values(database))
    player = start('replay_node', {'bag': bag, 'loop': True})
    _await_progress(graph, [memory, player], '/memory_node/processed', 40)
    for number in signals[:-1]:
        memory.send(number)
    code, took_s = memory.end(signals[-1])
    assert code == 0, memory.output
    assert took_s < MOST_S
    assert 'Traceback' not in memory.output
    assert 'left out: ' in memory.output  # it came to its last words
    assert _frames_of(database) >= 40


def test_all_nodes_of_one_process_end_while_they_work(
    graph: Any, start: Any, bag: Path, tmp_path: Path
) -> None:
    process = start('bringup', _values(tmp_path / 'live.db', bag=bag, loop=True))
    _await_progress(graph, [process], '/memory_node/processed', 40)
    process.send(signal.SIGINT)
    code, took_s = process.end(signal.SIGTERM)
    assert code == 0, process.output
    assert took_s < MOST_S
    assert 'Traceback' not in process.output
    assert _frames_of(tmp_path / 'live.db') >= 40


def test_two_memories_in_two_processes_hear_one_robot_and_keep_apart(
    graph: Any, start: Any, bag: Path, tmp_path: Path
) -> None:
    sides = ('left', 'right')
    processes = [
        start(
            'memory_node',
            _values(tmp_path / f'{side}.db', release='deadline', **only),
            f'__ns:=/{side}',
        )
        for side, only in zip(sides, ({}, {'cameras': "['wrist']"}))
    ]
    player = start('replay_node', {'bag': bag, 'consumer': 'left/memory_node'})
    assert player.wait() == 0, player.output
    for process in processes:
        assert process.end()[0] == 0, process.output
    found = {}
    for side in sides:
        with SqliteMemoryStore.open(tmp_path / f'{side}.db', read_only=True) as store:
            found[side] = {s.object_id for s in store.objects_at()}
    assert 'cup_1' in found['left'], processes[0].output
    assert 'cup_1' not in found['right'], processes[1].output


def test_memory_in_another_domain_hears_nothing(start: Any, bag: Path, tmp_path: Path) -> None:
    import os

    here = os.environ['ROS_DOMAIN_ID']
    memory = start('memory_node', _values(tmp_path / 'live.db'))
    os.environ['ROS_DOMAIN_ID'] = str(1 + (int(here) + 50) % 100)
    try:
        player = start('replay_node', {'bag': bag, 'wait_s': 1.0, 'rate': 100.0})
    finally:
        os.environ['ROS_DOMAIN_ID'] = here
    assert player.wait() == 0, player.output
    assert 'nobody on memory_node/processed' in player.output
    assert memory.end()[0] == 0, memory.output
    assert _frames_of(tmp_path / 'live.db') == 0

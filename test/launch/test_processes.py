"""Memory and replay as processes: the main job from end to end."""

from __future__ import annotations

from pathlib import Path
import signal
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings
from st_memory.core.records import AnswerStatus, Visibility
from st_memory.replay import replay
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.ros.cup_recording import stamp_of

pytestmark = pytest.mark.launch

# A process that was asked to end needs under a second, or a few where tests share two cores.
MOST_S = 6.0


def _memory(database: Path, **values: Any) -> dict[str, Any]:
    return {'database': database, 'reliability': 'reliable', 'discovery_period_s': 0.1, **values}


def _client(graph: Any, kind: Any, name: str) -> Any:
    from rclpy.node import Node

    planner = graph.add(Node('planner', context=graph.context))
    return planner.create_client(kind, f'/memory_node/{name}')


def _wait_ready(graph: Any, process: Any) -> None:
    """Wait until the memory answers."""
    from st_memory_interfaces.srv import ListObjects

    client = _client(graph, ListObjects, 'list_objects')
    assert graph.spin_until(lambda: client.service_is_ready() or not process.is_running())
    assert process.is_running(), process.output


def test_replayed_memory_answers_while_the_object_is_out_of_sight(
    graph: Any, start: Any, bag: Path, tmp_path: Path
) -> None:
    from st_memory_interfaces.srv import LocateObject

    database = tmp_path / 'live.db'
    memory = start('memory_node', _memory(database, release='deadline'))
    player = start('replay_node', {'bag': bag})
    assert player.wait() == 0, player.output
    client = _client(graph, LocateObject, 'locate_object')
    response = graph.call(client, LocateObject.Request(label='cup'))
    assert response.status == AnswerStatus.KNOWN
    assert response.object.visibility == Visibility.OUT_OF_VIEW
    assert response.object.pose.position.x == pytest.approx(2.0, abs=0.05)
    code, took_s = memory.end()
    assert code == 0, memory.output
    assert took_s < MOST_S
    assert 'Traceback' not in memory.output + player.output
    assert ' 0 lost' in player.output
    source, offline = BagFrameSource(bag), InMemoryStore()
    from st_memory.ros.scenes import caster_of

    replay(source, offline, MemorySettings(), caster_of(source.scene))
    with SqliteMemoryStore.open(database, read_only=True) as store:
        assert dump(store) == dump(offline)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('module', ['memory_node', 'bringup'])
def test_node_told_to_end_exits_0_in_time(
    graph: Any, start: Any, tmp_path: Path, module: str, number: signal.Signals
) -> None:
    process = start(module, _memory(tmp_path / 'live.db'))
    _wait_ready(graph, process)
    code, took_s = process.end(number)
    assert code == 0, process.output
    assert took_s < MOST_S
    assert 'Traceback' not in process.output


def test_node_second_sigint_does_not_break_the_end(graph: Any, start: Any, tmp_path: Path) -> None:
    process = start('memory_node', _memory(tmp_path / 'live.db'))
    _wait_ready(graph, process)
    process.send(signal.SIGINT)
    process.send(signal.SIGINT)
    code, _ = process.end()
    assert code == 0, process.output
    assert 'Traceback' not in process.output


def test_replay_told_to_end_in_the_middle_exits_0(graph: Any, start: Any, bag: Path) -> None:
    from rclpy.node import Node
    from rosgraph_msgs.msg import Clock

    clocks: list[Any] = []
    ear = graph.add(Node('ear', context=graph.context))
    ear.create_subscription(Clock, '/clock', clocks.append, 10)
    player = start('replay_node', {'bag': bag, 'wait_s': 0.0, 'loop': True})
    assert graph.spin_until(lambda: bool(clocks)), player.output
    code, took_s = player.end()
    assert code == 0, player.output
    assert took_s < MOST_S


def test_killed_memory_keeps_what_it_answered(
    graph: Any, start: Any, bag: Path, tmp_path: Path
) -> None:
    from st_memory_interfaces.srv import LocateObject

    database = tmp_path / 'live.db'
    memory = start('memory_node', _memory(database))
    player = start('replay_node', {'bag': bag})
    assert player.wait() == 0, player.output
    client = _client(graph, LocateObject, 'locate_object')
    response = graph.call(client, LocateObject.Request(label='cup'))
    memory.send(signal.SIGKILL)
    memory.wait()
    with SqliteMemoryStore.open(database, read_only=True) as store:
        now = store.now()
        cup = store.object_at('cup_1')
    assert now is not None and cup is not None
    as_of = response.as_of
    assert now.stamp_ns >= as_of.sec * 10**9 + as_of.nanosec >= stamp_of(20)
    assert cup.visibility == Visibility.OUT_OF_VIEW


def test_bringup_with_a_bag_replays_and_answers(
    graph: Any, start: Any, bag: Path, tmp_path: Path
) -> None:
    from st_memory_interfaces.srv import LocateObject

    process = start('bringup', _memory(tmp_path / 'live.db', bag=bag))
    client = _client(graph, LocateObject, 'locate_object')

    def is_known() -> bool:
        response = graph.call(client, LocateObject.Request(label='cup'))
        return bool(response.object.visibility == Visibility.OUT_OF_VIEW)

    assert graph.spin_until(is_known), process.output
    assert graph.spin_until(lambda: ' 0 lost' in process.output), process.output
    code, _ = process.end()
    assert code == 0, process.output


@pytest.mark.parametrize(
    ('module', 'values', 'line'),
    [
        ('memory_node', {}, 'parameter database: expected the path of a memory file'),
        ('memory_node', {'database': '/no/such/folder/live.db'}, 'does not exist'),
        ('replay_node', {}, 'parameter bag: expected the path of a recording'),
        ('replay_node', {'bag': '/no/such.mcap'}, 'no such file'),
    ],
)
def test_node_with_bad_input_exits_1_with_one_line(
    start: Any, module: str, values: dict[str, Any], line: str
) -> None:
    process = start(module, values)
    assert process.wait() == 1
    assert line in process.output
    assert 'Traceback' not in process.output


def test_memory_node_later_schema_exits_1_and_writes_nothing(start: Any, tmp_path: Path) -> None:
    import sqlite3

    database = tmp_path / 'later.db'
    SqliteMemoryStore.open(database).close()
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO migration (name, applied_by) VALUES ('9999_of_the_future', '99')"
        )
    connection.close()
    before = database.read_bytes()
    process = start('memory_node', {'database': database})
    assert process.wait() == 1
    assert '9999_of_the_future' in process.output
    assert database.read_bytes() == before

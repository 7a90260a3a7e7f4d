"""The managed node: every transition, twice, in the wrong order, and with what is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from st_memory.storage import SqliteMemoryStore
from test.ros.cup_recording import write_cup_recording
from test.ros.node_makers import make_replay, parameters

pytestmark = pytest.mark.ros


def _make(graph: Any, database: Path, name: str = 'memory_node', **values: Any) -> Any:
    """Add a node that nobody has configured."""
    from st_memory.ros.memory_node import MemoryNode

    given = {'discovery_period_s': 0.1, 'reliability': 'reliable', **values}
    overrides = parameters(database=str(database), **given)
    return graph.add(MemoryNode(name, context=graph.context, parameter_overrides=overrides))


def _state(node: Any) -> str:
    return str(node._state_machine.current_state[1])


def _can(node: Any, *triggers: str) -> list[bool]:
    """Trigger transitions one after the other; gives which of them succeeded."""
    from rclpy.lifecycle import TransitionCallbackReturn

    success = TransitionCallbackReturn.SUCCESS
    return [getattr(node, f'trigger_{name}')() == success for name in triggers]


def _services(node: Any) -> set[str]:
    names = (service.srv_name for service in node.services)
    return {n for n in names if n.endswith(('locate_object', 'doctor', 'snapshot'))}


def _is_free(database: Path) -> bool:
    """Whether nobody writes to a memory."""
    SqliteMemoryStore.open(database).close()
    return True


def _subscribed(node: Any) -> set[str]:
    return {s.topic_name for s in node.subscriptions} & {'/tf', '/tf_static', '/scene'}


def test_every_transition_twice_over(graph: Any, tmp_path: Path) -> None:
    node = _make(graph, tmp_path / 'live.db')
    for _ in range(2):
        assert _state(node) == 'unconfigured'
        assert _services(node) == set()
        assert _can(node, 'configure') == [True]
        assert (_state(node), len(_services(node)), _subscribed(node)) == ('inactive', 3, set())
        for _ in range(2):
            assert _can(node, 'activate') == [True]
            assert (_state(node), len(_subscribed(node))) == ('active', 3)
            assert _can(node, 'deactivate') == [True]
            assert (_state(node), _subscribed(node)) == ('inactive', set())
        assert _can(node, 'cleanup') == [True]
        assert _is_free(tmp_path / 'live.db')


@pytest.mark.parametrize(
    ('before', 'wrong', 'state'),
    [
        ((), ('activate', 'deactivate', 'cleanup'), 'unconfigured'),
        (('configure',), ('configure', 'deactivate'), 'inactive'),
        (('configure', 'activate'), ('configure', 'activate', 'cleanup'), 'active'),
        (('shutdown',), ('configure', 'activate', 'deactivate', 'cleanup'), 'finalized'),
    ],
)
def test_transition_in_the_wrong_order_changes_nothing(
    graph: Any, tmp_path: Path, before: tuple[str, ...], wrong: tuple[str, ...], state: str
) -> None:
    node = _make(graph, tmp_path / 'live.db')
    assert all(_can(node, *before))
    services, subscribed = _services(node), _subscribed(node)

    assert not any(_can(node, *wrong))
    assert _state(node) == state
    assert (_services(node), _subscribed(node)) == (services, subscribed)


def test_wrong_order_by_service_is_refused_and_the_state_told(graph: Any, tmp_path: Path) -> None:
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState, GetState
    from rclpy.node import Node

    node = _make(graph, tmp_path / 'live.db')
    manager = graph.add(Node('manager', context=graph.context))
    change = manager.create_client(ChangeState, '/memory_node/change_state')
    ask = manager.create_client(GetState, '/memory_node/get_state')

    def to(number: int) -> tuple[bool, str]:
        request = ChangeState.Request(transition=Transition(id=number))
        success = graph.call(change, request).success
        return success, graph.call(ask, GetState.Request()).current_state.label

    assert to(Transition.TRANSITION_ACTIVATE) == (False, 'unconfigured')
    assert to(Transition.TRANSITION_CONFIGURE) == (True, 'inactive')
    assert to(Transition.TRANSITION_ACTIVATE) == (True, 'active')
    assert to(Transition.TRANSITION_CONFIGURE) == (False, 'active')
    assert to(Transition.TRANSITION_ACTIVE_SHUTDOWN) == (True, 'finalized')
    assert _subscribed(node) == set()
    assert _is_free(tmp_path / 'live.db')


@pytest.mark.parametrize('before', [(), ('configure',), ('configure', 'activate')])
def test_shutdown_from_any_state_lets_go_of_everything(
    graph: Any, tmp_path: Path, before: tuple[str, ...]
) -> None:
    node = _make(graph, tmp_path / 'live.db')
    assert all(_can(node, *before, 'shutdown'))
    assert (_state(node), _services(node), _subscribed(node)) == ('finalized', set(), set())
    assert _is_free(tmp_path / 'live.db')
    node.finish()
    node.finish()


@pytest.mark.parametrize(
    ('values', 'content'),
    [({}, b'no database at all, but text'), ({'scene': '/no/such/scene.obj'}, None)],
)
def test_broken_database_or_scene_keeps_it_unconfigured_until_it_is_mended(
    graph: Any, tmp_path: Path, values: dict[str, Any], content: bytes | None
) -> None:
    database = tmp_path / 'live.db'
    if content is not None:
        database.write_bytes(content * 100)
    node = _make(graph, database, **values)
    for _ in range(2):
        assert _can(node, 'configure') == [False]
        assert (_state(node), _services(node)) == ('unconfigured', set())
    assert not any(_can(node, 'activate'))
    if content is not None:
        assert database.read_bytes() == content * 100
        database.unlink()
        assert all(_can(node, 'configure', 'activate'))


def test_second_memory_on_one_file_is_refused_and_may_have_it_later(
    graph: Any, tmp_path: Path
) -> None:
    first, second = (_make(graph, tmp_path / 'live.db', name) for name in ('first', 'second'))
    assert _can(first, 'configure') == [True]
    assert _can(second, 'configure') == [False]
    assert _can(first, 'cleanup') == [True]
    assert all(_can(second, 'configure', 'activate'))


def test_fault_while_configuring_leaves_nothing_open(
    graph: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from st_memory.ros import memory_parts

    def fail(*_: Any) -> None:
        raise RuntimeError('injected')

    node = _make(graph, tmp_path / 'live.db')
    with monkeypatch.context() as broken:
        broken.setattr(memory_parts, 'SlowServices', fail)
        assert _can(node, 'configure') == [False]
    assert (_state(node), _services(node)) == ('unconfigured', set())
    assert node.count_publishers('/memory_node/objects') == 0
    assert _is_free(tmp_path / 'live.db')
    assert all(_can(node, 'configure', 'activate'))


def test_package_that_is_missing_keeps_it_inactive_and_hears_nothing(
    graph: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from st_memory.ros import topics

    known = topics.message_class
    node = _make(graph, tmp_path / 'live.db')
    assert _can(node, 'configure') == [True]
    with monkeypatch.context() as broken:
        broken.setattr(
            topics, 'message_class', lambda name: None if 'MarkerArray' in name else known(name)
        )
        assert _can(node, 'activate') == [False]
    assert (_state(node), _subscribed(node)) == ('inactive', set())
    assert not any(p.is_activated for p in _lifecycle_publishers(node))
    assert _can(node, 'activate') == [True]
    assert all(p.is_activated for p in _lifecycle_publishers(node))


def _lifecycle_publishers(node: Any) -> list[Any]:
    from rclpy.lifecycle import LifecyclePublisher

    return [p for p in node.publishers if isinstance(p, LifecyclePublisher)]


def test_fault_while_activating_goes_back_to_unconfigured(
    graph: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from st_memory.ros import active_memory

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError('injected')

    node = _make(graph, tmp_path / 'live.db')
    assert _can(node, 'configure') == [True]
    with monkeypatch.context() as broken:
        broken.setattr(active_memory, 'Ingest', fail)
        assert _can(node, 'activate') == [False]
    assert (_state(node), _services(node), _subscribed(node)) == ('unconfigured', set(), set())
    assert _is_free(tmp_path / 'live.db')
    assert all(_can(node, 'configure', 'activate'))


def test_deactivating_commits_what_waits_and_goes_on_answering(graph: Any, tmp_path: Path) -> None:
    from rclpy.node import Node
    from st_memory_interfaces.srv import LocateObject

    node = _make(graph, tmp_path / 'live.db', release='deadline')
    assert all(_can(node, 'configure', 'activate'))
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    assert _can(node, 'deactivate') == [True]
    planner = graph.add(Node('planner', context=graph.context))
    client = planner.create_client(LocateObject, '/memory_node/locate_object')
    assert graph.call(client, LocateObject.Request(label='cup')).object.object_id == 'cup_1'
    assert _can(node, 'cleanup') == [True]
    with SqliteMemoryStore.open(tmp_path / 'live.db', read_only=True) as store:
        assert len(list(store.frames())) == 30


def test_node_that_waits_for_a_manager_does_nothing_by_itself(graph: Any, tmp_path: Path) -> None:
    node = _make(graph, tmp_path / 'live.db', autostart=False)
    node.start()
    assert _state(node) == 'unconfigured'
    assert not (tmp_path / 'live.db').exists()

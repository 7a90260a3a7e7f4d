"""Memory and replay as nodes of one process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.core.errors import BagError, ConfigError, StMemoryError, StoreError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named
from st_memory.replay import replay
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.ros.cup_recording import stamp_of, write_cup_recording, write_late_statics
from test.ros.node_makers import make_memory, make_replay, parameters

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a cup."""
    return write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap')


def _dump_of(database: Path) -> bytes:
    with SqliteMemoryStore.open(database, read_only=True) as store:
        return dump(store)


def _offline(bag: Path) -> bytes:
    from st_memory.ros.scenes import caster_of

    store = InMemoryStore()
    source = BagFrameSource(bag)
    replay(source, store, MemorySettings(), caster_of(source.scene))
    return dump(store)


def test_live_memory_of_a_replay_equals_the_offline_memory(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    database = tmp_path / 'live.db'
    memory = make_memory(graph, database, release='deadline')
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    assert _dump_of(database) == _offline(bag)


def test_frames_of_a_named_robot_are_called_after_it(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    database = tmp_path / 'live.db'
    memory = make_memory(graph, database, release='deadline', robot_id='robot_7')
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    with SqliteMemoryStore.open(database, read_only=True) as store:
        assert {s.origin.robot_id for s in store.deltas_after(-1)} == {'robot_7'}


def test_live_memory_that_releases_at_once_equals_the_offline_memory(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    database = tmp_path / 'live.db'
    memory = make_memory(graph, database, release='complete')
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    assert _dump_of(database) == _offline(bag)


@pytest.mark.slow
def test_live_memory_of_the_kitchen_equals_the_offline_memory(graph: Any, tmp_path: Path) -> None:
    kitchen = Path(__file__).parents[2] / 'rosbag_fixtures' / 'kitchen_small.mcap'
    if not kitchen.exists():
        pytest.skip(f'needs {kitchen.name}, which rosbag_fixtures/make_fixture.py makes')
    database = tmp_path / 'live.db'
    memory = make_memory(graph, database)
    player = make_replay(graph, kitchen)
    assert graph.spin_until(lambda: player.is_done, timeout_s=120.0)
    memory.finish()
    assert _dump_of(database) == _offline(kitchen)


def test_memory_restarted_in_the_middle_goes_on(graph: Any, tmp_path: Path) -> None:
    database = tmp_path / 'live.db'
    for number in range(2):
        first_ns = stamp_of(0) + number * 3_000_000_000
        part = write_cup_recording(tmp_path / f'{number}.mcap', first_ns=first_ns)
        memory = make_memory(graph, database)
        player = make_replay(graph, part)
        assert graph.spin_until(lambda done=player: done.is_done)
        memory.finish()
        player.finish()
        graph.remove(memory)
        graph.remove(player)
    with SqliteMemoryStore.open(database, read_only=True) as store:
        assert store.epochs() == (0,)
        assert len(list(store.frames())) == 60
        cups = [s for s in store.objects_at() if s.label == 'cup']
    assert [cup.object_id for cup in cups] == ['cup_1']


def test_memory_looped_recording_opens_epochs(graph: Any, bag: Path, tmp_path: Path) -> None:
    memory = make_memory(graph, tmp_path / 'live.db')
    make_replay(graph, bag, loop=True)
    store = memory.memory.store
    assert graph.spin_until(lambda: len(store.epochs()) == 3)
    counts = [len([f for f in store._store.frames() if f.epoch == e]) for e in (0, 1)]
    assert counts == [30, 30]


def test_memory_publishes_objects_changes_and_events(
    graph: Any, bag: Path, tmp_path: Path
) -> None:
    from rclpy.node import Node
    from st_memory_interfaces.msg import (
        EventArray,
        ObjectState,
        ObjectStateArray,
        VisibilityChange,
    )
    from visualization_msgs.msg import Marker, MarkerArray

    from st_memory.ros.topics import latched_qos, reliable_qos

    told: dict[str, list[Any]] = {
        name: [] for name in ('objects', 'visibility_changes', 'events', 'markers')
    }
    ear = graph.add(Node('ear', context=graph.context))
    for kind, topic, qos in (
        (ObjectStateArray, 'objects', latched_qos(1)),
        (VisibilityChange, 'visibility_changes', reliable_qos(100)),
        (EventArray, 'events', reliable_qos(100)),
        (MarkerArray, 'markers', latched_qos(1)),
    ):
        ear.create_subscription(kind, f'/memory_node/{topic}', told[topic].append, qos)
    memory = make_memory(graph, tmp_path / 'live.db')
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    graph.spin_until(lambda: bool(told['objects'] and told['events']), timeout_s=10.0)
    states = [c.current.state for c in told['visibility_changes'] if c.object_id == 'cup_1']
    assert states[0] == ObjectState.VISIBLE
    assert ObjectState.OUT_OF_VIEW in states
    assert {c.header.frame_id for c in told['visibility_changes']} == {'head_optical'}
    types = {(e.event_type, e.ordinal) for message in told['events'] for e in message.events}
    assert ('appeared', 1) in types
    cup = next(o for o in told['objects'][-1].objects if o.object_id == 'cup_1')
    assert cup.frame == 'map'
    assert cup.pose.position.x == pytest.approx(2.0, abs=0.1)
    assert graph.spin_until(lambda: bool(told['markers']), timeout_s=10.0)
    drawn = told['markers'][-1].markers
    assert drawn[0].action == Marker.DELETEALL
    assert any(m.ns == 'names' and m.text.startswith('cup_1: ') for m in drawn)


def test_memory_throwing_callback_goes_on(
    graph: Any, bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make_memory(graph, tmp_path / 'live.db', release='deadline')
    put = memory.active.ingest.put
    thrown: list[int] = []

    def put_or_throw(role: Any, message: Any) -> None:
        if not thrown:
            thrown.append(1)
            raise RuntimeError('injected')
        put(role, message)

    monkeypatch.setattr(memory.active.ingest, 'put', put_or_throw)
    player = make_replay(graph, bag, ack_timeout_s=0.5)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    with SqliteMemoryStore.open(tmp_path / 'live.db', read_only=True) as store:
        assert len(list(store.frames())) == 30


def test_memory_without_database_is_refused_with_one_line(graph: Any) -> None:
    with pytest.raises(ConfigError, match='parameter database: expected the path'):
        make_memory(graph, '')


def test_memory_in_a_missing_folder_is_refused_with_one_line(graph: Any, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match='does not exist'):
        make_memory(graph, tmp_path / 'no' / 'live.db')


def test_memory_unknown_choice_is_refused_with_one_line(graph: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='parameter release: expected one of'):
        make_memory(graph, tmp_path / 'live.db', release='never')


def test_memory_unknown_preset_is_refused_with_one_line(graph: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='preset'):
        make_memory(graph, tmp_path / 'live.db', memory__visibility_preset='none_such')


def test_memory_visibility_starts_from_the_preset(graph: Any, tmp_path: Path) -> None:
    memory = make_memory(
        graph,
        tmp_path / 'live.db',
        memory__visibility_preset='beyond3d_track_v5',
        visibility__max_range_m=3.0,
    )
    expected = replace(preset_named('beyond3d_track_v5'), max_range_m=3.0)
    assert memory.parameters.visibility == expected


def test_memory_refused_can_be_configured_again(graph: Any, tmp_path: Path) -> None:
    from rclpy.lifecycle import TransitionCallbackReturn

    from st_memory.ros.memory_node import MemoryNode

    folder = tmp_path / 'later'
    overrides = parameters(database=str(folder / 'live.db'))
    node = graph.add(MemoryNode(context=graph.context, parameter_overrides=overrides))
    with pytest.raises(StMemoryError):
        node.start()
    folder.mkdir()
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS


def test_memory_deactivated_and_activated_takes_frames_again(graph: Any, tmp_path: Path) -> None:
    memory = make_memory(graph, tmp_path / 'live.db')
    memory.trigger_deactivate()
    memory.trigger_activate()
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    memory.trigger_deactivate()
    memory.trigger_cleanup()
    with SqliteMemoryStore.open(tmp_path / 'live.db', read_only=True) as store:
        assert len(list(store.frames())) == 30


def test_memory_of_one_camera_leaves_the_others_out(graph: Any, bag: Path, tmp_path: Path) -> None:
    memory = make_memory(graph, tmp_path / 'live.db', cameras=['wrist'])
    player = make_replay(graph, bag, wait_s=1.0)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    with SqliteMemoryStore.open(tmp_path / 'live.db', read_only=True) as store:
        assert store.looks(None) == ()
        assert [s.object_id for s in store.objects_at()] == ['bowl_a']


def test_replay_without_consumer_ends_by_the_clock(graph: Any, tmp_path: Path) -> None:
    from rclpy.node import Node
    from rosgraph_msgs.msg import Clock

    clocks: list[Any] = []
    ear = graph.add(Node('ear', context=graph.context))
    ear.create_subscription(Clock, '/clock', clocks.append, 100)
    short = write_cup_recording(tmp_path / 'short.mcap', num_frames=3)
    player = make_replay(graph, short, wait_s=0.5, consumer='')
    assert graph.spin_until(lambda: player.is_done)
    assert graph.spin_until(lambda: len(clocks) >= 3)
    stamps = [c.clock.sec * 10**9 + c.clock.nanosec for c in clocks]
    assert stamps[-3:] == [stamp_of(i) for i in range(3)]


def test_replay_late_statics_come_first_and_leave_the_clock_alone(
    graph: Any, tmp_path: Path
) -> None:
    from rclpy.node import Node
    from rosgraph_msgs.msg import Clock

    bag = write_late_statics(tmp_path / 'late.mcap')
    clocks: list[Any] = []
    ear = graph.add(Node('ear', context=graph.context))
    ear.create_subscription(Clock, '/clock', clocks.append, 1000)
    memory = make_memory(graph, tmp_path / 'live.db', release='deadline')
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    stamps = [c.clock.sec * 10**9 + c.clock.nanosec for c in clocks]
    assert stamps == sorted(stamps)
    assert _dump_of(tmp_path / 'live.db') == _offline(bag)


def test_replay_missing_bag_is_refused_with_one_line(graph: Any, tmp_path: Path) -> None:
    with pytest.raises(BagError, match='no such file'):
        make_replay(graph, tmp_path / 'no.mcap')


def test_replay_without_bag_is_refused_with_one_line(graph: Any) -> None:
    with pytest.raises(ConfigError, match='parameter bag: expected'):
        make_replay(graph, '')

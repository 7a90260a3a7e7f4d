"""Scene files, joint states and mesh topics in the memory node."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import MissingExtraError
from st_memory.core.memory import MemorySettings
from st_memory.core.records import Scene
from st_memory.replay import replay
from st_memory.scene import load_scene, LoadedScene, read_scene, SceneFileError
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.bags import bag_files
from test.cli.test_replay_scene import CUPBOARD, write_cup
from test.ros.node_makers import make_memory, make_replay
from test.scene.urdf_texts import write_urdf

pytestmark = pytest.mark.ros

MESHES = 'mesh_topics: {/shelf/mesh: {part: shelf, fixture: cupboard_1}}\n'


def _scene_of(database: Path) -> Scene:
    with SqliteMemoryStore.open(database, read_only=True) as store:
        return store.scene()


def test_live_memory_with_a_urdf_and_joint_states_equals_the_offline_memory(
    graph: Any, tmp_path: Path
) -> None:
    from st_memory.ros.scenes import caster_of

    urdf, bag = write_urdf(tmp_path, *CUPBOARD), write_cup(tmp_path / 'cup.mcap')
    offline, database = InMemoryStore(), tmp_path / 'live.db'
    source = BagFrameSource(bag, None, load_scene(urdf))
    replay(source, offline, MemorySettings(), caster_of(source.scene))

    memory = make_memory(graph, database, release='deadline', scene=str(urdf))
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()

    with SqliteMemoryStore.open(database, read_only=True) as store:
        assert dump(store) == dump(offline)


def test_live_memory_takes_meshes_of_the_topics_that_a_description_names(
    graph: Any, tmp_path: Path
) -> None:
    description, database = tmp_path / 'scene.yaml', tmp_path / 'live.db'
    description.write_text(MESHES, 'utf-8')
    memory = make_memory(graph, database, scene=str(description))
    player = make_replay(graph, bag_files.mesh_bag(tmp_path))
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()

    scene = _scene_of(database)
    assert [(p.name, p.fixture_id) for p in scene.parts] == [('shelf', 'cupboard_1')]
    assert scene.parts[0].vertices.max() == 2.0  # the newest mesh counts
    assert [f.fixture_id for f in scene.fixtures] == ['cupboard_1']


@pytest.mark.parametrize(
    ('text', 'named'),
    [(None, 'expected a scene file, found none there'), ('<robot', 'expected XML')],
)
def test_a_scene_file_that_cannot_be_used_is_refused_with_one_line(
    graph: Any, text: str | None, named: str, tmp_path: Path
) -> None:
    path = tmp_path / 'a.urdf'
    if text is not None:
        path.write_text(text)

    with pytest.raises(SceneFileError, match=named):
        make_memory(graph, tmp_path / 'live.db', scene=str(path))


@pytest.mark.skipif(find_spec('open3d') is not None, reason='needs that open3d is missing')
def test_a_ray_caster_that_is_not_installed_is_refused_with_one_line(
    graph: Any, tmp_path: Path
) -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'st_memory\[open3d\]'"):
        make_memory(graph, tmp_path / 'live.db', ray_caster='open3d')


def _subscriptions(graph: Any, loaded: LoadedScene | None) -> tuple[Any, Any]:
    from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
    from rclpy.node import Node

    from st_memory.ros.settings import MemoryNodeSettings
    from st_memory.ros.topics import MemorySubscriptions

    node = graph.add(Node('listener', context=graph.context))
    made = MemorySubscriptions(
        node,
        MemoryNodeSettings(),
        lambda role, message: None,
        lambda error: None,
        MutuallyExclusiveCallbackGroup(),
        loaded,
    )
    return node, made


def test_joint_states_are_heard_only_for_a_scene_with_joints(graph: Any, tmp_path: Path) -> None:
    from rclpy.node import Node
    from sensor_msgs.msg import JointState

    robot = graph.add(Node('robot', context=graph.context))
    robot.create_publisher(JointState, '/joint_states', 10)
    robot.create_publisher(JointState, '/doors/joint_states', 10)
    deaf, without = _subscriptions(graph, None)
    graph.spin_until(lambda: deaf.count_publishers('/doors/joint_states') > 0)
    without.discover()
    assert TopicRole(TopicKind.JOINTS) not in without.roles

    loaded = read_scene(write_urdf(tmp_path, *CUPBOARD))
    keen, subscriptions = _subscriptions(graph, loaded)
    assert graph.spin_until(lambda: keen.count_publishers('/doors/joint_states') > 0)
    subscriptions.discover()

    heard = {
        topic: any(
            info.node_name == keen.get_name()
            for info in keen.get_subscriptions_info_by_topic(topic)
        )
        for topic in ('/joint_states', '/doors/joint_states')
    }
    assert heard == {'/joint_states': True, '/doors/joint_states': True}


def test_mesh_topics_are_latched(graph: Any, tmp_path: Path) -> None:
    from rclpy.qos import DurabilityPolicy

    description = tmp_path / 'scene.yaml'
    description.write_text(MESHES, 'utf-8')

    node, _ = _subscriptions(graph, read_scene(description))

    (info,) = node.get_subscriptions_info_by_topic('/shelf/mesh')
    assert info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL

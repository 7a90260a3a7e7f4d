"""The own body in the running memory: its parameter, latched masks, and the same as offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from st_memory.bags import BagFrameSource
from st_memory.conversions import AssemblerSettings
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings
from st_memory.replay import replay
from st_memory.settings import with_self_filter
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.bags.mask_bags import LEFT, mask_bag, mask_message
from test.ros.node_makers import make_memory, make_replay

pytestmark = pytest.mark.ros

ALL = [1, 1, 1, 1]
# All that the camera of the bag sees at 1.5 m.
BOXES = 'self_boxes: [{frame: optical, centre_m: [0, 0, 1.5], size_m: [9, 9, 0.1]}]\n'


def offline(bag: Path, settings: AssemblerSettings | None = None) -> InMemoryStore:
    store = InMemoryStore()
    replay(BagFrameSource(bag, settings), store, MemorySettings(), None)
    return store


def live(graph: Any, bag: Path, database: Path, **parameters: Any) -> InMemoryStore:
    """Play a bag to a running memory; gives what it holds."""
    memory = make_memory(graph, database, release='deadline', **parameters)
    player = make_replay(graph, bag)
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()
    return SqliteMemoryStore.open(database, read_only=True)


def occluder(store: Any) -> str:
    (state,) = store.objects_at()
    return str(state.occluder_id)


@pytest.mark.parametrize('masks', [[(4, mask_message(0, ALL))], [(0, mask_message(7, ALL))]])
def test_mask_for_all_images_of_a_bag_holds_live_as_offline(
    graph: Any, masks: list, tmp_path: Path
) -> None:
    bag = mask_bag(tmp_path, masks)

    with live(graph, bag, tmp_path / 'live.db') as store:
        assert occluder(store) == 'self'
        assert dump(store) == dump(offline(bag))


def test_boxes_of_the_parameter_hide_live_as_offline(graph: Any, tmp_path: Path) -> None:
    bag, file = mask_bag(tmp_path, []), tmp_path / 'arm.yaml'
    file.write_text(BOXES)
    expected = offline(bag, with_self_filter(AssemblerSettings(), str(file)))

    with live(graph, bag, tmp_path / 'live.db', self_filter=str(file)) as store:
        assert occluder(store) == 'self'
        assert dump(store) == dump(expected)
    assert occluder(offline(bag)) == ''


def test_masks_of_the_parameter_hide(graph: Any, tmp_path: Path) -> None:
    bag, file = mask_bag(tmp_path, []), tmp_path / 'arm.yaml'
    (tmp_path / 'all.png').write_bytes(
        cv2.imencode('.png', np.ones((3, 4), np.uint8))[1].tobytes()
    )
    file.write_text('self_masks: {head: all.png}\n')

    with live(graph, bag, tmp_path / 'live.db', self_filter=str(file)) as store:
        assert occluder(store) == 'self'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (None, r'arm\.yaml: No such file'),
        ('self_boxes: [{frame: a}]', r"arm\.yaml: self_boxes\[0\]: expected the key 'centre_m'"),
        ('self_masks: {head: no.png}', r'arm\.yaml: self_masks\.head: .*no\.png: cannot be read'),
    ],
)
def test_bad_file_keeps_the_node_from_starting_with_one_line(
    graph: Any, text: str | None, message: str, tmp_path: Path
) -> None:
    file = tmp_path / 'arm.yaml'
    if text is not None:
        file.write_text(text)

    with pytest.raises(ConfigError, match=message) as caught:
        make_memory(graph, tmp_path / 'live.db', self_filter=str(file))
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('is_latched', 'kind'), [(True, TopicKind.SELF_MASK_FIXED), (False, TopicKind.SELF_MASK)]
)
def test_latched_mask_is_one_for_all_images(graph: Any, is_latched: bool, kind: TopicKind) -> None:
    from rclpy.node import Node
    from rclpy.qos import DurabilityPolicy
    from sensor_msgs.msg import Image

    from st_memory.ros.settings import MemoryNodeSettings
    from st_memory.ros.topics import latched_qos, MemorySubscriptions, reliable_qos

    robot = graph.add(Node('robot', context=graph.context))
    qos = latched_qos(1) if is_latched else reliable_qos(1)
    publisher = robot.create_publisher(Image, '/head/self_mask', qos)
    publisher.publish(Image())
    taken: list[TopicRole] = []
    node = graph.add(Node('listener', context=graph.context))
    assert graph.spin_until(lambda: node.count_publishers('/head/self_mask') > 0)
    subscriptions = MemorySubscriptions(
        node,
        MemoryNodeSettings(),
        lambda role, message: taken.append(role),
        lambda error: None,
        node.default_callback_group,
    )

    (info,) = node.get_subscriptions_info_by_topic('/head/self_mask')
    assert subscriptions.roles == (TopicRole(kind, 'head'),)
    assert (info.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL) is is_latched
    if is_latched:  # what was sent before anybody listened
        assert graph.spin_until(lambda: taken == [TopicRole(kind, 'head')])


def test_masks_by_stamp_hold_live_as_offline(graph: Any, tmp_path: Path) -> None:
    from test.bags.bag_files import START_NS, STEP_NS

    masks = [(i, mask_message(START_NS + i * STEP_NS, ALL if i % 3 else LEFT)) for i in range(8)]
    bag = mask_bag(tmp_path, masks)

    with live(graph, bag, tmp_path / 'live.db') as store:
        assert dump(store) == dump(offline(bag))
    assert occluder(offline(bag)) == 'self'

"""What RViz and Foxglove draw: pure, and told when something changed."""

from __future__ import annotations

from dataclasses import replace
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy', reason='the ROS 2 runtime is not installed (make setup)')
pytest.importorskip('visualization_msgs', reason='visualization_msgs is not installed')

from visualization_msgs.msg import Marker

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import (
    CameraLook,
    Fixture,
    LifeCycle,
    ObjectState,
    Scene,
    Visibility,
)
from st_memory.core.stamps import Moment
from st_memory.ros.marker_topic import MarkerTopic
from st_memory.ros.markers import COLOURS, markers_of

pytestmark = pytest.mark.ros
ROOT = Path(__file__).resolve().parents[2]
S = 10**9
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
TABLE = Fixture(
    'table_1', 'table', RigidTransform(np.array([1.0, 0.0, 0.4]), UPRIGHT), (1.2, 0.8, 0.8)
)
MUG = ObjectState(
    'mug_1',
    'mug',
    0,
    world_p=(1.0, 0.2, 0.85),
    size_m=(0.1, 0.1, 0.1),
    visibility=Visibility.VISIBLE,
    last_seen_ns=5 * S,
)
HIDDEN = replace(MUG, object_id='cup_1', visibility=Visibility.OCCLUDED)


def drawn(*states: ObjectState, **given: Any) -> dict[str, list[Any]]:
    """Draw, and give the markers by namespace."""
    values = {'fixtures': (), 'origins': {}, **given}
    message = markers_of(
        states, values['fixtures'], values['origins'], frame='map', stamp_ns=7 * S + 5
    )
    found: dict[str, list[Any]] = {}
    for marker in message.markers:
        found.setdefault(marker.ns, []).append(marker)
    return found


def test_first_marker_takes_the_message_before_away() -> None:
    (first,) = drawn()['']

    assert first.action == Marker.DELETEALL


def test_every_marker_says_frame_and_time_and_has_a_name_of_its_own() -> None:
    found = drawn(MUG, HIDDEN, fixtures=(TABLE,), origins={'cup_1': (0.0, 0.0, 1.5)})
    markers = [m for space, rows in found.items() if space for m in rows]

    assert {m.header.frame_id for m in markers} == {'map'}
    assert {(m.header.stamp.sec, m.header.stamp.nanosec) for m in markers} == {(7, 5)}
    assert len({(m.ns, m.id) for m in markers}) == len(markers)
    assert set(found) == {'', 'fixtures', 'fixture_names', 'objects', 'names', 'last_seen'}


def test_object_is_a_box_of_its_size_in_the_colour_of_its_state() -> None:
    (box,) = drawn(MUG)['objects']

    assert box.type == Marker.CUBE
    assert (box.pose.position.x, box.pose.position.y, box.pose.position.z) == MUG.world_p
    assert (box.scale.x, box.scale.y, box.scale.z) == MUG.size_m
    rgb = (box.color.r, box.color.g, box.color.b)
    assert rgb == pytest.approx(COLOURS[Visibility.VISIBLE], abs=1e-6)


def test_text_says_who_and_how_it_stands_clear_of_the_box() -> None:
    (text,) = drawn(HIDDEN)['names']

    assert text.type == Marker.TEXT_VIEW_FACING
    assert text.text == 'cup_1: occluded'
    assert text.pose.position.z > 0.85 + 0.05
    assert text.scale.z > 0


@pytest.mark.parametrize('state', list(Visibility))
def test_every_state_has_a_colour_of_its_own_and_can_be_seen(state: Visibility) -> None:
    (box,) = drawn(replace(MUG, visibility=state))['objects']

    assert box.color.a > 0.1
    assert list(COLOURS.values()).count(COLOURS[state]) == 1
    assert all(0.0 <= part <= 1.0 for part in COLOURS[state])


def test_what_is_out_of_sight_is_fainter_and_what_is_gone_a_shadow() -> None:
    def alpha(state: ObjectState) -> float:
        return float(drawn(state)['objects'][0].color.a)

    gone = replace(MUG, visibility=Visibility.OUT_OF_VIEW, life_cycle=LifeCycle.ABSENT)
    assert alpha(MUG) > alpha(HIDDEN) > alpha(gone)


def test_object_without_a_place_is_not_drawn() -> None:
    found = drawn(replace(MUG, world_p=None), origins={'mug_1': (0.0, 0.0, 1.0)})

    assert set(found) == {''}


@pytest.mark.parametrize('size', [(0.0, 0.0, 0.0), (0.3, 0.2, 0.0)])
def test_box_without_a_size_or_a_flat_one_can_be_seen(size: tuple[float, float, float]) -> None:
    (box,) = drawn(replace(MUG, size_m=size))['objects']

    assert min(box.scale.x, box.scale.y, box.scale.z) >= 0.03
    assert box.scale.x == pytest.approx(max(size[0], 0.08 if not any(size) else 0.0))


def test_ray_leads_from_where_it_was_last_seen_to_its_place() -> None:
    origins = {'cup_1': (0.0, 0.0, 1.5), 'mug_1': (9.0, 9.0, 9.0), 'other': (1.0, 1.0, 1.0)}
    (lines,) = drawn(MUG, HIDDEN, origins=origins)['last_seen']

    assert lines.type == Marker.LINE_LIST
    assert [(p.x, p.y, p.z) for p in lines.points] == [(0.0, 0.0, 1.5), HIDDEN.world_p]
    assert len(lines.colors) == len(lines.points)


def test_object_without_an_origin_has_no_ray() -> None:
    assert 'last_seen' not in drawn(MUG, HIDDEN)


def test_fixture_is_a_faint_box_with_its_name_on_top() -> None:
    found = drawn(fixtures=(TABLE,))

    (box,), (text,) = found['fixtures'], found['fixture_names']
    assert (box.scale.x, box.scale.y, box.scale.z) == TABLE.size_m
    assert box.color.a < 0.5
    assert text.text == 'table_1'
    assert text.pose.position.z == pytest.approx(0.8)


def test_long_name_is_clipped() -> None:
    (text,) = drawn(replace(MUG, object_id='x' * 5000))['names']

    assert len(text.text) < 200


class _Publisher:
    """Keeps what it is given."""

    def __init__(self, listeners: int = 1) -> None:
        self.told: list[Any] = []
        self.listeners = listeners

    def get_subscription_count(self) -> int:
        return self.listeners

    def publish(self, message: Any) -> None:
        self.told.append(message)


class _View:
    """As much of a live view as is read, counting the looks."""

    def __init__(self, *states: ObjectState) -> None:
        self.states = states
        self.num_looks = 0
        self.furniture = Scene(fixtures=(TABLE,))

    def objects_at(self, _at: Moment | None) -> tuple[ObjectState, ...]:
        return self.states

    def scene(self) -> Scene:
        return self.furniture

    def look_at(self, _camera: str | None, at: Moment) -> CameraLook:
        self.num_looks += 1
        pose = RigidTransform(np.array([0.0, 0.0, 1.5]), UPRIGHT)
        return CameraLook('head', at.epoch, at.stamp_ns, pose)


def tell(topic: MarkerTopic, view: Any, second: float, epoch: int = 0) -> None:
    topic.tell(view, Moment(epoch, round(second * S)))


def test_nothing_is_told_while_nothing_changes() -> None:
    publisher, view = _Publisher(), _View(MUG)
    topic = MarkerTopic(publisher, 'map', S)
    for second in (1, 3, 5):
        tell(topic, view, second)
    assert len(publisher.told) == 1

    view.states = (HIDDEN,)
    tell(topic, view, 7)
    assert len(publisher.told) == 2

    view.furniture = Scene()
    tell(topic, view, 9)
    assert len(publisher.told) == 3


@pytest.mark.parametrize(('listeners', 'expected'), [(1, 10), (0, 1)])
def test_changes_are_told_no_more_often_than_is_set(listeners: int, expected: int) -> None:
    publisher, view = _Publisher(listeners), _View(MUG)
    topic = MarkerTopic(publisher, 'map', S)
    for step in range(100):
        view.states = (replace(MUG, last_seen_ns=step),)
        tell(topic, view, 10 + step * 0.1)

    assert len(publisher.told) == expected


def test_new_epoch_is_told_at_once() -> None:
    publisher, view = _Publisher(), _View(MUG)
    topic = MarkerTopic(publisher, 'map', S)
    tell(topic, view, 10)
    view.states = (replace(MUG, epoch=1),)
    tell(topic, view, 2, epoch=1)

    assert len(publisher.told) == 2


def test_period_of_zero_tells_nothing() -> None:
    publisher = _Publisher()
    topic = MarkerTopic(publisher, 'map', 0)
    tell(topic, _View(MUG), 1)

    assert publisher.told == []


def test_period_may_be_set_anew() -> None:
    publisher, view = _Publisher(), _View(MUG)
    topic = MarkerTopic(publisher, 'map', S)
    topic.use_period(0)
    tell(topic, view, 1)
    assert publisher.told == []

    topic.use_period(S)
    tell(topic, view, 2)
    assert len(publisher.told) == 1


def test_where_the_camera_was_is_looked_up_once() -> None:
    publisher, view = _Publisher(), _View(MUG, HIDDEN, replace(HIDDEN, object_id='cup_2'))
    topic = MarkerTopic(publisher, 'map', S)
    tell(topic, view, 10)
    view.states = (HIDDEN,)
    tell(topic, view, 12)

    assert view.num_looks == 1
    (lines,) = [m for m in publisher.told[0].markers if m.ns == 'last_seen']
    assert len(lines.points) == 4


RVIZ = ROOT / 'config' / 'st_memory.rviz'
FOXGLOVE = ROOT / 'config' / 'foxglove_layout.json'


def test_rviz_shows_the_markers_with_the_right_quality_of_service() -> None:
    shown = yaml.safe_load(RVIZ.read_text(encoding='utf-8'))['Visualization Manager']
    display = next(d for d in shown['Displays'] if d['Name'] == 'Memory')

    assert display['Class'] == 'rviz_default_plugins/MarkerArray'
    assert display['Topic']['Value'] == '/memory_node/markers'
    assert display['Topic']['Durability Policy'] == 'Transient Local'
    assert display['Topic']['Reliability Policy'] == 'Reliable'
    assert shown['Global Options']['Fixed Frame'] == 'map'
    spaces = drawn(MUG, HIDDEN, fixtures=(TABLE,), origins={'cup_1': (0.0, 0.0, 1.5)})
    assert set(display['Namespaces']) == set(spaces) - {''}


def test_foxglove_layout_places_every_panel_once() -> None:
    layout = json.loads(FOXGLOVE.read_text(encoding='utf-8'))

    def leaves(part: Any) -> list[str]:
        return [part] if isinstance(part, str) else leaves(part['first']) + leaves(part['second'])

    assert sorted(leaves(layout['layout'])) == sorted(layout['configById'])
    assert layout['configById']['3D!memory']['topics']['/memory_node/markers']['visible']


def test_configurations_and_document_name_topics_that_there_are() -> None:
    text = FOXGLOVE.read_text(encoding='utf-8') + RVIZ.read_text(encoding='utf-8')
    source = (ROOT / 'st_memory/ros/publications.py').read_text(encoding='utf-8')
    document = (ROOT / 'docs/view.md').read_text(encoding='utf-8')

    for name in ('markers', 'events', 'visibility_changes'):
        assert f'/memory_node/{name}' in text
        assert f"'~/{name}'" in source
    for space in drawn(MUG, HIDDEN, fixtures=(TABLE,), origins={'cup_1': (0, 0, 1.5)}):
        assert f'`{space}`' in document or not space
    for state in Visibility:
        assert state.name.lower().replace('_', ' ') in document
    assert 'config/st_memory.rviz' in document
    assert 'config/foxglove_layout.json' in document


def test_configurations_are_installed() -> None:
    setup = (ROOT / 'setup.py').read_text(encoding='utf-8')

    assert "'*.rviz'" in setup
    assert "'*.json'" in setup

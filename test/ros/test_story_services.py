"""Services about stays, changes, contents, furniture, ways and what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import math
from typing import Any

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import (
    find_item,
    get_itinerary,
    list_changes,
    list_contents,
    nearest_fixture,
    nearest_fixture_to_point,
    predict_interaction,
    Selector,
)
from st_memory.core.records import (
    AnswerStatus,
    BASE_LOOK,
    CameraLook,
    FrameDelta,
    FrameRecord,
    Scene,
    ScenePart,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import S
from test.core.queries.story import make_story
from test.ros.asking import Asker, stamp
from test.ros.conftest import Graph
from test.scenarios.synthetic import looking

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interfaces')

pytestmark = pytest.mark.ros

MUG = Selector(label='mug')


def _with_base(store: InMemoryStore) -> InMemoryStore:
    """One more frame, at 21 s: the base at (0, -2, 0) faces +y, the head at (0, 0, 1.5) +x."""
    turn = np.array([0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4)])
    looks = (
        CameraLook(BASE_LOOK, 0, 21 * S, RigidTransform(np.array([0.0, -2.0, 0.0]), turn)),
        CameraLook('head', 0, 21 * S, looking(0.0, (0.0, 0.0, 1.5))),
    )
    store.commit(FrameDelta(FrameRecord(0, 21 * S, 20, '{}'), looks=looks))
    return store


@pytest.fixture(scope='module')
def story() -> InMemoryStore:
    return _with_base(make_story())


@pytest.fixture(scope='module')
def asker(story: InMemoryStore) -> Iterator[Asker]:
    graph = Graph()
    yield Asker(graph, story)
    graph.close()


def same(response: Any, answer: Any) -> None:
    """What every response has is what the core says."""
    assert response.status == answer.status
    assert response.reason == answer.reason
    assert response.sentence == answer.sentence
    assert list(response.evidence_ids) == list(answer.evidence_ids)
    assert stamp(response.as_of) == answer.at.stamp_ns


# Where it has been.


def test_get_itinerary_gives_the_stays_and_the_times(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('get_itinerary', label='mug')

    same(response, get_itinerary(story, MUG))
    assert [
        (p.fixture_id, stamp(p.start) // S, p.ongoing, p.source) for p in response.placements
    ] == [
        ('table_1', 1, False, 'first_seen'),
        ('drawer_1', 8, False, 'annotation'),
        ('counter_1', 15, True, 'observed'),
    ]
    assert stamp(response.placements[2].end) == 21 * S
    assert response.placements[1].pose.position.x == 4.0
    assert (response.num_moves, response.total) == (2, 3)
    assert stamp(response.static_since.stamp) == 15 * S
    assert stamp(response.first_seen.stamp) == S
    assert {p.frame for p in response.placements} == {'map'}


def test_get_itinerary_pages_from_the_newest(asker: Asker) -> None:
    response = asker.ask('get_itinerary', label='mug', limit=1, offset=1)

    assert [p.fixture_id for p in response.placements] == ['drawer_1']
    assert response.total == 3


def test_get_itinerary_in_the_hand_has_no_rest(asker: Asker) -> None:
    assert not asker.ask('get_itinerary', label='mug', at=6 * S).static_since.valid


# What changed.


def test_list_changes_gives_what_differs(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('list_changes', since=9 * S, at=16 * S)

    same(response, list_changes(story, 9 * S, Moment(0, 16 * S)))
    assert [(c.kind, c.object_id, stamp(c.stamp) // S) for c in response.changes] == [
        ('closed', 'drawer_1', 10),
        ('gone', 'bowl_1', 14),
        ('moved', 'mug_1', 15),
    ]
    moved = response.changes[2]
    assert (moved.from_fixture, moved.to_fixture, moved.label) == ('drawer_1', 'counter_1', 'mug')
    assert moved.text == 'was moved from where it was inside drawer_1 to be at counter_1'


def test_list_changes_of_one_object_and_by_pages(asker: Asker) -> None:
    by_label = asker.ask('list_changes', since=9 * S, at=16 * S, label='mug')
    second = asker.ask('list_changes', since=9 * S, at=16 * S, limit=1, offset=1)

    assert [c.object_id for c in by_label.changes] == ['mug_1']
    assert ([c.object_id for c in second.changes], second.total) == (['bowl_1'], 3)


def test_list_changes_since_a_time_after_the_answer_is_a_status(asker: Asker) -> None:
    response = asker.ask('list_changes', since=16 * S, at=9 * S)

    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith('since: expected a time not after the answer')


# What is inside.


def test_list_contents_gives_what_is_inside(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('list_contents', container_id='drawer_1', at=8 * S)

    same(response, list_contents(story, 'drawer_1', Moment(0, 8 * S)))
    assert [o.object_id for o in response.objects] == ['mug_1', 'spoon_1']
    assert (response.container_id, response.container_label) == ('drawer_1', 'drawer')
    assert response.total == 2


def test_list_contents_by_label_and_by_pages(asker: Asker) -> None:
    by_label = asker.ask('list_contents', label='table', at=2 * S)
    page = asker.ask('list_contents', container_id='drawer_1', at=8 * S, offset=1, limit=1)

    assert [o.object_id for o in by_label.objects] == ['mug_1']
    assert ([o.object_id for o in page.objects], page.total) == (['spoon_1'], 2)


@pytest.mark.parametrize(
    ('fields', 'status', 'reason'),
    [
        ({}, AnswerStatus.UNKNOWN, 'no container was named'),
        ({'label': 'fridge'}, AnswerStatus.NOT_YET_SEEN, 'no fixture or object fridge is known'),
        ({'label': 'drawer'}, AnswerStatus.AMBIGUOUS, '2 fit drawer: drawer_1 and drawer_2'),
    ],
)
def test_list_contents_says_why_it_cannot_be_told(
    fields: dict[str, str], status: AnswerStatus, reason: str, asker: Asker
) -> None:
    response = asker.ask('list_contents', **fields)

    assert response.status == status
    assert response.reason.startswith(reason)


# Furniture.


def test_nearest_fixture_of_an_object(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('nearest_fixture', label='mug', at=9 * S, limit=2)

    same(response, nearest_fixture(story, MUG, Moment(0, 9 * S), limit=2))
    assert (response.fixture.id, response.fixture.label) == ('drawer_1', 'drawer')
    assert (response.inside, response.distance_m) == (True, 0.0)
    assert response.annotated_fixture_id == 'drawer_1'
    assert [f.id for f in response.alternatives] == ['table_1', 'drawer_2']
    assert list(response.alternative_distances_m) == pytest.approx([math.hypot(1.5, 0.5), 3.8])
    assert response.fixture.pose.position.x == 4.0
    assert response.fixture.size.x == pytest.approx(0.4)
    assert response.fixture.frame == 'map'


def test_nearest_fixture_of_a_point_in_the_map_and_in_a_camera_frame(
    asker: Asker, story: InMemoryStore
) -> None:
    from geometry_msgs.msg import Point, PointStamped
    from std_msgs.msg import Header

    point = PointStamped(point=Point(x=2.0, y=0.0, z=1.5))
    response = asker.ask('nearest_fixture', use_point=True, point=point)
    same(response, nearest_fixture_to_point(story, (2.0, 0.0, 1.5)))
    assert (response.fixture.id, response.distance_m) == ('table_1', pytest.approx(0.5))
    assert response.object_id == ''

    # 2 m ahead of the camera that stands at (0, 0, 1.5) and looks along +x: the same place.
    ahead = PointStamped(header=Header(frame_id='head_optical'), point=Point(z=2.0))
    assert asker.ask('nearest_fixture', use_point=True, point=ahead).fixture.id == 'table_1'
    bad = PointStamped(header=Header(frame_id='gripper'), point=Point())
    assert asker.ask('nearest_fixture', use_point=True, point=bad).status == AnswerStatus.NO_POSE


def test_nearest_fixture_of_no_place_is_a_status(asker: Asker) -> None:
    from geometry_msgs.msg import Point, PointStamped

    nowhere = PointStamped(point=Point(x=math.nan))
    response = asker.ask('nearest_fixture', use_point=True, point=nowhere)

    assert response.status == AnswerStatus.UNKNOWN
    assert 'expected finite metres' in response.reason


def test_fixture_with_parts_that_move_says_that_its_state_is_not_known(graph: Graph) -> None:
    store = make_story()
    scene = store.scene()
    door = ScenePart(
        'front', 'drawer_1', 'drawer_link', np.zeros((3, 3)), np.array([[0, 1, 2]], dtype=np.int32)
    )
    store.put_scene(replace(scene, parts=(door,)))
    asker = Asker(graph, store)

    assert not asker.ask('nearest_fixture', label='mug', at=9 * S).fixture.state_known
    assert asker.ask('nearest_fixture', label='mug').fixture.state_known


# Ways.


def test_find_item_leads_from_the_base_to_the_mug(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('find_item', label='mug')

    answer = find_item(story, MUG)
    same(response, answer)
    assert answer.start == 'base'
    assert response.object.object_id == 'mug_1'
    assert (response.route_source, response.reachable) == ('floor_map', True)
    assert response.distance_m == pytest.approx(answer.distance_m)
    assert [s.text for s in response.steps] == [s.text for s in answer.steps]
    last = response.steps[-1].waypoint
    assert last.header.frame_id == 'map'
    assert (last.pose.position.x, last.pose.position.y) == (0.0, 3.0)
    assert stamp(last.header.stamp) == 21 * S


def test_find_item_from_another_frame_and_in_another_frame(asker: Asker) -> None:
    from_camera = asker.ask('find_item', label='mug', start_frame='head_optical')
    from_base = asker.ask('find_item', label='mug', start_frame='base_link', frame='base_link')

    assert from_camera.distance_m < from_base.distance_m
    # The base at (0, -2) faces +y: the mug, at (0, 3), is 5 m ahead of it.
    last = from_base.steps[-1].waypoint
    assert last.header.frame_id == 'base_link'
    assert (last.pose.position.x, last.pose.position.y) == pytest.approx((5.0, 0.0), abs=1e-9)


def test_find_item_from_where_nobody_is_tells_the_place_only(asker: Asker) -> None:
    response = asker.ask('find_item', label='mug', start_frame='wrist')

    assert response.status == AnswerStatus.NO_POSE
    assert (response.object.object_id, len(response.steps)) == ('mug_1', 0)
    assert math.isnan(response.distance_m)
    assert not response.reachable


def test_find_item_without_a_scene_is_straight(graph: Graph) -> None:
    store = _with_base(make_story())
    store.put_scene(Scene())

    response = Asker(graph, store).ask('find_item', label='mug')

    assert (response.route_source, response.distance_m) == ('straight', pytest.approx(5.0))


# What comes next.


def test_predict_interaction_ranks_fixtures(asker: Asker, story: InMemoryStore) -> None:
    response = asker.ask('predict_interaction', actor_frame='head_optical', limit=2)

    answer = predict_interaction(story, 'camera:head', limit=2)
    same(response, answer)
    assert [f.fixture.id for f in response.fixtures] == [
        g.fixture.fixture_id for g in answer.fixtures
    ]
    assert [f.probability for f in response.fixtures] == pytest.approx(
        [g.probability for g in answer.fixtures]
    )
    assert response.fixtures[0].fixture.id == 'table_1'  # it looks along +x
    assert 'looked at' in response.fixtures[0].reason


def test_predict_interaction_takes_a_horizon(asker: Asker) -> None:
    from builtin_interfaces.msg import Duration

    soon = asker.ask('predict_interaction', actor_frame='head_optical', horizon=Duration(sec=1))
    later = asker.ask('predict_interaction', actor_frame='head_optical', horizon=Duration(sec=30))

    assert len(soon.fixtures) < len(later.fixtures)


def test_predict_interaction_of_nobody_is_no_pose(asker: Asker) -> None:
    response = asker.ask('predict_interaction', actor_frame='wrist')

    assert response.status == AnswerStatus.NO_POSE
    assert list(response.fixtures) == []


# From the base.


def test_relative_pose_from_the_base_is_in_its_frame(asker: Asker) -> None:
    response = asker.ask('relative_pose', label='mug', reference='base')

    assert response.header.frame_id == 'base_link'
    assert (response.vector.x, response.vector.y, response.vector.z) == pytest.approx(
        (5.0, 0.0, 1.0), abs=1e-9
    )
    assert response.direction == 'front'
    assert response.azimuth_rad == pytest.approx(0.0, abs=1e-9)
    assert response.elevation_rad == pytest.approx(math.atan2(1.0, 5.0))
    assert response.relation == 'front, above base'


def test_relative_pose_of_two_objects_without_a_viewpoint_is_a_distance(graph: Graph) -> None:
    store = make_story()
    store.commit(
        FrameDelta(FrameRecord(0, 21 * S, 20, '{}'), looks=(CameraLook('cam', 0, 21 * S, None),))
    )
    response = Asker(graph, store).ask('relative_pose', label='mug', reference='spoon_1')

    # From (4, 1, 0.5) to (0, 3, 1).
    assert response.status == AnswerStatus.NO_POSE
    assert response.distance_m == pytest.approx(math.sqrt(16 + 4 + 0.25))
    assert (response.direction, response.header.frame_id) == ('', '')


def test_locate_in_the_base_frame(asker: Asker) -> None:
    mug = asker.ask('locate_object', label='mug', frame='base_link').object

    assert mug.frame == 'base_link'
    assert (mug.pose.position.x, mug.pose.position.y) == pytest.approx((5.0, 0.0), abs=1e-9)


def test_list_objects_inside_a_container(asker: Asker) -> None:
    response = asker.ask('list_objects', container_id='drawer_1')

    assert [o.object_id for o in response.objects] == ['spoon_1']


@pytest.mark.parametrize('field', ['fixture_id', 'container_id'])
def test_list_objects_at_what_nothing_is_called_names_what_there_is(
    asker: Asker, field: str
) -> None:
    response = asker.ask('list_objects', **{field: 'tabel_1'})

    assert (response.status, response.total) == (response.NOT_YET_SEEN, 0)
    assert response.reason.startswith('no fixture or object tabel_1 is known by then; fixtures')

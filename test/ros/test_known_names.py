"""An argument that names nothing known is answered with what could have been named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from st_memory.core.records import AnswerStatus, BASE_LOOK, EditAction
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit
from test.core.queries.story import make_story
from test.ros.asking import Asker
from test.ros.conftest import Graph

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interfaces')

from st_memory.core.errors import ConversionError, EditError
from st_memory.core.memory import MemorySettings
from st_memory.ros.frames import Frames
from st_memory.ros.texts import number_of, one_of
from st_memory.ros.told_requests import edit_of, plan_of

pytestmark = pytest.mark.ros

CAMERAS = 'camera heed has not looked yet; cameras that have are: cam'


@pytest.fixture(scope='module')
def store() -> InMemoryStore:
    """A kitchen that one camera, ``cam``, looked at."""
    made = InMemoryStore()
    make_story(store=made)
    return made


@pytest.fixture(scope='module')
def asker(store: InMemoryStore) -> Iterator[Asker]:
    """Somebody to ask."""
    graph = Graph()
    made = Asker(graph, store)
    made.frames.note('cam', 'cam_optical')
    yield made
    graph.close()


@pytest.mark.parametrize(
    ('name', 'field', 'value'),
    [
        ('get_visibility', 'camera', 'heed'),
        ('get_timeline', 'camera', 'heed'),
        ('when_last_visible', 'camera', 'heed'),
        ('relative_pose', 'reference', 'camera:heed'),
        ('find_item', 'start_frame', 'heed'),
    ],
)
def test_unknown_camera_is_told_with_those_that_looked(
    asker: Asker, name: str, field: str, value: str
) -> None:
    response = asker.ask(name, label='mug', **{field: value})

    assert response.status in (AnswerStatus.UNKNOWN, AnswerStatus.NO_POSE)
    assert response.reason == CAMERAS
    assert CAMERAS in response.sentence


def test_unknown_actor_is_told_with_the_cameras_that_looked(asker: Asker) -> None:
    response = asker.ask('predict_interaction', actor_frame='heed')

    assert (response.status, response.reason) == (AnswerStatus.NO_POSE, CAMERAS)


@pytest.mark.parametrize('name', ['get_visibility', 'get_timeline', 'when_last_visible'])
@pytest.mark.parametrize('camera', ['cam_optical', 'cam_optical_frame', '/cam_optical'])
def test_camera_is_known_by_its_optical_frame_too(asker: Asker, name: str, camera: str) -> None:
    assert asker.ask(name, label='mug', camera=camera) == asker.ask(
        name, label='mug', camera='cam'
    )


def test_optical_frame_is_known_after_a_restart_before_any_camera_info(
    graph: Graph, store: InMemoryStore
) -> None:
    restarted = Asker(graph, store)  # has not heard of any frame of cam

    for name in ('get_visibility', 'get_timeline', 'when_last_visible'):
        response = restarted.ask(name, label='mug', camera='cam_optical_frame')
        assert response == restarted.ask(name, label='mug', camera='cam'), name


@pytest.mark.parametrize(
    ('name', 'fields'),
    [
        ('locate_object', {'label': 'mug'}),
        ('find_item', {'label': 'mug'}),
        ('list_objects', {}),
    ],
)
def test_unknown_frame_is_told_with_those_that_are_known(
    asker: Asker, name: str, fields: dict[str, Any]
) -> None:
    response = asker.ask(name, frame='gripper', **fields)

    assert response.status == AnswerStatus.NO_POSE
    assert 'gripper' in response.reason
    assert '(expected map or cam_optical)' in response.reason


@pytest.mark.parametrize(
    ('name', 'fields'),
    [
        ('nearest_fixture', {'use_point': True}),
        ('list_objects', {'use_region': True, 'radius_m': 1.0}),
    ],
)
def test_unknown_frame_of_a_point_is_told_with_those_that_are_known(
    asker: Asker, name: str, fields: dict[str, Any]
) -> None:
    from geometry_msgs.msg import PointStamped

    place = PointStamped()
    place.header.frame_id = 'gripper'
    where = 'point' if name == 'nearest_fixture' else 'center'
    response = asker.ask(name, **fields, **{where: place})

    assert '(expected map or cam_optical)' in response.reason


def test_frames_of_an_empty_memory_are_the_fixed_one() -> None:
    assert Frames('odom').known(InMemoryStore(), None) == ['odom']


def test_base_frame_is_named_once_it_has_a_pose() -> None:
    store = commit(InMemoryStore(), 1.0, cameras=['head', BASE_LOOK])

    assert Frames('map', 'robot').known(store, None) == ['map', 'robot', 'head']
    assert Frames('map', '').known(store, None) == ['map', 'head']


def test_number_of_no_visibility_is_told_with_all(asker: Asker) -> None:
    response = asker.ask('list_objects', visibilities=[2, 9])

    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith('visibilities: expected 0 (UNKNOWN), 1 (VISIBLE), ')
    assert response.reason.endswith(' or 7 (ABSENT), got 9')


@pytest.mark.parametrize('name', ['fixture_id', 'container_id'])
def test_unknown_furniture_is_told_with_what_is_known(asker: Asker, name: str) -> None:
    response = asker.ask('list_objects', **{name: 'countr_1'})

    assert response.status == AnswerStatus.NOT_YET_SEEN
    assert 'countr_1' in response.reason
    assert 'counter_1' in response.reason


def test_unknown_scheme_is_told_with_all(asker: Asker) -> None:
    response = asker.ask('relative_pose', label='mug', scheme='16')

    assert response.reason.startswith('scheme: expected one of 4, 8, clock, ')
    assert response.reason.endswith("got '16'")


def test_changes_of_an_unknown_object_are_no_answer(asker: Asker) -> None:
    response = asker.ask('list_changes', object_id='mug_77')

    assert (response.status, response.total) == (AnswerStatus.NOT_YET_SEEN, 0)
    assert response.reason.startswith('no mug_77 has been seen by then; known are: bowl, mug')


def test_changes_of_a_known_object_are_its_own(asker: Asker) -> None:
    response = asker.ask('list_changes', object_id='mug_1')

    assert response.status == AnswerStatus.KNOWN
    assert {change.object_id for change in response.changes} == {'mug_1'}


def test_number_of_no_action_is_told_with_all() -> None:
    with pytest.raises(ConversionError) as refused:
        number_of(EditAction, 6, 'action')

    assert str(refused.value) == (
        'action: expected 0 (MARK), 1 (RENAME), 2 (MERGE), 3 (FORGET), 4 (SPLIT) or 5 (RESTORE), '
        'got 6'
    )


def test_requests_of_edit_and_rebase_name_the_field(store: InMemoryStore) -> None:
    from st_memory_interfaces.srv import EditObject, Rebase

    with pytest.raises(ConversionError, match='action: expected 0'):
        edit_of(EditObject.Request(action=77), store, Frames('map'))
    with pytest.raises(ConversionError, match=r'kind: expected 0 \(NEW_ORIGIN\) or 1 \('):
        plan_of(Rebase.Request(kind=9), store, Frames('map'), MemorySettings())


@pytest.mark.parametrize(
    ('cameras', 'expected'),
    [
        (['head', BASE_LOOK], 'base_link or head'),
        ([], 'base_link or a camera: the memory has poses'),
    ],
)
def test_unknown_pose_frame_is_told_with_those_that_have_poses(
    cameras: list[str], expected: str
) -> None:
    from st_memory_interfaces.srv import Rebase

    store = commit(InMemoryStore(), 1.0, cameras=cameras)
    asked = Rebase.Request(kind=Rebase.Request.CORRECTED_TRAJECTORY, pose_frame='gripper')
    from geometry_msgs.msg import PoseStamped

    pose = PoseStamped()
    pose.header.stamp.sec = 1
    asked.trajectory.append(pose)
    with pytest.raises(EditError, match=rf"pose_frame: expected {expected}.*got 'gripper'"):
        plan_of(asked, store, Frames('map'), MemorySettings())


def test_many_names_are_counted() -> None:
    assert one_of([f'eye_{n}' for n in range(20)]).endswith('eye_7 or 12 more')
    assert len(one_of(['é' * 10**6])) < 50
    assert one_of([]) == ''

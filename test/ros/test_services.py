"""The questions as services, asked while the object is out of sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import math
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings
from st_memory.core.queries import locate, Selector
from st_memory.core.records import (
    AnswerStatus,
    CameraLook,
    FrameDelta,
    FrameRecord,
    ObjectState,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.replay import replay
from st_memory.storage import InMemoryStore
from test.ros.asking import Asker, SERVICES, stamp
from test.ros.conftest import Graph
from test.ros.cup_recording import stamp_of, write_cup_recording

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interfaces')

pytestmark = pytest.mark.ros

# Services that need an object to be named.
ABOUT_ONE = sorted(
    set(SERVICES) - {'list_objects', 'list_changes', 'list_contents', 'predict_interaction'}
)
LAST_SEEN_NS = stamp_of(11)
NOW_NS = stamp_of(29)


@pytest.fixture(scope='module')
def store(tmp_path_factory: pytest.TempPathFactory) -> InMemoryStore:
    """The memory of the cup recording."""
    from st_memory.ros.scenes import caster_of

    made = InMemoryStore()
    source = BagFrameSource(write_cup_recording(tmp_path_factory.mktemp('cup') / 'cup.mcap'))
    replay(source, made, MemorySettings(), caster_of(source.scene))
    return made


@pytest.fixture(scope='module')
def asker(store: InMemoryStore) -> Iterator[Asker]:
    """Somebody to ask."""
    graph = Graph()
    yield Asker(graph, store)
    graph.close()


def _crowd(num_objects: int) -> InMemoryStore:
    """A memory of many cups with long names, all out of sight."""
    made = InMemoryStore()
    states = [
        ObjectState(
            f'a_cup_with_quite_a_long_name_{i:04d}',
            'cup',
            0,
            world_p=(float(i), 0.0, 1.0),
            visibility=Visibility.OUT_OF_VIEW,
            cause='behind_camera',
            first_seen_ns=10**9,
            last_seen_ns=10**9 + i,
        )
        for i in range(num_objects)
    ]
    made.commit(
        FrameDelta(FrameRecord(0, 2 * 10**9, 0, '{}'), tuple(TrackRecord(s, '{}') for s in states))
    )
    return made


def test_locate_out_of_sight_gives_the_last_place(asker: Asker) -> None:
    response = asker.ask('locate_object', label='cup')
    cup = response.object
    assert response.status == AnswerStatus.KNOWN
    assert (cup.object_id, cup.frame, cup.pose_valid) == ('cup_1', 'map', True)
    assert (cup.pose.position.x, cup.pose.position.y) == pytest.approx((2.0, 0.0), abs=0.05)
    assert cup.visibility == Visibility.OUT_OF_VIEW
    assert cup.cause == 'behind_camera'
    assert cup.fixture_id == 'table_1'
    assert stamp(cup.last_seen.stamp) == LAST_SEEN_NS
    assert stamp(cup.out_of_sight_for) == NOW_NS - LAST_SEEN_NS
    assert stamp(response.as_of) == NOW_NS


def test_locate_by_id_and_by_text_mean_the_same(asker: Asker) -> None:
    by_id = asker.ask('locate_object', object_id='cup_1')
    by_text = asker.ask('locate_object', text='cup')
    assert by_id.object == by_text.object


def test_locate_as_of_a_time_uses_nothing_later(asker: Asker) -> None:
    response = asker.ask('locate_object', label='cup', at=stamp_of(8))
    assert response.object.visibility == Visibility.VISIBLE
    assert stamp(response.object.last_seen.stamp) == stamp_of(8)
    assert stamp(response.as_of) == stamp_of(8)


def test_locate_in_a_camera_frame_gives_the_pose_there(asker: Asker) -> None:
    response = asker.ask('locate_object', label='cup', frame='head_optical', at=stamp_of(8))
    cup = response.object
    assert cup.frame == 'head_optical'
    assert (cup.pose.position.x, cup.pose.position.z) == pytest.approx((0.0, 2.0), abs=0.05)


def test_locate_in_an_unknown_frame_is_no_pose_with_a_reason(asker: Asker) -> None:
    response = asker.ask('locate_object', label='cup', frame='gripper')
    assert response.status == AnswerStatus.NO_POSE
    assert 'gripper' in response.reason


@pytest.mark.parametrize(
    'name',
    ABOUT_ONE,
)
def test_question_about_an_unknown_object_is_a_status(asker: Asker, name: str) -> None:
    response = asker.ask(name, label='unicorn')
    assert response.status == AnswerStatus.NOT_YET_SEEN
    assert 'unicorn' in response.reason


@pytest.mark.parametrize('name', sorted(SERVICES))
def test_question_to_an_empty_memory_is_unknown(graph: Graph, name: str) -> None:
    named = [*ABOUT_ONE, 'list_contents']
    fields = {'label': 'cup'} if name in named else {}
    response = Asker(graph, InMemoryStore()).ask(name, **fields)
    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason == 'the memory is empty'


@pytest.mark.parametrize('name', ABOUT_ONE)
def test_question_without_an_object_is_unknown(asker: Asker, name: str) -> None:
    response = asker.ask(name)
    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason == 'no object was named'


def test_get_visibility_names_camera_cause_and_since(asker: Asker) -> None:
    response = asker.ask('get_visibility', label='cup', camera='head_optical')
    assert response.visibility == Visibility.OUT_OF_VIEW
    assert (response.camera, response.cause) == ('head_optical', 'behind_camera')
    assert stamp(response.since.stamp) == stamp_of(12)
    assert (response.confirmed, response.confirmed_share) == (False, 0.0)


def test_get_visibility_as_of_a_time_has_the_confirmed_share_up_to_it(asker: Asker) -> None:
    response = asker.ask('get_visibility', label='cup', at=stamp_of(8))
    # Frames 0 to 8 all show the cup; it is matched from the frame on that opened it.
    assert response.visibility == Visibility.VISIBLE
    (row,) = asker.ask('get_timeline', label='cup', at=stamp_of(8)).intervals
    assert row.num_frames == 9 - (stamp(row.start) - stamp_of(0)) // (stamp_of(1) - stamp_of(0))
    assert response.confirmed_share == row.confirmed_fraction == row.num_confirmed / row.num_frames
    assert response.confirmed


def test_get_visibility_of_a_camera_that_never_looked_is_unknown(asker: Asker) -> None:
    response = asker.ask('get_visibility', label='cup', camera='wrist')
    assert response.status == AnswerStatus.UNKNOWN
    assert 'wrist' in response.reason


def test_get_visibility_of_any_camera_is_that_of_the_one_that_sees_it(graph: Graph) -> None:
    made = InMemoryStore()
    sights = {'head': Visibility.VISIBLE, 'wrist': Visibility.OUT_OF_VIEW}
    state = ObjectState(
        'cup_1',
        'cup',
        0,
        world_p=(1.0, 2.0, 3.0),
        visibility=Visibility.VISIBLE,
        last_seen_ns=10**9,
    )
    rows = tuple(
        VisibilityInterval('cup_1', camera, 0, 10**9, None, 10**9, sight, sight)
        for camera, sight in sights.items()
    )
    looks = tuple(CameraLook(name, 0, 10**9, RigidTransform.identity()) for name in sights)
    record = FrameRecord(0, 10**9, 0, '{}')
    made.commit(FrameDelta(record, (TrackRecord(state, '{}'),), intervals=rows, looks=looks))
    asker = Asker(graph, made)
    response = asker.ask('get_visibility', label='cup')
    assert (response.visibility, response.camera) == (Visibility.VISIBLE, 'head_optical')
    assert 'visible' in asker.ask('locate_object', label='cup').sentence
    response = asker.ask('get_visibility', label='cup', camera='wrist')
    assert (response.visibility, response.camera) == (Visibility.OUT_OF_VIEW, 'wrist')


def test_get_timeline_gives_intervals_in_order_that_touch(asker: Asker) -> None:
    response = asker.ask('get_timeline', label='cup')
    first, second = response.intervals
    assert response.object_id == 'cup_1'
    assert (first.state, second.state) == (Visibility.VISIBLE, Visibility.OUT_OF_VIEW)
    assert (first.geometry, second.geometry) == (first.state, second.state)
    assert (first.cause, second.cause) == ('', 'behind_camera')
    assert {first.camera, second.camera} == {'head_optical'}
    assert stamp(first.end) == stamp(second.start) == stamp_of(12)
    assert (first.ongoing, second.ongoing) == (False, True)
    assert stamp(second.end) == NOW_NS
    assert (second.num_frames, second.num_confirmed, second.confirmed_fraction) == (18, 0, 0.0)
    assert response.total == 2


def test_get_timeline_is_cut_to_its_window(asker: Asker) -> None:
    response = asker.ask('get_timeline', label='cup', start=stamp_of(10), end=stamp_of(14))
    first, second = response.intervals
    assert (stamp(first.start), stamp(first.end)) == (stamp_of(10), stamp_of(12))
    assert (stamp(second.start), stamp(second.end)) == (stamp_of(12), stamp_of(14))
    assert (first.num_frames, second.num_frames) == (2, 2)
    assert first.confirmed_fraction == 1.0
    assert not second.ongoing


def test_get_timeline_limit_keeps_the_newest(asker: Asker) -> None:
    response = asker.ask('get_timeline', label='cup', limit=1)
    (row,) = response.intervals
    assert row.state == Visibility.OUT_OF_VIEW
    assert response.total == 2


def test_get_timeline_of_a_window_before_all_is_empty(asker: Asker) -> None:
    response = asker.ask('get_timeline', label='cup', start=1, end=stamp_of(0))
    assert response.status == AnswerStatus.KNOWN
    assert (list(response.intervals), response.total) == ([], 0)


def test_get_timeline_window_that_ends_before_it_starts_is_a_status(asker: Asker) -> None:
    response = asker.ask('get_timeline', label='cup', start=stamp_of(9), end=stamp_of(8))
    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith('window: expected an end after its start')


def test_get_timeline_of_one_camera_leaves_out_the_others(asker: Asker) -> None:
    assert len(asker.ask('get_timeline', label='cup', camera='head_optical').intervals) == 2
    response = asker.ask('get_timeline', label='cup', camera='wrist')
    assert (response.status, len(response.intervals)) == (AnswerStatus.UNKNOWN, 0)


@pytest.mark.parametrize('name', ['get_visibility', 'get_timeline'])
@pytest.mark.parametrize('num_frames', [6, 12, 13, 25])
def test_answer_as_of_a_time_is_that_of_a_memory_stopped_then(
    name: str, num_frames: int, asker: Asker, graph: Graph, tmp_path: Path
) -> None:
    from st_memory.ros.scenes import caster_of

    source = BagFrameSource(write_cup_recording(tmp_path / 'cup.mcap', num_frames))
    stopped = InMemoryStore()
    replay(source, stopped, MemorySettings(), caster_of(source.scene))
    then = asker.ask(name, label='cup', at=stamp_of(num_frames - 1))
    assert then == Asker(graph, stopped).ask(name, label='cup')


def test_get_timeline_of_a_restless_object_stays_small_and_keeps_the_newest(
    graph: Graph,
) -> None:
    made = InMemoryStore()
    state = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 2.0, 3.0), last_seen_ns=10**9)
    num_intervals = 200
    for i in range(num_intervals):
        stamp_ns = (i + 1) * 10**9
        sight = Visibility.VISIBLE if i % 2 else Visibility.OUT_OF_VIEW
        row = VisibilityInterval('cup_1', 'head', 0, stamp_ns, None, stamp_ns, sight, sight)
        rows: tuple[VisibilityInterval, ...] = (row,)
        if i:
            before = Visibility.OUT_OF_VIEW if i % 2 else Visibility.VISIBLE
            start_ns = stamp_ns - 10**9
            rows += (
                VisibilityInterval(
                    'cup_1', 'head', 0, start_ns, stamp_ns, start_ns, before, before
                ),
            )
        look = CameraLook('head', 0, stamp_ns, RigidTransform.identity())
        record = FrameRecord(0, stamp_ns, i, '{}')
        made.commit(FrameDelta(record, (TrackRecord(state, '{}'),), intervals=rows, looks=(look,)))
    response = Asker(graph, made).ask('get_timeline', label='cup')
    assert response.total == num_intervals
    assert 5 <= len(response.intervals) < num_intervals
    starts = [stamp(row.start) for row in response.intervals]
    assert starts == [(num_intervals - len(starts) + i + 1) * 10**9 for i in range(len(starts))]


def test_when_last_visible_gives_stamp_interval_and_pose(asker: Asker) -> None:
    response = asker.ask('when_last_visible', label='cup')
    assert stamp(response.stamp.stamp) == LAST_SEEN_NS
    assert stamp(response.ago) == NOW_NS - LAST_SEEN_NS
    assert response.interval.state == Visibility.VISIBLE
    assert response.interval.camera == 'head_optical'
    assert not response.interval.ongoing
    assert response.pose_valid
    assert response.pose.pose.position.x == pytest.approx(2.0, abs=0.05)


def test_when_last_visible_confirmed_only_counts_detections(asker: Asker) -> None:
    response = asker.ask('when_last_visible', label='cup', confirmed_only=True)
    assert stamp(response.stamp.stamp) == LAST_SEEN_NS


def test_when_last_placed_gives_the_end_of_the_movement(asker: Asker) -> None:
    response = asker.ask('when_last_placed', label='bowl')
    assert response.status == AnswerStatus.KNOWN
    assert stamp(response.stamp.stamp) == stamp_of(5)
    assert response.num_moves == 1


def test_when_last_placed_never_moved_is_unknown(asker: Asker) -> None:
    response = asker.ask('when_last_placed', label='cup')
    assert response.status == AnswerStatus.UNKNOWN
    assert not response.stamp.valid


def test_list_objects_gives_all_by_id(asker: Asker) -> None:
    response = asker.ask('list_objects')
    assert [o.object_id for o in response.objects] == ['bowl_a', 'cup_1']
    assert response.total == 2


def test_list_objects_in_a_region_gives_those_inside(asker: Asker) -> None:
    from geometry_msgs.msg import Point, PointStamped

    def inside(x: float) -> list[str]:
        centre = PointStamped(point=Point(x=x, y=0.0, z=1.0))
        answer = asker.ask('list_objects', use_region=True, center=centre, radius_m=0.5)
        return [o.object_id for o in answer.objects]

    assert inside(2.2) == ['cup_1']
    assert inside(4.0) == []


def test_list_objects_by_visibility_gives_those(asker: Asker) -> None:
    hidden = asker.ask('list_objects', visibilities=[int(Visibility.OUT_OF_VIEW)])
    seen = asker.ask('list_objects', visibilities=[int(Visibility.VISIBLE)])
    assert [o.object_id for o in hidden.objects] == ['cup_1']
    assert seen.total == 0


def test_list_objects_unknown_visibility_is_a_status(asker: Asker) -> None:
    response = asker.ask('list_objects', visibilities=[99])
    assert response.status == AnswerStatus.UNKNOWN
    assert 'visibilities' in response.reason


def test_relative_pose_behind_the_camera(asker: Asker) -> None:
    response = asker.ask('relative_pose', label='cup', scheme='4')
    assert response.header.frame_id == 'head_optical'
    assert stamp(response.header.stamp) == NOW_NS
    assert response.distance_m == pytest.approx(2.0, abs=0.05)
    assert abs(response.azimuth_rad) == pytest.approx(math.pi, abs=0.05)
    assert response.direction.startswith('back')
    assert response.relation.endswith('level with the camera')


def test_relative_pose_unknown_scheme_is_a_status(asker: Asker) -> None:
    response = asker.ask('relative_pose', label='cup', scheme='compass')
    assert response.status == AnswerStatus.UNKNOWN
    assert 'compass' in response.reason


def test_relative_pose_from_the_camera_by_its_optical_frame(asker: Asker) -> None:
    by_frame = asker.ask('relative_pose', label='cup', reference='camera:head_optical')
    assert by_frame == asker.ask('relative_pose', label='cup')


def test_list_objects_of_a_crowd_stays_small_and_pages(graph: Graph) -> None:
    asker = Asker(graph, _crowd(200))
    first = asker.ask('list_objects')
    assert first.total == 200
    assert 1 <= len(first.objects) < 200
    second = asker.ask('list_objects', offset=len(first.objects), limit=2)
    expected = [f'a_cup_with_quite_a_long_name_{len(first.objects) + i:04d}' for i in range(2)]
    assert [o.object_id for o in second.objects] == expected


def test_locate_in_a_crowd_is_ambiguous_and_stays_small(graph: Graph) -> None:
    response = Asker(graph, _crowd(200)).ask('locate_object', label='cup')
    assert response.status == AnswerStatus.AMBIGUOUS
    assert response.object.object_id.endswith('0199')
    assert response.alternatives


def test_question_that_throws_is_answered_and_the_next_too(
    graph: Graph, store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = Asker(graph, store)
    monkeypatch.setattr('st_memory.ros.time_services.write_visibility', lambda *given: 1 / 0)
    response = asker.ask('get_visibility', label='cup')
    assert response.status == AnswerStatus.UNKNOWN
    assert 'ZeroDivisionError' in response.reason
    assert asker.ask('locate_object', label='cup').status == AnswerStatus.KNOWN


def test_locate_at_a_time_of_an_earlier_epoch_answers_from_it(graph: Graph) -> None:
    made = InMemoryStore()
    state = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 2.0, 3.0), last_seen_ns=50 * 10**9)
    for seq, (epoch, seconds) in enumerate([(0, 50), (0, 60), (1, 100), (1, 110)]):
        record = FrameRecord(epoch, seconds * 10**9, seq, '{}')
        tracks = (TrackRecord(state, '{}'),) if seq == 0 else ()
        look = CameraLook('head', epoch, seconds * 10**9, RigidTransform.identity())
        made.commit(FrameDelta(record, tracks, looks=(look,)))
    asker = Asker(graph, made)
    now = asker.ask('locate_object', label='cup')
    assert now.status == AnswerStatus.NO_POSE
    assert 'its place in this map is not known' in now.reason
    response = asker.ask('locate_object', label='cup', at=50_500_000_000)
    assert response.status == AnswerStatus.KNOWN
    assert stamp(response.as_of) == 50 * 10**9


def test_text_in_other_words_is_understood_with_an_encoder(
    graph: Graph, store: InMemoryStore
) -> None:
    from st_memory.vlm.word_encoder import word_encoder

    encoder = word_encoder()
    if encoder is None:
        pytest.skip('needs the extra words')
    response = Asker(graph, store, encoder).ask('locate_object', text='coffee cup')

    assert (response.status, response.object.object_id) == (AnswerStatus.AMBIGUOUS, 'cup_1')
    assert response.sentence.startswith('I know no coffee cup; the closest is the cup.')
    assert response.reason.startswith('coffee cup is taken to mean cup, similarity 0.')
    without = Asker(graph, store).ask('locate_object', text='coffee cup')
    assert without.status == AnswerStatus.NOT_YET_SEEN


def test_answers_are_of_one_moment_while_frames_are_committed(graph: Graph) -> None:
    """A reader taken for one question does not see what is committed meanwhile."""
    made = InMemoryStore()
    asker = Asker(graph, made)
    cup = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), last_seen_ns=10**9)

    def commit(seq: int) -> None:
        state = replace(cup, world_p=(float(seq), 0.0, 0.0), last_seen_ns=seq * 10**9)
        record = FrameRecord(0, seq * 10**9, seq - 1, '{}')
        asker.store.commit(FrameDelta(record, (TrackRecord(state, '{}'),)))

    commit(1)
    view = asker.store.view()
    commit(2)

    assert locate(view, Selector(label='cup')).object.world_p == (1.0, 0.0, 0.0)
    assert asker.ask('locate_object', label='cup').object.pose.position.x == 2.0


def test_questions_have_a_callback_group_of_their_own(graph: Graph) -> None:
    asker = Asker(graph, InMemoryStore())

    groups = {service.callback_group for service in asker.services.services}
    assert len(groups) == 1
    assert asker.node.default_callback_group not in groups


@pytest.mark.parametrize('name', ['cup\udcff', 'cup\0'])
@pytest.mark.parametrize('field', ['object_id', 'label', 'text'])
def test_name_that_is_no_text_is_refused_with_a_reason(
    asker: Asker, field: str, name: str
) -> None:
    """The wire carries no such name; what calls the service within the process may."""
    from st_memory_interfaces.srv import LocateObject

    from st_memory.core.queries import locate, Selector

    def ask(request: Any, response: Any, reader: Any) -> None:
        locate(reader, Selector(**{field: name}))

    response = asker.services._answer(ask, LocateObject.Request(), LocateObject.Response())

    assert response.status == AnswerStatus.UNKNOWN
    assert response.reason.startswith(f'{field}: expected a name, got ')
    assert response.sentence == f'I do not know: {response.reason}.'

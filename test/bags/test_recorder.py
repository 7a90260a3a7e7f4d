"""Tests of the bag recorder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.interfaces import QosDurability

from st_memory.bags import BagRecorder
from st_memory.core.errors import BagError
from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.geometry.perspective import PinholeCamera
from st_memory.core.records import Detection, MovementReport, WorldDetection
from test.contracts.recording_sink import RecordingSinkContract, small_scene

STAMP_NS = 1_500_000_000


def record_everything(path: Path) -> None:
    """Write one message of every kind."""
    with BagRecorder(path) as recorder:
        recorder.write_scene(STAMP_NS, 'map', small_scene())
        recorder.write_transform(STAMP_NS, 'map', 'base', RigidTransform.identity(), static=True)
        pose = RigidTransform(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 1.0, 0.0]))
        recorder.write_transform(STAMP_NS, 'base', 'optical', pose)
        camera = PinholeCamera(4, 3, 5.0, 6.0, 1.5, 1.0)
        recorder.write_camera_info(STAMP_NS, 'head', 'optical', camera)
        recorder.write_color(STAMP_NS, 'head', 'optical', np.full((3, 4, 3), 7, np.uint8))
        depth_m = np.array([[1.2344, np.nan, 0.0, np.inf]] * 3, dtype=np.float32)
        recorder.write_depth(STAMP_NS, 'head', 'optical', depth_m)
        found = Detection(
            'cup',
            0.5,
            track_id='7',
            box_px=(1, 2, 3, 4),
            camera_p=(0.0, 0.0, 1.0),
            camera_quat_xyzw=(0.6, 0.0, 0.0, 0.8),
            embedding=(0.5, 0.25),
        )
        recorder.write_detections(STAMP_NS, 'head', 'optical', [found], source='yolo')
        recorder.write_world_detections(
            STAMP_NS,
            'map',
            [
                WorldDetection(
                    'cup',
                    1.0,
                    (1.0, 2.0, 3.0),
                    quat_xyzw=(0.0, 0.6, 0.0, 0.8),
                    source='annotation',
                ),
                WorldDetection('pan', 1.0, (4.0, 5.0, 6.0), source='annotation_lookahead'),
            ],
        )
        recorder.write_movement(STAMP_NS, MovementReport('cup_1', 'cup', 9, actor='ann'))
        recorder.write_joints(STAMP_NS, {'b': 2.0, 'a': 1.0})


def read_all(path: Path) -> dict[str, list[Any]]:
    """Read every message by topic, with the library alone."""
    out: dict[str, list[Any]] = {}
    with AnyReader([path]) as reader:
        for connection, log_ns, raw in reader.messages():
            assert log_ns == STAMP_NS
            message = reader.deserialize(raw, connection.msgtype)
            out.setdefault(connection.topic, []).append(message)
    return out


@pytest.fixture(scope='module')
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Give the messages of one recording of everything."""
    path = tmp_path_factory.mktemp('recorder') / 'all.mcap'
    record_everything(path)
    return read_all(path)


class TestRecordingSinkContract(RecordingSinkContract):
    """The recorder obeys the rules of the port."""

    @pytest.fixture(autouse=True)
    def _abort_after(self) -> Iterator[None]:
        self.recorders: list[BagRecorder] = []
        yield
        for recorder in self.recorders:
            recorder.abort()

    def make_sink(self, tmp_path: Any) -> BagRecorder:
        """Give a recorder that is thrown away after the test."""
        self.recorders.append(BagRecorder(tmp_path / 'contract.mcap'))
        return self.recorders[-1]

    def make_camera(self) -> CameraModel:
        """Give a small pinhole camera."""
        return PinholeCamera(4, 3, 5.0, 5.0, 1.5, 1.0)


def test_recorder_writes_the_topics_of_the_contract(recorded: dict[str, list[Any]]) -> None:
    assert {topic: len(messages) for topic, messages in recorded.items()} == {
        '/scene': 1,
        '/tf_static': 1,
        '/tf': 1,
        '/head/camera_info': 1,
        '/head/image/compressed': 1,
        '/head/depth/compressedDepth': 1,
        '/head/detections': 1,
        '/world_detections': 2,
        '/movements': 1,
        '/joint_states': 1,
    }


def test_write_transform_keeps_frames_and_pose(recorded: dict[str, list[Any]]) -> None:
    (stamped,) = recorded['/tf'][0].transforms
    move, turn = stamped.transform.translation, stamped.transform.rotation

    assert (stamped.header.frame_id, stamped.child_frame_id) == ('base', 'optical')
    assert (stamped.header.stamp.sec, stamped.header.stamp.nanosec) == (1, 500_000_000)
    assert (move.x, move.y, move.z) == (1.0, 2.0, 3.0)
    assert (turn.x, turn.y, turn.z, turn.w) == (0.0, 0.0, 1.0, 0.0)


def test_write_camera_info_puts_the_matrix_in_k_and_p(recorded: dict[str, list[Any]]) -> None:
    info = recorded['/head/camera_info'][0]

    assert (info.width, info.height, info.distortion_model) == (4, 3, 'plumb_bob')
    assert info.k.tolist() == [5.0, 0.0, 1.5, 0.0, 6.0, 1.0, 0.0, 0.0, 1.0]
    assert info.p.tolist() == [5.0, 0.0, 1.5, 0.0, 0.0, 6.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]


def test_write_depth_has_the_transport_format_and_header(recorded: dict[str, list[Any]]) -> None:
    message = recorded['/head/depth/compressedDepth'][0]

    assert message.format == '16UC1; compressedDepth png'
    assert bytes(message.data[:16]) == bytes(12) + b'\x89PNG'


def test_write_color_is_a_jpeg_file(recorded: dict[str, list[Any]]) -> None:
    message = recorded['/head/image/compressed'][0]

    assert (message.format, bytes(message.data[:2])) == ('jpeg', b'\xff\xd8')


def attitude(detection: Any) -> tuple[float, ...]:
    """Give the quaternion of a detection's pose."""
    q = detection.pose.orientation
    return (q.x, q.y, q.z, q.w)


def test_write_detections_keeps_every_field(recorded: dict[str, list[Any]]) -> None:
    message = recorded['/head/detections'][0]
    (found,) = message.detections
    assert attitude(found) == (0.6, 0.0, 0.0, 0.8)

    assert (message.source, message.header.frame_id) == ('yolo', 'optical')
    assert (found.id, found.label, found.score, found.has_pose) == ('7', 'cup', 0.5, True)
    assert (found.x, found.y, found.width, found.height) == (1.0, 2.0, 3.0, 4.0)
    assert found.embedding.tolist() == [0.5, 0.25]


def test_write_world_detections_gives_each_source_its_message(
    recorded: dict[str, list[Any]],
) -> None:
    first, second = recorded['/world_detections']

    assert (first.source, second.source) == ('annotation', 'annotation_lookahead')
    assert first.header.frame_id == 'map'
    assert second.detections[0].pose.position.z == 6.0
    assert attitude(first.detections[0]) == (0.0, 0.6, 0.0, 0.8)
    assert attitude(second.detections[0]) == (0.0, 0.0, 0.0, 1.0)


def test_write_movement_that_lasts_leaves_the_end_unset(recorded: dict[str, list[Any]]) -> None:
    (event,) = recorded['/movements'][0].events

    assert (event.event_type, event.ongoing, event.end.sec, event.end.nanosec) == (
        'movement',
        True,
        0,
        0,
    )
    assert [(r.role, r.object_id) for r in event.roles] == [('object', 'cup_1'), ('actor', 'ann')]


def test_write_joints_orders_joints_by_name(recorded: dict[str, list[Any]]) -> None:
    message = recorded['/joint_states'][0]

    assert (message.name, message.position.tolist()) == (['a', 'b'], [1.0, 2.0])


def test_recorder_same_content_gives_same_bytes_under_any_name(tmp_path: Path) -> None:
    record_everything(tmp_path / 'first.mcap')
    record_everything(tmp_path / 'second.mcap')

    assert (tmp_path / 'first.mcap').read_bytes() == (tmp_path / 'second.mcap').read_bytes()


def test_recorder_static_topics_are_latched(tmp_path: Path) -> None:
    record_everything(tmp_path / 'all.mcap')

    with AnyReader([tmp_path / 'all.mcap']) as reader:
        latched = {
            c.topic
            for c in reader.connections
            if c.ext.offered_qos_profiles[0].durability == QosDurability.TRANSIENT_LOCAL  # type: ignore[union-attr]
        }

    assert latched == {'/scene', '/tf_static'}


def test_recorder_shows_nothing_before_close(tmp_path: Path) -> None:
    recorder = BagRecorder(tmp_path / 'later.mcap')
    recorder.write_joints(STAMP_NS, {'a': 1.0})

    assert not (tmp_path / 'later.mcap').exists()
    recorder.close()
    assert [p.name for p in tmp_path.iterdir()] == ['later.mcap']


def test_recorder_after_an_exception_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match='stop'), BagRecorder(tmp_path / 'half.mcap') as half:
        half.write_joints(STAMP_NS, {'a': 1.0})
        raise RuntimeError('stop')

    assert list(tmp_path.iterdir()) == []


def test_recorder_refuses_an_existing_file(tmp_path: Path) -> None:
    (tmp_path / 'there.mcap').write_bytes(b'precious')

    with pytest.raises(BagError, match='exists already'):
        BagRecorder(tmp_path / 'there.mcap')

    assert (tmp_path / 'there.mcap').read_bytes() == b'precious'


def test_recorder_overwrite_keeps_the_old_file_until_close(tmp_path: Path) -> None:
    path = tmp_path / 'there.mcap'
    path.write_bytes(b'old')

    recorder = BagRecorder(path, overwrite=True)
    recorder.write_joints(STAMP_NS, {'a': 1.0})
    before = path.read_bytes()
    recorder.close()

    assert before == b'old'
    assert path.read_bytes().startswith(b'\x89MCAP')


def test_recorder_without_a_message_raises_and_writes_no_file(tmp_path: Path) -> None:
    with pytest.raises(BagError, match='nothing was recorded'), BagRecorder(tmp_path / 'e.mcap'):
        pass

    assert list(tmp_path.iterdir()) == []


def test_recorder_other_suffix_raises(tmp_path: Path) -> None:
    with pytest.raises(BagError, match=r'ends in \.mcap'):
        BagRecorder(tmp_path / 'bag.db3')


def test_recorder_folder_that_is_a_file_raises(tmp_path: Path) -> None:
    (tmp_path / 'file').write_bytes(b'')

    with pytest.raises(BagError, match='cannot be written'):
        BagRecorder(tmp_path / 'file' / 'bag.mcap')


def test_recorder_write_after_close_raises(tmp_path: Path) -> None:
    recorder = BagRecorder(tmp_path / 'bag.mcap')
    recorder.write_joints(STAMP_NS, {'a': 1.0})
    recorder.close()

    with pytest.raises(ValueError, match='closed'):
        recorder.write_joints(STAMP_NS, {'a': 1.0})


def test_write_color_encoded_unknown_format_raises(tmp_path: Path) -> None:
    recorder = BagRecorder(tmp_path / 'b.mcap')

    with pytest.raises(ValueError, match='jpeg'):
        recorder.write_color_encoded(STAMP_NS, 'head', 'o', b'', 'webp')

    recorder.abort()


def test_recorder_transforms_of_one_stamp_share_a_message(tmp_path: Path) -> None:
    path = tmp_path / 'tf.mcap'
    with BagRecorder(path) as recorder:
        for child in ('base', 'head', 'door'):
            recorder.write_transform(5, 'map', child, RigidTransform.identity())
        recorder.write_transform(6, 'map', 'base', RigidTransform.identity())
        recorder.write_joints(6, {'door': 0.5})
        recorder.write_transform(6, 'map', 'head', RigidTransform.identity())

    with AnyReader([path]) as reader:
        chosen = [c for c in reader.connections if c.topic == '/tf']
        sizes = [
            len(reader.deserialize(raw, c.msgtype).transforms)
            for c, _, raw in reader.messages(chosen)
        ]

    assert sizes == [3, 1, 1]


def test_recorder_says_where_it_goes_and_how_much_it_has(tmp_path: Path) -> None:
    recorder = BagRecorder(tmp_path / 'b.mcap')
    recorder.write_transform(STAMP_NS, 'map', 'a', RigidTransform.identity())
    recorder.write_joints(STAMP_NS, {'a': 1.0})

    assert (recorder.path, recorder.num_messages) == (tmp_path / 'b.mcap', 2)
    recorder.abort()


def test_recorder_abort_leaves_nothing_and_can_be_repeated(tmp_path: Path) -> None:
    recorder = BagRecorder(tmp_path / 'b.mcap')
    recorder.write_joints(STAMP_NS, {'a': 1.0})

    recorder.abort()
    recorder.abort()
    recorder.close()

    assert list(tmp_path.iterdir()) == []

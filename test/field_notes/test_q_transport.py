"""Transport and bags: the rows Q1 to Q16 that a recording can show; live ones are in test/ros."""

from __future__ import annotations

import ast
import json
from pathlib import Path
import shutil
from typing import Any

import pytest
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import get_types_from_msg, get_typestore, Stores
import yaml

from st_memory.bags import open_bag
from st_memory.bags.reader import offered_qos
from st_memory.core.errors import BagError
from test.bags.bag_files import ros1_bag, rosbag2_folder, tf_at, TF_TYPE, walk_bag
from test.cli.conftest import cli, RunCli
from test.field_notes.recordings import frames_of, MS, recording, S, T0

__all__ = ['cli']

ROOT = Path(__file__).resolve().parents[2] / 'st_memory'
STAMPS = [S, 2 * S, 3 * S]
# A row and what rosbag2 of Humble reads of it (rosbag2_storage, yaml.hpp, up to version 5).
HUMBLE_FIELDS: dict[str, Any] = {
    'version': int,
    'storage_identifier': str,
    'duration': {'nanoseconds': int},
    'starting_time': {'nanoseconds_since_epoch': int},
    'message_count': int,
    'topics_with_message_count': [
        {
            'topic_metadata': {
                'name': str,
                'type': str,
                'serialization_format': str,
                'offered_qos_profiles': str,
            },
            'message_count': int,
        }
    ],
    'compression_format': str,
    'compression_mode': str,
    'relative_file_paths': [str],
    'files': [
        {
            'path': str,
            'starting_time': {'nanoseconds_since_epoch': int},
            'duration': {'nanoseconds': int},
            'message_count': int,
        }
    ],
}
DETECTION_V3 = """\
std_msgs/Header header
vision_msgs/Detection2D[] detections
===
MSG: vision_msgs/Detection2D
std_msgs/Header header
vision_msgs/ObjectHypothesisWithPose[] results
vision_msgs/BoundingBox2D bbox
bool is_tracking
string tracking_id
===
MSG: vision_msgs/ObjectHypothesisWithPose
string id
float64 score
===
MSG: vision_msgs/BoundingBox2D
geometry_msgs/Pose2D center
float64 size_x
float64 size_y
"""
DETECTION_V4 = """\
std_msgs/Header header
vision_msgs/Detection2D[] detections
===
MSG: vision_msgs/Detection2D
std_msgs/Header header
vision_msgs/ObjectHypothesisWithPose[] results
vision_msgs/BoundingBox2D bbox
string id
===
MSG: vision_msgs/ObjectHypothesisWithPose
vision_msgs/ObjectHypothesis hypothesis
===
MSG: vision_msgs/ObjectHypothesis
string class_id
float64 score
===
MSG: vision_msgs/BoundingBox2D
vision_msgs/Pose2D center
float64 size_x
float64 size_y
===
MSG: vision_msgs/Pose2D
vision_msgs/Point2D position
float64 theta
===
MSG: vision_msgs/Point2D
float64 x
float64 y
"""


def embedded_metadata(path: Path) -> dict[str, Any]:
    """Read the metadata of rosbag2 that an MCAP file carries."""
    data = path.read_bytes()
    at = data.index(b'serialized_metadata') + len(b'serialized_metadata')
    length = int.from_bytes(data[at : at + 4], 'little')
    content: dict[str, Any] = yaml.safe_load(data[at + 4 : at + 4 + length])
    return content


def check_schema(content: Any, schema: Any, where: str = '') -> None:
    """Hold content against nested types."""
    if isinstance(schema, dict):
        for name, inner in schema.items():
            assert name in content, f'{where}.{name}'
            check_schema(content[name], inner, f'{where}.{name}')
    elif isinstance(schema, list):
        assert isinstance(content, list), where
        for item in content:
            check_schema(item, schema[0], f'{where}[]')
    else:
        assert type(content) is schema, f'{where}: {content!r}'


def test_q2_pairs_within_the_slop_and_what_lies_beyond_is_counted(tmp_path: Path) -> None:
    """Depth is 20 ms after colour and detections."""
    with recording(tmp_path / 'apart.mcap') as taker:
        for i in range(10):
            stamp_ns = T0 + i * 100 * MS
            taker.tf(stamp_ns)
            taker.info(stamp_ns)
            taker.found(stamp_ns)
            taker.depth(stamp_ns + 20 * MS)
        taker.tf(T0 + S)

    paired, counters = frames_of(tmp_path / 'apart.mcap', slop_ns=25 * MS)
    apart, lost = frames_of(tmp_path / 'apart.mcap', slop_ns=15 * MS)

    assert [f.cameras[0].depth_m is not None for f in paired] == [True] * 10
    assert 'missing_depth' not in counters
    assert len(apart) == 20
    assert (lost['missing_depth'], lost['missing_detections']) == (10, 10)


def test_q4_doctor_of_a_bag_says_in_one_go_whether_it_can_be_remembered(
    tmp_path: Path, cli: RunCli
) -> None:
    with recording(tmp_path / 'blind.mcap') as taker:
        taker.tf(T0)
        taker.depth(T0)

    result = cli('doctor', tmp_path / 'blind.mcap', '--json')

    content = json.loads(result.out)
    assert set(content) >= {'path', 'topics', 'tf', 'cameras', 'verdict', 'missing'}
    assert all(set(t) >= {'name', 'type', 'count', 'rate_hz'} for t in content['topics'])
    assert (result.code, content['verdict']) == (3, 'unusable')
    assert 'no /head/camera_info: its images have no intrinsics' in content['missing']
    assert content['tf']['tree'] == ['map', '└─ optical (1 transforms)']


def test_q6_bag_holds_every_message_that_was_written(tmp_path: Path) -> None:
    with recording(tmp_path / 'many.mcap') as taker:
        for i in range(500):
            taker.look(T0 + i * MS)

    with open_bag(tmp_path / 'many.mcap') as reader:
        counts = {name: topic.num_messages for name, topic in reader.topics.items()}
        assert reader.num_messages == sum(1 for _ in reader.messages()) == 2000
    assert set(counts.values()) == {500}


def test_q7_writer_that_dies_leaves_nothing_half_done(tmp_path: Path) -> None:
    def die() -> None:
        with recording(tmp_path / 'died.mcap') as taker:
            taker.look(T0)
            raise RuntimeError('killed')

    with pytest.raises(RuntimeError, match='killed'):
        die()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('suffix', ['.mcap', '.bag', '.db3'])
def test_q7_bag_that_was_cut_off_is_one_line_of_the_command(
    tmp_path: Path, cli: RunCli, suffix: str
) -> None:
    if suffix == '.mcap':
        whole = walk_bag(tmp_path, 'whole.mcap', num_steps=50)
    elif suffix == '.bag':
        whole = ros1_bag(tmp_path / 'whole.bag', STAMPS)
    else:
        whole = rosbag2_folder(tmp_path / 'whole', STAMPS) / 'whole.db3'
    data = whole.read_bytes()
    cut = tmp_path / f'cut{suffix}'
    cut.write_bytes(data[: len(data) // 2])

    result = cli('doctor', cut)

    assert result.code == 1
    assert 'cut off' in result.err
    assert result.err.count('\n') == 1


def test_q8_written_bag_has_the_metadata_that_humble_reads(tmp_path: Path) -> None:
    check_schema(embedded_metadata(walk_bag(tmp_path)), HUMBLE_FIELDS)


def test_q9_static_transforms_are_latched_after_a_round_trip(tmp_path: Path) -> None:
    path = walk_bag(tmp_path)
    topics = embedded_metadata(path)['topics_with_message_count']
    profiles = {
        t['topic_metadata']['name']: yaml.safe_load(t['topic_metadata']['offered_qos_profiles'])
        for t in topics
    }

    assert (
        profiles['/tf_static'][0]['durability'] == 1
    )  # RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL
    assert profiles['/tf'][0]['durability'] == 2
    with open_bag(path) as reader:
        by_topic = {c.topic: offered_qos(c)[0].durability.name for c in reader.connections}
    assert (by_topic['/tf_static'], by_topic['/tf']) == ('TRANSIENT_LOCAL', 'VOLATILE')


def test_q10_bag_carries_standard_messages_and_the_text_of_our_own(tmp_path: Path) -> None:
    with open_bag(walk_bag(tmp_path)) as reader:
        for connection in reader.connections:
            package = connection.msgtype.split('/')[0]
            known = {'sensor_msgs', 'tf2_msgs', 'visualization_msgs', 'st_memory_interfaces'}
            assert package in known
            assert connection.msgdef.data, connection.topic


def test_q12_no_service_and_no_answer_carries_an_image() -> None:
    folder = ROOT.parent / 'st_memory_interfaces'
    texts = {f.name: f.read_text(encoding='utf-8') for f in folder.glob('[sm][rs][vg]/*.[sm]??')}

    assert len(texts) > 20
    for name, text in texts.items():
        assert 'Image' not in text, name
        assert 'uint8[] data' not in text, name


def test_q15_detections_of_both_layouts_of_vision_msgs_are_read_from_bags(
    tmp_path: Path,
) -> None:
    kind = 'vision_msgs/msg/Detection2DArray'
    for name, text in (('v3', DETECTION_V3), ('v4', DETECTION_V4)):
        with recording(tmp_path / 'rest.mcap') as taker:
            taker.tf(T0)
            taker.info(T0)
        store = get_typestore(Stores.ROS2_HUMBLE)
        store.register(get_types_from_msg(text.replace('===', '=' * 80), kind))
        message = _vision_message(store.types, name)
        with (
            open_bag(tmp_path / 'rest.mcap') as rest,
            Writer(tmp_path / name, version=8, storage_plugin=StoragePlugin.MCAP) as writer,
        ):
            for old in rest.messages():
                new = writer.add_connection(old.topic, old.type_name, typestore=store)
                writer.write(new, old.log_ns, old.raw)
            found = writer.add_connection('/head/detections', kind, typestore=store)
            writer.write(found, T0, store.serialize_cdr(message, kind))
        (tmp_path / 'rest.mcap').unlink()

        (frame,), counters = frames_of(tmp_path / name)

        assert frame.cameras[0].detections is not None
        (cup,) = frame.cameras[0].detections
        assert (cup.label, cup.score, cup.track_id) == ('cup', 0.75, 'seven')
        assert cup.box_px == (1.0, 2.0, 4.0, 2.0)
        assert counters == {}


def _vision_message(types: Any, name: str) -> Any:
    time = types['builtin_interfaces/msg/Time'](sec=T0 // S, nanosec=0)
    header = types['std_msgs/msg/Header'](stamp=time, frame_id='optical')
    if name == 'v3':
        centre = types['geometry_msgs/msg/Pose2D'](x=3.0, y=3.0, theta=0.0)
        result = types['vision_msgs/msg/ObjectHypothesisWithPose'](id='cup', score=0.75)
        identity = {'is_tracking': True, 'tracking_id': 'seven'}
    else:
        point = types['vision_msgs/msg/Point2D'](x=3.0, y=3.0)
        centre = types['vision_msgs/msg/Pose2D'](position=point, theta=0.0)
        hypothesis = types['vision_msgs/msg/ObjectHypothesis'](class_id='cup', score=0.75)
        result = types['vision_msgs/msg/ObjectHypothesisWithPose'](hypothesis=hypothesis)
        identity = {'id': 'seven'}
    box = types['vision_msgs/msg/BoundingBox2D'](center=centre, size_x=4.0, size_y=2.0)
    item = types['vision_msgs/msg/Detection2D'](
        header=header, results=[result], bbox=box, **identity
    )
    return types['vision_msgs/msg/Detection2DArray'](header=header, detections=[item])


def test_q16_no_image_goes_through_cv_bridge() -> None:
    for file in ROOT.rglob('*.py'):
        tree = ast.parse(file.read_text(encoding='utf-8'))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or '' for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not any(name.startswith('cv_bridge') for name in names), file


@pytest.mark.parametrize('storage', list(StoragePlugin), ids=lambda s: s.name)
@pytest.mark.parametrize('mode', list(CompressionMode), ids=lambda m: m.name)
def test_bag_of_any_storage_and_compression_is_read(
    tmp_path: Path, storage: StoragePlugin, mode: CompressionMode
) -> None:
    if mode is CompressionMode.STORAGE and storage is not StoragePlugin.MCAP:
        pytest.skip('only MCAP compresses its own chunks')
    from st_memory.bags.msgtypes import standard_typestore

    store = standard_typestore()
    writer = Writer(tmp_path / 'bag', version=8, storage_plugin=storage)
    if mode is not CompressionMode.NONE:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        connection = writer.add_connection('/tf', TF_TYPE, typestore=store)
        for stamp_ns in STAMPS:
            writer.write(connection, stamp_ns, store.serialize_cdr(tf_at(stamp_ns), TF_TYPE))

    with open_bag(tmp_path / 'bag') as reader:
        assert [m.log_ns for m in reader.messages()] == STAMPS
        assert all(m.read().transforms[0].child_frame_id == 'base' for m in reader.messages())


def test_split_bag_without_metadata_is_read_as_one(tmp_path: Path) -> None:
    folder = tmp_path / 'split'
    folder.mkdir()
    for i, stamp_ns in enumerate(STAMPS):
        part = rosbag2_folder(tmp_path / f'part{i}', [stamp_ns], StoragePlugin.MCAP)
        shutil.copy(part / f'part{i}.mcap', folder / f'split_{i}.mcap')

    with open_bag(folder) as reader:
        assert [m.log_ns for m in reader.messages()] == STAMPS


SHARED = [
    ('ros1_evo_tf/tf_example.bag', 3),
    ('ros1_multi_connection/test_bag_multiple_connections.bag', 3),
    ('ros1_tilt_laser/tilt_laser.bag', 3),
    ('ros2_all_types/test_bag_mcap', 3),
    ('ros2_all_types/test_bag_sqlite3', 3),
    ('ros2_nav2_turtlebot_mcap/nav2_turtlebot.mcap', 3),
    ('ros2_plotjuggler_db3', 3),
    ('ros2_rosbag2_split/mcap/reindex_test_bags/multiple_files', 3),
    ('ros2_rosbag2_split/mcap/wbag', 3),
    ('ros2_rosbag2_split/sqlite3/reindex_test_bags/multiple_files', 3),
    ('ros2_tf_db3', 3),
    ('mcap_lichtblick_camera/custom-camera-model.mcap', 1),
]


@pytest.mark.data
@pytest.mark.parametrize(('name', 'code'), SHARED)
def test_doctor_of_every_public_bag_gives_a_verdict_or_one_line(
    shared_data: Path, tmp_path: Path, cli: RunCli, name: str, code: int
) -> None:
    """No public bag at hand has depth, detections and poses: none can be remembered as it is."""
    source = shared_data / 'bags' / name
    copy = tmp_path / source.name
    if source.is_dir():
        shutil.copytree(source, copy, copy_function=shutil.copyfile)
        copy.chmod(0o755)
    else:
        shutil.copyfile(source, copy)

    result = cli('doctor', copy, '--json')

    assert result.code == code, result.err
    if code == 1:
        assert 'its MCAP profile is not ros2' in result.err
        assert result.err.count('\n') == 1
        return
    content = json.loads(result.out)
    with open_bag(copy) as reader:
        counts = {n: t.num_messages for n, t in reader.topics.items()}
    assert {t['name']: t['count'] for t in content['topics']} == counts
    assert content['verdict'] == 'unusable'
    assert content['missing']
    frames = set(content['tf']['frames'])
    drawn = {line.lstrip('│└├─ ').split(' (')[0] for line in content['tf']['tree']}
    assert drawn == frames


def test_what_is_no_bag_is_one_line(tmp_path: Path) -> None:
    (tmp_path / 'notes.txt').write_text('no bag')

    with pytest.raises(BagError, match=r'not a bag: expected \.mcap, \.db3, \.bag'):
        open_bag(tmp_path / 'notes.txt')

"""Every recording of other people opens, or says in one line why not."""

from __future__ import annotations

from pathlib import Path
import shutil

import pytest

from st_memory.bags import BagFrameSource, BagMessage, BagRecorder, copy_bag_with, open_bag, survey
from st_memory.core.errors import BagError

pytestmark = pytest.mark.data

# Folder or file, and how many messages it holds.
READABLE = [
    ('ros1_evo_tf/tf_example.bag', 518),
    ('ros1_multi_connection/test_bag_multiple_connections.bag', 6),
    ('ros1_tilt_laser/tilt_laser.bag', 4093),
    ('ros2_all_types/test_bag_mcap', 188),
    ('ros2_all_types/test_bag_mcap/test_bag_mcap.mcap', 188),
    ('ros2_all_types/test_bag_sqlite3', 188),
    ('ros2_all_types/test_bag_sqlite3/test_bag_sqlite3.db3', 188),
    ('ros2_nav2_turtlebot_mcap/nav2_turtlebot.mcap', 8197),
    ('ros2_plotjuggler_db3', 4695),
    ('ros2_plotjuggler_db3/rosbag2_test_0.db3', 4695),
    ('ros2_rosbag2_split/mcap/reindex_test_bags/multiple_files', 3177),
    ('ros2_rosbag2_split/mcap/wbag', 6074),
    ('ros2_rosbag2_split/mcap/wbag/wbag_3.mcap', None),
    ('ros2_rosbag2_split/sqlite3/reindex_test_bags/multiple_files', 3177),
    ('ros2_tf_db3', 518),
]


@pytest.fixture(scope='module')
def copied(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the recordings, as a user would have them; tests leave it as it is."""
    target = tmp_path_factory.mktemp('foreign') / 'bags'
    return Path(shutil.copytree(shared_data / 'bags', target, copy_function=shutil.copyfile))


@pytest.mark.parametrize(('name', 'count'), READABLE)
def test_open_bag_foreign_recording_reads_every_message(
    copied: Path, name: str, count: int | None
) -> None:
    with open_bag(copied / name) as reader:
        contents = [message.read() for message in reader.messages()]
        expected = reader.num_messages if count is None else count

    assert len(contents) == expected


def test_open_bag_foxglove_recording_says_that_its_profile_is_not_ros2(copied: Path) -> None:
    with pytest.raises(BagError, match='its MCAP profile is not ros2'):
        open_bag(copied / 'mcap_lichtblick_camera' / 'custom-camera-model.mcap')


@pytest.mark.parametrize('name', [name for name, _ in READABLE])
def test_frames_of_foreign_recording_do_not_fail(copied: Path, name: str) -> None:
    source = BagFrameSource(copied / name)

    moments = [(frame.epoch, frame.stamp_ns) for frame in source.frames()]

    assert moments == sorted(set(moments))


def test_frames_of_all_types_have_the_synthetic_cameras(copied: Path) -> None:
    source = BagFrameSource(copied / 'ros2_all_types' / 'test_bag_mcap')

    assert len(list(source.frames())) == 4
    assert source.counters() == {'missing_pose': 4}


def test_survey_of_the_same_data_in_ros1_and_ros2_agrees(copied: Path) -> None:
    first = survey(copied / 'ros1_evo_tf' / 'tf_example.bag')
    second = survey(copied / 'ros2_tf_db3')

    counts = [{t.topic: t.num_messages for t in s.topics} for s in (first, second)]
    assert counts[0] == counts[1] == {'/tf': 517, '/tf_static': 1}


@pytest.mark.parametrize(
    'name',
    ['ros2_all_types/test_bag_sqlite3', 'ros2_plotjuggler_db3', 'ros2_rosbag2_split/mcap/wbag'],
)
def test_copy_bag_with_of_foreign_recording_keeps_every_byte(
    copied: Path, tmp_path: Path, name: str
) -> None:
    def nothing(message: BagMessage, recorder: BagRecorder) -> None:
        """Add nothing."""

    copy_bag_with(copied / name, tmp_path / 'copy.mcap', nothing)

    with open_bag(copied / name) as before, open_bag(tmp_path / 'copy.mcap') as after:
        old = sorted((m.log_ns, m.topic, bytes(m.raw)) for m in before.messages())
        new = sorted((m.log_ns, m.topic, bytes(m.raw)) for m in after.messages())
    assert old == new


@pytest.mark.parametrize(
    'name',
    [
        'ros1_tilt_laser/tilt_laser.bag',
        'ros2_nav2_turtlebot_mcap/nav2_turtlebot.mcap',
        'ros2_plotjuggler_db3/rosbag2_test_0.db3',
    ],
)
def test_open_bag_foreign_recording_cut_in_the_middle_raises_one_line(
    copied: Path, tmp_path: Path, name: str
) -> None:
    whole = (copied / name).read_bytes()
    path = tmp_path / Path(name).name
    path.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(BagError, match='cut off') as caught, open_bag(path) as reader:
        for message in reader.messages():
            message.read()

    assert '\n' not in str(caught.value)

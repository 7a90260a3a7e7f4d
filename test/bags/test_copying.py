"""Tests of copying a bag with something added."""

from __future__ import annotations

from pathlib import Path

import pytest
from rosbags.rosbag2 import StoragePlugin

from st_memory.bags import BagFrameSource, BagMessage, BagRecorder, copy_bag_with, open_bag
from st_memory.core.errors import BagError
from st_memory.core.records import Detection
from test.bags import bag_files

Row = tuple[str, int, bytes]


def nothing(message: BagMessage, recorder: BagRecorder) -> None:
    """Add nothing."""


def add_boxes(message: BagMessage, recorder: BagRecorder) -> None:
    """Add a detection to each image, at its stamp."""
    if message.topic == '/head/image/compressed':
        found = [Detection('found', 1.0, box_px=(0.0, 0.0, 1.0, 1.0))]
        recorder.write_detections(message.log_ns - 5, 'extra', 'optical', found, source='new')


def rows(path: Path) -> list[Row]:
    """Give topic, time and bytes of every message."""
    with open_bag(path) as reader:
        return [(m.topic, m.log_ns, bytes(m.raw)) for m in reader.messages()]


def test_copy_bag_with_nothing_copies_every_byte(tmp_path: Path) -> None:
    source = bag_files.walk_bag(tmp_path)

    count = copy_bag_with(source, tmp_path / 'copy.mcap', nothing)

    assert rows(tmp_path / 'copy.mcap') == rows(source)
    assert count == len(rows(source))


def test_copy_bag_with_detections_adds_them_and_keeps_the_rest(tmp_path: Path) -> None:
    source = bag_files.walk_bag(tmp_path)

    copy_bag_with(source, tmp_path / 'copy.mcap', add_boxes)

    copied = rows(tmp_path / 'copy.mcap')
    assert [row for row in copied if row[0] != '/extra/detections'] == rows(source)
    assert len([row for row in copied if row[0] == '/extra/detections']) == 5
    assert [row[1] for row in copied] == sorted(row[1] for row in copied)


def test_copy_bag_with_added_messages_keep_their_own_stamp(tmp_path: Path) -> None:
    copy_bag_with(bag_files.walk_bag(tmp_path), tmp_path / 'copy.mcap', add_boxes)

    with open_bag(tmp_path / 'copy.mcap') as reader:
        message = next(reader.messages(['/extra/detections']))
        content = message.read()

    assert message.log_ns == bag_files.START_NS
    assert content.source == 'new'
    assert content.header.stamp.nanosec == 999_999_995


def test_copy_bag_with_same_content_gives_same_bytes(tmp_path: Path) -> None:
    source = bag_files.walk_bag(tmp_path)
    for name in ('a.mcap', 'b.mcap'):
        copy_bag_with(source, tmp_path / name, add_boxes)

    assert (tmp_path / 'a.mcap').read_bytes() == (tmp_path / 'b.mcap').read_bytes()


@pytest.mark.parametrize('storage', [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_copy_bag_with_of_a_folder_keeps_the_messages(
    tmp_path: Path, storage: StoragePlugin
) -> None:
    source = bag_files.rosbag2_folder(tmp_path / 'bag', [10, 20], storage)

    copy_bag_with(source, tmp_path / 'copy.mcap', nothing)

    assert rows(tmp_path / 'copy.mcap') == rows(source)


def test_copy_bag_with_adding_to_an_existing_topic(tmp_path: Path) -> None:
    def add_again(message: BagMessage, recorder: BagRecorder) -> None:
        if message.topic == '/head/detections':
            recorder.write_detections(message.log_ns + 7, 'head', 'optical', [])

    copy_bag_with(bag_files.walk_bag(tmp_path), tmp_path / 'copy.mcap', add_again)

    assert len(list(BagFrameSource(tmp_path / 'copy.mcap').frames())) == 10


def test_copy_bag_with_existing_target_is_refused(tmp_path: Path) -> None:
    source = bag_files.walk_bag(tmp_path)
    (tmp_path / 'there.mcap').write_bytes(b'precious')

    with pytest.raises(BagError, match='exists already'):
        copy_bag_with(source, tmp_path / 'there.mcap', nothing)

    assert (tmp_path / 'there.mcap').read_bytes() == b'precious'


def test_copy_bag_with_itself_as_target_is_refused_even_with_overwrite(tmp_path: Path) -> None:
    source = bag_files.walk_bag(tmp_path)
    before = source.read_bytes()

    with pytest.raises(BagError, match='would replace the bag it is made from'):
        copy_bag_with(source, source, nothing, overwrite=True)

    assert source.read_bytes() == before


def test_copy_bag_with_an_error_in_the_callback_leaves_no_file(tmp_path: Path) -> None:
    def fail(message: BagMessage, recorder: BagRecorder) -> None:
        raise RuntimeError('detector broke')

    with pytest.raises(RuntimeError, match='detector broke'):
        copy_bag_with(bag_files.walk_bag(tmp_path), tmp_path / 'copy.mcap', fail)

    assert [p.name for p in tmp_path.iterdir()] == ['walk.mcap']


def test_copy_bag_with_of_ros1_is_refused(tmp_path: Path) -> None:
    source = bag_files.ros1_bag(tmp_path / 'one.bag', [10])

    with pytest.raises(BagError, match='a ROS 1 bag: convert it'):
        copy_bag_with(source, tmp_path / 'copy.mcap', nothing)

"""Tests of opening and reading bags."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import shutil

import pytest
from rosbags.rosbag2 import StoragePlugin

from st_memory.bags import open_bag, TopicSummary
from st_memory.core.errors import BagError
from test.bags import bag_files

STAMPS = [bag_files.START_NS + i * 1000 for i in range(40)]


def log_stamps(path: Path) -> list[int]:
    """Give the times of recording of all messages."""
    with open_bag(path) as reader:
        return [message.log_ns for message in reader.messages()]


def mcap_file(folder: Path) -> Path:
    """Give a single MCAP file without metadata.yaml."""
    bag = bag_files.rosbag2_folder(folder / 'bag', STAMPS, StoragePlugin.MCAP)
    return shutil.copy(bag / 'bag.mcap', folder / 'single.mcap')


def db3_file(folder: Path) -> Path:
    """Give a single SQLite file without metadata.yaml."""
    bag = bag_files.rosbag2_folder(folder / 'bag', STAMPS)
    return shutil.copy(bag / 'bag.db3', folder / 'single.db3')


def db3_folder(folder: Path) -> Path:
    """Give a rosbag2 folder."""
    return bag_files.rosbag2_folder(folder / 'bag', STAMPS)


def ros1_file(folder: Path) -> Path:
    """Give a ROS 1 bag."""
    return bag_files.ros1_bag(folder / 'one.bag', STAMPS)


def split_folder(folder: Path) -> Path:
    """Give a folder of two MCAP files without metadata.yaml."""
    split = folder / 'split'
    split.mkdir()
    for i, part in enumerate((STAMPS[:20], STAMPS[20:])):
        bag = bag_files.rosbag2_folder(folder / f'b{i}', part, StoragePlugin.MCAP)
        shutil.copy(bag / f'b{i}.mcap', split / f'bag_{i}.mcap')
    return split


KINDS = [mcap_file, db3_file, db3_folder, ros1_file, split_folder]


@pytest.mark.parametrize('make', KINDS)
def test_open_bag_of_every_kind_gives_all_messages_in_order(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    assert log_stamps(make(tmp_path)) == STAMPS


@pytest.mark.parametrize('make', KINDS)
def test_open_bag_of_every_kind_gives_readable_messages(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    with open_bag(make(tmp_path)) as reader:
        message = next(reader.messages(['/tf']))
        content = message.read()

    assert (message.topic, message.type_name) == ('/tf', bag_files.TF_TYPE)
    assert content.transforms[0].child_frame_id.strip('/') == 'base'


@pytest.mark.parametrize('make', KINDS)
def test_open_bag_in_a_read_only_folder_writes_nothing(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    before = {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in tmp_path.rglob('*')}

    log_stamps(path)

    assert {p: (p.stat().st_size, p.stat().st_mtime_ns) for p in tmp_path.rglob('*')} == before


def test_open_bag_names_topics_and_span(tmp_path: Path) -> None:
    with open_bag(db3_folder(tmp_path)) as reader:
        assert reader.topics == {'/tf': TopicSummary(bag_files.TF_TYPE, 40)}
        assert (reader.num_messages, reader.is_ros2) == (40, True)
        assert (reader.start_ns, reader.end_ns) == (STAMPS[0], STAMPS[-1])


def test_open_bag_of_ros1_says_so(tmp_path: Path) -> None:
    with open_bag(ros1_file(tmp_path)) as reader:
        assert not reader.is_ros2


def test_messages_of_chosen_topics_leaves_others_out(tmp_path: Path) -> None:
    with open_bag(bag_files.walk_bag(tmp_path)) as reader:
        topics = {message.topic for message in reader.messages(['/tf', '/movements', '/none'])}

    assert topics == {'/tf', '/movements'}


def test_messages_of_absent_topics_gives_none(tmp_path: Path) -> None:
    with open_bag(mcap_file(tmp_path)) as reader:
        assert list(reader.messages(['/none'])) == []


@pytest.mark.parametrize('as_folder', [True, False])
def test_open_bag_reads_what_stands_in_the_journal(tmp_path: Path, as_folder: bool) -> None:
    folder = db3_folder(tmp_path)
    bag_files.leave_a_journal(folder / 'bag.db3', num_kept=30)
    if not as_folder:
        (folder / 'metadata.yaml').unlink()

    assert log_stamps(folder if as_folder else folder / 'bag.db3') == STAMPS


def test_open_bag_leaves_the_journal_where_it_is(tmp_path: Path) -> None:
    folder = db3_folder(tmp_path)
    bag_files.leave_a_journal(folder / 'bag.db3', num_kept=30)
    before = {p.name: p.read_bytes() for p in folder.iterdir()}

    log_stamps(folder)

    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def cut(path: Path, keep: float) -> Path:
    """Cut a file off."""
    os.truncate(path, int(path.stat().st_size * keep))
    return path


def missing(folder: Path) -> Path:
    """Name a file that is not there."""
    return folder / 'none.mcap'


def text_file(folder: Path) -> Path:
    """Give a file of another kind."""
    (folder / 'notes.txt').write_text('hello')
    return folder / 'notes.txt'


def disguised_file(folder: Path) -> Path:
    """Give a text file with the name of a bag."""
    (folder / 'notes.mcap').write_text('hello, I am not a bag')
    return folder / 'notes.mcap'


def empty_file(folder: Path) -> Path:
    """Give a file of zero bytes."""
    (folder / 'empty.mcap').write_bytes(b'')
    return folder / 'empty.mcap'


def empty_folder(folder: Path) -> Path:
    """Give a folder without any file."""
    (folder / 'nothing').mkdir()
    return folder / 'nothing'


def empty_bag(folder: Path) -> Path:
    """Give a valid bag without a message."""
    return bag_files.rosbag2_folder(folder / 'bag', [])


def cut_mcap(folder: Path) -> Path:
    """Give an MCAP file that ends in the middle."""
    return cut(mcap_file(folder), 0.6)


def cut_mcap_head(folder: Path) -> Path:
    """Give an MCAP file that ends within its first record."""
    path = mcap_file(folder)
    os.truncate(path, 20)
    return path


def cut_db3(folder: Path) -> Path:
    """Give a database that ends in the middle."""
    return cut(db3_file(folder), 0.4)


def cut_ros1(folder: Path) -> Path:
    """Give a ROS 1 bag that ends in the middle."""
    return cut(ros1_file(folder), 0.6)


def other_database(folder: Path) -> Path:
    """Give a database that is not a bag."""
    import sqlite3

    connection = sqlite3.connect(folder / 'other.db3')
    connection.execute('CREATE TABLE things (id INTEGER)')
    connection.close()
    return folder / 'other.db3'


def json_profile(folder: Path) -> Path:
    """Give an MCAP file whose profile is not ros2."""
    path = mcap_file(folder)
    path.write_bytes(
        path.read_bytes().replace(b'\x04\x00\x00\x00ros2', b'\x04\x00\x00\x00json', 1)
    )
    return path


def damaged_metadata(folder: Path) -> Path:
    """Give a bag folder whose metadata is no YAML."""
    bag = db3_folder(folder)
    (bag / 'metadata.yaml').write_text('rosbag2_bagfile_information: [unclosed')
    return bag


def file_of_metadata_gone(folder: Path) -> Path:
    """Give a bag folder whose database was removed."""
    bag = db3_folder(folder)
    (bag / 'bag.db3').unlink()
    return bag


@pytest.mark.parametrize(
    ('make', 'text'),
    [
        (missing, 'no such file or folder'),
        (text_file, r'not a bag: expected \.mcap, \.db3, \.bag'),
        (disguised_file, r'not a bag: it does not begin as a \.mcap file'),
        (empty_file, r'the file is empty \(0 bytes\)'),
        (empty_folder, 'found 0 bag files'),
        (empty_bag, 'the bag is empty: it holds no message'),
        (cut_mcap, 'cut off'),
        (cut_mcap_head, 'cut off'),
        (cut_db3, 'damaged or cut off'),
        (cut_ros1, 'cut off'),
        (other_database, 'missing tables'),
        (json_profile, 'its MCAP profile is not ros2'),
        (damaged_metadata, 'Could not load YAML'),
        (file_of_metadata_gone, 'files are missing'),
    ],
)
def test_open_bag_unusable_says_why_in_one_line(
    tmp_path: Path, make: Callable[[Path], Path], text: str
) -> None:
    path = make(tmp_path)

    with pytest.raises(BagError, match=text) as caught:
        log_stamps(path)

    assert str(path) in str(caught.value)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('keep', [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 0.999])
@pytest.mark.parametrize('make', [mcap_file, db3_file, ros1_file])
def test_open_bag_cut_anywhere_raises_a_bag_error(
    tmp_path: Path, make: Callable[[Path], Path], keep: float
) -> None:
    path = cut(make(tmp_path), keep)

    with pytest.raises(BagError):
        log_stamps(path)


def test_read_of_damaged_message_names_the_topic(tmp_path: Path) -> None:
    with open_bag(mcap_file(tmp_path)) as reader:
        message = next(reader.messages())
        message.raw = message.raw[:20]

        with pytest.raises(BagError, match='a message on /tf'):
            message.read()

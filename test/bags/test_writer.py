"""Tests of the all-or-nothing writer."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from st_memory.bags import open_bag
from st_memory.bags.writer import BagWriter
from st_memory.core.errors import BagError
from test.bags import bag_files


def fail(*_: object) -> None:
    """Be a full disk."""
    raise OSError(errno.ENOSPC, 'No space left on device')


def test_write_then_close_gives_a_readable_bag(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'b.mcap') as writer:
        writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)

    with open_bag(tmp_path / 'b.mcap') as reader:
        assert [(m.topic, m.log_ns) for m in reader.messages()] == [('/tf', 7)]


def test_writer_makes_the_folder_it_goes_to(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'new' / 'b.mcap') as writer:
        writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)

    assert [p.name for p in (tmp_path / 'new').iterdir()] == ['b.mcap']


def test_write_of_another_type_on_a_topic_raises(tmp_path: Path) -> None:
    with BagWriter(tmp_path / 'b.mcap') as writer:
        writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)

        with pytest.raises(ValueError, match='/tf: expected tf2_msgs/msg/TFMessage, got std_msgs'):
            writer.write('/tf', 'std_msgs/msg/Header', bag_files.tf_at(5), 8)


def test_write_on_a_full_disk_raises_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = BagWriter(tmp_path / 'b.mcap')
    writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)
    monkeypatch.setattr('rosbags.rosbag2.Writer.write', fail)

    with pytest.raises(BagError, match=r'b\.mcap: cannot be written: No space left'):
        writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(6), 8)

    writer.abort()
    assert list(tmp_path.iterdir()) == []


def test_close_on_a_full_disk_raises_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / 'b.mcap').write_bytes(b'old')
    writer = BagWriter(tmp_path / 'b.mcap', overwrite=True)
    writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)
    monkeypatch.setattr('os.fsync', fail)

    with pytest.raises(BagError, match='No space left'):
        writer.close()

    assert [p.name for p in tmp_path.iterdir()] == ['b.mcap']
    assert (tmp_path / 'b.mcap').read_bytes() == b'old'


def test_writer_onto_a_folder_raises_even_with_overwrite(tmp_path: Path) -> None:
    (tmp_path / 'b.mcap').mkdir()

    with pytest.raises(BagError, match='exists already'):
        BagWriter(tmp_path / 'b.mcap', overwrite=True)


def test_close_twice_does_nothing(tmp_path: Path) -> None:
    writer = BagWriter(tmp_path / 'b.mcap')
    writer.write('/tf', bag_files.TF_TYPE, bag_files.tf_at(5), 7)

    writer.close()
    before = (tmp_path / 'b.mcap').stat().st_mtime_ns
    writer.close()

    assert (tmp_path / 'b.mcap').stat().st_mtime_ns == before

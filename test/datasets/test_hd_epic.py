"""The movements of HD-EPIC: read from small files, and written to a recording."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.core.errors import DatasetError
from st_memory.core.records import MovementReport
from st_memory.core.stamps import NS_PER_S
from st_memory.datasets.hd_epic import write_movements
from st_memory.datasets.hd_epic_files import is_video_id, MovedObject, read_movements
from test.benchmark.hd_epic_folder import VIDEO, write_folder
from test.contracts.list_sink import ListSink


def reports(sink: ListSink) -> list[tuple[int, MovementReport]]:
    return [(call.stamp_ns, call.args['movement']) for call in sink.calls]


def written(*objects: MovedObject) -> list[tuple[int, str, str]]:
    """What a recording holds: the nanosecond, the object, and whether it starts or ends."""
    sink = ListSink()
    write_movements(objects, sink, base_stamp_ns=1)
    return [
        (stamp_ns - 1, movement.object_id, 'starts' if movement.end_ns is None else 'ends')
        for stamp_ns, movement in reports(sink)
    ]


def test_movements_are_read_by_object_and_start(tmp_path: Path) -> None:
    videos = read_movements(write_folder(tmp_path / 'data'))

    assert list(videos) == [VIDEO]
    objects = {o.object_id: o for o in videos[VIDEO]}
    assert list(objects) == ['c1', 'f1', 'l1', 'm1', 'p1']
    assert objects['m1'] == MovedObject('m1', 'mug', ((10.0, 12.5), (20.0, 25.0), (40.0, 42.0)))
    assert objects['c1'].movements == ()


def test_plain_file_is_read_like_the_zipped_one(tmp_path: Path) -> None:
    zipped, plain = tmp_path / 'zipped', tmp_path / 'plain'
    write_folder(zipped)
    write_folder(plain, zipped=False)

    assert read_movements(plain) == read_movements(zipped)


def entry(**changes: Any) -> dict[str, Any]:
    return {'name': 'mug', 'tracks': [{'time_segment': [1.0, 2.0]}], **changes}


@pytest.mark.parametrize(
    ('objects', 'found'),
    [
        ([], 'AttributeError'),
        ({'m1': entry(name=None)}, "TypeError: object 'm1' with the name None"),
        ({'m1': entry(name=' ')}, "ValueError: object 'm1' with the name ' '"),
        ({'': entry()}, "ValueError: object '' with the name 'mug'"),
        ({'m1': {'name': 'mug'}}, "KeyError: 'tracks'"),
        ({'m1': entry(tracks=[{'time_segment': [1.0]}])}, 'ValueError: not enough values'),
        ({'m1': entry(tracks=[{'time_segment': [1.0, 'noon']}])}, 'ValueError: could not'),
        ({'m1': entry(tracks=[{'time_segment': [2.0, 1.0]}])}, 'object m1: a movement from 2.0'),
        ({'m1': entry(tracks=[{'time_segment': [-1.0, 1.0]}])}, 'object m1: a time of -1.0 s'),
        ({'m1': entry(tracks=[{'time_segment': [1.0, float('nan')]}])}, 'a time of nan s'),
        ({'m1': entry(tracks=[{'time_segment': [1.0, 1e999]}])}, 'a time of inf s'),
        ({'m1': entry(tracks=[{'time_segment': [1.0, 3e9]}])}, 'a time of 3000000000.0 s'),
        ({'m1': entry(name='\ud83d')}, 'UnicodeEncodeError'),
        ({'\ud83d': entry()}, 'UnicodeEncodeError'),
        ({'m1': entry(tracks=[{'time_segment': [1.0, None]}])}, 'TypeError'),
        ({'m1': entry(tracks=None)}, 'TypeError'),
    ],
    ids=str,
)
def test_damaged_object_is_one_line_with_its_video(
    objects: Any, found: str, tmp_path: Path
) -> None:
    path = tmp_path / 'assoc_info.json'
    path.write_text(json.dumps({VIDEO: objects}))

    with pytest.raises(DatasetError) as caught:
        read_movements(tmp_path)

    assert str(caught.value).startswith(f'{path}: expected objects in video {VIDEO}, found ')
    assert found in str(caught.value)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('text', [b'', b'{"P01": ', b'[]', b'\xff\xfe', b'"P01"'])
def test_file_that_is_no_table_of_videos_is_one_line(text: bytes, tmp_path: Path) -> None:
    (tmp_path / 'assoc_info.json').write_bytes(text)

    with pytest.raises(DatasetError, match=r'assoc_info\.json: expected objects, found \w+'):
        read_movements(tmp_path)


@pytest.mark.parametrize('size', [0, 5, 40])
def test_cut_gzip_file_is_one_line(size: int, tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps({VIDEO: {'m1': entry()}}).encode())
    (tmp_path / 'assoc_info.json.gz').write_bytes(whole[:size])

    if size == 0:  # an empty file is an empty gzip file, and no JSON
        with pytest.raises(DatasetError, match='expected objects, found JSONDecodeError'):
            read_movements(tmp_path)
        return
    with pytest.raises(DatasetError, match=r'gz: expected a whole gzip file, found'):
        read_movements(tmp_path)


def test_bytes_that_are_no_gzip_are_one_line(tmp_path: Path) -> None:
    (tmp_path / 'assoc_info.json.gz').write_bytes(b'{"P01": {}}')

    with pytest.raises(DatasetError, match='expected a whole gzip file, found Not a gzip'):
        read_movements(tmp_path)


def test_folder_without_movements_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'expected assoc_info\.json or .*\.gz, found none'):
        read_movements(tmp_path)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        (VIDEO, True),
        ('a_b', True),
        ('', False),
        ('..', False),
        ('a/b', False),
        ('/etc', False),
        ('a\nb', False),
        ('a.b', False),
        ('-rf', False),
    ],
)
def test_video_id_can_name_no_other_folder(text: str, expected: bool) -> None:
    assert is_video_id(text) is expected


def test_video_of_another_name_is_one_line(tmp_path: Path) -> None:
    (tmp_path / 'assoc_info.json').write_text(json.dumps({'../up': {}}))

    with pytest.raises(DatasetError, match=r"found ValueError: the video id '\.\./up'"):
        read_movements(tmp_path)


def test_movement_is_written_at_its_start_and_at_its_end() -> None:
    sink = ListSink()

    assert write_movements([MovedObject('m1', 'mug', ((1.5, 2.25),))], sink) == 1

    base_ns = 1000 * NS_PER_S
    start_ns, end_ns = base_ns + 1_500_000_000, base_ns + 2_250_000_000
    assert reports(sink) == [
        (start_ns, MovementReport('m1', 'mug', start_ns)),
        (end_ns, MovementReport('m1', 'mug', start_ns, end_ns)),
    ]


def test_what_ends_comes_before_what_starts_then() -> None:
    a, b = MovedObject('a', 'a', ((1.0, 2.0),)), MovedObject('b', 'b', ((0.0, 1.0),))

    assert written(a, b) == [
        (0, 'b', 'starts'),
        (NS_PER_S, 'b', 'ends'),
        (NS_PER_S, 'a', 'starts'),
        (2 * NS_PER_S, 'a', 'ends'),
    ]


def test_movement_without_duration_starts_before_it_ends() -> None:
    assert written(MovedObject('a', 'a', ((1.0, 1.0),))) == [
        (NS_PER_S, 'a', 'starts'),
        (NS_PER_S, 'a', 'ends'),
    ]


@pytest.mark.parametrize('base_stamp_ns', [0, -1])
def test_base_stamp_is_above_zero(base_stamp_ns: int) -> None:
    with pytest.raises(ValueError, match='base_stamp_ns: expected > 0'):
        write_movements([], ListSink(), base_stamp_ns=base_stamp_ns)

"""RGB-D folders into recordings: small folders written by the tests, and the real ones."""

from __future__ import annotations

from pathlib import Path
import re

import cv2
import numpy as np
import pytest

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.datasets import convert_rgbd
from st_memory.datasets.rgbd import find_gaps
from test.contracts.list_sink import ListSink

WIDTH, HEIGHT = 8, 6
POSE_LINES = '1 0 0 {x}\n0 0 -1 2\n0 1 0 3\n0 0 0 1\n'


def write_frame(folder: Path, index: int, *, color: str = 'jpg', x: float | None = None) -> None:
    """Write a whole frame: depth 1000 + index millimetres, pose at x = index / 10."""
    stem = folder / f'frame-{index:06d}'
    depth = np.full((HEIGHT, WIDTH), 1000 + index, dtype=np.uint16)
    image = np.full((HEIGHT, WIDTH, 3), index % 256, dtype=np.uint8)
    cv2.imwrite(f'{stem}.depth.png', depth)
    cv2.imwrite(f'{stem}.color.{color}', image)
    place = index / 10 if x is None else x
    Path(f'{stem}.pose.txt').write_text(POSE_LINES.format(x=place))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with frames 0, 4 and 8."""
    (tmp_path / 'camera-intrinsics.txt').write_text('5 0 3.5\n0 6 2.5\n0 0 1\n')
    for index in (0, 4, 8):
        write_frame(tmp_path, index)
    return tmp_path


def converted(folder: Path, **options: float) -> ListSink:
    """Convert into a list."""
    sink = ListSink()
    convert_rgbd(folder, sink, **options)  # type: ignore[arg-type]
    return sink


def test_convert_rgbd_stamps_are_frame_index_over_rate_plus_one_nanosecond(folder: Path) -> None:
    stamps = [call.stamp_ns for call in converted(folder).of_kind('depth')]

    assert stamps == [1, 133_333_334, 266_666_668]


def test_convert_rgbd_rate_and_base_stamp_shift_the_stamps(folder: Path) -> None:
    sink = converted(folder, rate_hz=4.0, base_stamp_ns=1000)

    stamps = [call.stamp_ns for call in sink.of_kind('camera_info')]

    assert stamps == [1000, 1_000_001_000, 2_000_001_000]


def test_convert_rgbd_messages_of_a_frame_share_stamp_camera_and_frame(folder: Path) -> None:
    sink = converted(folder)

    second = [c for c in sink.calls if c.stamp_ns == 133_333_334]

    assert [c.kind for c in second] == ['transform', 'camera_info', 'color_encoded', 'depth']
    assert {c.args['camera_id'] for c in second[1:]} == {'camera'}
    assert {c.args['frame_id'] for c in second[1:]} == {'camera_optical_frame'}


def test_convert_rgbd_pose_is_map_from_optical_frame(folder: Path) -> None:
    sink = converted(folder)

    moving = [c for c in sink.of_kind('transform') if not c.args['static']]

    assert {(c.args['parent_frame'], c.args['child_frame']) for c in moving} == {
        ('map', 'camera_optical_frame')
    }
    pose = moving[1].args['parent_T_child']
    np.testing.assert_allclose(pose.translation, [0.4, 2.0, 3.0], atol=1e-15)
    # Camera forward (0, 0, 1) is column 3 of the file's rotation.
    np.testing.assert_allclose(pose.apply([0, 0, 1]) - pose.translation, [0, -1, 0], atol=1e-15)


def test_convert_rgbd_writes_one_static_identity_first(folder: Path) -> None:
    sink = converted(folder)

    static = [c for c in sink.of_kind('transform') if c.args['static']]

    assert len(static) == 1
    assert static[0] is sink.calls[0]
    assert static[0].args['parent_T_child'].distance_to(RigidTransform.identity()) == (0.0, 0.0)


def test_convert_rgbd_intrinsics_become_a_pinhole_of_the_image_size(folder: Path) -> None:
    model = converted(folder).of_kind('camera_info')[0].args['model']

    assert (model.width, model.height) == (WIDTH, HEIGHT)
    assert (model.fx, model.fy, model.cx, model.cy) == (5.0, 6.0, 3.5, 2.5)


def test_convert_rgbd_depth_is_metres(folder: Path) -> None:
    depth = converted(folder).of_kind('depth')[2].args['depth_m']

    assert depth.dtype == np.float32
    np.testing.assert_allclose(depth, 1.008, rtol=1e-7)


def test_convert_rgbd_zero_and_65535_are_no_depth(folder: Path) -> None:
    image = np.full((HEIGHT, WIDTH), 65534, dtype=np.uint16)
    image[0, :3] = 0
    image[1, 0] = 65535
    cv2.imwrite(str(folder / 'frame-000000.depth.png'), image)
    sink = ListSink()

    report = convert_rgbd(folder, sink)

    depth = sink.of_kind('depth')[0].args['depth_m']
    assert np.isnan(depth).sum() == 4
    assert np.nanmax(depth) == np.float32(65.534)
    assert report.no_depth_fraction == 4 / (3 * WIDTH * HEIGHT)


@pytest.mark.parametrize(('suffix', 'image_format'), [('jpg', 'jpeg'), ('png', 'png')])
def test_convert_rgbd_color_passes_byte_for_byte(
    folder: Path, suffix: str, image_format: str
) -> None:
    (folder / 'frame-000004.color.jpg').unlink()
    write_frame(folder, 4, color=suffix)

    call = converted(folder).of_kind('color_encoded')[1]

    assert call.args['data'] == (folder / f'frame-000004.color.{suffix}').read_bytes()
    assert call.args['image_format'] == image_format


def test_convert_rgbd_reports_what_was_written(folder: Path) -> None:
    report = convert_rgbd(folder, ListSink())

    assert (report.num_frames, report.num_poses) == (3, 3)
    assert (report.num_depth, report.num_color) == (3, 3)
    assert (report.first_stamp_ns, report.last_stamp_ns) == (1, 266_666_668)
    assert report.problems == ()
    assert report.gaps == ()


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        (None, 'no frame-000004.pose.txt'),
        (POSE_LINES.format(x='nan'), 'not finite'),
        (POSE_LINES.format(x='-1.#IND'), 'could not convert'),
        ('1 0 0\n0 1 0\n0 0 1\n', r'shape \(3, 3\)'),
        ('1 0 0 1\n0 2 0 2\n0 0 1 3\n0 0 0 1\n', 'rotation'),
        ('1 0 0 1\n0 1 0\n', 'equal length'),
        ('', 'equal length'),
    ],
)
def test_convert_rgbd_frame_without_a_usable_pose_is_listed_and_left_out(
    folder: Path, text: str | None, reason: str
) -> None:
    path = folder / 'frame-000004.pose.txt'
    path.unlink() if text is None else path.write_text(text)
    sink = ListSink()

    report = convert_rgbd(folder, sink)

    assert [(p.frame_index, p.what) for p in report.problems] == [(4, 'pose')]
    assert re.search(reason, report.problems[0].reason)
    assert 133_333_334 not in {call.stamp_ns for call in sink.calls}
    assert report.num_poses == 2


def test_convert_rgbd_binary_pose_file_is_listed(folder: Path) -> None:
    (folder / 'frame-000004.pose.txt').write_bytes(b'\xff\xfe\x00\x80')

    report = convert_rgbd(folder, ListSink())

    assert report.problems[0].reason == 'frame-000004.pose.txt: not a text file'


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def _wrong_size(path: Path) -> None:
    cv2.imwrite(str(path), np.ones((HEIGHT, WIDTH + 1), dtype=np.uint16))


def _eight_bit(path: Path) -> None:
    cv2.imwrite(str(path), np.ones((HEIGHT, WIDTH), dtype=np.uint8))


def _flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ('damage', 'reason'),
    [
        (Path.unlink, 'no frame-000004.depth.png'),
        (_truncate, 'cannot be decoded'),
        (_flip_a_bit, 'cannot be decoded'),
        (_wrong_size, 'shape (6, 9) instead of (6, 8)'),
        (_eight_bit, 'uint8'),
    ],
)
def test_convert_rgbd_unusable_depth_is_listed_and_never_invented(
    folder: Path, damage: object, reason: str
) -> None:
    damage(folder / 'frame-000004.depth.png')  # type: ignore[operator]
    sink = ListSink()

    report = convert_rgbd(folder, sink)

    assert [(p.frame_index, p.what) for p in report.problems] == [(4, 'depth')]
    assert reason in report.problems[0].reason
    assert report.num_depth == 2
    assert len(sink.of_kind('camera_info')) == 3


def _not_an_image(path: Path) -> None:
    path.write_bytes(b'hello')


@pytest.mark.parametrize(
    ('damage', 'reason'),
    [
        (Path.unlink, 'no frame-000004.color'),
        (_truncate, 'truncated'),
        (_not_an_image, 'not a jpeg'),
    ],
)
def test_convert_rgbd_unusable_color_is_listed(folder: Path, damage: object, reason: str) -> None:
    damage(folder / 'frame-000004.color.jpg')  # type: ignore[operator]
    sink = ListSink()

    report = convert_rgbd(folder, sink)

    assert [(p.frame_index, p.what) for p in report.problems] == [(4, 'color')]
    assert reason in report.problems[0].reason
    assert len(sink.of_kind('color_encoded')) == 2


def test_convert_rgbd_lists_gaps_in_the_frame_numbers(folder: Path) -> None:
    write_frame(folder, 40)
    write_frame(folder, 44)

    report = convert_rgbd(folder, ListSink())

    assert report.gaps == ((8, 40),)


@pytest.mark.parametrize(
    ('indices', 'gaps'),
    [
        ([], ()),
        ([7], ()),
        ([0, 1, 2], ()),
        ([0, 4, 8, 9], ()),
        ([0, 1, 2, 116, 422], ((2, 116), (116, 422))),
        ([0, 2, 6], ((2, 6),)),
    ],
)
def test_find_gaps_compares_with_the_usual_step(
    indices: list[int], gaps: tuple[tuple[int, int], ...]
) -> None:
    assert find_gaps(indices) == gaps


def test_convert_rgbd_takes_the_only_sequence_folder(folder: Path) -> None:
    sequence = folder / 'seq-01'
    sequence.mkdir()
    for path in folder.glob('frame-*'):
        path.rename(sequence / path.name)

    assert len(converted(folder).of_kind('depth')) == 3
    assert converted(sequence).digest() == converted(folder).digest()


def test_convert_rgbd_says_how_far_it_is(folder: Path) -> None:
    seen: list[tuple[int, int]] = []

    convert_rgbd(folder, ListSink(), progress=lambda done, total: seen.append((done, total)))

    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_convert_rgbd_twice_gives_the_same_bytes(folder: Path) -> None:
    assert converted(folder).digest() == converted(folder).digest()


def test_convert_rgbd_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r'^.*nowhere: expected a folder.*$'):
        converted(tmp_path / 'nowhere')


def test_convert_rgbd_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match='expected frame-NNNNNN'):
        converted(tmp_path)


def test_convert_rgbd_several_sequences_are_named(folder: Path) -> None:
    for path in folder.glob('frame-*'):
        path.unlink()
    (folder / 'seq-01').mkdir()
    (folder / 'seq-02').mkdir()

    with pytest.raises(DatasetError, match='seq-01, seq-02'):
        converted(folder)


def test_convert_rgbd_two_names_of_one_index_are_named(folder: Path) -> None:
    (folder / 'frame-4.pose.txt').write_text(POSE_LINES.format(x=0))

    with pytest.raises(DatasetError, match='one frame 4'):
        converted(folder)


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        (None, 'found none'),
        ('5 0 3.5\n0 6 2.5\n', r'shape \(2, 3\)'),
        ('0 0 3.5\n0 6 2.5\n0 0 1\n', 'fx, fy > 0'),
        ('nan 0 3.5\n0 6 2.5\n0 0 1\n', 'fx, fy > 0'),
        ('5 1 3.5\n0 6 2.5\n0 0 1\n', 'fx, fy > 0'),
        ('fx = 5\n', 'could not convert'),
    ],
)
def test_convert_rgbd_unusable_intrinsics_are_named(
    folder: Path, text: str | None, found: str
) -> None:
    path = folder / 'camera-intrinsics.txt'
    path.unlink() if text is None else path.write_text(text)

    with pytest.raises(DatasetError, match=found):
        converted(folder)


def test_convert_rgbd_without_any_image_is_named(folder: Path) -> None:
    for path in [*folder.glob('*.png'), *folder.glob('*.jpg')]:
        path.unlink()

    with pytest.raises(DatasetError, match='images that can be read'):
        converted(folder)


def test_convert_rgbd_color_only_takes_the_size_from_color(folder: Path) -> None:
    for path in folder.glob('*.depth.png'):
        path.unlink()

    model = converted(folder).of_kind('camera_info')[0].args['model']

    assert (model.width, model.height) == (WIDTH, HEIGHT)


def test_convert_rgbd_without_any_pose_is_named(folder: Path) -> None:
    for path in folder.glob('*.pose.txt'):
        path.unlink()

    with pytest.raises(DatasetError, match='none of 3 is usable'):
        converted(folder)


@pytest.mark.parametrize('options', [{'rate_hz': 0.0}, {'base_stamp_ns': 0}])
def test_convert_rgbd_misuse_names_the_argument(folder: Path, options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        converted(folder, **options)


@pytest.mark.data
def test_convert_rgbd_red_kitchen_is_whole(shared_data: Path) -> None:
    sink = ListSink()

    report = convert_rgbd(shared_data / 'rgbd_7scenes_redkitchen', sink)

    assert (report.num_poses, report.num_depth, report.num_color) == (250, 250, 250)
    assert report.problems == ()
    assert report.gaps == ()
    assert report.last_stamp_ns == 1 + round(996e9 / 30)
    # 11 % zeros, and 27,052 pixels at 65535, by the folder's own description.
    assert 0.11 < report.no_depth_fraction < 0.12
    centres = np.array(
        [c.args['parent_T_child'].translation for c in sink.of_kind('transform')[1:]]
    )
    path_m = np.linalg.norm(np.diff(centres, axis=0), axis=1).sum()
    # 7.4 m through all 1,000 frames; a chord over every fourth is shorter.
    assert 6.8 < path_m < 7.4


@pytest.mark.data
def test_convert_rgbd_3dmatch_names_the_jumps(shared_data: Path) -> None:
    sink = ListSink()

    report = convert_rgbd(shared_data / 'rgbd_3dmatch_nvblox', sink)

    assert report.num_poses == 5
    assert report.gaps == ((2, 116), (116, 422))
    assert sink.of_kind('color_encoded')[0].args['image_format'] == 'png'
    assert sink.of_kind('depth')[-1].stamp_ns == 1 + round(422e9 / 30)

"""Depth and cameras: rows D1 to D8, from a bag to its frames."""

from __future__ import annotations

from pathlib import Path
import struct
from typing import Any

import cv2
import numpy as np
import pytest

from st_memory.bags.messages import detections_message
from st_memory.core.errors import ConfigError
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Detection
from st_memory.doctor import diagnose
from st_memory.settings import load_settings
from st_memory.settings.loader import effective, settings_from
from test.field_notes.recordings import (
    AHEAD,
    CAMERA,
    depth_bag,
    DEPTH_M,
    frames_of,
    look_of,
    recording,
    S,
    T0,
)

MILLIMETRES = np.full((6, 8), 2500, dtype=np.uint16)
NO_HEADER = struct.pack('<iff', 0, 0.0, 0.0)


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    """Pack 16-bit pixels as a PNG file."""
    return bytes(cv2.imencode('.png', pixels)[1].tobytes())


def rvl(pixels: list[int]) -> bytes:
    """Pack pixels that are not zero by hand: no zeros, all of them, then their differences."""
    nibbles: list[int] = []
    for number in (0, len(pixels), *_zigzag(pixels)):
        rest = number
        while rest > 7:
            nibbles.append(rest & 7 | 8)
            rest >>= 3
        nibbles.append(rest)
    nibbles += [0] * (-len(nibbles) % 8)
    words = [
        sum(nibble << (28 - 4 * i) for i, nibble in enumerate(nibbles[at : at + 8]))
        for at in range(0, len(nibbles), 8)
    ]
    return struct.pack(f'<{len(words)}I', *words)


def _zigzag(pixels: list[int]) -> list[int]:
    steps = [b - a for a, b in zip([0, *pixels], pixels, strict=False)]
    return [2 * step if step >= 0 else -2 * step - 1 for step in steps]


@pytest.mark.parametrize(
    ('encoding', 'pixels'),
    [('16UC1', MILLIMETRES), ('mono16', MILLIMETRES), ('32FC1', DEPTH_M)],
)
@pytest.mark.parametrize('big_endian', [False, True])
@pytest.mark.parametrize('padding', [0, 6])
def test_d1_encoding_decides_the_unit(
    tmp_path: Path, encoding: str, pixels: np.ndarray[Any, Any], big_endian: bool, padding: int
) -> None:
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.raw_depth(T0, encoding, pixels, padding=padding, big_endian=big_endian)

    look, counters = look_of(tmp_path / 'depth.mcap')

    np.testing.assert_array_equal(look.depth_m, DEPTH_M)
    assert counters == {}


def test_d1_unit_that_cannot_be_right_is_refused_and_named(tmp_path: Path) -> None:
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.raw_depth(T0, '32FC1', DEPTH_M * 1000)

    look, counters = look_of(tmp_path / 'depth.mcap')

    assert look.depth_m is None
    assert counters == {'depth_unit_implausible': 1}


def test_d1_unit_of_a_driver_can_be_told(tmp_path: Path) -> None:
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.raw_depth(T0, '16UC1', MILLIMETRES * 5)

    look, _ = look_of(tmp_path / 'depth.mcap', depth_unit_m={'head': 0.0002})

    np.testing.assert_allclose(look.depth_m, DEPTH_M, rtol=1e-6)


def test_d2_sixteen_bits_stay_sixteen_bits(tmp_path: Path) -> None:
    pixels = np.arange(300, 300 + 48 * 50, 50, dtype=np.uint16).reshape(6, 8)
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.packed_depth(T0, '16UC1; compressedDepth png', NO_HEADER + png(pixels))

    look, _ = look_of(tmp_path / 'depth.mcap')

    np.testing.assert_allclose(look.depth_m, pixels / 1000.0, rtol=1e-6)


@pytest.mark.parametrize(
    ('text', 'body'),
    [
        ('16UC1; compressedDepth', png(MILLIMETRES)),
        ('16UC1; compressedDepth png', png(MILLIMETRES)),
        ('mono16; compressedDepth png', png(MILLIMETRES)),
        ('16UC1; compressedDepth rvl', struct.pack('<II', 8, 6) + rvl([2500] * 48)),
    ],
)
def test_d3_all_formats_of_compressed_depth_are_read(
    tmp_path: Path, text: str, body: bytes
) -> None:
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.packed_depth(T0, text, NO_HEADER + body)

    look, counters = look_of(tmp_path / 'depth.mcap')

    np.testing.assert_array_equal(look.depth_m, DEPTH_M)
    assert counters == {}


@pytest.mark.parametrize('codec', ['', ' png', ' rvl'])
def test_d3_floats_are_stored_as_inverse_depth(tmp_path: Path, codec: str) -> None:
    """A / depth + B with A 100 and B 10: 2.5 m is stored as 50."""
    pixels = np.full((6, 8), 50, dtype=np.uint16)
    body = struct.pack('<II', 8, 6) + rvl([50] * 48) if codec == ' rvl' else png(pixels)
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        header = struct.pack('<iff', 0, 100.0, 10.0)
        taker.packed_depth(T0, f'32FC1; compressedDepth{codec}', header + body)

    look, _ = look_of(tmp_path / 'depth.mcap')

    np.testing.assert_array_equal(look.depth_m, DEPTH_M)


@pytest.mark.parametrize('value', [0.0, -1.0, float('nan'), float('inf'), -float('inf')], ids=str)
def test_d4_what_was_not_measured_is_never_free_space(tmp_path: Path, value: float) -> None:
    pixels = DEPTH_M.copy()
    pixels[2, 3] = value
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.raw_depth(T0, '32FC1', pixels)

    look, _ = look_of(tmp_path / 'depth.mcap')

    assert look.depth_m is not None
    assert np.argwhere(np.isnan(look.depth_m)).tolist() == [[2, 3]]


def test_d5_depth_without_a_single_measurement_is_counted(tmp_path: Path) -> None:
    with depth_bag(tmp_path / 'depth.mcap') as taker:
        taker.raw_depth(T0, '16UC1', np.zeros((6, 8), np.uint16))

    look, counters = look_of(tmp_path / 'depth.mcap')

    assert np.isnan(look.depth_m).all()
    assert counters == {'depth_all_invalid': 1}


def test_d5_depth_of_another_frame_is_registered_or_refused_with_the_reason(
    tmp_path: Path,
) -> None:
    """Names as RealSense has them: a wall at 2.5 m, the depth camera 0.3125 m to the right."""
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    for name, has_link, has_info in (
        ('whole', True, True),
        ('no_link', False, True),
        ('no_info', True, False),
    ):
        with recording(tmp_path / f'{name}.mcap') as taker:
            taker.tf(T0)
            if has_link:
                beside = RigidTransform(np.array([0.3125, 0.0, 0.0]), upright)
                taker.tf(T0, 'optical', 'infra', beside, static=True)
            taker.info(T0)
            if has_info:
                taker.info(T0, topic='/head/infra/camera_info', frame_id='infra')
            taker.depth(T0, frame_id='infra')
            taker.found(T0)
    info_role = _depth_info_role()

    whole, counters = look_of(tmp_path / 'whole.mcap', role_by_topic=info_role)
    assert counters == {}
    assert whole.depth_m is not None
    assert np.isnan(whole.depth_m[:, :1]).all()
    np.testing.assert_array_equal(whole.depth_m[:, 1:], 2.5)

    for name, reason in (
        ('no_link', 'depth_without_transform'),
        ('no_info', 'depth_in_other_frame'),
    ):
        look, counters = look_of(tmp_path / f'{name}.mcap', role_by_topic=info_role)
        assert (look.depth_m, counters) == (None, {reason: 1})


def _depth_info_role() -> dict[str, Any]:
    from st_memory.conversions import TopicKind, TopicRole

    return {'/head/infra/camera_info': TopicRole(TopicKind.DEPTH_INFO, 'head')}


def test_d6_camera_info_that_is_absent_is_stated(tmp_path: Path) -> None:
    with recording(tmp_path / 'none.mcap') as taker:
        taker.tf(T0)
        taker.depth(T0)
        taker.found(T0)

    frames, counters = frames_of(tmp_path / 'none.mcap')

    assert frames == []
    assert counters == {'missing_camera_info': 1}
    missing = diagnose(tmp_path / 'none.mcap').missing
    assert 'no /head/camera_info: its images have no intrinsics' in missing


GIVEN = """\
assembler:
  camera_info:
    head: {frame_id: optical, width: 8, height: 6, k: [8.0, 0, 3.5, 0, 8.0, 2.5, 0, 0, 1]}
"""


def test_d6_intrinsics_of_a_settings_file_count_until_others_come(tmp_path: Path) -> None:
    (tmp_path / 'settings.yaml').write_text(GIVEN)
    loaded = load_settings(tmp_path / 'settings.yaml')
    given = loaded.assembler
    assert settings_from(effective(loaded), 'again: ') == loaded
    with recording(tmp_path / 'none.mcap') as taker:
        for i in range(3):
            taker.tf(T0 + i * S)
            taker.depth(T0 + i * S)
            taker.found(T0 + i * S)
        taker.info(T0 + 2 * S, k=_k_of(CAMERA) * 2, p=np.zeros(12))

    frames, counters = frames_of(tmp_path / 'none.mcap', camera_info=given.camera_info)

    focal = [f.cameras[0].model.focal_px for f in frames]
    assert focal == [8.0, 8.0, 16.0]
    assert counters == {}
    assert diagnose(tmp_path / 'none.mcap', given).is_usable


@pytest.mark.parametrize(
    ('old', 'new', 'expected'),
    [
        ('8.0, 0, 3.5, 0, 8.0', '0, 0, 3.5, 0, 0', 'head: expected focal lengths > 0'),
        ('2.5, 0, 0, 1', '2.5', r'head.k: expected 9 numbers, got 6'),
        ('width: 8', 'width: wide', 'head.width: expected a whole number'),
        ('frame_id: optical, ', '', "head: expected the key 'frame_id'"),
    ],
)
def test_d6_intrinsics_that_are_none_are_one_line_with_the_file(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    file = tmp_path / 'settings.yaml'
    file.write_text(GIVEN.replace(old, new))

    with pytest.raises(ConfigError, match=expected) as caught:
        load_settings(file)

    assert str(caught.value).startswith(str(file))
    assert '\n' not in str(caught.value)


def test_d6_zero_p_means_k_and_no_focal_length_is_refused(tmp_path: Path) -> None:
    with recording(tmp_path / 'zero_p.mcap') as taker:
        taker.tf(T0)
        taker.info(T0, p=np.zeros(12))
        taker.found(T0)
    with recording(tmp_path / 'zero_k.mcap') as taker:
        taker.tf(T0)
        taker.info(T0, p=np.zeros(12), k=np.zeros(9))
        taker.found(T0)

    look, _ = look_of(tmp_path / 'zero_p.mcap')

    assert look.model.parameters[:4] == CAMERA.parameters[:4]
    (line, *_) = diagnose(tmp_path / 'zero_k.mcap').missing
    assert 'expected focal lengths > 0' in line


def test_d6_late_and_changed_camera_info_hold_from_their_stamps(tmp_path: Path) -> None:
    wide = CAMERA.resized(16, 12)
    with recording(tmp_path / 'zoom.mcap') as taker:
        for i in range(4):
            taker.tf(T0 + i * S)
            taker.found(T0 + i * S)
        taker.info(T0 + S // 10)
        taker.info(T0 + 2 * S, k=_k_of(wide), width=16, height=12, p=np.zeros(12))

    frames, counters = frames_of(tmp_path / 'zoom.mcap', max_wait_ns=10 * S)

    widths = [f.cameras[0].model.width for f in frames if f.cameras[0].detections is not None]
    assert widths == [8, 8, 16, 16]
    assert counters.get('missing_camera_info', 0) == 0


def _k_of(camera: Any) -> np.ndarray[Any, Any]:
    fx, fy, cx, cy = camera.parameters[:4]
    return np.array([fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0])


def test_d6_depth_that_was_resized_is_fitted_to_its_camera(tmp_path: Path) -> None:
    with depth_bag(tmp_path / 'small.mcap') as taker:
        taker.raw_depth(T0, '16UC1', MILLIMETRES[:3, :4])

    look, counters = look_of(tmp_path / 'small.mcap')

    np.testing.assert_array_equal(look.depth_m, DEPTH_M)
    assert counters == {'depth_resized': 1}


@pytest.mark.parametrize(
    ('name', 'd'),
    [
        ('equidistant', (0.1, 0.0, 0.0, 0.0)),
        ('fisheye', (0.1, 0.0, 0.0, 0.0)),
        ('rational_polynomial', (0.1, 0.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0)),
        ('fisheye624', (0.1,) + (0.0,) * 11),
        ('double_sphere', (0.2, 0.5)),
    ],
)
def test_d6_fisheye_cameras_are_read(tmp_path: Path, name: str, d: tuple[float, ...]) -> None:
    with recording(tmp_path / 'fisheye.mcap') as taker:
        taker.tf(T0)
        taker.info(T0, distortion_model=name, d=np.array(d))
        taker.found(T0)

    look, _ = look_of(tmp_path / 'fisheye.mcap')

    assert look.model.model_name == ('equidistant' if name == 'fisheye' else name)


def test_d7_detections_without_a_stamp_are_refused_with_the_reason(tmp_path: Path) -> None:
    with recording(tmp_path / 'stampless.mcap') as taker:
        taker.tf(T0)
        taker.info(T0)
        message = detections_message(0, 'optical', [Detection('cup', 0.9)], 'test')
        kind = 'st_memory_interfaces/msg/DetectionArray'
        taker.put('/head/detections', kind, message, T0)

    (frame,), counters = frames_of(tmp_path / 'stampless.mcap')

    assert frame.cameras[0].detections is None
    assert counters['zero_stamp'] == 1


def test_d8_position_is_the_centre_of_the_box_in_the_frame_of_the_message(
    tmp_path: Path,
) -> None:
    cup = Detection(
        'cup', 0.9, box_px=(1.0, 1.0, 2.0, 2.0), camera_p=(0.1, 0.2, 2.0), size_m=(0.1, 0.2, 0.3)
    )
    with recording(tmp_path / 'pose.mcap') as taker:
        taker.tf(T0)
        taker.info(T0)
        taker.found(T0, [cup])

    look, _ = look_of(tmp_path / 'pose.mcap')

    assert look.detections is not None
    (found,) = look.detections
    assert found.camera_p == pytest.approx((0.1, 0.2, 2.0))
    assert found.size_m == pytest.approx((0.1, 0.2, 0.3))
    assert AHEAD.apply(found.camera_p) == pytest.approx((2.0, -0.1, 0.8))

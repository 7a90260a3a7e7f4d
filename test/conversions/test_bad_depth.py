"""Depth images that are not what they say: each is a named, counted outcome."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from st_memory.conversions import FrameAssembler
from st_memory.conversions.depth_fit import fit_depth
from st_memory.conversions.images import depth_from_message
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import PinholeCamera
from st_memory.core.records import CameraFrame
from test.conversions import fake_messages as fake
from test.conversions.assembling import assembler_of, CAMERA, DEPTH, FOUND, INFO, push_look, T0

WIDTH, HEIGHT = 128, 96
MODEL = PinholeCamera(WIDTH, HEIGHT, 100.0, 100.0, 63.5, 47.5)
# A kitchen: from 0.6 m to 4 m.
KITCHEN_M = np.linspace(0.6, 4.0, WIDTH * HEIGHT, dtype=np.float32).reshape(HEIGHT, WIDTH)
KITCHEN_MM = np.rint(KITCHEN_M * 1000).astype(np.uint16)


def look_with(message: Any) -> tuple[FrameAssembler, CameraFrame]:
    """Push a look whose depth is a message."""
    assembler = assembler_of(*CAMERA)
    assembler.push(INFO, fake.camera_info(T0, width=WIDTH, height=HEIGHT))
    assembler.push(DEPTH, message)
    (frame,) = assembler.push(FOUND, fake.detections(T0, fake.detection()))
    return assembler, frame.cameras[0]


@pytest.mark.parametrize(
    ('encoding', 'pixels'), [('16UC1', KITCHEN_MM), ('mono16', KITCHEN_MM), ('32FC1', KITCHEN_M)]
)
def test_right_depth_is_taken_and_nothing_counted(encoding: str, pixels: np.ndarray) -> None:
    assembler, camera = look_with(fake.raw_image(T0, encoding, pixels))

    np.testing.assert_allclose(camera.depth_m, KITCHEN_M, rtol=0, atol=6e-4)
    assert assembler.counters == {}


@pytest.mark.parametrize(
    ('encoding', 'pixels', 'reason'),
    [
        # Millimetres in floats: a kitchen of kilometres.
        ('32FC1', KITCHEN_M * 1000, 'depth_unit_implausible'),
        # Metres in whole numbers: a kitchen of millimetres.
        ('16UC1', np.rint(KITCHEN_M).astype(np.uint16), 'depth_unit_implausible'),
        # Floats that are called whole numbers, and the reverse.
        ('16UC1', KITCHEN_M, 'depth_undecodable'),
        ('32FC1', KITCHEN_MM, 'depth_undecodable'),
    ],
)
def test_mixed_up_encoding_is_counted_and_leaves_a_look_without_depth(
    encoding: str, pixels: np.ndarray, reason: str
) -> None:
    assembler, camera = look_with(fake.raw_image(T0, encoding, pixels))

    assert camera.depth_m is None
    assert camera.detections is not None
    assert assembler.counters == {reason: 1}


def test_floats_called_whole_numbers_are_named_as_what_they_are() -> None:
    message = fake.raw_image(T0, '16UC1', KITCHEN_M)

    with pytest.raises(
        ConversionError, match=r'depth: expected 16UC1 rows of 256 bytes, found step 512: .*32FC1'
    ):
        depth_from_message(message, 'depth')


@pytest.mark.parametrize('padding', [2, 64, 2 * WIDTH - 2, 2 * WIDTH + 2])
def test_padded_rows_are_no_floats(padding: int) -> None:
    depth_m = depth_from_message(fake.raw_image(T0, '16UC1', KITCHEN_MM, padding=padding))

    np.testing.assert_array_equal(depth_m, (KITCHEN_MM / np.float32(1000)).astype(np.float32))


@pytest.mark.parametrize(
    ('encoding', 'value'),
    [('16UC1', 0), ('16UC1', 65535), ('32FC1', 0.0), ('32FC1', np.nan), ('32FC1', np.inf)],
)
def test_all_invalid_depth_is_kept_as_unmeasured_and_counted(encoding: str, value: float) -> None:
    kind = np.uint16 if encoding == '16UC1' else np.float32
    pixels = np.full((HEIGHT, WIDTH), value, dtype=kind)

    assembler, camera = look_with(fake.raw_image(T0, encoding, pixels))

    assert camera.depth_m is not None
    assert np.isnan(camera.depth_m).all()
    assert assembler.counters == {'depth_all_invalid': 1}


def test_single_measured_pixel_is_a_measurement() -> None:
    pixels = np.zeros((HEIGHT, WIDTH), dtype=np.uint16)
    pixels[5, 7] = 1500

    assembler, camera = look_with(fake.raw_image(T0, '16UC1', pixels))

    assert camera.depth_m is not None
    assert camera.depth_m[5, 7] == np.float32(1.5)
    assert assembler.counters == {}


@pytest.mark.parametrize(
    ('shape', 'reason', 'is_kept'),
    [
        ((HEIGHT // 2, WIDTH // 2), 'depth_resized', True),
        ((2 * HEIGHT, 2 * WIDTH), 'depth_resized', True),
        ((WIDTH, HEIGHT), 'depth_size_mismatch', False),  # turned by 90 degrees
        ((HEIGHT, 2 * WIDTH), 'depth_size_mismatch', False),
        ((90, 160), 'depth_size_mismatch', False),  # 16:9 beside 4:3
    ],
)
def test_depth_of_another_size_is_counted(
    shape: tuple[int, int], reason: str, is_kept: bool
) -> None:
    pixels = np.full(shape, 1000, dtype=np.uint16)

    assembler, camera = look_with(fake.raw_image(T0, '16UC1', pixels))

    assert (camera.depth_m is not None) is is_kept
    if camera.depth_m is not None:
        assert camera.depth_m.shape == (HEIGHT, WIDTH)
        assert (camera.depth_m == 1.0).all()
    assert assembler.counters == {reason: 1}


@pytest.mark.parametrize(
    ('frame_id', 'is_kept'), [('optical', True), ('/optical', True), ('', True), ('ir', False)]
)
def test_depth_of_another_frame_is_counted(frame_id: str, is_kept: bool) -> None:
    assembler, camera = look_with(fake.raw_image(T0, '16UC1', KITCHEN_MM, frame_id=frame_id))

    assert (camera.depth_m is not None) is is_kept
    assert assembler.counters == ({} if is_kept else {'depth_in_other_frame': 1})


@pytest.mark.parametrize(
    ('depth_m', 'is_plausible'), [(0.019, False), (0.021, True), (199.0, True), (201.0, False)]
)
def test_half_of_an_image_decides_whether_the_unit_can_be_right(
    depth_m: float, is_plausible: bool
) -> None:
    """A minority of odd pixels does not: speckles, or a hand before the lens."""
    image = np.full((HEIGHT, WIDTH), depth_m, dtype=np.float32)
    image[:, : WIDTH // 3] = 1.0
    image[0] = np.nan
    counters = Counter[str]()

    fitted = fit_depth(image, MODEL, counters)

    assert (fitted is not None) is is_plausible
    assert counters == ({} if is_plausible else {'depth_unit_implausible': 1})


def test_clock_that_jumps_back_is_counted() -> None:
    assembler = assembler_of(*CAMERA)
    push_look(assembler, T0)

    push_look(assembler, T0 // 2)

    assert assembler.counters == {'clock_jumped_back': 1}
    assert assembler.epoch == 1

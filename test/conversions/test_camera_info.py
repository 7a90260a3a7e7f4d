"""Tests of CameraInfo in both directions."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from st_memory.conversions.camera_info import calibration_key, camera_from_info
from st_memory.conversions.camera_info_fields import camera_info_fields
from st_memory.core.errors import ConversionError
from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    Fisheye624Camera,
    PinholeCamera,
    PlumbBobCamera,
    RationalCamera,
)
from test.conversions import fake_messages as fake

K = (5.0, 0.0, 1.5, 0.0, 6.0, 1.0, 0.0, 0.0, 1.0)
OTHER_P = (4.0, 0.0, 1.6, 0.0, 0.0, 4.5, 1.1, 0.0, 0.0, 0.0, 1.0, 0.0)
COEFFS_624 = (0.4, -0.4, 0.1, 0.2, -0.2, 0.05, 1e-4, -2e-4, 1e-4, 2e-4, -1e-4, 3e-4)


def message_of(model: CameraModel) -> Any:
    """Build the message that a writer makes of a model."""
    f = camera_info_fields(model)
    return fake.camera_info(
        1, width=f.width, height=f.height, k=f.k, d=f.d, p=f.p, model=f.distortion_model
    )


@pytest.mark.parametrize(
    'model',
    [
        PinholeCamera(640, 480, 500.0, 501.0, 320.0, 240.0),
        PlumbBobCamera(640, 480, 500.0, 501.0, 320.0, 240.0, 0.1, -0.05, 1e-3, 2e-3, 0.01),
        RationalCamera(
            640, 480, 500.0, 501.0, 320.0, 240.0, 0.1, 0.05, 1e-3, 2e-3, 0.01, 0.2, 0.1, 0.02
        ),
        EquidistantCamera(640, 480, 300.0, 301.0, 320.0, 240.0, 0.01, 0.02, -0.01, 0.001),
        EquidistantCamera(640, 480, 300.0, 300.0, 320.0, 240.0, 0.01, 0.0, 0.0, 0.0, 230.0),
        EquidistantCamera(640, 480, 300.0, 300.0, 320.0, 240.0),
        Fisheye624Camera(1408, 1408, 610.0, 703.5, 704.5, COEFFS_624),
        Fisheye624Camera(1408, 1408, 610.0, 703.5, 704.5, COEFFS_624, 700.0),
        DoubleSphereCamera(640, 480, 300.0, 301.0, 320.0, 240.0, -0.2, 0.6),
    ],
)
def test_camera_from_info_of_written_fields_gives_the_model_back(model: CameraModel) -> None:
    assert camera_from_info(message_of(model)) == model


def test_camera_info_fields_of_pinhole_has_five_zero_coefficients() -> None:
    fields = camera_info_fields(PinholeCamera(4, 3, 5.0, 6.0, 1.5, 1.0))

    assert (fields.distortion_model, fields.d) == ('plumb_bob', (0.0,) * 5)


def test_camera_info_fields_of_fisheye624_puts_the_radius_last() -> None:
    fields = camera_info_fields(
        Fisheye624Camera(1408, 1408, 610.0, 703.5, 704.5, COEFFS_624, 700.0)
    )

    assert fields.d == (*COEFFS_624, 700.0)
    assert fields.k == (610.0, 0.0, 703.5, 0.0, 610.0, 704.5, 0.0, 0.0, 1.0)


@pytest.mark.parametrize('name', ['plumb_bob', 'rational_polynomial', '', 'equidistant'])
def test_camera_from_info_empty_distortion_is_pinhole(name: str) -> None:
    camera = camera_from_info(fake.camera_info(1, k=K, model=name))

    assert camera == PinholeCamera(4, 3, 5.0, 6.0, 1.5, 1.0)


def test_camera_from_info_rectified_uses_p() -> None:
    camera = camera_from_info(fake.camera_info(1, k=K, p=OTHER_P, d=[0.0] * 5))

    assert camera == PinholeCamera(4, 3, 4.0, 4.5, 1.6, 1.1)


def test_camera_from_info_distorted_uses_k() -> None:
    camera = camera_from_info(fake.camera_info(1, k=K, p=OTHER_P, d=[0.1, 0.0, 0.0, 0.0, 0.0]))

    assert camera.parameters[:4] == (5.0, 6.0, 1.5, 1.0)


def test_camera_from_info_zero_p_uses_k() -> None:
    assert camera_from_info(fake.camera_info(1, k=K)).parameters == (5.0, 6.0, 1.5, 1.0)


def test_camera_from_info_zero_k_uses_p() -> None:
    camera = camera_from_info(fake.camera_info(1, k=(0.0,) * 9, p=OTHER_P))

    assert camera.parameters == (4.0, 4.5, 1.6, 1.1)


@pytest.mark.parametrize('fx', [0.0, -5.0, float('nan')])
def test_camera_from_info_without_focal_length_raises(fx: float) -> None:
    message = fake.camera_info(1, k=(fx, 0.0, 1.5, 0.0, 6.0, 1.0, 0.0, 0.0, 1.0))

    with pytest.raises(ConversionError, match='/head/camera_info: expected focal lengths > 0'):
        camera_from_info(message, '/head/camera_info')


def test_camera_from_info_unknown_model_names_the_known_ones() -> None:
    with pytest.raises(ConversionError, match=r"'omni'; known are plumb_bob, .*fisheye624"):
        camera_from_info(fake.camera_info(1, model='omni'), '/head/camera_info')


@pytest.mark.parametrize(
    ('name', 'd', 'kind'),
    [
        ('plumb_bob', [0.1, 0.2, 0.0, 0.0], PlumbBobCamera),
        ('plumb_bob', [0.1, 0.2, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0], RationalCamera),
        ('rational_polynomial', [0.1, 0.2, 0.0, 0.0, 0.0], RationalCamera),
        ('rational_polynomial', [0.1] + [0.0] * 13, RationalCamera),
    ],
)
def test_camera_from_info_coefficient_counts_of_opencv(
    name: str, d: list[float], kind: type
) -> None:
    camera = camera_from_info(fake.camera_info(1, model=name, d=d))

    assert type(camera) is kind
    assert camera.parameters[4] == 0.1


def test_camera_from_info_thin_prism_raises() -> None:
    message = fake.camera_info(1, model='rational_polynomial', d=[0.1] * 12)

    with pytest.raises(ConversionError, match='thin prism'):
        camera_from_info(message, '/head/camera_info')


@pytest.mark.parametrize(('name', 'count'), [('equidistant', 3), ('fisheye624', 11)])
def test_camera_from_info_too_few_coefficients_raises(name: str, count: int) -> None:
    with pytest.raises(ConversionError, match='unusable calibration'):
        camera_from_info(fake.camera_info(1, model=name, d=[0.1] * count))


def test_camera_from_info_fisheye624_with_two_focal_lengths_raises() -> None:
    with pytest.raises(ConversionError, match='one focal length'):
        camera_from_info(fake.camera_info(1, k=K, model='fisheye624', d=COEFFS_624))


def test_camera_from_info_fisheye_is_equidistant() -> None:
    camera = camera_from_info(fake.camera_info(1, model='fisheye', d=[0.01, 0.0, 0.0, 0.0]))

    assert camera.model_name == 'equidistant'


def test_camera_from_info_resized_image_scales_about_pixel_corners() -> None:
    camera = camera_from_info(fake.camera_info(1, k=K), image_size=(8, 6))

    # (1.5 + 0.5) * 2 - 0.5 = 3.5 and (1.0 + 0.5) * 2 - 0.5 = 2.5
    assert camera == PinholeCamera(8, 6, 10.0, 12.0, 3.5, 2.5)


def test_camera_from_info_fisheye624_resized_to_another_shape_raises() -> None:
    message = message_of(Fisheye624Camera(1408, 1408, 610.0, 703.5, 704.5, COEFFS_624))

    with pytest.raises(ConversionError, match='unusable calibration'):
        camera_from_info(message, image_size=(1408, 704))


def test_camera_from_info_binning_halves_the_image() -> None:
    camera = camera_from_info(fake.camera_info(1, k=K, width=4, height=4, binning=(2, 2)))

    # (1.5 + 0.5) / 2 - 0.5 = 0.5 and (1.0 + 0.5) / 2 - 0.5 = 0.25
    assert camera == PinholeCamera(2, 2, 2.5, 3.0, 0.5, 0.25)


def test_camera_from_info_region_of_interest_moves_the_centre() -> None:
    camera = camera_from_info(fake.camera_info(1, k=K, roi=(1, 1, 2, 2)))

    assert camera == PinholeCamera(2, 2, 5.0, 6.0, 0.5, 0.0)


def test_camera_from_info_ros1_spells_the_fields_with_capitals() -> None:
    message = fake.camera_info(1, k=K)
    ros1 = SimpleNamespace(
        **{name: value for name, value in vars(message).items() if name not in 'kdp'},
        K=message.k,
        D=message.d,
        P=message.p,
    )

    assert camera_from_info(ros1) == camera_from_info(message)


def test_calibration_key_ignores_the_stamp_and_sees_a_coefficient() -> None:
    first = calibration_key(fake.camera_info(1, d=[0.1] * 5))

    assert calibration_key(fake.camera_info(2, d=[0.1] * 5)) == first
    assert calibration_key(fake.camera_info(1, d=[0.1, 0.1, 0.1, 0.1, 0.2])) != first


def test_camera_from_info_zero_size_raises() -> None:
    with pytest.raises(ConversionError, match='unusable calibration'):
        camera_from_info(fake.camera_info(1, width=0, height=0, k=np.array(K).tolist()))


@pytest.mark.parametrize(
    ('change', 'found'),
    [
        ({'width': 2**32 - 1, 'height': 255}, r'at most 268435456 pixels, found 4294967295 x 255'),
        ({'d': (0.1, math.nan, 0.0, 0.0, 0.0)}, r'numbers below 1e\+06, found .*nan'),
        ({'d': (1e30,), 'model': 'equidistant'}, r'numbers below 1e\+06, found .*1e\+30'),
        ({'k': (math.inf, 0, 1, 0, 5, 1, 0, 0, 1)}, r'numbers below 1e\+06, found \[inf'),
    ],
)
def test_camera_from_info_numbers_of_no_camera_raise(change: dict[str, Any], found: str) -> None:
    with pytest.raises(ConversionError, match=f'head: unusable calibration: expected {found}'):
        camera_from_info(fake.camera_info(1, **change), 'head')

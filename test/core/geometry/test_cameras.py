"""The camera factory, parameter checks, and what counts as inside the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.core.geometry import (
    camera_from_parameters,
    CAMERA_MODELS,
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    Fisheye624Camera,
    in_image,
    PinholeCamera,
    PlumbBobCamera,
    RationalCamera,
)
from test.core.geometry.lenses import ARIA, CAMERAS

PINHOLE = PinholeCamera(640, 480, 600.0, 600.0, 319.5, 239.5)
ROUND = EquidistantCamera(640, 480, 250.0, 250.0, 320.0, 240.0, valid_radius_px=100.0)


@pytest.mark.parametrize('camera', CAMERAS.values(), ids=list(CAMERAS))
def test_factory_rebuilds_every_camera(camera: CameraModel) -> None:
    """What a store keeps of a camera gives an equal camera of the same class."""
    circle = camera.valid_circle

    again = camera_from_parameters(
        camera.model_name,
        camera.width,
        camera.height,
        camera.parameters,
        None if circle is None else circle[2],
    )

    assert again == camera
    assert hash(again) == hash(camera)


@pytest.mark.parametrize(
    'camera',
    [
        PINHOLE,
        EquidistantCamera(640, 480, 250.0, 250.0, 320.0, 240.0),
        Fisheye624Camera(640, 480, 250.0, 320.0, 240.0, ARIA),
        DoubleSphereCamera(640, 480, 250.0, 250.0, 320.0, 240.0, 0.1, 0.5),
    ],
)
def test_camera_without_a_calibrated_circle_has_none(camera: CameraModel) -> None:
    """Nothing is invented."""
    assert camera.valid_circle is None


def test_factory_knows_every_model_of_the_tests() -> None:
    """No model is forgotten in either place."""
    assert {camera.model_name for camera in CAMERAS.values()} == set(CAMERA_MODELS)


@pytest.mark.parametrize(
    ('name', 'parameters', 'message'),
    [
        ('mei', [1.0] * 4, "model_name: expected one of .*'double_sphere'.*, got 'mei'"),
        ('plumb_bob', [1.0] * 5, 'expected 4 or 9 numbers for plumb_bob, got 5'),
        ('rational_polynomial', [1.0] * 9, 'expected 12 numbers for rational_polynomial, got 9'),
        ('fisheye624', [1.0] * 16, 'expected 15 numbers for fisheye624, got 16'),
    ],
)
def test_factory_refuses_what_it_cannot_build(
    name: str, parameters: list[float], message: str
) -> None:
    """Name and count are checked before the numbers."""
    with pytest.raises(ValueError, match=message):
        camera_from_parameters(name, 640, 480, parameters)


def test_factory_refuses_a_valid_circle_for_perspective_models() -> None:
    """It would be lost silently otherwise."""
    with pytest.raises(ValueError, match='plumb_bob has no valid circle'):
        camera_from_parameters('plumb_bob', 640, 480, [600.0, 600.0, 320.0, 240.0], 300.0)


@pytest.mark.parametrize(
    ('build', 'arguments', 'message'),
    [
        (PinholeCamera, (0, 480, 1.0, 1.0, 0.0, 0.0), 'expected width, height > 0, got 0 x 480'),
        (PinholeCamera, (640, 480, 0.0, 1.0, 0.0, 0.0), 'fx: expected a focal length > 0'),
        (PinholeCamera, (640, 480, 1.0, 1.0, np.nan, 0.0), 'cx: expected a finite number'),
        (PlumbBobCamera, (640, 480, 1.0, 1.0, 0.0, 0.0, np.inf), 'k1: expected a finite number'),
        (RationalCamera, (9, 9, 1.0, 1.0, *[0.0] * 9, np.nan), 'k6: expected a finite number'),
        (EquidistantCamera, (9, 9, 1.0, -1.0, 0.0, 0.0), 'fy: expected a focal length > 0'),
        (EquidistantCamera, (9, 9, 1.0, 1.0, 0, 0, 0, 0, 0, np.nan), 'k4: expected a finite'),
        (EquidistantCamera, (9, 9, 1.0, 1.0, *[0.0] * 6, -1.0), 'valid_radius_px: expected a num'),
        (Fisheye624Camera, (9, 9, 1.0, 0.0, 0.0, ARIA[:11]), 'expected 12 numbers, got 11'),
        (Fisheye624Camera, (9, 9, -1.0, 0.0, 0.0, ARIA), 'f: expected a focal length > 0'),
        (
            Fisheye624Camera,
            (9, 9, 1.0, 0.0, 0.0, (*ARIA[:11], np.nan)),
            r'coeffs\[11\]: expected a finite number',
        ),
        (DoubleSphereCamera, (9, 9, 1.0, 1.0, 0.0, 0.0, 1.0, 0.5), 'expected -1 < xi < 1'),
        (DoubleSphereCamera, (9, 9, 1.0, 1.0, 0.0, 0.0, 0.0, 1.1), 'expected 0 <= alpha <= 1'),
        (DoubleSphereCamera, (9, 9, 1.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0), 'valid_radius_px'),
    ],
)
def test_camera_refuses_numbers_that_make_no_camera(
    build: Any, arguments: tuple[Any, ...], message: str
) -> None:
    """An uncalibrated CameraInfo (all zero) is an error here, not later."""
    with pytest.raises(ValueError, match=message):
        build(*arguments)


def test_camera_is_frozen() -> None:
    """A calibration cannot change under a memory."""
    with pytest.raises(AttributeError, match='cannot assign to field'):
        PINHOLE.fx = 1.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ('bounds', 'expected'),
    [('area', [True, True, False, False]), ('zero', [False, True, True, False])],
)
def test_in_image_bounds_are_half_open(bounds: str, expected: list[bool]) -> None:
    """The left border belongs to the image, the right one does not, in both conventions."""
    u = np.array([-0.5, 0.0, 639.5, 640.0])

    across = in_image(PINHOLE, np.column_stack((u, np.full(4, 10.0))), bounds=bounds)
    down = in_image(
        PINHOLE, np.column_stack((np.full(4, 10.0), u - 160.0 * (u > 0))), bounds=bounds
    )

    assert across.tolist() == expected
    assert down.tolist() == expected


def test_in_image_nan_is_outside() -> None:
    """What has no pixel is not in the image."""
    assert not in_image(PINHOLE, [[np.nan, 1.0], [1.0, np.nan]], circle='none').any()


@pytest.mark.parametrize(
    ('camera', 'circle', 'expected'),
    [
        # Radii 100 and 100.01 about (320, 240); 239 and 241 from the image centre.
        (ROUND, 'none', [True, True, True, True]),
        (ROUND, 'calibrated', [True, False, False, False]),
        (ROUND, 'inscribed', [True, True, True, False]),
        (ROUND, 'calibrated_or_inscribed', [True, False, False, False]),
        (PINHOLE, 'calibrated', [True, True, True, True]),
        (PINHOLE, 'calibrated_or_inscribed', [True, True, True, False]),
    ],
)
def test_in_image_circle_rules(camera: CameraModel, circle: str, expected: list[bool]) -> None:
    """The rim belongs to the circle; a lens without one is cut only on demand."""
    pixels = [[420.0, 240.0], [420.01, 240.0], [558.5, 239.5], [560.5, 239.5]]

    assert in_image(camera, pixels, circle=circle).tolist() == expected


@pytest.mark.parametrize(
    ('names', 'message'),
    [
        ({'bounds': 'half'}, r"bounds: expected one of \['area', 'zero'\], got 'half'"),
        ({'circle': 'square'}, "circle: expected one of .*'inscribed'.*, got 'square'"),
    ],
)
def test_in_image_unknown_rule_raises(names: dict[str, str], message: str) -> None:
    """A misspelt preset is not a default."""
    with pytest.raises(ValueError, match=message):
        in_image(PINHOLE, np.zeros((1, 2)), **names)


def test_in_image_wrong_shape_raises() -> None:
    """Pixels are (N, 2)."""
    with pytest.raises(ValueError, match=r'pixels: expected shape \(N, 2\), got \(2,\)'):
        in_image(PINHOLE, [1.0, 2.0])

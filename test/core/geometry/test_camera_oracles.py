"""Camera models against OpenCV and COLMAP: at most 1e-9 px apart."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    Fisheye624Camera,
    PinholeCamera,
    PlumbBobCamera,
    RationalCamera,
)
from test.core.geometry.lenses import (
    ARIA,
    BARREL,
    CAMERAS,
    FOCAL,
    KANNALA_BRANDT,
    RATIONAL,
    SIZE,
    WIDE_FOCAL,
)

ATOL_PX = 1e-9


def points_in_front(count: int = 5000) -> np.ndarray:
    """Points up to about 60 degrees off the axis."""
    rng = np.random.default_rng(0)
    depth_m = rng.uniform(0.3, 5.0, count)
    xy = rng.uniform(-1.2, 1.2, (count, 2)) * depth_m[:, None]
    return np.column_stack((xy, depth_m))


def assert_pixels_equal(camera: CameraModel, camera_p: np.ndarray, expected: np.ndarray) -> None:
    """Where our model has a pixel it is the oracle's; most points have one."""
    pixels, projectable = camera.project(camera_p)
    assert projectable.mean() > 0.5
    np.testing.assert_allclose(pixels[projectable], expected[projectable], rtol=0, atol=ATOL_PX)


def matrix(focal: tuple[float, float, float, float]) -> np.ndarray:
    """K of OpenCV."""
    fx, fy, cx, cy = focal
    return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize('name', ['plumb_bob', 'plumb_bob_folding', 'rational_polynomial'])
def test_perspective_equals_opencv(name: str) -> None:
    """cv2.projectPoints with 5 and 8 coefficients."""
    cv2 = pytest.importorskip('cv2', reason='OpenCV is the oracle')
    camera, camera_p = CAMERAS[name], points_in_front()

    lens = np.array(camera.parameters[4:])
    expected, _ = cv2.projectPoints(camera_p, np.zeros(3), np.zeros(3), matrix(FOCAL), lens)

    assert_pixels_equal(camera, camera_p, expected[:, 0])


def test_equidistant_equals_opencv_fisheye() -> None:
    """cv2.fisheye.projectPoints."""
    cv2 = pytest.importorskip('cv2', reason='OpenCV is the oracle')
    camera_p = points_in_front()

    expected, _ = cv2.fisheye.projectPoints(
        camera_p[:, None], np.zeros(3), np.zeros(3), matrix(WIDE_FOCAL), np.array(KANNALA_BRANDT)
    )

    assert_pixels_equal(CAMERAS['equidistant'], camera_p, expected[:, 0])


@pytest.mark.parametrize(
    ('name', 'model', 'parameters'),
    [
        ('pinhole', 'PINHOLE', FOCAL),
        ('rational_polynomial', 'FULL_OPENCV', (*FOCAL, *RATIONAL)),
        ('equidistant', 'OPENCV_FISHEYE', (*WIDE_FOCAL, *KANNALA_BRANDT)),
        ('fisheye624', 'RAD_TAN_THIN_PRISM_FISHEYE', (610.0, 610.0, 704.0, 705.0, *ARIA)),
    ],
)
def test_model_equals_colmap(name: str, model: str, parameters: tuple[float, ...]) -> None:
    """COLMAP has all of them but double sphere; its fisheye624 repeats the focal length."""
    pycolmap = pytest.importorskip('pycolmap', reason='COLMAP is the oracle')
    camera, camera_p = CAMERAS[name], points_in_front()

    oracle = pycolmap.Camera(
        model=model, width=camera.width, height=camera.height, params=list(parameters)
    )

    assert_pixels_equal(camera, camera_p, np.asarray(oracle.img_from_cam(camera_p)))


def test_unproject_equals_opencv() -> None:
    """cv2.undistortPoints, run until it no longer moves."""
    cv2 = pytest.importorskip('cv2', reason='OpenCV is the oracle')
    camera = PlumbBobCamera(*SIZE, *FOCAL, *BARREL)
    u, v = np.meshgrid(np.linspace(0, 639, 17), np.linspace(0, 479, 13))
    pixels = np.stack((u.ravel(), v.ravel()), axis=1)

    criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 200, 1e-16)
    expected = cv2.undistortPointsIter(
        pixels[:, None], matrix(FOCAL), np.array(BARREL), None, None, criteria
    )

    rays = camera.unproject(pixels)
    np.testing.assert_allclose(rays[:, :2], expected[:, 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ('camera', 'same'),
    [
        (PlumbBobCamera(*SIZE, *FOCAL), PinholeCamera(*SIZE, *FOCAL)),
        (RationalCamera(*SIZE, *FOCAL, *BARREL), PlumbBobCamera(*SIZE, *FOCAL, *BARREL)),
        (DoubleSphereCamera(*SIZE, *FOCAL, 0.0, 0.0), PinholeCamera(*SIZE, *FOCAL)),
    ],
)
def test_special_case_equals_the_simpler_model(camera: CameraModel, same: CameraModel) -> None:
    """With the extra coefficients at zero nothing else changes."""
    camera_p = points_in_front()

    got, expected = camera.project(camera_p), same.project(camera_p)

    np.testing.assert_allclose(got.pixels, expected.pixels, rtol=0, atol=ATOL_PX)
    np.testing.assert_array_equal(got.projectable, expected.projectable)


def test_fisheye624_without_decentring_is_an_equidistant_camera() -> None:
    """Four of its six radial terms are Kannala-Brandt's."""
    wide = Fisheye624Camera(640, 480, 250.0, 320.0, 240.0, (*KANNALA_BRANDT, *[0.0] * 8))
    camera_p = points_in_front()
    camera_p[:, 1] *= 250.0 / 251.0  # the other camera has fy = 251

    pixels = wide.project(camera_p).pixels

    radius, angle = np.hypot(*(pixels - [320.0, 240.0]).T), np.hypot(*camera_p[:, :2].T)
    theta = np.arctan(angle / camera_p[:, 2])
    k1, k2, k3, k4 = KANNALA_BRANDT
    expected = 250 * theta * (1 + k1 * theta**2 + k2 * theta**4 + k3 * theta**6 + k4 * theta**8)
    np.testing.assert_allclose(radius, expected, rtol=0, atol=ATOL_PX)


def test_double_sphere_projects_a_hand_computed_point() -> None:
    """(3, 0, 4) with xi 0.2, alpha 0.5: d1 = 5, shifted z = 5, d2 = sqrt(34)."""
    camera = DoubleSphereCamera(*SIZE, 100.0, 100.0, 0.0, 0.0, 0.2, 0.5)

    u, v = camera.project(np.array([[3.0, 0.0, 4.0]])).pixels[0]

    assert u == pytest.approx(100 * 3 / (0.5 * np.sqrt(34) + 0.5 * 5), abs=1e-12)
    assert v == 0.0

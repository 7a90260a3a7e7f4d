"""Camera models against Project Aria's own: pixels, rays, and what counts as visible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.core.geometry import (
    CameraModel,
    EquidistantCamera,
    Fisheye624Camera,
    in_image,
    PinholeCamera,
)
from st_memory.datasets.beyond3d_files import read_calibration
from test.core.geometry.lenses import ARIA, FOCAL, KANNALA_BRANDT, SIZE, WIDE_FOCAL

aria = pytest.importorskip(
    'projectaria_tools.core.calibration', reason='projectaria-tools is the oracle'
)
sophus = pytest.importorskip('projectaria_tools.core.sophus', reason='it comes with the oracle')

ATOL_PX = 1e-9
CAMERAS: dict[str, tuple[CameraModel, str]] = {
    'pinhole': (PinholeCamera(*SIZE, *FOCAL), 'LINEAR'),
    'equidistant': (
        EquidistantCamera(*SIZE, *WIDE_FOCAL, *KANNALA_BRANDT, valid_radius_px=300.0),
        'KANNALA_BRANDT_K3',
    ),
    'fisheye624': (Fisheye624Camera(1408, 1408, 610.0, 704.0, 705.0, ARIA, 707.5), 'FISHEYE624'),
}
every_pair = pytest.mark.parametrize(('camera', 'model'), CAMERAS.values(), ids=list(CAMERAS))


def oracle_of(camera: CameraModel, model: str, max_angle: float = 1.5) -> Any:
    """Build Aria's calibration with the same numbers."""
    circle = camera.valid_circle
    return aria.CameraCalibration(
        'camera',
        getattr(aria.CameraModelType, model),
        np.array(camera.parameters),
        sophus.SE3(),
        camera.width,
        camera.height,
        None if circle is None else circle[2],
        max_angle,
        'serial',
    )


def everywhere(count: int = 4000) -> np.ndarray:
    """Points all around the camera."""
    directions = np.random.default_rng(0).normal(size=(count, 3))
    return directions * np.random.default_rng(1).uniform(0.1, 5.0, (count, 1))


@every_pair
def test_pixels_equal_arias(camera: CameraModel, model: str) -> None:
    """Wherever ours is projectable."""
    projection = aria.CameraProjection(
        getattr(aria.CameraModelType, model), np.array(camera.parameters)
    )
    camera_p = everywhere()

    pixels, projectable = camera.project(camera_p)

    assert projectable.mean() > 0.2
    expected = [projection.project(p) for p in camera_p[projectable]]
    np.testing.assert_allclose(pixels[projectable], expected, rtol=0, atol=ATOL_PX)


@every_pair
def test_rays_equal_arias(camera: CameraModel, model: str) -> None:
    """Wherever ours has a ray, inside the lens's limit."""
    projection = oracle_of(camera, model)
    u, v = np.meshgrid(np.linspace(0, camera.width - 1, 23), np.linspace(0, camera.height - 1, 19))
    pixels = np.stack((u.ravel(), v.ravel()), axis=1)

    rays = camera.unproject(pixels)

    has_ray = np.isfinite(rays[:, 0])
    assert has_ray.mean() > 0.6
    x, y, z = np.array([projection.unproject_no_checks(p) for p in pixels[has_ray]]).T
    theirs = np.column_stack((x / z, y / z, np.ones_like(z)))
    # Towards the rim of a folding lens their search ends in the ray that the folded part would
    # bend to the pixel, or nowhere; ours must be right there too (test_camera_models).
    again = np.array([projection.project_no_checks(ray) for ray in theirs])
    is_right = np.abs(again - pixels[has_ray]).max(axis=1) < 1e-6
    is_right &= np.arctan(np.hypot(*theirs[:, :2].T)) < getattr(camera, 'max_angle', 1.5)
    assert is_right.mean() > 0.8
    np.testing.assert_allclose(rays[has_ray][is_right], theirs[is_right], rtol=1e-9, atol=1e-9)


@every_pair
def test_what_is_visible_equals_arias(camera: CameraModel, model: str) -> None:
    """In front, within the angle, in the image and in its circle: point for point the same."""
    max_angle = getattr(camera, 'max_angle', 1.5)
    oracle = oracle_of(camera, model, max_angle)
    camera_p = everywhere()

    pixels, projectable = camera.project(camera_p)
    visible = projectable & in_image(camera, pixels)

    expected = [oracle.project(p) is not None for p in camera_p]
    assert 0.02 < visible.mean() < 0.5
    np.testing.assert_array_equal(visible, expected)


@every_pair
def test_formula_alone_would_see_behind_the_camera(camera: CameraModel, model: str) -> None:
    """Aria's unchecked projection puts such points into the image: a check is ours to make."""
    projection = aria.CameraProjection(
        getattr(aria.CameraModelType, model), np.array(camera.parameters)
    )
    camera_p = everywhere()
    behind = camera_p[camera_p[:, 2] < 0]

    formula = np.array([projection.project(p) for p in behind])

    assert not camera.project(behind).projectable.any()
    if model != 'KANNALA_BRANDT_K3':
        assert in_image(camera, formula, circle='none').any()


@pytest.mark.parametrize('name', ['pinhole', 'fisheye624'])
@pytest.mark.parametrize('scale', [0.5, 2.0])
def test_resized_camera_equals_arias(name: str, scale: float) -> None:
    """Of the same image in another size."""
    camera, model = CAMERAS[name]
    size = np.array([round(camera.width * scale), round(camera.height * scale)])

    ours = camera.resized(*size.tolist())
    theirs = oracle_of(camera, model).rescale(size, scale)

    np.testing.assert_allclose(ours.parameters, theirs.get_projection_params(), rtol=1e-12)
    if ours.valid_circle is not None:
        assert ours.valid_circle[2] == theirs.get_valid_radius()


@pytest.mark.data
def test_camera_of_a_calibration_file_equals_arias(shared_data: Path) -> None:
    """The glasses' own calibration, as it was recorded."""
    camera = read_calibration(shared_data / 'beyond3d_p01').camera
    oracle = oracle_of(camera, 'FISHEYE624', camera.max_angle)
    camera_p = everywhere()

    pixels, projectable = camera.project(camera_p)
    visible = projectable & in_image(camera, pixels)

    expected = [oracle.project(p) for p in camera_p]
    np.testing.assert_array_equal(visible, [p is not None for p in expected])
    inside = np.array([p for p in expected if p is not None])
    np.testing.assert_allclose(pixels[visible], inside, rtol=0, atol=ATOL_PX)

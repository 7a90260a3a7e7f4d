"""Fisheye624 against the published pixels of one real recording."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.geometry import camera_from_parameters, Fisheye624Camera, in_image

pytestmark = pytest.mark.data


@pytest.fixture(name='camera')
def fixture_camera(shared_data: Path) -> Fisheye624Camera:
    """Load the calibrated RGB camera."""
    path = shared_data / 'beyond3d_p01' / 'camera_rgb_calibration.json'
    rgb = json.loads(path.read_text(encoding='utf-8'))['camera-rgb']
    width, height = rgb['image_size']
    camera = camera_from_parameters(
        'fisheye624', width, height, rgb['projection_params'], rgb['valid_radius']
    )
    assert isinstance(camera, Fisheye624Camera)
    return camera


@pytest.fixture(name='samples')
def fixture_samples(shared_data: Path) -> tuple[np.ndarray, np.ndarray]:
    """Load all camera coordinates (m) that have a published pixel, and those pixels."""
    [path] = (shared_data / 'beyond3d_p01').glob('inview_track_*.json')
    tracks = json.loads(path.read_text(encoding='utf-8'))['object_tracks'].values()
    pairs = [
        (point, pixel)
        for track in tracks
        for point, pixel in zip(
            track['camera_coordinate_samples'], track['projected_pixel_samples'], strict=True
        )
        if point is not None and pixel is not None
    ]
    return np.array([p for p, _ in pairs]), np.array([q for _, q in pairs])


def test_formula_reproduces_every_published_pixel(
    camera: Fisheye624Camera, samples: tuple[np.ndarray, np.ndarray]
) -> None:
    """6,698 pixels, most of them outside the image, to 1e-7 px."""
    camera_p, published = samples

    pixels, projectable = camera.project_unchecked(camera_p)

    assert len(published) == 6698
    assert projectable.all()
    assert np.abs(pixels - published).max() <= 1e-7


def test_checked_projection_differs_only_beyond_its_limit(
    camera: Fisheye624Camera, samples: tuple[np.ndarray, np.ndarray]
) -> None:
    """What is dropped is beyond 79.9 degrees, where the thin prism folds back."""
    camera_p, published = samples
    angle = np.arctan2(np.hypot(camera_p[:, 0], camera_p[:, 1]), camera_p[:, 2])

    pixels, projectable = camera.project(camera_p)

    assert np.degrees(camera.max_angle) == pytest.approx(79.9, abs=0.05)
    np.testing.assert_array_equal(projectable, angle <= camera.max_angle)
    assert np.abs(pixels - published)[projectable].max() <= 1e-7


def test_folded_pixels_would_be_taken_for_visible(
    camera: Fisheye624Camera, samples: tuple[np.ndarray, np.ndarray]
) -> None:
    """Five points beyond the limit have a published pixel in the image, one in the circle."""
    camera_p, published = samples
    folded = published[~camera.project(camera_p).projectable]

    assert in_image(camera, folded, bounds='zero', circle='none').sum() == 5
    assert in_image(camera, folded, bounds='zero', circle='calibrated').sum() == 1


def test_rays_of_published_pixels_point_at_the_object(
    camera: Fisheye624Camera, samples: tuple[np.ndarray, np.ndarray]
) -> None:
    """Inside the valid circle a pixel gives back the direction of its object."""
    camera_p, published = samples
    seen = in_image(camera, published) & camera.project(camera_p).projectable

    rays = camera.unproject(published[seen])

    expected = camera_p[seen] / camera_p[seen][:, 2:]
    assert seen.sum() > 3000
    np.testing.assert_allclose(rays, expected, rtol=0, atol=1e-9)

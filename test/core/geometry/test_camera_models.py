"""What holds for every camera model."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import CameraModel
from test.core.geometry.lenses import CAMERAS

every_camera = pytest.mark.parametrize('camera', CAMERAS.values(), ids=list(CAMERAS))
DIRECTION = st.floats(-50.0, 50.0)


@every_camera
def test_model_satisfies_the_protocol(camera: CameraModel) -> None:
    """Each has all that callers may use."""
    assert isinstance(camera, CameraModel)
    assert camera.focal_px > 0


@every_camera
def test_point_on_the_axis_lands_on_the_principal_point(camera: CameraModel) -> None:
    """No model shifts the centre."""
    pixels, projectable = camera.project(np.array([[0.0, 0.0, 2.0]]))

    principal = camera.parameters[1:3] if camera.model_name == 'fisheye624' else (320.0, 240.0)
    assert projectable.all()
    np.testing.assert_allclose(pixels[0], principal, rtol=0, atol=1e-12)


@every_camera
def test_small_angle_moves_by_the_focal_length(camera: CameraModel) -> None:
    """Near the axis one micro-radian is focal_px micro-pixels (double sphere scales it)."""
    angle = 1e-6
    pixels, _ = camera.project(np.array([[0.0, 0.0, 1.0], [angle, 0.0, 1.0], [0.0, angle, 1.0]]))

    right, down = pixels[1] - pixels[0], pixels[2] - pixels[0]
    scale = 1.0
    if camera.model_name == 'double_sphere':
        xi, alpha = camera.parameters[4:]
        scale = 1.0 / (alpha * (1 + xi) + (1 - alpha) * (1 + xi))
    assert right[0] / angle == pytest.approx(camera.focal_px * scale, rel=0.01)
    assert down[1] / angle == pytest.approx(camera.focal_px * scale, rel=0.01)


@pytest.mark.parametrize('name', list(CAMERAS))
@given(x=DIRECTION, y=DIRECTION, depth_m=st.floats(1e-3, 1e3))
def test_whatever_is_projected_comes_back(name: str, x: float, y: float, depth_m: float) -> None:
    """Unproject(project(p)) = p / z wherever the model says projectable: it is one-to-one."""
    camera = CAMERAS[name]
    pixels, projectable = camera.project(np.array([[x * depth_m, y * depth_m, depth_m]]))

    rays = camera.unproject(pixels)

    if projectable[0]:
        # At the very edge of a model its slope is zero, so a pixel no longer tells rays apart.
        is_at_edge = not camera.project(np.array([[1.02 * x, 1.02 * y, 1.0]])).projectable[0]
        rtol = 0.05 if is_at_edge else 1e-9
        np.testing.assert_allclose(rays[0], [x, y, 1.0], rtol=rtol, atol=1e-12)
    else:
        assert np.isnan(pixels).all()
        assert np.isnan(rays).all()


@every_camera
def test_every_ray_of_the_image_projects_to_its_pixel(camera: CameraModel) -> None:
    """Project(unproject(u, v)) = (u, v) wherever there is a ray."""
    u, v = np.meshgrid(np.linspace(0, camera.width - 1, 41), np.linspace(0, camera.height - 1, 31))
    pixels = np.stack((u.ravel(), v.ravel()), axis=1)

    rays = camera.unproject(pixels)

    has_ray = np.isfinite(rays).all(axis=1)
    assert has_ray.mean() > 0.4
    assert np.isnan(rays[~has_ray]).all()
    np.testing.assert_array_equal(rays[has_ray, 2], 1.0)
    again, projectable = camera.project(rays[has_ray])
    assert projectable.all()
    np.testing.assert_allclose(again, pixels[has_ray], rtol=0, atol=1e-9)


@every_camera
def test_points_not_in_front_have_no_pixel(camera: CameraModel) -> None:
    """Behind, beside, at the centre, or not a number."""
    camera_p = np.array(
        [
            [0.0, 0.0, -1.0],
            [0.1, -0.1, -2.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 1e-9],
            [np.nan, 0.0, 1.0],
            [0.0, np.nan, 1.0],
            [0.0, 0.0, np.nan],
            [np.inf, 0.0, 1.0],
        ]
    )

    pixels, projectable = camera.project(camera_p)

    assert not projectable.any()
    assert np.isnan(pixels).all()


@every_camera
def test_radius_grows_with_the_angle_and_then_ends(camera: CameraModel) -> None:
    """Along any direction the pixel moves outwards until the model ends; nothing folds back."""
    angles = np.linspace(1e-3, np.pi / 2 - 1e-6, 2000)
    centre = camera.project(np.array([[0.0, 0.0, 1.0]])).pixels[0]
    for around in np.linspace(0, 2 * np.pi, 16, endpoint=False):
        direction = np.array([np.cos(around), np.sin(around)])
        xy = np.tan(angles)[:, None] * direction
        pixels, projectable = camera.project(np.column_stack((xy, np.ones(len(angles)))))

        assert (np.diff(projectable.astype(int)) <= 0).all()
        radius = np.hypot(*(pixels[projectable] - centre).T)
        assert (np.diff(radius) > 0).all()


@every_camera
def test_no_points_give_no_pixels(camera: CameraModel) -> None:
    """An empty look is not an error."""
    pixels, projectable = camera.project(np.empty((0, 3)))

    assert pixels.shape == (0, 2)
    assert projectable.shape == (0,)
    assert camera.unproject(np.empty((0, 2))).shape == (0, 3)


@every_camera
def test_wrong_shapes_raise(camera: CameraModel) -> None:
    """Points are (N, 3), pixels are (N, 2)."""
    with pytest.raises(ValueError, match=r'camera_p: expected shape \(N, 3\), got \(3,\)'):
        camera.project(np.zeros(3))
    with pytest.raises(ValueError, match=r'pixels: expected shape \(N, 2\), got \(1, 3\)'):
        camera.unproject(np.zeros((1, 3)))


@every_camera
def test_input_is_not_changed(camera: CameraModel) -> None:
    """Arrays given are left as they were."""
    camera_p = np.array([[0.1, 0.2, 1.0], [0.0, 0.0, -1.0], [90.0, 0.0, 1.0]])
    before = camera_p.copy()

    pixels, _ = camera.project(camera_p)
    pixels_before = pixels.copy()
    camera.unproject(pixels)

    np.testing.assert_array_equal(camera_p, before)
    np.testing.assert_array_equal(pixels, pixels_before)


@every_camera
def test_nan_and_unreachable_pixels_have_no_ray(camera: CameraModel) -> None:
    """Unknown stays unknown."""
    assert np.isnan(camera.unproject(np.array([[np.nan, 1.0], [1.0, np.nan]]))).all()


@every_camera
def test_half_size_image_halves_every_pixel_area(camera: CameraModel) -> None:
    """Pixel centres are integers: u + 0.5 scales, and so does the valid circle."""
    camera_p = np.array([[0.0, 0.0, 1.0], [0.2, -0.1, 1.0], [-0.3, 0.15, 1.1]])

    half = camera.resized(camera.width // 2, camera.height // 2)

    assert (half.width, half.height) == (camera.width // 2, camera.height // 2)
    assert type(half) is type(camera)
    expected = (camera.project(camera_p).pixels + 0.5) / 2 - 0.5
    np.testing.assert_allclose(half.project(camera_p).pixels, expected, rtol=0, atol=1e-11)
    if camera.valid_circle is not None:
        assert half.valid_circle is not None
        assert half.valid_circle[2] == camera.valid_circle[2] / 2


@pytest.mark.parametrize('name', ['pinhole', 'plumb_bob', 'rational_polynomial', 'double_sphere'])
def test_resized_by_two_scales_keeps_the_field_of_view(name: str) -> None:
    """Without a valid circle the axes may scale apart."""
    camera = CAMERAS[name]
    camera_p = np.array([[0.2, -0.1, 1.0]])

    other = camera.resized(camera.width * 2, camera.height)

    u, v = camera.project(camera_p).pixels[0]
    expected = [[(u + 0.5) * 2 - 0.5, v]]
    np.testing.assert_allclose(other.project(camera_p).pixels, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize('name', ['equidistant', 'fisheye624', 'double_sphere_wide'])
def test_resized_circle_to_ellipse_raises(name: str) -> None:
    """A valid circle, or a single focal length, cannot be stretched."""
    camera = CAMERAS[name]

    with pytest.raises(ValueError, match='expected one scale for both axes, got 2 and 1'):
        camera.resized(camera.width * 2, camera.height)

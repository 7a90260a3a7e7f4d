"""Whatever has a pixel in the image lies inside all planes of the view, for every lens."""

from __future__ import annotations

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    in_image,
    PinholeCamera,
    PlumbBobCamera,
    RationalCamera,
    view_planes,
)
from test.core.geometry.lenses import CAMERAS, FOCAL, SIZE, WIDE_FOCAL

COUNT = 10_000
PINHOLE = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)


def points_ahead(seed: int, count: int = COUNT) -> np.ndarray:
    """Points in front of the plane of the camera, as many near its border as in its middle."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, math.pi / 2, count)
    around = rng.uniform(-math.pi, math.pi, count)
    side = np.sin(angle)
    rays = np.stack((side * np.cos(around), side * np.sin(around), np.cos(angle)), axis=1)
    return rays * rng.uniform(0.01, 30.0, count)[:, None]


def pixels_of(model: CameraModel, seed: int, count: int = COUNT) -> np.ndarray:
    """Pixels all over the image, its corners and borders among them."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-0.5, model.width - 0.5, count)
    v = rng.uniform(-0.5, model.height - 0.5, count)
    last = np.nextafter(model.width - 0.5, 0.0), np.nextafter(model.height - 0.5, 0.0)
    u[::7], u[1::7], v[2::7], v[3::7] = -0.5, last[0], -0.5, last[1]
    u[4::49], v[4::49] = -0.5, last[1]
    return np.stack((u, v), axis=1)


def is_seen(model: CameraModel, camera_p: np.ndarray) -> np.ndarray:
    """Whether each point has a pixel in the image."""
    pixels = model.project(camera_p).pixels
    return in_image(model, pixels, bounds='area', circle='none')


def check_encloses(model: CameraModel, camera_p: np.ndarray) -> int:
    """Check the points that have a pixel in the image; gives how many there are."""
    is_in = is_seen(model, camera_p)
    slack = 1e-9 * np.sqrt((camera_p * camera_p).sum(axis=1))
    planes = view_planes(model)
    beyond_outer = (planes.outer @ camera_p.T).min(axis=0) < -slack
    assert int((is_in & beyond_outer).sum()) == 0
    if planes.inner is not None:
        within_inner = (planes.inner @ camera_p.T).min(axis=0) > slack
        assert int((within_inner & ~is_in).sum()) == 0
    return int(is_in.sum())


@pytest.mark.parametrize('name', sorted(CAMERAS))
def test_every_point_of_the_image_is_inside_and_every_one_well_inside_is_in_it(name: str) -> None:
    assert check_encloses(CAMERAS[name], points_ahead(seed=1)) > COUNT // 20


@pytest.mark.parametrize('name', sorted(CAMERAS))
def test_every_ray_of_a_pixel_is_inside(name: str) -> None:
    model = CAMERAS[name]
    rays = model.unproject(pixels_of(model, seed=2))
    rays = rays[np.isfinite(rays).all(axis=1)]

    assert len(rays) > COUNT // 10
    assert int((view_planes(model).outer @ rays.T < 0.0).sum()) == 0


@pytest.mark.parametrize('name', sorted(CAMERAS))
def test_every_point_of_a_scaled_image_is_inside(name: str) -> None:
    model = CAMERAS[name]
    half = model.resized(model.width // 2, model.height // 2)

    assert check_encloses(half, points_ahead(seed=3)) > COUNT // 20


@pytest.mark.parametrize('name', sorted(CAMERAS))
def test_planes_are_unit_normals_with_the_camera_plane_last(name: str) -> None:
    for planes in view_planes(CAMERAS[name]):
        if planes is not None:
            assert planes.shape == (5, 3)
            np.testing.assert_allclose((planes * planes).sum(axis=1), 1.0, atol=1e-12)
            np.testing.assert_array_equal(planes[-1], (0.0, 0.0, 1.0))


# Any lens at all.


def coefficients(count: int, size: float) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[st.floats(-size, size).map(lambda k: round(k, 4))] * count)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(radial=coefficients(3, 0.6), tangential=coefficients(2, 0.02), seed=st.integers(0, 99))
def test_any_plumb_bob_lens_is_enclosed(radial: tuple, tangential: tuple, seed: int) -> None:
    k1, k2, k3 = radial
    model = PlumbBobCamera(*SIZE, *FOCAL, k1, k2, *tangential, k3)

    check_encloses(model, points_ahead(seed, 2000))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    top=coefficients(3, 1.0),
    bottom=coefficients(3, 1.0),
    tangential=coefficients(2, 0.02),
    seed=st.integers(0, 99),
)
def test_any_rational_lens_is_enclosed(
    top: tuple, bottom: tuple, tangential: tuple, seed: int
) -> None:
    k1, k2, k3 = top
    model = RationalCamera(*SIZE, *WIDE_FOCAL, k1, k2, *tangential, k3, *bottom)

    check_encloses(model, points_ahead(seed, 2000))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(curve=coefficients(4, 0.3), focal=st.floats(100.0, 900.0), seed=st.integers(0, 99))
def test_any_fisheye_is_enclosed(curve: tuple, focal: float, seed: int) -> None:
    model = EquidistantCamera(*SIZE, focal, focal, 300.0, 260.0, *curve)

    check_encloses(model, points_ahead(seed, 2000))


@settings(deadline=None, max_examples=40, derandomize=True)
@given(xi=st.floats(-0.9, 0.9), alpha=st.floats(0.0, 0.99), seed=st.integers(0, 99))
def test_any_double_sphere_is_enclosed(xi: float, alpha: float, seed: int) -> None:
    model = DoubleSphereCamera(*SIZE, *WIDE_FOCAL, xi, alpha)

    check_encloses(model, points_ahead(seed, 2000))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    principal=st.tuples(st.floats(-300.0, 900.0), st.floats(-300.0, 900.0)),
    focal=st.floats(20.0, 3000.0),
)
def test_any_pinhole_is_enclosed_wherever_its_axis_is(principal: tuple, focal: float) -> None:
    check_encloses(PinholeCamera(*SIZE, focal, focal, *principal), points_ahead(4, 2000))


# How tight they are.


def test_planes_of_a_pinhole_are_its_sides_from_both_sides() -> None:
    # 80 px / 130 px to either side, 60 px / 130 px up and down.
    outer, inner = view_planes(PINHOLE)

    for row, (x, y, tangent) in enumerate(
        [(1, 0, 80 / 130), (-1, 0, 80 / 130), (0, 1, 60 / 130), (0, -1, 60 / 130)]
    ):
        expected = np.array([x, y, tangent]) / math.hypot(1.0, tangent)
        np.testing.assert_allclose(outer[row], expected, atol=1e-12)
    np.testing.assert_array_equal(inner, outer)


def test_planes_of_a_curved_lens_have_a_margin_of_a_hundredth() -> None:
    # Without any distortion but not known to be straight: the farthest ray is at 80 / 130.
    outer, inner = view_planes(PlumbBobCamera(160, 120, 130.0, 130.0, 79.5, 59.5, *[0.0] * 5))

    margin = 0.01 * (1.0 + 80 / 130)
    for planes, sign in ((outer, 1.0), (inner, -1.0)):
        tangents = np.abs(planes[:4, 2] / (planes[:4, 0] + planes[:4, 1]))
        expected = np.array([80 / 130] * 2 + [60 / 130] * 2) + sign * margin
        np.testing.assert_allclose(tangents, expected, atol=1e-9)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    u=st.floats(-400.0, 600.0),
    v=st.floats(-400.0, 600.0),
    depth=st.floats(0.01, 50.0),
)
def test_point_is_inside_a_pinhole_just_when_it_is_in_its_image(
    u: float, v: float, depth: float
) -> None:
    edges = np.abs([u + 0.5, u - 159.5, v + 0.5, v - 119.5])
    assume(edges.min() > 1e-6)  # else rounding decides
    camera_p = depth * np.array([(u - 79.5) / 130.0, (v - 59.5) / 130.0, 1.0])

    is_inside = bool((view_planes(PINHOLE).outer @ camera_p).min() > 0.0)

    assert is_inside == (-0.5 < u < 159.5 and -0.5 < v < 119.5)


def test_sphere_that_reaches_into_the_image_is_not_culled() -> None:
    # Its centre is 0.1 m beyond the left side of the image, its radius 0.11 m.
    outer = view_planes(PINHOLE).outer
    side = np.array([1.0, 0.0, 80.0 / 130.0])
    side /= np.sqrt(side @ side)
    on_border = np.array([-80.0 / 130.0 * 2.0, 0.0, 2.0])

    assert bool((outer @ (on_border - 0.1 * side) >= -0.11).all())
    assert not bool((outer @ (on_border - 0.12 * side) >= -0.11).all())


@settings(deadline=None, max_examples=60, derandomize=True)
@given(name=st.sampled_from(sorted(CAMERAS)), seed=st.integers(0, 999), radius=st.floats(0.0, 0.5))
def test_sphere_inside_the_inner_planes_is_all_in_the_image(
    name: str, seed: int, radius: float
) -> None:
    model = CAMERAS[name]
    inner = view_planes(model).inner
    assume(inner is not None)
    centres = points_ahead(seed, 500)
    centres = centres[(inner @ centres.T).min(axis=0) >= radius + 1e-9]
    way = np.random.default_rng(seed).normal(size=centres.shape)
    way *= radius / np.sqrt((way * way).sum(axis=1, keepdims=True))

    assert int((~is_seen(model, centres + way)).sum()) == 0


@pytest.mark.parametrize('name', sorted(CAMERAS))
def test_what_is_behind_the_camera_is_outside(name: str) -> None:
    behind = points_ahead(5, 1000) * (1.0, 1.0, -1.0)

    assert int(((view_planes(CAMERAS[name]).outer @ behind.T).min(axis=0) >= 0.0).sum()) == 0


def test_border_beyond_the_lens_leaves_all_sides_open() -> None:
    # theta - 0.2 theta^3 turns at 1.29 rad and 0.86: the corners of the image have no ray.
    model = CAMERAS['equidistant_folding']

    outer, inner = view_planes(model)

    corner = model.unproject(np.array([[-0.5, -0.5]]))
    assert np.isnan(corner).all()
    np.testing.assert_array_equal(outer, [[0.0, 0.0, 1.0]] * 5)
    assert inner is None


def test_side_wider_than_89_degrees_is_open_and_the_others_are_not() -> None:
    # 320 px at 5 px is a tangent of 64 to either side, 240 px at 600 px 0.4 up and down.
    planes = view_planes(PinholeCamera(640, 480, 5.0, 600.0, 319.5, 239.5)).outer

    np.testing.assert_array_equal(planes[:2], [[0.0, 0.0, 1.0]] * 2)
    assert planes[2, 1] > 0.9
    assert planes[3, 1] < -0.9


def test_point_beyond_a_very_wide_side_is_not_well_inside() -> None:
    # The image ends at a tangent of 64; a point at 70 is outside, and nothing may say otherwise.
    model = PinholeCamera(640, 480, 5.0, 600.0, 319.5, 239.5)
    beyond = np.array([[70.0, 0.0, 1.0]])

    assert not is_seen(model, beyond)[0]
    inner = view_planes(model).inner
    assert inner is None or bool((inner @ beyond[0]).min() < 0.0)


def test_planes_are_worked_out_once_and_cannot_be_changed() -> None:
    same = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)
    planes = view_planes(PINHOLE)

    assert view_planes(same) is planes
    with pytest.raises(ValueError, match='read-only'):
        planes.outer[0, 0] = 2.0

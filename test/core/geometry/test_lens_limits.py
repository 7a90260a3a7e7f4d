"""Points behind the camera and points that the lens folds back, for lenses of any coefficients."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import (
    CameraModel,
    DoubleSphereCamera,
    EquidistantCamera,
    Fisheye624Camera,
    in_image,
    PlumbBobCamera,
    RationalCamera,
)
from test.core.geometry.lenses import CAMERAS, SIZE, WIDE_FOCAL


def numbers(count: int, largest: float) -> st.SearchStrategy[tuple[float, ...]]:
    """Draw coefficients, many of them zero."""
    one = st.one_of(st.just(0.0), st.floats(-largest, largest))
    return st.tuples(*[one] * count)


def perspective(count: int) -> st.SearchStrategy[list[float]]:
    """Draw k1, k2, p1, p2, k3, ... of OpenCV."""
    return st.builds(
        lambda k12, p, rest: [*k12, *p, *rest],
        numbers(2, 0.6),
        numbers(2, 3e-3),
        numbers(count - 4, 0.6),
    )


LENSES: dict[str, st.SearchStrategy[CameraModel]] = {
    'plumb_bob': perspective(5).map(lambda d: PlumbBobCamera(*SIZE, *WIDE_FOCAL, *d)),
    'rational_polynomial': perspective(8).map(lambda d: RationalCamera(*SIZE, *WIDE_FOCAL, *d)),
    'equidistant': numbers(4, 0.5).map(lambda d: EquidistantCamera(*SIZE, *WIDE_FOCAL, *d)),
    'fisheye624': st.builds(
        lambda k, rest: Fisheye624Camera(*SIZE, 250.0, 320.0, 240.0, (*k, *rest)),
        numbers(6, 1.5),
        numbers(6, 3e-3),
    ),
    'double_sphere': st.builds(
        lambda xi, alpha: DoubleSphereCamera(*SIZE, *WIDE_FOCAL, xi, alpha),
        st.floats(-0.9, 0.9),
        st.floats(0.0, 1.0),
    ),
}
any_lens = pytest.mark.parametrize('model', list(LENSES))
ANGLES = np.linspace(1e-3, np.pi / 2 - 1e-4, 400)


def test_every_distorted_model_is_drawn() -> None:
    """None is forgotten here."""
    assert set(LENSES) == {camera.model_name for camera in CAMERAS.values()}


@any_lens
@given(data=st.data())
def test_point_behind_any_lens_has_no_pixel(model: str, data: Any) -> None:
    """Mirrored through the lens, such points would lie in the image."""
    camera = data.draw(LENSES[model])
    x, y = data.draw(st.tuples(st.floats(-3.0, 3.0), st.floats(-3.0, 3.0)))
    depth_m = data.draw(st.floats(-1e3, 0.0))

    pixels, projectable = camera.project(np.array([[x, y, depth_m], [-x, -y, depth_m]]))

    assert not projectable.any()
    assert np.isnan(pixels).all()
    assert not in_image(camera, pixels).any()


@any_lens
@settings(max_examples=60)
@given(data=st.data())
def test_any_lens_is_one_to_one_up_to_its_limit_and_ends_there(model: str, data: Any) -> None:
    """Along a direction the pixel moves outwards, then there are none: nothing comes back."""
    camera = data.draw(LENSES[model])
    around = data.draw(st.floats(0.0, 2 * np.pi))
    tangents = np.tan(ANGLES)
    camera_p = np.column_stack(
        (tangents * np.cos(around), tangents * np.sin(around), np.ones_like(tangents))
    )

    pixels, projectable = camera.project(camera_p)

    assert (np.diff(projectable.astype(int)) <= 0).all()
    centre = camera.project(np.array([[0.0, 0.0, 1.0]])).pixels[0]
    radius = np.hypot(*(pixels[projectable] - centre).T)
    assert (np.diff(radius) > 0).all()
    rays = camera.unproject(pixels[projectable])
    # The slope falls to zero at the limit: its last step is left out.
    inner = slice(0, max(0, int(projectable.sum()) - 2))
    np.testing.assert_allclose(rays[inner], camera_p[projectable][inner], rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize(
    ('camera', 'last_angle'),
    [
        # r (1 - 0.3 r^2) turns at r = sqrt(1 / 0.9).
        (PlumbBobCamera(*SIZE, *WIDE_FOCAL, -0.3), np.arctan(np.sqrt(1 / 0.9))),
        (RationalCamera(*SIZE, *WIDE_FOCAL, -0.3), np.arctan(np.sqrt(1 / 0.9))),
        # theta (1 - 0.4 theta^2) turns at theta = sqrt(1 / 1.2).
        (EquidistantCamera(*SIZE, *WIDE_FOCAL, -0.4), np.sqrt(1 / 1.2)),
        (
            Fisheye624Camera(*SIZE, 250.0, 320.0, 240.0, (-0.4, *[0.0] * 11)),
            np.sqrt(1 / 1.2),
        ),
        # alpha 0.5 sees all around: z > 0 ends it.
        (DoubleSphereCamera(*SIZE, *WIDE_FOCAL, 0.5, 0.5), np.pi / 2),
        # alpha 1 leaves the sine at the second sphere, which turns where that sees the point at
        # a right angle: at cos = 0.5 from the first, half a radius away.
        (DoubleSphereCamera(*SIZE, *WIDE_FOCAL, -0.5, 1.0), np.arccos(0.5)),
        # alpha 0 leaves a pinhole 0.6 ahead of the sphere's centre.
        (DoubleSphereCamera(*SIZE, *WIDE_FOCAL, -0.6, 0.0), np.arccos(0.6)),
    ],
)
def test_limit_is_where_the_coefficients_put_it(camera: CameraModel, last_angle: float) -> None:
    """Computed by hand; a point just inside has a pixel, one just outside has none."""
    for around in (0.0, 1.0, 4.0):
        for share, expected in ((1 - 1e-6, True), (1 + 1e-6, False)):
            angle = last_angle * share
            direction = [
                np.sin(angle) * np.cos(around),
                np.sin(angle) * np.sin(around),
                np.cos(angle),
            ]

            assert camera.project(np.array([direction])).projectable.tolist() == [expected]


@pytest.mark.parametrize(
    ('xi', 'tangent'),
    [
        # On the rim the second sphere sees the point at a right angle: at cos = -xi from the
        # first, and that is behind or beside the camera unless xi is negative.
        (-0.5, np.sqrt(3.0)),
        (-0.8, 0.75),
        (0.0, np.nan),
        (0.5, np.nan),
    ],
)
def test_rim_of_a_double_sphere_of_alpha_1_divides_by_nothing(xi: float, tangent: float) -> None:
    """The plane's unit circle, hit exactly, and what lies beyond it; computed by hand."""
    camera = DoubleSphereCamera(640, 480, 200.0, 200.0, 320.0, 240.0, xi, 1.0)
    rim = np.array([[520.0, 240.0], [120.0, 240.0], [320.0, 440.0]])
    beyond = np.array([[521.0, 240.0], [0.0, 0.0], [1e6, -1e6]])
    signs = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])

    rays = camera.unproject(np.concatenate([rim, beyond, [[320.0, 240.0]]]))

    rim_rays = np.column_stack((signs * tangent, np.ones(3)))
    none = np.isnan(tangent)
    np.testing.assert_allclose(rays[:3], np.full((3, 3), np.nan) if none else rim_rays, atol=1e-12)
    assert np.isnan(rays[3:6]).all()
    assert rays[6].tolist() == [0.0, 0.0, 1.0]


@given(data=st.data())
def test_no_pixel_makes_a_double_sphere_of_any_alpha_warn(data: Any) -> None:
    xi = data.draw(st.floats(-0.99, 0.99))
    alpha = data.draw(st.sampled_from([0.0, 0.5, np.nextafter(1.0, 0.0), 1.0]))
    radius = data.draw(st.sampled_from([0.0, 0.5, np.nextafter(1.0, 2.0), 1.0, 2.0, 1e3]))
    camera = DoubleSphereCamera(640, 480, 1.0, 1.0, 0.0, 0.0, xi, alpha)

    (ray,) = camera.unproject(np.array([[radius, 0.0]]))

    assert np.isnan(ray).all() or (np.isfinite(ray).all() and ray[2] == 1.0)


@pytest.mark.parametrize('name', ['equidistant_folding', 'fisheye624'])
def test_folded_point_would_lie_in_the_image(name: str) -> None:
    """Without a limit it would count as seen: the formula alone brings it back inside."""
    camera = CAMERAS[name]
    angles = np.linspace(0.5, 1.55, 400)
    camera_p = np.column_stack((np.tan(angles), np.zeros(400), np.ones(400)))
    _, projectable = camera.project(camera_p)
    last = int(np.flatnonzero(projectable)[-1])

    theta = angles[last + 1 :]
    k = camera.parameters[4:8] if name == 'equidistant_folding' else camera.parameters[3:9]
    curve = theta * (1 + sum(c * theta ** (2 * i + 2) for i, c in enumerate(k)))
    formula = np.column_stack((camera.focal_px * curve + 320.0, np.full(len(theta), 240.0)))

    assert 0 < last < 399
    assert not projectable[last + 1 :].any()
    assert (in_image(camera, formula, circle='none') & (np.diff(curve, prepend=9.0) < 0)).any()

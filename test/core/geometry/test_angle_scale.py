"""The polynomial that stands for a fisheye's angle curve."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import EquidistantCamera, Fisheye624Camera
from st_memory.core.geometry.angle_scale import AngleScale
from st_memory.core.geometry.distortion import RadialCurve
from test.core.geometry.lenses import ARIA

COEFFICIENT = st.floats(-1.5, 1.5)


def formula(curve: RadialCurve, theta: np.ndarray) -> np.ndarray:
    """theta_d, by its definition."""
    return theta * curve.factor(theta * theta)


@given(
    coefficients=st.lists(COEFFICIENT, min_size=1, max_size=6),
    share=st.floats(0.05, 1.0),
    widest=st.floats(0.05, 1.5),
)
def test_fit_equals_the_formula_wherever_it_is_offered(
    coefficients: list[float], share: float, widest: float
) -> None:
    """Between its probes too: within 2e-13 rad, a ten-thousandth of a millionth of a pixel."""
    curve = RadialCurve(tuple(coefficients))
    max_angle = min(share * curve.turning_point, widest)
    fit = AngleScale.fitted(curve, max_angle)

    theta = np.linspace(0.0, max_angle, 777)
    tangent = np.tan(theta)
    if fit is not None:
        got = tangent * fit.at(tangent * tangent)
        np.testing.assert_allclose(got, formula(curve, theta), rtol=0, atol=2e-13)


@pytest.mark.parametrize(
    ('coefficients', 'max_angle'), [(ARIA[:6], 1.0297), ((0.1, -0.02, 0.003, -0.0004), 1.3)]
)
def test_ordinary_lenses_have_a_fit(coefficients: tuple[float, ...], max_angle: float) -> None:
    """Else nothing would be gained."""
    assert AngleScale.fitted(RadialCurve(coefficients), max_angle) is not None


def test_lens_that_sees_a_right_angle_keeps_the_formula() -> None:
    """Tangents run to infinity there; its pixels come from the arc tangent."""
    assert AngleScale.fitted(RadialCurve((0.1,)), np.pi / 2) is None
    camera = EquidistantCamera(640, 480, 250.0, 250.0, 320.0, 240.0, 0.1)
    angles = np.array([0.0, 0.7, 1.5, 1.5707])

    pixels = camera.project(np.column_stack((np.tan(angles), np.zeros(4), np.ones(4)))).pixels

    expected = 320 + 250 * angles * (1 + 0.1 * angles**2)
    np.testing.assert_allclose(pixels[:, 0], expected, rtol=0, atol=1e-9)


def test_axis_is_kept_by_a_fit() -> None:
    """The scale at no angle is one."""
    fit = AngleScale.fitted(RadialCurve((0.2, -0.1)), 1.0)

    assert fit is not None
    np.testing.assert_allclose(fit.at(np.array([0.0])), [1.0], rtol=0, atol=1e-12)


def test_points_have_the_same_pixels_alone_and_in_a_crowd() -> None:
    """Chunks leave no seam: to the last bit."""
    camera = Fisheye624Camera(1408, 1408, 610.0, 704.0, 705.0, ARIA)
    camera_p = np.random.default_rng(0).normal(size=(40_000, 3))

    pixels, projectable = camera.project(camera_p)

    assert 0.1 < projectable.mean() < 0.5
    for i in (0, 1, 16_383, 16_384, 32_767, 32_768, 39_999):
        alone = camera.project(camera_p[i : i + 1])
        np.testing.assert_array_equal(alone.pixels[0], pixels[i])
        assert alone.projectable[0] == projectable[i]

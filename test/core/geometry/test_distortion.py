"""Radial curves, decentring, and where a lens model folds back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import EquidistantCamera, Fisheye624Camera, PlumbBobCamera
from st_memory.core.geometry.distortion import (
    Decentring,
    PlaneDistortion,
    RadialCurve,
    UNBOUNDED,
)
from test.core.geometry.lenses import ARIA, FOCAL, SIZE

COEFFICIENT = st.floats(-2.0, 2.0)


@pytest.mark.parametrize(
    ('curve', 'expected'),
    [
        (RadialCurve(()), UNBOUNDED),
        (RadialCurve((0.0, 0.0, 0.0)), UNBOUNDED),
        (RadialCurve((0.3, 0.1)), UNBOUNDED),
        # 1 - 3 * 0.35 r^2 = 0
        (RadialCurve((-0.35,)), np.sqrt(1 / 1.05)),
        # 1 - 3 r^2 + 5 * 0.2 r^4 = 0 at r^2 = (3 - sqrt(5)) / 2
        (RadialCurve((-1.0, 0.2)), np.sqrt((3 - np.sqrt(5)) / 2)),
        # pole of 1 / (1 - r^2), where the curve still rises
        (RadialCurve((), (-1.0,)), 1.0),
        # r / (1 + r^2) turns at 1
        (RadialCurve((), (1.0,)), 1.0),
        # a coefficient that only matters beyond UNBOUNDED
        (RadialCurve((-1e-300,)), UNBOUNDED),
    ],
)
def test_turning_point_of_known_curves(curve: RadialCurve, expected: float) -> None:
    """Roots computed by hand."""
    assert curve.turning_point == pytest.approx(expected, rel=1e-12)


@given(coefficients=st.lists(COEFFICIENT, max_size=6), bottom=st.lists(COEFFICIENT, max_size=3))
def test_curve_rises_up_to_its_turning_point(
    coefficients: list[float], bottom: list[float]
) -> None:
    """Whatever the coefficients: no two radii below the limit give one distorted radius."""
    curve = RadialCurve(tuple(coefficients), tuple(bottom))
    r = np.linspace(0.0, min(curve.turning_point, 3.0), 400)[:-1]

    distorted = r * curve.factor(r * r)

    # The slope near the turning point is rounding: allow its size.
    assert (np.diff(distorted) > -1e-9 * (1 + np.abs(distorted[1:]))).all()


@given(coefficients=st.lists(COEFFICIENT, max_size=6), share=st.floats(0.0, 0.95))
def test_invert_finds_the_radius(coefficients: list[float], share: float) -> None:
    """From a distorted radius back, by Newton or, where that leaves the bracket, by halving."""
    curve = RadialCurve(tuple(coefficients))
    upper = min(curve.turning_point, 10.0)
    r = np.array([share * upper])

    found = curve.invert(r * curve.factor(r * r), upper)

    distorted = found * curve.factor(found * found)
    np.testing.assert_allclose(distorted, r * curve.factor(r * r), rtol=1e-11, atol=1e-12)


def test_invert_out_of_reach_gives_the_upper_end() -> None:
    """Beyond the highest distorted radius there is nothing to find."""
    curve = RadialCurve((-0.35,))

    found = curve.invert(np.array([10.0]), curve.turning_point)

    assert found[0] == pytest.approx(curve.turning_point, rel=1e-9)


def test_invert_where_newton_would_run_in_circles_finds_the_radius() -> None:
    """From one side of the bracket its tangent hits the other, and back again."""
    curve = RadialCurve((0.0, 0.0, 0.0, 0.0, 1.46875, -1.46875))
    distorted = np.array([0.95885032])

    found = curve.invert(distorted, curve.turning_point)

    np.testing.assert_allclose(found * curve.factor(found * found), distorted, rtol=1e-12)


def test_invert_below_a_pole_finds_the_radius() -> None:
    """The curve r / (1 - r^6 / 2) has a pole at r = 2^(1/6) = 1.1225, and changes its sign."""
    curve = RadialCurve((), (0.0, 0.0, -0.5))
    radius = np.array([0.5, 0.99, 1.0, 1.01, 1.1, 1.1224])

    found = curve.invert(radius * curve.factor(radius * radius), curve.turning_point)

    np.testing.assert_allclose(found, radius, rtol=1e-11)


def test_invert_steep_curve_converges() -> None:
    """A far start on a steep curve steps out of the bracket and must be brought back."""
    curve = RadialCurve((0.0, 0.0, 50.0))
    r = np.array([1e-3, 0.5, 2.0, 8.0])

    found = curve.invert(r * curve.factor(r * r), UNBOUNDED)

    np.testing.assert_allclose(found, r, rtol=1e-12)


@given(
    values=st.tuples(*[st.floats(-0.05, 0.05)] * 6),
    radial=st.lists(st.floats(-0.3, 0.3), max_size=3),
    x=st.floats(-1.0, 1.0),
    y=st.floats(-1.0, 1.0),
)
def test_jacobian_equals_difference_quotient(
    values: tuple[float, ...], radial: list[float], x: float, y: float
) -> None:
    """The derivatives that Newton uses are those of the map."""
    distortion = PlaneDistortion(RadialCurve(tuple(radial), (0.1,)), Decentring(*values))
    step = 1e-6

    def at(px: float, py: float) -> np.ndarray:
        return np.array(
            distortion.distort(np.array([px]), np.array([py]), np.array([px * px + py * py]))
        )[:, 0]

    xx, xy, yx, yy = distortion.jacobian(np.array([x]), np.array([y]))

    along_x = (at(x + step, y) - at(x - step, y)) / (2 * step)
    along_y = (at(x, y + step) - at(x, y - step)) / (2 * step)
    np.testing.assert_allclose([xx[0], yx[0]], along_x, rtol=0, atol=1e-8)
    np.testing.assert_allclose([xy[0], yy[0]], along_y, rtol=0, atol=1e-8)


def test_decentring_moves_by_hand_computed_offsets() -> None:
    """At (1, 2): r^2 = 5."""
    shift = Decentring(px=0.1, py=0.01, s0=1.0, s1=2.0, s2=3.0, s3=4.0)

    dx, dy = shift.offsets(np.array([1.0]), np.array([2.0]), np.array([5.0]))

    assert dx[0] == pytest.approx(0.1 * (5 + 2) + 2 * 0.01 * 2 + 5 + 2 * 25)
    assert dy[0] == pytest.approx(0.01 * (5 + 8) + 2 * 0.1 * 2 + 3 * 5 + 4 * 25)


def test_add_to_moves_by_the_offsets() -> None:
    """In place, whatever the terms are."""
    rng = np.random.default_rng(4)
    x, y = rng.uniform(-1, 1, (2, 50))
    decentring = Decentring(*rng.normal(scale=0.01, size=6).tolist())
    dx, dy = decentring.offsets(x, y, x * x + y * y)
    moved_x, moved_y = x.copy(), y.copy()

    decentring.add_to(moved_x, moved_y, x * x + y * y)

    np.testing.assert_allclose(moved_x, x + dx, rtol=0, atol=1e-15)
    np.testing.assert_allclose(moved_y, y + dy, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ('decentring', 'is_zero'), [(Decentring(), True), (Decentring(s3=1e-9), False)]
)
def test_decentring_is_zero_only_without_any_term(decentring: Decentring, is_zero: bool) -> None:
    """One term is enough."""
    assert decentring.is_zero is is_zero


def test_limit_with_decentring_ends_where_the_jacobian_does() -> None:
    """X -> x + px (3 x^2) along x folds where 1 + 6 px x = 0, at x = -1 / (6 px)."""
    distortion = PlaneDistortion(RadialCurve(()), Decentring(px=0.1))

    limit = distortion.limit

    # Off the axis the determinant (1 + 6 px x)(1 + 2 px x) - (2 px y)^2 vanishes no earlier.
    assert limit == pytest.approx(1 / 0.6, rel=1e-6)


def test_limit_with_tiny_decentring_is_the_turning_point() -> None:
    """A negligible tangential term changes the limit negligibly."""
    plain = PlaneDistortion(RadialCurve((-0.35,)), Decentring())
    tangential = PlaneDistortion(RadialCurve((-0.35,)), Decentring(px=1e-9))

    assert tangential.limit == pytest.approx(plain.limit, rel=1e-6)
    assert tangential.limit <= plain.limit


def test_limit_without_any_fold_is_unbounded() -> None:
    """A rising radial curve outgrows a small tangential term everywhere."""
    distortion = PlaneDistortion(RadialCurve((0.3, 0.1)), Decentring(px=1e-4))

    assert distortion.limit == UNBOUNDED


def test_folded_back_point_has_no_pixel() -> None:
    """Strong barrel: x/z = 1.5 would land at u = 511 inside a 640 px image."""
    camera = PlumbBobCamera(*SIZE, *FOCAL, k1=-0.35)

    pixels, projectable = camera.project(
        np.array([[0.97, 0.0, 1.0], [0.98, 0.0, 1.0], [1.5, 0, 1]])
    )

    assert camera.max_tangent == pytest.approx(0.9759, abs=1e-4)
    assert projectable.tolist() == [True, False, False]
    assert np.isnan(pixels[1:]).all()


def test_fisheye_limit_is_the_turning_angle() -> None:
    """1 - 3 * 0.2 theta^2 = 0; an ideal lens ends at 90 degrees."""
    folding = EquidistantCamera(*SIZE, *FOCAL, k1=-0.2)

    assert folding.max_angle == pytest.approx(np.sqrt(1 / 0.6), rel=1e-12)
    assert EquidistantCamera(*SIZE, *FOCAL).max_angle == np.pi / 2


def test_unchecked_projection_gives_the_folded_pixel() -> None:
    """For comparison with software that applies the formula alone; behind stays behind."""
    camera = Fisheye624Camera(1408, 1408, 610.0, 704.0, 705.0, ARIA)
    beyond = camera.max_angle + 0.01
    camera_p = np.array([[np.tan(beyond), 0.0, 1.0], [0.1, 0.2, 1.0], [0.0, 0.0, -1.0]])

    checked, unchecked = camera.project(camera_p), camera.project_unchecked(camera_p)

    assert checked.projectable.tolist() == [False, True, False]
    assert unchecked.projectable.tolist() == [True, True, False]
    np.testing.assert_allclose(checked.pixels[1], unchecked.pixels[1], rtol=0, atol=1e-10)


def test_limit_is_computed_once_for_equal_coefficients() -> None:
    """A new camera object per CameraInfo does not search for the fold again."""
    first = PlaneDistortion(RadialCurve((-0.3,)), Decentring(px=1e-3))
    second = PlaneDistortion(RadialCurve((-0.3,)), Decentring(px=1e-3))

    assert first == second
    assert hash(first) == hash(second)
    assert first.limit == second.limit

"""Lens distortion on the image plane: radial curve, decentring, thin prism, and their limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ['UNBOUNDED', 'Decentring', 'PlaneDistortion', 'RadialCurve']

Array = NDArray[np.float64]

# Stands for "no limit": a ray this far out is within 1e-9 rad of the image plane. Finite, so that
# its powers stay finite too.
UNBOUNDED = 1e9

_MAX_STEPS = 100
_RESIDUAL_TOLERANCE = 1e-12
# Newton converges quadratically: after a step this small (relative) the rest is rounding.
_LAST_STEP = 1e-11
_POLE_MARGIN = 1e-9


@dataclass(frozen=True)
class RadialCurve:
    """
    The odd curve ``r_d = r N(r^2) / D(r^2)``, N and D polynomials with constant term 1.

    ``r`` is a tangent (perspective models) or an angle in radians (fisheye models).

    Parameters
    ----------
    numerator, denominator : tuple of float
        Coefficients of t, t^2, ... with t = r^2.

    """

    numerator: tuple[float, ...]
    denominator: tuple[float, ...] = ()

    def factor(self, t: Array) -> Array:
        """Give ``N(t) / D(t)`` for t = r^2."""
        value = _horner(self.numerator, t)
        return value / _horner(self.denominator, t) if self.denominator else value

    def factor_slope(self, t: Array) -> Array:
        """Give the derivative of :meth:`factor` by t."""
        slope = _horner_slope(self.numerator, t)
        if not self.denominator:
            return slope
        bottom = _horner(self.denominator, t)
        return (slope - self.factor(t) * _horner_slope(self.denominator, t)) / bottom

    @cached_property
    def turning_point(self) -> float:
        """
        Smallest r > 0 where the curve stops to rise or has a pole; :data:`UNBOUNDED` if none.

        Beyond it the lens model folds back: far points land inside the image.
        """
        top = np.polynomial.Polynomial((1.0, *self.numerator))
        bottom = np.polynomial.Polynomial((1.0, *self.denominator))
        t = np.polynomial.Polynomial((0.0, 1.0))
        # d/dr [r N/D] = (N D + 2 t (N' D - N D')) / D^2
        rise = top * bottom + 2 * t * (top.deriv() * bottom - top * bottom.deriv())
        return min(_first_root(rise), self._pole)

    @cached_property
    def _pole(self) -> float:
        return _first_root(np.polynomial.Polynomial((1.0, *self.denominator)))

    def invert(self, distorted: Array, upper: float) -> Array:
        """
        Find r in [0, upper] with ``r_d(r) = distorted``, by Newton steps kept in a bracket.

        Parameters
        ----------
        distorted : (N,) float64
            Non-negative.
        upper : float
            At most :attr:`turning_point`, where the curve rises.

        Returns
        -------
        (N,) float64
            ``upper`` where ``distorted`` is out of reach.

        """
        if not (self.numerator or self.denominator):
            return np.minimum(distorted, upper)
        # A little before a pole, where rounding does not yet decide on the sign of the curve.
        upper = min(upper, self._pole * (1 - _POLE_MARGIN))
        low, high = self._bracket(distorted, upper)
        r = np.clip(distorted, low, high)
        last_step = np.full_like(r, np.inf)
        for _ in range(_MAX_STEPS):
            t = r * r
            factor = self.factor(t)
            slope = factor + 2 * t * self.factor_slope(t)
            error = r * factor - distorted
            low = np.where(error < 0, r, low)
            high = np.where(error > 0, r, high)
            step = error / np.where(slope > 0, slope, np.inf)
            following = r - step
            # A zero slope, a step out of the bracket, or one that does not halve the last (Newton
            # may run in circles) falls back to halving the bracket.
            good = (slope > 0) & (following >= low) & (following <= high)
            good &= np.abs(step) <= np.maximum(0.5 * last_step, _LAST_STEP * r)
            following = np.where(good | (error == 0), following, 0.5 * (low + high))
            last_step = np.abs(following - r)
            settled = last_step <= _LAST_STEP * r
            r = following
            if settled.all():
                break
        return r

    def _bracket(self, distorted: Array, upper: float) -> tuple[Array, Array]:
        """Radii, at most a factor of two apart above 1, between which the curve passes."""
        low = np.zeros_like(distorted)
        high = np.full_like(distorted, min(1.0, upper))
        while True:
            beyond = (high * self.factor(high * high) < distorted) & (high < upper)
            if not beyond.any():
                return low, high
            low = np.where(beyond, high, low)
            high = np.where(beyond, np.minimum(2 * high, upper), high)


@dataclass(frozen=True)
class Decentring:
    """
    Tangential and thin-prism offsets, quadratic and quartic in the image plane.

    ``dx = px (r^2 + 2 x^2) + 2 py x y + s0 r^2 + s1 r^4``;
    ``dy = py (r^2 + 2 y^2) + 2 px x y + s2 r^2 + s3 r^4``.

    Notes
    -----
    OpenCV's p1 is ``py`` here and its p2 is ``px``; Aria's p0 is ``px`` and its p1 is ``py``.

    """

    px: float = 0.0
    py: float = 0.0
    s0: float = 0.0
    s1: float = 0.0
    s2: float = 0.0
    s3: float = 0.0

    @property
    def is_zero(self) -> bool:
        """Whether no point is moved."""
        return not any((self.px, self.py, self.s0, self.s1, self.s2, self.s3))

    def offsets(self, x: Array, y: Array, r2: Array) -> tuple[Array, Array]:
        """Give (dx, dy) at plane points with squared radius ``r2``."""
        # px (r2 + 2 x^2) + 2 py x y = px r2 + 2 x (px x + py y), and likewise for y.
        twice = (2 * self.px) * x
        twice += (2 * self.py) * y
        dx, dy = x * twice, y * twice
        dx += _even(self.px + self.s0, self.s1, r2)
        dy += _even(self.py + self.s2, self.s3, r2)
        return dx, dy

    def add_to(self, x: Array, y: Array, r2: Array) -> None:
        """Move plane points with squared radius ``r2`` by :meth:`offsets`, in place."""
        grown = (2 * self.px) * x
        grown += (2 * self.py) * y
        grown += 1.0
        x *= grown
        y *= grown
        x += _even(self.px + self.s0, self.s1, r2)
        y += _even(self.py + self.s2, self.s3, r2)

    def slopes(self, x: Array, y: Array, r2: Array) -> tuple[Array, Array, Array, Array]:
        """Give the partial derivatives (dx/x, dx/y, dy/x, dy/y) of :meth:`offsets`."""
        mixed = 2 * (self.px * y + self.py * x)
        prism_x = 2 * (self.s0 + 2 * self.s1 * r2)
        prism_y = 2 * (self.s2 + 2 * self.s3 * r2)
        return (
            6 * self.px * x + 2 * self.py * y + x * prism_x,
            mixed + y * prism_x,
            mixed + x * prism_y,
            6 * self.py * y + 2 * self.px * x + y * prism_y,
        )


@dataclass(frozen=True)
class PlaneDistortion:
    """A radial curve followed by (added to) decentring, as a map of the image plane to itself."""

    curve: RadialCurve
    decentring: Decentring

    def distort(self, x: Array, y: Array, r2: Array) -> tuple[Array, Array]:
        """Map plane points with squared radius ``r2``."""
        factor = self.curve.factor(r2)
        if self.decentring.is_zero:
            return x * factor, y * factor
        dx, dy = self.decentring.offsets(x, y, r2)
        return x * factor + dx, y * factor + dy

    def jacobian(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        """Give the partial derivatives (x/x, x/y, y/x, y/y) of :meth:`distort`."""
        r2 = x * x + y * y
        factor = self.curve.factor(r2)
        slope = 2 * self.curve.factor_slope(r2)
        xx, xy, yx, yy = self.decentring.slopes(x, y, r2)
        return (
            xx + factor + slope * x * x,
            xy + slope * x * y,
            yx + slope * x * y,
            yy + factor + slope * y * y,
        )

    @property
    def limit(self) -> float:
        """Radius up to which the map is one-to-one; computed once for equal coefficients."""
        return _fold_radius(self)

    def undistort(self, x: Array, y: Array) -> tuple[Array, Array]:
        """
        Invert :meth:`distort` inside :attr:`limit` to 1e-12.

        Returns
        -------
        (N,) float64, (N,) float64
            NaN where no point inside the limit maps there.

        """
        limit = self.limit
        radius = np.sqrt(x * x + y * y)
        start = self.curve.invert(radius, limit) / np.where(radius > 0, radius, 1.0)
        out_x, out_y = x * start, y * start
        # Points without a solution run away; they are caught by their residual below.
        with np.errstate(all='ignore'):
            if not self.decentring.is_zero:
                out_x, out_y = self._newton(x, y, out_x, out_y)
            r2 = out_x * out_x + out_y * out_y
            got_x, got_y = self.distort(out_x, out_y, r2)
            tolerance = _RESIDUAL_TOLERANCE * (1 + radius)
            solved = (np.abs(got_x - x) <= tolerance) & (np.abs(got_y - y) <= tolerance)
            solved &= r2 <= (limit * (1 + 1e-12)) ** 2
        return np.where(solved, out_x, np.nan), np.where(solved, out_y, np.nan)

    def _newton(self, x: Array, y: Array, out_x: Array, out_y: Array) -> tuple[Array, Array]:
        """Polish a start value until distort(out) = (x, y)."""
        for _ in range(_MAX_STEPS // 4):
            got_x, got_y = self.distort(out_x, out_y, out_x * out_x + out_y * out_y)
            xx, xy, yx, yy = self.jacobian(out_x, out_y)
            error_x, error_y = got_x - x, got_y - y
            determinant = xx * yy - xy * yx
            step_x = (yy * error_x - xy * error_y) / determinant
            step_y = (xx * error_y - yx * error_x) / determinant
            out_x, out_y = out_x - step_x, out_y - step_y
            if not (np.abs(step_x) + np.abs(step_y) > _LAST_STEP * (1 + np.abs(out_x))).any():
                break
        return out_x, out_y


@lru_cache(maxsize=256)
def _fold_radius(distortion: PlaneDistortion) -> float:
    """
    Radius of the largest disc where the map keeps its orientation.

    Without decentring this is the turning point of the radial curve. With it, the first radius at
    which the Jacobian's determinant reaches zero in one of 64 directions.
    """
    limit = distortion.curve.turning_point
    if distortion.decentring.is_zero:
        return limit
    angles = np.linspace(0.0, 2 * np.pi, 64, endpoint=False)
    cos, sin = np.cos(angles), np.sin(angles)

    def is_folded(radius: float) -> bool:
        xx, xy, yx, yy = distortion.jacobian(radius * cos, radius * sin)
        return bool((xx * yy - xy * yx <= 0).any())

    # Even steps of the angle reach both small and unbounded tangents.
    radii = np.tan(np.linspace(0.0, np.arctan(limit), 257))
    radii[-1] = limit * (1 - 1e-9)
    for low, high in pairwise(radii.tolist()):
        if is_folded(high):
            return _bisect(is_folded, low, high)
    return limit


def _bisect(is_past: Callable[[float], bool], low: float, high: float) -> float:
    """Largest radius found that is not past the change between ``low`` and ``high``."""
    for _ in range(50):
        middle = 0.5 * (low + high)
        if is_past(middle):
            high = middle
        else:
            low = middle
    return low


def _first_root(polynomial: np.polynomial.Polynomial) -> float:
    """Square root of the smallest positive real root, UNBOUNDED if there is none."""
    # The constant term is 1, so the polynomial in 1/t is monic: tiny coefficients do no harm.
    inverse = np.polynomial.Polynomial(polynomial.coef[::-1]).roots()
    is_real = np.abs(inverse.imag) <= 1e-9 * np.abs(inverse)
    largest = inverse.real[is_real & (inverse.real > UNBOUNDED**-2)]
    return float(largest.max() ** -0.5) if largest.size else UNBOUNDED


def _even(c0: float, c1: float, r2: Array) -> Array:
    """``c0 r^2 + c1 r^4``."""
    out = r2 * c1
    out += c0
    out *= r2
    return out


def _horner(coefficients: tuple[float, ...], t: Array) -> Array:
    """``1 + c0 t + c1 t^2 + ...``."""
    if not coefficients:
        return np.ones_like(t)
    out = t * coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        out += coefficient
        out *= t
    out += 1.0
    return out


def _horner_slope(coefficients: tuple[float, ...], t: Array) -> Array:
    """``c0 + 2 c1 t + 3 c2 t^2 + ...``."""
    out = np.zeros_like(t)
    for i in range(len(coefficients), 0, -1):
        out *= t
        out += i * coefficients[i - 1]
    return out

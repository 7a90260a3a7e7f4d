"""How much a fisheye shortens the tangent of an angle, without computing the angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry.distortion import RadialCurve

__all__ = ['AngleScale']

Array = NDArray[np.float64]

_chebyshev: Any = np.polynomial.chebyshev

_DEGREES = (*range(6, 20), 24, 32)
# Radians on the plane: a tenth of the 1e-9 px that a pixel is good for.
_TOLERANCE_RAD = 1e-13
_NUM_PROBES = 1001
# Beyond this angle, radians, tangents run to infinity.
_MAX_ANGLE = 1.55
_SHIFT = 0.37


@dataclass(frozen=True)
class AngleScale:
    """
    ``theta_d(theta) / tan(theta)`` as a polynomial, for angles up to a limit.

    The scale is smooth in ``v = 1 / (0.37 + sec(theta))``, and v needs a square root and a
    division where theta needs an arc tangent: the most costly step of a projection, and one whose
    last bits differ from one processor to the next. The arc tangent is singular for sec(theta) in
    [-1, 0]; with 0.37 both ends of that are as far from the angles of a wide lens as can be.

    Parameters
    ----------
    middle, reach : float
        The polynomial is in ``(v - middle) / reach``, in [-1, 1].
    coefficients : tuple of float
        From the constant term up.

    """

    middle: float
    reach: float
    coefficients: tuple[float, ...]

    @classmethod
    def fitted(cls, curve: RadialCurve, max_angle: float) -> AngleScale | None:
        """
        Fit a lens.

        Parameters
        ----------
        curve : RadialCurve
            ``theta_d(theta)``.
        max_angle : float
            Largest angle, radians, at most a right one.

        Returns
        -------
        AngleScale or None
            ``theta_d`` comes within 1e-13 rad of the formula everywhere up to the limit; None
            if no polynomial does, as for lenses that see a right angle.

        """
        if max_angle > _MAX_ANGLE:
            return None
        least, most = 1.0 / (_SHIFT + 1.0 / np.cos(max_angle)), 1.0 / (_SHIFT + 1.0)
        middle, reach = 0.5 * (most + least), 0.5 * (most - least)

        def angle_at(at: Array) -> tuple[Array, Array]:
            secant = 1.0 / (middle + reach * at) - _SHIFT
            half_tangent = np.sqrt(np.maximum((secant - 1.0) / (secant + 1.0), 1e-300))
            angle = 2.0 * np.arctan(half_tangent)
            return angle, angle / (2.0 * half_tangent) * (1.0 - half_tangent * half_tangent)

        def scale_at(at: Array) -> Array:
            angle, scale = angle_at(at)
            return scale * curve.factor(angle * angle)

        probes = np.linspace(-1.0, 1.0, _NUM_PROBES)
        expected, tangent = scale_at(probes), np.tan(angle_at(probes)[0])
        for degree in _DEGREES:
            powers = _chebyshev.cheb2poly(_chebyshev.chebinterpolate(scale_at, degree))
            found = cls(float(middle), float(reach), tuple(powers.tolist()))
            error = np.abs(found._polynomial(probes) - expected) * tangent
            if error.max() <= _TOLERANCE_RAD:
                return found
        return None

    def at(self, r2: Array) -> Array:
        """Give the scale for squared tangents ``r2``, (N,) float64."""
        v = r2 + 1.0
        np.sqrt(v, out=v)
        v += _SHIFT
        np.divide(1.0 / self.reach, v, out=v)
        v -= self.middle / self.reach
        return self._polynomial(v)

    def _polynomial(self, at: Array) -> Array:
        out: Array = at * self.coefficients[-1]
        for coefficient in self.coefficients[-2:0:-1]:
            out += coefficient
            out *= at
        out += self.coefficients[0]
        return out

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

_DEGREES = (8, 10, 12, 14, 16, 20, 24, 32)
# Radians on the plane: a tenth of the 1e-9 px that a pixel is good for.
_TOLERANCE_RAD = 1e-13
_NUM_PROBES = 1001
# Of about 89 degrees: beyond, tangents run to infinity.
_LEAST_V = 0.01


@dataclass(frozen=True)
class AngleScale:
    """
    ``theta_d(theta) / tan(theta)`` as a polynomial, for angles up to a limit.

    The scale is smooth in ``v = 1 / (1 + sec(theta))``, and v needs a square root and a division
    where theta needs an arc tangent: the most costly step of a projection, and one whose last
    bits differ from one processor to the next.

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
        least = 0.5 * (1.0 - np.tan(0.5 * max_angle) ** 2)
        if least < _LEAST_V:
            return None
        middle, reach = 0.5 * (0.5 + least), 0.5 * (0.5 - least)

        def scale_at(at: Array) -> Array:
            # tan^2(theta / 2) = 1 - 2 v; tan(theta) = 2 tan(theta / 2) / (2 v).
            half_tangent = np.sqrt(np.maximum(1.0 - 2.0 * (middle + reach * at), 1e-300))
            angle = 2.0 * np.arctan(half_tangent)
            scale: Array = (middle + reach * at) * (angle / half_tangent)
            return scale * curve.factor(angle * angle)

        probes = np.linspace(-1.0, 1.0, _NUM_PROBES)
        v = middle + reach * probes
        expected, tangent = scale_at(probes), np.sqrt(np.maximum(1.0 - 2.0 * v, 0.0)) / v
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
        v += 1.0
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

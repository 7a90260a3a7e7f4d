"""Rotations as people write them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ['quat_from_rpy']


def quat_from_rpy(rpy_rad: tuple[float, float, float]) -> NDArray[np.float64]:
    """
    Give the quaternion of roll, pitch and yaw about fixed axes, in this order (REP-103).

    Parameters
    ----------
    rpy_rad : (3,) float
        Radians about x, then y, then z of the parent: ``R = Rz(yaw) Ry(pitch) Rx(roll)``.

    Returns
    -------
    (4,) float64
        x, y, z, w.

    """
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(a / 2), math.cos(a / 2)) for a in rpy_rad)
    return np.array(
        [
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            cr * cp * cy + sr * sp * sy,
        ]
    )

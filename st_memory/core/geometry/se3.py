"""Rigid transforms: validate, compose, invert, apply, interpolate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ['RigidTransform', 'slerp', 'unit_quaternions']

Array = NDArray[np.float64]

# A quaternion further than this from unit length is an input error, not rounding.
_UNIT_TOLERANCE = 1e-3
# One division leaves up to 3 ulp.
_UNIT_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class RigidTransform:
    """
    A rigid transform ``a_T_b``: maps coordinates in frame b to coordinates in frame a.

    It is also the pose of b in a. Inner names cancel: ``a_T_c = a_T_b @ b_T_c``. Two are equal
    when their numbers are; q and -q, the same rotation, compare different (see
    :meth:`distance_to`).

    Parameters
    ----------
    translation : (3,) float64
        Origin of b in a, metres.
    quat_xyzw : (4,) float64
        Rotation as a quaternion, x, y, z, w; normalised here.

    Raises
    ------
    ValueError
        If a shape is wrong, a value is not finite, or the quaternion is not of unit length
        within 1e-3.

    """

    translation: Array
    quat_xyzw: Array

    def __post_init__(self) -> None:
        translation = np.array(self.translation, dtype=np.float64)
        quat = np.array(self.quat_xyzw, dtype=np.float64)
        if translation.shape != (3,):
            raise ValueError(f'translation: expected shape (3,), got {translation.shape}')
        if quat.shape != (4,):
            raise ValueError(f'quat_xyzw: expected shape (4,), got {quat.shape}')
        qx, qy, qz, qw = quat.tolist()
        norm = math.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
        # "not <=" also catches NaN.
        if not abs(norm - 1.0) <= _UNIT_TOLERANCE:
            raise ValueError(f'quat_xyzw: expected unit length, got {norm:.6g}')
        if not all(map(math.isfinite, translation.tolist())):
            raise ValueError(f'translation: expected finite values, got {translation.tolist()}')
        # A second division would move the last bit: keep a unit quaternion as it came, so that
        # storing and loading a pose gives the same bytes.
        if abs(norm - 1.0) > _UNIT_ROUNDING:
            quat = quat / norm
        translation.setflags(write=False)
        quat.setflags(write=False)
        object.__setattr__(self, 'translation', translation)
        object.__setattr__(self, 'quat_xyzw', quat)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RigidTransform):
            return NotImplemented
        same = (self.translation == other.translation).all()
        return bool(same and (self.quat_xyzw == other.quat_xyzw).all())

    def __hash__(self) -> int:
        return hash((*self.translation.tolist(), *self.quat_xyzw.tolist()))

    @classmethod
    def identity(cls) -> RigidTransform:
        """Give the transform that changes nothing."""
        return cls(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> RigidTransform:
        """
        Build from a homogeneous matrix.

        Parameters
        ----------
        matrix : (4, 4) or (3, 4) array-like
            ``a_T_b``; the rotation block must be orthonormal within 1e-3.

        Raises
        ------
        ValueError
            If the shape is wrong, the rotation block is not a rotation, or the last row is not
            0, 0, 0, 1.

        """
        m = np.asarray(matrix, dtype=np.float64)
        if m.shape not in ((4, 4), (3, 4)):
            raise ValueError(f'matrix: expected shape (4, 4) or (3, 4), got {m.shape}')
        rotation = m[:3, :3]
        error = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
        if not error <= 1e-3 or np.linalg.det(rotation) < 0:
            raise ValueError(f'matrix: expected a rotation block, got one off by {error:.3g}')
        if m.shape == (4, 4) and (m[3] != (0.0, 0.0, 0.0, 1.0)).any():
            raise ValueError(f'matrix: expected last row 0, 0, 0, 1, got {m[3].tolist()}')
        return cls(m[:3, 3], _quat_from_rotation(rotation))

    @cached_property
    def rotation(self) -> Array:
        """``a_R_b`` as a (3, 3) matrix, read-only."""
        x, y, z, w = self.quat_xyzw.tolist()
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        rotation.setflags(write=False)
        return rotation

    @property
    def matrix(self) -> Array:
        """``a_T_b`` as a (4, 4) homogeneous matrix."""
        out = np.eye(4)
        out[:3, :3] = self.rotation
        out[:3, 3] = self.translation
        return out

    def __matmul__(self, other: RigidTransform) -> RigidTransform:
        """Compose: ``a_T_c = a_T_b @ b_T_c``."""
        quat = _quat_multiply(self.quat_xyzw, other.quat_xyzw)
        translation = self.translation + self.rotation @ other.translation
        return RigidTransform(translation, quat)

    def inverse(self) -> RigidTransform:
        """Give ``b_T_a``."""
        x, y, z, w = self.quat_xyzw
        return RigidTransform(-(self.rotation.T @ self.translation), np.array([-x, -y, -z, w]))

    def apply(self, points: ArrayLike) -> Array:
        """
        Map points from b to a.

        Parameters
        ----------
        points : (3,) or (..., 3) array-like
            Points in frame b, metres.

        Returns
        -------
        (3,) or (..., 3) float64
            The same points in frame a.

        """
        p = np.asarray(points, dtype=np.float64)
        if p.shape[-1:] != (3,):
            raise ValueError(f'points: expected shape (..., 3), got {p.shape}')
        # Not "@": a threaded BLAS costs more than it gives on (N, 3), and its result may depend
        # on N. This way a point maps to the same bits alone and in a batch.
        if p.ndim == 1:  # the same sums without arrays of one number
            x, y, z = p.tolist()
            rows = zip(self.rotation.tolist(), self.translation.tolist(), strict=True)
            return np.array([x * a + y * b + z * c + shift for (a, b, c), shift in rows])
        x, y, z = p[..., 0], p[..., 1], p[..., 2]
        out = np.empty(p.shape)
        for axis, (row, shift) in enumerate(zip(self.rotation, self.translation, strict=True)):
            out[..., axis] = x * row[0] + y * row[1] + z * row[2] + shift
        return out

    def interpolate(self, other: RigidTransform, fraction: float) -> RigidTransform:
        """
        Blend towards another pose: translation linear, rotation along the shorter great arc.

        Parameters
        ----------
        other : RigidTransform
            The pose at ``fraction`` 1, between the same two frames.
        fraction : float
            In [0, 1].

        Raises
        ------
        ValueError
            If ``fraction`` is outside [0, 1]: poses are never extrapolated.

        """
        if not 0.0 <= fraction <= 1.0:
            raise ValueError(f'fraction: expected 0 <= fraction <= 1, got {fraction}')
        translation = self.translation + fraction * (other.translation - self.translation)
        return RigidTransform(translation, slerp(self.quat_xyzw, other.quat_xyzw, fraction))

    def distance_to(self, other: RigidTransform) -> tuple[float, float]:
        """Give the distance in metres and the angle in radians between two poses."""
        gap = other.translation - self.translation
        a, b = self.quat_xyzw, other.quat_xyzw
        minus, plus = a - b, a + b
        # arccos of the dot product would lose half the digits of a small angle.
        chords = sorted((float(np.sqrt(minus @ minus)), float(np.sqrt(plus @ plus))))
        return float(np.sqrt(gap @ gap)), 4.0 * float(np.arctan2(chords[0], chords[1]))


def unit_quaternions(quats_xyzw: ArrayLike, count: int) -> Array:
    """
    Check and normalise many quaternions as :class:`RigidTransform` does with one.

    Parameters
    ----------
    quats_xyzw : (N, 4) array-like
        Of unit length within 1e-3.
    count : int
        The N that is expected.

    Raises
    ------
    ValueError
        If the shape is wrong or a length is not 1.

    """
    quats = np.array(quats_xyzw, dtype=np.float64)
    if quats.shape != (count, 4):
        raise ValueError(f'quats_xyzw: expected shape ({count}, 4), got {quats.shape}')
    x, y, z, w = quats.T
    norm = np.sqrt(x * x + y * y + z * z + w * w)
    off = np.abs(norm - 1.0)
    if not (off <= _UNIT_TOLERANCE).all():
        worst = float(norm[np.argmax(np.where(np.isnan(off), np.inf, off))])
        raise ValueError(f'quats_xyzw: expected unit length, got {worst:.6g}')
    rows = off > _UNIT_ROUNDING
    quats[rows] /= norm[rows, None]
    return quats


def _quat_multiply(a: Array, b: Array) -> Array:
    """Hamilton product of two xyzw quaternions."""
    ax, ay, az, aw = a.tolist()
    bx, by, bz, bw = b.tolist()
    return np.array(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ]
    )


def slerp(a: Array, b: Array, fraction: float) -> Array:
    """Spherical interpolation of two unit xyzw quaternions, the shorter way."""
    dot = float(a @ b)
    if dot < 0.0:
        b, dot = -b, -dot
    if dot > 1.0 - 1e-12:  # nearly equal: sin(angle) would lose all digits
        out = a + fraction * (b - a)
    else:
        angle = math.acos(dot)
        weight_a = math.sin((1 - fraction) * angle) / math.sin(angle)
        out = weight_a * a + math.sin(fraction * angle) / math.sin(angle) * b
    unit: Array = out / math.sqrt(out @ out)
    return unit


def _quat_from_rotation(rotation: Array) -> Array:
    """Quaternion xyzw of a rotation matrix, by its largest component (Shepperd's method)."""
    r = rotation
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    candidates = np.array([r[0, 0], r[1, 1], r[2, 2], trace])
    i = int(np.argmax(candidates))
    if i == 3:
        quat = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + trace])
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        quat = np.empty(4)
        quat[i] = 1 - trace + 2 * r[i, i]
        quat[j] = r[j, i] + r[i, j]
        quat[k] = r[k, i] + r[i, k]
        quat[3] = r[k, j] - r[j, k]
    unit: Array = quat / np.sqrt(quat @ quat)
    return unit

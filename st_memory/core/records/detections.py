"""What a detector or an annotation said, in one frame."""

from __future__ import annotations

from dataclasses import dataclass
import math

__all__ = ['ALONG_AXES', 'BoxPx', 'Detection', 'Point', 'Quaternion', 'WorldDetection']

Point = tuple[float, float, float]
BoxPx = tuple[float, float, float, float]
Quaternion = tuple[float, float, float, float]

ALONG_AXES: Quaternion = (0.0, 0.0, 0.0, 1.0)
"""Attitude of a box along the axes of its frame."""

_UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Detection:
    """
    One detection in one camera image.

    Parameters
    ----------
    label : str
        Class name as the detector gives it; not empty.
    score : float
        In [0, 1].
    track_id : str
        Identity given by a tracker or an annotation; '' when there is none.
    box_px : (4,) float, optional
        x, y of the top-left corner, width, height, pixels.
    camera_p : (3,) float, optional
        Position of the object's centre in the camera optical frame, metres; worked out from
        ``box_px`` and depth when absent.
    size_m : (3,) float, optional
        Extents along the axes of the object's box, metres.
    camera_quat_xyzw : (4,) float, optional
        Attitude of the box in the camera optical frame; None when it was not estimated: its
        axes are then those of the fixed frame.
    embedding : tuple of float
        Appearance embedding; empty when there is none.

    Raises
    ------
    ValueError
        If the label is empty, the score is outside [0, 1], a number is not finite, or a
        quaternion is not of length 1.

    """

    label: str
    score: float
    track_id: str = ''
    box_px: BoxPx | None = None
    camera_p: Point | None = None
    size_m: Point | None = None
    camera_quat_xyzw: Quaternion | None = None
    embedding: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check(self.label, self.score)
        for name in ('box_px', 'camera_p', 'size_m'):
            _check_finite(name, getattr(self, name))
        _check_unit('camera_quat_xyzw', self.camera_quat_xyzw)
        if self.box_px is not None and not (self.box_px[2] > 0 and self.box_px[3] > 0):
            raise ValueError(f'box_px: expected width and height > 0, got {self.box_px}')


@dataclass(frozen=True)
class WorldDetection:
    """
    An observation that comes with a position in the fixed frame and no camera.

    Parameters
    ----------
    label, score, track_id, size_m
        As in :class:`Detection`.
    world_p : (3,) float
        Position of the object's centre in the fixed frame, metres.
    quat_xyzw : (4,) float
        Attitude of the object's box in the fixed frame.
    source : str
        Where it comes from: ``annotation``, ``annotation_lookahead``, ``detector_3d``, ...

    """

    label: str
    score: float
    world_p: Point
    track_id: str = ''
    size_m: Point | None = None
    quat_xyzw: Quaternion = ALONG_AXES
    source: str = 'detector_3d'

    def __post_init__(self) -> None:
        _check(self.label, self.score)
        for name in ('world_p', 'size_m'):
            _check_finite(name, getattr(self, name))
        _check_unit('quat_xyzw', self.quat_xyzw)


def _check(label: str, score: float) -> None:
    if not label:
        raise ValueError('label: expected a class name, got an empty string')
    if not 0.0 <= score <= 1.0:
        raise ValueError(f'score: expected 0 <= score <= 1, got {score}')


def _check_finite(name: str, values: tuple[float, ...] | None) -> None:
    if values is not None and not all(math.isfinite(v) for v in values):
        raise ValueError(f'{name}: expected finite numbers, got {values}')


def _check_unit(name: str, quat: Quaternion | None) -> None:
    if quat is not None and not abs(sum(q * q for q in quat) - 1.0) <= _UNIT_TOLERANCE:
        raise ValueError(f'{name}: expected a quaternion of length 1, got {quat}')

"""Classes of direction and distance, and the margins inside which they are not told."""

from __future__ import annotations

import enum
import math

from st_memory.core.queries.formats import DistanceClasses, format_named, QuestionFormat
from st_memory.core.records.detections import Point

__all__ = [
    'DirectionScheme',
    'direction_of',
    'distance_class',
    'format_of',
    'relation_of',
]

_SECTORS = (
    'front',
    'front-right',
    'right',
    'back-right',
    'back',
    'back-left',
    'left',
    'front-left',
)


@enum.unique
class DirectionScheme(enum.Enum):
    """
    How directions are cut into classes, seen from above, the viewer facing front.

    QUADRANTS: front-left, front-right, back-left, back-right. SECTORS: eight of 45 degrees
    centred on front. CLOCK: twelve hours centred on 12 = front. BEYOND3D: quadrants, told only
    outside the margins of the benchmark. BEYOND3D_LEGACY: the same with the relations and
    distances of its earlier question files.
    """

    QUADRANTS = '4'
    SECTORS = '8'
    CLOCK = 'clock'
    BEYOND3D = 'beyond3d'
    BEYOND3D_LEGACY = 'beyond3d_legacy'


_FINAL = format_named('beyond3d_final')
_FORMATS = {
    DirectionScheme.BEYOND3D: _FINAL,
    DirectionScheme.BEYOND3D_LEGACY: format_named('beyond3d_legacy'),
}


def format_of(scheme: DirectionScheme) -> QuestionFormat:
    """Give the question format of a scheme; schemes of our own take the final distances."""
    return _FORMATS.get(scheme, _FINAL)


def direction_of(camera_p: Point, scheme: DirectionScheme) -> str:
    """
    Class of the direction to a point as seen from a camera.

    Parameters
    ----------
    camera_p : (3,) float
        In the optical frame: x right, y down, z forward, metres.
    scheme : DirectionScheme
        Which classes.

    Returns
    -------
    str
        '' when the direction cannot be told: straight above or below, or within the scheme's
        margins.

    References
    ----------
    .. [1] Beyond3D (2026), direction questions: |x|, |z| >= 0.05 m and at least 5 degrees from
       the side.

    """
    x, _, z = camera_p
    if math.hypot(x, z) < 1e-9:
        return ''
    yaw = math.atan2(x, z)  # 0 = front, positive to the right
    if scheme is DirectionScheme.SECTORS:
        return _SECTORS[round(yaw / (math.pi / 4)) % 8]
    if scheme is DirectionScheme.CLOCK:
        return f"{(round(yaw / (math.pi / 6)) - 1) % 12 + 1} o'clock"
    if scheme in _FORMATS:
        return _FORMATS[scheme].direction(camera_p)
    return f'{"front" if z > 0 else "back"}-{"right" if x > 0 else "left"}'


def relation_of(camera_vector: Point, scheme: DirectionScheme) -> str:
    """
    Class of where an object lies relative to another, from the viewer's viewpoint.

    Parameters
    ----------
    camera_vector : (3,) float
        From the reference object to the object, in the viewer's optical frame, metres.
    scheme : DirectionScheme
        QUADRANTS and SECTORS as for directions; BEYOND3D and BEYOND3D_LEGACY the sectors of
        their question format, and CLOCK those of the final one.

    """
    if math.hypot(camera_vector[0], camera_vector[2]) < _FINAL.min_radius_m:
        return ''
    if scheme in (DirectionScheme.QUADRANTS, DirectionScheme.SECTORS):
        return direction_of(camera_vector, scheme)
    return format_of(scheme).relation(camera_vector)


def distance_class(distance_m: float, classes: DistanceClasses = _FINAL.distances) -> str:
    """Name the range that a distance falls into; a limit belongs to the farther range."""
    return classes.name_of(distance_m)

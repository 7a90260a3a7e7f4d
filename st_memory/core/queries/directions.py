"""Classes of direction and distance, and the margins inside which they are not told."""

from __future__ import annotations

from dataclasses import dataclass
import enum
import math

from st_memory.core.records.detections import Point

__all__ = [
    'DirectionScheme',
    'DistanceClasses',
    'direction_of',
    'distance_class',
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
    outside the margins of the benchmark.
    """

    QUADRANTS = '4'
    SECTORS = '8'
    CLOCK = 'clock'
    BEYOND3D = 'beyond3d'


@dataclass(frozen=True)
class DistanceClasses:
    """
    Names of distance ranges: below ``limits_m[i]`` is ``names[i]``, beyond all the last name.

    ``FINAL`` and ``LEGACY`` are those of Beyond3D's final and earlier question files.
    """

    names: tuple[str, ...]
    limits_m: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.limits_m) + 1:
            raise ValueError(
                f'DistanceClasses: expected one more name than limits, '
                f'got {len(self.names)} and {len(self.limits_m)}'
            )


FINAL = DistanceClasses(('close', 'medium', 'far'), (1.0, 1.5))
LEGACY = DistanceClasses(('close', 'medium', 'far'), (1.0, 2.0))

# Beyond3D: nearer than this to an axis, or within this angle of the side, no direction is asked.
_MARGIN_M = 0.05
_SIDE_MARGIN_RAD = math.radians(5.0)


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
    if scheme is DirectionScheme.BEYOND3D and (
        abs(x) < _MARGIN_M or abs(z) < _MARGIN_M or abs(abs(yaw) - math.pi / 2) < _SIDE_MARGIN_RAD
    ):
        return ''
    return f'{"front" if z > 0 else "back"}-{"right" if x > 0 else "left"}'


def relation_of(camera_vector: Point, scheme: DirectionScheme) -> str:
    """
    Class of where an object lies relative to another, from the viewer's viewpoint.

    Parameters
    ----------
    camera_vector : (3,) float
        From the reference object to the object, in the viewer's optical frame, metres.
    scheme : DirectionScheme
        QUADRANTS and SECTORS as for directions; CLOCK and BEYOND3D give the three clock ranges
        of Beyond3D's final questions.

    """
    x, _, z = camera_vector
    if math.hypot(x, z) < _MARGIN_M:
        return ''
    if scheme in (DirectionScheme.QUADRANTS, DirectionScheme.SECTORS):
        return direction_of(camera_vector, scheme)
    clockwise = math.degrees(math.atan2(x, z)) % 360.0
    if clockwise < 135.0:
        return '12 to 4:30'
    return '4:30 to 7:30' if clockwise < 225.0 else '7:30 to 12'


def distance_class(distance_m: float, classes: DistanceClasses = FINAL) -> str:
    """Name the range that a distance falls into; a limit belongs to the farther range."""
    for name, limit in zip(classes.names, classes.limits_m, strict=False):
        if distance_m < limit:
            return name
    return classes.names[-1]

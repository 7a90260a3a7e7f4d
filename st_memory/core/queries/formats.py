"""The versions of Beyond3D's spatial questions, as data: sectors, distances, margins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
import math

from st_memory.core.errors import ConfigError
from st_memory.core.records.detections import Point

__all__ = [
    'FORMATS',
    'DistanceClasses',
    'QuestionFormat',
    'RelationClasses',
    'format_named',
]


@dataclass(frozen=True)
class DistanceClasses:
    """
    Names of distance ranges: below ``limits_m[i]`` is ``names[i]``, beyond all the last name.

    A limit belongs to the farther range.
    """

    names: tuple[str, ...]
    limits_m: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.limits_m) + 1:
            raise ValueError(
                f'DistanceClasses: expected one more name than limits, '
                f'got {len(self.names)} and {len(self.limits_m)}'
            )

    def name_of(self, distance_m: float) -> str:
        """Name the range that a distance (metres) falls into."""
        return self.names[bisect_right(self.limits_m, distance_m)]


@dataclass(frozen=True)
class RelationClasses:
    """
    Names of sectors round a reference object, clockwise from 12 o'clock = away from the viewer.

    Below ``limits_deg[i]`` is ``names[i]``, from the last limit up to 360 degrees the last name; a
    limit belongs to the sector after it.
    """

    names: tuple[str, ...]
    limits_deg: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.limits_deg) + 1:
            raise ValueError(
                f'RelationClasses: expected one more name than limits, '
                f'got {len(self.names)} and {len(self.limits_deg)}'
            )

    def name_of(self, camera_vector: Point) -> str:
        """Name the sector of a vector in the viewer's optical frame (x right, z forward)."""
        x, _, z = camera_vector
        return self.names[bisect_right(self.limits_deg, math.degrees(math.atan2(x, z)) % 360.0)]


@dataclass(frozen=True)
class QuestionFormat:
    """
    How one version of the question files cuts space; parts of two versions are never mixed.

    Parameters
    ----------
    name : str
        ``beyond3d_legacy`` (files up to May 2026) or ``beyond3d_final``.
    relations : RelationClasses
        Where an object lies relative to another one.
    distances : DistanceClasses
        How far; the names of the legacy files are their options.
    axis_margin_m : float
        Nearer than this to the viewer's forward or sideways axis, no direction is asked.
    side_margin_rad : float
        Nor within this angle of the side, left or right.
    min_radius_m : float
        Nearer to each other than this, seen from above, two objects have no relation.

    References
    ----------
    .. [1] Beyond3D (2026), spatial questions: direction, relation and distance.

    """

    name: str
    relations: RelationClasses
    distances: DistanceClasses
    axis_margin_m: float = 0.05
    side_margin_rad: float = math.radians(5.0)
    min_radius_m: float = 0.05

    def direction(self, camera_p: Point) -> str:
        """
        Name the quadrant of a point in the optical frame; '' inside the margins.

        Parameters
        ----------
        camera_p : (3,) float
            x right, y down, z forward, metres.

        """
        x, _, z = camera_p
        to_side = abs(abs(math.atan2(x, z)) - math.pi / 2)
        if min(abs(x), abs(z)) < self.axis_margin_m or to_side < self.side_margin_rad:
            return ''
        return f'{"front" if z > 0 else "back"}-{"right" if x > 0 else "left"}'

    def relation(self, camera_vector: Point) -> str:
        """
        Name the sector of one object round another; '' when they are too close to tell.

        Parameters
        ----------
        camera_vector : (3,) float
            From the reference object to the object, in the viewer's optical frame, metres.

        """
        x, _, z = camera_vector
        too_close = math.hypot(x, z) < self.min_radius_m
        return '' if too_close else self.relations.name_of(camera_vector)


_LEGACY = QuestionFormat(
    name='beyond3d_legacy',
    relations=RelationClasses(
        ('front-right', 'back-right', 'back-left', 'front-left'), (90.0, 180.0, 270.0)
    ),
    distances=DistanceClasses(('close', 'medium', 'far'), (1.0, 2.0)),
)

_FINAL = QuestionFormat(
    name='beyond3d_final',
    relations=RelationClasses(('12 to 4:30', '4:30 to 7:30', '7:30 to 12'), (135.0, 225.0)),
    distances=DistanceClasses(('close', 'medium', 'far'), (1.0, 1.5)),
)

FORMATS: Mapping[str, QuestionFormat] = {f.name: f for f in (_LEGACY, _FINAL)}


def format_named(name: str) -> QuestionFormat:
    """
    Give a question format by name.

    Raises
    ------
    ConfigError
        If there is no such format.

    """
    if name not in FORMATS:
        known = ', '.join(sorted(FORMATS))
        raise ConfigError(f'question format: expected one of {known}, got {name!r}')
    return FORMATS[name]

"""A way in words: legs between corners, turns, and the furniture beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import itertools
import math

from st_memory.core.queries.fixtures import rank_fixtures
from st_memory.core.records import Scene
from st_memory.core.records.detections import Point

__all__ = ['RouteStep', 'legs_in_words', 'side_of', 'turn_of']

# A corner is named after furniture this near.
_LANDMARK_M = 1.5
_STRAIGHT_RAD = math.radians(20.0)
_BEAR_RAD = math.radians(50.0)
_ROUND_RAD = math.radians(150.0)


@dataclass(frozen=True)
class RouteStep:
    """
    One step of a way.

    Parameters
    ----------
    text : str
        What to do.
    world_p : (3,) float
        Where the step ends, fixed frame, metres.
    heading_rad : float
        Which way one then faces, about the vertical from the x axis, counter-clockwise.
    distance_m : float
        From the end of the step before.

    """

    text: str
    world_p: Point
    heading_rad: float
    distance_m: float


def legs_in_words(
    corners: Sequence[Point], heading_rad: float | None, scene: Scene
) -> list[RouteStep]:
    """
    Say how to walk from corner to corner.

    Parameters
    ----------
    corners : sequence of (3,) float
        The start first, metres in the fixed frame.
    heading_rad : float, optional
        Which way the walker faces at the start; None when not known.
    scene : Scene
        Furniture to name corners after.

    """
    steps = []
    facing = heading_rad
    for index, (here, there) in enumerate(itertools.pairwise(corners)):
        ahead = math.atan2(there[1] - here[1], there[0] - here[0])
        turn = 'go' if facing is None else turn_of(_wrapped(ahead - facing))
        where = _landmark(here, scene) if index else ''
        at = f' at {where}' if where and turn != 'go straight on' else ''
        distance_m = math.dist(here[:2], there[:2])
        verb = f'{turn}{at}' if turn.startswith('go') else f'{turn}{at} and go'
        steps.append(RouteStep(f'{verb} {distance_m:.1f} m', there, ahead, distance_m))
        facing = ahead
    return steps


def turn_of(angle_rad: float) -> str:
    """
    Say a turn.

    Parameters
    ----------
    angle_rad : float
        In (-pi, pi], positive to the left.

    """
    side = 'left' if angle_rad > 0 else 'right'
    if abs(angle_rad) <= _STRAIGHT_RAD:
        return 'go straight on'
    if abs(angle_rad) <= _BEAR_RAD:
        return f'bear {side}'
    return f'turn {side}' if abs(angle_rad) < _ROUND_RAD else 'turn round'


def side_of(here: Point, heading_rad: float, world_p: Point) -> str:
    """Say on which side of a walker a place is: ahead, left, right or behind."""
    angle = _wrapped(math.atan2(world_p[1] - here[1], world_p[0] - here[0]) - heading_rad)
    if abs(angle) <= math.pi / 4:
        return 'ahead of you'
    if abs(angle) >= 3 * math.pi / 4:
        return 'behind you'
    return 'to your left' if angle > 0 else 'to your right'


def _landmark(place: Point, scene: Scene) -> str:
    """Name the furniture at a corner: by its label where there is one of the kind only."""
    ranked = rank_fixtures(scene, place)
    if not ranked or ranked[0].distance_m > _LANDMARK_M:
        return ''
    nearest = ranked[0].fixture
    alike = sum(f.label == nearest.label for f in scene.fixtures)
    return f'the {nearest.label}' if alike == 1 else nearest.fixture_id


def _wrapped(angle_rad: float) -> float:
    """Give the same angle in (-pi, pi]."""
    turned = math.fmod(angle_rad, 2 * math.pi)
    if turned > math.pi:
        return turned - 2 * math.pi
    return turned + 2 * math.pi if turned <= -math.pi else turned

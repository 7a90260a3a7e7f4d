"""People as kinematic figures: walking, gaze, hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
import math

from st_memory.sim.shapes import Primitive, rotate_xy, Vec3
from st_memory.sim.spec import TICK_RATE_HZ

__all__ = ['ARM_LENGTH', 'BODY_SHAPES', 'HAND_SHAPES', 'Hand', 'Person', 'arm_shapes']

ARM_LENGTH = 0.55
_SKIN = (0.80, 0.60, 0.50)
_TURN_PER_TICK = math.radians(200.0) / TICK_RATE_HZ
_MAX_STEP_M = 3.0 / TICK_RATE_HZ
_GAZE_GAIN = 0.22
_SHOULDER = (0.0, 0.20, -0.22)  # forward, outward, from eye height
_STANDING_EYE_M = 1.62
# Where a hand is when it is not reaching: forward, outward, height below the eyes.
_POSES: dict[str, Vec3] = {
    'rest': (0.05, 0.30, -0.80),
    'carry': (0.42, 0.08, -0.42),
    'hip': (-0.05, 0.36, -0.75),
}

HAND_SHAPES = (
    Primitive('box', (0.018, 0.045, 0.045), (0.0, 0.0, 0.0), _SKIN),
    Primitive('capsule', (0.012, 0.03), (0.03, 0.04, 0.01), _SKIN, 'x'),
)
"""Palm and thumb; the palm faces +X."""

BODY_SHAPES = (
    Primitive('capsule', (0.17, 0.20), (0.0, 0.0, 1.13), (0.2, 0.3, 0.55)),
    Primitive('sphere', (0.11,), (0.0, 0.0, 1.62), _SKIN),
    Primitive('capsule', (0.08, 0.33), (0.0, 0.10, 0.42), (0.2, 0.2, 0.25)),
    Primitive('capsule', (0.08, 0.33), (0.0, -0.10, 0.42), (0.2, 0.2, 0.25)),
)
"""A standing person, origin on the floor."""


def arm_shapes(sleeve: tuple[float, float, float]) -> tuple[Primitive, ...]:
    """Forearm and upper arm in one; from the wrist at the origin along +X to the shoulder."""
    return (
        Primitive('capsule', (0.032, 0.09), (0.12, 0.0, 0.0), _SKIN, 'x'),
        Primitive('capsule', (0.045, 0.15), (ARM_LENGTH - 0.18, 0.0, 0.0), sleeve, 'x'),
    )


@dataclass
class Hand:
    """
    One hand; its frame is named ``<person>/<side>``.

    Parameters
    ----------
    frame : str
        Name.
    side : float
        +1 left, -1 right.
    position : (3,) float
        In the map, metres.
    follow : callable
        Where it goes when nobody moves it.

    """

    frame: str
    side: float
    position: Vec3 = (0.0, 0.0, 1.0)
    follow: Callable[[], Vec3] = field(default=lambda: (0.0, 0.0, 1.0))
    is_reaching: bool = False


class Person:
    """
    A person who walks, looks and has two hands.

    Parameters
    ----------
    name : str
        ``wearer`` (of the head camera) or ``partner``.
    x, y, yaw : float
        Start in the map, metres and radians.

    """

    def __init__(self, name: str, x: float, y: float, yaw: float) -> None:
        self.name = name
        self.x, self.y, self.yaw = x, y, yaw
        # Where the person means to be; somebody in the way may keep the two apart.
        self.plan = (x, y)
        self.yaw_goal = yaw
        self.eye_height = self.eye_goal = _STANDING_EYE_M
        self.head_yaw, self.head_pitch = yaw, 0.3
        self.gaze: Callable[[], Vec3] = lambda: self.ahead(1.5, 1.0)
        self.walked_m = 0.0
        self.is_away = False
        self.destination = (x, y)
        self.left = Hand(f'{name}/left', 1.0)
        self.right = Hand(f'{name}/right', -1.0)
        for hand in (self.left, self.right):
            hand.follow = self.hand_pose(hand, 'rest')
            hand.position = hand.follow()

    def move_to(self, x: float, y: float) -> None:
        """Step towards a place, at most 3 m/s."""
        dx, dy = x - self.x, y - self.y
        distance = math.hypot(dx, dy)
        share = min(1.0, _MAX_STEP_M / distance) if distance > 0 else 0.0
        self.x, self.y = self.x + share * dx, self.y + share * dy
        self.walked_m += share * distance

    def ahead(self, distance: float, height: float) -> Vec3:
        """Give a point in front of the person, in the map."""
        return (
            self.x + distance * math.cos(self.yaw),
            self.y + distance * math.sin(self.yaw),
            height,
        )

    def body_point(self, forward: float, left: float, height: float) -> Vec3:
        """Give a point of the person's frame (height above the floor) in the map."""
        dx, dy = rotate_xy(forward, left, self.yaw)
        return self.x + dx, self.y + dy, height

    @property
    def eye(self) -> Vec3:
        """Eyes in the map, with the bob of walking."""
        bob = 0.012 * math.sin(2 * math.pi * self.walked_m / 0.7)
        return self.body_point(0.08, 0.0, self.eye_height + bob)

    def hand_pose(self, hand: Hand, name: str) -> Callable[[], Vec3]:
        """Give a place for a hand that moves with the body: ``rest``, ``carry`` or ``hip``."""
        forward, outward, below = _POSES[name]
        return lambda: self.body_point(forward, hand.side * outward, self.eye_height + below)

    def shoulder(self, hand: Hand) -> Vec3:
        """Shoulder of a hand in the map."""
        forward, outward, below = _SHOULDER
        return self.body_point(forward, hand.side * outward, self.eye_height + below)

    def look_at(self, point: Callable[[], Vec3]) -> None:
        """Look at a place that may move."""
        self.gaze = point

    def advance(self) -> None:
        """One tick: turn body and head towards their goals, let idle hands follow."""
        turn = _wrap(self.yaw_goal - self.yaw)
        self.yaw = _wrap(self.yaw + max(-_TURN_PER_TICK, min(_TURN_PER_TICK, turn)))
        self.eye_height += 0.10 * (self.eye_goal - self.eye_height)
        target, eye = self.gaze(), self.eye
        dx, dy, dz = target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]
        wish = _wrap(math.atan2(dy, dx) - self.yaw)
        wish = self.yaw + max(-1.3, min(1.3, wish))
        pitch = max(-0.5, min(1.15, -math.atan2(dz, math.hypot(dx, dy))))
        self.head_yaw = _wrap(self.head_yaw + _GAZE_GAIN * _wrap(wish - self.head_yaw))
        self.head_pitch += _GAZE_GAIN * (pitch - self.head_pitch)
        for hand in (self.left, self.right):
            if not hand.is_reaching:
                hand.position = hand.follow()


def _wrap(angle: float) -> float:
    """Wrap an angle into [-pi, pi)."""
    return (angle + math.pi) % (2 * math.pi) - math.pi

"""How probable it is that a fixture is used next: a log-linear model of what can be seen."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.queries.usage import Habits
from st_memory.core.queries.wording import describe_count
from st_memory.core.records import Fixture
from st_memory.core.stamps import NS_PER_S

__all__ = ['GuessedFixture', 'Motion', 'PredictionSettings', 'guess_fixtures']

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PredictionSettings:
    """
    How much each sign counts; weights are those of a log-linear model.

    Parameters
    ----------
    horizon_ns : int
        How far ahead is asked.
    trend_ns : int
        The movement over this long tells where one goes.
    gaze_weight, walk_weight : float
        Of the cosine between the fixture's direction and that of the gaze, and of walking.
    distance_m : float
        A fixture this much further away is e times less likely.
    habit_weight : float
        Of the logarithm of how often a fixture was used, in all and after the last one.
    still_mps : float
        Who is slower stands.
    walk_mps : float
        Speed of a walk that has not begun yet.
    reach_m : float
        From this far a fixture is used.
    none_share : float
        Probability that no fixture is used.

    """

    horizon_ns: int = 5 * NS_PER_S
    trend_ns: int = NS_PER_S
    gaze_weight: float = 2.0
    walk_weight: float = 2.0
    distance_m: float = 1.0
    habit_weight: float = 0.5
    still_mps: float = 0.15
    walk_mps: float = 0.8
    reach_m: float = 0.8
    none_share: float = 0.1


class GuessedFixture(NamedTuple):
    """A fixture with the probability that it is used next, when, and why."""

    fixture: Fixture
    probability: float
    eta_ns: int
    reason: str


class Motion(NamedTuple):
    """Where one is, where one looks and goes, seen from above; velocity in metres a second."""

    place: Array
    gaze: Array
    velocity: Array

    @property
    def speed(self) -> float:
        """Metres a second."""
        return float(np.linalg.norm(self.velocity))


class _Signs(NamedTuple):
    """What speaks for one fixture."""

    distance_m: float
    gaze: float
    walk: float
    score: float


def guess_fixtures(
    fixtures: list[Fixture], motion: Motion, habits: Habits, settings: PredictionSettings
) -> list[GuessedFixture]:
    """Rank the fixtures that can be reached within the horizon, the most probable first."""
    signs = [_signs(fixture, motion, habits, settings) for fixture in fixtures]
    weights = np.exp(np.array([s.score for s in signs]) - max(s.score for s in signs))
    shares = (1.0 - settings.none_share) * weights / weights.sum()
    guesses = []
    for fixture, sign, share in zip(fixtures, signs, shares.tolist(), strict=True):
        speed = motion.speed if motion.speed > settings.still_mps and sign.walk > 0.5 else 0.0
        way_m = max(0.0, sign.distance_m - settings.reach_m)
        eta_ns = round(way_m / max(speed, settings.walk_mps) * NS_PER_S)
        if eta_ns <= settings.horizon_ns:
            reason = _reason(fixture, sign, habits, settings, motion.speed)
            guesses.append(GuessedFixture(fixture, share, eta_ns, reason))
    guesses.sort(key=lambda g: (-g.probability, g.fixture.fixture_id))
    return guesses


def _signs(
    fixture: Fixture, motion: Motion, habits: Habits, settings: PredictionSettings
) -> _Signs:
    box = fixture.world_T_box
    here = np.array([*motion.place, box.translation[2]])
    half = np.array(fixture.size_m) / 2
    nearest = box.apply(np.clip(box.inverse().apply(here), -half, half))
    distance_m = float(np.linalg.norm(nearest[:2] - motion.place))
    towards = box.translation[:2] - motion.place
    gaze = _cosine(motion.gaze, towards)
    walk = _cosine(motion.velocity, towards) if motion.speed > settings.still_mps else 0.0
    name = fixture.fixture_id
    score = settings.gaze_weight * gaze + settings.walk_weight * min(motion.speed, 1.0) * walk
    score -= distance_m / settings.distance_m
    score += settings.habit_weight * math.log(1 + habits.counts[name])
    score += settings.habit_weight * math.log(1 + habits.after_last[name])
    return _Signs(distance_m, gaze, walk, score)


def _cosine(a: Array, b: Array) -> float:
    """Cosine of the angle between two directions; 0 when one has none."""
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length > 1e-9 else 0.0


def _reason(
    fixture: Fixture, sign: _Signs, habits: Habits, settings: PredictionSettings, speed: float
) -> str:
    """Say what speaks for a fixture, in a clause."""
    name = fixture.fixture_id
    parts = [f'{sign.distance_m:.1f} m away']
    if sign.gaze > 0.8:
        parts.append('looked at')
    if speed > settings.still_mps and sign.walk > 0.8:
        parts.append('walked towards')
    if habits.counts[name]:
        parts.append(f'used {describe_count(habits.counts[name])} before')
    if habits.after_last[name]:
        parts.append(f'{describe_count(habits.after_last[name])} after {habits.last}')
    return ', '.join(parts)

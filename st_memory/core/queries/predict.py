"""Which fixture is used next, from how one moves and looks and from what was used before."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.references import BASE, find_view
from st_memory.core.queries.usage import Habits, habits_of, uses_of
from st_memory.core.queries.wording import describe_count, join_names
from st_memory.core.records import AnswerStatus, CameraLook, Fixture
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['GuessedFixture', 'PredictionAnswer', 'PredictionSettings', 'predict_interaction']

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


@dataclass(frozen=True)
class PredictionAnswer(Answer):
    """
    Fixtures, the most probable first; what is missing to 1 is that none of them is used in time.

    Parameters
    ----------
    fixtures : tuple of GuessedFixture
        With a limit the first ones.
    total : int
        How many there are.
    actor : str
        Whose movement it is: ``base`` or the id of a camera.

    """

    fixtures: tuple[GuessedFixture, ...] = ()
    total: int = 0
    actor: str = ''


class _Motion(NamedTuple):
    """Where one is, where one looks and goes, seen from above; velocity in metres a second."""

    place: Array
    gaze: Array
    velocity: Array

    @property
    def speed(self) -> float:
        return float(np.linalg.norm(self.velocity))


class _Signs(NamedTuple):
    """What speaks for one fixture."""

    distance_m: float
    gaze: float
    walk: float
    score: float


def predict_interaction(
    reader: MemoryReader,
    actor: str = 'camera',
    at: Moment | None = None,
    *,
    limit: int | None = None,
    settings: PredictionSettings | None = None,
) -> PredictionAnswer:
    """
    Rank the fixtures that one may use next.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    actor : str
        Whose movement tells: ``base``, ``camera`` (the one that looked last) or ``camera:<id>``.
    at : Moment, optional
        As of when; nothing later counts. None for now.
    limit : int, optional
        At most this many guesses.
    settings : PredictionSettings, optional
        None for the defaults.

    Returns
    -------
    PredictionAnswer
        NO_POSE without a pose of the actor, UNKNOWN without fixtures. Only fixtures that can be
        reached within the horizon are named.

    Notes
    -----
    The probability of a fixture is proportional to the exponential of a weighted sum: the
    cosines of gaze and of walking towards it, its distance, and the logarithm of its uses so far
    (each counted once more than it was).

    """
    check_names(actor=actor)
    chosen = settings or PredictionSettings()
    moment, status, reason = as_of(reader, at)
    if moment is None or status in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN):
        return PredictionAnswer(status, reason, f'I do not know: {reason}.', at=moment)
    fixtures = sorted(reader.scene().fixtures, key=lambda f: f.fixture_id)
    if not fixtures:
        reason = 'the memory knows of no fixtures'
        text = f'I do not know: {reason}.'
        return PredictionAnswer(AnswerStatus.UNKNOWN, reason, text, at=moment)
    look, of_view = find_view(reader, actor, moment)
    motion = None if look is None else _motion_of(reader, look, actor, moment, chosen)
    if look is None or motion is None:
        text = f'I cannot say what comes next, because {of_view.reason}.'
        return PredictionAnswer(of_view.status, of_view.reason, text, at=moment)
    habits = habits_of(uses_of(reader, moment))
    guesses = _guesses(fixtures, motion, habits, chosen)
    if of_view.status is AnswerStatus.STALE:
        status, reason = AnswerStatus.STALE, '; '.join(filter(None, (reason, of_view.reason)))
    return PredictionAnswer(
        status,
        reason,
        _sentence(guesses, chosen, reason),
        at=moment,
        evidence_ids=_evidence(reader, moment),
        fixtures=tuple(guesses if limit is None else guesses[:limit]),
        total=len(guesses),
        actor=BASE if actor == BASE else look.camera_id,
    )


def _evidence(reader: MemoryReader, at: Moment) -> tuple[str, ...]:
    moves = [e.event_id for e in reader.events(at) if e.event_type == 'moved']
    return tuple(moves[-3:])


def _motion_of(
    reader: MemoryReader, look: CameraLook, actor: str, at: Moment, settings: PredictionSettings
) -> _Motion | None:
    """Measure the movement up to a look; standing while there is no earlier pose."""
    pose = look.world_T_camera
    if pose is None:
        return None
    gaze = pose.rotation[:2, 0 if actor == BASE else 2]
    place = pose.translation[:2]
    then = Moment(at.epoch, look.stamp_ns - settings.trend_ns)
    before = reader.look_at(look.camera_id, then)
    velocity = np.zeros(2)
    if before is not None and before.world_T_camera is not None:
        elapsed_s = (look.stamp_ns - before.stamp_ns) / NS_PER_S
        if elapsed_s <= 3 * settings.trend_ns / NS_PER_S:
            velocity = (place - before.world_T_camera.translation[:2]) / elapsed_s
    return _Motion(place, gaze, velocity)


def _guesses(
    fixtures: list[Fixture], motion: _Motion, habits: Habits, settings: PredictionSettings
) -> list[GuessedFixture]:
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
    fixture: Fixture, motion: _Motion, habits: Habits, settings: PredictionSettings
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


def _sentence(guesses: list[GuessedFixture], settings: PredictionSettings, reason: str) -> str:
    horizon = f'{settings.horizon_ns / NS_PER_S:g} s'
    if not guesses:
        text = f'No fixture can be reached within {horizon}'
    else:
        best = guesses[0]
        eta_s = round(best.eta_ns / NS_PER_S)
        soon = f'in about {eta_s} s' if eta_s else 'within a second'
        text = (
            f'Most likely {best.fixture.fixture_id} is used next, {soon} '
            f'({best.probability:.0%}: {best.reason})'
        )
        others = [f'{g.fixture.fixture_id} ({g.probability:.0%})' for g in guesses[1:3]]
        text += f'; else {join_names(others)}' if others else ''
    return f'{text}; {reason}.' if reason else f'{text}.'

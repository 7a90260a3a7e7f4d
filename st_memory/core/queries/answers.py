"""Answers: a status with a reason, a sentence, the evidence, and the typed content."""

from __future__ import annotations

from dataclasses import dataclass, field

from st_memory.core.records import AnswerStatus, ObjectState, Visibility, VisibilityInterval
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = [
    'Answer',
    'ListAnswer',
    'LocateAnswer',
    'RelativePoseAnswer',
    'VisibilityAnswer',
    'WhenAnswer',
]


@dataclass(frozen=True)
class Answer:
    """
    What every answer has.

    Parameters
    ----------
    status : AnswerStatus
        KNOWN, or the kind of not knowing.
    reason : str
        Clauses that say why, all that apply; '' for a plain KNOWN.
    sentence : str
        A complete English sentence to read out.
    at : Moment, optional
        Moment of the newest frame it rests on, which is not after the time asked about; that
        time itself when there is no such frame, None for an empty memory.
    object : ObjectState, optional
        The object it is about.
    alternatives : tuple of ObjectState
        Others that fit the question as well or nearly.
    evidence_ids : tuple of str
        Observations and events it rests on.

    """

    status: AnswerStatus
    reason: str
    sentence: str
    at: Moment | None = None
    object: ObjectState | None = None
    alternatives: tuple[ObjectState, ...] = ()
    evidence_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocateAnswer(Answer):
    """
    Where an object is: ``object.world_p`` in the fixed frame.

    Parameters
    ----------
    existence_estimated : bool
        ``object.existence_probability`` is learned from how often things of its class were moved.

    """

    existence_estimated: bool = False


@dataclass(frozen=True)
class VisibilityAnswer(Answer):
    """
    Whether an object can be seen, and why not.

    Parameters
    ----------
    state : Visibility
        Fused verdict.
    cause, occluder_id : str
        Why; what hides it.
    since_ns : int, optional
        Start of the current interval.
    confirmed_fraction : float
        Share of the interval's frames with a matching detection.
    intervals : tuple of VisibilityInterval
        The intervals asked for (the timeline), or the current one.
    total : int
        How many there are; more than ``intervals`` holds when a limit cut them off.
    is_timeline : bool
        The intervals were asked for.

    """

    state: Visibility = Visibility.UNKNOWN
    cause: str = ''
    occluder_id: str = ''
    since_ns: int | None = None
    confirmed_fraction: float = 0.0
    intervals: tuple[VisibilityInterval, ...] = ()
    total: int = 0
    is_timeline: bool = False


@dataclass(frozen=True)
class WhenAnswer(Answer):
    """
    When something last held.

    Parameters
    ----------
    stamp_ns : int, optional
        The stamp; None when unknown.
    ago_ns : int, optional
        How long before ``at``.
    source : str
        How it is known: ``geometry``, ``detection``, ``annotation``, ``observed``, ``inferred``,
        ``lost``.

    """

    stamp_ns: int | None = None
    ago_ns: int | None = None
    source: str = ''


@dataclass(frozen=True)
class ListAnswer(Answer):
    """Objects that pass a filter, by id."""

    objects: tuple[ObjectState, ...] = field(default=())


@dataclass(frozen=True)
class RelativePoseAnswer(Answer):
    """
    Where an object is as seen from a camera or another object.

    Parameters
    ----------
    reference : str
        What it is relative to.
    frame : str
        Frame that ``vector`` is in: ``camera:<id>`` (optical axes: x right, y down, z ahead) or
        ``base`` (x ahead, y left, z up).
    vector : (3,) float, optional
        From the reference to the object, metres.
    distance_m : float, optional
        Its length.
    direction : str
        Class of the direction in the asked scheme; '' when it cannot be told.
    distance_class : str
        Class of the distance.

    """

    reference: str = ''
    frame: str = ''
    vector: Point | None = None
    distance_m: float | None = None
    direction: str = ''
    distance_class: str = ''

"""Questions as they were written: steps and trajectories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from st_memory.benchmark.questions.anchors import Anchor
from st_memory.benchmark.questions.drafts import Reference
from st_memory.benchmark.questions.tracks import Mark

__all__ = ['Step', 'Trajectory']


@dataclass(frozen=True)
class Step:
    """
    One question.

    Parameters
    ----------
    step, question_class : str
        As the format names them.
    kind : str
        A key of :data:`.templates.CLASSES`.
    question : str
        Its words.
    choices : tuple of str
        The options; empty for an open question.
    correct_idx : int, optional
        The right one; None for an open question.
    acceptable_idxs : tuple of int
        All that count as right.
    answer : dict
        What the right answer was made of: times in seconds of the video, metres, classes.

    """

    step: str
    question_class: str
    kind: str
    question: str
    choices: tuple[str, ...]
    correct_idx: int | None
    acceptable_idxs: tuple[int, ...]
    answer: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """
    The questions about one target at one time.

    Parameters
    ----------
    trajectory_id : str
        Unique in the recording.
    anchor : Anchor
        Whom and when.
    horizon : str
        Group of its horizon; '' for a visible control.
    query_stamp_ns : int
        When is asked.
    target_mark : Mark, optional
        Points the target out where its name does not.
    reference : Reference, optional
        The reference object.
    steps : tuple of Step
        In the order of the format; one for a visible control.

    """

    trajectory_id: str
    anchor: Anchor
    horizon: str
    query_stamp_ns: int
    target_mark: Mark | None
    reference: Reference | None
    steps: tuple[Step, ...]

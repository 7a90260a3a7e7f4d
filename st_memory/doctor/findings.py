"""What a running node receives, and what is found to be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import enum
from typing import NamedTuple

from st_memory.conversions.roles import TopicKind
from st_memory.doctor.transform_links import TransformLink

__all__ = ['Finding', 'LiveInputs', 'PairGap', 'Received', 'Severity']


class Severity(enum.IntEnum):
    """How bad it is; the numbers are those of ``st_memory_interfaces/msg/DoctorFinding``."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Finding(NamedTuple):
    """
    One reason why something is not remembered, or remembered badly.

    Attributes
    ----------
    severity : Severity
        ERROR: nothing can be remembered until it is put right.
    code : str
        Stable, for machines.
    subject : str
        Topic, camera, frame, parameter or object concerned.
    message : str
        One clause: what was expected, what was found.
    remedy : str
        What to do.

    """

    severity: Severity
    code: str
    subject: str
    message: str
    remedy: str


@dataclass(frozen=True)
class Received:
    """
    What came of one kind for one camera.

    Parameters
    ----------
    kind : TopicKind
        Its kind.
    camera_id : str
        '' for what belongs to no camera.
    topic : str
        Its name; '' where none is known.
    num_messages : int
        How many came.
    last_ns : int, optional
        Stamp of the newest one; None when there is none, or it has no stamp.
    late_ns : int
        How far the node's clock was ahead of that stamp when it came, nanoseconds.
    drift_ns : int
        How much more that was than at first, at the best of either time, nanoseconds.
    rate_hz : float, optional
        Messages a second lately; None where too few came to tell.
    num_lost : int
        How many the middleware knows it has lost on the way.
    quiet_s : float, optional
        How long ago the newest one came, on a steady clock; None when none came.

    """

    kind: TopicKind
    camera_id: str = ''
    topic: str = ''
    num_messages: int = 0
    last_ns: int | None = None
    late_ns: int = 0
    drift_ns: int = 0
    rate_hz: float | None = None
    quiet_s: float | None = None
    num_lost: int = 0


class PairGap(NamedTuple):
    """
    How near to each other the stamps of two kinds of one camera come.

    Attributes
    ----------
    camera_id : str
        The camera.
    first, second : TopicKind
        What does, or does not, come together.
    best_ns : int
        Least difference of their stamps lately, nanoseconds.

    """

    camera_id: str
    first: TopicKind
    second: TopicKind
    best_ns: int


@dataclass(frozen=True)
class LiveInputs:
    """
    What a node receives.

    Parameters
    ----------
    is_active : bool
        Topics are subscribed.
    received : tuple of Received
        All that is subscribed, whether or not something came.
    counters : mapping of str to int
        What could not be used, by reason.
    pose_problems : mapping of str to str
        Why the newest look of a camera has no pose, by camera.
    on_probation : mapping of str to int
        Matches of what is not believed in yet, by label.
    unheard : mapping of str to str
        Topics whose publishers offer less than is asked for, with the policy.
    fixed_frame : str
        Frame in which objects are remembered.
    uses_sim_time, has_clock : bool
        Whether time is taken from ``/clock``, and whether somebody publishes it.
    is_clock_running : bool
        The node's clock says a time.
    pair_gaps : tuple of PairGap
        What of a camera comes together.
    slop_ns : int
        Stamps of one camera this far apart are one look.
    links : tuple of TransformLink
        The transform tree.
    unusable : mapping of str to str
        What is wrong with the newest message of a topic, by topic; only where something is.
    since_s : mapping of (str, str) to float
        How long ago something was found first, by code and subject, seconds.
    counted_s : mapping of str to float
        How long ago a counter moved last, seconds.

    """

    is_active: bool = True
    received: tuple[Received, ...] = ()
    counters: Mapping[str, int] = field(default_factory=dict)
    pose_problems: Mapping[str, str] = field(default_factory=dict)
    on_probation: Mapping[str, int] = field(default_factory=dict)
    unheard: Mapping[str, str] = field(default_factory=dict)
    fixed_frame: str = 'map'
    uses_sim_time: bool = False
    has_clock: bool = False
    is_clock_running: bool = True
    pair_gaps: tuple[PairGap, ...] = ()
    slop_ns: int = 0
    links: tuple[TransformLink, ...] = ()
    unusable: Mapping[str, str] = field(default_factory=dict)
    since_s: Mapping[tuple[str, str], float] = field(default_factory=dict)
    counted_s: Mapping[str, float] = field(default_factory=dict)

    def of(self, kind: TopicKind, camera_id: str = '') -> Received | None:
        """Give what came of a kind for a camera; None for nothing."""
        came = (r for r in self.received if r.kind is kind and r.camera_id == camera_id)
        return next((r for r in came if r.num_messages), None)

    def count(self, kind: TopicKind, camera_id: str | None = None) -> int:
        """Count the messages of a kind, of one camera or of all."""
        return sum(
            r.num_messages
            for r in self.received
            if r.kind is kind and camera_id in (None, r.camera_id)
        )

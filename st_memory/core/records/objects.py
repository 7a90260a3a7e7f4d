"""The state of one remembered object."""

from __future__ import annotations

from dataclasses import dataclass
import enum

from st_memory.core.records.detections import ALONG_AXES, Point, Quaternion

__all__ = [
    'MOST_TELLING_FIRST',
    'PLACED_BY_LOSS',
    'LifeCycle',
    'ObjectState',
    'Visibility',
    'is_called',
]

# ``placed_by`` of a thing that was lost from sight in a hand: where it lies is only assumed.
PLACED_BY_LOSS = 'lost'


@enum.unique
class Visibility(enum.IntEnum):
    """
    Can the object be seen now, and if not, what kind of not.

    The numbers are those of ``st_memory_interfaces/msg/ObjectState``.
    """

    UNKNOWN = 0
    VISIBLE = 1
    OUT_OF_VIEW = 2
    OCCLUDED = 3
    AMBIGUOUS_FIXTURE = 4
    UNCONFIRMED = 5
    IN_MOTION = 6
    ABSENT = 7


# The more a camera's verdict says for the object being there, the earlier it comes: one camera
# that sees it outweighs all that do not; one that could see more of it, one that looks away.
MOST_TELLING_FIRST = (
    Visibility.IN_MOTION,
    Visibility.VISIBLE,
    Visibility.ABSENT,
    Visibility.UNCONFIRMED,
    Visibility.AMBIGUOUS_FIXTURE,
    Visibility.OCCLUDED,
    Visibility.OUT_OF_VIEW,
    Visibility.UNKNOWN,
)


@enum.unique
class LifeCycle(enum.IntEnum):
    """How far an object is believed to exist."""

    TENTATIVE = 0  # seen too seldom to be reported
    CONFIRMED = 1
    ABSENT = 2  # expected at its place and shown not to be there; a tombstone
    RETIRED = 3  # merged into another object, or a tentative one that never returned


@dataclass(frozen=True)
class ObjectState:
    """
    What is remembered of one object as of one moment.

    Parameters
    ----------
    object_id : str
        Persistent identity.
    label : str
        Class name with the most support.
    aliases : tuple of str
        Other names: labels it was confused with, names a person gave, merged ids.
    epoch : int
        Epoch the row belongs to.
    life_cycle : LifeCycle
        TENTATIVE rows are never reported to users.
    world_p : (3,) float, optional
        Centre in the fixed frame, metres; None while only a movement or a name is known.
    size_m : (3,) float
        Extents along the axes of its box, metres; zeros when unknown.
    quat_xyzw : (4,) float
        Attitude of its box in the fixed frame, as last measured.
    position_sigma_m : float
        Spread (one sigma) of the observations behind ``world_p``, metres.
    visibility : Visibility
        Verdict that says most, in the order of ``MOST_TELLING_FIRST``, of those of the cameras
        that looked within the last second.
    cause : str
        Why: ``in_view``, ``behind_camera``, ``outside_image``, ``outside_valid_circle``,
        ``beyond_range``, ``occluded_by:<name>``, ``no_pose``, ``invalid_depth``,
        ``detector_silent``, ``seen_through``, ``in_motion``, ``not_yet_located``, ...
    occluder_id : str
        Part, fixture or ``depth`` that hides it; '' otherwise.
    geometry : Visibility
        The verdict of geometry alone (VISIBLE, OUT_OF_VIEW, OCCLUDED, AMBIGUOUS_FIXTURE,
        UNKNOWN), kept apart from confirmation.
    confirmed : bool
        The current visibility interval has at least one matching detection.
    first_seen_ns, last_seen_ns : int, optional
        First and latest positive match; None before one.
    last_visible_ns : int, optional
        Latest frame whose fused state was VISIBLE, or that showed it being moved.
    last_placed_ns : int, optional
        End of the last completed movement; None when it was never seen to move.
    placed_by : str
        Source of ``last_placed_ns``: ``annotation``, ``observed``, ``inferred`` (found elsewhere),
        ``lost`` (lost from sight while carried: where it lies is only assumed); '' without one.
    visibility_since_ns : int, optional
        Start of the current visibility interval.
    fixture_id : str
        Fixture it is in or on; '' when none is known.
    fixture_alternatives : tuple of str
        Other fixtures that fit nearly as well.
    container_id : str
        Object or fixture that contains it; '' when none.
    in_motion : bool
        Being moved or carried.
    num_moves : int
        Completed movements.
    num_observations : int
        Positive matches.
    existence_probability : float
        In [0, 1]; never moves the position.
    identity_confidence : float
        In (0, 1]: chance that all of it is one thing. Below 1 since it was taken for this one by
        class and place alone where others fitted nearly as well.
    identity_alternatives : tuple of str
        Those others, the likeliest first.

    """

    object_id: str
    label: str
    epoch: int
    life_cycle: LifeCycle = LifeCycle.CONFIRMED
    aliases: tuple[str, ...] = ()
    world_p: Point | None = None
    size_m: Point = (0.0, 0.0, 0.0)
    quat_xyzw: Quaternion = ALONG_AXES
    position_sigma_m: float = 0.0
    visibility: Visibility = Visibility.UNKNOWN
    cause: str = ''
    occluder_id: str = ''
    geometry: Visibility = Visibility.UNKNOWN
    confirmed: bool = False
    first_seen_ns: int | None = None
    last_seen_ns: int | None = None
    last_visible_ns: int | None = None
    last_placed_ns: int | None = None
    placed_by: str = ''
    visibility_since_ns: int | None = None
    fixture_id: str = ''
    fixture_alternatives: tuple[str, ...] = ()
    container_id: str = ''
    in_motion: bool = False
    num_moves: int = 0
    num_observations: int = 0
    existence_probability: float = 1.0
    identity_confidence: float = 1.0
    identity_alternatives: tuple[str, ...] = ()


def is_called(state: ObjectState, name: str) -> bool:
    """Whether an object's label or one of its aliases is a name, in upper or lower case."""
    wanted = name.lower()
    return state.label.lower() == wanted or (
        bool(state.aliases) and wanted in [alias.lower() for alias in state.aliases]
    )

"""What a person tells the memory, and what a change of the map makes of it."""

from __future__ import annotations

from dataclasses import dataclass
import enum
import math
import unicodedata

from st_memory.core.errors import EditError
from st_memory.core.geometry.se3 import RigidTransform
from st_memory.core.records.detections import Point, Quaternion
from st_memory.core.records.events import Event
from st_memory.core.records.history import Placement
from st_memory.core.records.objects import LifeCycle, ObjectState

__all__ = [
    'HUMAN',
    'MAX_NAME',
    'MAX_NOTE',
    'CarriedObject',
    'Edit',
    'EditAction',
    'Rebase',
    'RebaseKind',
]

HUMAN = 'human'
"""Source of an event that a person asked for."""

MAX_NAME = 200
"""Longest id or label that a person may give, characters."""

MAX_NOTE = 1000
"""Longest note, characters."""

# Farther off nothing is on this planet, and squares still are numbers.
_FARTHEST_M = 1e9
_UNIT_TOLERANCE = 1e-3


@enum.unique
class EditAction(enum.IntEnum):
    """What is done; the numbers are those of ``st_memory_interfaces/srv/EditObject``."""

    MARK = 0
    RENAME = 1
    MERGE = 2
    FORGET = 3
    SPLIT = 4
    RESTORE = 5


@dataclass(frozen=True)
class Edit:
    """
    One thing that a person says of an object.

    Parameters
    ----------
    action : EditAction
        MARK makes known (a new object, or the place or name of a known one); RENAME gives it
        ``label``; MERGE says that ``other_id`` is the same thing; FORGET takes it out of all
        answers, and RESTORE back into them; SPLIT says that ``other_id`` is another thing: what
        was merged is given back, else an object is opened.
    object_id : str
        Of what is edited; '' only for a MARK that opens an object.
    other_id : str
        Of the second object of MERGE and SPLIT.
    label : str
        Its name, for MARK, RENAME and SPLIT.
    world_p : (3,) float, optional
        Where it is, fixed frame, metres.
    quat_xyzw : (4,) float, optional
        Attitude of its box in the fixed frame.
    note : str
        Why, in the editor's words.

    Raises
    ------
    EditError
        If a name or the note is too long or holds control characters, a number is not finite, or
        what the action needs is missing.

    """

    action: EditAction
    object_id: str = ''
    other_id: str = ''
    label: str = ''
    world_p: Point | None = None
    quat_xyzw: Quaternion | None = None
    note: str = ''

    def __post_init__(self) -> None:
        for name in ('object_id', 'other_id', 'label'):
            _check_text(name, getattr(self, name), MAX_NAME)
        _check_text('note', self.note, MAX_NOTE)
        if self.world_p is not None and not all(map(math.isfinite, self.world_p)):
            raise EditError(f'pose: expected finite numbers, got {self.world_p}')
        if self.world_p is not None and max(map(abs, self.world_p)) >= _FARTHEST_M:
            raise EditError(f'pose: expected less than {_FARTHEST_M:.0e} m, got {self.world_p}')
        if self.quat_xyzw is not None:
            norm = math.sqrt(sum(q * q for q in self.quat_xyzw))
            if not abs(norm - 1.0) <= _UNIT_TOLERANCE:  # "not <=" also catches NaN
                raise EditError(
                    f'pose: expected a quaternion of length 1, got {tuple(self.quat_xyzw)}'
                )
        self._check_needed()

    def _check_needed(self) -> None:
        """Refuse an edit that lacks what its action is about."""
        name = self.action.name
        if self.action is EditAction.MARK:
            if not self.object_id and not self.label:
                raise EditError('MARK: expected an object id or a label, got neither')
        elif not self.object_id:
            raise EditError(f'{name}: expected an object id, got an empty string')
        if self.action is EditAction.RENAME and not self.label:
            raise EditError('RENAME: expected a label, got an empty string')
        if self.action is EditAction.MERGE and not self.other_id:
            raise EditError('MERGE: expected the id of a second object, got an empty string')
        is_pair = self.action in (EditAction.MERGE, EditAction.SPLIT)
        if is_pair and self.object_id == self.other_id:
            raise EditError(f'{name}: expected two objects, got {self.object_id!r} twice')


@enum.unique
class RebaseKind(enum.IntEnum):
    """What happened to the map; the numbers are those of ``st_memory_interfaces/srv/Rebase``."""

    NEW_ORIGIN = 0
    CORRECTED_TRAJECTORY = 1


@dataclass(frozen=True, eq=False)
class CarriedObject:
    """
    An object that a rebase takes over into the epoch that it opens.

    Parameters
    ----------
    object_id : str
        Its id from now on.
    source_epoch, source_id
        Where it is known from, and as what.
    state : ObjectState
        As it was there, in the frame of then.
    new_T_old : RigidTransform
        Takes its place there to its place now.
    placements : tuple of Placement
        Its stays, in the frame of now; the last one may be open.
    is_named : bool
        Its id was given from outside, and goes on to mean it.

    """

    object_id: str
    source_epoch: int
    source_id: str
    state: ObjectState
    new_T_old: RigidTransform
    placements: tuple[Placement, ...] = ()
    is_named: bool = False


@dataclass(frozen=True, eq=False)
class Rebase:
    """
    What a new map origin or a corrected trajectory makes of a memory: worked out beforehand.

    Parameters
    ----------
    kind : RebaseKind
        What happened.
    from_epoch : int
        Newest epoch that is taken over.
    objects : tuple of CarriedObject
        By id from now on.
    merged : tuple of (str, str)
        Ids of objects that turned out to be one: the one that stays, the one it takes over.
    events : tuple of Event
        What had happened until then.
    num_observations, num_left : int
        Observations that were projected anew, and those that could not be.
    num_objects : int
        Objects whose place changed.
    max_shift_m : float
        Largest change of a place, metres.
    note : str
        Why, in the words of who asked.

    """

    kind: RebaseKind
    from_epoch: int
    objects: tuple[CarriedObject, ...] = ()
    merged: tuple[tuple[str, str], ...] = ()
    events: tuple[Event, ...] = ()
    num_observations: int = 0
    num_left: int = 0
    num_objects: int = 0
    max_shift_m: float = 0.0
    note: str = ''

    def __post_init__(self) -> None:
        _check_text('note', self.note, MAX_NOTE)

    def describe(self) -> str:
        """Say in one clause what it does."""
        gone = LifeCycle.RETIRED
        num_known = sum(carried.state.life_cycle is not gone for carried in self.objects)
        moved = f'{self.num_objects} of {num_known} objects moved'
        text = f'{moved}, by {self.max_shift_m:.3f} m at most'
        if self.kind is RebaseKind.CORRECTED_TRAJECTORY:
            text += f'; {self.num_observations} observations projected anew'
            text += f', {self.num_left} left as they were' if self.num_left else ''
        return text + (f'; {len(self.merged)} were duplicates' if self.merged else '')


def _check_text(name: str, text: str, longest: int) -> None:
    if len(text) > longest:
        raise EditError(f'{name}: expected at most {longest} characters, got {len(text)}')
    if text and not text.strip():
        raise EditError(f'{name}: expected a name, got white space only')
    for character in text:
        if unicodedata.category(character) in ('Cc', 'Cs'):
            raise EditError(f'{name}: expected no control characters, got {character!r}')

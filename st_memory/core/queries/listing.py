"""Which objects there are."""

from __future__ import annotations

from dataclasses import dataclass
import math

from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import ListAnswer
from st_memory.core.queries.as_of import as_of
from st_memory.core.queries.as_told import reported_called, reported_objects
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.contents import unheard
from st_memory.core.queries.straying import doubts_of
from st_memory.core.queries.wording import clip_name, join_names
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['ObjectFilter', 'list_objects']

_IN_SIGHT = (Visibility.VISIBLE, Visibility.IN_MOTION)


@dataclass(frozen=True)
class ObjectFilter:
    """
    Conditions that all must hold; unset ones do not count.

    Parameters
    ----------
    object_id : str
        This object only.
    label : str
        Label or alias, case-insensitive.
    visibility : Visibility, optional
        Fused state.
    visibilities : tuple of Visibility
        Any of these fused states; empty for all.
    fixture_id : str
        In or on this fixture.
    container_id : str
        Inside this fixture or object.
    moved_since_ns : int, optional
        Put down at or after this stamp, or moving now.
    out_of_sight_since_ns : int, optional
        Not visible now, and not visible at or after this stamp.
    region_min, region_max : (3,) float, optional
        Corners of a box in the fixed frame, metres.
    centre, radius_m : (3,) float and float, optional
        A ball in the fixed frame, metres; its surface belongs to it.
    include_absent : bool
        Also tombstones.

    Raises
    ------
    StMemoryError
        If the radius is negative or no number, or a name is no text.

    """

    object_id: str = ''
    label: str = ''
    visibility: Visibility | None = None
    visibilities: tuple[Visibility, ...] = ()
    fixture_id: str = ''
    container_id: str = ''
    moved_since_ns: int | None = None
    out_of_sight_since_ns: int | None = None
    region_min: Point | None = None
    region_max: Point | None = None
    centre: Point | None = None
    radius_m: float = 0.0
    include_absent: bool = True

    def __post_init__(self) -> None:
        check_names(
            object_id=self.object_id,
            label=self.label,
            fixture=self.fixture_id,
            container=self.container_id,
        )
        if not 0.0 <= self.radius_m < math.inf:
            raise StMemoryError(f'radius: expected metres >= 0, got {self.radius_m}')

    def accepts(self, state: ObjectState) -> bool:
        """Whether an object passes."""
        names = {state.label.lower(), *(a.lower() for a in state.aliases)}
        return (
            (not self.object_id or state.object_id == self.object_id)
            and (not self.label or self.label.lower() in names)
            and (self.visibility is None or state.visibility is self.visibility)
            and (not self.visibilities or state.visibility in self.visibilities)
            and (not self.fixture_id or state.fixture_id == self.fixture_id)
            and (not self.container_id or state.container_id == self.container_id)
            and (self.include_absent or state.life_cycle is not LifeCycle.ABSENT)
            and self._moved(state)
            and self._out_of_sight(state)
            and self._in_region(state)
            and self._in_ball(state)
        )

    def _moved(self, state: ObjectState) -> bool:
        if self.moved_since_ns is None or state.in_motion:
            return True
        return state.last_placed_ns is not None and state.last_placed_ns >= self.moved_since_ns

    def _out_of_sight(self, state: ObjectState) -> bool:
        if self.out_of_sight_since_ns is None:
            return True
        if state.visibility in _IN_SIGHT:
            return False
        return state.last_visible_ns is None or state.last_visible_ns < self.out_of_sight_since_ns

    def _in_region(self, state: ObjectState) -> bool:
        if self.region_min is None or self.region_max is None:
            return True
        if state.world_p is None:
            return False
        return all(
            low <= value <= high
            for low, value, high in zip(
                self.region_min, state.world_p, self.region_max, strict=True
            )
        )

    def _in_ball(self, state: ObjectState) -> bool:
        if self.centre is None:
            return True
        return state.world_p is not None and math.dist(self.centre, state.world_p) <= self.radius_m


def list_objects(
    reader: MemoryReader, wanted: ObjectFilter | None = None, at: Moment | None = None
) -> ListAnswer:
    """
    List the objects that pass a filter, by id.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    wanted : ObjectFilter, optional
        None for all.
    at : Moment, optional
        As of when; None for now. What is listed is as of the newest frame not after it.

    Returns
    -------
    ListAnswer
        NOT_YET_SEEN when the filter names a fixture or container that nothing is called, STALE
        when something listed was seen elsewhere than at its place since.

    """
    moment, status, reason = as_of(reader, at)
    if moment is None or status in (AnswerStatus.UNKNOWN, AnswerStatus.NOT_YET_SEEN):
        return ListAnswer(status, reason, f'I know of nothing: {reason}.', at=moment)
    chosen = wanted or ObjectFilter()
    # A label is looked up; without one all have to be read.
    label = chosen.label
    known = reported_called(reader, label, moment) if label else reported_objects(reader, moment)
    objects = tuple(s for s in known if chosen.accepts(s))
    missing = '' if objects else _unheard_holder(reader, chosen, moment)
    if missing:
        status = AnswerStatus.NOT_YET_SEEN
        return ListAnswer(status, missing, f'I do not know: {missing}.', at=moment)
    doubts = doubts_of(reader, objects, moment, reason)
    if doubts:
        status, reason = AnswerStatus.STALE, '; '.join(filter(None, (doubts, reason)))
    named = [clip_name(s.object_id) for s in objects[:10]]
    names = join_names(named, len(objects) - len(named))
    text = f'I know of {len(objects)} such object{"" if len(objects) == 1 else "s"}'
    text += f': {names}' if objects else ''
    text += f'; {reason}' if reason else ''
    return ListAnswer(status, reason, f'{text}.', at=moment, objects=objects)


def _unheard_holder(reader: MemoryReader, wanted: ObjectFilter, at: Moment) -> str:
    """Say which fixture or container of a filter nothing is called; '' when all are known."""
    asked = [name for name in (wanted.fixture_id, wanted.container_id) if name]
    if not asked:
        return ''
    scene = reader.scene()
    known = {f.fixture_id for f in scene.fixtures}
    objects = reported_objects(reader, at)
    known.update(n for s in objects for n in (s.object_id, s.fixture_id, s.container_id))
    return next((unheard(scene, name) for name in asked if name not in known), '')

"""Where something was left, and how to get there."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.answers import Answer
from st_memory.core.queries.asked_names import check_asker
from st_memory.core.queries.floor_map import floor_map_of, FloorMap, FloorMapSettings
from st_memory.core.queries.grid_search import find_path, nearest_free, path_length, pull_tight
from st_memory.core.queries.guessing import names_its_guess
from st_memory.core.queries.history import evidence_of
from st_memory.core.queries.references import BASE, CAMERA, find_view
from st_memory.core.queries.route_words import legs_in_words, RouteStep, side_of
from st_memory.core.queries.selection import judge, select, Selection, Selector, Subject, Verdict
from st_memory.core.queries.wording import describe_place, is_gone, name_first
from st_memory.core.records import AnswerStatus, BASE_LOOK, ObjectState, Scene, Visibility
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['RouteAnswer', 'find_item']

FLOOR_MAP, STRAIGHT = 'floor_map', 'straight'
# From this far an arm gets there, seen from above.
_REACH_M = 1.2
# Who leans over a table stands this near to where a walker may stand.
_STEP_ASIDE_M = 1.0


@dataclass(frozen=True)
class RouteAnswer(Answer):
    """
    The way to an object.

    Parameters
    ----------
    steps : tuple of RouteStep
        In order; the last one ends at the object, or at the nearest reachable place.
    distance_m : float, optional
        Length of the way on the floor; None when none is told.
    source : str
        ``floor_map`` round what the scene shows, ``straight`` where there is no scene; ''.
    reachable : bool
        The way leads to within reach of the object.
    start : str
        Who starts: ``base`` or ``camera:<id>``.

    """

    steps: tuple[RouteStep, ...] = ()
    distance_m: float | None = None
    source: str = ''
    reachable: bool = False
    start: str = ''


class _Way(NamedTuple):
    """Corners on the floor, and how they were found; the reason why not is not empty."""

    corners: list[Point]
    source: str
    reason: str = ''


@names_its_guess
def find_item(
    reader: MemoryReader,
    selector: Selector,
    at: Moment | None = None,
    start: str = '',
    settings: FloorMapSettings | None = None,
) -> RouteAnswer:
    """
    Say where an object was left and how to walk there from where the asker is.

    Parameters
    ----------
    reader, selector, at
        As in :func:`st_memory.core.queries.locate`. The way starts where the asker was then.
    start : str
        Who walks: ``base``, ``camera``, ``camera:<id>``; '' for the base if it is known, else the
        camera that looked last.
    settings : FloorMapSettings, optional
        Size of who walks, and of the cells.

    Returns
    -------
    RouteAnswer
        The status is that of the object's place; NO_POSE when it is not known where the asker
        is, UNKNOWN when there is no way (``steps`` then lead to the nearest reachable place).

    """
    check_asker(start=start)
    found = select(reader, selector, at, Subject.PLACE)
    if not found.found:
        return RouteAnswer(
            found.status, found.reason, f'I do not know: {found.reason}.', at=found.at
        )
    state = found.found[0]
    verdict = judge(state, found, Subject.PLACE)
    chosen = start or _default_start(reader, found.at)
    look, of_view = find_view(reader, chosen, found.at)
    common: dict[str, Any] = {
        'at': found.at,
        'object': state,
        'alternatives': found.found[1:],
        'evidence_ids': evidence_of(reader, state, found.at),
        'start': BASE if chosen == BASE else f'{CAMERA}:{look.camera_id}' if look else chosen,
    }
    if state.world_p is None:
        text = f'{name_first(state)}: {verdict.reason}.'
        return RouteAnswer(verdict.status, verdict.reason, text, **common)
    if look is None or look.world_T_camera is None:
        text = f'{_left(state)}; I cannot say how to get there, because {of_view.reason}.'
        return RouteAnswer(of_view.status, of_view.reason, text, **common)
    pose, heading = look.world_T_camera, _heading(look.world_T_camera, chosen)
    scene = reader.scene()
    way = _way(scene, pose, state.world_p, settings)
    steps = legs_in_words(way.corners, heading, scene)
    if way.reason:
        verdict = Verdict(AnswerStatus.UNKNOWN, way.reason)
    else:
        steps.append(
            _last_step(state, way.corners[-1], steps[-1].heading_rad if steps else heading, found)
        )
        verdict = _with_view(verdict, of_view)
    length_m = path_length([corner[:2] for corner in way.corners])
    return RouteAnswer(
        verdict.status,
        verdict.reason,
        _sentence(state, steps, way, length_m, verdict),
        **common,
        steps=tuple(steps),
        distance_m=length_m,
        source=way.source,
        reachable=not way.reason,
    )


def _default_start(reader: MemoryReader, at: Moment | None) -> str:
    return CAMERA if reader.look_at(BASE_LOOK, at) is None else BASE


def _with_view(verdict: Verdict, of_view: Verdict) -> Verdict:
    """Count an old pose of the asker as a doubt."""
    if of_view.status is not AnswerStatus.STALE:
        return verdict
    reason = '; '.join(filter(None, (verdict.reason, of_view.reason)))
    return Verdict(AnswerStatus.STALE, reason)


def _heading(pose: RigidTransform, start: str) -> float | None:
    """Which way one faces, seen from above; None when straight up or down."""
    ahead = pose.rotation[:, 0 if start == BASE else 2]
    if math.hypot(ahead[0], ahead[1]) < 0.1:
        return None
    return math.atan2(float(ahead[1]), float(ahead[0]))


def _way(
    scene: Scene, pose: RigidTransform, goal: Point, settings: FloorMapSettings | None
) -> _Way:
    """Find the way on the floor from a pose to within reach of a place."""
    x, y, z = pose.translation.tolist()
    begin = (x, y, z)
    grid = floor_map_of(scene, [begin, goal], settings)
    if grid is None:
        return _Way([begin, (goal[0], goal[1], begin[2])], STRAIGHT)
    here = _cells(grid, begin)
    first = nearest_free(grid.free, here)
    if first is None or math.dist(first, here) * grid.cell_m > _STEP_ASIDE_M:
        return _Way([], FLOOR_MAP, 'where you are, the floor map has no free place')
    last = nearest_free(grid.free, _cells(grid, goal), first) or first
    corners = pull_tight(grid.free, find_path(grid.free, first, last))
    places: list[Point] = [(*grid.place_of(cell), grid.floor_z) for cell in corners]
    away_m = math.dist(places[-1][:2], goal[:2])
    if away_m <= _REACH_M:
        return _Way(places, FLOOR_MAP)
    x, y, _ = places[-1]
    reason = (
        f'no way leads to it; the nearest place one can reach is ({x:.2f}, {y:.2f}), '
        f'{away_m:.1f} m from it'
    )
    return _Way(places, FLOOR_MAP, reason)


def _cells(grid: FloorMap, place: Point) -> tuple[float, float]:
    """Give a place in units of cells."""
    i, j = ((place[:2] - grid.origin_m) / grid.cell_m).tolist()
    return i, j


def _last_step(
    state: ObjectState, here: Point, heading: float | None, found: Selection
) -> RouteStep:
    """Say what to do when one is there: open what it is in, look to the right side."""
    goal = state.world_p or here
    side = '' if heading is None else f', {side_of(here, heading, goal)}'
    is_doubtful = state.in_motion or is_gone(state) or bool(found.astray)
    text = f'it {"was last" if is_doubtful else "is"} {describe_place(state)}{side}'
    # Nobody is to open what need not hold it.
    if not is_doubtful and state.container_id and state.visibility is not Visibility.VISIBLE:
        text = f'open {state.container_id}{side}: it is inside'
    there = math.atan2(goal[1] - here[1], goal[0] - here[0])
    return RouteStep(text, goal, there, math.dist(here[:2], goal[:2]))


def _left(state: ObjectState) -> str:
    verb = 'is being moved, and was last' if state.in_motion else 'was left'
    return f'{name_first(state)} {verb} {describe_place(state)}'


def _sentence(
    state: ObjectState, steps: list[RouteStep], way: _Way, length_m: float, verdict: Verdict
) -> str:
    if way.reason:
        return f'{_left(state)}, but {way.reason}.'
    told = ', then '.join(step.text for step in steps[:-1])
    text = (
        f'{_left(state)}: {told}; {steps[-1].text}'
        if told
        else f'{_left(state)}; {steps[-1].text}'
    )
    if way.source == STRAIGHT:
        text += f' ({length_m:.1f} m in a straight line: there is no floor map)'
    elif len(steps) > 2:
        text += f' ({length_m:.1f} m in all)'
    return f'{text}; {verdict.reason}.' if verdict.status is AnswerStatus.STALE else f'{text}.'

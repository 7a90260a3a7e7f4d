"""Objects and furniture as markers that RViz and Foxglove draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math

from geometry_msgs.msg import Point as PointMsg
from geometry_msgs.msg import Pose, Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from st_memory.core.records import Fixture, LifeCycle, ObjectState, Visibility
from st_memory.core.records.detections import Point
from st_memory.ros.messages import pose_message, time_message
from st_memory.ros.texts import clipped

__all__ = ['COLOURS', 'markers_of']

# Red, green, blue; apart for those who do not tell red from green, too.
COLOURS: Mapping[Visibility, tuple[float, float, float]] = {
    Visibility.UNKNOWN: (0.70, 0.73, 0.76),
    Visibility.VISIBLE: (0.05, 0.66, 0.46),
    Visibility.OUT_OF_VIEW: (0.52, 0.58, 0.65),
    Visibility.OCCLUDED: (0.92, 0.60, 0.05),
    Visibility.AMBIGUOUS_FIXTURE: (0.75, 0.38, 0.62),
    Visibility.UNCONFIRMED: (0.28, 0.66, 0.90),
    Visibility.IN_MOTION: (0.22, 0.36, 0.85),
    Visibility.ABSENT: (0.85, 0.30, 0.15),
}
_FURNITURE = (0.60, 0.65, 0.72)
# A box without a size, or a flat one, is still to be seen.
_LEAST_M = 0.03
_UNSIZED_M = 0.08
_TEXT_M = 0.07
_RAY_M = 0.008
_FURNITURE_TEXT_M = 0.10


def markers_of(
    objects: Sequence[ObjectState],
    fixtures: Sequence[Fixture],
    origins: Mapping[str, Point],
    *,
    frame: str,
    stamp_ns: int,
) -> MarkerArray:
    """
    Draw a memory as of one moment.

    Parameters
    ----------
    objects : sequence of ObjectState
        Those that users are told of; one without a place is not drawn.
    fixtures : sequence of Fixture
        The furniture.
    origins : mapping of str to (3,) float
        From where each object was last seen, by its id: a place in the fixed frame, metres. An
        object that is visible, or has none here, has no ray.
    frame : str
        Name of the fixed frame.
    stamp_ns : int
        Moment it holds for.

    Returns
    -------
    MarkerArray
        First one that removes all of the message before, then in the namespaces ``fixtures``,
        ``fixture_names``, ``objects``, ``names`` and ``last_seen``. Boxes that are not visible
        are fainter, and what is gone from its place is a shadow.

    """
    draw = _Drawing(Header(stamp=time_message(stamp_ns), frame_id=frame))
    placed = [state for state in objects if state.world_p is not None]
    for number, fixture in enumerate(fixtures):
        draw.fixture(number, fixture)
    for number, state in enumerate(placed):
        draw.object(number, state)
    seen_from = [(s, origins[s.object_id]) for s in placed if s.object_id in origins]
    draw.rays([(s, origin) for s, origin in seen_from if s.visibility is not Visibility.VISIBLE])
    return MarkerArray(markers=draw.markers)


class _Drawing:
    """Markers with one header."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self.markers = [Marker(header=header, action=Marker.DELETEALL, pose=Pose())]

    def fixture(self, number: int, fixture: Fixture) -> None:
        """Draw a faint box and its name on top of it."""
        place = fixture.world_T_box
        pose = pose_message(place.translation.tolist(), place.quat_xyzw.tolist())
        colour = _colour(_FURNITURE, 0.25)
        size = [max(length, _LEAST_M) for length in fixture.size_m]
        self._add('fixtures', number, Marker.CUBE, pose, size, colour)
        x, y, z = place.translation.tolist()
        top = pose_message((x, y, z + fixture.size_m[2] / 2))
        name = clipped(fixture.fixture_id)
        self._text('fixture_names', number, top, name, _FURNITURE_TEXT_M, _colour(_FURNITURE, 1.0))

    def object(self, number: int, state: ObjectState) -> None:
        """Draw a box in the colour of its state, and its name and state above it."""
        rgb = COLOURS[state.visibility]
        is_sized = any(length > 0.0 for length in state.size_m)
        size = [max(v, _LEAST_M) if is_sized else _UNSIZED_M for v in state.size_m]
        pose = pose_message(state.world_p, state.quat_xyzw)
        self._add('objects', number, Marker.CUBE, pose, size, _colour(rgb, _alpha(state)))
        x, y, z = state.world_p or (0.0, 0.0, 0.0)
        # The half diagonal clears the box however it is turned.
        above = pose_message((x, y, z + math.hypot(*size) / 2 + _TEXT_M))
        words = state.visibility.name.lower().replace('_', ' ')
        text = f'{clipped(state.object_id)}: {words}'
        self._text('names', number, above, text, _TEXT_M, _colour(rgb, 1.0))

    def rays(self, seen: Sequence[tuple[ObjectState, Point]]) -> None:
        """Draw lines from where objects were last seen to where they are believed to be."""
        if not seen:
            return
        width = [_RAY_M, 0.0, 0.0]
        lines = self._add('last_seen', 0, Marker.LINE_LIST, Pose(), width, _colour(_FURNITURE, 1))
        for state, origin in seen:
            colour = _colour(COLOURS[state.visibility], 0.7)
            for x, y, z in (origin, state.world_p or origin):
                lines.points.append(PointMsg(x=float(x), y=float(y), z=float(z)))
                lines.colors.append(colour)

    def _text(
        self, space: str, number: int, pose: Pose, text: str, height_m: float, colour: ColorRGBA
    ) -> None:
        size = [0.0, 0.0, height_m]
        self._add(space, number, Marker.TEXT_VIEW_FACING, pose, size, colour).text = text

    def _add(
        self,
        space: str,
        number: int,
        kind: int,
        pose: Pose,
        size: Sequence[float],
        colour: ColorRGBA,
    ) -> Marker:
        x, y, z = (float(length) for length in size)
        marker = Marker(
            header=self._header,
            ns=space,
            id=number,
            type=kind,
            action=Marker.ADD,
            pose=pose,
            scale=Vector3(x=x, y=y, z=z),
            color=colour,
        )
        self.markers.append(marker)
        return marker


def _alpha(state: ObjectState) -> float:
    if state.life_cycle is LifeCycle.ABSENT or state.visibility is Visibility.ABSENT:
        return 0.2
    return 0.9 if state.visibility in (Visibility.VISIBLE, Visibility.IN_MOTION) else 0.55


def _colour(rgb: tuple[float, float, float], alpha: float) -> ColorRGBA:
    r, g, b = rgb
    return ColorRGBA(r=r, g=g, b=b, a=float(alpha))

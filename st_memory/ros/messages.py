"""Records to messages of ``st_memory_interfaces``."""

from __future__ import annotations

from collections.abc import Sequence

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from st_memory_interfaces.msg import (
    EventOccurrence,
    OptionalTime,
    RoleTube,
)
from st_memory_interfaces.msg import (
    ObjectState as ObjectStateMsg,
)
from st_memory_interfaces.msg import (
    Placement as PlacementMsg,
)
from st_memory_interfaces.msg import (
    VisibilityInterval as VisibilityIntervalMsg,
)

from st_memory.core.records import Event, ObjectState, Placement, Visibility, VisibilityInterval
from st_memory.core.records.detections import ALONG_AXES
from st_memory.core.stamps import stamp_to_sec_nanosec
from st_memory.ros.texts import clipped, fitting_texts, MAX_ID_BYTES

__all__ = [
    'ObjectMessages',
    'duration_message',
    'event_message',
    'hidden_for_ns',
    'interval_message',
    'object_message',
    'optional_time_message',
    'placement_message',
    'pose_message',
    'time_message',
]


def time_message(stamp_ns: int | None) -> Time:
    """Give a stamp as a message; 0 for None."""
    sec, nanosec = stamp_to_sec_nanosec(stamp_ns or 0)
    return Time(sec=sec, nanosec=nanosec)


def duration_message(duration_ns: int) -> Duration:
    """Give a length of time as a message."""
    sec, nanosec = stamp_to_sec_nanosec(duration_ns)
    return Duration(sec=sec, nanosec=nanosec)


def optional_time_message(stamp_ns: int | None) -> OptionalTime:
    """Give a stamp that may not exist."""
    if stamp_ns is None:
        return OptionalTime()
    return OptionalTime(valid=True, stamp=time_message(stamp_ns))


def pose_message(
    position: Sequence[float] | None, quat_xyzw: Sequence[float] = ALONG_AXES
) -> Pose:
    """Give a position, metres, and an attitude in a frame; the identity for no position."""
    if position is None:
        return Pose()
    x, y, z = position
    qx, qy, qz, qw = (float(q) for q in quat_xyzw)
    return Pose(
        position=Point(x=float(x), y=float(y), z=float(z)),
        orientation=Quaternion(x=qx, y=qy, z=qz, w=qw),
    )


def hidden_for_ns(state: ObjectState, at_ns: int) -> int:
    """For how long an object has not been seen; 0 while it is visible or never was seen."""
    if state.visibility is Visibility.VISIBLE or state.last_seen_ns is None:
        return 0
    return max(0, at_ns - state.last_seen_ns)


def object_message(
    state: ObjectState, at_ns: int, frame: str, chance: float | None = None
) -> ObjectStateMsg:
    """
    Give the state of an object as a message.

    Parameters
    ----------
    state : ObjectState
        The record.
    at_ns : int
        The time it is told for.
    frame : str
        Name of the fixed frame, which the position is in.
    chance : float, optional
        That it is where it was seen last, estimated; None: what the record says.

    """
    width, depth, height = state.size_m
    return ObjectStateMsg(
        object_id=clipped(state.object_id, MAX_ID_BYTES),
        label=clipped(state.label),
        aliases=fitting_texts(state.aliases),
        frame=frame,
        stamp=time_message(at_ns),
        pose_valid=state.world_p is not None,
        pose=pose_message(state.world_p, state.quat_xyzw),
        size=Vector3(x=float(width), y=float(depth), z=float(height)),
        visibility=int(state.visibility),
        cause='' if state.visibility is Visibility.VISIBLE else clipped(state.cause),
        occluder_id=clipped(state.occluder_id),
        confirmed=state.confirmed,
        first_seen=optional_time_message(state.first_seen_ns),
        last_seen=optional_time_message(state.last_seen_ns),
        last_placed=optional_time_message(state.last_placed_ns),
        out_of_sight_for=duration_message(hidden_for_ns(state, at_ns)),
        fixture_id=clipped(state.fixture_id),
        fixture_alternatives=fitting_texts(state.fixture_alternatives),
        container_id=clipped(state.container_id),
        in_motion=state.in_motion,
        num_moves=state.num_moves,
        existence_probability=float(state.existence_probability if chance is None else chance),
        epoch=state.epoch,
        existence_estimated=chance is not None,
        identity_confidence=float(state.identity_confidence),
        identity_alternatives=fitting_texts(state.identity_alternatives),
    )


class ObjectMessages:
    """
    Messages of objects, built again only when the object changed.

    A message is handed out again and again: use it before asking for the same object anew, and
    from one thread.

    Parameters
    ----------
    frame : str
        Name of the fixed frame.

    """

    def __init__(self, frame: str) -> None:
        self._frame = frame
        self._known: dict[str, tuple[ObjectState, ObjectStateMsg]] = {}

    def give(self, state: ObjectState, at_ns: int, chance: float | None = None) -> ObjectStateMsg:
        """Give the message of an object as of a time; parameters as of ``object_message``."""
        before, message = self._known.get(state.object_id, (None, None))
        if message is None or before is not state:
            message = object_message(state, at_ns, self._frame, chance)
            self._known[state.object_id] = (state, message)
        else:
            message.stamp = time_message(at_ns)
            message.out_of_sight_for = duration_message(hidden_for_ns(state, at_ns))
            message.existence_estimated = chance is not None
            message.existence_probability = float(
                state.existence_probability if chance is None else chance
            )
        return message


def interval_message(row: VisibilityInterval, camera_frame: str = '') -> VisibilityIntervalMsg:
    """Give a visibility interval; ``camera_frame`` names the optical frame when it is known."""
    return VisibilityIntervalMsg(
        object_id=clipped(row.object_id, MAX_ID_BYTES),
        camera=clipped(camera_frame or row.camera_id),
        state=int(row.state),
        cause='' if row.state is Visibility.VISIBLE else clipped(row.cause),
        occluder_id=clipped(row.occluder_id),
        start=time_message(row.start_ns),
        end=time_message(row.last_frame_ns if row.end_ns is None else row.end_ns),
        ongoing=row.end_ns is None,
        confirmed_fraction=float(row.confirmed_fraction),
        geometry=int(row.geometry),
        num_frames=row.num_frames,
        num_confirmed=row.num_confirmed,
    )


def placement_message(row: Placement, now_ns: int, frame: str) -> PlacementMsg:
    """Give a placement; one that lasts ends, so far, at ``now_ns``."""
    return PlacementMsg(
        object_id=clipped(row.object_id, MAX_ID_BYTES),
        frame=frame,
        start=time_message(row.start_ns),
        end=time_message(now_ns if row.end_ns is None else row.end_ns),
        ongoing=row.end_ns is None,
        pose_valid=True,
        pose=pose_message(row.world_p),
        fixture_id=clipped(row.fixture_id),
        source=row.source,
    )


def event_message(event: Event, ordinal: int) -> EventOccurrence:
    """Give an event; ``ordinal`` counts those of its type with the same object, from 1."""
    return EventOccurrence(
        event_id=event.event_id,
        event_type=event.event_type,
        ordinal=ordinal,
        start=time_message(event.start_ns),
        end=time_message(event.end_ns),
        roles=[RoleTube(role=role, object_id=who) for role, who in event.roles],
        confidence=1.0,
        source=event.source,
    )

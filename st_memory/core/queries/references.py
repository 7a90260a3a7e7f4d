"""What a place can be told relative to: a camera or the base as it was last, or an object."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.selection import judge, select, Selector, Subject, Verdict
from st_memory.core.queries.wording import clip_name, describe_duration
from st_memory.core.records import AnswerStatus, BASE_LOOK, CameraLook
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['BASE', 'CAMERA', 'POSE_FRESH_NS', 'POSE_LIMIT_NS', 'find_object', 'find_view']

CAMERA = 'camera'
BASE = 'base'

# A head turns in a second: beyond that the answer says how old the camera's pose is.
POSE_FRESH_NS = NS_PER_S

# After that long the wearer or robot is somewhere else: no direction is told.
POSE_LIMIT_NS = 10 * NS_PER_S

_KNOWN = Verdict(AnswerStatus.KNOWN, '')


def find_view(
    reader: MemoryReader, reference: str, at: Moment | None
) -> tuple[CameraLook | None, Verdict]:
    """
    Give the look that directions are told from, and how good its pose is.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    reference : str
        ``camera:<id>`` for that camera, ``base`` for the body that carries it; anything else for
        the camera that looked last.
    at : Moment, optional
        As of when.

    Returns
    -------
    tuple of CameraLook or None, and Verdict
        A look with a pose, with KNOWN or STALE; or None, with NO_POSE.

    """
    kind, _, camera_id = reference.partition(':')
    camera_id = camera_id if kind == CAMERA else ''
    if reference == BASE:
        camera_id = BASE_LOOK
    look = reader.look_at(camera_id or None, at)
    if look is None:
        return None, Verdict(AnswerStatus.NO_POSE, _never(camera_id))
    who = 'the base' if reference == BASE else f'camera {look.camera_id}'
    if look.world_T_camera is None:
        return None, Verdict(AnswerStatus.NO_POSE, f'{who} had no pose then')
    age_ns = at.stamp_ns - look.stamp_ns if at is not None else 0
    if age_ns <= POSE_FRESH_NS:
        return look, _KNOWN
    verb = 'had a pose' if reference == BASE else 'looked'
    reason = f'{who} last {verb} {describe_duration(age_ns)} ago'
    if age_ns > POSE_LIMIT_NS:
        return None, Verdict(AnswerStatus.NO_POSE, f'{reason} and may be anywhere now')
    return look, Verdict(AnswerStatus.STALE, reason)


def _never(camera_id: str) -> str:
    if camera_id == BASE_LOOK:
        return 'the base has no pose yet: the memory keeps it where base_frame is known to TF'
    return f'{f"camera {clip_name(camera_id)}" if camera_id else "a camera"} has not looked yet'


def find_object(
    reader: MemoryReader, object_id: str, at: Moment | None
) -> tuple[Point | None, Verdict]:
    """
    Give the place of an object that is the reference, and how good it is.

    Parameters
    ----------
    reader, at
        As in :func:`find_view`.
    object_id : str
        Its id, or one that was merged into it.

    Returns
    -------
    tuple of (3,) float or None, and Verdict
        In the fixed frame, metres; None with UNKNOWN or NOT_YET_SEEN. Reasons name the reference.

    """
    if not object_id:
        return None, Verdict(AnswerStatus.UNKNOWN, 'no reference was named')
    found = select(reader, Selector(object_id=object_id), at)
    if not found.found:
        return None, Verdict(found.status, f'where {clip_name(object_id)} is, is not known')
    other = found.found[0]
    status, reason = judge(other, found, Subject.PLACE)
    if reason:
        reason = f'the reference {object_id} is doubtful ({reason})'
    return other.world_p, Verdict(status, reason)

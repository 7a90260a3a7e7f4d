"""What a place can be told relative to: a camera or the base as it was last, or an object."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.queries.selection import judge, select, Selector, Subject, Verdict
from st_memory.core.queries.wording import clip_name, describe_duration, join_names
from st_memory.core.records import AnswerStatus, BASE_LOOK, CameraLook
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = [
    'BASE',
    'CAMERA',
    'POSE_FRESH_NS',
    'POSE_LIMIT_NS',
    'camera_named',
    'cameras_that_looked',
    'find_object',
    'find_view',
    'never_looked',
]

CAMERA = 'camera'
BASE = 'base'

# A head turns in a second: beyond that the answer says how old the camera's pose is.
POSE_FRESH_NS = NS_PER_S

# After that long the wearer or robot is somewhere else: no direction is told.
POSE_LIMIT_NS = 10 * NS_PER_S

# How the frame is called whose z axis looks out of a camera: its id, and one of these.
_OPTICAL_ENDINGS = ('_optical_frame', '_optical')
# Every camera that looked has an interval of every object: a few objects name them all.
_ASKED_FOR_CAMERAS = 3

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
        ``camera:<id>`` or ``camera:<optical frame>`` for that camera, ``base`` for the body that
        carries it; anything else for the camera that looked last.
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
    look = _look_of(reader, camera_id, at)
    if look is None:
        return None, Verdict(AnswerStatus.NO_POSE, never_looked(reader, camera_id, at))
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


def _look_of(reader: MemoryReader, name: str, at: Moment | None) -> CameraLook | None:
    """Find the latest look of a camera by its id, or by the frame that REP 103 names after it."""
    look = reader.look_at(name or None, at)
    bare = name.removeprefix('/')
    for ending in _OPTICAL_ENDINGS:
        if look is None and bare.endswith(ending):
            look = reader.look_at(bare.removesuffix(ending) or name, at)
    return look


def camera_named(reader: MemoryReader, name: str, at: Moment | None) -> str:
    """Give the id of the camera of that id or optical frame; the name where none has looked."""
    look = _look_of(reader, name, at) if name else None
    return name if look is None else look.camera_id


def cameras_that_looked(reader: MemoryReader, at: Moment | None) -> list[str]:
    """Give the cameras that looked at something by then; every one has a say on each object."""
    latest = reader.look_at(None, at)
    names = set() if latest is None else {latest.camera_id}
    for state in reader.objects_at(at)[:_ASKED_FOR_CAMERAS]:
        names.update(i.camera_id for i in reader.intervals(state.object_id, at))
    return sorted(names - {BASE_LOOK})


def never_looked(reader: MemoryReader, camera_id: str, at: Moment | None) -> str:
    """Say that a camera ('' for any) has not looked yet, and which have."""
    if camera_id == BASE_LOOK:
        return 'the base has no pose yet: the memory keeps it where base_frame is known to TF'
    if not camera_id:
        return 'a camera has not looked yet'
    known = join_names([clip_name(name) for name in cameras_that_looked(reader, at)]) or 'none'
    return f'camera {clip_name(camera_id)} has not looked yet; cameras that have are: {known}'


def find_object(
    reader: MemoryReader, name: str, at: Moment | None
) -> tuple[Point | None, Verdict]:
    """
    Give the place of an object that is the reference, and how good it is.

    Parameters
    ----------
    reader, at
        As in :func:`find_view`.
    name : str
        Its id, or one that was merged into it; else its label.

    Returns
    -------
    tuple of (3,) float or None, and Verdict
        In the fixed frame, metres; None with UNKNOWN or NOT_YET_SEEN. Reasons name the reference.
        AMBIGUOUS when several have the label: the place is that of the one seen last.

    """
    if not name:
        return None, Verdict(AnswerStatus.UNKNOWN, 'no reference was named')
    found = select(reader, Selector(object_id=name), at, Subject.PLACE)
    if found.status is AnswerStatus.NOT_YET_SEEN:
        found = select(reader, Selector(label=name), at, Subject.PLACE)
    if not found.found:
        reason = f'it is not known where {clip_name(name)} is: {found.reason}'
        return None, Verdict(found.status, reason)
    other = found.found[0]
    status, reason = judge(other, found, Subject.PLACE)
    if reason:
        said = name if name == other.object_id else f'{clip_name(name)}, {other.object_id},'
        reason = f'the reference {said} is doubtful ({reason})'
    return other.world_p, Verdict(status, reason)

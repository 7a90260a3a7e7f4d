"""Why a look has no pose: which transform is missing, by how much, and what to change."""

from __future__ import annotations

from st_memory.conversions.roles import TopicKind
from st_memory.core.errors import TransformFailure
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import LiveInputs
from st_memory.doctor.transform_links import reachable_frames

__all__ = ['pose_story']

_REMEDIES = {
    TransformFailure.TOO_NEW: 'Publish transforms as often as images; raise max_wait_s when they '
    'come late.',
    TransformFailure.TOO_OLD: 'Raise tf_history_s, or let images come sooner after they are '
    'stamped.',
    TransformFailure.IN_GAP: 'Publish transforms without holes; max_pose_gap_s says how wide one '
    'may be.',
}


def pose_story(inputs: LiveInputs, camera: str) -> tuple[str, str]:
    """
    Say what is known of the missing pose of a camera's newest look.

    Parameters
    ----------
    inputs : LiveInputs
        With a pose problem of the camera: ``failure: target <- source``.
    camera : str
        Its name.

    Returns
    -------
    (str, str)
        What was found, and what to do.

    """
    problem = inputs.pose_problems[camera]
    fixed = inputs.fixed_frame
    name, _, ends = problem.partition(': ')
    missing = f'Publish all transforms from {fixed} to its optical frame, with the stamps of its '
    missing += 'images.'
    failure = next((f for f in TransformFailure if f.value == name), None)
    if failure in (TransformFailure.UNKNOWN_FRAME, TransformFailure.NOT_CONNECTED):
        return problem + _near(inputs, ends.rpartition('<- ')[2]), missing
    if failure is None:
        return problem, missing
    return problem + _gap(inputs, camera), _REMEDIES.get(failure, missing)


def _near(inputs: LiveInputs, frame: str) -> str:
    """Say which frames either end is connected with."""
    if not inputs.links:
        return ''
    known = {link.parent for link in inputs.links} | {link.child for link in inputs.links}
    told = []
    for end in (inputs.fixed_frame, frame):
        others = sorted(reachable_frames(inputs.links, end) - {end})
        if end in known and others:
            told.append(f'connected with {end} are {", ".join(others)}')
        else:
            told.append(f'no transform names {end}')
    return '; ' + '; '.join(told)


def _gap(inputs: LiveInputs, camera: str) -> str:
    """Say how far transforms reach, beside the newest image."""
    moving = [(link.first_ns, link.last_ns) for link in inputs.links if not link.static]
    came = inputs.of(TopicKind.CAMERA_INFO, camera)
    if not moving or came is None or came.last_ns is None:
        return ''
    gap_s = (came.last_ns - max(last_ns for _, last_ns in moving)) / NS_PER_S
    side = 'before' if gap_s >= 0 else 'after'
    return f'; the newest transform is {abs(gap_s):.3f} s {side} its newest image'

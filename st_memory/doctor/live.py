"""What is wrong with what a running memory is given, from what it has received so far."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.conversions.roles import TopicKind
from st_memory.core.memory.rebase import unanchored_epoch
from st_memory.core.ports import MemoryReader
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import Finding, LiveInputs, Severity
from st_memory.doctor.objects import object_findings
from st_memory.doctor.remedies import REMEDIES

__all__ = ['live_findings']

_FAR_NS = 10 * NS_PER_S
# What comes with every image, and has not come for so long, has stopped.
_QUIET_NS = 2 * NS_PER_S
# What is told beside an object, since it is a reason not to see it.
_WHY_UNSEEN = frozenset(
    (
        'no_detections',
        'detections_stopped',
        'missing_detections',
        'no_depth',
        'depth_stopped',
        'below_min_score',
        'no_position',
        'id_in_doubt',
    )
)


def live_findings(
    inputs: LiveInputs, reader: MemoryReader, subject: str = ''
) -> tuple[Finding, ...]:
    """
    Say what is wrong, the worst first.

    Parameters
    ----------
    inputs : LiveInputs
        What is received.
    reader : MemoryReader
        What is remembered.
    subject : str
        Object id, label, topic, camera or frame; '' for everything. What concerns everything is
        told of every subject, too.

    """
    found = [*_clock(inputs), *_inputs(inputs), *_counted(inputs), *_epochs(reader)]
    if subject:
        about = [f for f in found if _is_about(f, subject)]
        told = object_findings(reader, subject)
        if told[0].code == 'never_seen' and subject in inputs.on_probation:
            told = (_on_probation(subject, inputs.on_probation[subject]),)
        if told[0].code == 'never_seen' and (about or _is_received(inputs, subject)):
            told = ()  # it is no object
        if told:
            about += [f for f in found if f.code in _WHY_UNSEEN and f not in about]
        found = [f for f in found if f.severity is Severity.ERROR or f in about]
        found += told
    return tuple(sorted(found, key=lambda f: -f.severity))


def _on_probation(label: str, num_matches: int) -> Finding:
    matches = 'once' if num_matches == 1 else f'{num_matches} times'
    return Finding(
        Severity.WARNING,
        'on_probation',
        label,
        f'{label} was matched {matches}, too seldom to be believed in yet',
        'Let the detector see it longer; memory.confirm_hits says how often is enough.',
    )


def _is_received(inputs: LiveInputs, subject: str) -> bool:
    """Whether it is a topic or a camera."""
    name = subject.strip('/')
    return any(name in (r.topic.strip('/'), r.camera_id.strip('/')) for r in inputs.received)


def _is_about(finding: Finding, subject: str) -> bool:
    return subject.strip('/') in (finding.subject.strip('/'), *finding.message.split())


def _clock(inputs: LiveInputs) -> Iterator[Finding]:
    if inputs.uses_sim_time and not inputs.has_clock:
        yield Finding(
            Severity.ERROR,
            'no_clock',
            '/clock',
            'use_sim_time is set, and nobody publishes /clock',
            'Start the simulator or play the bag with --clock, or set use_sim_time to false.',
        )
        return
    far = [r for r in inputs.received if r.last_ns is not None and abs(r.late_ns) > _FAR_NS]
    if far:
        worst = max(far, key=lambda r: abs(r.late_ns))
        side = 'behind' if worst.late_ns > 0 else 'ahead of'
        who, far_s = worst.topic or worst.camera_id, abs(worst.late_ns) / NS_PER_S
        yield Finding(
            Severity.WARNING,
            'clock_offset',
            who,
            f"stamps of {who} are {far_s:.1f} s {side} the node's clock",
            'Set use_sim_time when a bag or a simulator is played, or set the clocks.',
        )


def _inputs(inputs: LiveInputs) -> Iterator[Finding]:
    """Name what does not come."""
    if not inputs.is_active:
        yield Finding(
            Severity.ERROR,
            'inactive',
            'memory_node',
            'the node is not active: it answers and takes in nothing',
            'Activate it: ros2 lifecycle set /memory_node activate.',
        )
        return
    for topic in inputs.unheard:
        yield Finding(
            Severity.ERROR,
            'qos_mismatch',
            topic,
            f'{topic} is offered with less than is asked for: nothing of it arrives',
            'Set the parameter reliability to best_effort or auto.',
        )
    cameras = sorted({r.camera_id for r in inputs.received if r.camera_id})
    if inputs.count(TopicKind.WORLD_DETECTIONS) and not cameras:
        return
    if not cameras:
        yield Finding(
            Severity.ERROR,
            'no_camera',
            'camera_info',
            'no topic of a camera was found',
            'Publish sensor_msgs/CameraInfo as <camera>/camera_info; see the parameter cameras.',
        )
        return
    if not inputs.count(TopicKind.TF) + inputs.count(TopicKind.TF_STATIC):
        yield Finding(
            Severity.ERROR,
            'no_tf',
            '/tf',
            'no transform has come: where the cameras are is not known',
            f'Publish /tf from {inputs.fixed_frame} to the optical frames of the cameras.',
        )
    for camera in cameras:
        yield from _of_camera(inputs, camera)


def _of_camera(inputs: LiveInputs, camera: str) -> Iterator[Finding]:
    if not inputs.count(TopicKind.CAMERA_INFO, camera):
        yield Finding(
            Severity.ERROR,
            'no_camera_info',
            camera,
            f'no camera_info of {camera} has come',
            f'Publish {camera}/camera_info with every image.',
        )
    if inputs.pose_problems.get(camera):
        yield Finding(
            Severity.ERROR,
            'no_pose',
            camera,
            f'the newest look of {camera} has no pose: {inputs.pose_problems[camera]}',
            f'Publish all transforms from {inputs.fixed_frame} to its optical frame, with the '
            'stamps of its images.',
        )
    if not inputs.count(TopicKind.DETECTIONS, camera):
        yield Finding(
            Severity.WARNING,
            'no_detections',
            camera,
            f'no detections of {camera} have come: it confirms nothing',
            f'Run a detector that publishes {camera}/detections, empty when it finds nothing.',
        )
    if not inputs.count(TopicKind.DEPTH, camera):
        yield Finding(
            Severity.WARNING,
            'no_depth',
            camera,
            f'no depth of {camera} has come: what is gone cannot be told from what is hidden',
            f'Publish depth registered to the colour image as {camera}/depth/image_raw.',
        )
    yield from _stopped(inputs, camera)


def _stopped(inputs: LiveInputs, camera: str) -> Iterator[Finding]:
    """Name what came once, and comes no longer while the camera goes on."""
    last_ns = {r.kind: r.last_ns for r in inputs.received if r.camera_id == camera and r.last_ns}
    newest_ns = last_ns.get(TopicKind.CAMERA_INFO)
    for kind, what in ((TopicKind.DETECTIONS, 'detections'), (TopicKind.DEPTH, 'depth')):
        if newest_ns is None or kind not in last_ns:
            continue
        quiet_ns = newest_ns - (last_ns[kind] or 0)
        if quiet_ns > _QUIET_NS:
            yield Finding(
                Severity.WARNING,
                f'{what}_stopped',
                camera,
                f'{what} of {camera} last came {quiet_ns / NS_PER_S:.1f} s before its newest '
                'camera_info',
                f'Look whether what publishes {what} of {camera} still runs, with the stamps of '
                'its images.',
            )


def _counted(inputs: LiveInputs) -> Iterator[Finding]:
    """Tell what was left out."""
    for name, number in sorted(inputs.counters.items()):
        reason, _, subject = name.partition(' ')
        if number:
            what, remedy = REMEDIES.get(reason, ('', 'See the log of the node.'))
            yield Finding(
                Severity.WARNING,
                reason,
                subject or reason,
                f'{number} times {name}' + (f': {what}' if what else ''),
                remedy,
            )


def _epochs(reader: MemoryReader) -> Iterator[Finding]:
    epoch = unanchored_epoch(reader)
    if epoch is not None:
        yield Finding(
            Severity.WARNING,
            'unanchored',
            f'epoch {epoch}',
            f'objects of epoch {epoch} are not in this map: where they are in it is not known',
            'Call ~/rebase with the transform between the maps; the identity says it is the same.',
        )

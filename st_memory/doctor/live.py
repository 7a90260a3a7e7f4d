"""What is wrong with what a running memory is given, from what it has received so far."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.conversions.roles import TopicKind
from st_memory.core.memory.rebase import unanchored_epoch
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import locate, Selector
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import Finding, LiveInputs, Severity
from st_memory.doctor.remedies import REMEDIES

__all__ = ['live_findings']

_FAR_NS = 10 * NS_PER_S


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
        found = [f for f in found if f.severity is Severity.ERROR or _is_about(f, subject)]
        found += _object(reader, subject)
    return tuple(sorted(found, key=lambda f: -f.severity))


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


def _object(reader: MemoryReader, subject: str) -> list[Finding]:
    """Say what is known of an object of that id or label."""
    answers = [
        locate(reader, selector) for selector in (Selector(subject), Selector(label=subject))
    ]
    known = next((a for a in answers if a.object is not None or a.alternatives), None)
    if known is None:
        return [
            Finding(
                Severity.INFO,
                'never_seen',
                subject,
                answers[0].reason or f'nothing called {subject} has been seen',
                'Look whether the detector knows the name; an object is believed in after '
                'memory.confirm_hits matches.',
            )
        ]
    severity = Severity.INFO if known.status is AnswerStatus.KNOWN else Severity.WARNING
    return [Finding(severity, 'known_object', subject, known.sentence.rstrip('.'), known.reason)]

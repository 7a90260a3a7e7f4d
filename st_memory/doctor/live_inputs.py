"""What a running memory lacks, from what it has received so far."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.conversions.roles import TopicKind
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import Finding, LiveInputs, Received, Severity
from st_memory.doctor.pose_story import pose_story

__all__ = ['input_findings']

# What comes with every image, and has not come for so long, has stopped.
_QUIET_NS = 2 * NS_PER_S
_SILENT_S = 5.0
_MOST_LOST = 0.02


def input_findings(inputs: LiveInputs) -> Iterator[Finding]:
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
    for topic, policy in inputs.unheard.items():
        lesser = {'durability': 'volatile'}.get(policy, 'best_effort')
        yield Finding(
            Severity.ERROR,
            'qos_mismatch',
            topic,
            f'{topic} is offered with less {policy} than is asked for: nothing of it arrives',
            f'Set the parameter qos_overrides.{topic}.subscription.{policy} to {lesser}.',
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
    yield from _unusable(inputs)
    yield from _lossy(inputs)
    yield from _silent(inputs, '', TopicKind.TF, '/tf')
    for camera in cameras:
        yield from _of_camera(inputs, camera)


def _unusable(inputs: LiveInputs) -> Iterator[Finding]:
    """Tell what comes and can never be used."""
    kinds = {r.topic: r.kind for r in inputs.received}
    for topic, problem in sorted(inputs.unusable.items()):
        is_calibration = kinds.get(topic) is TopicKind.CAMERA_INFO
        yield Finding(
            Severity.ERROR if is_calibration else Severity.WARNING,
            'unusable_camera_info' if is_calibration else 'unusable_input',
            topic,
            f'what comes on {topic} cannot be used: {problem}',
            'Calibrate the camera: without K nothing can be placed.'
            if is_calibration
            else 'Let its publisher send what docs/nodes.md lists for this topic.',
        )


def _lossy(inputs: LiveInputs) -> Iterator[Finding]:
    """Tell of topics that the middleware loses much of."""
    for r in inputs.received:
        if r.num_lost > _MOST_LOST * (r.num_lost + r.num_messages):
            yield Finding(
                Severity.WARNING,
                'messages_lost',
                r.topic,
                f'{r.num_lost} messages of {r.topic} were lost on the way, {r.num_messages} came',
                'Let both ends use config/fastdds_profile.xml, send compressed images, or raise '
                'queue_depth.',
            )


def _silent(inputs: LiveInputs, camera: str, kind: TopicKind, who: str) -> Iterator[Finding]:
    """Tell of what came once, and of which nothing comes any more."""
    came: Received | None = inputs.of(kind, camera)
    if came is None or came.quiet_s is None or came.quiet_s <= _SILENT_S:
        return
    yield Finding(
        Severity.WARNING,
        'silent',
        who,
        f'{came.topic or who} last came {came.quiet_s:.0f} s ago',
        f'Look whether what publishes {came.topic or who} still runs.',
    )


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
        found, remedy = pose_story(inputs, camera)
        message = f'the newest look of {camera} has no pose: {found}'
        yield Finding(Severity.ERROR, 'no_pose', camera, message, remedy)
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
    yield from _silent(inputs, camera, TopicKind.CAMERA_INFO, camera)
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

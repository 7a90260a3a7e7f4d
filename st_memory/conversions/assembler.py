"""
The one way from messages to frames, for bags and the live node alike.

Messages of any order go in; frames come out in the order of their stamps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.deliveries import CAMERA_KINDS, Deliveries
from st_memory.conversions.detection_batch import batch_stamp
from st_memory.conversions.frame_builder import FrameBuilder
from st_memory.conversions.images import check_depth_encoding
from st_memory.conversions.movements import movements_from_message
from st_memory.conversions.pending import PendingFrame, PendingFrames
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.scene_parts import SceneParts
from st_memory.conversions.self_masks import check_mask_encoding
from st_memory.conversions.stamps import header_stamp
from st_memory.conversions.stream_clock import Admission, StreamClock
from st_memory.conversions.transforms import StampedTransform, transforms_from_message
from st_memory.core.errors import TransformTreeError
from st_memory.core.geometry import TransformBuffer
from st_memory.core.records import Scene, SensedFrame
from st_memory.core.stamps import stamp_from_seconds

__all__ = ['FrameAssembler']

EMPTY_SCENE = Scene()


class FrameAssembler:
    """
    Join messages into frames.

    A *look* of a camera is a stamp of any of its messages. The oldest frame leaves when each of
    its looks has its pose, its depth and its detections (as far as the camera delivers them) and
    no other camera is still behind; or when sensor data newer by ``max_wait_ns`` has come, with
    what is missing left None and counted. With ``ReleasePolicy.DEADLINE`` only the second
    holds, and the order of arrival within ``max_wait_ns`` does not matter. Images are decoded
    when the frame leaves.

    A stream that jumps back opens a new epoch: all that waits leaves, moving transforms are
    forgotten. Not thread-safe: one owner.

    Parameters
    ----------
    settings : AssemblerSettings
        Roles, durations and policies.
    scene : Scene
        Holds until a message brings another one.

    """

    def __init__(self, settings: AssemblerSettings, scene: Scene = EMPTY_SCENE) -> None:
        self._settings = settings
        self._counters = Counter[str]()
        # What a frame waits for may take longer than transforms are wanted otherwise.
        self._transforms = TransformBuffer(max(settings.tf_history_ns, 2 * settings.max_wait_ns))
        self._builder = FrameBuilder(settings, self._transforms, self._counters)
        self._clock = StreamClock(settings.jump_back_ns)
        self._pending = PendingFrames(settings.slop_ns)
        self._scene = SceneParts(settings, scene, self._counters)
        self._builder.parts.use(scene)
        self._delay_ns = {
            camera_id: stamp_from_seconds(s) for camera_id, s in settings.camera_delay_s.items()
        }
        self._epoch = 0
        self._first_ns = 0
        self._sensor_ns = 0
        self._deliveries = Deliveries(self._clock, settings.max_wait_ns)
        for role in settings.roles:
            self._deliveries.expect(role)

    @property
    def counters(self) -> Mapping[str, int]:
        """What was left out or incomplete, counted by reason."""
        return dict(sorted(self._counters.items()))

    @property
    def scene(self) -> Scene:
        """The scene last received; empty when there was none."""
        return self._scene.scene

    @property
    def epoch(self) -> int:
        """The running epoch."""
        return self._epoch

    @property
    def num_pending(self) -> int:
        """How many frames wait."""
        return len(self._pending)

    def push(self, role: TopicRole, message: Any) -> list[SensedFrame]:
        """
        Take one message and give the frames that can leave now.

        Parameters
        ----------
        role : TopicRole
            What the message is for.
        message : object
            Anything with the fields of the ROS message.

        Raises
        ------
        ConversionError
            If the message can never be used (unknown encoding, camera without focal length,
            scene without names). The assembler is as before then, and takes the next message.

        """
        if role.kind in (TopicKind.SCENE, TopicKind.MESH):
            self._scene.take(role, message)
            self._builder.parts.use(self._scene.scene)
            return []
        if role.kind is TopicKind.SELF_MASK_FIXED:
            self._builder.body.take_fixed(role.camera_id, message)
            return []
        if role.kind in (TopicKind.TF, TopicKind.TF_STATIC):
            left = self._take_transforms(message, static=role.kind is TopicKind.TF_STATIC)
        elif role.kind is TopicKind.JOINTS:
            left = self._take_joints(message)
        else:
            left = self._take_sensed(role, message)
        left.extend(self._release())
        return left

    def flush(self) -> list[SensedFrame]:
        """Give every frame that waits, as complete as it is."""
        left = []
        while self._pending:
            left.extend(self._emit())
        return left

    def _take_transforms(self, message: Any, *, static: bool) -> list[SensedFrame]:
        transforms, dropped = transforms_from_message(message, static=static)
        self._counters.update(dropped)
        left = []
        for transform in transforms:
            if not static:
                # Each link is a stream of its own; names of frames are no TopicRole.
                self._keep_poses_before(transform)
                admission = self._clock.admit(transform.child, transform.stamp_ns)
                if admission is Admission.LEFTOVER:
                    self._counters['leftover_of_old_epoch'] += 1
                    continue
                if admission is Admission.NEW_EPOCH:
                    left.extend(self._start_epoch())
            self._set_transform(transform, static=static)
        return left

    def _keep_poses_before(self, transform: StampedTransform) -> None:
        """Take the poses of what waits before a transform from long after pushes theirs out."""
        newest_ns = self._clock.newest_ns(transform.child)
        if newest_ns is not None and transform.stamp_ns > newest_ns + self._settings.max_wait_ns:
            for frame in self._pending.waiting():
                self._builder.capture(frame)

    def _take_joints(self, message: Any) -> list[SensedFrame]:
        if not self._builder.parts.wants_joints:
            return []
        stamp_ns = header_stamp(message.header)
        if stamp_ns is None:
            self._counters['zero_stamp'] += 1
            return []
        # The joints of one publisher are a stream of their own.
        admission = self._clock.admit(tuple(message.name), stamp_ns)
        if admission is Admission.LEFTOVER:
            self._counters['leftover_of_old_epoch'] += 1
            return []
        left = self._start_epoch() if admission is Admission.NEW_EPOCH else []
        self._builder.parts.take_joints(stamp_ns, message)
        return left

    def _set_transform(self, transform: StampedTransform, *, static: bool) -> None:
        stamp_ns, parent, child, parent_T_child = transform
        try:
            self._transforms.set_transform(parent, child, stamp_ns, parent_T_child, static)
        except TransformTreeError:
            self._counters['transform_breaks_tree'] += 1

    def _take_sensed(self, role: TopicRole, message: Any) -> list[SensedFrame]:
        is_batch = role.kind in (TopicKind.DETECTIONS, TopicKind.WORLD_DETECTIONS)
        stamp_ns = batch_stamp(message) if is_batch else header_stamp(message.header)
        if stamp_ns is not None and role.camera_id in self._delay_ns:
            stamp_ns -= self._delay_ns[role.camera_id]
        if stamp_ns is None and role.kind is TopicKind.SELF_MASK:
            self._builder.body.take_fixed(role.camera_id, message)  # without a time: for all
            self._deliveries.count_no_more_on(role)
            return []
        if stamp_ns is None:
            self._counters['zero_stamp'] += 1
            return []
        if role.kind is TopicKind.DEPTH:
            check_depth_encoding(message, f'depth of {role.camera_id}')
        elif role.kind is TopicKind.SELF_MASK:
            check_mask_encoding(message, f'self_mask of {role.camera_id}')
        known = self._builder.calibrations_of(role.kind)
        calibration = known.read(role.camera_id, stamp_ns, message) if known else None
        self._deliveries.expect(role)
        admission = self._clock.admit(role, stamp_ns)
        if admission is Admission.LEFTOVER:
            self._counters['leftover_of_old_epoch'] += 1
            return []
        left = self._start_epoch() if admission is Admission.NEW_EPOCH else []
        self._first_ns = self._first_ns or stamp_ns
        self._sensor_ns = max(self._sensor_ns, stamp_ns)
        if known and calibration:
            known.add(role.camera_id, calibration)
        self._keep(role, stamp_ns, message)
        return left

    def _keep(self, role: TopicRole, stamp_ns: int, message: Any) -> None:
        problem = ''
        if role.kind is TopicKind.DEPTH_INFO:
            pass  # makes no look by itself
        elif role.kind in CAMERA_KINDS:
            problem = self._pending.add_piece(role, stamp_ns, message)
        elif role.kind is TopicKind.WORLD_DETECTIONS:
            problem = self._pending.add_world_batch(stamp_ns, message)
        else:
            movements, dropped = movements_from_message(message)
            self._counters.update(dropped)
            self._pending.add_movements(stamp_ns, movements)
        if problem:
            self._counters[problem] += 1

    def _start_epoch(self) -> list[SensedFrame]:
        self._counters['clock_jumped_back'] += 1
        left = self.flush()
        self._pending.start_epoch()
        self._transforms.clear()
        self._builder.start_epoch()
        self._epoch += 1
        self._first_ns = 0
        self._sensor_ns = 0
        return left

    def _release(self) -> list[SensedFrame]:
        left = []
        while (frame := self._pending.oldest()) is not None:
            is_due = self._sensor_ns >= frame.stamp_ns + self._settings.max_wait_ns
            is_over = len(self._pending) > self._settings.max_pending
            if is_over and not is_due:
                self._counters['released_early'] += 1
            if not (is_due or is_over or self._is_complete(frame)):
                break
            left.extend(self._emit())
        return left

    def _emit(self) -> list[SensedFrame]:
        frame = self._pending.take_oldest()
        sensed = self._builder.build(frame, self._epoch, self._deliveries.kinds_by_camera)
        return [] if sensed is None else [sensed]

    def _is_complete(self, frame: PendingFrame) -> bool:
        """Whether nothing of a frame, and nothing before it, can still come."""
        return (
            self._settings.release is not ReleasePolicy.DEADLINE
            and self._deliveries.have_come(frame, self._first_ns, self._sensor_ns)
            and not self._builder.awaits_transforms(frame)
        )

"""
The one way from messages to frames, for bags and the live node alike.

Messages of any order go in; frames come out in the order of their stamps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
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

__all__ = ['FrameAssembler']

EMPTY_SCENE = Scene()
_SPORADIC = (TopicKind.MOVEMENTS, TopicKind.WORLD_DETECTIONS)
_AWAITED = (TopicKind.DEPTH, TopicKind.DETECTIONS, TopicKind.SELF_MASK)
_CAMERA_KINDS = (
    TopicKind.CAMERA_INFO,
    TopicKind.IMAGE,
    TopicKind.DEPTH,
    TopicKind.DETECTIONS,
    TopicKind.SELF_MASK,
)


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
        self._transforms = TransformBuffer(settings.tf_history_ns)
        self._builder = FrameBuilder(settings, self._transforms, self._counters)
        self._clock = StreamClock(settings.jump_back_ns)
        self._pending = PendingFrames(settings.slop_ns)
        self._scene = SceneParts(settings, scene, self._counters)
        self._builder.parts.use(scene)
        self._epoch = 0
        self._first_ns = 0
        self._sensor_ns = 0
        self._left_ns = 0
        self._kinds_by_camera: dict[str, set[TopicKind]] = {}
        self._has_sporadic = False
        for role in settings.roles:
            self._expect(role)

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

    def _expect(self, role: TopicRole) -> None:
        if role.kind in _CAMERA_KINDS:
            self._kinds_by_camera.setdefault(role.camera_id, set()).add(role.kind)
        elif role.kind in _SPORADIC:
            self._has_sporadic = True

    def _take_transforms(self, message: Any, *, static: bool) -> list[SensedFrame]:
        transforms, dropped = transforms_from_message(message, static=static)
        self._counters.update(dropped)
        left = []
        for transform in transforms:
            if not static:
                # Each link is a stream of its own; names of frames are no TopicRole.
                admission = self._clock.admit(transform.child, transform.stamp_ns)
                if admission is Admission.LEFTOVER:
                    self._counters['leftover_of_old_epoch'] += 1
                    continue
                if admission is Admission.NEW_EPOCH:
                    left.extend(self._start_epoch())
            self._set_transform(transform, static=static)
        return left

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
        if stamp_ns is None and role.kind is TopicKind.SELF_MASK:
            self._builder.body.take_fixed(role.camera_id, message)  # without a time: for all
            self._kinds_by_camera.get(role.camera_id, set()).discard(role.kind)
            return []
        if stamp_ns is None:
            self._counters['zero_stamp'] += 1
            return []
        if role.kind is TopicKind.DEPTH:
            check_depth_encoding(message, f'depth of {role.camera_id}')
        elif role.kind is TopicKind.SELF_MASK:
            check_mask_encoding(message, f'self_mask of {role.camera_id}')
        calibration = None
        if role.kind is TopicKind.CAMERA_INFO:
            calibration = self._builder.calibrations.read(role.camera_id, stamp_ns, message)
        self._expect(role)
        admission = self._clock.admit(role, stamp_ns)
        if admission is Admission.LEFTOVER:
            self._counters['leftover_of_old_epoch'] += 1
            return []
        left = self._start_epoch() if admission is Admission.NEW_EPOCH else []
        self._first_ns = self._first_ns or stamp_ns
        self._sensor_ns = max(self._sensor_ns, stamp_ns)
        if calibration is not None:
            self._builder.calibrations.add(role.camera_id, calibration)
        if role.kind in _CAMERA_KINDS:
            self._add_piece(role, stamp_ns, message)
        else:
            self._add_sporadic(role, stamp_ns, message)
        return left

    def _add_piece(self, role: TopicRole, stamp_ns: int, message: Any) -> None:
        if stamp_ns <= self._left_ns:
            self._counters['late'] += 1
            return
        look = self._pending.look(role.camera_id, stamp_ns, role.kind)
        if role.kind in look.pieces:
            self._counters['duplicate'] += 1
            return
        look.pieces[role.kind] = message

    def _add_sporadic(self, role: TopicRole, stamp_ns: int, message: Any) -> None:
        if role.kind is TopicKind.WORLD_DETECTIONS:
            if stamp_ns <= self._left_ns:
                self._counters['late'] += 1
                return
            self._pending.at(stamp_ns).world_batches.append(message)
            return
        movements, dropped = movements_from_message(message)
        self._counters.update(dropped)
        if movements:
            # A movement says itself when it was: rather report it late than never.
            frame = self._pending.at(max(stamp_ns, self._left_ns + 1))
            frame.movements.extend(movements)

    def _start_epoch(self) -> list[SensedFrame]:
        self._counters['clock_jumped_back'] += 1
        left = self.flush()
        self._transforms.clear()
        self._builder.calibrations.start_epoch()
        self._builder.parts.start_epoch()
        self._epoch += 1
        self._first_ns = 0
        self._sensor_ns = 0
        self._left_ns = 0
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
        self._left_ns = frame.stamp_ns
        sensed = self._builder.build(frame, self._epoch, self._kinds_by_camera)
        return [] if sensed is None else [sensed]

    def _is_complete(self, frame: PendingFrame) -> bool:
        """Whether nothing of a frame, and nothing before it, can still come."""
        if self._settings.release is ReleasePolicy.DEADLINE:
            return False
        stamp_ns = frame.stamp_ns
        if self._has_sporadic and self._sensor_ns <= stamp_ns:
            return False
        for camera_id, kinds in self._kinds_by_camera.items():
            look = frame.looks.get(camera_id)
            if look is None:
                if self._is_behind(camera_id, kinds, stamp_ns):
                    return False
            elif any(kind in kinds and kind not in look.pieces for kind in _AWAITED) or (
                TopicKind.CAMERA_INFO not in look.pieces
                and self._is_behind(camera_id, kinds & {TopicKind.CAMERA_INFO}, stamp_ns)
            ):
                return False
        return not self._builder.awaits_transforms(frame)

    def _is_behind(self, camera_id: str, kinds: set[TopicKind], stamp_ns: int) -> bool:
        """Whether a camera is alive and may still deliver something as old as a stamp."""
        stamps = [self._clock.newest_ns(TopicRole(kind, camera_id)) for kind in kinds]
        # One that was announced and has not come yet counts as just behind the first stamp.
        newest_ns = max((ns for ns in stamps if ns is not None), default=self._first_ns - 1)
        is_alive = newest_ns >= self._sensor_ns - self._settings.max_wait_ns
        return is_alive and newest_ns < stamp_ns

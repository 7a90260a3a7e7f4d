"""A finished frame from what has come at one stamp."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from st_memory.conversions.assembly_settings import AssemblerSettings, PosePolicy
from st_memory.conversions.calibrations import Calibration, Calibrations
from st_memory.conversions.detection_batch import DetectionBatch, read_detections
from st_memory.conversions.detections import camera_detections, world_detections
from st_memory.conversions.given_cameras import given_calibration
from st_memory.conversions.look_depth import LookDepth
from st_memory.conversions.part_poses import PartPoses
from st_memory.conversions.pending import Look, PendingFrame
from st_memory.conversions.roles import TopicKind
from st_memory.conversions.self_filter import SelfFilter
from st_memory.core.errors import TransformFailure, TransformUnavailableError
from st_memory.core.geometry import CameraModel, RigidTransform, TransformBuffer
from st_memory.core.records import CameraFrame, Detection, SensedFrame, WorldDetection

__all__ = ['FrameBuilder']

# Failures that no transform to come can mend.
_LOST = (TransformFailure.TOO_OLD, TransformFailure.IN_GAP)


class FrameBuilder:
    """
    Turn pending frames into records: poses captured at the stamp, images decoded.

    Parameters
    ----------
    settings : AssemblerSettings
        Fixed frame and pose policy.
    transforms : TransformBuffer
        Shared with the assembler, which fills it.
    counters : Counter
        Shared with the assembler.

    """

    def __init__(
        self, settings: AssemblerSettings, transforms: TransformBuffer, counters: Counter[str]
    ) -> None:
        self.calibrations = Calibrations()
        for camera_id, given in settings.camera_info.items():
            self.calibrations.add(camera_id, given_calibration(camera_id, given))
        self.depth = LookDepth(self._lookup, settings.depth_unit_m, counters)
        self.parts = PartPoses(settings, transforms, counters)
        self.body = SelfFilter(settings, transforms, counters)
        self._settings = settings
        self._max_gap_ns = settings.max_pose_gap_ns or None
        self._transforms = transforms
        self._counters = counters

    def calibrations_of(self, kind: TopicKind) -> Calibrations | None:
        """Give the calibrations that messages of a kind bring; None when they bring none."""
        if kind is TopicKind.CAMERA_INFO:
            return self.calibrations
        return self.depth.calibrations if kind is TopicKind.DEPTH_INFO else None

    def start_epoch(self) -> None:
        """Forget what does not hold when the clock was set back."""
        self.calibrations.start_epoch()
        self.depth.calibrations.start_epoch()
        self.parts.start_epoch()

    def capture(self, frame: PendingFrame) -> None:
        """Take the poses of a frame that are there now."""
        for camera_id, look in frame.looks.items():
            calibration = self.calibrations.at(camera_id, frame.stamp_ns)
            if calibration is not None:
                self._capture_pose(look, calibration.frame_id)
        self.parts.may_come(frame)

    def awaits_transforms(self, frame: PendingFrame) -> bool:
        """
        Whether a transform that the frame needs may still come.

        Poses that are there are captured on the way.
        """
        for camera_id, look in frame.looks.items():
            calibration = self.calibrations.at(camera_id, frame.stamp_ns)
            if calibration is None:
                return True
            failure = self._capture_pose(look, calibration.frame_id)
            if failure is not None and failure not in _LOST:
                return True
            if self.body.may_come(look, calibration.frame_id):
                return True
            depth_frame = self.depth.other_frame(camera_id, look, calibration.frame_id)
            if depth_frame and self._may_come(calibration.frame_id, depth_frame, look.stamp_ns):
                return True
        return self.parts.may_come(frame)

    def build(
        self, frame: PendingFrame, epoch: int, expected: Mapping[str, Set[TopicKind]]
    ) -> SensedFrame | None:
        """
        Make the record of a frame; None when nothing of it is usable.

        Parameters
        ----------
        frame : PendingFrame
            What has come.
        epoch : int
            Epoch of the frame.
        expected : dict of str to set of TopicKind
            What each camera delivers, to count what is missing.

        """
        cameras = []
        for camera_id in sorted(frame.looks):
            calibration = self.calibrations.at(camera_id, frame.stamp_ns)
            if calibration is None:
                self._counters['missing_camera_info'] += 1
                continue
            look = frame.looks[camera_id]
            for kind in (TopicKind.DEPTH, TopicKind.DETECTIONS, TopicKind.SELF_MASK):
                if kind in expected.get(camera_id, ()) and kind not in look.pieces:
                    self._counters[f'missing_{kind.value}'] += 1
            cameras.append(self._camera(camera_id, look, calibration))
        observations = self._world(frame)
        if not (cameras or observations or frame.movements):
            return None
        return SensedFrame(
            stamp_ns=frame.stamp_ns,
            epoch=epoch,
            cameras=tuple(cameras),
            world_detections=observations,
            movements=tuple(frame.movements),
            world_T_part=self.parts.at(frame),
            world_T_base=self._base(frame.stamp_ns) if cameras else None,
        )

    def _base(self, stamp_ns: int) -> RigidTransform | None:
        """Pose of the body at a stamp; what carries the cameras is known when they are."""
        name = self._settings.base_frame
        return self._lookup(self._settings.fixed_frame, name, stamp_ns) if name else None

    def _camera(self, camera_id: str, look: Look, calibration: Calibration) -> CameraFrame:
        failure = self._capture_pose(look, calibration.frame_id)
        if failure is not None:
            self._counters['missing_pose'] += 1
            if failure is TransformFailure.IN_GAP:
                self._counters['missing_pose_in_gap'] += 1
        model = self._model(look, calibration.model)
        depth_m = self.depth.read(camera_id, look, calibration.frame_id, model)
        return CameraFrame(
            camera_id=camera_id,
            model=model,
            world_T_camera=look.world_T_camera,
            pose_problem='' if look.world_T_camera is not None else look.pose_problem,
            depth_m=depth_m,
            detections=self._detections(look, calibration.frame_id),
            own_body=self.body.mark(camera_id, look, calibration.frame_id, model, depth_m),
        )

    def _model(self, look: Look, model: CameraModel) -> CameraModel:
        """Fit the calibration to the images, whose size a raw one tells."""
        image = look.pieces.get(TopicKind.IMAGE)
        if image is None or not hasattr(image, 'encoding'):
            return model
        if (image.width, image.height) == (model.width, model.height):
            return model
        try:
            return model.resized(int(image.width), int(image.height))
        except ValueError:
            self._counters['image_size_mismatch'] += 1
            return model

    def _detections(self, look: Look, frame_id: str) -> tuple[Detection, ...] | None:
        message = look.pieces.get(TopicKind.DETECTIONS)
        if message is None:
            return None
        batch: DetectionBatch = read_detections(message, 'detector')
        camera_T_batch: RigidTransform | None = RigidTransform.identity()
        if batch.frame_id not in ('', frame_id):
            camera_T_batch = self._lookup(frame_id, batch.frame_id, look.stamp_ns)
        found, dropped = camera_detections(batch, camera_T_batch)
        self._counters.update(dropped)
        return found

    def _world(self, frame: PendingFrame) -> tuple[WorldDetection, ...]:
        out: list[WorldDetection] = []
        for message in frame.world_batches:
            batch = read_detections(message, 'detector_3d')
            world_T_batch: RigidTransform | None = RigidTransform.identity()
            if batch.frame_id != self._settings.fixed_frame:
                world_T_batch = self._lookup(
                    self._settings.fixed_frame, batch.frame_id, frame.stamp_ns
                )
            found, dropped = world_detections(batch, world_T_batch)
            self._counters.update(dropped)
            out.extend(found)
        return tuple(out)

    def _capture_pose(self, look: Look, frame_id: str) -> TransformFailure | None:
        """Look the pose up once; gives the failure while there is none."""
        if look.world_T_camera is not None:
            return None
        fixed_frame = self._settings.fixed_frame
        try:
            look.world_T_camera = self._transforms.lookup(
                fixed_frame, frame_id, look.stamp_ns, max_gap_ns=self._max_gap_ns
            )
        except TransformUnavailableError as error:
            if self._settings.pose_policy is PosePolicy.STATIC_RIG:
                look.world_T_camera = self._latest(fixed_frame, frame_id)
            if look.world_T_camera is not None:
                return None
            look.pose_problem = f'{error.failure.value}: {fixed_frame} <- {frame_id}'
            return error.failure
        return None

    def _lookup(self, target: str, source: str, stamp_ns: int) -> RigidTransform | None:
        try:
            return self._transforms.lookup(target, source, stamp_ns, max_gap_ns=self._max_gap_ns)
        except TransformUnavailableError:
            return None

    def _may_come(self, target: str, source: str, stamp_ns: int) -> bool:
        """Whether a transform is not there yet and can still come."""
        try:
            self._transforms.lookup(target, source, stamp_ns, max_gap_ns=self._max_gap_ns)
        except TransformUnavailableError as error:
            return error.failure not in _LOST
        return False

    def _latest(self, target: str, source: str) -> RigidTransform | None:
        try:
            return self._transforms.latest(target, source)[0]
        except TransformUnavailableError:
            return None

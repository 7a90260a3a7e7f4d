"""What was sensed at one stamp: the only thing the fold takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records.detections import Detection, WorldDetection
from st_memory.core.records.edits import Edit, Rebase

__all__ = ['CameraFrame', 'MovementReport', 'SensedFrame']


@dataclass(frozen=True, eq=False)
class CameraFrame:
    """
    One camera at one stamp, with its pose captured at that stamp.

    Parameters
    ----------
    camera_id : str
        Name of the camera (its topic namespace).
    model : CameraModel
        Calibration of the image that detections and depth refer to.
    world_T_camera : RigidTransform, optional
        Pose of the optical frame in the fixed frame; None when no transform could be had, and
        ``pose_problem`` says why.
    pose_problem : str
        Reason for a missing pose; '' when there is one.
    depth_m : (H, W) float32, optional
        Depth along the optical axis, metres; NaN where not measured; None without a depth image.
    detections : tuple of Detection, optional
        None when the detector gave no result for this image (down, or not run): no evidence.
        An empty tuple says that it ran and found nothing.
    own_body : (H, W) bool, optional
        Pixels that show the body that carries the camera: an arm, a gripper, the rim of a pair of
        glasses. What lies behind them cannot be seen, and their depth is of no object. None when
        nothing is known of it.

    Raises
    ------
    ValueError
        If the depth image or the mask of the own body has another size than the camera model, or
        a pose and a pose problem are both given or both missing.

    """

    camera_id: str
    model: CameraModel
    world_T_camera: RigidTransform | None
    pose_problem: str = ''
    depth_m: NDArray[np.float32] | None = None
    detections: tuple[Detection, ...] | None = None
    own_body: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if (self.world_T_camera is None) == (not self.pose_problem):
            raise ValueError('expected either world_T_camera or pose_problem')
        expected = (self.model.height, self.model.width)
        for name, image in (('depth_m', self.depth_m), ('own_body', self.own_body)):
            if image is not None and image.shape != expected:
                raise ValueError(
                    f'{name}: expected shape {expected} as the camera model, got {image.shape}'
                )
        if self.own_body is not None and self.own_body.dtype != np.bool_:
            raise ValueError(f'own_body: expected booleans, got {self.own_body.dtype}')


@dataclass(frozen=True)
class MovementReport:
    """
    An annotated or recognised movement of one object.

    Reported once when it starts (``end_ns`` None) and once when it ends.
    """

    object_id: str
    label: str
    start_ns: int
    end_ns: int | None = None
    actor: str = ''
    source: str = 'annotation'

    def __post_init__(self) -> None:
        if self.end_ns is not None and self.end_ns < self.start_ns:
            raise ValueError(
                f'MovementReport: expected start_ns <= end_ns, '
                f'got {self.start_ns} and {self.end_ns}'
            )


@dataclass(frozen=True, eq=False)
class SensedFrame:
    """
    Everything that was sensed at one stamp.

    Parameters
    ----------
    stamp_ns : int
        Sensor time, nanoseconds.
    epoch : int
        Counts backward clock jumps and new map origins; starts at 0.
    cameras : tuple of CameraFrame
        Cameras that delivered at this stamp.
    world_detections : tuple of WorldDetection
        Observations that come with a position in the fixed frame.
    movements : tuple of MovementReport
        Movements reported at this stamp.
    world_T_part : mapping of str to RigidTransform
        Pose of every movable scene frame that is known at this stamp, by frame name. A movable
        part whose frame is missing here has an unknown joint state.
    world_T_base : RigidTransform, optional
        Pose of the body that carries the cameras (REP-105 ``base_link``); None when not known.
    edits : tuple of Edit
        What a person said by then; applied before what was sensed.
    rebase : Rebase, optional
        A change of the map: the frame is the first of a new epoch, which is filled by it.

    Raises
    ------
    ValueError
        If a rebase does not come in a later epoch than what it takes over.

    """

    stamp_ns: int
    epoch: int = 0
    cameras: tuple[CameraFrame, ...] = ()
    world_detections: tuple[WorldDetection, ...] = ()
    movements: tuple[MovementReport, ...] = ()
    world_T_part: Mapping[str, RigidTransform] = field(default_factory=dict)
    world_T_base: RigidTransform | None = None
    edits: tuple[Edit, ...] = ()
    rebase: Rebase | None = None

    def __post_init__(self) -> None:
        if self.rebase is not None and self.epoch <= self.rebase.from_epoch:
            raise ValueError(
                f'epoch: expected one after {self.rebase.from_epoch}, which the rebase takes '
                f'over, got {self.epoch}'
            )

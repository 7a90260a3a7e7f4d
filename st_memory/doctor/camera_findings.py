"""What the looks of a camera amount to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from st_memory.core.records import CameraFrame

__all__ = ['CameraFindings']

# Cosine between an optical axis and the vertical above which it points at the ceiling.
_UPWARD = 0.9


@dataclass
class CameraFindings:
    """
    What the looks of one camera amount to.

    Parameters
    ----------
    camera_id : str
        Its name.
    width, height : int
        Image size, pixels.
    model_name : str
        Its camera model.
    parameters : tuple of float
        All numbers of the model: fx, fy, cx, cy and distortion (fisheye624 has one f).
    num_looks, num_posed, num_depth, num_reports : int
        Looks; and of them those with a pose, with depth, and with a result of the detector.
    num_detections, num_located : int
        Detections, and those of them that get a position: with a pose, and with depth or a
        position of their own.
    num_upward : int
        Looks whose optical axis points up, as the z axis of a link does.
    own_body_share : float
        Share of the image that the own body fills, on average.
    pose_problems : Counter of str
        Why looks have no pose.

    """

    camera_id: str
    width: int = 0
    height: int = 0
    model_name: str = ''
    parameters: tuple[float, ...] = ()
    num_looks: int = 0
    num_posed: int = 0
    num_depth: int = 0
    num_reports: int = 0
    num_detections: int = 0
    num_located: int = 0
    num_upward: int = 0
    own_body_share: float = 0.0
    pose_problems: Counter[str] = field(default_factory=Counter)

    def add(self, look: CameraFrame) -> None:
        """Count one look."""
        self.width, self.height = look.model.width, look.model.height
        self.model_name, self.parameters = look.model.model_name, look.model.parameters
        is_posed = look.world_T_camera is not None
        self.num_looks += 1
        self.num_posed += is_posed
        if look.world_T_camera is not None:
            axis = look.world_T_camera.apply((0.0, 0.0, 1.0)) - look.world_T_camera.translation
            self.num_upward += bool(axis[2] > _UPWARD)
        self.num_depth += look.depth_m is not None
        self.num_reports += look.detections is not None
        filled = 0.0 if look.own_body is None else float(look.own_body.mean())
        self.own_body_share += (filled - self.own_body_share) / self.num_looks
        if look.pose_problem:
            self.pose_problems[look.pose_problem] += 1
        for detection in look.detections or ():
            self.num_detections += 1
            has_range = detection.camera_p is not None or look.depth_m is not None
            self.num_located += is_posed and has_range

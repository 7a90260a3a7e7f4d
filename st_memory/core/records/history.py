"""What happened to an object over time, append-only."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.core.geometry import RigidTransform
from st_memory.core.records.detections import BoxPx, Point
from st_memory.core.records.objects import Visibility

__all__ = ['BASE_LOOK', 'CameraLook', 'Observation', 'Placement', 'VisibilityInterval']

# The base's pose at a frame is kept as a look of this name. No camera is called so, and it sorts
# before all that are: the last look of a frame is a camera's.
BASE_LOOK = '/base'


@dataclass(frozen=True)
class Observation:
    """
    One positive match of an object, as measured.

    The camera-frame measurement and the pose it was made from are kept, so that a corrected
    trajectory can be applied later.

    Parameters
    ----------
    observation_id : str
        Deterministic: epoch, stamp, camera and index in the frame.
    object_id, epoch, stamp_ns, label, score
        Whose, when, and what the detector called it.
    camera_id : str
        '' for an observation without a camera.
    camera_p : (3,) float, optional
        Measurement in the camera optical frame, metres; None without a camera or without depth.
    world_p : (3,) float, optional
        The same in the fixed frame at the time of the observation; None when only a bearing is
        known.
    box_px : (4,) float, optional
        x, y, width, height, pixels.
    source : str
        ``detector``, ``annotation``, ``annotation_lookahead``, ``detector_3d``, ...

    """

    observation_id: str
    object_id: str
    epoch: int
    stamp_ns: int
    label: str
    score: float
    camera_id: str = ''
    camera_p: Point | None = None
    world_p: Point | None = None
    box_px: BoxPx | None = None
    source: str = 'detector'


@dataclass(frozen=True)
class VisibilityInterval:
    """
    A run of frames of one camera with the same verdict for one object.

    Parameters
    ----------
    start_ns, end_ns : int
        Half-open; ``end_ns`` is None while the interval is open. The end is the stamp of the
        first frame with another verdict.
    last_frame_ns : int
        Latest frame inside the interval.
    num_frames, num_confirmed : int
        Frames inside, and those of them with a matching detection.

    """

    object_id: str
    camera_id: str
    epoch: int
    start_ns: int
    end_ns: int | None
    last_frame_ns: int
    state: Visibility
    geometry: Visibility
    cause: str = ''
    occluder_id: str = ''
    num_frames: int = 1
    num_confirmed: int = 0

    @property
    def confirmed_fraction(self) -> float:
        """Share of the frames that a detection confirmed, in [0, 1]."""
        return self.num_confirmed / self.num_frames


@dataclass(frozen=True)
class Placement:
    """
    A stay of an object at one place.

    Parameters
    ----------
    start_ns : int
        When it came to rest there, or was first seen there.
    end_ns : int, optional
        When it left; None while it is believed to be there.
    recorded_ns : int
        Stamp of the frame at which this was concluded (an inferred move is known only later).
    world_p : (3,) float
        Centre in the fixed frame, metres.
    source : str
        ``first_seen``, ``annotation``, ``inferred``, ``observed``.

    """

    object_id: str
    epoch: int
    start_ns: int
    end_ns: int | None
    recorded_ns: int
    world_p: Point
    fixture_id: str = ''
    source: str = 'first_seen'


@dataclass(frozen=True, eq=False)
class CameraLook:
    """
    One camera at one frame: every remembered object was judged from here.

    Parameters
    ----------
    world_T_camera : RigidTransform, optional
        Pose of the optical frame; None when there was none.
    detector_reported : bool
        The detector gave a result for this image (possibly empty).

    """

    camera_id: str
    epoch: int
    stamp_ns: int
    world_T_camera: RigidTransform | None
    detector_reported: bool = False

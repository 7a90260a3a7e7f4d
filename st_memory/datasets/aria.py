"""What all recordings of Aria glasses share: the path of the device, and objects around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from st_memory.core.geometry import Fisheye624Camera, RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.core.records import MovementReport, WorldDetection
from st_memory.datasets.pose_series import PoseSeries
from st_memory.datasets.posed_objects import observations, PosedObject
from st_memory.datasets.timeline import Rank, Timeline

__all__ = [
    'DEVICE_FRAME',
    'FIXED_FRAME',
    'AriaCamera',
    'camera_name',
    'fisheye624',
    'place_device',
    'place_frame',
    'place_objects',
]

DEVICE_FRAME = 'device'
FIXED_FRAME = 'map'

Link = tuple[str, str, RigidTransform]

# What different software calls the one model that Aria cameras have.
_MODEL_NAMES = ('FISHEYE624', 'FisheyeRadTanThinPrism')
_NUM_PARAMETERS = 15


class AriaCamera(NamedTuple):
    """A camera of the device: its stream, its name, its lens and where it sits."""

    stream_id: str
    camera_id: str
    model: Fisheye624Camera
    device_T_camera: RigidTransform

    @property
    def frame_id(self) -> str:
        """Name of the optical frame."""
        return f'{self.camera_id}_optical_frame'


def camera_name(label: str) -> str:
    """Give the name of a camera as topics can have it: ``camera_rgb`` for ``camera-rgb``."""
    name = label.replace('-', '_')
    if not name.isidentifier():
        raise ValueError(f'label {label!r}')
    return name


def fisheye624(
    model_name: str, params: Sequence[float], size: Sequence[int], valid_radius_px: float | None
) -> Fisheye624Camera:
    """
    Make the camera of a calibration file.

    Parameters
    ----------
    model_name : str
        As the file names the model.
    params : sequence of 15 float
        ``f, cu, cv, k0..k5, p0, p1, s0..s3``.
    size : sequence of 2 int
        Width and height of the image, pixels.
    valid_radius_px : float, optional
        Of the circle about the principal point that the lens fills, pixels.

    Raises
    ------
    ValueError
        If it is another model, or a number is none.

    """
    numbers = [float(v) for v in params]
    if not model_name.endswith(_MODEL_NAMES) or len(numbers) != _NUM_PARAMETERS:
        raise ValueError(f'{model_name} with {len(numbers)} parameters')
    f, cu, cv, *coeffs = numbers
    width, height = (int(v) for v in size)
    return Fisheye624Camera(width, height, f, cu, cv, tuple(coeffs), valid_radius_px)


def place_device(
    timeline: Timeline,
    first_ns: int,
    fixed: Iterable[Link],
    trajectory: PoseSeries,
    look_stamps: Sequence[int],
    map_T_scene: RigidTransform,
) -> int:
    """
    Add the links that never change, and ``map_T_device`` along the trajectory.

    Parameters
    ----------
    timeline : Timeline
        Receives the transforms.
    first_ns : int
        Stamp of the fixed links.
    fixed : iterable of (str, str, RigidTransform)
        Parent, child and ``parent_T_child``.
    trajectory : PoseSeries
        ``scene_T_device``.
    look_stamps : sequence of int
        Stamps of looks, nanoseconds, each within 1 ms of a pose. Those that rounding puts
        outside the trajectory get its end there: a reader never extrapolates.
    map_T_scene : RigidTransform
        Axes of the dataset in the fixed frame.

    Returns
    -------
    int
        How many poses of the device were added.

    """
    for link in fixed:
        place_frame(timeline, first_ns, link, static=True)
    poses = [(s, near[1]) for s in trajectory.stamps if (near := trajectory.nearest(s))]
    for stamp_ns in look_stamps:
        near = trajectory.nearest(stamp_ns)
        if near is not None and not trajectory.covers(stamp_ns):
            poses.append((stamp_ns, near[1]))
    for stamp_ns, scene_T_device in poses:
        place_frame(timeline, stamp_ns, (FIXED_FRAME, DEVICE_FRAME, map_T_scene @ scene_T_device))
    return len(poses)


def place_frame(timeline: Timeline, stamp_ns: int, link: Link, *, static: bool = False) -> None:
    """Add one transform: parent, child and ``parent_T_child``."""
    write = partial(_write_transform, stamp_ns=stamp_ns, link=link, static=static)
    timeline.add(stamp_ns, Rank.TRANSFORM, write)


def place_objects(
    timeline: Timeline,
    objects: Iterable[PosedObject],
    look_stamps: Sequence[int],
    first_ns: int,
    map_T_scene: RigidTransform,
) -> tuple[int, int]:
    """
    Add what is known of every object; parameters as in :func:`observations`.

    Returns
    -------
    int, int
        How many positions, and how many starts and ends of movements were added.

    """
    seen, movements = observations(objects, look_stamps, first_ns, map_T_scene)
    for stamp_ns, detections in seen.items():
        write = partial(_write_seen, stamp_ns=stamp_ns, detections=detections)
        timeline.add(stamp_ns, Rank.OBSERVATION, write)
    for stamp_ns, movement in movements:
        report = partial(_write_movement, stamp_ns=stamp_ns, movement=movement)
        timeline.add(stamp_ns, Rank.OBSERVATION, report)
    return sum(map(len, seen.values())), len(movements)


def _write_transform(sink: RecordingSink, *, stamp_ns: int, link: Link, static: bool) -> None:
    parent, child, parent_T_child = link
    sink.write_transform(stamp_ns, parent, child, parent_T_child, static=static)


def _write_movement(sink: RecordingSink, *, stamp_ns: int, movement: MovementReport) -> None:
    sink.write_movement(stamp_ns, movement)


def _write_seen(
    sink: RecordingSink, *, stamp_ns: int, detections: Sequence[WorldDetection]
) -> None:
    sink.write_world_detections(stamp_ns, FIXED_FRAME, detections)

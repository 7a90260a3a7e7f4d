"""How long 1,000 remembered objects take to be judged, beside bare numpy and Embree."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Measured, MeasuringError
from benchmarks.fixture import fixture_bag
from benchmarks.reference.cull_and_cast import BoxCuller, Lens
from benchmarks.sampling import alternate, seconds_of
from st_memory.bags import BagFrameSource
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import CameraFrame, Scene, SensedFrame, Visibility
from st_memory.core.visibility import classify, preset_named, Targets, Verdicts
from st_memory.scene import EmbreeRayCaster

__all__ = ['CLASSIFY_1K', 'Boxes', 'draw_boxes']

_ROUNDS = 300
_OBJECTS, _IN_VIEW = 1000, 70
_SEED = 7
# The two compute in float64 and float32 differently: a point on an edge may fall either way.
_MAX_DIFFERING = 2

Floats = NDArray[np.float64]


class Boxes:
    """Boxes along the axes of the fixed frame: centres and sizes, (N, 3) float64, metres."""

    def __init__(self, centres: Floats, sizes: Floats) -> None:
        self.centres, self.sizes = centres, sizes
        self.radii = np.linalg.norm(sizes, axis=1) / 2


def draw_boxes(
    rng: np.random.Generator, culler: BoxCuller, pose: RigidTransform, low: Floats, high: Floats
) -> Boxes:
    """Draw boxes of a hand's size within bounds, seven in a hundred of them in view."""
    drawn = Boxes(
        rng.uniform(low, high, (20 * _OBJECTS, 3)), rng.uniform(0.05, 0.25, (20 * _OBJECTS, 3))
    )
    seen = culler.look(
        drawn.centres, drawn.sizes, drawn.radii, pose.rotation, pose.translation
    ).in_view
    unseen = np.setdiff1d(np.arange(len(drawn.centres)), seen)
    if len(seen) < _IN_VIEW or len(unseen) < _OBJECTS - _IN_VIEW:
        raise MeasuringError(f'{len(seen)} of {len(drawn.centres)} boxes are in view')
    rows = rng.permutation(np.concatenate([seen[:_IN_VIEW], unseen[: _OBJECTS - _IN_VIEW]]))
    return Boxes(drawn.centres[rows], drawn.sizes[rows])


def _measure() -> Measured:
    source = BagFrameSource(fixture_bag())
    frame, camera, pose = _posed(source)
    model = camera.model
    if not isinstance(model, PinholeCamera):
        raise MeasuringError(f'the camera is a {type(model).__name__}, not a PinholeCamera')
    lens = Lens(model.width, model.height, model.fx, model.fy, model.cx, model.cy)
    triangles = _triangles(source.scene, frame.world_T_part)
    culler = BoxCuller(triangles, lens)
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    boxes = draw_boxes(np.random.default_rng(_SEED), culler, pose, low, high)
    caster = EmbreeRayCaster(source.scene)
    caster.pose_parts(frame.world_T_part)
    targets = Targets(boxes.centres, boxes.sizes, ('',) * _OBJECTS)
    preset = preset_named('live')

    def ours() -> Verdicts:
        return classify(targets, camera, preset, caster)

    def theirs() -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        return culler.look(
            boxes.centres, boxes.sizes, boxes.radii, pose.rotation, pose.translation
        )

    _check_agreement(ours(), *theirs())
    return alternate(
        lambda: seconds_of(ours) * 1e3, lambda: seconds_of(theirs) * 1e3, _ROUNDS, warm_ups=20
    )


def _posed(source: BagFrameSource) -> tuple[SensedFrame, CameraFrame, RigidTransform]:
    """Give the first frame whose camera and doors have poses, with its camera without depth."""
    for frame in source.frames():
        for camera in frame.cameras:
            if camera.world_T_camera is not None and frame.world_T_part:
                bare = CameraFrame(camera.camera_id, camera.model, camera.world_T_camera)
                return frame, bare, camera.world_T_camera
    raise MeasuringError('no frame of the recording has the poses of camera and doors')


def _triangles(scene: Scene, world_T_part: Mapping[str, RigidTransform]) -> Floats:
    """Corners of all triangles in the fixed frame."""
    corners = []
    for part in scene.parts:
        points = np.asarray(part.vertices, dtype=np.float64)
        if part.frame_id:
            points = world_T_part[part.frame_id].apply(points)
        corners.append(points[part.triangles])
    return np.concatenate(corners)


def _check_agreement(
    verdicts: Verdicts, in_view: NDArray[np.intp], hidden: NDArray[np.bool_]
) -> None:
    """Make sure that both did the same work."""
    expected = np.full(_OBJECTS, Visibility.OUT_OF_VIEW, dtype=np.int8)
    expected[in_view] = np.where(hidden, Visibility.OCCLUDED, Visibility.VISIBLE)
    differing = int((verdicts.geometry != expected).sum())
    if differing > _MAX_DIFFERING:
        raise MeasuringError(f'the reference judges {differing} of {_OBJECTS} objects differently')


CLASSIFY_1K = Figure(
    name='classify_1k',
    unit='ms',
    reference='bare numpy and Embree: spheres and nine points culled, one batch of rays',
    measure=_measure,
)

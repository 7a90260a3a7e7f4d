"""How long measured depth takes to be held against a thousand objects, beside bare numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Measured, MeasuringError
from benchmarks.kitchen_mesh import CAMERA, POSE
from benchmarks.looks import Place, place
from benchmarks.reference.check_depth import DepthChecker
from benchmarks.sampling import alternate, settled_seconds_of
from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility import classify, preset_named, Targets, Verdicts

__all__ = ['DEPTH_CHECK_1K', 'compare', 'depth_of']

_OBJECTS, _ROUNDS, _WARM_UPS = 1000, 200, 5
# Ours samples an object's outline, the reference nine points: on edges they may differ.
_MIN_AGREEING_SHARE = 0.85


def depth_of(where: Place) -> NDArray[np.float32]:
    """Give what a perfect depth camera measures there, (H, W) metres."""
    u, v = np.meshgrid(np.arange(CAMERA.width), np.arange(CAMERA.height))
    rays = CAMERA.unproject(np.column_stack((u.ravel(), v.ravel())).astype(np.float64))
    ends = POSE.apply(20.0 * rays)
    hits = where.caster.first_hits(POSE.translation, ends, np.zeros(len(ends)))
    depth = hits.distance_m / np.sqrt((rays**2).sum(axis=1))
    depth[~np.isfinite(depth)] = np.nan
    return depth.reshape(CAMERA.height, CAMERA.width).astype(np.float32)


def compare(count: int, where: Place, rounds: int) -> Measured:
    """Judge so many objects by depth alone, 7.4 % of them in view; milliseconds."""
    boxes, fixtures = where.boxes(count), ('',) * count
    arrays, preset = boxes.arrays, preset_named('live')
    frame = CameraFrame('head', CAMERA, POSE, depth_m=depth_of(where))
    checker = DepthChecker(where.culler)

    def ours() -> Verdicts:
        targets = Targets(boxes.centres, boxes.sizes, fixtures)
        return classify(targets, frame, preset, name_occluders=False)

    def theirs() -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        assert frame.depth_m is not None
        return checker.look(arrays, POSE.rotation, POSE.translation, frame.depth_m)

    rows, hidden = theirs()
    agreeing = (ours().geometry[rows] == Visibility.OCCLUDED) == hidden
    if not agreeing.mean() >= _MIN_AGREEING_SHARE:
        raise MeasuringError(f"only {agreeing.mean():.0%} of the verdicts are the reference's")
    measured = alternate(
        lambda: settled_seconds_of(ours) * 1e3,
        lambda: settled_seconds_of(theirs) * 1e3,
        rounds,
        _WARM_UPS,
    )
    return measured._replace(details={'agreeing_share': float(agreeing.mean())})


DEPTH_CHECK_1K = Figure(
    name='depth_check_1k',
    unit='ms',
    reference='bare numpy: spheres and nine points culled, depth sampled at the nine points',
    measure=lambda: compare(_OBJECTS, place(), _ROUNDS),
)

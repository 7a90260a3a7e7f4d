"""How long 100,000 points take through the lens of the glasses, beside COLMAP."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.sampling import alternate, settled_seconds_of
from st_memory.core.geometry import Fisheye624Camera

__all__ = ['CAMERA', 'PROJECT_FISHEYE624_1E5', 'compare', 'points']

_POINTS, _ROUNDS, _WARM_UPS = 100_000, 60, 3
_SEED = 2
_MAX_APART_PX = 1e-9
# A lens like those of the glasses' colour cameras.
CAMERA = Fisheye624Camera(
    1408,
    1408,
    610.0,
    704.0,
    705.0,
    (0.4, -0.45, 0.07, 1.2, -1.7, 0.6, 1e-3, -3e-5, -2.6e-3, 5.5e-4, -5e-4, -1.5e-4),
    707.5,
)


def points(count: int) -> NDArray[np.float64]:
    """Give points before the camera, inside its lens, (N, 3) metres."""
    rng = np.random.default_rng(_SEED)
    radius = np.tan(rng.uniform(0.0, 0.98 * CAMERA.max_angle, count))
    around, depth = rng.uniform(0.0, 2 * np.pi, count), rng.uniform(0.3, 6.0, count)
    xy = (depth * radius)[:, None] * np.column_stack((np.cos(around), np.sin(around)))
    return np.column_stack((xy, depth))


def compare(count: int, rounds: int) -> Measured:
    """Project so many points; milliseconds."""
    try:
        pycolmap: Any = importlib.import_module('pycolmap')
    except ImportError as error:
        raise MeasuringError(f'COLMAP is the reference: {error}') from error
    f, cu, cv, *coeffs = CAMERA.parameters
    oracle = pycolmap.Camera(
        model='RAD_TAN_THIN_PRISM_FISHEYE',
        width=CAMERA.width,
        height=CAMERA.height,
        params=[f, f, cu, cv, *coeffs],
    )
    camera_p = points(count)
    pixels, projectable = CAMERA.project(camera_p)
    apart = np.abs(pixels - oracle.img_from_cam(camera_p)).max()
    if not (projectable.all() and apart <= _MAX_APART_PX):
        raise MeasuringError(f'pixels differ from the reference by {apart:.3g}')
    return alternate(
        lambda: settled_seconds_of(lambda: CAMERA.project(camera_p)) * 1e3,
        lambda: settled_seconds_of(lambda: oracle.img_from_cam(camera_p)) * 1e3,
        rounds,
        _WARM_UPS,
    )


PROJECT_FISHEYE624_1E5 = Figure(
    name='project_fisheye624_1e5',
    unit='ms',
    reference="COLMAP's RAD_TAN_THIN_PRISM_FISHEYE, without checks of what is projectable",
    measure=lambda: compare(_POINTS, _ROUNDS),
    goal=Goal('ratio', '<=', 0.5),
)

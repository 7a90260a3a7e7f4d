"""A Beyond3D folder as a bag, and where a place lies in its pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from st_memory.bags import BagRecorder
from st_memory.core.errors import DatasetError
from st_memory.core.geometry import CameraModel, Fisheye624Camera, RigidTransform
from st_memory.core.records.detections import Point
from st_memory.datasets.beyond3d import Beyond3dReport, convert_beyond3d
from st_memory.scene import load_scene

__all__ = ['pixel_of', 'record_bag']


def record_bag(data: Path, bag: Path, *, lookahead: bool) -> Beyond3dReport:
    """
    Write a folder's poses, positions and movements to a bag, with the kitchen's scene.

    Parameters
    ----------
    data : Path
        A Beyond3D folder: poses, calibration, object states and the kitchen's mesh.
    bag : Path
        The file to write; replaced when it is there.
    lookahead : bool
        Also write each object's first position at the start, flagged as such.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises.

    """
    meshes = sorted(data.glob('*.glb'))
    if len(meshes) != 1:
        raise DatasetError(f'{data}: expected one .glb mesh of the kitchen, found {len(meshes)}')
    scene = load_scene(meshes[0])
    with BagRecorder(bag, overwrite=True) as sink:
        return convert_beyond3d(data, sink, scene=scene, lookahead_first_location=lookahead)


def pixel_of(
    world_p: Point, model: CameraModel, world_T_camera: RigidTransform
) -> tuple[float, float] | None:
    """Give the pixel (u, v) of a place in the fixed frame; None behind the camera."""
    camera_p = world_T_camera.inverse().apply(np.array([world_p]))
    if isinstance(model, Fisheye624Camera):  # the published pixels know no lens limit
        pixel = model.project_unchecked(camera_p).pixels[0]
    else:
        pixel = model.project(camera_p).pixels[0]
    return (float(pixel[0]), float(pixel[1])) if np.isfinite(pixel).all() else None

"""A mesh of a place from depth images with poses, by fusing signed distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import FaceCounts, PinholeCamera, RigidTransform, usable_faces
from st_memory.core.records import CameraFrame, ScenePart, SensedFrame
from st_memory.scene.held_out import HeldOutDepth
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.open3d_library import import_open3d
from st_memory.scene.pinhole_depth import pinhole_depth

__all__ = ['BuildSettings', 'BuiltMesh', 'build_mesh']

_BLOCK_VOXELS = 16
_FIRST_BLOCKS = 20_000


@dataclass(frozen=True)
class BuildSettings:
    """
    How a mesh is built.

    Parameters
    ----------
    voxel_m : float
        Side of a voxel, metres: the finest detail there is.
    truncation_voxels : float
        A measurement tells of space up to this many voxels behind a surface. Walls thinner than
        that, seen from both sides, melt into one.
    max_depth_m : float
        Depth beyond this is not used; it grows inexact with the distance.
    min_weight : float
        A surface counts when at least so many measurements, about, agree on it.
    stride : int
        Every so many looks one is used.
    max_looks : int, optional
        Stop after so many used looks.
    hold_out : int
        Of the looks that would be used every so many one is kept to check the mesh with; 0 for
        none.
    camera_id : str
        Only this camera; '' for all.

    Raises
    ------
    ValueError
        If a number is outside its range.

    """

    voxel_m: float = 0.02
    truncation_voxels: float = 4.0
    max_depth_m: float = 4.0
    min_weight: float = 3.0
    stride: int = 1
    max_looks: int | None = None
    hold_out: int = 0
    camera_id: str = ''

    def __post_init__(self) -> None:
        for name in ('voxel_m', 'max_depth_m'):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ValueError(f'{name}: expected > 0, got {getattr(self, name)}')
        if not self.truncation_voxels >= 1.0:
            raise ValueError(f'truncation_voxels: expected >= 1, got {self.truncation_voxels}')
        if not self.min_weight >= 0.0:
            raise ValueError(f'min_weight: expected >= 0, got {self.min_weight}')
        if self.stride < 1 or self.hold_out < 0 or (self.max_looks or 1) < 1:
            raise ValueError('stride and max_looks: expected >= 1; hold_out: expected >= 0')
        if self.hold_out == 1:
            raise ValueError('hold_out: expected 0 or at least 2, got 1: nothing would be left')


@dataclass(frozen=True)
class BuiltMesh:
    """
    A mesh and how it came about.

    Parameters
    ----------
    part : ScenePart
        The mesh, in the fixed frame, metres.
    num_looks : int
        Depth images that went into it.
    skipped : mapping of str to int
        Looks that did not, by reason.
    faces : FaceCounts
        Faces kept, and those that had no area.
    held_out : HeldOutDepth
        What was kept to check the mesh with.

    """

    part: ScenePart
    num_looks: int
    skipped: Mapping[str, int]
    faces: FaceCounts
    held_out: HeldOutDepth


def build_mesh(
    frames: Iterable[SensedFrame],
    settings: BuildSettings,
    progress: Callable[[int], None] | None = None,
    name: str = 'room',
) -> BuiltMesh:
    """
    Fuse depth images into a mesh; one image is in memory at a time.

    Parameters
    ----------
    frames : iterable of SensedFrame
        With camera poses and depth.
    settings : BuildSettings
        Voxel size and which looks are used.
    progress : callable, optional
        Called after each used look with how many there were.
    name : str
        Name of the part.

    Raises
    ------
    MissingExtraError
        If open3d is not installed.
    SceneFileError
        If no look has both a pose and depth, or no surface was seen often enough.

    References
    ----------
    B. Curless, M. Levoy, "A volumetric method for building complex models from range images",
    SIGGRAPH 1996.

    """
    volume = _Volume(settings)
    skipped = Counter[str]()
    held_out = HeldOutDepth(settings.max_depth_m)
    num_usable = num_looks = 0
    for frame in frames:
        for camera in frame.cameras:
            reason = _unusable(camera, settings)
            if reason:
                skipped[reason] += 1
                continue
            num_usable += 1
            if (num_usable - 1) % settings.stride:
                skipped['stride'] += 1
            elif settings.hold_out and (num_usable // settings.stride) % settings.hold_out == 1:
                held_out.add(camera)
                skipped['held_out'] += 1
            else:
                volume.integrate(camera)
                num_looks += 1
                if progress is not None:
                    progress(num_looks)
        if settings.max_looks is not None and num_looks >= settings.max_looks:
            break
    if not num_looks:
        found = ', '.join(f'{count} {reason}' for reason, count in sorted(skipped.items()))
        raise SceneFileError(
            f'expected looks with a pose and depth, found none ({found or "no look"})'
        )
    vertices, triangles, faces = usable_faces(*volume.mesh())
    if not faces.kept:
        raise SceneFileError(
            f'expected a surface, found none that {settings.min_weight:g} of {num_looks} looks '
            'agree on: use more looks, a larger voxel or a lower weight'
        )
    part = ScenePart(name, '', '', vertices, triangles)
    return BuiltMesh(part, num_looks, dict(sorted(skipped.items())), faces, held_out)


def _unusable(camera: CameraFrame, settings: BuildSettings) -> str:
    """Say why a look cannot be used; '' when it can."""
    if settings.camera_id and camera.camera_id != settings.camera_id:
        return 'other_camera'
    if camera.world_T_camera is None:
        return 'without_pose'
    if camera.depth_m is None or not np.isfinite(camera.depth_m).any():
        return 'without_depth'
    return ''


class _Volume:
    """Signed distances around the surfaces seen, in blocks of voxels that are made as needed."""

    def __init__(self, settings: BuildSettings) -> None:
        self._open3d: Any = import_open3d('building meshes')
        self._settings = settings
        # Its numbers are float32: they are taken relative to where the first camera was.
        self._origin: NDArray[np.float64] | None = None
        core = self._open3d.core
        self._grid = self._open3d.t.geometry.VoxelBlockGrid(
            attr_names=('tsdf', 'weight'),
            attr_dtypes=(core.float32, core.float32),
            attr_channels=((1), (1)),
            voxel_size=settings.voxel_m,
            block_resolution=_BLOCK_VOXELS,
            block_count=_FIRST_BLOCKS,
        )

    def integrate(self, camera: CameraFrame) -> None:
        """Take what a look says."""
        if camera.depth_m is None or camera.world_T_camera is None:
            return
        depth_m, model = pinhole_depth(camera.depth_m, camera.model)
        settings, core = self._settings, self._open3d.core
        near = np.where(depth_m <= settings.max_depth_m, depth_m, 0.0)  # 0, NaN: not measured
        if not near.any():
            return
        if self._origin is None:
            self._origin = camera.world_T_camera.translation
        local_T_camera = RigidTransform(
            camera.world_T_camera.translation - self._origin, camera.world_T_camera.quat_xyzw
        )
        image = self._open3d.t.geometry.Image(core.Tensor(near.astype(np.float32)))
        matrices = (core.Tensor(_intrinsics(model)), core.Tensor(local_T_camera.inverse().matrix))
        limits = (1.0, settings.max_depth_m, settings.truncation_voxels)
        blocks = self._grid.compute_unique_block_coordinates(image, *matrices, *limits)
        self._grid.integrate(blocks, image, *matrices, *limits)

    def mesh(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Give vertices (V, 3), metres, and triangles (T, 3) of the surface."""
        try:
            mesh = self._grid.extract_triangle_mesh(weight_threshold=self._settings.min_weight)
        except RuntimeError:  # what it raises when there is no surface at all
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        if 'positions' not in mesh.vertex or 'indices' not in mesh.triangle:
            return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        vertices = mesh.vertex.positions.numpy().astype(np.float64)
        if self._origin is not None:
            vertices += self._origin
        return vertices, mesh.triangle.indices.numpy().astype(np.int64)


def _intrinsics(model: PinholeCamera) -> NDArray[np.float64]:
    return np.array([[model.fx, 0.0, model.cx], [0.0, model.fy, model.cy], [0.0, 0.0, 1.0]])

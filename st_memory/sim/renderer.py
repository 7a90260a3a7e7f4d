"""Pixels of the scene: colour, depth, who owns each pixel, and things without occluders."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.sim.gl import load_mujoco, open_context
from st_memory.sim.mjcf import CAMERA_NAME, Z_FAR_M, Z_NEAR_M

__all__ = ['NOTHING', 'Renderer']

NOTHING = -1
"""Owner index of a pixel that shows no geom."""

# Geom groups: everything but the things asked for goes to a group that solo passes leave out.
_SHOWN, _HIDDEN = 0, 5


class Renderer:
    """
    Renders one MuJoCo model from its head camera; a context manager.

    Parameters
    ----------
    xml : str
        Scene as written by :func:`st_memory.sim.mjcf.build_mjcf`.
    owner_of_geom : sequence of int
        Owner index of each geom.
    width, height : int
        Image size, pixels.

    Raises
    ------
    MissingExtraError, RenderingUnavailableError
        If there is no MuJoCo or no way to render.

    """

    def __init__(self, xml: str, owner_of_geom: Sequence[int], width: int, height: int) -> None:
        self._mj: Any = load_mujoco()
        mj = self._mj
        self._owner = np.asarray(owner_of_geom, dtype=np.int32)
        self.model = mj.MjModel.from_xml_string(xml)
        self.data = mj.MjData(self.model)
        self._gl = open_context(mj, width, height)
        self._context = mj.MjrContext(self.model, mj.mjtFontScale.mjFONTSCALE_100)
        mj.mjr_setBuffer(mj.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mj.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mj.MjvScene(self.model, self.model.ngeom + 16)
        self._scene.flags[mj.mjtRndFlag.mjRND_SHADOW] = 0
        self._scene.flags[mj.mjtRndFlag.mjRND_REFLECTION] = 0
        self._camera = mj.MjvCamera()
        self._camera.type = mj.mjtCamera.mjCAMERA_FIXED
        self._camera.fixedcamid = self.model.camera(CAMERA_NAME).id
        self._option, self._perturb = mj.MjvOption(), mj.MjvPerturb()
        self._rect = mj.MjrRect(0, 0, width, height)
        self._rgb = np.zeros((height, width, 3), np.uint8)
        self._zbuffer = np.zeros((height, width), np.float32)

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the GL context."""
        if self._gl is not None:
            self._context.free()
            self._gl.free()
            self._gl = None

    def pose(self, qpos: NDArray[np.float64]) -> None:
        """
        Put everything where it is.

        Parameters
        ----------
        qpos : (nq,) float64
            Joint positions, then free poses (x, y, z, qw, qx, qy, qz).

        """
        self.data.qpos[:] = qpos
        self._mj.mj_kinematics(self.model, self.data)
        self._mj.mj_camlight(self.model, self.data)

    def color(self) -> NDArray[np.uint8]:
        """Render RGB, (H, W, 3) uint8."""
        self._update()
        self._draw(segment=False)
        self._mj.mjr_readPixels(self._rgb, None, self._rect, self._context)
        image: NDArray[np.uint8] = self._rgb[::-1].copy()
        return image

    def depth_and_owners(self) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """
        Render depth and ownership in one pass.

        Returns
        -------
        depth_m : (H, W) float32
            Along the optical axis, metres; NaN where nothing is.
        owners : (H, W) int32
            Owner index of each pixel, :data:`NOTHING` where nothing is.

        """
        self._update()
        self._draw(segment=True)
        self._mj.mjr_readPixels(self._rgb, self._zbuffer, self._rect, self._context)
        owners = self._owners_from_rgb()
        near, far = np.float64(Z_NEAR_M), np.float64(Z_FAR_M)
        # Reversed z: the buffer holds 1 at the near plane and 0 at the far plane.
        z = self._zbuffer[::-1].astype(np.float64)
        depth = (near * far / (near + z * (far - near))).astype(np.float32)
        depth[owners == NOTHING] = np.nan
        return depth, owners

    def solo(self, owners: Sequence[int]) -> NDArray[np.int32]:
        """
        Render some owners without anything else in the world.

        Parameters
        ----------
        owners : sequence of int
            Owner indices; those that overlap in the image occlude each other as usual.

        Returns
        -------
        (H, W) int32
            Owner index of each pixel, :data:`NOTHING` where none of them is.

        """
        wanted = np.isin(self._owner, np.asarray(owners))
        self.model.geom_group[:] = np.where(wanted, _SHOWN, _HIDDEN)
        self._update()
        self.model.geom_group[:] = _SHOWN
        self._draw(segment=True)
        self._mj.mjr_readPixels(self._rgb, None, self._rect, self._context)
        return self._owners_from_rgb()

    def _update(self) -> None:
        mj = self._mj
        mj.mjv_updateScene(
            self.model,
            self.data,
            self._option,
            self._perturb,
            self._camera,
            mj.mjtCatBit.mjCAT_ALL,
            self._scene,
        )

    def _draw(self, *, segment: bool) -> None:
        mj, flags = self._mj, self._scene.flags
        flags[mj.mjtRndFlag.mjRND_SEGMENT] = segment
        flags[mj.mjtRndFlag.mjRND_IDCOLOR] = segment
        mj.mjr_render(self._rect, self._scene, self._context)

    def _owners_from_rgb(self) -> NDArray[np.int32]:
        """Turn id colours into owner indices, first row on top."""
        table = np.full(self._scene.ngeom + 1, NOTHING, dtype=np.int32)
        geom_type = int(self._mj.mjtObj.mjOBJ_GEOM)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == geom_type:
                table[geom.segid + 1] = self._owner[geom.objid]
        rgb = self._rgb[::-1].astype(np.int32)
        owners: NDArray[np.int32] = table[
            rgb[:, :, 0] + (rgb[:, :, 1] << 8) + (rgb[:, :, 2] << 16)
        ]
        return owners

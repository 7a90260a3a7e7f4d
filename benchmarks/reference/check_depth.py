"""The nine-point rule on a depth image, on bare arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.reference.cull_and_cast import BoxArrays, BoxCuller

__all__ = ['DepthChecker']

Floats = NDArray[np.float64]

_TOLERANCE_M, _TOLERANCE_SHARE = 0.03, 0.02  # depth this near before a point does not block it


class DepthChecker:
    """
    Boxes against one depth camera.

    Parameters
    ----------
    culler : BoxCuller
        Says what is in view; its scene is not asked.

    """

    def __init__(self, culler: BoxCuller) -> None:
        self._culler = culler

    def look(
        self, boxes: BoxArrays, world_R_camera: Floats, eye: Floats, depth_m: NDArray[np.float32]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """
        Say which boxes are in view, and which of those most measured points are hidden of.

        Parameters
        ----------
        boxes, world_R_camera, eye
            As :meth:`BoxCuller.look` takes them.
        depth_m : (H, W) float32
            Metres along the optical axis; NaN where not measured.

        """
        in_view, hidden = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=bool)]
        lens, r = self._culler.lens, world_R_camera.tolist()
        for rows, valid, rays in self._culler.points_in_view(boxes, world_R_camera, eye):
            x, y, z = rays
            ahead = r[0][2] * x + r[1][2] * y + r[2][2] * z
            right = r[0][0] * x + r[1][0] * y + r[2][0] * z
            down = r[0][1] * x + r[1][1] * y + r[2][1] * z
            u = np.rint(right / ahead * lens.fx + lens.cx).astype(np.intp)
            v = np.rint(down / ahead * lens.fy + lens.cy).astype(np.intp)
            np.clip(u, 0, lens.width - 1, out=u)
            np.clip(v, 0, lens.height - 1, out=v)
            measured = depth_m[v, u]
            reach = ahead - np.maximum(_TOLERANCE_M, _TOLERANCE_SHARE * ahead)
            known, blocked = np.zeros(valid.shape, dtype=bool), np.zeros(valid.shape, dtype=bool)
            known[valid] = measured > 0
            blocked[valid] = measured < reach
            num_known = known.sum(axis=1)
            in_view.append(rows)
            hidden.append((blocked.sum(axis=1) * 2 >= num_known) & (num_known > 0))
        return np.concatenate(in_view), np.concatenate(hidden)

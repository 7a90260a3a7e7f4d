"""What a depth image says of boxes: the lines of sight to each, blocked, ending in it, or not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.visibility.lines import Lines, share_of
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.view import Rows

__all__ = ['DepthEvidence']

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class DepthEvidence(NamedTuple):
    """
    Lines of sight to R objects, by what the depth image measured on them.

    What the own body blocks says nothing of the world in front of an object: such lines count
    for the free share, and speak against seeing through, only.

    Attributes
    ----------
    known_share : (R,) float64
        Share of the lines to the box on which depth was measured, in [0, 1]; NaN where the own
        body blocks them all.
    blocked_share : (R,) float64
        Share of those on which something is in front of all of the box; NaN without any.
    free_share : (R,) float64
        Share of those, and of the lines that the own body blocks, that nothing is in front of;
        NaN without any.
    surface_share : (R,) float64
        Share of the lines that nothing blocks on which depth ends inside the box; NaN without
        any.
    seen_through : (R,) bool
        Most lines through the inner half end behind the box; none ends in it, or on the own body.
    obstacle_p : (R, 3) float64
        Middle of what is in front, optical frame, metres; NaN without an obstacle.

    """

    known_share: Array
    blocked_share: Array
    free_share: Array
    surface_share: Array
    seen_through: Mask
    obstacle_p: Array

    @classmethod
    def gather(
        cls,
        depth_m: NDArray[np.float32],
        lines: Lines,
        preset: VisibilityPreset,
        body: Mask | None = None,
    ) -> DepthEvidence:
        """
        Compare measured depth with boxes on lines of sight.

        An object's own surface lies between the depths where a line enters and leaves its box, so
        only depth in front of both is an obstacle.

        Parameters
        ----------
        depth_m : (H, W) float32
            Along the optical axis, metres; NaN, 0 or infinite where not measured.
        lines : Lines
            To R objects.
        preset : VisibilityPreset
            Tolerances of depth.
        body : (R, L) bool, optional
            Lines that the own body blocks: their depth is of no object.

        """
        near, far = lines.near, lines.far
        met = lines.met if body is None else lines.met & ~body
        measured = depth_m[lines.v, lines.u].astype(np.float64)
        known = met & (measured > 0.0) & (measured < np.inf)
        tolerance = np.maximum(preset.depth_tolerance_m, preset.depth_tolerance_share * far)
        blocked = known & (measured < near - tolerance)
        beyond = known & (measured > far + tolerance)
        own = known & ~blocked & ~beyond
        inner = _inner(preset.depth_lattice)
        through = 2 * beyond[:, inner].sum(axis=1) > lines.met[:, inner].sum(axis=1)
        # What the body covers may be the object's surface.
        maybe_own = own if body is None else own | (lines.met & body)
        blocked_share = share_of(blocked, known)
        in_the_way = blocked_share if body is None else share_of(blocked | body, known | body)
        return cls(
            known_share=share_of(known, met),
            blocked_share=blocked_share,
            free_share=1.0 - in_the_way,
            surface_share=share_of(own, known & ~blocked),
            seen_through=np.asarray(through & ~maybe_own[:, inner].any(axis=1)),
            obstacle_p=_middle(lines.rays, measured, blocked),
        )


def _middle(rays: Array, measured: Array, blocked: Mask) -> Array:
    """Mean point (R, 3) of the measured surfaces that block; NaN where none does."""
    depth = np.where(blocked, measured, 0.0)
    total = np.einsum('rl,rla->ra', depth, np.where(blocked[..., None], rays, 0.0))
    with np.errstate(invalid='ignore', divide='ignore'):
        middle: Array = total / blocked.sum(axis=1)[:, None]
    return middle


def _inner(side: int) -> Rows:
    """Places in the flattened lattice of its middle: half as wide and half as high."""
    first, last = side // 4, side - side // 4
    grid = np.arange(side * side).reshape(side, side)
    inner: Rows = grid[first:last, first:last].reshape(-1)
    return inner

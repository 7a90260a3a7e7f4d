"""What is looked at: boxes in the kitchen, 7.4 % of them in view."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import MeasuringError
from benchmarks.kitchen_mesh import CAMERA, HIGH, kitchen, LOW, POSE
from benchmarks.reference.cull_and_cast import BoxArrays, BoxCuller, Lens
from st_memory.core.records import CameraFrame, Scene
from st_memory.core.visibility import Targets
from st_memory.scene import EmbreeRayCaster

__all__ = ['SHARE_IN_VIEW', 'Boxes', 'Place', 'Rays', 'draw_boxes', 'place', 'triangles_of']

SHARE_IN_VIEW = 0.074
_SEED = 7
_DRAWS_A_BOX = 3

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]


class Boxes(NamedTuple):
    """Boxes along the axes of the fixed frame: centres and sizes, (N, 3) float64, metres."""

    centres: Floats
    sizes: Floats

    @property
    def targets(self) -> Targets:
        """As a memory hands them over."""
        return Targets(self.centres, self.sizes, ('',) * len(self.centres))

    @property
    def arrays(self) -> BoxArrays:
        """As the reference takes them."""
        return BoxArrays.of(self.centres, self.sizes)


class Rays(NamedTuple):
    """Camera to point, (N, 3), and lengths (N,), float64, metres."""

    offsets: Floats
    lengths: Floats

    @property
    def prepared(self) -> tuple[Floats32, Floats32, Floats32]:
        """Origins, directions of length 1 and lengths, as Embree takes them."""
        origins = np.empty(self.offsets.shape, dtype=np.float32)
        origins[:] = POSE.translation
        directions = (self.offsets / self.lengths[:, None]).astype(np.float32)
        return origins, directions, self.lengths.astype(np.float32)


class Place(NamedTuple):
    """The kitchen, its camera without depth, and the two that look: ours and the reference."""

    scene: Scene
    frame: CameraFrame
    caster: EmbreeRayCaster
    culler: BoxCuller

    def boxes(self, count: int) -> Boxes:
        """Give so many boxes, the same every time."""
        return draw_boxes(np.random.default_rng(_SEED), self.culler, count)

    def rays(self, boxes: Boxes) -> Rays:
        """Give the rays from the camera to every point in view of boxes in view."""
        offsets, lengths = self.culler.rays_of(boxes.arrays, POSE.rotation, POSE.translation)
        return Rays(offsets, lengths)


@lru_cache(maxsize=1)
def place(fineness: float = 1.0) -> Place:
    """Give the kitchen, built once a process."""
    scene = kitchen(fineness)
    lens = Lens(CAMERA.width, CAMERA.height, CAMERA.fx, CAMERA.fy, CAMERA.cx, CAMERA.cy)
    return Place(
        scene,
        CameraFrame('head', CAMERA, POSE),
        EmbreeRayCaster(scene),
        BoxCuller(triangles_of(scene), lens),
    )


def triangles_of(scene: Scene) -> Floats:
    """Corners (T, 3, 3) of all triangles of a scene that does not move."""
    return np.concatenate([part.vertices[part.triangles] for part in scene.parts])


def draw_boxes(rng: np.random.Generator, culler: BoxCuller, count: int) -> Boxes:
    """Draw boxes of a hand's size in the room, 7.4 in a hundred of them in view."""
    num_drawn = _DRAWS_A_BOX * count
    drawn = Boxes(rng.uniform(LOW, HIGH, (num_drawn, 3)), rng.uniform(0.05, 0.25, (num_drawn, 3)))
    seen = culler.look(drawn.arrays, POSE.rotation, POSE.translation).in_view
    unseen = np.setdiff1d(np.arange(num_drawn), seen)
    num_seen = round(SHARE_IN_VIEW * count)
    if len(seen) < num_seen or len(unseen) < count - num_seen:
        raise MeasuringError(f'{len(seen)} of {num_drawn} boxes are in view')
    rows = rng.permutation(np.concatenate([seen[:num_seen], unseen[: count - num_seen]]))
    return Boxes(drawn.centres[rows], drawn.sizes[rows])

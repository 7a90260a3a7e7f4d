"""The scene as parts that are frames, and the fixtures they make up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from st_memory.core.geometry.se3 import RigidTransform
from st_memory.core.records.articulation import Articulation
from st_memory.core.records.detections import Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ['Fixture', 'Scene', 'ScenePart']


@dataclass(frozen=True, eq=False)
class ScenePart:
    """
    A rigid mesh attached to one frame.

    Parameters
    ----------
    name : str
        Unique name of the part, e.g. ``cupboard_1/door``.
    fixture_id : str
        Fixture it belongs to; '' for walls and the like.
    frame_id : str
        Frame the vertices are in; '' means the fixed frame (the part never moves).
    vertices : (V, 3) float64
        Metres, in ``frame_id``.
    triangles : (T, 3) int32
        Indices into ``vertices``.

    Raises
    ------
    ValueError
        If a shape is wrong, a vertex is not finite or an index is out of range.

    """

    name: str
    fixture_id: str
    frame_id: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]

    def __post_init__(self) -> None:
        v, t = self.vertices, self.triangles
        if v.ndim != 2 or v.shape[1] != 3:
            raise ValueError(f'{self.name}: expected vertices of shape (V, 3), got {v.shape}')
        if t.ndim != 2 or t.shape[1] != 3:
            raise ValueError(f'{self.name}: expected triangles of shape (T, 3), got {t.shape}')
        if not np.isfinite(v).all():
            raise ValueError(f'{self.name}: expected finite vertices')
        if t.size and not (t.min() >= 0 and t.max() < len(v)):
            raise ValueError(f'{self.name}: a triangle names a vertex outside 0..{len(v) - 1}')


@dataclass(frozen=True, eq=False)
class Fixture:
    """
    A named piece of furniture that objects lie on or in.

    Parameters
    ----------
    fixture_id : str
        Unique name, e.g. ``P01_drawer.004``.
    label : str
        Its type in words, e.g. ``drawer``.
    world_T_box : RigidTransform
        Centre and axes of its box in the fixed frame.
    size_m : (3,) float
        Extents along the box axes, metres.
    is_container : bool
        Things can be inside it (drawer, cupboard, fridge).

    """

    fixture_id: str
    label: str
    world_T_box: RigidTransform
    size_m: Point
    is_container: bool = False


@dataclass(frozen=True, eq=False)
class Scene:
    """
    Parts and fixtures of one place; both may be empty.

    Parameters
    ----------
    parts : tuple of ScenePart
        The meshes.
    fixtures : tuple of Fixture
        What objects lie on or in.
    articulation : Articulation, optional
        Gives the frames of movable parts from joint positions where TF does not. Joints move
        the parts while frames are assembled; a memory file does not keep them.

    Raises
    ------
    ValueError
        If two parts or two fixtures have the same name.

    """

    parts: tuple[ScenePart, ...] = ()
    fixtures: tuple[Fixture, ...] = ()
    articulation: Articulation | None = None

    def __post_init__(self) -> None:
        for kind, names in (
            ('part', [p.name for p in self.parts]),
            ('fixture', [f.fixture_id for f in self.fixtures]),
        ):
            twice = sorted({n for n in names if names.count(n) > 1})
            if twice:
                raise ValueError(f'Scene: expected unique {kind} names, got {twice[0]!r} twice')

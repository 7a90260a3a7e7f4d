"""Fixtures of a mesh: what a part's name says, and the box around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations, product
import re

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Fixture

__all__ = [
    'fixture_id_of',
    'fixture_label',
    'is_container',
    'is_structure',
    'make_fixture',
    'make_fixtures',
]

Floats = NDArray[np.float64]

# What things can be inside of, so that a closed door hides them.
_CONTAINERS = frozenset(
    [
        'bin',
        'cabinet',
        'chest',
        'closet',
        'cupboard',
        'dishwasher',
        'drawer',
        'dryer',
        'freezer',
        'fridge',
        'fridgefreezer',
        'locker',
        'microwave',
        'oven',
        'refrigerator',
        'wardrobe',
        'washer',
    ]
)
# What nobody would name as the place of an object.
_STRUCTURE = frozenset(['ceiling', 'door', 'roof', 'room', 'wall', 'walls', 'window'])
# Axes further than this from orthogonal (cosine) make no box of their own.
_MAX_SHEAR = 1e-4

_KITCHEN_PREFIX = re.compile(r'^P\d+_')
_NUMBER_SUFFIX = re.compile(r'[._]\d+$')


def fixture_id_of(part_name: str) -> str:
    """Give the fixture that a part belongs to: ``cupboard_1`` for ``cupboard_1/door``."""
    return part_name.split('/', 1)[0]


def fixture_label(fixture_id: str) -> str:
    """Give the type in words: ``drawer`` for ``P01_drawer.004``, ``top microwave`` likewise."""
    bare = _NUMBER_SUFFIX.sub('', _KITCHEN_PREFIX.sub('', fixture_id))
    return bare.replace('_', ' ').strip().lower() or fixture_id


def is_container(label: str) -> bool:
    """Tell whether things can be inside: by the label's last word, not for the top of one."""
    words = label.split()
    return words[:1] != ['top'] and words[-1:] != [] and words[-1] in _CONTAINERS


def is_structure(label: str) -> bool:
    """Tell whether the label names a piece of the building rather than furniture."""
    return label.split()[-1:] != [] and label.rsplit(maxsplit=1)[-1] in _STRUCTURE


def make_fixture(fixture_id: str, world_vertices: Floats, linear: Floats) -> Fixture:
    """
    Put the tightest box along a node's axes around its vertices.

    Parameters
    ----------
    fixture_id : str
        Its name.
    world_vertices : (V, 3) float64
        All vertices of its parts, in the fixed frame, metres; at least one.
    linear : (3, 3) float64
        Linear part of the node's map to the fixed frame; its columns are the node's axes there.
        Sheared or collapsed axes are replaced by those of the fixed frame.

    Returns
    -------
    Fixture
        With its box axes named so that they turn the least against the fixed frame: the third
        extent of an upright fixture is its height.

    """
    axes = _box_axes(linear)
    along = world_vertices @ axes
    low, high = along.min(axis=0), along.max(axis=0)
    matrix = np.eye(4)
    matrix[:3, :3] = axes
    matrix[:3, 3] = axes @ ((low + high) / 2)
    size = high - low
    label = fixture_label(fixture_id)
    return Fixture(
        fixture_id=fixture_id,
        label=label,
        world_T_box=RigidTransform.from_matrix(matrix),
        size_m=(float(size[0]), float(size[1]), float(size[2])),
        is_container=is_container(label),
    )


def _box_axes(linear: Floats) -> Floats:
    """Columns: right-handed unit axes along those of ``linear``, as near to x, y, z as can be."""
    lengths = np.sqrt((linear * linear).sum(axis=0))
    if not np.isfinite(linear).all() or not (lengths > 0).all():
        return np.eye(3)
    unit = linear / lengths
    if np.abs(unit.T @ unit - np.eye(3)).max() > _MAX_SHEAR:
        return np.eye(3)
    candidates = [
        unit[:, order] * np.array(signs)
        for order in map(list, permutations(range(3)))
        for signs in product((1.0, -1.0), repeat=3)
    ]
    upright = [c for c in candidates if np.linalg.det(c) > 0]
    return max(upright, key=lambda c: float(np.trace(c)))


def make_fixtures(
    vertices_of: Mapping[str, Sequence[Floats]], linear_of: Mapping[str, Floats]
) -> tuple[Fixture, ...]:
    """
    Make the fixtures of a scene.

    Parameters
    ----------
    vertices_of : mapping of str to sequence of (V, 3) float64
        Vertices of each fixture's parts, in the fixed frame, by fixture id.
    linear_of : mapping of str to (3, 3) float64
        Axes of each fixture's first part, see :func:`make_fixture`.

    Returns
    -------
    tuple of Fixture
        In the order of ``vertices_of``, without pieces of the building.

    """
    return tuple(
        make_fixture(name, np.concatenate(list(vertices)), linear_of[name])
        for name, vertices in vertices_of.items()
        if not is_structure(fixture_label(name))
    )

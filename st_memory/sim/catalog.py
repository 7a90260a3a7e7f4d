"""The graspable things: kinds with their shapes and sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from st_memory.sim.shapes import Primitive, Rgb, Vec3, vec3

__all__ = ['KINDS', 'LABELS', 'ObjectSpec', 'choose_objects']


def _cylinder(radius: float, height: float, rgb: Rgb, z: float = 0.0) -> Primitive:
    return Primitive('cylinder', (radius, height / 2), (0.0, 0.0, z), rgb)


def _block(x: float, y: float, z: float, rgb: Rgb) -> Primitive:
    return Primitive('box', (x / 2, y / 2, z / 2), (0.0, 0.0, 0.0), rgb)


def _bar(x: float, z: float, half: float, radius: float, rgb: Rgb, axis: str) -> Primitive:
    return Primitive('capsule', (radius, half), (x, 0.0, z), rgb, axis)


_GREY: Rgb = (0.55, 0.56, 0.60)
_DARK: Rgb = (0.15, 0.15, 0.17)

KINDS: dict[str, tuple[Primitive, ...]] = {
    'mug': (
        _cylinder(0.042, 0.10, (0.85, 0.2, 0.15)),
        _bar(0.052, 0.0, 0.018, 0.008, (0.85, 0.2, 0.15), 'z'),
    ),
    'can': (
        _cylinder(0.034, 0.12, (0.1, 0.55, 0.25)),
        _cylinder(0.030, 0.004, _GREY, 0.062),
    ),
    'bowl': (
        _cylinder(0.078, 0.04, (0.95, 0.85, 0.5), 0.014),
        _cylinder(0.045, 0.028, (0.9, 0.8, 0.45), -0.02),
    ),
    'jar': (
        _cylinder(0.045, 0.10, (0.75, 0.5, 0.2), -0.01),
        _cylinder(0.047, 0.02, (0.8, 0.1, 0.1), 0.05),
    ),
    'glass': (_cylinder(0.034, 0.13, (0.6, 0.8, 0.9)),),
    'plate': (_cylinder(0.112, 0.022, (0.9, 0.9, 0.95)),),
    'bottle': (
        _cylinder(0.038, 0.20, (0.1, 0.4, 0.15), -0.035),
        _cylinder(0.015, 0.07, (0.1, 0.4, 0.15), 0.10),
    ),
    'cereal box': (_block(0.19, 0.07, 0.27, (0.95, 0.6, 0.1)),),
    'milk carton': (_block(0.08, 0.08, 0.21, (0.3, 0.5, 0.9)),),
    'apple': (Primitive('sphere', (0.040,), (0.0, 0.0, 0.0), (0.7, 0.85, 0.2)),),
    'sponge': (_block(0.11, 0.07, 0.035, (0.95, 0.9, 0.2)),),
    'kettle': (
        _cylinder(0.080, 0.15, _GREY, -0.02),
        _bar(0.0, 0.075, 0.05, 0.010, _DARK, 'x'),
        _bar(0.095, 0.0, 0.02, 0.012, _GREY, 'z'),
    ),
    'pot': (
        _cylinder(0.100, 0.11, (0.35, 0.35, 0.4)),
        _bar(0.0, 0.03, 0.105, 0.012, _DARK, 'x'),
    ),
    'tea box': (_block(0.13, 0.08, 0.075, (0.5, 0.2, 0.6)),),
    'salt shaker': (
        _cylinder(0.024, 0.08, (0.9, 0.9, 0.9), -0.01),
        _cylinder(0.025, 0.02, _DARK, 0.04),
    ),
    'cutting board': (_block(0.18, 0.12, 0.02, (0.7, 0.5, 0.3)),),
}
"""Shapes by label; each is centred on its body's origin."""

LABELS = tuple(KINDS)
_PAIRED = ('mug', 'can', 'bowl', 'jar', 'glass')


@dataclass(frozen=True)
class ObjectSpec:
    """
    One graspable object.

    Parameters
    ----------
    object_id : str
        Unique, e.g. ``mug_2``.
    label : str
        Its kind.
    primitives : tuple of Primitive
        Shapes, centred on the origin.

    """

    object_id: str
    label: str
    primitives: tuple[Primitive, ...]

    @property
    def half_size(self) -> Vec3:
        """Half extents of the smallest box about the origin that holds all shapes, metres."""
        reach = [np.abs(p.position) + p.half_extents for p in self.primitives]
        return vec3(np.max(reach, axis=0))

    @property
    def radius(self) -> float:
        """Radius of the circle about the upright axis that holds it, metres."""
        x, y, _ = self.half_size
        if all(p.kind in ('cylinder', 'sphere') for p in self.primitives):
            return max(x, y)
        return float(np.hypot(x, y)) if self.primitives[0].kind == 'box' else max(x, y)


def choose_objects(
    num_objects: int, num_pairs: int, rng: np.random.Generator
) -> tuple[ObjectSpec, ...]:
    """
    Choose what the kitchen holds.

    Parameters
    ----------
    num_objects : int
        How many things.
    num_pairs : int
        How many kinds exist twice.
    rng : numpy.random.Generator
        The layout stream.

    Returns
    -------
    tuple of ObjectSpec
        Ordered by id; no kind exists more than twice.

    """
    paired = [str(k) for k in rng.choice(_PAIRED, size=num_pairs, replace=False)]
    singles = [k for k in LABELS if k not in paired]
    rest = [str(k) for k in rng.permutation(singles)][: num_objects - 2 * num_pairs]
    out = []
    for label in sorted(paired + rest):
        for number in (1, 2) if label in paired else (1,):
            object_id = f'{label.replace(" ", "_")}_{number}'
            out.append(ObjectSpec(object_id, label, KINDS[label]))
    return tuple(out)

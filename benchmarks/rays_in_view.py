"""How many rays a second the ray caster tests, beside Embree alone on arrays made before."""

from __future__ import annotations

import statistics

import numpy as np

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.kitchen_mesh import HIGH, LOW, POSE
from benchmarks.looks import Boxes, Place, place
from benchmarks.sampling import alternate, seconds_of

__all__ = ['RAYS_10K_IN_VIEW', 'boxes_in_view', 'compare']

_OBJECTS, _ROUNDS, _WARM_UPS = 10_000, 40, 3
_DRAWS_A_BOX = 4
_SEED = 3
_TOLERANCE_M, _TOLERANCE_SHARE = 0.03, 0.02
# A hit just at the end of a ray may count for one and not for the other.
_MAX_DIFFERING_SHARE = 1e-4


def compare(count: int, where: Place, rounds: int) -> Measured:
    """
    Cast the rays to every point in view of so many objects in view.

    Returns
    -------
    Measured
        Million rays a second. ``details``: the same for the nearest hit of each ray.

    """
    rays = where.rays(boxes_in_view(count, where))
    tolerance = np.maximum(_TOLERANCE_M, _TOLERANCE_SHARE * rays.lengths)
    eye, ends = POSE.translation, POSE.translation + rays.offsets
    origins, directions, _ = rays.prepared
    reach = (rays.lengths - tolerance).astype(np.float32)
    caster, bare = where.caster, where.culler.scene
    differing = caster.any_hits(eye, ends, tolerance) != bare.blocked(origins, directions, reach)
    if differing.mean() > _MAX_DIFFERING_SHARE:
        raise MeasuringError(f'{differing.sum()} of {len(ends)} rays differ from the reference')
    per_s = len(ends) / 1e6
    nearest: list[float] = []
    bare_nearest: list[float] = []

    def value() -> float:
        nearest.append(seconds_of(lambda: caster.first_hits(eye, ends, tolerance)))
        return per_s / seconds_of(lambda: caster.any_hits(eye, ends, tolerance))

    def reference() -> float:
        bare_nearest.append(
            seconds_of(lambda: bare.run_at_once(origins, directions, reach, 'INTERSECT'))
        )
        return per_s / seconds_of(lambda: bare.run_at_once(origins, directions, reach))

    measured = alternate(value, reference, rounds, _WARM_UPS)
    first, bare_first = statistics.median(nearest), statistics.median(bare_nearest)
    return measured._replace(
        details={
            'rays': float(len(ends)),
            'nearest_mrays_per_s': per_s / first,
            'nearest_ratio': bare_first / first,
        }
    )


def boxes_in_view(count: int, where: Place) -> Boxes:
    """Draw boxes that are all in view."""
    rng = np.random.default_rng(_SEED)
    num_drawn = _DRAWS_A_BOX * count
    drawn = Boxes(rng.uniform(LOW, HIGH, (num_drawn, 3)), rng.uniform(0.05, 0.25, (num_drawn, 3)))
    seen = where.culler.look(drawn.arrays, POSE.rotation, POSE.translation).in_view[:count]
    if len(seen) < count:
        raise MeasuringError(f'only {len(seen)} of {num_drawn} boxes are in view')
    return Boxes(drawn.centres[seen], drawn.sizes[seen])


RAYS_10K_IN_VIEW = Figure(
    name='rays_10k_in_view',
    unit='Mrays/s',
    reference='Embree alone, any hit, one call, on arrays made before',
    measure=lambda: compare(_OBJECTS, place(), _ROUNDS),
    goal=Goal('ratio', '>=', 0.8),
)

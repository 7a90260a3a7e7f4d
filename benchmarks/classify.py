"""How long remembered objects take to be judged, beside bare numpy and Embree."""

from __future__ import annotations

from functools import partial
import statistics
from typing import NamedTuple

import numpy as np

from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.kitchen_mesh import POSE
from benchmarks.looks import Place, place
from benchmarks.reference.cull_and_cast import Seen
from benchmarks.sampling import alternate, settled_seconds_of
from st_memory.core.records import Visibility
from st_memory.core.visibility import classify, preset_named, Targets, Verdicts

__all__ = ['CLASSIFY', 'calibrated', 'check_agreement', 'compare']

_WARM_UPS = 3
# The two compute in float64 and float32 differently: a point on an edge may fall either way.
_MAX_DIFFERING_SHARE = 0.002
_MAX_SLOWER_THAN_LAB = 1.5


class _Size(NamedTuple):
    """How often to look, and what the laboratory measured: the look, and rays alone."""

    rounds: int
    lab_ms: float
    lab_rays_per_s: float


_SIZES = {
    1_000: _Size(300, 0.12, 10.8e6),
    10_000: _Size(60, 1.0, 8.4e6),
    100_000: _Size(15, 12.7, 5.7e6),
}


def compare(count: int, *, name_occluders: bool, where: Place, rounds: int) -> Measured:
    """
    Look at so many boxes, we and the reference in turn.

    Parameters
    ----------
    count : int
        Boxes; 7.4 % of them are in view.
    name_occluders : bool
        We also say what hides each; the reference never does.
    where : Place
        Where they are.
    rounds : int
        Looks that count.

    Returns
    -------
    Measured
        Milliseconds. ``details``: how fast Embree alone cast the same rays in the same run.

    """
    boxes = where.boxes(count)
    arrays, preset, fixtures = boxes.arrays, preset_named('live'), ('',) * count

    def look() -> Verdicts:
        # As the fold does it: targets are made anew for a frame, from arrays that are kept.
        targets = Targets(boxes.centres, boxes.sizes, fixtures, None, arrays.radii)
        return classify(targets, where.frame, preset, where.caster, name_occluders=name_occluders)

    rays = where.rays(boxes).prepared
    bare_s: list[float] = []

    def theirs() -> Seen:
        return where.culler.look(arrays, POSE.rotation, POSE.translation)

    def reference_ms() -> float:
        bare_s.append(settled_seconds_of(lambda: where.culler.scene.run_at_once(*rays)))
        return settled_seconds_of(theirs) * 1e3

    check_agreement(look(), theirs(), count)
    measured = alternate(lambda: settled_seconds_of(look) * 1e3, reference_ms, rounds, _WARM_UPS)
    rays_per_s = len(rays[0]) / statistics.median(bare_s[_WARM_UPS:])
    return measured._replace(details={'rays_per_s': rays_per_s})


def calibrated(count: int, measured: Measured) -> Measured:
    """Add what the reference would take where the laboratory measured, judged by rays alone."""
    size = _SIZES[count]
    speed = (measured.details or {})['rays_per_s'] / size.lab_rays_per_s
    reference_ms = measured.reference_value * speed
    return measured._replace(
        details={
            **(measured.details or {}),
            'lab_rays_per_s': size.lab_rays_per_s,
            'reference_at_lab_speed_ms': reference_ms,
            'lab_ms': size.lab_ms,
            'reference_is_as_fast_as_labs': reference_ms <= _MAX_SLOWER_THAN_LAB * size.lab_ms,
        }
    )


def check_agreement(verdicts: Verdicts, seen: Seen, count: int) -> None:
    """Make sure that both did the same work."""
    expected = np.full(count, Visibility.OUT_OF_VIEW, dtype=np.int8)
    expected[seen.in_view] = np.where(seen.hidden, Visibility.OCCLUDED, Visibility.VISIBLE)
    differing = int((verdicts.geometry != expected).sum())
    if differing > max(2, _MAX_DIFFERING_SHARE * len(seen.in_view)):
        raise MeasuringError(f'the reference judges {differing} of {count} objects differently')


def _measure(count: int, *, name_occluders: bool) -> Measured:
    return calibrated(
        count,
        compare(count, name_occluders=name_occluders, where=place(), rounds=_SIZES[count].rounds),
    )


def _figure(count: int, *, name_occluders: bool) -> Figure:
    return Figure(
        name=f'classify_{count // 1000}k{"_ids" if name_occluders else ""}',
        unit='ms',
        reference='bare numpy and Embree: spheres and nine points culled, rays in batches',
        measure=partial(_measure, count, name_occluders=name_occluders),
        goal=Goal('ratio', '<=', 2.0 if name_occluders else 1.3),
    )


CLASSIFY = tuple(
    _figure(count, name_occluders=name_occluders)
    for name_occluders in (False, True)
    for count in _SIZES
)

"""Where the geometry of a block of kitchens is wrong: a table, and the worst cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
import math
from typing import Any

from st_memory.benchmark.kitchen_visibility_rows import Look, Truth

__all__ = ['confusion', 'worst_cases']

_MAX_CASES = 20


def confusion(looks: Iterable[Look]) -> dict[str, dict[str, int]]:
    """Count counted looks by true share and by geometry."""
    table: dict[str, Counter[str]] = {
        name: Counter() for name in ('below_0.1', '0.1_to_0.5', '0.5_to_0.9', 'above_0.9')
    }
    for truth, said in looks:
        if said is not None:
            table[_band(truth)][said.geometry] += 1
    return {name: dict(sorted(row.items())) for name, row in table.items()}


def _band(truth: Truth) -> str:
    if truth.is_clear:
        return 'above_0.9' if truth.is_whole else 'below_0.1'
    return '0.5_to_0.9' if truth.is_visible else '0.1_to_0.5'


def worst_cases(wrong: Sequence[Look]) -> list[dict[str, Any]]:
    """
    Sum up the looks at which geometry is wrong: what most are alike in comes first.

    Looks are alike that show the same object with the same verdict, occluders and clearness;
    the numbers are those of the first of them.
    """
    groups: dict[tuple[Any, ...], list[Look]] = {}
    for look in wrong:
        if look.said is not None:
            key = (
                look.truth.object_id,
                look.truth.is_clear,
                look.said.geometry,
                look.said.occluder,
                look.truth.occluder,
            )
            groups.setdefault(key, []).append(look)
    ranked = sorted(groups.items(), key=lambda item: (not item[0][1], -len(item[1]), item[0][0]))
    return [_case(looks) for _, looks in ranked[:_MAX_CASES]]


def _case(looks: list[Look]) -> dict[str, Any]:
    truth, said = looks[0]
    if said is None:
        raise ValueError('worst_cases: expected looks with a prediction')
    return {
        'object_id': truth.object_id,
        'looks': len(looks),
        'is_clear': truth.is_clear,
        'first_stamp_ns': truth.stamp_ns,
        'last_stamp_ns': looks[-1].truth.stamp_ns,
        'share': truth.share,
        'unoccluded_px': truth.unoccluded_px,
        'container': truth.container,
        'container_open': truth.container_open,
        'true_occluder': truth.occluder,
        'geometry': said.geometry,
        'state': said.state,
        'occluder': said.occluder,
        'blocked_fraction': _number(said.blocked_fraction),
        'gap_m': _number(looks[0].gap_m),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value

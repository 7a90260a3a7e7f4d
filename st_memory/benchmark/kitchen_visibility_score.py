"""
Figures of one block of kitchens: geometry and fused state against pixels.

What each means is said once, in :mod:`st_memory.benchmark.kitchen_visibility`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from st_memory.benchmark.kitchen_visibility_absence import false_absences, true_absences
from st_memory.benchmark.kitchen_visibility_details import confusion, worst_cases
from st_memory.benchmark.kitchen_visibility_rows import Block, Look, MIN_PX, Said, Truth
from st_memory.core.records import Visibility

__all__ = ['MOVING_PARTS', 'score_block']

MOVING_PARTS = ('door', 'tray')
"""What the parts of a kitchen's fixtures that move are called."""

_VISIBLE = Visibility.VISIBLE.name
_OCCLUDED = Visibility.OCCLUDED.name
_AMBIGUOUS = Visibility.AMBIGUOUS_FIXTURE.name
_SEEN = (_VISIBLE, Visibility.IN_MOTION.name)
_SHUT_BELOW = 0.1


class _Case(NamedTuple):
    """A look with a prediction."""

    truth: Truth
    said: Said

    @property
    def is_right(self) -> bool:
        return (self.said.geometry == _VISIBLE) == self.truth.is_visible


def score_block(block: Block) -> tuple[dict[str, Any], dict[str, Any]]:
    """
    Give the figures of a block, and its details.

    A share of nothing is None.
    """
    cases = [_Case(t, said) for t, said in block.looks if said is not None and t.is_counted]
    clear = [c for c in cases if c.truth.is_clear]
    border = [c for c in cases if not c.truth.is_clear]
    figures = {
        'cases': len(cases),
        'all_accuracy': _share(c.is_right for c in cases),
        'clear_cases': len(clear),
        'clear_cases_accuracy': _share(c.is_right for c in clear),
        'border_cases': len(border),
        'border_accuracy': _share(c.is_right for c in border),
        'not_yet_known': sum(t.is_counted and said is None for t, said in block.looks),
        'not_in_truth': block.not_in_truth,
        'fused_agreement': _fused(cases, (_VISIBLE,)),
        'fused_agreement_with_in_motion': _fused(cases, _SEEN),
        'door_false_occlusions': sum(map(_is_door_error, cases)),
        'ambiguous': _ambiguous(block.looks, cases),
        'hidden_in_closed_container': dict(sorted(_hidden(cases).items())),
        **false_absences(block.looks),
        'true_absent_recall': true_absences(block.looks),
    }
    wrong = [Look(*c) for c in cases if not c.is_right]
    return figures, {
        'confusion': confusion(Look(*c) for c in cases),
        'worst_cases': worst_cases(wrong),
    }


def _fused(cases: list[_Case], seen: tuple[str, ...]) -> float | None:
    return _share((c.said.state in seen) == (c.truth.visible_px >= MIN_PX) for c in cases)


def _is_door_error(case: _Case) -> bool:
    moves = case.said.occluder.rpartition('/')[2] in MOVING_PARTS
    return case.said.geometry == _OCCLUDED and moves and case.truth.is_whole


def _ambiguous(looks: list[Look], cases: list[_Case]) -> dict[str, Any]:
    def named(some: Iterable[_Case]) -> dict[str, Any]:
        right = [_is_named(c) for c in some if c.said.geometry == _AMBIGUOUS]
        return {'named_correctly': sum(right), 'total': len(right), 'share': _share(right)}

    lying = (
        _Case(t, said) for t, said in looks if said is not None and t.present and not t.in_hand
    )
    return {**named(cases), 'anywhere': named(lying)}


def _hidden(cases: list[_Case]) -> Counter[str]:
    counts = Counter[str]()
    for case in cases:
        truth = case.truth
        if truth.container and truth.container_open < _SHUT_BELOW and truth.is_hidden:
            name = case.said.geometry
            if name == _AMBIGUOUS:
                name += '_named' if _is_named(case) else '_misnamed'
            counts[name] += 1
    return counts


def _is_named(case: _Case) -> bool:
    """Whether the fixture it names is the one that holds the object."""
    return case.said.fixture == case.truth.container != ''


def _share(values: Iterable[bool]) -> float | None:
    flags = list(values)
    return sum(flags) / len(flags) if flags else None

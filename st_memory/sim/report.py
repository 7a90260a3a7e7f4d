"""How hard a kitchen is, counted while it is rendered, and whether it is hard enough."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from st_memory.sim.happenings import Happening
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.truth import FrameTruth

__all__ = ['FLOORS', 'MIN_COUNTED_PX', 'Difficulty', 'DifficultyCounter', 'KitchenReport']

MIN_COUNTED_PX = 30
"""Unoccluded pixels from which an object-frame counts."""

_OCCLUDED_BELOW = 0.5

FLOORS: dict[str, tuple[str, float]] = {
    'occluded_share': ('>=', 0.20),
    'events_per_minute': ('>=', 6.0),
    'same_kind_pairs': ('>=', 2.0),
    'moving_door_share': ('>=', 0.10),
    'median_box_px_at_320': ('<=', 40.0),
}
"""What every kitchen must reach."""


@dataclass(frozen=True)
class Difficulty:
    """
    What makes a kitchen hard.

    Parameters
    ----------
    object_frames : int
        Counted object-frames: not in hand, wholly in the image, at least
        :data:`MIN_COUNTED_PX` unoccluded pixels.
    occluded_share : float
        Share of them with less than half of those pixels visible.
    clear_share : float
        Share of them with less than 10 % or more than 90 % visible.
    events_per_minute : float
        Events of all types but ``movement``, which repeats them.
    moves_per_minute : float
        Completed movements.
    same_kind_pairs : int
        Kinds that exist twice.
    moving_door_share : float
        Share of images in which a door or drawer moves.
    moving_door_seen_share : float
        Share of images in which one moves and shows.
    median_box_px : float
        Median over detectable object-frames, not in hand, of the longer side of the visible box,
        pixels.
    median_box_px_at_320 : float
        The same scaled to an image width of 320 pixels.
    carried_out_of_view : int
        Images in which something is carried and none of it shows.
    events : dict of str to int
        Events by type.

    """

    object_frames: int
    occluded_share: float
    clear_share: float
    events_per_minute: float
    moves_per_minute: float
    same_kind_pairs: int
    moving_door_share: float
    moving_door_seen_share: float
    median_box_px: float
    median_box_px_at_320: float
    carried_out_of_view: int
    events: dict[str, int]

    def unmet_floors(self) -> tuple[str, ...]:
        """Name the floors that are not reached, each with its value."""
        out = []
        for name, (sign, bound) in FLOORS.items():
            value = float(getattr(self, name))
            if value < bound if sign == '>=' else value > bound:
                out.append(f'{name} {value:.3g}, expected {sign} {bound:g}')
        return tuple(out)


@dataclass(frozen=True)
class KitchenReport:
    """
    What was rendered.

    Parameters
    ----------
    spec : KitchenSpec
        What was asked for.
    difficulty : Difficulty
        How hard it is.
    num_ticks, num_images : int
        Pose and image stamps written.
    objects : tuple of dict
        Per object: object_id, label, size_m (extents of its box, metres).

    """

    spec: KitchenSpec
    difficulty: Difficulty
    num_ticks: int
    num_images: int
    objects: tuple[dict[str, Any], ...]

    @property
    def meets_floors(self) -> bool:
        """Whether it is as hard as every kitchen must be."""
        return not self.difficulty.unmet_floors()

    def to_json(self) -> dict[str, Any]:
        """Give everything as JSON values."""
        return {
            'spec': self.spec.to_json(),
            'difficulty': asdict(self.difficulty),
            'meets_floors': self.meets_floors,
            'unmet_floors': list(self.difficulty.unmet_floors()),
            'num_ticks': self.num_ticks,
            'num_images': self.num_images,
            'objects': list(self.objects),
        }


class DifficultyCounter:
    """
    Counts in constant memory.

    Parameters
    ----------
    spec : KitchenSpec
        Image size, duration, detection threshold.

    """

    def __init__(self, spec: KitchenSpec) -> None:
        self._spec = spec
        self._images = self._counted = self._occluded = self._clear = 0
        self._door_moves = self._door_seen = self._carried_unseen = 0
        self._sides = np.zeros(max(spec.width, spec.height) + 1, dtype=np.int64)
        self._events: Counter[str] = Counter()

    def add_image(self, truth: FrameTruth, moving_parts: set[str]) -> None:
        """Count one image; ``moving_parts`` are the parts that move at its stamp."""
        self._images += 1
        self._door_moves += bool(moving_parts)
        self._door_seen += any(name in truth.boxes for name in moving_parts)
        self._carried_unseen += any(o.in_hand and o.visible_px == 0 for o in truth.objects)
        for o in truth.objects:
            if o.in_hand:
                continue
            if o.box_px is not None and o.visible_px >= self._spec.min_detection_px:
                self._sides[round(max(o.box_px[2:]))] += 1
            if not o.box_in_image or o.unoccluded_px < MIN_COUNTED_PX:
                continue
            share = o.visible_px / o.unoccluded_px
            self._counted += 1
            self._occluded += share < _OCCLUDED_BELOW
            self._clear += share < 0.1 or share > 0.9

    def add_event(self, happening: Happening) -> None:
        """Count one completed event."""
        self._events[happening.event_type] += 1

    def result(self, same_kind_pairs: int) -> Difficulty:
        """Sum up."""
        minutes = self._spec.num_ticks / 30 / 60
        median = _median_of(self._sides)
        counted, images = max(1, self._counted), max(1, self._images)
        moves = self._events['movement']
        return Difficulty(
            object_frames=self._counted,
            occluded_share=self._occluded / counted,
            clear_share=self._clear / counted,
            events_per_minute=(self._events.total() - moves) / minutes,
            moves_per_minute=moves / minutes,
            same_kind_pairs=same_kind_pairs,
            moving_door_share=self._door_moves / images,
            moving_door_seen_share=self._door_seen / images,
            median_box_px=median,
            median_box_px_at_320=median * 320 / self._spec.width,
            carried_out_of_view=self._carried_unseen,
            events=dict(sorted(self._events.items())),
        )


def _median_of(histogram: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """Median of whole numbers given by how often each occurs; 0 when there are none."""
    total = int(histogram.sum())
    if total == 0:
        return 0.0
    cumulative = np.cumsum(histogram)
    return float(np.searchsorted(cumulative, (total + 1) // 2))

"""What the looks of things say to a match by class and place: for, against, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import likeness, Measurement, UNREACHABLE
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track

__all__ = ['Recognition', 'is_told_apart', 'looks_apart', 'recognise']

Array = NDArray[np.float64]
Rows = NDArray[np.intp]


class Recognition:
    """
    Likeness of some tracks and measurements.

    Parameters
    ----------
    like : (N, M) float64
        Cosines; NaN where one of the two has no looks, or the pair cannot be one thing.
    settings : MemorySettings
        What is alike.

    """

    def __init__(self, like: Array, settings: MemorySettings) -> None:
        unknown = np.isnan(like)
        filled = np.where(unknown, -np.inf, like)
        # Whoever looks most like a thing among all that is detected is a rival for its place.
        is_best = filled >= filled.max(axis=1, keepdims=True)
        of_rival = np.where(is_best & ~unknown, filled, -np.inf).max(axis=0)
        is_another = (of_rival >= settings.appearance_same) & (
            like <= of_rival - settings.appearance_margin
        )
        self._refused = ~unknown & ((like < settings.appearance_other) | is_another)
        # A thing of which nobody knows the looks is as good as one that is just alike.
        known = np.where(unknown, settings.appearance_same, like)
        self._gaps = (1.0 - known) / settings.appearance_margin
        self._gaps[:, unknown.all(axis=0)] = 0.0

    def weigh(self, costs: Array, rows: Rows, columns: Rows, worth: float) -> Array:
        """
        Add to costs what the looks cost, and take out what they refuse.

        Parameters
        ----------
        costs : (R, C) float64
            Of some rows and columns.
        rows, columns : (R,), (C,) int
            Which ones.
        worth : float
            What a difference of ``appearance_margin`` is worth, in the unit of the costs.

        """
        part = np.ix_(rows, columns)
        weighed: Array = np.where(
            self._refused[part], UNREACHABLE, costs + worth * self._gaps[part]
        )
        return weighed


def recognise(
    tracks: Sequence[Track],
    seen: Sequence[Measurement],
    near: NDArray[np.bool_],
    settings: MemorySettings,
) -> Recognition | None:
    """
    Compare looks of what has one class, or is at one place; None where there is nothing to.

    Parameters
    ----------
    tracks, seen
        N tracks and M measurements.
    near : (N, M) bool
        Which measurements are where a track rests.
    settings : MemorySettings
        What is alike.

    """
    if all(m.appearance is None for m in seen):
        return None
    like = np.full(near.shape, np.nan)
    for row, track in enumerate(tracks):
        if not track.appearance:
            continue
        for column, m in enumerate(seen):
            if near[row, column] or m.detection.label in track.label_votes:
                cosine = likeness(track.appearance, m.appearance)
                like[row, column] = np.nan if cosine is None else cosine
    return None if np.isnan(like).all() else Recognition(like, settings)


def looks_apart(a: Track, b: Track, settings: MemorySettings) -> bool:
    """Whether two tracks clearly are two things by their looks."""
    cosine = likeness(a.appearance, b.appearance)
    return cosine is not None and cosine < settings.appearance_other


def is_told_apart(track: Track, rival: Track, found: Track, settings: MemorySettings) -> bool:
    """Whether what was found looks like a track, and clearly less like its rival."""
    own, other = (likeness(t.appearance, found.appearance) for t in (track, rival))
    if own is None or other is None or own < settings.appearance_same:
        return False
    return other <= own - settings.appearance_margin

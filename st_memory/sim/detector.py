"""A detector that makes the mistakes of one: from true boxes to what is written down."""

from __future__ import annotations

from collections.abc import Sequence
import math

import numpy as np

from st_memory.core.records import Detection
from st_memory.core.records.detections import BoxPx
from st_memory.sim.catalog import LABELS
from st_memory.sim.noise import NoiseSettings
from st_memory.sim.truth import ObjectTruth

__all__ = ['NoisyDetector']

# Where the score of a detection without noise comes from: pixels seen and share of the outline.
_BASE_SCORE, _SCORE_RANGE, _PX_SCALE = 0.45, 0.5, 120.0


class NoisyDetector:
    """
    Turns the truth of one image into detections.

    A thing can be detected only when it has at least ``min_px`` visible pixels. The score grows
    with the visible pixels and the visible share; false positives score low.

    Parameters
    ----------
    settings : NoiseSettings
        Rates and sigmas.
    width, height : int
        Image size, pixels.
    min_px : int
        Fewest visible pixels.
    oracle_ids : bool
        Whether detections carry the true object id.
    rng : numpy.random.Generator
        The detector stream.

    """

    def __init__(
        self,
        settings: NoiseSettings,
        width: int,
        height: int,
        min_px: int,
        *,
        oracle_ids: bool,
        rng: np.random.Generator,
    ) -> None:
        self._settings, self._min_px = settings, min_px
        self._width, self._height = width, height
        self._oracle_ids, self._rng = oracle_ids, rng

    def detect(self, objects: Sequence[ObjectTruth]) -> list[Detection]:
        """
        Detect in one image.

        Parameters
        ----------
        objects : sequence of ObjectTruth
            Everything that exists, whatever is visible of it.

        Returns
        -------
        list of Detection
            In random order when there is noise, so that the order tells nothing.

        """
        s, rng = self._settings, self._rng
        out = []
        for truth in objects:
            if truth.box_px is None or truth.visible_px < self._min_px:
                continue
            if rng.random() < s.miss_rate:
                continue
            box = self._jitter(truth.box_px)
            if box is not None:
                out.append(
                    Detection(
                        label=self._label(truth.label),
                        score=self._score(truth),
                        track_id=truth.object_id if self._oracle_ids else '',
                        box_px=box,
                    )
                )
        for _ in range(int(rng.poisson(s.false_positives_per_frame))):
            out.append(self._invent())
        if s == NoiseSettings() and self._oracle_ids:
            return out
        return [out[i] for i in rng.permutation(len(out))]

    def _label(self, label: str) -> str:
        if self._rng.random() >= self._settings.label_confusion:
            return label
        others = [name for name in LABELS if name != label]
        return others[int(self._rng.integers(len(others)))]

    def _score(self, truth: ObjectTruth) -> float:
        share = truth.visible_px / max(truth.visible_px, truth.unoccluded_px)
        seen = 1.0 - math.exp(-truth.visible_px / _PX_SCALE)
        score = _BASE_SCORE + _SCORE_RANGE * seen * math.sqrt(share)
        score += self._settings.score_sigma * float(self._rng.standard_normal())
        return min(0.99, max(0.05, score))

    def _jitter(self, box: BoxPx) -> BoxPx | None:
        """Move each side of a box; None when nothing of it is left in the image."""
        s = self._settings
        x, y, w, h = box
        if s.box_jitter_rel == 0.0 and s.box_jitter_min_px == 0.0:
            return box
        sigma_x = max(s.box_jitter_min_px, s.box_jitter_rel * w)
        sigma_y = max(s.box_jitter_min_px, s.box_jitter_rel * h)
        n = self._rng.standard_normal(4)
        u0, u1 = sorted((x + sigma_x * n[0], x + w + sigma_x * n[1]))
        v0, v1 = sorted((y + sigma_y * n[2], y + h + sigma_y * n[3]))
        return self._clip(u0, v0, max(u1, u0 + 1.0), max(v1, v0 + 1.0))

    def _clip(self, u0: float, v0: float, u1: float, v1: float) -> BoxPx | None:
        u0, v0 = max(-0.5, u0), max(-0.5, v0)
        u1, v1 = min(self._width - 0.5, u1), min(self._height - 0.5, v1)
        if u1 - u0 < 0.5 or v1 - v0 < 0.5:
            return None
        return float(u0), float(v0), float(u1 - u0), float(v1 - v0)

    def _invent(self) -> Detection:
        """Make up a detection of something that is not there."""
        rng = self._rng
        w, h = np.exp(rng.normal(math.log(self._width / 20), 0.4, 2)) + 2.0
        w, h = min(float(w), self._width / 2), min(float(h), self._height / 2)
        u = float(rng.uniform(-0.5, self._width - 0.5 - w))
        v = float(rng.uniform(-0.5, self._height - 0.5 - h))
        label = LABELS[int(rng.integers(len(LABELS)))]
        score = 0.05 + 0.6 * float(rng.beta(2.0, 4.0))
        return Detection(label=label, score=score, box_px=(u, v, w, h))

"""Rules of the noisy detector."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.records import Detection
from st_memory.core.records.detections import BoxPx
from st_memory.sim.detector import NoisyDetector
from st_memory.sim.noise import NOISE_PRESETS, NoiseSettings
from st_memory.sim.truth import ObjectTruth


def thing(
    object_id: str = 'mug_1', *, visible_px: int = 200, unoccluded_px: int = 200,
    box_px: BoxPx | None = (99.5, 49.5, 40.0, 20.0),
) -> ObjectTruth:  # fmt: skip
    return ObjectTruth(
        object_id=object_id, label='mug', visible_px=visible_px, unoccluded_px=unoccluded_px,
        box_in_image=True, box_px=box_px, occluder='', is_present=True, in_hand=False,
        container='', fixture='table_1', openness=1.0, position=(0.0, 0.0, 0.0),
        quat_xyzw=(0.0, 0.0, 0.0, 1.0),
    )  # fmt: skip


def detector(settings: NoiseSettings, *, oracle_ids: bool = False, seed: int = 0) -> NoisyDetector:
    return NoisyDetector(
        settings, 320, 240, 30, oracle_ids=oracle_ids, rng=np.random.default_rng(seed)
    )


def many(settings: NoiseSettings, truth: ObjectTruth, count: int) -> list[Detection]:
    d = detector(settings)
    return [found for _ in range(count) for found in d.detect([truth])]


def test_clean_detector_gives_the_exact_box_without_id() -> None:
    (found,) = detector(NoiseSettings()).detect([thing()])
    assert found.box_px == (99.5, 49.5, 40.0, 20.0)
    assert (found.label, found.track_id) == ('mug', '')


def test_oracle_ids_are_given_only_when_asked_for() -> None:
    (found,) = detector(NoiseSettings(), oracle_ids=True).detect([thing('mug_2')])
    assert found.track_id == 'mug_2'


def test_standard_detections_carry_no_id() -> None:
    assert {f.track_id for f in many(NOISE_PRESETS['standard'], thing(), 200)} == {''}


@pytest.mark.parametrize(('visible_px', 'count'), [(29, 0), (30, 1)])
def test_thing_below_the_pixel_threshold_is_not_detected(visible_px: int, count: int) -> None:
    assert len(detector(NoiseSettings()).detect([thing(visible_px=visible_px)])) == count


def test_hidden_thing_is_not_detected() -> None:
    assert detector(NoiseSettings()).detect([thing(visible_px=0, box_px=None)]) == []


def test_miss_rate_is_the_share_of_missing_detections() -> None:
    found = many(NoiseSettings(miss_rate=0.2), thing(), 5000)
    assert len(found) / 5000 == pytest.approx(0.8, abs=0.02)


def test_false_positives_come_at_their_rate_inside_the_image_and_score_low() -> None:
    d = detector(NoiseSettings(false_positives_per_frame=0.2))
    found = [f for _ in range(5000) for f in d.detect([])]
    assert len(found) / 5000 == pytest.approx(0.2, abs=0.02)
    boxes = np.array([f.box_px for f in found])
    assert (boxes[:, :2] >= -0.5).all()
    assert (boxes[:, 0] + boxes[:, 2] <= 319.5).all()
    assert (boxes[:, 1] + boxes[:, 3] <= 239.5).all()
    assert np.mean([f.score for f in found]) < 0.4


def test_label_confusion_is_the_share_of_wrong_labels() -> None:
    found = many(NoiseSettings(label_confusion=0.03), thing(), 10_000)
    assert np.mean([f.label != 'mug' for f in found]) == pytest.approx(0.03, abs=0.006)


def test_box_jitter_is_a_share_of_the_size_but_at_least_a_pixel() -> None:
    settings = NoiseSettings(box_jitter_rel=0.05, box_jitter_min_px=1.0)
    boxes = np.array([f.box_px for f in many(settings, thing(), 4000)])
    # Width 40: 5 % = 2 px. Height 20: 5 % = 1 px, the least.
    assert boxes[:, 0].std() == pytest.approx(2.0, rel=0.05)
    assert boxes[:, 1].std() == pytest.approx(1.0, rel=0.05)
    assert (boxes[:, 0] + boxes[:, 2]).std() == pytest.approx(2.0, rel=0.05)
    small = thing(box_px=(99.5, 49.5, 8.0, 8.0))
    boxes = np.array([f.box_px for f in many(settings, small, 4000)])
    assert boxes[:, 0].std() == pytest.approx(1.0, rel=0.05)


def test_jittered_boxes_stay_inside_the_image_with_positive_size() -> None:
    corner = thing(box_px=(-0.5, -0.5, 3.0, 3.0))
    boxes = np.array([f.box_px for f in many(NOISE_PRESETS['standard'], corner, 2000)])
    assert (boxes[:, :2] >= -0.5).all()
    assert (boxes[:, 2:] > 0).all()


def test_score_grows_with_visible_pixels_and_visible_share() -> None:
    clean = detector(NoiseSettings())
    large, small, hidden = (
        clean.detect([thing(visible_px=v, unoccluded_px=u)])[0].score
        for v, u in ((400, 400), (40, 40), (40, 400))
    )
    assert large > small > hidden


def test_order_of_noisy_detections_tells_nothing() -> None:
    d = detector(NoiseSettings(), seed=3)
    boxes = [(float(i), 0.0, 10.0, 10.0) for i in range(6)]
    things = [thing(f'mug_{i}', box_px=b) for i, b in enumerate(boxes)]
    firsts = {d.detect(things)[0].box_px for _ in range(60)}
    assert len(firsts) > 3

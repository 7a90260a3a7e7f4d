"""Detections of one image are located together, and each as if it were alone."""

from __future__ import annotations

import numpy as np

from st_memory.core.association import localize, localize_all
from st_memory.core.records import CameraFrame, Detection
from test.scenarios.synthetic import CAMERA, looking

SIGMAS = {'depth_sigma_share': 0.02, 'pose_sigma_rad': 0.02, 'pose_sigma_m': 0.01}


def _frame(with_depth: bool = True) -> CameraFrame:
    depth = np.random.default_rng(3).uniform(1.0, 3.0, (CAMERA.height, CAMERA.width))
    depth[:40] = np.nan
    return CameraFrame(
        'cam', CAMERA, looking(), depth_m=depth.astype(np.float32) if with_depth else None
    )


def _detections() -> list[tuple[int, Detection]]:
    boxes = np.random.default_rng(4).uniform((0, 0, 4, 4), (120, 80, 40, 30), (30, 4)).tolist()
    found = [Detection(f'thing {i}', 0.9, box_px=tuple(box)) for i, box in enumerate(boxes)]
    found[7] = Detection('told', 0.9, camera_p=(0.1, 0.2, 1.5), size_m=(0.1, 0.1, 0.2))
    found[9] = Detection('of no box', 0.9)
    return [(3 * i, detection) for i, detection in enumerate(found)]


def test_each_is_where_it_is_alone_to_the_last_bit() -> None:
    frame = _frame()
    together = localize_all(frame, looking(), _detections(), **SIGMAS)
    assert len(together) == 30
    assert sum(m is None for m in together) > 1  # some boxes have no depth, and one is none
    assert sum(m is not None for m in together) > 15
    for (index, detection), m in zip(_detections(), together, strict=True):
        alone = localize(frame, looking(), detection, index, **SIGMAS)
        assert (alone is None) == (m is None)
        if alone is None or m is None:
            continue
        assert (m.index, m.detection) == (index, detection)
        for name in ('camera_p', 'world_p', 'world_ray', 'size_m'):
            np.testing.assert_array_equal(getattr(m, name), getattr(alone, name))
        assert (m.ray_sigma_m, m.lateral_sigma_m) == (alone.ray_sigma_m, alone.lateral_sigma_m)


def test_nothing_is_located_of_nothing() -> None:
    assert localize_all(_frame(), looking(), [], **SIGMAS) == []


def test_without_depth_only_what_was_told_has_a_place() -> None:
    located = localize_all(_frame(with_depth=False), looking(), _detections(), **SIGMAS)
    assert [m.detection.label for m in located if m is not None] == ['told']

"""Silences of a recording, and cameras whose axes are those of a link."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from st_memory.bags import BagRecorder
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection
from st_memory.doctor import diagnose
from test.cli.conftest import cli, RunCli

__all__ = ['cli']

S = 1_000_000_000
CAMERA = PinholeCamera(4, 3, 5.0, 5.0, 1.5, 1.0)
# Optical axis along x of the map: z ahead, x right, y down.
AHEAD = RigidTransform(np.array([0.0, 0.0, 1.0]), np.array([-0.5, 0.5, -0.5, 0.5]))


def look_bag(
    folder: Path, stamps_s: list[float], frame: str = 'optical', pose: RigidTransform = AHEAD
) -> Path:
    """Write looks at the given times."""
    path = folder / 'looks.mcap'
    with BagRecorder(path) as recorder:
        for second in stamps_s:
            stamp_ns = 10 * S + round(second * S)
            recorder.write_transform(stamp_ns, 'map', frame, pose)
            recorder.write_camera_info(stamp_ns, 'head', frame, CAMERA)
            recorder.write_depth(stamp_ns, 'head', frame, np.full((3, 4), 1.5, np.float32))
            cup = Detection('cup', 0.5, box_px=(1.0, 1.0, 2.0, 1.0))
            recorder.write_detections(stamp_ns, 'head', frame, [cup])
    return path


def test_longest_gap_of_each_topic_is_found_and_a_pause_is_named(tmp_path: Path) -> None:
    bag = look_bag(tmp_path, [0.0, 0.1, 0.2, 0.3, 3.3, 3.4])

    diagnosis = diagnose(bag)

    gap = next(gap for gap in diagnosis.gaps if gap.topic == '/head/camera_info')
    assert (gap.longest_s, gap.after_s, gap.usual_s) == pytest.approx((3.0, 0.3, 0.1))
    assert any(
        line == '/tf: silent for 3.00 s from 0.30 s after the start (usually a message each '
        '0.100 s)'
        for line in diagnosis.warnings
    )


def test_slow_and_steady_is_no_pause(tmp_path: Path) -> None:
    diagnosis = diagnose(look_bag(tmp_path, [0.0, 2.0, 4.0, 7.0]))

    assert max(gap.longest_s for gap in diagnosis.gaps) == pytest.approx(3.0)
    assert not any(gap.is_a_pause for gap in diagnosis.gaps)


def test_single_messages_have_no_gap(tmp_path: Path) -> None:
    assert diagnose(look_bag(tmp_path, [0.0])).gaps == ()


def test_doctor_prints_tree_intrinsics_encodings_and_gaps(tmp_path: Path, cli: RunCli) -> None:
    result = cli('doctor', str(look_bag(tmp_path, [0.0, 0.1, 0.2, 5.0])))

    assert result.code == 0
    assert 'map\n  └─ optical (4 transforms' in result.out
    assert 'camera head: 4x3 plumb_bob (5, 5, 1.5, 1): 4 looks' in result.out
    assert '16UC1; compressedDepth png' in result.out
    assert '4.800 s' in result.out
    assert 'note: /tf: silent for 4.80 s' in result.out

"""What depth that was not measured may say: nothing. Shares are counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.core.records import CameraFrame, Visibility
from st_memory.core.visibility import Cause, classify, PRESETS, Targets, Verdicts
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, NO_OCCLUDER
from test.core.visibility.plate import Plate
from test.scenarios.synthetic import CAMERA, looking

LIVE = PRESETS['live']
FREE_M, NEAR_M = 2.0, 1.0
HALF_M = 0.2
# The near face of the cube, at 1.8 m, reaches 14.44 px to each side of (79.5, 59.5). Eight lines
# of sight a side are spaced 3.61 px: columns 67, 70, 74, 78, 81, 85, 89, 92, rows the same less
# 20. All 64 meet the cube.
LEFT_HALF, UPPER_HALF, LEFT_THREE = slice(0, 79), slice(0, 60), slice(0, 75)


def unmeasured() -> np.ndarray:
    return np.full((CAMERA.height, CAMERA.width), np.nan, dtype=np.float32)


def judge(depth: np.ndarray | None, caster: Plate | None = None) -> Verdicts:
    cube = Targets(np.array([[2.0, 0.0, 0.0]]), np.full((1, 3), 2 * HALF_M), ('',))
    return classify(cube, CameraFrame('cam', CAMERA, looking(), depth_m=depth), LIVE, caster)


def test_share_counts_measured_lines_alone() -> None:
    depth = unmeasured()
    depth[:, LEFT_HALF] = NEAR_M

    verdicts = judge(depth)

    assert verdicts.in_view_points[0] == 9
    assert verdicts.blocked_share[0] == 32 / 32  # not 32 / 64
    assert verdicts.geometry[0] == Visibility.OCCLUDED
    assert verdicts.occluder[0] == DEPTH_OCCLUDER


def test_a_third_of_the_measured_lines_blocked_leaves_it_visible() -> None:
    depth = unmeasured()
    depth[:, LEFT_HALF] = FREE_M  # 32 lines
    depth[UPPER_HALF, 80:] = NEAR_M  # 16 lines

    verdicts = judge(depth)

    assert verdicts.blocked_share[0] == 16 / 48
    assert verdicts.visible_share[0] == 1 - 16 / 48
    assert verdicts.geometry[0] == Visibility.VISIBLE
    assert verdicts.cause[0] == Cause.IN_VIEW


def test_one_measured_line_is_evidence() -> None:
    depth = unmeasured()
    depth[61, 81] = FREE_M

    verdicts = judge(depth)

    assert verdicts.blocked_share[0] == 0 / 1
    assert verdicts.geometry[0] == Visibility.VISIBLE


def test_mesh_speaks_where_depth_was_not_measured() -> None:
    depth = unmeasured()
    depth[:, LEFT_THREE] = NEAR_M

    verdicts = judge(depth, Plate(3.0))  # behind it all: free rays

    assert verdicts.blocked_share[0] == pytest.approx(3 / 8)
    assert verdicts.visible_share[0] == 0.0  # of what was measured
    assert verdicts.geometry[0] == Visibility.VISIBLE


def test_blocked_rays_and_free_depth_share_the_outline() -> None:
    depth = unmeasured()
    depth[:, LEFT_HALF] = FREE_M  # overrules the plate on half of it

    verdicts = judge(depth, Plate(1.0))

    assert verdicts.blocked_share[0] == pytest.approx(1 / 2)
    assert verdicts.geometry[0] == Visibility.OCCLUDED
    assert verdicts.occluder[0] == 0


@pytest.mark.parametrize('nothing', [math.nan, 0.0, math.inf, -1.0])
def test_unmeasured_depth_without_a_mesh_is_unknown(nothing: float) -> None:
    verdicts = judge(np.full_like(unmeasured(), nothing))

    assert verdicts.geometry[0] == Visibility.UNKNOWN
    assert verdicts.cause[0] == Cause.INVALID_DEPTH
    assert math.isnan(verdicts.blocked_share[0])
    assert verdicts.occluder[0] == NO_OCCLUDER
    assert not verdicts.seen_through[0]


def test_unmeasured_depth_keeps_what_projection_says() -> None:
    verdicts = judge(unmeasured())

    assert verdicts.in_view_points[0] == 9
    assert verdicts.pixel_size[0] == pytest.approx(130 * 2 * HALF_M / 2.0)
    assert verdicts.range_m[0] == pytest.approx(2.0)


@pytest.mark.parametrize(('plate_x', 'expected'), [(1.0, 'OCCLUDED'), (3.0, 'VISIBLE')])
def test_unmeasured_depth_leaves_the_verdict_to_the_mesh(plate_x: float, expected: str) -> None:
    verdicts = judge(unmeasured(), Plate(plate_x))

    assert Visibility(verdicts.geometry[0]).name == expected


def test_unmeasured_depth_says_nothing_of_what_is_out_of_view() -> None:
    pair = Targets(np.array([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]), np.full((2, 3), 0.1), ('', ''))

    verdicts = classify(pair, CameraFrame('cam', CAMERA, looking(), depth_m=unmeasured()), LIVE)

    assert verdicts.geometry.tolist() == [Visibility.UNKNOWN, Visibility.OUT_OF_VIEW]
    assert verdicts.cause.tolist() == [Cause.INVALID_DEPTH, Cause.BEHIND_CAMERA]


def test_no_sensor_of_occlusion_leaves_projection_alone() -> None:
    verdicts = judge(None)

    assert verdicts.geometry[0] == Visibility.VISIBLE
    assert verdicts.cause[0] == Cause.IN_VIEW
    assert math.isnan(verdicts.blocked_share[0])


def test_preset_without_depth_does_not_miss_it() -> None:
    point = Targets(np.array([[2.0, 0.0, 0.0]]), np.zeros((1, 3)), ('',))
    frame = CameraFrame('cam', CAMERA, looking(), depth_m=unmeasured())

    verdicts = classify(point, frame, PRESETS['beyond3d_track_v5'])

    assert verdicts.geometry[0] == Visibility.VISIBLE

"""Meshes built of depth images: where the walls are, what is skipped, and bad input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
import sys
from typing import Any

import numpy as np
import pytest

from st_memory.core.errors import MissingExtraError
from st_memory.core.geometry import PlumbBobCamera
from st_memory.core.records import CameraFrame, Scene, SensedFrame
from st_memory.scene import (
    build_mesh,
    building,
    BuildSettings,
    EmbreeRayCaster,
    SceneFileError,
)
from test.scene.rooms import CAMERA, FakeVolume, frames_of, wall_distance

needs_open3d = pytest.mark.skipif(
    find_spec('open3d') is None, reason="needs the extra 'open3d' (make setup-all)"
)
COARSE = BuildSettings(voxel_m=0.04)


@pytest.fixture
def fake_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do without Open3D where only the choice of looks is tested."""
    monkeypatch.setattr(building, '_Volume', FakeVolume)


def _changed(frames: Iterator[SensedFrame], **changes: Any) -> Iterator[SensedFrame]:
    for frame in frames:
        yield replace(frame, cameras=tuple(replace(c, **changes) for c in frame.cameras))


@needs_open3d
def test_the_surface_is_where_the_walls_are() -> None:
    built = build_mesh(frames_of(40), COARSE)

    assert (built.part.name, built.part.frame_id, built.num_looks) == ('room', '', 40)
    assert built.faces.kept == len(built.part.triangles) > 5000
    distance = wall_distance(built.part.vertices)
    assert np.median(distance) < COARSE.voxel_m / 8
    assert distance.max() < COARSE.voxel_m


@needs_open3d
def test_looks_that_were_held_out_agree_with_the_mesh() -> None:
    built = build_mesh(frames_of(40), replace(COARSE, hold_out=4, min_weight=1.0))

    agreement = built.held_out.compare(EmbreeRayCaster(Scene((built.part,))))

    assert (built.num_looks, built.skipped) == (30, {'held_out': 10})
    assert agreement.num_images == 10
    assert agreement.median_m < COARSE.voxel_m / 8
    assert agreement.missed_share < 0.15


@needs_open3d
def test_a_distorted_camera_gives_the_same_walls() -> None:
    lens = PlumbBobCamera(160, 120, 100.0, 100.0, 79.5, 59.5, -0.2, 0.03)

    built = build_mesh(frames_of(40, lens), COARSE)

    assert np.median(wall_distance(built.part.vertices)) < 0.01


@pytest.mark.parametrize(
    ('changes', 'num_looks', 'skipped'),
    [
        ({'stride': 3}, 4, {'stride': 6}),
        ({'max_looks': 5}, 5, {}),
        ({'stride': 2, 'hold_out': 5}, 4, {'held_out': 1, 'stride': 5}),
    ],
)
def test_looks_are_chosen_and_the_others_counted(
    changes: dict[str, int], num_looks: int, skipped: dict[str, int], fake_volume: None
) -> None:
    seen: list[int] = []

    built = build_mesh(
        frames_of(10), replace(COARSE, min_weight=0.0, **changes), seen.append, 'hall'
    )

    assert (built.num_looks, dict(built.skipped)) == (num_looks, skipped)
    assert seen == list(range(1, num_looks + 1))
    assert built.part.name == 'hall'
    assert len(built.held_out) == skipped.get('held_out', 0)
    assert built.faces == (12, 0, 0, 1)


@pytest.mark.parametrize(
    ('changes', 'reason'),
    [
        ({'world_T_camera': None, 'pose_problem': 'too_old'}, '3 without_pose'),
        ({'depth_m': None}, '3 without_depth'),
        ({'depth_m': np.full((120, 160), np.nan, np.float32)}, '3 without_depth'),
        ({'camera_id': 'wrist'}, '3 other_camera'),
    ],
)
def test_without_a_look_that_can_be_used_the_reasons_are_named(
    changes: dict[str, Any], reason: str, fake_volume: None
) -> None:
    with pytest.raises(SceneFileError, match=f'found none \\({reason}\\)'):
        build_mesh(_changed(frames_of(3), **changes), replace(COARSE, camera_id='head'))


def test_no_frames_at_all_are_refused(fake_volume: None) -> None:
    with pytest.raises(SceneFileError, match=r'found none \(no look\)'):
        build_mesh(iter(()), COARSE)


def test_without_a_surface_it_is_said_how_many_looks_there_were(fake_volume: None) -> None:
    with pytest.raises(SceneFileError, match='none that 3 of 2 looks agree on'):
        build_mesh(frames_of(2), COARSE)


@needs_open3d
def test_a_surface_that_too_few_looks_agree_on_is_none() -> None:
    with pytest.raises(SceneFileError, match='none that 50 of 3 looks agree on'):
        build_mesh(frames_of(3), replace(COARSE, min_weight=50.0))


@needs_open3d
def test_depth_beyond_the_limit_is_not_used() -> None:
    with pytest.raises(SceneFileError, match='expected a surface, found none'):
        build_mesh(frames_of(3), replace(COARSE, max_depth_m=0.2))


@pytest.mark.parametrize(
    ('changes', 'named'),
    [
        ({'voxel_m': 0.0}, 'voxel_m: expected > 0, got 0'),
        ({'voxel_m': float('nan')}, 'voxel_m: expected > 0'),
        ({'max_depth_m': -1.0}, 'max_depth_m: expected > 0'),
        ({'truncation_voxels': 0.5}, 'truncation_voxels: expected >= 1, got 0.5'),
        ({'min_weight': -1.0}, 'min_weight: expected >= 0'),
        ({'stride': 0}, 'stride and max_looks: expected >= 1'),
        ({'max_looks': -1}, 'stride and max_looks: expected >= 1'),
        ({'hold_out': 1}, 'hold_out: expected 0 or at least 2'),
    ],
)
def test_settings_outside_their_range_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        BuildSettings(**changes)


def test_without_open3d_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'open3d', None)

    with pytest.raises(MissingExtraError, match=r'building meshes needs .*st_memory\[open3d\]'):
        build_mesh(frames_of(1), COARSE)


def test_the_room_is_seen_from_within() -> None:
    (camera,) = next(iter(frames_of(1))).cameras

    assert isinstance(camera, CameraFrame)
    assert camera.depth_m is not None
    assert camera.depth_m.shape == (CAMERA.height, CAMERA.width)
    assert camera.depth_m[60, 80] == pytest.approx(1.5, abs=0.02)

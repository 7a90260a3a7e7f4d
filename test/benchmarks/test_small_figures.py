"""Every figure on a small copy: it measures two things that agree, and refuses others."""

from __future__ import annotations

from collections.abc import Callable
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from benchmarks import (
    depth_check,
    door_update,
    pose_lookup,
    project_fisheye,
    rays_in_view,
    resident,
    resident_process,
)
from benchmarks.figure import Measured, MeasuringError
from benchmarks.kitchen_mesh import CAMERA, door_frames, kitchen, POSE, with_doors
from benchmarks.looks import Place, place
from benchmarks.reference.check_depth import DepthChecker
from benchmarks.reference.cull_and_cast import BoxArrays, BoxCuller, Lens
from st_memory.core.geometry import Fisheye624Camera, Projection
from st_memory.core.stamps import NS_PER_S
from st_memory.scene import EmbreeRayCaster

COARSE = 0.1


@pytest.fixture(scope='module')
def coarse() -> Place:
    """The kitchen of a hundredth of the triangles."""
    return place(COARSE)


@pytest.mark.parametrize(
    'measure',
    [
        lambda: rays_in_view.compare(500, place(COARSE), 2),
        lambda: depth_check.compare(500, place(COARSE), 2),
        lambda: door_update.compare(with_doors(kitchen(COARSE)), 2),
        lambda: pose_lookup.compare(1, 20, 2),
        lambda: project_fisheye.compare(1000, 2),
    ],
    ids=['rays', 'depth', 'doors', 'poses', 'fisheye'],
)
def test_figure_measures_both_sides(measure: Callable[[], Measured]) -> None:
    measured = measure()
    assert measured.value > 0.0
    assert measured.reference_value > 0.0


class TestRays:
    """Rays to objects that are all in view."""

    def test_every_box_drawn_is_in_view(self, coarse: Place) -> None:
        boxes = rays_in_view.boxes_in_view(300, coarse)
        seen = coarse.culler.look(boxes.arrays, POSE.rotation, POSE.translation)
        assert seen.in_view.tolist() == list(range(300))

    def test_caster_that_misses_is_refused(
        self, coarse: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def blind(self: object, origin: object, targets: Any, tolerance: object) -> np.ndarray:
            return np.zeros(len(targets), dtype=bool)

        monkeypatch.setattr(EmbreeRayCaster, 'any_hits', blind)
        with pytest.raises(MeasuringError, match='rays differ from the reference'):
            rays_in_view.compare(500, coarse, 1)


class TestDepth:
    """What a perfect depth camera measures, and the nine points on it."""

    def test_depth_is_that_of_the_first_surface(self, coarse: Place) -> None:
        depth_m = depth_check.depth_of(coarse)
        assert depth_m.shape == (CAMERA.height, CAMERA.width)
        assert np.isfinite(depth_m).mean() > 0.99  # the room is closed
        pixels = np.array([[17, 23], [320, 240], [600, 400]])
        points = CAMERA.unproject(pixels.astype(float))
        before = POSE.apply(points * (depth_m[pixels[:, 1], pixels[:, 0]] - 0.001)[:, None])
        behind = POSE.apply(points * (depth_m[pixels[:, 1], pixels[:, 0]] + 0.001)[:, None])
        for ends, expected in ((before, False), (behind, True)):
            hits = coarse.caster.any_hits(POSE.translation, ends, np.zeros(3))
            assert hits.tolist() == [expected] * 3

    def test_nine_points_are_hidden_by_nearer_depth_only(self) -> None:
        lens = Lens(100, 100, 50.0, 50.0, 49.5, 49.5)
        checker = DepthChecker(BoxCuller(np.full((1, 3, 3), 99.0), lens))
        centres = np.array([[-1.0, 0.0, 4.0], [1.0, 0.0, 4.0], [0.0, 1.0, 4.0], [9.0, 0.0, 4.0]])
        boxes = BoxArrays.of(centres, np.full((4, 3), 0.1))
        depth_m = np.full((100, 100), 9.0, dtype=np.float32)
        depth_m[:, :45] = 2.0  # before the first
        depth_m[60:, 45:55] = np.nan  # of the third nothing is known
        rows, hidden = checker.look(boxes, np.eye(3), np.zeros(3), depth_m)
        assert rows.tolist() == [0, 1, 2]
        assert hidden.tolist() == [True, False, False]

    def test_verdicts_of_another_depth_are_refused(
        self, coarse: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nothing(
            self: object, boxes: BoxArrays, *rest: object
        ) -> tuple[np.ndarray, np.ndarray]:
            rows = np.arange(100)
            return rows, np.ones(100, dtype=bool)

        monkeypatch.setattr(DepthChecker, 'look', nothing)
        with pytest.raises(MeasuringError, match="of the verdicts are the reference's"):
            depth_check.compare(500, coarse, 1)


class TestDoors:
    """Twenty doors that move every time."""

    def test_doors_stand_elsewhere_every_turn(self) -> None:
        one, other = door_update.doors_at(1), door_update.doors_at(2)
        assert set(one) == set(door_frames())
        assert all(one[name] != other[name] for name in one)

    def test_doors_hide_what_is_behind_them(self) -> None:
        scene = with_doors(kitchen(COARSE))
        caster, poses = EmbreeRayCaster(scene), door_update.doors_at(0)
        caster.pose_parts(poses)
        for pose in poses.values():
            middle = pose.apply([0.2, 0.01, 0.3])
            across = 0.05 * pose.rotation[:, 1]
            hits = caster.first_hits(middle + across, (middle - across)[None], np.zeros(1))
            assert caster.part_names[int(hits.part[0])].startswith('door_')

    def test_caster_that_ignores_doors_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = iter(range(100))

        def fickle(self: object, origin: object, targets: Any, tolerance: object) -> np.ndarray:
            return np.full(len(targets), next(asked) % 2 == 0)

        monkeypatch.setattr(EmbreeRayCaster, 'any_hits', fickle)
        with pytest.raises(MeasuringError, match='hide other points than a scene built anew'):
            door_update.compare(with_doors(kitchen(COARSE)), 1)


class TestPoses:
    """A buffer of two hundred poses a second."""

    def test_buffer_covers_its_time_at_the_rate(self) -> None:
        buffer = pose_lookup.filled(600)  # more than one batch of samples
        newest_ns = buffer.newest_stamp('map', 'camera')
        assert newest_ns == 1_700_000_600 * NS_PER_S
        first_ns = 1_700_000_000 * NS_PER_S
        pose = buffer.lookup(
            'map', 'device', first_ns + 5_000_000 + 2_500_000, max_gap_ns=5_000_000
        )
        assert pose.translation[0] == pytest.approx(np.cos(0.1 * 0.0075), abs=1e-6)
        assert not buffer.can_transform('map', 'device', first_ns - 1)


class TestFisheye:
    """Points inside the lens."""

    def test_points_are_all_projectable(self) -> None:
        camera_p = project_fisheye.points(5000)
        assert project_fisheye.CAMERA.project(camera_p).projectable.all()

    def test_other_pixels_are_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pixels = project_fisheye.CAMERA.project(project_fisheye.points(100)).pixels + 1e-8
        monkeypatch.setattr(
            Fisheye624Camera,
            'project',
            lambda self, camera_p: Projection(pixels, np.ones(100, dtype=bool)),
        )
        with pytest.raises(MeasuringError, match='pixels differ from the reference by'):
            project_fisheye.compare(100, 1)


class TestResident:
    """Processes that say how much they hold."""

    def test_memory_holds_every_object_after_its_frames(self) -> None:
        memory, count = resident_process.hold_memory(50, 6, COARSE)
        assert memory is not None
        assert count == 50

    def test_process_says_what_is_resident(self) -> None:
        command = [
            sys.executable,
            '-m',
            'benchmarks.resident_process',
            '--bare',
            '--fineness',
            '0.1',
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        said = json.loads(done.stdout)
        assert 10.0 < said['resident_mb'] < 1000.0
        assert said['objects'] == 0

    def test_compare_starts_both(self) -> None:
        measured = resident.compare(20, COARSE)
        assert measured.value > measured.reference_value > 10.0

    def test_process_that_fails_is_named_by_its_last_line(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*args: object, **kwargs: object) -> subprocess.CompletedProcess[str]:
            return subprocess.CompletedProcess([], 3, '', 'first\nMemoryError: no room\n')

        monkeypatch.setattr(subprocess, 'run', fails)
        with pytest.raises(
            MeasuringError, match=r'^the process ended with 3: MemoryError: no room$'
        ):
            resident.compare(20, COARSE)

    def test_objects_that_are_not_remembered_are_no_figure(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        said = json.dumps({'resident_mb': 9.0, 'objects': 19})
        monkeypatch.setattr(
            subprocess, 'run', lambda *a, **k: subprocess.CompletedProcess([], 0, said, '')
        )
        with pytest.raises(MeasuringError, match='19 of 20 objects are remembered'):
            resident.compare(20, COARSE)

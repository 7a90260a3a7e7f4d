"""What every FrameSource must do; a test class inherits this and gives ``make_source``."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import FrameSource
from st_memory.core.records import CameraFrame, Scene, SensedFrame


def pose_key(pose: RigidTransform | None) -> Any:
    """Give something to compare two poses by, bit for bit."""
    return None if pose is None else (pose.translation.tobytes(), pose.quat_xyzw.tobytes())


def camera_key(camera: CameraFrame) -> Any:
    """Give something to compare two camera frames by, bit for bit."""
    return (
        camera.camera_id,
        camera.model.model_name,
        camera.model.width,
        camera.model.height,
        camera.model.parameters,
        camera.model.valid_circle,
        pose_key(camera.world_T_camera),
        camera.pose_problem,
        None if camera.depth_m is None else camera.depth_m.tobytes(),
        camera.detections,
    )


def frame_key(frame: SensedFrame, *, shift_ns: int = 0, with_epoch: bool = True) -> Any:
    """
    Give something to compare two frames by, bit for bit.

    With ``shift_ns`` the frame counts as if all its stamps were that much earlier.
    """
    movements = tuple(
        (
            m.object_id,
            m.label,
            m.start_ns - shift_ns,
            None if m.end_ns is None else m.end_ns - shift_ns,
            m.actor,
            m.source,
        )
        for m in frame.movements
    )
    return (
        frame.stamp_ns - shift_ns,
        frame.epoch if with_epoch else 0,
        tuple(camera_key(c) for c in frame.cameras),
        frame.world_detections,
        movements,
        tuple((name, pose_key(pose)) for name, pose in sorted(frame.world_T_part.items())),
    )


class FrameSourceContract:
    """Reusable rules of the port; the source must yield at least two frames."""

    def make_source(self, tmp_path: Any) -> FrameSource:
        """Give a source; overridden by the test class."""
        pytest.fail('a test class of this contract gives make_source')

    def test_source_satisfies_the_protocol(self, tmp_path: Any) -> None:
        assert isinstance(self.make_source(tmp_path), FrameSource)

    def test_source_yields_frames(self, tmp_path: Any) -> None:
        frames = list(self.make_source(tmp_path).frames())

        assert len(frames) >= 2
        assert all(isinstance(frame, SensedFrame) for frame in frames)

    def test_source_moments_grow(self, tmp_path: Any) -> None:
        moments = [(f.epoch, f.stamp_ns) for f in self.make_source(tmp_path).frames()]

        assert all(first < second for first, second in itertools.pairwise(moments))

    def test_source_stamps_are_positive(self, tmp_path: Any) -> None:
        assert all(frame.stamp_ns > 0 for frame in self.make_source(tmp_path).frames())

    def test_source_twice_gives_the_same_frames(self, tmp_path: Any) -> None:
        source = self.make_source(tmp_path)

        first = [frame_key(frame) for frame in source.frames()]
        second = [frame_key(frame) for frame in source.frames()]

        assert first == second

    def test_source_abandoned_pass_does_not_change_the_next(self, tmp_path: Any) -> None:
        source = self.make_source(tmp_path)
        expected = [frame_key(frame) for frame in source.frames()]

        abandoned = source.frames()
        next(abandoned)

        assert [frame_key(frame) for frame in source.frames()] == expected

    def test_source_counters_count_by_reason(self, tmp_path: Any) -> None:
        source = self.make_source(tmp_path)
        for _ in source.frames():
            pass

        assert all(isinstance(k, str) and v >= 0 for k, v in source.counters().items())

    def test_source_second_pass_has_the_same_counters(self, tmp_path: Any) -> None:
        source = self.make_source(tmp_path)
        passes = []
        for _ in range(2):
            for _ in source.frames():
                pass
            passes.append(dict(source.counters()))

        assert passes[0] == passes[1]

    def test_source_has_a_name_and_a_scene(self, tmp_path: Any) -> None:
        source = self.make_source(tmp_path)

        assert source.name
        assert isinstance(source.scene, Scene)

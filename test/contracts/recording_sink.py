"""What every RecordingSink must do; a test class inherits this and gives ``make_sink``."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.core.records import (
    Detection,
    Fixture,
    MovementReport,
    Scene,
    ScenePart,
    WorldDetection,
)

STAMP_NS = 1_000_000_000


def small_scene() -> Scene:
    """Give one movable part and one fixture."""
    door = ScenePart(
        name='cupboard/door',
        fixture_id='cupboard',
        frame_id='door_frame',
        vertices=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]),
        triangles=np.array([[0, 1, 2]], dtype=np.int32),
    )
    cupboard = Fixture(
        fixture_id='cupboard',
        label='cupboard',
        world_T_box=RigidTransform.identity(),
        size_m=(0.5, 0.6, 0.7),
        is_container=True,
    )
    return Scene(parts=(door,), fixtures=(cupboard,))


class RecordingSinkContract:
    """Reusable rules of the port."""

    def make_sink(self, tmp_path: object) -> RecordingSink:
        """Give an empty sink; overridden by the test class."""
        pytest.fail('a test class of this contract gives make_sink')

    def make_camera(self) -> CameraModel:
        """Give a camera of 4 x 3 pixels; overridden by the test class."""
        pytest.fail('a test class of this contract gives make_camera')

    def test_sink_satisfies_the_protocol(self, tmp_path: object) -> None:
        assert isinstance(self.make_sink(tmp_path), RecordingSink)

    def test_sink_takes_every_kind_at_one_stamp(self, tmp_path: object) -> None:
        sink = self.make_sink(tmp_path)
        pose = RigidTransform.identity()
        image = np.zeros((3, 4, 3), dtype=np.uint8)

        results = [
            sink.write_scene(STAMP_NS, 'map', small_scene()),
            sink.write_transform(STAMP_NS, 'map', 'base', pose, static=True),
            sink.write_transform(STAMP_NS, 'base', 'optical', pose),
            sink.write_camera_info(STAMP_NS, 'head', 'optical', self.make_camera()),
            sink.write_color(STAMP_NS, 'head', 'optical', image),
            sink.write_color_encoded(STAMP_NS, 'head', 'optical', b'\xff\xd8', 'jpeg'),
            sink.write_depth(STAMP_NS, 'head', 'optical', np.ones((3, 4), dtype=np.float32)),
            sink.write_detections(STAMP_NS, 'head', 'optical', [Detection('cup', 0.5)]),
            sink.write_detections(STAMP_NS, 'head', 'optical', []),
            sink.write_world_detections(
                STAMP_NS, 'map', [WorldDetection('cup', 0.5, (1.0, 2.0, 3.0))]
            ),
            sink.write_movement(STAMP_NS, MovementReport('cup_1', 'cup', STAMP_NS)),
            sink.write_joints(STAMP_NS, {'door_joint': 0.1}),
        ]

        assert results == [None] * len(results)

    def test_sink_takes_kinds_in_any_order_with_growing_stamps(self, tmp_path: object) -> None:
        sink = self.make_sink(tmp_path)

        sink.write_joints(STAMP_NS, {'door_joint': 0.1})
        sink.write_transform(STAMP_NS + 5, 'map', 'optical', RigidTransform.identity())

        assert sink.write_joints(STAMP_NS + 5, {'door_joint': 0.2}) is None

    @pytest.mark.parametrize('stamp_ns', [0, -1])
    def test_sink_refuses_a_stamp_that_is_not_positive(
        self, tmp_path: object, stamp_ns: int
    ) -> None:
        with pytest.raises(ValueError, match='stamp'):
            self.make_sink(tmp_path).write_joints(stamp_ns, {'door_joint': 0.1})

    def test_sink_refuses_a_stamp_that_goes_back(self, tmp_path: object) -> None:
        sink = self.make_sink(tmp_path)
        sink.write_joints(STAMP_NS, {'door_joint': 0.1})

        with pytest.raises(ValueError, match='stamp'):
            sink.write_joints(STAMP_NS - 1, {'door_joint': 0.1})

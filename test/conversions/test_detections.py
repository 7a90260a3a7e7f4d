"""Tests of detection records and of what is left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_allclose
import pytest

from st_memory.conversions.detection_batch import read_detections
from st_memory.conversions.detections import camera_detections, world_detections
from st_memory.core.geometry import RigidTransform
from test.conversions import fake_messages as fake

NAN = float('nan')
IDENTITY = RigidTransform.identity()
HALF_ROOT = 0.5**0.5
QUARTER_TURN_Z = (0.0, 0.0, HALF_ROOT, HALF_ROOT)


def batch_of(*items: Any) -> Any:
    """Read detections of our layout."""
    return read_detections(fake.detections(5, *items), 'detector')


@pytest.mark.parametrize(
    ('item', 'reason'),
    [
        (fake.detection(''), 'detection_without_label'),
        (fake.detection('x' * 10_000_000), 'detection_name_too_long'),
        (fake.detection('x' * 1001), 'detection_name_too_long'),
        (fake.detection(track_id='x' * 201), 'detection_name_too_long'),
        (fake.detection('a\nb'), 'detection_name_with_control_character'),
        (fake.detection(track_id='a\x00'), 'detection_name_with_control_character'),
        (fake.detection('\ud800'), 'detection_name_with_control_character'),
        (fake.detection(score=NAN), 'detection_not_finite'),
        (fake.detection(box=(NAN, 1.0, 2.0, 2.0)), 'detection_not_finite'),
        (fake.detection(box=(1.0, 1.0, float('inf'), 2.0)), 'detection_not_finite'),
        (fake.detection(position=(0.0, NAN, 1.0)), 'detection_not_finite'),
        (fake.detection(size=(0.1, NAN, 0.1)), 'detection_not_finite'),
        (
            fake.detection(position=(0.0, 0.0, 1.0), quat_xyzw=(1e-200, 0.0, 0.0, 0.0)),
            'detection_orientation_unusable',
        ),
        (
            fake.detection(position=(0.0, 0.0, 1.0), quat_xyzw=(1e200, 0.0, 1.0, 0.0)),
            'detection_orientation_unusable',
        ),
        (fake.detection(position=(0.0, 1.7e308, 1.0)), 'detection_out_of_range'),
        (fake.detection(box=(1.0, 1.0, 1e10, 2.0)), 'detection_out_of_range'),
        (fake.detection(score=1.01), 'detection_score_out_of_range'),
        (fake.detection(score=-0.1), 'detection_score_out_of_range'),
        (fake.detection(box=(1.0, 1.0, 0.0, 2.0)), 'detection_box_of_zero_size'),
        (fake.detection(box=(1.0, 1.0, 2.0, -1.0)), 'detection_box_of_zero_size'),
        (fake.detection(box=(1.0, 1.0, 0.0, 0.0)), 'detection_without_box_and_pose'),
    ],
)
def test_camera_detections_bad_one_is_counted_and_the_good_one_stays(
    item: Any, reason: str
) -> None:
    found, dropped = camera_detections(batch_of(item, fake.detection('pan')), IDENTITY)

    assert [d.label for d in found] == ['pan']
    assert dict(dropped) == {reason: 1}


@pytest.mark.parametrize('embedding', [(0.6, 0.8), (NAN, 1.0), (0.0, 0.0)])
def test_camera_detections_embedding_arrives_and_never_costs_the_detection(
    embedding: tuple[float, ...],
) -> None:
    (found,), dropped = camera_detections(batch_of(fake.detection(embedding=embedding)), IDENTITY)

    np.testing.assert_array_equal(found.embedding, embedding)
    assert not dropped


def test_camera_detections_longest_names_are_taken() -> None:
    (found,), dropped = camera_detections(
        batch_of(fake.detection('x' * 1000, track_id='y' * 200)), IDENTITY
    )

    assert (len(found.label), len(found.track_id)) == (1000, 200)
    assert not dropped


@pytest.mark.parametrize('label', ['Tassé 🫖', '\u202egum', "x'); DROP TABLE object; --"])
def test_camera_detections_odd_names_are_taken_as_they_are(label: str) -> None:
    found, dropped = camera_detections(batch_of(fake.detection(label)), IDENTITY)

    assert ([d.label for d in found], dict(dropped)) == ([label], {})


def test_camera_detections_nothing_found_is_an_empty_tuple() -> None:
    assert camera_detections(batch_of(), IDENTITY) == ((), {})


def test_camera_detections_position_goes_into_the_camera_frame() -> None:
    camera_T_batch = RigidTransform(np.array([0.0, 0.0, 1.0]), np.array(QUARTER_TURN_Z))

    (found,), _ = camera_detections(
        batch_of(fake.detection(position=(1.0, 0.0, 0.0))), camera_T_batch
    )

    assert found.camera_p == pytest.approx((0.0, 1.0, 1.0))


def test_camera_detections_unknown_frame_keeps_the_box_only() -> None:
    (found,), dropped = camera_detections(batch_of(fake.detection(position=(1.0, 0.0, 0.0))), None)

    assert found.camera_p is None
    assert found.box_px == (1.0, 1.0, 2.0, 2.0)
    assert not dropped


def test_camera_detections_unknown_frame_without_box_is_counted() -> None:
    item = fake.detection(box=(0.0, 0.0, 0.0, 0.0), position=(1.0, 0.0, 0.0))

    found, dropped = camera_detections(batch_of(item), None)

    assert (found, dict(dropped)) == ((), {'detection_pose_without_transform': 1})


def test_camera_detections_upright_box_has_no_attitude_of_its_own() -> None:
    item = fake.detection(position=(0.0, 0.0, 1.0), size=(0.1, 0.2, 0.3))

    (found,), _ = camera_detections(batch_of(item), IDENTITY)

    assert (found.size_m, found.camera_quat_xyzw) == ((0.1, 0.2, 0.3), None)


def test_camera_detections_attitude_goes_into_the_camera_frame() -> None:
    item = fake.detection(position=(0.0, 0.0, 1.0), quat_xyzw=QUARTER_TURN_Z, size=(0.1, 0.2, 0.3))
    camera_T_batch = RigidTransform(np.zeros(3), np.array([0.0, 0.0, HALF_ROOT, HALF_ROOT]))

    (found,), _ = camera_detections(batch_of(item), camera_T_batch)

    assert found.size_m == (0.1, 0.2, 0.3)
    assert found.camera_quat_xyzw == pytest.approx((0.0, 0.0, 1.0, 0.0))


def test_camera_detections_attitude_of_another_length_is_made_a_unit() -> None:
    item = fake.detection(position=(0.0, 0.0, 1.0), quat_xyzw=(0.0, 0.0, 3.0, 3.0))

    (found,), _ = camera_detections(batch_of(item), IDENTITY)

    assert found.camera_quat_xyzw == pytest.approx(QUARTER_TURN_Z)


def test_world_detections_go_into_the_fixed_frame_with_their_source() -> None:
    world_T_batch = RigidTransform(np.array([10.0, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0]))
    item = fake.detection(
        track_id='a', box=(0.0, 0.0, 0.0, 0.0), position=(1.0, 2.0, 3.0), size=(0.1, 0.2, 0.3)
    )

    (found,), dropped = world_detections(batch_of(item), world_T_batch)

    assert (found.world_p, found.track_id, found.source) == ((11.0, 2.0, 3.0), 'a', 'yolo')
    assert_allclose(found.size_m, (0.1, 0.2, 0.3))  # type: ignore[arg-type]
    assert not dropped


def test_world_detections_attitude_goes_into_the_fixed_frame() -> None:
    world_T_batch = RigidTransform(np.array([10.0, 0.0, 0.0]), np.array(QUARTER_TURN_Z))
    item = fake.detection(position=(1.0, 0.0, 0.0), quat_xyzw=QUARTER_TURN_Z, size=(0.1, 0.2, 0.3))

    (found,), _ = world_detections(batch_of(item), world_T_batch)

    assert found.world_p == pytest.approx((10.0, 1.0, 0.0))
    assert found.size_m == (0.1, 0.2, 0.3)
    assert found.quat_xyzw == pytest.approx((0.0, 0.0, 1.0, 0.0))


def test_world_detections_without_pose_is_counted() -> None:
    found, dropped = world_detections(batch_of(fake.detection()), IDENTITY)

    assert (found, dict(dropped)) == ((), {'detection_without_pose': 1})


def test_world_detections_without_transform_is_counted() -> None:
    item = fake.detection(position=(1.0, 2.0, 3.0))

    found, dropped = world_detections(batch_of(item), None)

    assert (found, dict(dropped)) == ((), {'detection_pose_without_transform': 1})


def test_world_detections_bad_label_is_counted_as_such() -> None:
    found, dropped = world_detections(batch_of(fake.detection('', position=(1, 2, 3))), IDENTITY)

    assert (found, dict(dropped)) == ((), {'detection_without_label': 1})

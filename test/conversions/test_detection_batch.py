"""Tests of the three detection layouts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from st_memory.conversions.detection_batch import batch_stamp, read_detections
from test.conversions import fake_messages as fake

CENTRE = SimpleNamespace(x=30.0, y=40.0)


def hypothesis(name: Any, score: float, *, is_new: bool) -> Any:
    """Build an ObjectHypothesisWithPose after or before version 4 of vision_msgs."""
    if is_new:
        return SimpleNamespace(hypothesis=SimpleNamespace(class_id=name, score=score))
    return SimpleNamespace(id=name, score=score)


def detection_2d(*results: Any, **fields: Any) -> Any:
    """Build a Detection2D around (30, 40), 10 wide and 20 high."""
    values = {
        'header': fake.header(9, 'optical'),
        'results': list(results),
        'bbox': SimpleNamespace(
            center=SimpleNamespace(position=CENTRE, theta=0.0), size_x=10.0, size_y=20.0
        ),
        'id': '',
    }
    return SimpleNamespace(**{**values, **fields})


def detection_3d(*results: Any, **fields: Any) -> Any:
    """Build a Detection3D at (1, 2, 3)."""
    values = {
        'header': fake.header(9, 'map'),
        'results': list(results),
        'bbox': SimpleNamespace(
            center=fake.pose((1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0)), size=fake.xyz((0.1, 0.2, 0.3))
        ),
        'id': '',
    }
    return SimpleNamespace(**{**values, **fields})


def array_of(*items: Any, stamp_ns: int = 5, frame_id: str = 'optical') -> Any:
    """Build a vision_msgs array."""
    return SimpleNamespace(header=fake.header(stamp_ns, frame_id), detections=list(items))


def test_read_detections_own_layout_keeps_every_field() -> None:
    message = fake.detections(
        5,
        fake.detection(
            'cup',
            0.25,
            track_id='7',
            box=(1.0, 2.0, 3.0, 4.0),
            position=(0.1, 0.2, 0.3),
            quat_xyzw=(0.0, 0.0, 1.0, 0.0),
            size=(0.5, 0.6, 0.7),
            embedding=(1.0, 2.0),
        ),
        frame_id='/optical',
    )

    batch = read_detections(message, 'default')
    (item,) = batch.items

    assert (batch.frame_id, batch.source) == ('optical', 'yolo')
    assert (item.label, item.score, item.track_id) == ('cup', 0.25, '7')
    assert item.box_px == (1.0, 2.0, 3.0, 4.0)
    assert item.position == (0.1, 0.2, 0.3)
    assert item.quat_xyzw == (0.0, 0.0, 1.0, 0.0)
    assert item.size_m == (0.5, 0.6, 0.7)
    assert item.embedding == (1.0, 2.0)


def test_read_detections_own_layout_unset_fields_are_none() -> None:
    message = fake.detections(5, fake.detection(box=(0.0, 0.0, 0.0, 0.0)), source='')

    batch = read_detections(message, 'default')
    (item,) = batch.items

    assert batch.source == 'default'
    assert (item.box_px, item.position, item.size_m) == (None, None, None)


def test_read_detections_unset_orientation_is_upright() -> None:
    item = fake.detection(position=(1.0, 2.0, 3.0), quat_xyzw=(0.0, 0.0, 0.0, 0.0))

    batch = read_detections(fake.detections(5, item), '')

    assert batch.items[0].quat_xyzw == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize('is_new', [True, False])
def test_read_detections_2d_takes_the_best_class_and_the_corner(is_new: bool) -> None:
    centre = SimpleNamespace(position=CENTRE, theta=0.0) if is_new else CENTRE
    message = array_of(
        detection_2d(
            hypothesis('bowl', 0.3, is_new=is_new),
            hypothesis('cup', 0.6, is_new=is_new),
            bbox=SimpleNamespace(center=centre, size_x=10.0, size_y=20.0),
        )
    )

    (item,) = read_detections(message, 'detector').items

    assert (item.label, item.score) == ('cup', 0.6)
    assert item.box_px == (25.0, 30.0, 10.0, 20.0)
    assert item.position is None


def test_read_detections_3d_has_position_orientation_and_size() -> None:
    message = array_of(detection_3d(hypothesis('cup', 0.6, is_new=True)), frame_id='map')

    batch = read_detections(message, 'detector_3d')
    (item,) = batch.items

    assert (batch.frame_id, batch.source) == ('map', 'detector_3d')
    assert item.box_px is None
    assert item.position == (1.0, 2.0, 3.0)
    assert item.quat_xyzw == (0.0, 0.0, 1.0, 0.0)
    assert item.size_m == (0.1, 0.2, 0.3)


def test_read_detections_new_layout_id_is_the_track() -> None:
    message = array_of(detection_2d(hypothesis('cup', 0.6, is_new=True), id='t3'))

    assert read_detections(message, '').items[0].track_id == 't3'


@pytest.mark.parametrize(('is_tracking', 'expected'), [(True, 't3'), (False, '')])
def test_read_detections_old_layout_tracking_id_counts_while_tracking(
    is_tracking: bool, expected: str
) -> None:
    item = detection_3d(
        hypothesis('cup', 0.6, is_new=False), tracking_id='t3', is_tracking=is_tracking
    )

    assert read_detections(array_of(item), '').items[0].track_id == expected


def test_read_detections_ros1_class_number_becomes_text() -> None:
    message = array_of(detection_2d(hypothesis(41, 0.6, is_new=False)))

    assert read_detections(message, '').items[0].label == '41'


def test_read_detections_without_hypothesis_has_no_label() -> None:
    assert read_detections(array_of(detection_2d()), '').items[0].label == ''


def test_read_detections_hypothesis_with_nan_score_stays_visible() -> None:
    message = array_of(detection_2d(hypothesis('cup', float('nan'), is_new=True)))

    (item,) = read_detections(message, '').items

    assert item.label == 'cup'
    assert item.score != item.score


def test_read_detections_array_without_frame_takes_that_of_the_first() -> None:
    message = array_of(detection_2d(hypothesis('cup', 0.6, is_new=True)), frame_id='')

    assert read_detections(message, '').frame_id == 'optical'


def test_batch_stamp_is_that_of_the_array() -> None:
    assert batch_stamp(array_of(detection_2d())) == 5


def test_batch_stamp_of_array_without_stamp_is_that_of_its_first_detection() -> None:
    assert batch_stamp(array_of(detection_2d(), stamp_ns=0)) == 9


def test_batch_stamp_without_any_stamp_is_none() -> None:
    assert batch_stamp(fake.detections(0, fake.detection())) is None

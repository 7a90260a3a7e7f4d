"""Depth of a look from another frame, from a cloud, and in other units, through the assembler."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.conversions import AssemblerSettings, FrameAssembler, TopicKind, TopicRole
from st_memory.core.records import CameraFrame
from test.conversions import fake_messages as fake
from test.conversions.assembling import assembler_of, CAMERA, DEPTH, FOUND, INFO, S, STATIC, T0

DEPTH_INFO = TopicRole(TopicKind.DEPTH_INFO, 'head')
WIDTH, HEIGHT = 16, 12
K = (16.0, 0.0, 7.5, 0.0, 16.0, 5.5, 0.0, 0.0, 1.0)
WALL_MM = np.full((HEIGHT, WIDTH), 2000, dtype=np.uint16)


def look_with(
    depth: Any, *, depth_info: bool = False, link: bool = False, **settings: Any
) -> tuple[FrameAssembler, CameraFrame]:
    """Push a look with a depth message, and what is needed to register it."""
    assembler = assembler_of(*CAMERA, **settings)
    if link:
        beside = fake.transform(0, 'optical', 'infra', (0.25, 0.0, 0.0))
        assembler.push(STATIC, fake.tf(beside))
    if depth_info:
        assembler.push(DEPTH_INFO, _info('infra'))
    left = assembler.push(INFO, _info('optical'))
    left += assembler.push(DEPTH, depth)
    left += assembler.push(FOUND, fake.detections(T0, fake.detection()))
    left += assembler.flush()
    (frame,) = left
    return assembler, frame.cameras[0]


def _info(frame_id: str) -> Any:
    return fake.camera_info(T0, width=WIDTH, height=HEIGHT, k=K, frame_id=frame_id)


def _wall(frame_id: str) -> Any:
    return fake.raw_image(T0, '16UC1', WALL_MM, frame_id=frame_id)


def test_depth_of_another_frame_is_registered_through_tf_and_both_intrinsics() -> None:
    assembler, camera = look_with(_wall('infra'), depth_info=True, link=True)

    # 0.25 m at 2 m with 16 px: the wall is moved by two columns, which are unknown then.
    assert camera.depth_m is not None
    assert np.isnan(camera.depth_m[:, :2]).all()
    np.testing.assert_array_equal(camera.depth_m[:, 2:], 2.0)
    assert assembler.counters == {}


@pytest.mark.parametrize(
    ('depth_info', 'link', 'reason'),
    [(False, True, 'depth_in_other_frame'), (True, False, 'depth_without_transform')],
)
def test_depth_that_cannot_be_registered_is_refused_with_the_reason(
    depth_info: bool, link: bool, reason: str
) -> None:
    assembler, camera = look_with(_wall('infra'), depth_info=depth_info, link=link)

    assert camera.depth_m is None
    assert assembler.counters == {reason: 1}


def test_look_waits_for_the_transform_of_its_depth() -> None:
    assembler = assembler_of(*CAMERA)
    assembler.push(DEPTH_INFO, _info('infra'))
    assembler.push(INFO, _info('optical'))
    assembler.push(DEPTH, _wall('infra'))
    assert assembler.push(FOUND, fake.detections(T0, fake.detection())) == []

    (frame,) = assembler.push(STATIC, fake.tf(fake.transform(0, 'optical', 'infra')))

    assert frame.cameras[0].depth_m is not None


def test_depth_of_a_camera_with_its_own_intrinsics_at_the_same_place_is_taken_as_it_is() -> None:
    assembler, camera = look_with(_wall('optical'), depth_info=True)

    np.testing.assert_array_equal(camera.depth_m, 2.0)
    assert assembler.counters == {}


def test_depth_of_another_shape_than_its_own_intrinsics_is_counted() -> None:
    square = fake.raw_image(T0, '16UC1', np.full((8, 8), 2000, np.uint16), frame_id='infra')

    assembler, camera = look_with(square, depth_info=True, link=True)

    assert camera.depth_m is None
    assert assembler.counters == {'depth_size_mismatch': 1}


def _cloud_of_wall(frame_id: str) -> Any:
    v, u = np.mgrid[:HEIGHT, :WIDTH]
    points = np.stack([(u - 7.5) / 8.0, (v - 5.5) / 8.0, np.full(u.shape, 2.0)], axis=2)
    return points, frame_id


def test_organised_cloud_is_the_depth_of_its_pixels() -> None:
    points, frame_id = _cloud_of_wall('optical')
    points[3, 4] = np.nan

    assembler, camera = look_with(fake.cloud(T0, points, frame_id=frame_id))

    assert camera.depth_m is not None
    assert np.argwhere(np.isnan(camera.depth_m)).tolist() == [[3, 4]]
    assert np.nanmin(camera.depth_m) == np.nanmax(camera.depth_m) == 2.0
    assert assembler.counters == {}


@pytest.mark.parametrize('frame_id', ['optical', 'infra'])
def test_unorganised_cloud_is_projected_from_where_it_was_measured(frame_id: str) -> None:
    points, _ = _cloud_of_wall('optical')
    if frame_id == 'infra':
        points[..., 0] -= 0.25
    flat = points.reshape(1, -1, 3)[:, ::-1]

    _, camera = look_with(fake.cloud(T0, flat, frame_id=frame_id), link=True)

    np.testing.assert_array_equal(camera.depth_m, 2.0)


def test_cloud_needs_no_intrinsics_but_a_transform() -> None:
    points, _ = _cloud_of_wall('optical')

    assembler, camera = look_with(fake.cloud(T0, points, frame_id='infra'))

    assert camera.depth_m is None
    assert assembler.counters == {'depth_without_transform': 1}


def test_cloud_without_a_single_point_is_unmeasured() -> None:
    nothing = np.full((1, 5, 3), np.nan)

    assembler, camera = look_with(fake.cloud(T0, nothing))

    assert np.isnan(camera.depth_m).all()
    assert assembler.counters == {'depth_all_invalid': 1}


def test_damaged_cloud_costs_the_depth_only() -> None:
    points, _ = _cloud_of_wall('optical')
    message = fake.cloud(T0, points)
    message.data = message.data[:50]

    assembler, camera = look_with(message)

    assert camera.depth_m is None
    assert camera.detections is not None
    assert assembler.counters == {'depth_undecodable': 1}


def test_unit_of_a_camera_counts_for_whole_numbers_only() -> None:
    tum = fake.raw_image(T0, '16UC1', np.full((HEIGHT, WIDTH), 10000, np.uint16))
    floats = fake.raw_image(T0, '32FC1', np.full((HEIGHT, WIDTH), 2.0, np.float32))

    for message in (tum, floats):
        _, camera = look_with(message, depth_unit_m={'head': 0.0002})
        np.testing.assert_allclose(camera.depth_m, 2.0, rtol=1e-6)


def test_unit_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r'depth_unit_m.head: expected 0 < m < 1, got 1000'):
        AssemblerSettings(depth_unit_m={'head': 1000.0})


def test_delay_of_a_camera_is_taken_off_its_stamps() -> None:
    assembler = assembler_of(*CAMERA, camera_delay_s={'head': 0.25})
    for role, message in (
        (INFO, fake.camera_info(T0)),
        (DEPTH, fake.depth_image(T0)),
        (FOUND, fake.detections(T0, fake.detection())),
    ):
        left = assembler.push(role, message)

    assert [frame.stamp_ns for frame in left] == [T0 - S // 4]

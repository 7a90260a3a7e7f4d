"""Tests of calibrations over time."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.conversions.calibrations import Calibrations
from st_memory.core.errors import ConversionError
from test.conversions import fake_messages as fake


def add(calibrations: Calibrations, stamp_ns: int, **fields: Any) -> None:
    """Note one message of the camera 'head'."""
    message = fake.camera_info(stamp_ns, **fields)
    calibrations.add('head', calibrations.read('head', stamp_ns, message))


def width_at(calibrations: Calibrations, stamp_ns: int) -> int:
    """Give the image width that holds at a stamp."""
    calibration = calibrations.at('head', stamp_ns)
    assert calibration is not None
    return calibration.model.width


def test_at_without_a_message_is_none() -> None:
    assert Calibrations().at('head', 5) is None


def test_at_gives_the_one_valid_then_and_the_first_before() -> None:
    calibrations = Calibrations()
    add(calibrations, 10, width=4)
    add(calibrations, 20, width=8)

    assert [width_at(calibrations, s) for s in (5, 10, 19, 20, 99)] == [4, 4, 4, 8, 8]


def test_at_late_messages_are_put_in_their_place() -> None:
    calibrations = Calibrations()
    for stamp_ns, width in ((30, 4), (20, 8), (10, 4), (15, 4), (25, 8)):
        add(calibrations, stamp_ns, width=width)

    assert [width_at(calibrations, s) for s in (10, 19, 20, 29, 30)] == [4, 4, 8, 8, 4]


def test_read_repeated_calibration_reuses_the_model() -> None:
    calibrations = Calibrations()
    add(calibrations, 10)
    first = calibrations.at('head', 10)

    again = calibrations.read('head', 20, fake.camera_info(20))

    assert first is not None
    assert again.model is first.model


def test_read_other_frame_is_another_calibration() -> None:
    calibrations = Calibrations()
    add(calibrations, 10)
    add(calibrations, 20, frame_id='/other')

    found = calibrations.at('head', 20)

    assert found is not None
    assert found.frame_id == 'other'


def test_read_unusable_calibration_names_the_camera() -> None:
    with pytest.raises(ConversionError, match='camera_info of head'):
        Calibrations().read('head', 1, fake.camera_info(1, k=(0.0,) * 9))


def test_start_epoch_keeps_the_newest_for_all_stamps() -> None:
    calibrations = Calibrations()
    add(calibrations, 10, width=4)
    add(calibrations, 20, width=8)

    calibrations.start_epoch()

    assert width_at(calibrations, 1) == 8


def test_add_changes_all_the_time_keeps_the_newest() -> None:
    calibrations = Calibrations()
    for i in range(1, 1500):
        add(calibrations, i, width=i)

    assert width_at(calibrations, 1499) == 1499
    assert width_at(calibrations, 1) == 500

"""Tests of movement reports."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from st_memory.conversions.movements import movements_from_message
from st_memory.core.records import MovementReport
from test.conversions import fake_messages as fake


def test_movements_from_message_that_lasts_has_no_end() -> None:
    reports, dropped = movements_from_message(fake.movement(9, start_ns=7))

    assert reports == (MovementReport('cup_1', 'cup', 7),)
    assert not dropped


def test_movements_from_message_that_ended_has_both_stamps_and_the_actor() -> None:
    reports, _ = movements_from_message(fake.movement(9, start_ns=7, end_ns=9, actor='ann'))

    assert reports == (MovementReport('cup_1', 'cup', 7, 9, actor='ann'),)


def test_movements_from_message_without_source_is_an_annotation() -> None:
    message = fake.movement(9)
    message.events[0].source = ''

    assert movements_from_message(message)[0][0].source == 'annotation'


@pytest.mark.parametrize(
    ('message', 'reason'),
    [
        (fake.movement(9, event_type='open'), 'event_of_other_type'),
        (fake.movement(9, roles=[]), 'movement_without_object'),
        (fake.movement(9, object_id=''), 'movement_without_object'),
        (fake.movement(9, object_id='x' * 201), 'movement_name_too_long'),
        (fake.movement(9, object_id='a\nb'), 'movement_name_with_control_character'),
        (fake.movement(9, start_ns=0), 'zero_stamp'),
        (fake.movement(9, start_ns=7, end_ns=6), 'movement_ends_before_it_starts'),
    ],
)
def test_movements_from_message_unusable_is_counted(message: SimpleNamespace, reason: str) -> None:
    assert movements_from_message(message) == ((), {reason: 1})

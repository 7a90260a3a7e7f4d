"""Records to messages, field by field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.records import Event, ObjectState, Placement, Visibility, VisibilityInterval

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interface package')

from st_memory.ros import messages

pytestmark = pytest.mark.ros

SECOND = 1_000_000_000
CUP = ObjectState(
    'cup_1',
    'cup',
    epoch=2,
    aliases=tuple(f'name_{i}' for i in range(20)),
    world_p=(1.0, -2.0, 0.5),
    size_m=(0.1, 0.2, 0.3),
    visibility=Visibility.OCCLUDED,
    cause='occluded_by:door',
    occluder_id='door',
    confirmed=True,
    first_seen_ns=3 * SECOND,
    last_seen_ns=7 * SECOND + 5,
    fixture_id='shelf',
    num_moves=4,
    existence_probability=0.75,
    identity_confidence=0.5,
    identity_alternatives=('cup_2', 'cup_3'),
)


def test_time_message_splits_seconds_and_nanoseconds() -> None:
    message = messages.time_message(7 * SECOND + 5)
    assert (message.sec, message.nanosec) == (7, 5)


def test_time_message_none_is_zero() -> None:
    message = messages.time_message(None)
    assert (message.sec, message.nanosec) == (0, 0)


def test_optional_time_message_none_is_not_valid() -> None:
    assert not messages.optional_time_message(None).valid
    assert messages.optional_time_message(0).valid


def test_object_message_has_every_field() -> None:
    message = messages.object_message(CUP, 10 * SECOND, 'map')
    assert (message.object_id, message.label, message.frame) == ('cup_1', 'cup', 'map')
    position, size = message.pose.position, message.size
    assert (position.x, position.y, position.z) == (1.0, -2.0, 0.5)
    assert message.pose.orientation.w == 1.0
    assert (size.x, size.y, size.z) == (0.1, 0.2, 0.3)
    assert (message.visibility, message.cause) == (message.OCCLUDED, 'occluded_by:door')
    assert (message.occluder_id, message.fixture_id) == ('door', 'shelf')
    assert message.confirmed
    assert message.last_seen.valid
    assert not message.last_placed.valid
    assert (message.num_moves, message.epoch, message.existence_probability) == (4, 2, 0.75)
    assert not message.existence_estimated
    assert message.identity_confidence == 0.5
    assert list(message.identity_alternatives) == ['cup_2', 'cup_3']


def test_object_message_out_of_sight_counts_from_the_last_sight() -> None:
    message = messages.object_message(CUP, 10 * SECOND, 'map')
    assert (message.out_of_sight_for.sec, message.out_of_sight_for.nanosec) == (2, 999_999_995)


def test_object_message_visible_is_not_out_of_sight_and_has_no_cause() -> None:
    seen = replace(CUP, visibility=Visibility.VISIBLE, cause='in_view')
    message = messages.object_message(seen, 10 * SECOND, 'map')
    assert message.cause == ''
    assert message.out_of_sight_for.sec == 0


def test_object_message_without_position_says_so() -> None:
    message = messages.object_message(replace(CUP, world_p=None), 10 * SECOND, 'map')
    assert not message.pose_valid


def test_object_message_has_the_chance_that_was_estimated() -> None:
    message = messages.object_message(CUP, 10 * SECOND, 'map', chance=0.25)
    assert (message.existence_probability, message.existence_estimated) == (0.25, True)


def test_object_message_long_lists_are_cut() -> None:
    assert len(messages.object_message(CUP, 10 * SECOND, 'map').aliases) == 8


@pytest.mark.parametrize('visibility', list(Visibility))
def test_object_message_visibility_has_the_number_of_the_constant(visibility: Visibility) -> None:
    message = messages.object_message(replace(CUP, visibility=visibility), SECOND, 'map')
    assert message.visibility == getattr(type(message), visibility.name)


def test_object_messages_unchanged_object_is_told_for_the_new_time() -> None:
    cache = messages.ObjectMessages('map')
    first = cache.give(CUP, 8 * SECOND)
    again = cache.give(CUP, 10 * SECOND)
    assert again is first
    assert again == messages.object_message(CUP, 10 * SECOND, 'map')


def test_object_messages_unchanged_object_has_the_newest_chance() -> None:
    cache = messages.ObjectMessages('map')
    told = []
    for chance in (0.5, 0.25, None):
        message = cache.give(CUP, 8 * SECOND, chance)
        told.append((message.existence_probability, message.existence_estimated))
    assert told == [(0.5, True), (0.25, True), (0.75, False)]


def test_object_messages_changed_object_is_built_anew() -> None:
    cache = messages.ObjectMessages('map')
    cache.give(CUP, 8 * SECOND)
    moved = replace(CUP, num_moves=5)
    assert cache.give(moved, 8 * SECOND) == messages.object_message(moved, 8 * SECOND, 'map')


def test_interval_message_open_ends_so_far_at_its_last_frame() -> None:
    row = VisibilityInterval(
        'cup_1', 'head', 0, SECOND, None, 4 * SECOND, Visibility.UNCONFIRMED, Visibility.VISIBLE,
        num_frames=4, num_confirmed=1,
    )  # fmt: skip
    message = messages.interval_message(row, 'head_optical')
    assert (message.ongoing, message.start.sec, message.end.sec) == (True, 1, 4)
    assert (message.camera, message.confirmed_fraction) == ('head_optical', 0.25)
    assert (message.num_confirmed, message.num_frames) == (1, 4)
    assert (message.state, message.geometry) == (Visibility.UNCONFIRMED, Visibility.VISIBLE)


def test_interval_message_closed_ends_at_its_end() -> None:
    row = VisibilityInterval(
        'cup_1', 'head', 0, SECOND, 5 * SECOND, 4 * SECOND, Visibility.VISIBLE, Visibility.VISIBLE
    )
    message = messages.interval_message(row)
    assert (message.ongoing, message.end.sec, message.camera) == (False, 5, 'head')


def test_placement_message_open_ends_so_far_now() -> None:
    row = Placement('cup_1', 0, SECOND, None, SECOND, (1.0, 2.0, 3.0), 'shelf', 'observed')
    message = messages.placement_message(row, 9 * SECOND, 'map')
    assert (message.ongoing, message.end.sec, message.pose.position.z) == (True, 9, 3.0)
    assert (message.fixture_id, message.source) == ('shelf', 'observed')


def test_event_message_has_its_roles() -> None:
    event = Event('e1', 'moved', 0, SECOND, 2 * SECOND, 3 * SECOND, (('object', 'cup_1'),))
    message = messages.event_message(event, ordinal=2)
    assert (message.event_type, message.ordinal, message.end.sec) == ('moved', 2, 2)
    assert [(role.role, role.object_id) for role in message.roles] == [('object', 'cup_1')]

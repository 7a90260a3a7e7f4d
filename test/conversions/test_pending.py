"""Tests of frames in the making."""

from __future__ import annotations

from st_memory.conversions.pending import PendingFrames
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.records import MovementReport


def test_oldest_of_nothing_is_none() -> None:
    assert PendingFrames(0).oldest() is None


def test_take_oldest_gives_frames_by_stamp() -> None:
    pending = PendingFrames(0)
    for stamp_ns in (30, 10, 20):
        pending.at(stamp_ns)

    assert [pending.take_oldest().stamp_ns for _ in range(3)] == [10, 20, 30]


def test_at_same_stamp_is_the_same_frame() -> None:
    pending = PendingFrames(0)

    assert pending.at(10) is pending.at(10)
    assert len(pending) == 1


def test_look_without_slop_joins_equal_stamps_only() -> None:
    pending = PendingFrames(0)
    first = pending.look('head', 10, TopicKind.DEPTH)

    assert pending.look('head', 10, TopicKind.DETECTIONS) is first
    assert pending.look('head', 11, TopicKind.DETECTIONS) is not first


def test_look_of_two_cameras_at_one_stamp_share_the_frame() -> None:
    pending = PendingFrames(0)
    pending.look('left', 10, TopicKind.DEPTH)
    pending.look('right', 10, TopicKind.DEPTH)

    assert sorted(pending.take_oldest().looks) == ['left', 'right']


def test_look_with_slop_joins_the_nearest() -> None:
    pending = PendingFrames(5)
    pending.look('head', 10, TopicKind.DEPTH).pieces[TopicKind.DEPTH] = 'a'
    near = pending.look('head', 17, TopicKind.DEPTH)
    near.pieces[TopicKind.DEPTH] = 'b'

    assert pending.look('head', 14, TopicKind.DETECTIONS) is near


def test_look_with_slop_passes_over_one_that_has_the_kind() -> None:
    pending = PendingFrames(5)
    pending.look('head', 10, TopicKind.DEPTH).pieces[TopicKind.DEPTH] = 'a'

    assert pending.look('head', 12, TopicKind.DEPTH).stamp_ns == 12


def test_look_beyond_slop_is_a_new_one() -> None:
    pending = PendingFrames(5)
    pending.look('head', 10, TopicKind.DEPTH)

    assert pending.look('head', 16, TopicKind.DETECTIONS).stamp_ns == 16


def test_look_with_slop_of_another_camera_is_not_joined() -> None:
    pending = PendingFrames(5)
    pending.look('left', 10, TopicKind.DEPTH)

    assert pending.look('right', 12, TopicKind.DEPTH).stamp_ns == 12


def test_look_with_slop_after_its_frame_left_is_a_new_one() -> None:
    pending = PendingFrames(5)
    pending.look('head', 10, TopicKind.DEPTH)
    pending.take_oldest()

    assert pending.look('head', 12, TopicKind.DETECTIONS).stamp_ns == 12


CAMERA_DEPTH = TopicRole(TopicKind.DEPTH, 'head')


def test_add_piece_says_what_is_late_or_came_twice() -> None:
    pending = PendingFrames(0)
    first = [pending.add_piece(CAMERA_DEPTH, stamp, object()) for stamp in (10, 20, 20)]
    pending.take_oldest()

    assert first == ['', '', 'duplicate']
    assert [pending.add_piece(CAMERA_DEPTH, stamp, object()) for stamp in (9, 10, 11)] == [
        'late',
        'late',
        '',
    ]


def test_add_world_batch_is_late_once_its_frame_left() -> None:
    pending = PendingFrames(0)
    assert pending.add_world_batch(10, 'batch') == ''
    assert pending.take_oldest().world_batches == ['batch']

    assert pending.add_world_batch(10, 'batch') == 'late'
    assert len(pending) == 0


def test_add_movements_come_late_rather_than_never() -> None:
    pending = PendingFrames(0)
    pending.at(10)
    pending.take_oldest()
    report = MovementReport('cup_a', 'cup', 3, 5)
    pending.add_movements(5, [report])
    pending.add_movements(5, [])

    frame = pending.take_oldest()
    assert (frame.stamp_ns, frame.movements) == (11, [report])


def test_new_epoch_takes_what_is_older() -> None:
    pending = PendingFrames(0)
    pending.at(10)
    pending.take_oldest()
    pending.start_epoch()

    assert pending.add_piece(CAMERA_DEPTH, 5, object()) == ''

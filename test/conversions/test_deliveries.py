"""What is waited for, and for how long."""

from __future__ import annotations

import pytest

from st_memory.conversions.deliveries import Deliveries
from st_memory.conversions.pending import PendingFrame, PendingFrames
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.stream_clock import StreamClock

INFO, DEPTH, FOUND = TopicKind.CAMERA_INFO, TopicKind.DEPTH, TopicKind.DETECTIONS
WAIT_NS = 100


class Line:
    """Frames of cameras that deliver, with what came of each."""

    def __init__(self, *roles: TopicRole) -> None:
        self.clock = StreamClock(10**9)
        self.deliveries = Deliveries(self.clock, WAIT_NS)
        self.pending = PendingFrames(0)
        self.newest_ns = 0
        for role in roles:
            self.deliveries.expect(role)

    def bring(self, camera: str, stamp_ns: int, *kinds: TopicKind) -> None:
        for kind in kinds:
            role = TopicRole(kind, camera)
            self.clock.admit(role, stamp_ns)
            self.pending.add_piece(role, stamp_ns, object())
        self.newest_ns = max(self.newest_ns, stamp_ns)

    def is_complete(self) -> bool:
        frame = self.pending.oldest()
        assert isinstance(frame, PendingFrame)
        return self.deliveries.have_come(frame, 10, self.newest_ns)


def all_of(camera: str) -> list[TopicRole]:
    return [TopicRole(kind, camera) for kind in (INFO, DEPTH, FOUND)]


@pytest.mark.parametrize('missing', [INFO, DEPTH, FOUND])
def test_look_is_complete_with_the_last_of_its_kinds(missing: TopicKind) -> None:
    line = Line(*all_of('head'))
    line.bring('head', 10, *({INFO, DEPTH, FOUND} - {missing}))
    assert not line.is_complete()
    line.bring('head', 10, missing)

    assert line.is_complete()


def test_what_is_not_delivered_is_not_waited_for() -> None:
    line = Line(TopicRole(INFO, 'head'))
    line.bring('head', 10, INFO)

    assert line.is_complete()
    assert line.deliveries.kinds_by_camera == {'head': {INFO}}


def test_what_is_counted_on_no_more_is_not_waited_for() -> None:
    line = Line(*all_of('head'))
    line.bring('head', 10, INFO, DEPTH)
    line.deliveries.count_no_more_on(TopicRole(FOUND, 'head'))
    line.deliveries.count_no_more_on(TopicRole(FOUND, 'nobody'))

    assert line.is_complete()


def test_camera_that_is_behind_is_waited_for_until_it_went_on_or_fell_silent() -> None:
    line = Line(*all_of('head'), *all_of('wrist'))
    line.bring('wrist', 5, INFO, DEPTH, FOUND)
    line.pending.take_oldest()
    line.bring('head', 10, INFO, DEPTH, FOUND)
    assert not line.is_complete()  # the wrist may still bring something of 10
    line.bring('wrist', 12, INFO)

    assert line.is_complete()


def test_silent_camera_is_not_waited_for() -> None:
    line = Line(*all_of('head'), *all_of('wrist'))
    line.bring('head', 10, INFO, DEPTH, FOUND)
    assert not line.is_complete()  # announced, and just behind the first stamp
    line.bring('head', 10 + WAIT_NS, INFO, DEPTH, FOUND)

    assert line.is_complete()


def test_movements_may_come_until_something_newer_has() -> None:
    line = Line(TopicRole(INFO, 'head'), TopicRole(TopicKind.MOVEMENTS))
    line.bring('head', 10, INFO)
    assert not line.is_complete()
    line.bring('head', 11, INFO)

    assert line.is_complete()

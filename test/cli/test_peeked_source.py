"""A source that was looked at still gives every frame once, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from st_memory.cli import peeked_source
from st_memory.cli.peeked_source import PeekedSource
from st_memory.core.records import SensedFrame
from test.replay.walk import FIRST_NS, STEP_NS, WalkSource


class _Counted(WalkSource):
    """The walk, counting how often it is gone through."""

    num_passes = 0

    def frames(self) -> Iterator[SensedFrame]:
        self.num_passes += 1
        yield from super().frames()

    def counters(self) -> Mapping[str, int]:
        return {'left_out': 7}


ALL = [frame.stamp_ns for frame in WalkSource().frames()]


def _from(number: int) -> int:
    return FIRST_NS + number * STEP_NS


@pytest.mark.parametrize('number', [0, 5, 79])
def test_frames_after_a_look_come_in_the_same_pass(number: int) -> None:
    source = _Counted()
    peeked = PeekedSource(source)

    assert peeked.has(lambda frame: frame.stamp_ns >= _from(number))

    assert [frame.stamp_ns for frame in peeked.frames()] == ALL
    assert source.num_passes == 1


def test_frames_after_a_long_look_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peeked_source, '_MAX_KEPT', 3)
    source = _Counted()
    peeked = PeekedSource(source)

    assert peeked.has(lambda frame: frame.stamp_ns >= _from(3))

    assert [frame.stamp_ns for frame in peeked.frames()] == ALL
    assert source.num_passes == 2


def test_frames_a_second_time_are_all_there() -> None:
    peeked = PeekedSource(WalkSource())
    peeked.has(lambda _: True)

    assert [[f.stamp_ns for f in peeked.frames()] for _ in range(2)] == [ALL, ALL]


def test_has_of_what_is_not_there_is_false() -> None:
    assert not PeekedSource(WalkSource()).has(lambda _: False)


def test_name_scene_and_counters_are_those_of_the_source() -> None:
    source = _Counted()
    peeked = PeekedSource(source)

    assert (peeked.name, peeked.scene) == (source.name, source.scene)
    assert peeked.counters() == {'left_out': 7}

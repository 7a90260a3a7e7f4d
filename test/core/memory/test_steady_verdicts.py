"""Verdicts do not flicker, and only what may still show is held on to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import FrameDelta, SensedFrame, Visibility
from st_memory.core.visibility import preset_named, VisibilityPreset
from test.core.memory.told import Board, checkpoint_of, frame, run, stamp, text_of, told
from test.scenarios.synthetic import looking, states_of

CUP = told((2.0, 0.0, 0.0))
HELD = 6


def opened(deltas: list[FrameDelta]) -> list[tuple[Visibility, Visibility]]:
    """State and geometry of the intervals that began, in order."""
    return [(i.state, i.geometry) for d in deltas for i in d.intervals if i.end_ns is None]


class Watch:
    """A cup behind a board that blocks some of its nine points; no depth is measured."""

    def __init__(
        self,
        settings: MemorySettings | None = None,
        preset: VisibilityPreset | None = None,
        checkpoint=None,
        index: int = 0,
    ) -> None:
        self.board = Board()
        self.memory = ObjectMemory(
            settings or MemorySettings(),
            caster=self.board,
            checkpoint=checkpoint,
            visibility=preset,
        )
        self._index = index
        self.deltas: list[FrameDelta] = []

    def look(self, num_blocked: int, *, found: bool | None, count: int = 1) -> list[FrameDelta]:
        """Look some times; ``found`` is None while the detector is silent."""
        self.board.num_blocked = num_blocked
        seen = None if found is None else ([CUP] if found else [])
        deltas = []
        for _ in range(count):
            one: SensedFrame = frame(stamp(self._index), seen, depth=None)
            deltas += run([one], self.memory)
            self._index += 1
        self.deltas += deltas
        return deltas


VISIBLE = (Visibility.VISIBLE, Visibility.VISIBLE)
OCCLUDED = (Visibility.OCCLUDED, Visibility.OCCLUDED)


# Hysteresis. Five of nine is 0.556, more than half; four of nine is 0.444, and what is hidden
# stays so down to 0.5 - 0.06 = 0.44; three of nine is 0.333.


def test_share_that_wobbles_about_the_limit_is_one_interval() -> None:
    watch = Watch()
    watch.look(4, found=True, count=HELD)
    watch.look(5, found=None, count=5)  # long enough for it not to be held

    wobble = []
    for i in range(40):
        wobble += watch.look(4 + i % 2, found=None)

    assert opened(watch.deltas) == [VISIBLE, (Visibility.VISIBLE, Visibility.OCCLUDED), OCCLUDED]
    assert opened(wobble) == []


def test_without_hysteresis_the_same_view_flickers() -> None:
    plain = replace(preset_named('live'), hysteresis_share=0.0)
    watch = Watch(preset=plain)
    watch.look(4, found=True, count=HELD)
    watch.look(5, found=None, count=5)

    wobble = []
    for i in range(40):
        wobble += watch.look(4 + i % 2, found=None)

    assert len(opened(wobble)) == 40


def test_clear_view_ends_the_interval_at_once() -> None:
    watch = Watch()
    watch.look(0, found=True, count=HELD)
    watch.look(9, found=None, count=5)

    assert opened(watch.look(4, found=None)) == []
    assert [state for state, _ in opened(watch.look(3, found=None))] == [Visibility.UNCONFIRMED]


def test_visible_thing_stays_so_up_to_half() -> None:
    watch = Watch()
    watch.look(0, found=True, count=HELD)

    assert opened(watch.look(4, found=True, count=10)) == []
    assert states_of(watch.deltas)['cup_1'].visibility is Visibility.VISIBLE


def test_hidden_at_another_camera_does_not_make_it_hidden_here() -> None:
    # The other camera has seen it blocked; this one looks for the first time, at 4 of 9.
    watch = Watch()
    watch.look(0, found=True, count=HELD)
    watch.look(9, found=None, count=2)
    watch.board.num_blocked = 4

    deltas = run([frame(stamp(20), None, depth=None, camera_id='other')], watch.memory)

    geometry = {i.camera_id: i.geometry for d in deltas for i in d.intervals}
    assert geometry == {'other': Visibility.VISIBLE}


def test_restart_remembers_which_side_of_the_limit_it_was_on() -> None:
    first = Watch()
    first.look(4, found=True, count=HELD)
    first.look(5, found=None, count=5)
    resumed = Watch(checkpoint=checkpoint_of(first.deltas), index=HELD + 5)

    expected, got = first.look(4, found=None, count=3), resumed.look(4, found=None, count=3)

    assert [text_of(d) for d in got] == [text_of(d) for d in expected]


def test_thing_at_the_border_of_the_image_does_not_flicker() -> None:
    # Turned so that its centre and one side are in the image, 5 of 9; then a little less.
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [CUP], depth=None) for i in range(HELD)], memory)
    # The image ends 80 px to the right, at atan(80 / 130) = 0.5516 rad.
    inner, outer = looking(0.5506), looking(0.5526)

    deltas, points = [], []
    for i in range(20):
        pose = outer if i % 2 else inner
        deltas += run([frame(stamp(HELD + i), None, pose=pose, depth=None)], memory)
        points.append(int(memory.looks['cam'].verdicts.in_view_points[0]))

    assert set(points) == {4, 5}
    assert opened(deltas) == []


# What a detector still finds of a hidden thing.


@pytest.mark.parametrize(
    ('num_blocked', 'state'),
    [
        (8, Visibility.VISIBLE),  # 0.889: a sliver is left
        (9, Visibility.OCCLUDED),  # all of it
    ],
)
def test_sliver_is_held_for_some_looks_and_what_is_all_hidden_is_not(
    num_blocked: int, state: Visibility
) -> None:
    watch = Watch()
    watch.look(0, found=True, count=HELD)

    held = watch.look(num_blocked, found=False)

    assert opened(held) == [(state, Visibility.OCCLUDED)]


def test_sliver_is_held_for_three_looks() -> None:
    watch = Watch()
    watch.look(8, found=True, count=HELD)

    held = watch.look(8, found=False, count=3)
    gone = watch.look(8, found=False)

    assert opened(held) == []
    assert opened(gone) == [OCCLUDED]


def test_sliver_held_after_a_match_in_full_view_has_no_match_of_its_own() -> None:
    """``detected 0/2`` in a timeline: the match that holds it lies in the interval before."""
    watch = Watch()
    watch.look(0, found=True, count=HELD)
    watch.look(8, found=False, count=2)

    back = watch.look(0, found=True)

    (row,) = [i for d in back for i in d.intervals if i.end_ns is not None]
    assert (row.state, row.geometry, row.cause) == (
        *(Visibility.VISIBLE, Visibility.OCCLUDED),
        'detected',
    )
    assert (row.num_confirmed, row.num_frames) == (0, 2)


def test_sliver_that_is_found_now_and_then_is_one_interval() -> None:
    watch = Watch()
    watch.look(8, found=True, count=HELD)

    later = []
    for i in range(40):
        later += watch.look(8, found=i % 4 == 3)

    assert opened(later) == []
    assert watch.deltas[-1].tracks[0].state.visibility is Visibility.VISIBLE


def test_found_thing_is_visible_however_much_hides_it() -> None:
    watch = Watch()
    watch.look(0, found=True, count=HELD)

    found = watch.look(9, found=True)

    assert opened(found) == [(Visibility.VISIBLE, Visibility.OCCLUDED)]
    assert states_of(found)['cup_1'].cause == 'detected'


@pytest.mark.parametrize(
    ('share', 'state'), [(0.89, Visibility.VISIBLE), (0.88, Visibility.OCCLUDED)]
)
def test_share_that_is_too_much_to_hold_on_is_a_setting(share: float, state: Visibility) -> None:
    watch = Watch(MemorySettings(hold_blocked_share=share))
    watch.look(0, found=True, count=HELD)

    held = watch.look(8, found=False)  # 0.8889

    assert opened(held) == [(state, Visibility.OCCLUDED)]


def test_thing_that_went_all_hidden_is_not_held_when_a_sliver_shows_again_later() -> None:
    watch = Watch()
    watch.look(0, found=True, count=HELD)
    watch.look(9, found=False, count=4)

    assert opened(watch.look(8, found=False, count=3)) == []


def test_held_sliver_after_a_restart_is_held_as_long() -> None:
    first = Watch()
    first.look(8, found=True, count=HELD)
    first.look(8, found=False, count=2)
    resumed = Watch(checkpoint=checkpoint_of(first.deltas), index=HELD + 2)

    expected, got = first.look(8, found=False, count=4), resumed.look(8, found=False, count=4)

    assert [text_of(d) for d in got] == [text_of(d) for d in expected]
    assert opened(expected) == [OCCLUDED]

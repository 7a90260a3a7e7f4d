"""When an object may be asked about: moved, seen at rest, and surely out of sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.benchmark.questions import find_anchors, find_controls, WritingRules
from st_memory.benchmark.questions.anchors import Anchor, runs_of
from st_memory.benchmark.questions.tracks import ObjectTrack
from test.benchmark.question_scenes import at, scene_tracks, track

# All samples of a span are drawn.
RULES = replace(WritingRules(), draws_per_span=1000)
MOVED = 'VVMMVV'
MOVE = ((2.0, 3.5),)


def anchors_of(one: ObjectTrack, rules: WritingRules = RULES, rate_hz: int = 1) -> list[Anchor]:
    tracks = scene_tracks(one, rate_hz=rate_hz)
    return find_anchors(tracks, one, rules, np.random.default_rng(0))


def test_runs_are_half_open() -> None:
    mask = np.array([True, False, True, True, False, True])

    assert runs_of(mask) == [(0, 1), (2, 4), (5, 6)]
    assert runs_of(np.zeros(3, dtype=bool)) == []


def test_anchors_lie_in_the_span_and_know_how_long_it_was_not_seen() -> None:
    # Last visible in second 5, surely not from 6 to 17; a second of margin at both ends.
    found = anchors_of(track('mug_1', MOVED + 'O' * 12))

    assert found == []  # never moved

    found = anchors_of(track('mug_1', MOVED + 'O' * 12, MOVE))

    assert [a.query for a in found] == [7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    assert [a.horizon_s for a in found] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    assert {(a.last_visible_ns, a.unseen_from_ns, a.unseen_until_ns) for a in found} == {
        (at(5), at(6), at(17))
    }
    assert {a.movement.end_ns for a in found} == {at(3.5)}


def test_horizons_between_the_groups_are_left_out() -> None:
    found = anchors_of(track('mug_1', MOVED + 'O' * 60, MOVE))
    horizons = [RULES.horizon_of(a.horizon_s) for a in found]

    # 2..10, 11..30, then from 31 on to 5 + 59 - 1 s.
    assert [horizons.count(name) for name in ('short', 'medium', 'long', '')] == [9, 20, 29, 0]


@pytest.mark.parametrize(
    'story',
    [
        'VVMMVV' + 'U' * 12,  # nobody confirmed what geometry says
        'VVMMVV' + 'UU' + 'O' * 12,  # two seconds in which it may have been seen
        'VVMMVV' + '?' * 12,
        'VVMMVV' + 'A' * 12,
        'VVMMVV' + 'M' * 12,
        'OOOOOO' + 'O' * 12,  # never seen
        'VVMM??' + 'O' * 12,
    ],
)
def test_no_anchor_where_it_is_not_sure(story: str) -> None:
    assert anchors_of(track('mug_1', story, MOVE)) == []


def test_occluded_is_out_of_sight_too() -> None:
    found = anchors_of(track('mug_1', MOVED + 'COCOCOCO', MOVE))

    assert [a.query for a in found] == [7, 8, 9, 10, 11, 12]


def test_movement_whose_end_was_not_shown_is_not_asked_about() -> None:
    assert anchors_of(track('mug_1', MOVED + 'O' * 12, MOVE, is_shown=False)) == []


def test_last_seen_in_motion_counts_as_seen_until_it_was_put_down() -> None:
    """Beyond3D's final rule: the exact placement time, when the last sample is of the move."""
    found = anchors_of(track('mug_1', 'VVMM' + 'O' * 8, MOVE))

    assert [a.query for a in found] == [6, 7, 8, 9, 10]
    assert {a.last_visible_ns for a in found} == {at(3.5)}
    assert found[0].horizon_s == 2.5


def test_legacy_asks_about_what_was_last_seen_at_rest_alone() -> None:
    """The published legacy note: stably visible states only, skipped when in motion last."""
    legacy = replace(RULES, format='beyond3d_legacy')

    assert anchors_of(track('mug_1', 'VVMM' + 'O' * 8, MOVE), legacy) == []
    # Seen at rest again, if only once: that is the last time, not the end of the movement.
    found = anchors_of(track('mug_1', 'VVMMV' + 'O' * 8, MOVE), legacy)
    assert {a.last_visible_ns for a in found} == {at(4)}
    assert [a.query for a in found] == [6, 7, 8, 9, 10, 11]


@pytest.mark.parametrize('story', ['VVMMVV' + 'M' + 'O' * 12, 'VVMMVVMMM' + 'O' * 12])
def test_legacy_skips_what_is_carried_out_of_sight(story: str) -> None:
    """However long it was at rest before, what the last sample shows is a motion."""
    carried = ((2.0, 3.5), (6.0, len(story) - 12 - 0.5))
    final = anchors_of(track('mug_1', story, carried))

    assert {a.last_visible_ns for a in final} == {at(carried[1][1])}
    assert (
        anchors_of(track('mug_1', story, carried), replace(RULES, format='beyond3d_legacy')) == []
    )


def test_last_seen_in_a_motion_that_goes_on_out_of_sight_is_not_asked_about() -> None:
    assert anchors_of(track('mug_1', 'VVMM' + 'O' * 8, ((2.0, 6.0),))) == []


def test_movement_before_the_first_sight_at_rest_is_not_enough() -> None:
    assert anchors_of(track('mug_1', 'MMMM' + 'O' * 12, ((0.0, 3.5),))) == []


def test_questions_stop_before_it_moves_again() -> None:
    found = anchors_of(track('mug_1', MOVED + 'O' * 12, (*MOVE, (12.0, 13.0))))

    assert [a.query for a in found] == [7, 8, 9, 10, 11]


def test_draws_are_limited_by_span_and_group() -> None:
    one = track('mug_1', MOVED + 'O' * 60, MOVE)
    found = anchors_of(one, replace(RULES, draws_per_span=2))

    assert len(found) == 6
    assert all(a.track is one for a in found)


def test_margin_is_kept_at_any_rate() -> None:
    found = anchors_of(track('mug_1', MOVED + 'O' * 12, MOVE, rate_hz=5), rate_hz=5)
    queries = [a.query / 5 for a in found]

    # Visible until 5.8 s, hidden from 6.0 to 17.8 s.
    assert min(queries) == pytest.approx(7.8)
    assert max(queries) == pytest.approx(16.8)


def test_controls_are_stably_visible_and_were_moved() -> None:
    one = track('mug_1', 'VVVVMMVVVVVOO', ((4.0, 5.5),))
    tracks = scene_tracks(one)
    found = [find_controls(tracks, one, RULES, np.random.default_rng(i))[0] for i in range(20)]

    assert {a.query for a in found} <= {7, 8, 9}
    assert {a.horizon_s for a in found} == {0.0}
    assert all(a.last_visible_ns == a.unseen_from_ns == at(a.query) for a in found)


def test_no_control_of_what_never_moved() -> None:
    one = track('mug_1', 'VVVVVVVV')

    assert find_controls(scene_tracks(one), one, RULES, np.random.default_rng(0)) == []

"""Rules of the difficulty, counted by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from st_memory.sim.happenings import Happening
from st_memory.sim.report import Difficulty, DifficultyCounter, FLOORS, KitchenReport
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.truth import FrameTruth, ObjectTruth
from test.sim.test_detector import thing

SPEC = KitchenSpec(0, duration_s=60.0, width=320)
GOOD = Difficulty(
    object_frames=100, occluded_share=0.3, clear_share=0.9, events_per_minute=12.0,
    moves_per_minute=6.0, same_kind_pairs=3, moving_door_share=0.15,
    moving_door_seen_share=0.12, median_box_px=20.0, median_box_px_at_320=20.0,
    carried_out_of_view=3, events={},
)  # fmt: skip


def frame(*objects: ObjectTruth, shown: tuple[str, ...] = ()) -> FrameTruth:
    boxes = dict.fromkeys(shown, (0.0, 0.0, 1.0, 1.0))
    return FrameTruth(np.zeros((2, 2), np.float32), objects, boxes)


def counted(*frames: FrameTruth, moving: tuple[str, ...] = ()) -> Difficulty:
    counter = DifficultyCounter(SPEC)
    for f in frames:
        counter.add_image(f, set(moving))
    return counter.result(2)


def test_floors_are_those_every_kitchen_must_meet() -> None:
    assert FLOORS == {
        'occluded_share': ('>=', 0.2),
        'events_per_minute': ('>=', 6.0),
        'same_kind_pairs': ('>=', 2.0),
        'moving_door_share': ('>=', 0.1),
        'median_box_px_at_320': ('<=', 40.0),
    }


def test_kitchen_at_its_floors_has_none_unmet() -> None:
    at_floors = replace(
        GOOD, occluded_share=0.2, events_per_minute=6.0, same_kind_pairs=2,
        moving_door_share=0.1, median_box_px_at_320=40.0,
    )  # fmt: skip
    assert at_floors.unmet_floors() == ()


@pytest.mark.parametrize(
    ('field', 'value'),
    [
        ('occluded_share', 0.19),
        ('events_per_minute', 5.9),
        ('same_kind_pairs', 1),
        ('moving_door_share', 0.09),
        ('median_box_px_at_320', 41.0),
    ],
)
def test_kitchen_below_a_floor_names_it(field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    (problem,) = replace(GOOD, **changes).unmet_floors()
    assert problem.startswith(f'{field} {value:.3g}, expected')


def test_occluded_share_counts_less_than_half_of_the_pixels() -> None:
    things = [thing(visible_px=v, unoccluded_px=100) for v in (0, 49, 50, 100)]
    result = counted(frame(*things))
    assert (result.object_frames, result.occluded_share) == (4, 0.5)


def test_clear_share_counts_the_nearly_hidden_and_the_nearly_whole() -> None:
    things = [thing(visible_px=v, unoccluded_px=100) for v in (9, 10, 90, 91)]
    assert counted(frame(*things)).clear_share == 0.5


@pytest.mark.parametrize(
    'left_out',
    [
        thing(visible_px=0, unoccluded_px=29),
        replace(thing(visible_px=0), in_hand=True),
        replace(thing(visible_px=0), box_in_image=False),
    ],
)
def test_object_frames_that_do_not_count_change_nothing(left_out: ObjectTruth) -> None:
    result = counted(frame(thing(), left_out))
    assert (result.object_frames, result.occluded_share) == (1, 0.0)


def test_median_box_is_the_longer_side_of_what_can_be_detected() -> None:
    boxes = [(0.0, 0.0, 10.0, 4.0), (0.0, 0.0, 5.0, 12.0), (0.0, 0.0, 30.0, 30.0)]
    things = [thing(box_px=b) for b in boxes]
    things.append(thing(visible_px=5, box_px=(0.0, 0.0, 100.0, 100.0)))
    things.append(replace(thing(box_px=(0.0, 0.0, 100.0, 100.0)), in_hand=True))
    assert counted(frame(*things)).median_box_px == 12.0


def test_median_box_is_scaled_to_an_image_320_pixels_wide() -> None:
    counter = DifficultyCounter(replace(SPEC, width=160))
    counter.add_image(frame(thing(box_px=(0.0, 0.0, 15.0, 15.0))), set())
    assert counter.result(2).median_box_px_at_320 == 30.0


def test_moving_doors_count_once_an_image_and_apart_when_seen() -> None:
    counter = DifficultyCounter(SPEC)
    counter.add_image(frame(shown=('a/door',)), {'a/door', 'b/door'})
    counter.add_image(frame(), {'a/door'})
    counter.add_image(frame(shown=('a/door',)), set())
    counter.add_image(frame(), set())
    result = counter.result(2)
    assert (result.moving_door_share, result.moving_door_seen_share) == (0.5, 0.25)


def test_carried_out_of_view_counts_images_with_something_carried_unseen() -> None:
    carried = replace(thing(), in_hand=True)
    result = counted(
        frame(replace(carried, visible_px=0)), frame(carried), frame(thing(visible_px=0))
    )
    assert result.carried_out_of_view == 1


def test_events_a_minute_leave_out_movements() -> None:
    counter = DifficultyCounter(replace(SPEC, duration_s=30.0))
    for kind in ('take', 'movement', 'place', 'open'):
        counter.add_event(Happening('e0', kind, {}, 0, 1))
    result = counter.result(2)
    assert (result.events_per_minute, result.moves_per_minute) == (6.0, 2.0)
    assert result.events == {'movement': 1, 'open': 1, 'place': 1, 'take': 1}


def test_kitchen_without_images_has_zeros_not_errors() -> None:
    result = DifficultyCounter(SPEC).result(2)
    assert (result.occluded_share, result.median_box_px, result.object_frames) == (0.0, 0.0, 0)


def test_report_says_in_json_which_floors_are_unmet() -> None:
    report = KitchenReport(SPEC, replace(GOOD, same_kind_pairs=1), 1800, 300, ())
    assert not report.meets_floors
    assert report.to_json()['unmet_floors'] == ['same_kind_pairs 1, expected >= 2']

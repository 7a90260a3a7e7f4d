"""What proves that a thing is gone, and what does not; numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace
import math

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.absence import absence_proven
from st_memory.core.memory.track import Track
from st_memory.core.records import FrameDelta, LifeCycle, SensedFrame, Visibility
from test.core.memory.told import flat, frame, run, S, stamp, told, track_of
from test.scenarios.synthetic import events_of, FRAME_NS, looking, states_of

PLACE = (2.0, 0.0, 0.0)
CUP = told(PLACE)
FREE = 5.0  # depth that ends far behind the cup
HELD = 6  # looks that find it at first


def believed(settings: MemorySettings | None = None) -> ObjectMemory:
    """A memory that has found the cup at six looks."""
    memory = ObjectMemory(settings or MemorySettings())
    run([frame(stamp(i), [CUP], depth=2.0) for i in range(HELD)], memory)
    return memory


def life(memory: ObjectMemory) -> LifeCycle:
    return LifeCycle(track_of(memory).life_cycle)


# Seen through.


def test_eight_looks_through_its_place_prove_absence_and_seven_do_not() -> None:
    memory = believed()

    run([frame(stamp(HELD + i), [], depth=FREE) for i in range(7)], memory)
    after_seven = life(memory)
    deltas = run([frame(stamp(HELD + 7), [], depth=FREE)], memory)

    assert after_seven is LifeCycle.CONFIRMED
    assert life(memory) is LifeCycle.ABSENT
    event = deltas[0].events[0]
    assert (event.event_type, event.start_ns, event.end_ns) == ('absent', stamp(6), stamp(13))
    # The stay ends with the first look that missed it.
    assert [(p.start_ns, p.end_ns) for p in deltas[0].placements] == [(stamp(0), stamp(6))]


@pytest.mark.parametrize(
    ('span_ns', 'expected'), [(S, LifeCycle.ABSENT), (S - 1, LifeCycle.CONFIRMED)]
)
def test_looks_through_it_must_span_a_second(span_ns: int, expected: LifeCycle) -> None:
    memory = believed(MemorySettings(absence_looks=2))
    first_ns = stamp(HELD)

    run([frame(first_ns + t, [], depth=FREE) for t in (0, span_ns)], memory)

    assert life(memory) is expected


def test_time_after_the_last_look_adds_nothing_to_the_span() -> None:
    # Nine looks within 0.3 s, as at a hand that covers it; then nobody looks for a minute.
    memory = believed()
    run([frame(stamp(HELD) + i * S // 30, [], depth=FREE) for i in range(9)], memory)

    away = looking(math.pi)
    deltas = run([frame(stamp(HELD) + (2 + i) * S, [], pose=away) for i in range(60)], memory)

    assert life(memory) is LifeCycle.CONFIRMED
    assert events_of(deltas) == []


def test_looks_before_and_after_a_look_away_add_up() -> None:
    memory = believed()
    run([frame(stamp(HELD) + i * S // 30, [], depth=FREE) for i in range(7)], memory)
    run([frame(stamp(HELD) + 5 * S, [], pose=looking(math.pi))], memory)

    run([frame(stamp(HELD) + 9 * S, [], depth=FREE)], memory)

    assert life(memory) is LifeCycle.ABSENT


def test_two_cameras_at_one_moment_are_two_looks() -> None:
    memory = believed()
    pairs = []
    for i in range(6):
        one = frame(stamp(HELD + i), [], depth=FREE)
        other = replace(one.cameras[0], camera_id='other')
        pairs.append(replace(one, cameras=(*one.cameras, other)))

    run(pairs[:4], memory)
    too_short = life(memory)  # 8 looks over 0.6 s
    run(pairs[4:], memory)  # over 1.0 s

    assert (too_short, life(memory)) == (LifeCycle.CONFIRMED, LifeCycle.ABSENT)


def test_sight_forgets_all_evidence_of_absence() -> None:
    memory = believed()
    run([frame(stamp(HELD + i), [], depth=FREE) for i in range(7)], memory)

    run([frame(stamp(HELD + 7), [CUP], depth=2.0)], memory)

    track = track_of(memory)
    assert (track.absent_looks, track.free_misses, track.missed_from) == (0, 0.0, [])
    assert (track.absent_since_ns, track.absent_until_ns) == (None, None)
    run([frame(stamp(HELD + 8 + i), [], depth=FREE) for i in range(7)], memory)
    assert life(memory) is LifeCycle.CONFIRMED


def test_absent_thing_is_back_at_the_first_sight_of_it() -> None:
    memory = believed()
    run([frame(stamp(HELD + i), [], depth=FREE) for i in range(8)], memory)

    deltas = run([frame(stamp(20), [CUP], depth=2.0)], memory)

    assert events_of(deltas) == ['returned']
    state = states_of(deltas)['cup_1']
    assert (state.life_cycle, state.visibility) == (LifeCycle.CONFIRMED, Visibility.VISIBLE)
    assert state.existence_probability == 1.0
    assert [(p.start_ns, p.end_ns) for p in deltas[0].placements] == [(stamp(20), None)]


# Missed in plain view.

# Depth ends in the box of the cup itself, as over a plate on a table: it is never seen through.
ON_IT = 2.0
Spot = tuple[float, float]


def from_places(spots: list[Spot], start: int = HELD) -> list[SensedFrame]:
    """Looks that miss it, a second apart, from x and y; depth ends where the cup is."""
    return [
        frame(
            stamp(start) + (i + 1) * S,
            [],
            pose=looking(at=(x, y, 0.0)),
            depth=PLACE[0] - x,
        )
        for i, (x, y) in enumerate(spots)
    ]


def spread(count: int) -> list[Spot]:
    """Places 0.16 m apart on a grid of nine by four, all with the cup in view."""
    grid = [(0.16 * row, 0.16 * column) for row in range(4) for column in range(-4, 5)]
    return grid[:count]


def test_plate_missed_from_one_place_a_thousand_times_is_not_gone() -> None:
    memory = believed()

    deltas = run([frame(stamp(HELD + i), [], depth=ON_IT) for i in range(1000)], memory)

    assert life(memory) is LifeCycle.CONFIRMED
    assert track_of(memory).free_misses == 0.5
    assert events_of(deltas) == []


def test_plate_missed_from_two_places_in_turn_is_not_gone() -> None:
    memory = believed()

    run(from_places([(0.0, 0.0), (0.0, 0.3)] * 100), memory)

    assert life(memory) is LifeCycle.CONFIRMED
    assert track_of(memory).free_misses == 1.0


def test_plate_missed_from_ten_places_is_gone_and_from_nine_it_is_not() -> None:
    # Found in 6 of 6 looks: with one more for doubt, 6/7. The surface is as it was: each of the
    # misses counts half, and (1/7)^(9/2) = 1.6e-4 > 1e-4 > (1/7)^(10/2) = 6e-5.
    memory = believed()
    looks = from_places(spread(10))

    run(looks[:9], memory)
    nine = life(memory)
    run(looks[9:], memory)

    assert (nine, life(memory)) == (LifeCycle.CONFIRMED, LifeCycle.ABSENT)


def half_gone() -> np.ndarray:
    """Depth on the right half of the image ends in the cup's box, on the left far behind it."""
    image = flat(ON_IT)
    image[:, :80] = FREE
    return image


def test_misses_where_the_surface_has_gone_count_as_seen_through() -> None:
    # Half of the lines of sight end in the box, all of them did: below six tenths of it. The
    # middle is not all free, so it is not seen through. Eight such looks over a second prove it.
    memory = believed()
    looks = [frame(stamp(HELD + i), [], depth=half_gone()) for i in range(8)]

    run(looks[:7], memory)
    seven = (life(memory), track_of(memory).free_misses, track_of(memory).absent_looks)
    run(looks[7:], memory)

    assert seven == (LifeCycle.CONFIRMED, 0.0, 7)
    assert life(memory) is LifeCycle.ABSENT


def test_surface_behind_something_has_not_gone() -> None:
    # A fifth of the lines is blocked, and of the rest only half end in the box: what stands
    # before it may hide just the part that would show its surface.
    memory = believed()
    image = half_gone()
    image[:56] = 0.5  # the upper rows of the cup's rectangle

    run([frame(stamp(HELD + i), [], depth=image) for i in range(100)], memory)

    shown = memory.looks['cam'].verdicts
    assert 0.6 < shown.visible_share[0] < 0.9
    assert shown.surface_share[0] < 0.6 * track_of(memory).surface
    assert track_of(memory).absent_looks == 0
    assert life(memory) is LifeCycle.CONFIRMED


@pytest.mark.parametrize(
    ('shift', 'count'),
    [
        (0.149, 1),  # nearer than 0.15 m, and 0.074 rad as seen from 2 m
        (0.151, 2),
    ],
)
def test_fresh_look_is_one_from_elsewhere(shift: float, count: int) -> None:
    memory = believed(MemorySettings(fresh_look_m=0.15, fresh_look_rad=0.1))

    run(from_places([(0.0, 0.0), (0.0, shift)]), memory)

    assert track_of(memory).free_misses == 0.5 * count


@pytest.mark.parametrize(('angle', 'count'), [(0.099, 1), (0.101, 2)])
def test_fresh_look_is_one_along_another_line(angle: float, count: int) -> None:
    # At 1 m a tenth of a radian is less than 0.15 m. The camera goes around the cup.
    memory = believed(MemorySettings(fresh_look_m=0.15, fresh_look_rad=0.1))
    looks = []
    for i, turn in enumerate((0.0, angle)):
        eye = (2.0 - math.cos(turn), math.sin(turn), 0.0)
        pose = looking(-turn, at=eye)
        looks.append(frame(stamp(HELD) + (i + 1) * S, [], pose=pose, depth=1.0))

    run(looks, memory)

    assert track_of(memory).free_misses == 0.5 * count


@pytest.mark.parametrize(
    ('span_ns', 'expected'), [(3 * S, LifeCycle.ABSENT), (3 * S - 1, LifeCycle.CONFIRMED)]
)
def test_misses_in_plain_view_must_span_three_seconds(span_ns: int, expected: LifeCycle) -> None:
    memory = believed()
    looks = from_places(spread(10))
    first_ns = looks[0].stamp_ns
    stamps = [first_ns + i * FRAME_NS for i in range(9)] + [first_ns + span_ns]

    run([replace(f, stamp_ns=t) for f, t in zip(looks, stamps, strict=True)], memory)

    assert life(memory) is expected


# How often this detector finds this object.


def track_with(
    found: int, expected: int, *, missed: float, through: int = 0, span_s: float = 10.0
) -> Track:
    """An object found at some of the looks before the present run of misses."""
    track = Track('cup_1', life_cycle=LifeCycle.CONFIRMED, label_votes={'cup': 1.0})
    track.num_observations, track.misses = found, math.ceil(missed) + through
    track.expected_looks = expected + track.misses
    track.free_misses, track.absent_looks = missed, through
    track.absent_since_ns, track.absent_until_ns = 0, int(span_s * S)
    return track


def needed(found: int, expected: int, settings: MemorySettings | None = None) -> float:
    """Give the least worth of misses, in halves, that proves absence."""
    halves = (n / 2 for n in range(1, 2000))
    return next(
        worth
        for worth in halves
        if absence_proven(
            track_with(found, expected, missed=worth), 10 * S, settings or MemorySettings()
        )
    )


@pytest.mark.parametrize(
    ('found', 'expected', 'worth'),
    [
        (99, 99, 3.5),  # 0.99 is capped at 0.95: ln 1e-4 / ln 0.05 = 3.07
        (6, 6, 5.0),  # 6/7: 9.2103 / 1.9459 = 4.73
        (20, 40, 14.0),  # 20/41: 9.2103 / 0.6690 = 13.77
        (50, 99, 13.5),  # 50/100: 9.2103 / 0.6931 = 13.29
        (10, 99, 87.5),  # 10/100: 9.2103 / 0.10536 = 87.42
        (300, 99, 3.5),  # found more often than expected: half hidden, and still found
    ],
)
def test_detector_that_often_fails_must_fail_more_often(
    found: int, expected: int, worth: float
) -> None:
    assert needed(found, expected) == worth


def test_object_that_was_never_found_is_never_missed() -> None:
    assert not absence_proven(track_with(0, 0, missed=1000.0), 10 * S, MemorySettings())


@pytest.mark.parametrize(('chance', 'worth'), [(0.5, 0.5), (0.06, 1.0), (1e-8, 6.5)])
def test_chance_of_a_mistake_is_a_setting(chance: float, worth: float) -> None:
    # At 0.95: ln 0.5 / ln 0.05 = 0.23, 0.94, and 6.15.
    assert needed(999, 999, MemorySettings(absence_chance=chance)) == worth


def test_no_chance_of_a_mistake_at_all_is_never_reached_in_plain_view() -> None:
    strict = MemorySettings(absence_chance=0.0)

    assert not absence_proven(track_with(99, 99, missed=100.0), 10 * S, strict)
    assert not absence_proven(track_with(99, 99, missed=3000.0), 10 * S, strict)


def test_looks_through_it_help_misses_in_plain_view() -> None:
    # Seven of eight looks count as 7/8 of a miss: 2.5 + 0.875 = 3.375 > 3.07 > 2.5 + 0.5.
    enough = track_with(99, 99, missed=2.5, through=7)
    short = track_with(99, 99, missed=2.5, through=4)

    assert absence_proven(enough, 10 * S, MemorySettings())
    assert not absence_proven(short, 10 * S, MemorySettings())


@pytest.mark.parametrize(
    'change',
    [
        {'in_motion': True},
        {'life_cycle': LifeCycle.TENTATIVE},
        {'life_cycle': LifeCycle.ABSENT},
        {'absent_since_ns': None},
    ],
)
def test_what_is_carried_or_not_believed_cannot_be_proven_gone(change: dict) -> None:
    track = track_with(99, 99, missed=50.0, through=50)
    assert absence_proven(track, 10 * S, MemorySettings())

    assert not absence_proven(replace(track, **change), 10 * S, MemorySettings())


def test_half_of_the_looks_found_needs_more_misses_through_the_fold() -> None:
    def misses_until_gone(skip: int) -> int:
        memory = ObjectMemory(MemorySettings())
        for i in range(40):
            seen = [CUP] if i % skip == 0 else []
            run([frame(stamp(i), seen, depth=2.0)], memory)
        run([frame(stamp(40), [CUP], depth=2.0)], memory)
        for count, look in enumerate(from_places(spread(36), start=41), start=1):
            run([look], memory)
            if life(memory) is LifeCycle.ABSENT:
                return count
        raise AssertionError('never found to be gone')

    # 41 of 41 looks: capped at 0.95; 3.07 in halves. 21 of 41: ln(1 - 21/42) = -0.693; 13.29.
    assert misses_until_gone(skip=1) == 7
    assert misses_until_gone(skip=2) == 27


# No evidence.


def quiet(memory: ObjectMemory, deltas: list[FrameDelta]) -> bool:
    """Whether nothing speaks against the cup."""
    track = track_of(memory)
    return (
        events_of(deltas) == []
        and track.life_cycle == LifeCycle.CONFIRMED
        and (track.absent_looks, track.free_misses, track.absent_since_ns) == (0, 0.0, None)
    )


def test_silent_detector_says_nothing() -> None:
    memory = believed()
    expected_before = track_of(memory).expected_looks

    deltas = run([frame(stamp(HELD + i), None, depth=FREE) for i in range(100)], memory)

    assert quiet(memory, deltas)
    assert track_of(memory).expected_looks == expected_before


def test_silent_detector_from_ever_new_places_says_nothing() -> None:
    memory = believed()

    deltas = run(
        [
            replace(f, cameras=(replace(f.cameras[0], detections=None),))
            for f in from_places(spread(12))
        ],
        memory,
    )

    assert quiet(memory, deltas)


@pytest.mark.parametrize(
    ('x', 'is_evidence'),
    [
        (2.59, True),  # 130 px * 0.16 m / 2.59 m = 8.03 px
        (2.61, False),  # 7.97 px; the detector may miss what is smaller than 8 px
    ],
)
def test_thing_too_small_to_be_found_is_not_missed(x: float, is_evidence: bool) -> None:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [told((x, 0.0, 0.0))], depth=x) for i in range(HELD)], memory)

    deltas = run([frame(stamp(HELD + i), [], depth=FREE) for i in range(20)], memory)

    assert quiet(memory, deltas) is not is_evidence
    assert (life(memory) is LifeCycle.ABSENT) is is_evidence


# 0.32 m large and 1 m away, its front, 49.5 px wide, spans u 54.7 to 104.3 and v 34.7 to 84.3.
LARGE = told((1.0, 0.0, 0.0), size=(0.32, 0.32, 0.32))


def partly_hidden(columns: float, rows: float) -> np.ndarray:
    """Something near in front of a share of its columns and rows; the rest of it in plain view."""
    image = flat(1.0)
    image[: round(34.7 + 49.5 * rows), : round(54.7 + 49.5 * columns)] = 0.4
    return image


@pytest.mark.parametrize(
    ('columns', 'rows', 'is_evidence'),
    [
        (0.63, 0.75, False),  # 0.47 hidden: visible, but less than six tenths of it
        (0.5, 0.5, True),  # a quarter hidden
    ],
)
def test_miss_of_a_partly_hidden_thing_counts_only_when_most_of_it_shows(
    columns: float, rows: float, is_evidence: bool
) -> None:
    memory = ObjectMemory(MemorySettings())
    run([frame(stamp(i), [LARGE], depth=1.0) for i in range(HELD)], memory)

    deltas = run([frame(stamp(HELD), [], depth=partly_hidden(columns, rows))], memory)

    assert memory.looks['cam'].verdicts.geometry[0] == Visibility.VISIBLE
    assert quiet(memory, deltas) is not is_evidence


def test_without_depth_no_miss_is_evidence() -> None:
    memory = believed()

    deltas = run(
        [
            replace(f, cameras=(replace(f.cameras[0], depth_m=None),))
            for f in from_places(spread(30))
        ],
        memory,
    )

    assert quiet(memory, deltas)


def test_hidden_thing_is_not_missed() -> None:
    memory = believed()

    deltas = run([frame(stamp(HELD + i), [], depth=1.0) for i in range(100)], memory)

    assert quiet(memory, deltas)
    assert states_of(deltas)['cup_1'].visibility is Visibility.OCCLUDED


def test_thing_out_of_view_is_not_missed() -> None:
    memory = believed()
    away = looking(math.pi)

    deltas = run([frame(stamp(HELD + 9 + i), [], pose=away) for i in range(100)], memory)

    assert quiet(memory, deltas)


def test_camera_without_a_pose_says_nothing() -> None:
    memory = believed()
    blind = []
    for i in range(100):
        look = frame(stamp(HELD + i), [], depth=FREE)
        camera = replace(look.cameras[0], world_T_camera=None, pose_problem='not_connected')
        blind.append(replace(look, cameras=(camera,)))

    assert quiet(memory, run(blind, memory))


def test_moved_world_needs_the_same_misses() -> None:
    elsewhere = RigidTransform(np.array([4.0, -2.0, 1.0]), np.array([0.0, 0.0, 0.6, 0.8]))
    lives = []
    for room in (RigidTransform.identity(), elsewhere):
        memory = ObjectMemory(MemorySettings())
        frames = [frame(stamp(i), [CUP], depth=2.0) for i in range(HELD)]
        frames += from_places(spread(10))
        story = []
        for one in frames:
            camera = one.cameras[0]
            moved = replace(camera, world_T_camera=room @ camera.world_T_camera)
            run([replace(one, cameras=(moved,))], memory)
            story.append(LifeCycle(track_of(memory).life_cycle) if memory._state.tracks else None)
        lives.append(story)

    assert lives[0] == lives[1]
    assert lives[0][-1] is LifeCycle.ABSENT

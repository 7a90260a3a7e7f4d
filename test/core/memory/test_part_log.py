"""When parts have moved: what a shut door keeps in, and what an opening shows."""

from __future__ import annotations

import pytest

from st_memory.core.memory.part_log import PartLog
from test.core.memory.told import at, S

DOOR = frozenset({'door'})


def log_of(*motions: tuple[float, float]) -> PartLog:
    """A door that moves 1 cm every 0.1 s from a start to an end, seconds; looked at until 20 s."""
    log = PartLog()
    x = 0.0
    for tenth in range(200):
        if any(start <= tenth / 10 < end for start, end in motions):
            x += 0.01
        log.note({'door': at(x)}, tenth * S // 10)
    return log


def in_reach(
    log: PartLog, seen_s: float, until_s: float = 20.0, doors: frozenset[str] = DOOR
) -> bool | None:
    """Whether a thing seen behind the door can be outside; it takes 2 s to get it."""
    return log.was_in_reach(doors, round(seen_s * S), round(until_s * S), 2 * S)


def test_door_that_never_moved_shuts_nothing_in_and_shows_nothing() -> None:
    log = log_of()

    assert in_reach(log, 0.0) is None
    assert log.shut_since(DOOR, 10 * S) is None


def test_noise_of_a_still_door_is_no_motion() -> None:
    log = PartLog()
    for tenth in range(100):
        log.note({'door': at(0.001 * (tenth % 3))}, tenth * S // 10)

    assert in_reach(log, 0.0) is None


def test_slow_door_moves_all_the_same() -> None:
    log = PartLog()
    for tenth in range(100):
        log.note({'door': at(0.001 * tenth)}, tenth * S // 10)

    assert in_reach(log, 0.0) is not None


@pytest.mark.parametrize(
    ('seen_s', 'can_be_out'),
    [
        (1.0, True),  # shut and opened again
        (5.0, True),  # shut at 9 s: somebody had 4 s to take it
        (7.5, False),  # shut within 1.5 s: nobody can have
        (10.0, None),  # as open as it was when it was seen
    ],
)
def test_what_is_shut_off_right_after_it_was_seen_stays(
    seen_s: float, can_be_out: bool | None
) -> None:
    assert in_reach(log_of((2.0, 4.0), (8.0, 9.0)), seen_s) is can_be_out


def test_opening_after_the_other_was_seen_let_nothing_out_before() -> None:
    log = log_of((2.0, 4.0), (8.0, 9.0))

    assert in_reach(log, 3.0, until_s=7.0) is False
    assert in_reach(log, 3.0) is True


def test_short_stop_is_part_of_one_motion() -> None:
    assert in_reach(log_of((2.0, 3.0), (3.3, 4.0)), 2.5) is False


def test_only_the_latest_motions_are_kept() -> None:
    log = log_of(*((2.0 * i, 2.0 * i + 0.5) for i in range(1, 9)))

    assert in_reach(log, 0.0, until_s=9.0) is None
    assert in_reach(log, 0.0, until_s=11.0) is True


@pytest.mark.parametrize(
    ('motions', 'since_s'), [([(18.0, 20.0)], 0.0), ([(3.0, 5.0), (18.0, 20.0)], 4.9)]
)
def test_what_an_opening_shows_was_there_since_the_motion_before(
    motions: list[tuple[float, float]], since_s: float
) -> None:
    assert log_of(*motions).shut_since(DOOR, int(19.9 * S)) == pytest.approx(since_s * S)


def test_what_shows_long_after_the_opening_may_be_new() -> None:
    assert log_of((3.0, 5.0)).shut_since(DOOR, 10 * S) is None


def test_part_that_nothing_is_known_of_says_nothing() -> None:
    log = log_of((18.0, 20.0))

    assert log.shut_since({'door', 'other'}, int(19.9 * S)) is None
    assert in_reach(log, 0.0, doors=frozenset({'other'})) is None
    assert log.shut_since(frozenset(), int(19.9 * S)) is None


def test_log_goes_on_after_a_restart() -> None:
    log = log_of((2.0, 4.0), (19.0, 20.0))
    again = PartLog.from_plain(log.to_plain())

    again.note({'door': at(5.0)}, 21 * S)

    assert again.to_plain()['door'][1] == [int(3.9 * S), int(19.9 * S), 21 * S]

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


def test_door_that_never_moved_shuts_nothing_in_and_shows_nothing() -> None:
    log = log_of()

    assert log.motions_since(DOOR, 0) == 0
    assert log.shut_since(DOOR, 10 * S) is None


def test_noise_of_a_still_door_is_no_motion() -> None:
    log = PartLog()
    for tenth in range(100):
        log.note({'door': at(0.001 * (tenth % 3))}, tenth * S // 10)

    assert log.motions_since(DOOR, 0) == 0


def test_slow_door_moves_all_the_same() -> None:
    log = PartLog()
    for tenth in range(100):
        log.note({'door': at(0.001 * tenth)}, tenth * S // 10)

    assert log.motions_since(DOOR, 0) >= 1


def test_motions_are_counted_by_their_ends() -> None:
    log = log_of((2.0, 4.0), (8.0, 9.0))

    assert [log.motions_since(DOOR, s * S) for s in (0, 3, 5, 8, 10)] == [2, 2, 1, 1, 0]


def test_short_stop_is_part_of_one_motion() -> None:
    assert log_of((2.0, 3.0), (3.3, 4.0)).motions_since(DOOR, 0) == 1


def test_only_the_latest_motions_are_kept() -> None:
    log = log_of(*((2.0 * i, 2.0 * i + 0.5) for i in range(1, 9)))

    assert log.motions_since(DOOR, 0) == 4


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
    assert log.motions_since({'other'}, 0) == 0
    assert log.shut_since(frozenset(), int(19.9 * S)) is None


def test_log_goes_on_after_a_restart() -> None:
    log = log_of((2.0, 4.0), (19.0, 20.0))
    again = PartLog.from_plain(log.to_plain())

    again.note({'door': at(5.0)}, 21 * S)

    assert again.to_plain()['door'][1] == [int(3.9 * S), int(19.9 * S), 21 * S]

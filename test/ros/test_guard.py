"""Callbacks that never raise."""

from __future__ import annotations

from st_memory.ros.guard import guarded


def test_guarded_error_is_reported_and_not_raised() -> None:
    seen: list[Exception] = []

    def fail(_: int) -> None:
        raise ValueError('bad')

    guarded(fail, seen.append)(1)
    assert [str(error) for error in seen] == ['bad']


def test_guarded_after_an_error_still_calls() -> None:
    taken: list[int] = []

    def take(value: int) -> None:
        if value == 1:
            raise RuntimeError('one')
        taken.append(value)

    call = guarded(take, lambda error: None)
    for value in (0, 1, 2):
        call(value)
    assert taken == [0, 2]

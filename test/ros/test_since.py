"""Since when something is wrong."""

from __future__ import annotations

from st_memory.doctor import Finding, Severity
from st_memory.ros.since import Since


def finding(code: str, subject: str = 'head') -> Finding:
    return Finding(Severity.ERROR, code, subject, 'it is so', 'Change it.')


def test_what_stays_wrong_keeps_its_beginning() -> None:
    since = Since()
    for now_s in (10.0, 11.0, 12.0):
        since.note([finding('no_tf')], {}, now_s)

    assert since.found_s(13.0) == {('no_tf', 'head'): 3.0}


def test_what_was_well_in_between_begins_anew() -> None:
    since = Since()
    for now_s, found in ((10.0, True), (11.0, False), (12.0, True)):
        since.note([finding('no_tf')] if found else [], {}, now_s)

    assert since.found_s(13.0) == {('no_tf', 'head'): 1.0}


def test_same_code_of_two_cameras_is_two_things() -> None:
    since = Since()
    since.note([finding('no_depth', 'head')], {}, 1.0)
    since.note([finding('no_depth', 'head'), finding('no_depth', 'wrist')], {}, 2.0)

    assert since.found_s(3.0) == {('no_depth', 'head'): 2.0, ('no_depth', 'wrist'): 1.0}


def test_counter_says_when_it_moved_last() -> None:
    since = Since()
    for now_s, count in ((1.0, 1), (2.0, 5), (3.0, 5)):
        since.note([], {'late': count, 'duplicate': 0}, now_s)

    assert since.counted_s(4.0) == {'late': 2.0}

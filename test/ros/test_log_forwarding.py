"""Warnings of the library reach the log of the node."""

from __future__ import annotations

from collections.abc import Iterator
import logging
from typing import Any

import pytest

pytestmark = pytest.mark.ros


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str, str]]]:
    """Give (logger, severity, line) of what is forwarded during the test."""
    from st_memory.ros import log_forwarding

    lines: list[tuple[str, str, str]] = []

    class Logger:
        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, severity: str) -> Any:
            return lambda line: lines.append((self._name, severity, line))

    monkeypatch.setattr(log_forwarding, 'get_logger', Logger)
    package = logging.getLogger('st_memory')
    before = list(package.handlers)
    log_forwarding.forward_log()
    log_forwarding.forward_log()
    yield lines
    package.handlers[:] = before


def test_warning_and_error_are_forwarded_once_as_one_line(told: list[Any]) -> None:
    logging.getLogger('st_memory.vlm').warning('no %s:\n  they are gone', 'words')
    logging.getLogger('st_memory.storage').error('lost')

    assert told == [
        ('st_memory.vlm', 'warning', 'no words: they are gone'),
        ('st_memory.storage', 'error', 'lost'),
    ]


def test_what_is_no_warning_and_what_is_not_ours_stays_out(told: list[Any]) -> None:
    logging.getLogger('st_memory.vlm').info('fine')
    logging.getLogger('other').error('theirs')

    assert told == []


def test_real_logger_takes_both_severities_from_one_place(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Rclpy refuses a place that changes its severity."""
    from st_memory.ros.log_forwarding import NodeLog

    for level in (logging.WARNING, logging.ERROR, logging.WARNING):
        NodeLog().handle(logging.LogRecord('st_memory.x', level, __file__, 1, 'hm', (), None))

    said = capfd.readouterr()
    assert (said.out + said.err).count('hm') == 3

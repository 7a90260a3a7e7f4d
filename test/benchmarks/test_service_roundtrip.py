"""The live memory and its reference are asked under the same conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs rclpy (make setup)')

from benchmarks import asked_process, service_roundtrip
from benchmarks.figure import Measured
from benchmarks.reference.constant_service import ConstantService
from st_memory.ros.memory_node import MemoryNode


def test_both_services_are_run_by_one_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Sequence[Callable[[], Any]]] = []
    monkeypatch.setattr(asked_process, 'run', lambda makers: runs.append(makers) or 0)

    assert asked_process.main() == 0

    assert runs == [[MemoryNode, ConstantService]]


def test_measuring_starts_one_process_and_asks_both_services(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[str]] = []

    @contextmanager
    def running(words: Sequence[str], *_: object) -> Any:
        started.append(list(words))
        yield

    monkeypatch.setattr(service_roundtrip, '_running', running)
    monkeypatch.setattr(service_roundtrip, '_remember', lambda _: 'mug_1')
    monkeypatch.setattr(service_roundtrip, '_ask', lambda *_: Measured(2.0, 1.0))

    assert service_roundtrip.SERVICE_ROUNDTRIP.measure() == Measured(2.0, 1.0)
    assert [words[:2] for words in started] == [['-m', 'benchmarks.asked_process']]

"""What the demonstration says where it cannot run; the real run is ``make demo``."""

from __future__ import annotations

import importlib.util
from pathlib import Path
import sys
from typing import Any

import pytest

from st_memory.cli.demo import processes
from st_memory.core.errors import StMemoryError
from test.cli.conftest import RunCli


def _hide(monkeypatch: pytest.MonkeyPatch, hidden: str) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        if name.partition('.')[0] == hidden:
            return None
        return find(name, package) if name != 'rclpy' else True

    monkeypatch.setattr(importlib.util, 'find_spec', without)


@pytest.mark.parametrize('package', ['rclpy', 'st_memory_interfaces'])
def test_demo_without_ros_says_in_one_line_how_to_get_it(
    package: str, cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    _hide(monkeypatch, package)

    result = cli('demo')

    assert (result.code, result.out) == (1, '')
    assert f'{package} is not installed: run make setup' in result.err
    assert result.err.count('\n') == 1


def test_demo_without_truth_says_what_it_needs(
    cli: RunCli, walk_bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, 'require_ros', lambda: None)

    result = cli('demo', '--bag', walk_bag, '--out', tmp_path / 'out')

    assert result.code == 1
    assert 'expected its truth in' in result.err


def test_run_nodes_names_the_log_of_a_node_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / 'python'
    broken.write_text('#!/bin/sh\necho "cannot start" >&2\nexit 7\n')
    broken.chmod(0o755)
    monkeypatch.setattr(sys, 'executable', str(broken))

    with pytest.raises(StMemoryError, match=r'ended with 7: cannot start \(see .*\.log\)'):
        processes.run_nodes(tmp_path / 'x.mcap', [], tmp_path, rate=0.0, timeout_s=20.0)


def test_environment_keeps_discovery_on_this_machine() -> None:
    environment = processes._environment()

    assert environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    assert 1 <= int(environment['ROS_DOMAIN_ID']) <= 101

"""``st_memory doctor --live`` beside a memory in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from st_memory.cli.main import main

pytestmark = pytest.mark.launch


def test_live_doctor_says_what_the_node_lacks(
    start: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {'database': tmp_path / 'live.db', 'use_sim_time': True}
    memory = start('memory_node', values, '__ns:=/robot1')
    words = ['doctor', '--live', 'robot1/memory_node', '--timeout', '30']
    assert main([*words, '--json']) == 3, memory.output
    told = json.loads(capsys.readouterr().out)
    assert told['node'] == '/robot1/memory_node'
    assert told['verdict'] == 'unusable'
    codes = {f['code']: f for f in told['findings']}
    assert {'no_clock', 'no_camera'} <= set(codes)
    assert codes['no_clock']['severity'] == 'error'
    assert 'use_sim_time' in codes['no_clock']['remedy']
    assert codes['no_camera']['message'] in '\n'.join(told['missing'])

    assert main([*words, '--about', '/clock']) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('error: ')
    assert lines[-1] == 'verdict: nothing is remembered as it is'
    assert memory.end()[0] == 0, memory.output


def test_live_doctor_of_nobody_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip('rclpy', reason='needs ROS 2')
    assert main(['doctor', '--live', 'nobody', '--timeout', '0.2']) == 1
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert 'no memory /nobody answers within 0.2 s' in line
    assert 'ROS_DOMAIN_ID' in line
    assert told.out == ''


@pytest.mark.parametrize(
    'words', [[], ['some.mcap', '--live', 'x'], ['--live', '--timeout', '0'], ['--timeout', 'x']]
)
def test_doctor_of_neither_or_both_is_a_usage_error(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(['doctor', *words])
    assert stop.value.code == 2
    assert 'try: st_memory doctor --help' in capsys.readouterr().err

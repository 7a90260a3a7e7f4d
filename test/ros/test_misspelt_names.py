"""Misspelt parameters and cameras are said, with the nearest name that there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from st_memory.ros.camera_names import CameraNames
from test.ros.cup_recording import write_cup_recording
from test.ros.node_makers import make_memory, make_replay, parameters

pytestmark = pytest.mark.ros


# Cameras.


def _names(**given: tuple[str, ...]) -> tuple[CameraNames, list[str]]:
    said: list[str] = []
    return CameraNames(given, said.append), said


def test_nothing_is_said_before_there_is_a_camera() -> None:
    names, said = _names(cameras=('haed',))
    for _ in range(50):
        names.check(())
    names.check((), at_last=True)

    assert said == []


def test_name_of_no_camera_is_said_once_when_cameras_had_time_to_appear() -> None:
    names, said = _names(cameras=('haed', 'wrist'), self_masks=('wirst',))
    names.check({'head'})
    assert said == []
    for _ in range(10):
        names.check({'head', 'wrist'})

    assert said == [
        "cameras: expected one of head, wrist, got 'haed', which does nothing so far; "
        "did you mean 'head'?",
        "self_masks: expected one of head, wrist, got 'wirst', which does nothing so far; "
        "did you mean 'wrist'?",
    ]


def test_name_of_no_camera_is_said_at_the_end_of_a_short_life() -> None:
    names, said = _names(cameras=('haed',))
    names.check({'head'}, at_last=True)

    assert len(said) == 1


def test_right_names_are_not_spoken_of() -> None:
    names, said = _names(cameras=('head',))
    for _ in range(10):
        names.check({'head', 'wrist'})

    assert said == []


def test_node_says_which_mask_and_which_camera_is_none(
    graph: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cv2.imwrite(str(tmp_path / 'mask.png'), np.full((48, 64), 255, dtype=np.uint8))
    (tmp_path / 'self.yaml').write_text('self_masks: {haed: mask.png}\n')
    given = {'self_filter': str(tmp_path / 'self.yaml'), 'cameras': ['head', 'wrist']}
    memory = make_memory(graph, tmp_path / 'live.db', **given)
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    memory.finish()

    told = [line for line in capfd.readouterr().err.splitlines() if '[WARN]' in line]
    assert [line.partition(': ')[2] for line in told] == [
        "parameter cameras: expected one of head, got 'wrist', which does nothing so far",
        "self_masks of the self-filter: expected one of head, got 'haed', which does nothing so "
        "far; did you mean 'head'?",
    ]


# Parameters.


def _warnings(capfd: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capfd.readouterr().err.splitlines() if '[WARN]' in line]


def test_node_says_which_parameters_it_does_not_have(
    graph: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_memory(graph, tmp_path / 'live.db', memory__confirm_hit=3, max_wait=2.0)

    first, second = _warnings(capfd)
    assert "got 'max_wait', which is ignored; did you mean 'max_wait_s'?" in first
    assert (
        "got 'memory.confirm_hit', which is ignored; did you mean 'memory.confirm_hits'?" in second
    )


def test_node_whose_parameters_are_right_warns_of_nothing(
    graph: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_memory(
        graph,
        tmp_path / 'live.db',
        memory__confirm_hits=3,
        visibility__pixel_bounds='zero',
        use_sim_time=False,
    )

    assert _warnings(capfd) == []


def test_nodes_of_one_process_take_no_offence_at_what_is_for_the_other(
    graph: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from st_memory.ros.memory_node import MemoryNode
    from st_memory.ros.replay_node import ReplayNode

    for_all = parameters(
        database=str(tmp_path / 'live.db'),
        rate=2.0,
        memory__confirm_hits=3,
        visibility__pixel_bounds='zero',
        loop=False,
        lop=True,
    )
    for kind in (MemoryNode, ReplayNode):
        graph.add(kind(context=graph.context, parameter_overrides=for_all))

    told = _warnings(capfd)
    assert len(told) == 2
    assert all("got 'lop'" in line for line in told)
    assert "did you mean 'loop'?" in told[1]

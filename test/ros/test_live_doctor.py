"""The doctor of a running node: each cause made on purpose, named with its switch."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from test.ros.node_makers import make_memory
from test.ros.sending_robot import doctor_says, SendingRobot

pytestmark = pytest.mark.ros

MS = 1_000_000
S = 1_000_000_000


def _pair(
    graph: Any, tmp_path: Path, without: tuple[str, ...] = (), **values: Any
) -> tuple[Any, SendingRobot]:
    """Give an active memory and a robot that it hears."""
    memory = make_memory(graph, tmp_path / 'live.db', max_wait_s=0.1, **values)
    robot = SendingRobot(graph, without)
    assert robot.is_heard(memory)
    return memory, robot


def test_nothing_is_wrong_with_a_robot_that_sends_everything(graph: Any, tmp_path: Path) -> None:
    memory, robot = _pair(graph, tmp_path)
    robot.send(30)
    assert graph.spin_until(lambda: memory.active.ingest.progress.num_frames >= 25)
    found = {f.code for f in _findings(memory)}
    assert found <= {'clock_offset'}  # its stamps are of another year


def _findings(memory: Any) -> Any:
    from st_memory.doctor import received_findings

    return received_findings(memory.memory.inputs())


def test_q2_pair_gap_is_measured_and_slop_named(graph: Any, tmp_path: Path) -> None:
    _, robot = _pair(graph, tmp_path, slop_s=0.005)
    found = doctor_says(graph, robot, 'pair_gap', partial(robot.send, 10, depth_late_ns=13 * MS))
    assert 'best gap 13 ms > slop 5 ms' in found.message
    assert 'camera_info' in found.message and 'depth' in found.message
    assert 'slop_s above 0.013' in found.remedy


def test_d6_zero_focal_length_names_the_camera_info(graph: Any, tmp_path: Path) -> None:
    memory, robot = _pair(graph, tmp_path)
    found = doctor_says(graph, robot, 'unusable_camera_info', partial(robot.send, 2, focal_px=0.0))
    assert found.subject == '/head/camera_info'
    assert 'expected focal lengths > 0' in found.message
    robot.send(5)
    assert graph.spin_until(lambda: not memory.memory.inputs().unusable)  # mended: not told


@pytest.mark.parametrize(
    ('code', 'depth', 'encoding'),
    [
        ('depth_unit_implausible', 1500.0, '32FC1'),  # millimetres that are called metres
        ('depth_unit_implausible', 1, '16UC1'),  # metres that are called millimetres
        ('depth_all_invalid', 0, '16UC1'),
        ('depth_all_invalid', float('nan'), '32FC1'),
    ],
)
def test_d1_d5_depth_that_makes_no_sense_is_named(
    graph: Any, tmp_path: Path, code: str, depth: float, encoding: str
) -> None:
    _, robot = _pair(graph, tmp_path)
    send = partial(robot.send, 5, depth=depth, encoding=encoding)
    found = doctor_says(graph, robot, code, send)
    assert f'times {code}' in found.message
    assert found.remedy


def test_t4_frames_that_are_not_connected_are_named(graph: Any, tmp_path: Path) -> None:
    _, robot = _pair(graph, tmp_path)
    found = doctor_says(graph, robot, 'no_pose', partial(robot.send, 10, parent='odom'))
    assert 'map <- head_optical' in found.message
    assert 'no transform names map; connected with head_optical are odom' in found.message


def test_t4_transforms_that_end_before_the_images_say_by_how_much(
    graph: Any, tmp_path: Path
) -> None:
    _, robot = _pair(graph, tmp_path)
    found = doctor_says(graph, robot, 'no_pose', partial(robot.send, 10, tf_late_ns=-500 * MS))
    assert 'too_new: map <- head_optical; the newest transform is 0.500 s before' in found.message
    assert 'max_wait_s' in found.remedy


def test_c10_images_of_another_time_than_the_transforms_are_named(
    graph: Any, tmp_path: Path
) -> None:
    _, robot = _pair(graph, tmp_path)
    send = partial(robot.send, 10, tf_late_ns=-111_700 * MS)
    found = doctor_says(graph, robot, 'stamps_apart', send)
    assert 'are 111.7 s ahead of those of /tf' in found.message


@pytest.mark.parametrize(
    ('without', 'code'),
    [
        (('info',), 'no_camera_info'),
        (('tf',), 'no_tf'),
        (('detections',), 'no_detections'),
        (('depth',), 'no_depth'),
    ],
)
def test_q3_input_that_never_comes_is_named(
    graph: Any, tmp_path: Path, without: tuple[str, ...], code: str
) -> None:
    _, robot = _pair(graph, tmp_path, without)
    found = doctor_says(graph, robot, code, partial(robot.send, 2))
    assert found.remedy.endswith('.')


def test_c8_missing_clock_says_since_when(graph: Any, tmp_path: Path) -> None:
    memory, robot = _pair(graph, tmp_path, use_sim_time=True)
    found = doctor_says(graph, robot, 'no_clock')
    assert found.severity == 2
    assert graph.spin_until(
        lambda: any('(for ' in f.message for f in _findings(memory) if f.code == 'no_clock')
    )


def test_c8_clock_that_nobody_listens_to_names_use_sim_time(graph: Any, tmp_path: Path) -> None:
    from rosgraph_msgs.msg import Clock

    _, robot = _pair(graph, tmp_path)
    robot.node.create_publisher(Clock, '/clock', 10)
    found = doctor_says(graph, robot, 'clock_offset', partial(robot.send, 2))
    assert graph.spin_until(lambda: robot.node.count_publishers('/clock') > 0)
    found = doctor_says(graph, robot, 'clock_offset', partial(robot.send, 2))
    assert 'use_sim_time to true' in found.remedy

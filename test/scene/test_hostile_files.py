"""Files that were tampered with: one line of error or a scene, and nothing else."""

from __future__ import annotations

from pathlib import Path
import time

from hypothesis import example, given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import JointTree
from st_memory.core.records import Scene
from st_memory.scene import load_scene, SceneFileError
from st_memory.scene.urdf import read_urdf
from test.scene.urdf_texts import box_link, CUPBOARD, joint, robot, write_urdf

WHOLE = robot(*CUPBOARD)
DESCRIPTION = """\
fixtures: {a: {label: desk, is_container: true, box: {position_m: [1, 2, 3], size_m: [1, 1, 1]}}}
mesh_topics: {/t: {part: x, frame: f, fixture: a}}
joints: {h: {type: revolute, axis: [0, 0, 1], origin_m: [0, 0, 0], drawn_at: 0.1}}
"""
PIECES = ('', '"', '<', '>', 'nan', '1e999', '-', '&amp;', '[', '{', ':', '\n', '0', 'é', '\x00')

tampering = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def _outcome(path: Path) -> Scene | str:
    """Give the scene, or the error's text; anything else that is raised fails the test."""
    try:
        return load_scene(path)
    except SceneFileError as error:
        return str(error)


def _is_scene_or_one_line(path: Path) -> None:
    outcome = _outcome(path)
    if isinstance(outcome, str):
        assert str(path) in outcome
        assert len(outcome.splitlines()) == 1
    else:
        assert all(np.isfinite(p.vertices).all() for p in outcome.parts)


@tampering
@given(st.integers(0, len(WHOLE)), st.integers(0, 30), st.sampled_from(PIECES))
@example(0, len(WHOLE), '')
def test_a_urdf_with_a_piece_replaced(tmp_path: Path, start: int, length: int, piece: str) -> None:
    path = tmp_path / 'a.urdf'
    path.write_text(WHOLE[:start] + piece + WHOLE[start + length :], 'utf-8')

    _is_scene_or_one_line(path)


@tampering
@given(st.integers(0, len(DESCRIPTION)), st.integers(0, 20), st.sampled_from(PIECES))
def test_a_description_with_a_piece_replaced(
    tmp_path: Path, start: int, length: int, piece: str
) -> None:
    path = tmp_path / 'a.yaml'
    path.write_text(DESCRIPTION[:start] + piece + DESCRIPTION[start + length :], 'utf-8')

    _is_scene_or_one_line(path)


@tampering
@given(st.binary(max_size=200), st.sampled_from(['a.urdf', 'a.yaml']))
def test_bytes_that_are_nothing(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)

    _is_scene_or_one_line(path)


def test_aliases_that_would_expand_without_end_stay_small(tmp_path: Path) -> None:
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    lines += [f'a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 9)}]' for i in range(1, 12)]
    path = tmp_path / 'a.yaml'
    path.write_text('\n'.join(lines), 'utf-8')
    begun = time.monotonic()

    with pytest.raises(SceneFileError, match="unknown key 'a0'"):
        load_scene(path)

    assert time.monotonic() - begun < 5.0


def _chain(num: int, more: str = '') -> str:
    links = [f'<link name="l{i}"/>' for i in range(num)]
    joints = [
        joint(f'j{i}', f'l{i - 1}', f'l{i}', 'continuous', more=more.format(i - 1 or 1))
        for i in range(1, num)
    ]
    return robot(*links, *joints)


def test_a_chain_of_thousands_of_links_is_read_without_recursion(tmp_path: Path) -> None:
    path = tmp_path / 'a.urdf'
    path.write_text(_chain(3000), 'utf-8')

    tree = read_urdf(path).tree

    assert isinstance(tree, JointTree)
    assert len(tree.movable_links) == 2999
    assert len(tree.poses(tree.rest_positions())) == 3000


def test_joints_that_follow_each_other_a_thousand_times_are_no_recursion(tmp_path: Path) -> None:
    follow = '<mimic joint="j{}"/>'
    text = _chain(1500, follow).replace('<mimic joint="j1"/>', '', 1)
    path = tmp_path / 'a.urdf'
    path.write_text(text, 'utf-8')

    tree = read_urdf(path).tree

    assert len(tree.poses({'j1': 0.5})) == 1500


def test_a_link_of_an_astronomic_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match='expected metres, found a scene'):
        load_scene(write_urdf(tmp_path, box_link('a', '1e30 1 1')))

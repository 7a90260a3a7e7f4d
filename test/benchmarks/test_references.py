"""The references do the work they are named for, and owe nothing to the package."""

from __future__ import annotations

import ast
from pathlib import Path
import sqlite3

import numpy as np
import pytest

from benchmarks import reference
from benchmarks.reference.append_rows import RowAppender
from benchmarks.reference.cull_and_cast import BoxCuller, Lens
from benchmarks.reference.read_bag import read_bag

FOLDER = Path(reference.__file__).parent
FIXTURE = FOLDER.parents[1] / 'rosbag_fixtures' / 'kitchen_small.mcap'
OWN = {'st_memory', 'benchmarks', 'test'}


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.py')), ids=lambda path: path.stem)
def test_reference_imports_nothing_of_ours(path: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition('.')[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or '').partition('.')[0])
    assert imported & OWN == set()
    assert 'import_module' not in path.read_text()


def test_reading_sees_every_message_and_depth_image() -> None:
    contents = read_bag(FIXTURE)
    assert contents.num_depth_images == 120  # 48 s at 2.5 Hz
    assert contents.num_messages > 1440  # transforms alone come at 30 Hz
    assert contents.covered_s == pytest.approx(48.0, abs=0.5)


def test_appending_writes_as_many_rows(tmp_path: Path) -> None:
    bare = RowAppender(tmp_path / 'bare.db')
    bare.append(3)
    bare.append(4)
    bare.close()
    with sqlite3.connect(tmp_path / 'bare.db') as connection:
        assert connection.execute('SELECT count(*) FROM row').fetchone() == (7,)
    connection.close()


def test_culling_tells_seen_from_hidden_from_outside() -> None:
    wall = np.array([[[0.5, -9.0, 2.0], [0.5, 9.0, 2.0], [9.0, 0.0, 2.0]]])
    culler = BoxCuller(wall, Lens(100, 100, 50.0, 50.0, 49.5, 49.5))
    centres = np.array(
        [
            [-1.0, 0.0, 4.0],  # beside the wall
            [2.0, 0.0, 4.0],  # behind the wall
            [1.0, 0.0, 2.0],  # in the wall: half of its points stick out, the others are near it
            [9.0, 0.0, 4.0],  # beside the image
            [0.0, 0.0, -4.0],  # behind the camera
        ]
    )
    sizes = np.full((5, 3), 0.04)
    radii = np.full(5, 0.04)
    seen = culler.look(centres, sizes, radii, np.eye(3), np.zeros(3))
    assert seen.in_view.tolist() == [0, 1, 2]
    assert seen.hidden.tolist() == [False, True, False]


def test_culling_without_boxes_gives_nothing() -> None:
    culler = BoxCuller(np.eye(3)[None], Lens(100, 100, 50.0, 50.0, 49.5, 49.5))
    seen = culler.look(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.eye(3), np.zeros(3))
    assert len(seen.in_view) == len(seen.hidden) == 0

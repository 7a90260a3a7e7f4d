"""The references do the work they are named for, and owe nothing to the package."""

from __future__ import annotations

import ast
from pathlib import Path
import sqlite3

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from benchmarks import reference
from benchmarks.reference.append_rows import RowAppender
from benchmarks.reference.bare_rays import BareScene
from benchmarks.reference.cull_and_cast import BoxArrays, BoxCuller, Lens
from benchmarks.reference.read_bag import read_bag

FOLDER = Path(reference.__file__).parent
FIXTURE = FOLDER.parents[1] / 'rosbag_fixtures' / 'kitchen_small.mcap'
LENS = Lens(100, 100, 50.0, 50.0, 49.5, 49.5)
NOTHING = np.empty((0, 3))
OWN = {'st_memory', 'benchmarks', 'test'}


@pytest.mark.parametrize('path', sorted(FOLDER.glob('*.py')), ids=lambda path: path.stem)
def test_reference_imports_nothing_of_ours(path: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or '')
    others = {name for name in imported if not name.startswith('benchmarks.reference.')}
    assert {name.partition('.')[0] for name in others} & OWN == set()
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
    culler = BoxCuller(wall, LENS)
    centres = np.array(
        [
            [-1.0, 0.0, 4.0],  # beside the wall
            [2.0, 0.0, 4.0],  # behind the wall
            [1.0, 0.0, 2.0],  # in the wall: half of its points stick out, the others are near it
            [9.0, 0.0, 4.0],  # beside the image
            [0.0, 0.0, -4.0],  # behind the camera
        ]
    )
    boxes = BoxArrays.of(centres, np.full((5, 3), 0.04))
    seen = culler.look(boxes, np.eye(3), np.zeros(3))
    assert seen.in_view.tolist() == [0, 1, 2]
    assert seen.hidden.tolist() == [False, True, False]


def test_culling_without_boxes_gives_nothing() -> None:
    culler = BoxCuller(np.eye(3)[None], LENS)
    seen = culler.look(BoxArrays.of(NOTHING, NOTHING), np.eye(3), np.zeros(3))
    assert len(seen.in_view) == len(seen.hidden) == 0


def test_culling_in_chunks_equals_the_plain_rule() -> None:
    """Many boxes, turned camera, a lens whose centre is not in the middle: point by point."""
    rng = np.random.default_rng(3)
    count = 10_000
    centres, sizes = rng.uniform(-3, 3, (count, 3)), rng.uniform(0.01, 0.5, (count, 3))
    lens = Lens(120, 100, 80.0, 70.0, 40.0, 60.0)
    world_R_camera, eye = Rotation.random(random_state=5).as_matrix(), np.array([0.1, 0.2, -0.3])
    culler = BoxCuller(np.full((1, 3, 3), 99.0), lens)

    seen = culler.look(BoxArrays.of(centres, sizes), world_R_camera, eye)

    signs = (
        np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)] + [[0] * 3]) / 2
    )
    camera_p = (centres[:, None] + signs * sizes[:, None] - eye) @ world_R_camera
    x, y, z = np.moveaxis(camera_p, 2, 0)
    u, v = x / z * lens.fx + lens.cx, y / z * lens.fy + lens.cy
    inside = (z > 0) & (u >= -0.5) & (u < 119.5) & (v >= -0.5) & (v < 99.5)
    assert seen.in_view.tolist() == np.flatnonzero(inside.sum(axis=1) >= 5).tolist()
    assert 100 < len(seen.in_view) < count / 2
    assert not seen.hidden.any()


def test_rays_of_what_is_in_view_end_at_its_points() -> None:
    culler = BoxCuller(np.eye(3)[None], LENS)
    boxes = BoxArrays.of(np.array([[0.0, 0.0, 4.0], [0.0, 0.0, -4.0]]), np.full((2, 3), 0.2))
    eye = np.array([0.0, 0.0, 1.0])

    offsets, lengths = culler.rays_of(boxes, np.eye(3), eye)

    assert len(offsets) == 9
    assert sorted({round(z, 9) for z in offsets[:, 2]}) == [2.9, 3.0, 3.1]
    np.testing.assert_allclose(lengths, np.linalg.norm(offsets, axis=1), rtol=1e-12)


@pytest.mark.parametrize('query', ['OCCLUDED', 'INTERSECT'])
def test_bare_scene_tells_blocked_from_free_rays(query: str) -> None:
    wall = np.array([[[0.5, -9.0, 2.0], [0.5, 9.0, 2.0], [9.0, 0.0, 2.0]]])
    scene = BareScene(wall)
    count = 3000  # more than a batch
    origins = np.zeros((count, 3), dtype=np.float32)
    directions = np.tile(
        np.array([[0.5, 0.0, 1.0], [-0.5, 0.0, 1.0]], dtype=np.float32), (1500, 1)
    )
    reach = np.full(count, 9.0, dtype=np.float32)
    reach[::4] = 1.0  # ends before the wall

    hits = np.concatenate(scene.run(origins, directions, reach, query)) >= 0

    assert hits.tolist() == [i % 4 == 2 for i in range(count)]
    assert (scene.run_at_once(origins, directions, reach, query) >= 0).tolist() == hits.tolist()
    assert scene.blocked(origins[:0], directions[:0], reach[:0]).tolist() == []

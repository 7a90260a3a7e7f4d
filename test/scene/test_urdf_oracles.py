"""Forward kinematics of URDF files against MuJoCo and pytransform3d."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.scene.urdf import read_urdf
from test.scene.urdf_texts import box_link, random_urdf, robot

ATOL = 1e-9


@pytest.mark.parametrize('seed', range(8))
def test_link_poses_are_those_of_mujoco(seed: int, tmp_path: Path) -> None:
    mujoco: Any = pytest.importorskip('mujoco')
    rng = np.random.default_rng(seed)
    text, names = random_urdf(rng, 12)
    path = tmp_path / 'r.urdf'
    path.write_text(text)
    # Without this MuJoCo merges links that are fixed to each other.
    extension = '<mujoco><compiler fusestatic="false" angle="radian"/></mujoco>'
    # Bodies need masses, which a scene does not: MuJoCo takes them from the collision shapes.
    solid = text.replace('visual>', 'collision>').replace('</robot>', f'{extension}</robot>')
    model = mujoco.MjModel.from_xml_string(solid)
    data = mujoco.MjData(model)
    tree = read_urdf(path).tree

    for _ in range(5):
        positions = {name: float(rng.uniform(-3, 3)) for name in names}
        for name, position in positions.items():
            data.joint(name).qpos[0] = position
        mujoco.mj_kinematics(model, data)
        got = tree.poses(positions)

        assert len(got) == 12
        for i in range(1, 12):  # the root is MuJoCo's world
            body = data.body(f'l{i}')
            np.testing.assert_allclose(got[f'l{i}'].translation, body.xpos, atol=ATOL)
            np.testing.assert_allclose(got[f'l{i}'].rotation, body.xmat.reshape(3, 3), atol=ATOL)


@pytest.mark.parametrize('seed', range(4))
def test_link_poses_are_those_of_pytransform3d(seed: int, tmp_path: Path) -> None:
    urdf: Any = pytest.importorskip('pytransform3d.urdf')
    rng = np.random.default_rng(100 + seed)
    text, names = random_urdf(rng, 10)
    path = tmp_path / 'r.urdf'
    path.write_text(text)
    oracle = urdf.UrdfTransformManager()
    oracle.load_urdf(text)
    tree = read_urdf(path).tree

    for _ in range(5):
        positions = {name: float(rng.uniform(-3, 3)) for name in names}
        for name, position in positions.items():
            oracle.set_joint(name, position)
        got = tree.poses(positions)

        for i in range(1, 10):
            want = oracle.get_transform(f'l{i}', 'l0')
            np.testing.assert_allclose(got[f'l{i}'].matrix, want, atol=ATOL)


def test_shape_origins_are_those_of_pytransform3d(tmp_path: Path) -> None:
    urdf: Any = pytest.importorskip('pytransform3d.urdf')
    text = robot(box_link('a', xyz='0.1 -0.2 0.3', rpy='0.4 0.5 -0.6'))
    path = tmp_path / 'r.urdf'
    path.write_text(text)
    oracle = urdf.UrdfTransformManager()
    oracle.load_urdf(text)

    (shape,) = read_urdf(path).shapes

    want = oracle.get_transform('visual:a/0', 'a')
    np.testing.assert_allclose(shape.link_T_shape.matrix, want, atol=ATOL)

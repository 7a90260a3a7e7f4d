"""The truth against renderings that do not use our renderer, and against geometry."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.sim import load_mujoco
from test.sim.conftest import Rendered
from test.sim.tables import read_table

FRAMES = (0, 30, 71)


class Stranger:
    """Renders the truth again from the files alone, with MuJoCo's own renderer."""

    def __init__(self, kitchen: Rendered) -> None:
        self.mj: Any = load_mujoco()
        self.model = self.mj.MjModel.from_xml_path(str(kitchen.folder / 'scene.xml'))
        self.data = self.mj.MjData(self.model)
        with np.load(kitchen.folder / 'qpos.npz') as poses:
            self.qpos = poses['qpos']
            self.stamps = poses['stamp_ns'].tolist()
        self.cameras = read_table(kitchen.folder / 'cameras.csv')

    def pose(self, frame: int) -> None:
        self.data.qpos[:] = self.qpos[frame]
        self.mj.mj_forward(self.model, self.data)

    def geoms_of(self, body: str) -> list[int]:
        index = self.model.body(body).id
        return [g for g in range(self.model.ngeom) if self.model.geom_bodyid[g] == index]

    def pixels(self, renderer: Any, geoms: list[int]) -> int:
        renderer.update_scene(self.data, camera='head')
        ids = renderer.render()
        return int(
            (np.isin(ids[:, :, 0], geoms) & (ids[:, :, 1] == self.mj.mjtObj.mjOBJ_GEOM)).sum()
        )


def test_pixel_counts_come_out_the_same_from_the_files_alone(clean_kitchen: Rendered) -> None:
    stranger = Stranger(clean_kitchen)
    rows: dict[int, list[dict[str, str]]] = defaultdict(list)
    for row in clean_kitchen.truth():
        rows[int(row['stamp_ns'])].append(row)
    size = int(stranger.cameras[0]['height']), int(stranger.cameras[0]['width'])
    renderer = stranger.mj.Renderer(stranger.model, *size)
    renderer.enable_segmentation_rendering()
    rgba = stranger.model.geom_rgba.copy()
    compared = 0
    for frame in FRAMES:
        stranger.pose(frame)
        for row in rows[stranger.stamps[frame]]:
            geoms = stranger.geoms_of(row['object_id'])
            stranger.model.geom_rgba[:] = rgba
            assert stranger.pixels(renderer, geoms) == int(row['visible_px']), row
            stranger.model.geom_rgba[:, 3] = 0.0
            stranger.model.geom_rgba[geoms] = rgba[geoms]
            assert stranger.pixels(renderer, geoms) == int(row['unoccluded_px']), row
            compared += int(row['unoccluded_px']) > 0
    renderer.close()
    assert compared >= 9


def test_camera_pose_in_the_file_is_that_of_the_scene(clean_kitchen: Rendered) -> None:
    stranger = Stranger(clean_kitchen)
    for frame in FRAMES:
        stranger.pose(frame)
        row = stranger.cameras[frame]
        # MuJoCo cameras look along -Z with +Y up.
        axes = stranger.data.cam('head').xmat.reshape(3, 3) * [1, -1, -1]
        pose = RigidTransform(
            np.array([float(row[k]) for k in ('x', 'y', 'z')]),
            np.array([float(row[k]) for k in ('qx', 'qy', 'qz', 'qw')]),
        )
        np.testing.assert_allclose(pose.translation, stranger.data.cam('head').xpos, atol=1e-9)
        np.testing.assert_allclose(pose.rotation, axes, atol=1e-9)


def camera_of(kitchen: Rendered, frame: int) -> tuple[PinholeCamera, RigidTransform]:
    row = read_table(kitchen.folder / 'cameras.csv')[frame]
    model = PinholeCamera(
        int(row['width']), int(row['height']),
        *(float(row[k]) for k in ('fx', 'fy', 'cx', 'cy')),
    )  # fmt: skip
    return model, RigidTransform(
        np.array([float(row[k]) for k in ('x', 'y', 'z')]),
        np.array([float(row[k]) for k in ('qx', 'qy', 'qz', 'qw')]),
    )


def depth_of(kitchen: Rendered, frame: int) -> NDArray[np.float32]:
    image: NDArray[np.float32] = kitchen.sink.of_kind('depth')[frame].args['depth_m']
    return image


def test_clean_depth_agrees_with_rays_through_pixel_centres(clean_kitchen: Rendered) -> None:
    stranger = Stranger(clean_kitchen)
    rng = np.random.default_rng(0)
    errors = []
    for frame in FRAMES:
        stranger.pose(frame)
        model, map_T_camera = camera_of(clean_kitchen, frame)
        depth = depth_of(clean_kitchen, frame)
        u = rng.integers(0, model.width, 300)
        v = rng.integers(0, model.height, 300)
        rays = model.unproject(np.stack([u, v], axis=1).astype(float))
        for ray, z in zip(rays, depth[v, u], strict=True):
            direction = map_T_camera.rotation @ ray
            geom = np.zeros(1, np.int32)
            # The near plane cuts off what is closer than 5 cm; nothing is, here.
            length = stranger.mj.mj_ray(
                stranger.model, stranger.data, map_T_camera.translation, direction, None, 1, -1,
                geom,
            )  # fmt: skip
            errors.append(abs(length - float(z)))
    # The few large ones are pixels on an edge, where a hair decides between near and far.
    assert np.median(errors) < 1e-4
    assert np.mean(np.array(errors) < 0.01) > 0.985


def test_visible_pixels_never_exceed_the_unoccluded_ones(clean_kitchen: Rendered) -> None:
    for row in clean_kitchen.truth():
        assert int(row['visible_px']) <= int(row['unoccluded_px'])


def test_things_in_closed_containers_are_never_visible(clean_kitchen: Rendered) -> None:
    inside = [r for r in clean_kitchen.truth() if float(r['container_open']) == 0.0]
    assert len(inside) > 50
    assert {r['visible_px'] for r in inside} == {'0'}


def test_some_things_in_open_containers_are_visible(clean_kitchen: Rendered) -> None:
    shown = [
        r for r in clean_kitchen.truth()
        if r['container'] and float(r['container_open']) > 0.9 and int(r['visible_px']) > 0
    ]  # fmt: skip
    assert shown


def test_hidden_things_name_what_hides_them(clean_kitchen: Rendered) -> None:
    names = {p.name for p in clean_kitchen.sink.of_kind('scene')[0].args['scene'].parts}
    names |= {r['object_id'] for r in clean_kitchen.truth()} | {'wearer', 'partner'}
    for row in clean_kitchen.truth():
        hidden = int(row['visible_px']) < int(row['unoccluded_px'])
        assert (row['occluder'] in names) == hidden, row


def test_what_hides_things_in_closed_containers_is_mostly_their_own_container(
    clean_kitchen: Rendered,
) -> None:
    by = Counter(
        'own' if r['occluder'].startswith(r['container'] + '/') else r['occluder']
        for r in clean_kitchen.truth()
        if float(r['container_open']) == 0.0 and int(r['unoccluded_px']) > 0
    )
    assert by.most_common(1)[0][0] == 'own'


def test_thing_wholly_in_the_image_projects_inside_it(clean_kitchen: Rendered) -> None:
    frames = {int(r['stamp_ns']): i for i, r in enumerate(
        read_table(clean_kitchen.folder / 'cameras.csv'))}  # fmt: skip
    seen = 0
    for row in clean_kitchen.truth()[::7]:
        if row['box_in_image'] == '1':
            model, map_T_camera = camera_of(clean_kitchen, frames[int(row['stamp_ns'])])
            centre = np.array([[float(row[k]) for k in 'xyz']])
            u, v = model.project(map_T_camera.inverse().apply(centre)).pixels[0]
            assert -0.5 <= u < model.width - 0.5
            assert -0.5 <= v < model.height - 0.5
            seen += 1
    assert seen > 20


def test_visible_box_surrounds_the_projected_centre_of_unoccluded_things(
    clean_kitchen: Rendered,
) -> None:
    frames = {int(r['stamp_ns']): i for i, r in enumerate(
        read_table(clean_kitchen.folder / 'cameras.csv'))}  # fmt: skip
    for row in clean_kitchen.truth():
        whole = int(row['visible_px']) == int(row['unoccluded_px']) > 20
        if whole and row['box_in_image'] == '1':
            model, map_T_camera = camera_of(clean_kitchen, frames[int(row['stamp_ns'])])
            centre = np.array([[float(row[k]) for k in 'xyz']])
            pixel = model.project(map_T_camera.inverse().apply(centre)).pixels[0]
            low = np.array([float(row['box_x']), float(row['box_y'])])
            size = np.array([float(row['box_w']), float(row['box_h'])])
            assert (low - 0.5 <= pixel).all()
            assert (pixel <= low + size + 0.5).all()


@pytest.mark.parametrize('column', ['object_id', 'stamp_ns'])
def test_every_object_has_a_row_in_every_image(clean_kitchen: Rendered, column: str) -> None:
    rows = clean_kitchen.truth()
    spec = clean_kitchen.spec
    count = spec.num_images if column == 'object_id' else spec.num_objects
    values = [r[column] for r in rows]
    assert all(values.count(v) == count for v in set(values))

"""Fixture names, labels and boxes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from st_memory.scene.fixtures import (
    fixture_id_of,
    fixture_label,
    is_container,
    is_structure,
    make_fixture,
)
from test.scene.files import BOX


@pytest.mark.parametrize(
    ('name', 'label'),
    [
        ('P01_drawer.004', 'drawer'),
        ('drawer.004', 'drawer'),
        ('P12_top_microwave.001', 'top microwave'),
        ('cupboard_1', 'cupboard'),
        ('Fridge', 'fridge'),
        ('counter', 'counter'),
        ('P01_', 'P01_'),
    ],
)
def test_fixture_label_drops_kitchen_and_number(name: str, label: str) -> None:
    assert fixture_label(name) == label


def test_fixture_id_of_is_the_name_before_the_slash() -> None:
    assert fixture_id_of('cupboard_1/door') == 'cupboard_1'
    assert fixture_id_of('hob.001') == 'hob.001'


@pytest.mark.parametrize(
    ('label', 'inside'),
    [
        ('drawer', True),
        ('cupboard', True),
        ('kitchen cupboard', True),
        ('fridge', True),
        ('microwave', True),
        ('top microwave', False),
        ('counter', False),
        ('shelf', False),
        ('', False),
    ],
)
def test_is_container_tells_what_things_can_be_inside_of(label: str, inside: bool) -> None:
    assert is_container(label) is inside


@pytest.mark.parametrize(
    ('label', 'structure'),
    [('wall', True), ('kitchen wall', True), ('wall shelf', False), ('floor', False), ('', False)],
)
def test_is_structure_tells_the_building_from_furniture(label: str, structure: bool) -> None:
    assert is_structure(label) is structure


def turned_box(rotation: Rotation, size: tuple[float, float, float]) -> np.ndarray:
    """Give the corners of a box at (1, 2, 3)."""
    corners: np.ndarray = rotation.apply(BOX[0] * np.array(size)) + np.array([1.0, 2.0, 3.0])
    return corners


def test_make_fixture_box_follows_the_node() -> None:
    rotation = Rotation.from_euler('z', 20, degrees=True)
    linear = rotation.as_matrix() * np.array([2.0, 3.0, 4.0])

    fixture = make_fixture('shelf.001', turned_box(rotation, (0.6, 0.4, 0.8)), linear)

    np.testing.assert_allclose(fixture.size_m, [0.6, 0.4, 0.8], atol=1e-12)
    np.testing.assert_allclose(fixture.world_T_box.translation, [1, 2, 3], atol=1e-12)
    np.testing.assert_allclose(fixture.world_T_box.rotation, rotation.as_matrix(), atol=1e-12)
    assert (fixture.label, fixture.is_container) == ('shelf', False)


@pytest.mark.parametrize('turns', [(90, 0, 0), (0, 180, 0), (90, 0, 90), (0, 0, -90)])
def test_make_fixture_third_extent_is_the_height_however_the_node_lies(
    turns: tuple[int, int, int],
) -> None:
    upright = Rotation.from_euler('z', 10, degrees=True)
    node = upright * Rotation.from_euler('xyz', turns, degrees=True)

    fixture = make_fixture('box', turned_box(upright, (0.6, 0.4, 0.8)), node.as_matrix())

    np.testing.assert_allclose(fixture.size_m, [0.6, 0.4, 0.8], atol=1e-12)
    np.testing.assert_allclose(fixture.world_T_box.rotation, upright.as_matrix(), atol=1e-12)


def test_make_fixture_mirrored_node_still_has_a_right_handed_box() -> None:
    fixture = make_fixture('box', BOX[0], np.diag([-1.0, 1.0, 1.0]))

    np.testing.assert_allclose(fixture.world_T_box.rotation, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    'linear',
    [
        np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]),
        np.diag([1.0, 0.0, 1.0]),
        np.full((3, 3), np.nan),
    ],
)
def test_make_fixture_without_usable_axes_takes_those_of_the_world(linear: np.ndarray) -> None:
    fixture = make_fixture('box', BOX[0] * 2, linear)

    np.testing.assert_allclose(fixture.size_m, [2, 2, 2], atol=1e-12)
    np.testing.assert_allclose(fixture.world_T_box.rotation, np.eye(3), atol=1e-12)

"""Parts at rest, their extent, and what looks like another unit."""

from __future__ import annotations

import numpy as np
import pytest

from st_memory.core.geometry import Joint, JointKind, JointTree, RigidTransform
from st_memory.core.records import Articulation, Scene
from st_memory.scene.report import extent_of, rest_vertices, size_warnings
from test.contracts.ray_caster import box_part

UP = RigidTransform(np.array([0.0, 0.0, 2.0]), np.array([0.0, 0.0, 0.0, 1.0]))


def _articulated(kind: JointKind, root_frame: str = '') -> Scene:
    slide = Joint('slide', kind, 'world', 'drawer', UP, (1.0, 0.0, 0.0), (0.5, 1.0))
    placed = Articulation(JointTree([slide]), root_frame, UP)
    parts = (
        box_part('drawer', (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), frame_id='drawer'),
        box_part('body', (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), frame_id=root_frame),
        box_part('bottle', (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), frame_id='hand'),
    )
    return Scene(parts, (), placed)


@pytest.mark.parametrize(('kind', 'x'), [(JointKind.PRISMATIC, 0.5), (JointKind.FLOATING, 0.0)])
@pytest.mark.parametrize('root_frame', ['', 'cart'])
def test_parts_rest_within_the_limits_of_their_joints(
    kind: JointKind, x: float, root_frame: str
) -> None:
    rest = rest_vertices(_articulated(kind, root_frame))

    assert set(rest) == {'drawer', 'body'}  # where the hand is only TF knows
    np.testing.assert_allclose(rest['drawer'].mean(axis=0), [x, 0.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(rest['body'].mean(axis=0), [0.0, 0.0, 0.0], atol=1e-12)


def test_extent_is_that_of_the_box_around_everything() -> None:
    points = {'a': np.array([[0.0, 1.0, 2.0]]), 'b': np.array([[3.0, 1.0, -2.0]])}

    assert extent_of(points) == (3.0, 0.0, 4.0)
    assert extent_of({}) == (0.0, 0.0, 0.0)
    assert extent_of({'empty': np.zeros((0, 3))}) == (0.0, 0.0, 0.0)


def test_what_is_too_long_is_named_and_a_scene_that_is_tiny() -> None:
    room, cup = np.array([[0.0] * 3, [12.0] * 3]), np.array([[0.0] * 3, [90.0, 1.0, 1.0]])

    assert size_warnings({'room': room}) == ()
    assert size_warnings({'room': room, 'cup': cup}) == (
        'part cup is 90 m long: is its unit the metre?',
    )
    assert size_warnings({'room': room / 1000}) == (
        'the whole scene is 12 mm long: is its unit the metre?',
    )
    assert size_warnings({}) == ()

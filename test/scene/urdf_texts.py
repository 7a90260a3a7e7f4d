"""URDF texts that tests write, independent of the reader under test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

__all__ = ['BOX_LINK', 'CUPBOARD', 'box_link', 'joint', 'random_urdf', 'robot', 'write_urdf']


def box_link(name: str, size: str = '1 1 1', xyz: str = '0 0 0', rpy: str = '0 0 0') -> str:
    """Give a link with one visual box."""
    return (
        f'<link name="{name}"><visual><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<geometry><box size="{size}"/></geometry></visual></link>'
    )


BOX_LINK = box_link('a')


def joint(
    name: str,
    parent: str,
    child: str,
    kind: str = 'revolute',
    *,
    xyz: str = '0 0 0',
    rpy: str = '0 0 0',
    axis: str = '0 0 1',
    more: str = '<limit lower="-3" upper="3" effort="1" velocity="1"/>',
) -> str:
    """Give a joint."""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/>{more}</joint>'
    )


def robot(*elements: str, name: str = 'kitchen') -> str:
    """Give a whole description."""
    return f'<?xml version="1.0"?>\n<robot name="{name}">{"".join(elements)}</robot>\n'


def write_urdf(folder: Path, *elements: str, name: str = 'kitchen.urdf') -> Path:
    """Write a whole description."""
    path = folder / name
    path.write_text(robot(*elements), encoding='utf-8')
    return path


# A cupboard 2 m along x: a back wall of 0.02 m at x = 2.4, and a door of 0.02 m at x = 2 that
# is 1 m wide, and whose hinge is at its end y = 0.5. A drawer beside it slides towards -x.
CUPBOARD = (
    '<link name="world"/>',
    box_link('cupboard_1', '0.02 1 1', '0.4 0 0'),
    box_link('cupboard_1_door', '0.02 1 1', '0 -0.5 0'),
    box_link('drawer_1', '0.4 0.4 0.2'),
    joint('mount', 'world', 'cupboard_1', 'fixed', xyz='2 0 0', more=''),
    joint('hinge', 'cupboard_1', 'cupboard_1_door', xyz='0 0.5 0'),
    joint('slide', 'world', 'drawer_1', 'prismatic', xyz='2.2 1 0', axis='-1 0 0'),
)


def random_urdf(rng: np.random.Generator, num_links: int) -> tuple[str, Sequence[str]]:
    """Give a random tree of small boxes, and the names of its joints that move."""

    def words(values: np.ndarray) -> str:
        return ' '.join(repr(float(v)) for v in values)

    elements, names = [box_link('l0', '0.1 0.1 0.1')], []
    for i in range(1, num_links):
        kind = str(rng.choice(['revolute', 'continuous', 'prismatic', 'fixed']))
        axis = rng.normal(size=3)
        elements.append(box_link(f'l{i}', '0.1 0.1 0.1'))
        elements.append(
            joint(
                f'j{i}',
                f'l{rng.integers(0, i)}',
                f'l{i}',
                kind,
                xyz=words(rng.uniform(-1, 1, 3)),
                rpy=words(rng.uniform(-3, 3, 3)),
                axis=words(axis / np.linalg.norm(axis)),
                more=''
                if kind in ('fixed', 'continuous')
                else '<limit lower="-9" upper="9" effort="1" velocity="1"/>',
            )
        )
        if kind != 'fixed':
            names.append(f'j{i}')
    return robot(*elements), names

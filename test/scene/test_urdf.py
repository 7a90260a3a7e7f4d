"""URDF files: what is read, and one line for each way in which they can be broken."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.geometry import JointKind, Mimic
from st_memory.scene import SceneFileError
from st_memory.scene.urdf import BoxShape, CylinderShape, MeshShape, read_urdf, SphereShape
from test.scene.urdf_texts import BOX_LINK, box_link, CUPBOARD, joint, write_urdf

BOMB = (
    '<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><robot name="&c;"/>'
)
LEAK = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/hostname">]><robot name="&x;"/>'


def test_read_urdf_gives_joints_with_origin_axis_and_limits(tmp_path: Path) -> None:
    urdf = read_urdf(write_urdf(tmp_path, *CUPBOARD))

    slide = urdf.tree.joint('slide')
    assert urdf.name == 'kitchen'
    assert urdf.tree.root == 'world'
    assert slide is not None
    assert slide.kind is JointKind.PRISMATIC
    assert slide.axis == (-1.0, 0.0, 0.0)
    assert slide.limits == (-3.0, 3.0)
    np.testing.assert_array_equal(slide.parent_T_joint.translation, [2.2, 1.0, 0.0])
    assert urdf.tree.movable_links == {'cupboard_1_door', 'drawer_1'}


def test_read_urdf_gives_every_kind_of_shape(tmp_path: Path) -> None:
    shapes = (
        '<visual><geometry><sphere radius="0.5"/></geometry></visual>'
        '<visual><geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
        '<collision><geometry><box size="1 2 3"/></geometry></collision>'
        '<collision><geometry><mesh filename="a.stl" scale="0.001 0.001 -0.001"/></geometry>'
        '</collision>'
    )

    urdf = read_urdf(write_urdf(tmp_path, f'<link name="a">{shapes}</link>'))

    assert [s.shape for s in urdf.shapes] == [
        SphereShape(0.5),
        CylinderShape(0.1, 2.0),
        BoxShape((1.0, 2.0, 3.0)),
        MeshShape('a.stl', (0.001, 0.001, -0.001)),
    ]
    assert [s.kind for s in urdf.shapes] == ['visual', 'visual', 'collision', 'collision']


def test_read_urdf_gives_mimic_joints(tmp_path: Path) -> None:
    follow = '<mimic joint="left" multiplier="-1" offset="0.2"/>'
    path = write_urdf(
        tmp_path,
        *(f'<link name="{n}"/>' for n in 'abc'),
        joint('left', 'a', 'b', 'continuous', more=''),
        joint('right', 'a', 'c', 'continuous', more=follow),
    )

    right = read_urdf(path).tree.joint('right')

    assert right is not None
    assert right.mimic == Mimic('left', -1.0, 0.2)


def test_read_urdf_takes_the_axis_x_when_none_is_given(tmp_path: Path) -> None:
    hinge = '<joint name="h" type="continuous"><parent link="a"/><child link="b"/></joint>'
    urdf = read_urdf(write_urdf(tmp_path, '<link name="a"/>', '<link name="b"/>', hinge))

    turned = urdf.tree.poses({'h': math.pi / 2})['b']

    np.testing.assert_allclose(turned.apply([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0], atol=1e-12)


def test_read_urdf_reads_past_what_is_no_geometry(tmp_path: Path) -> None:
    path = write_urdf(
        tmp_path,
        '<material name="red"><color rgba="1 0 0 1"/></material>',
        '<link name="a"><inertial><mass value="1"/></inertial></link>',
        '<gazebo reference="a"><mu1>0.2</mu1></gazebo>',
        '<transmission name="t"/>',
    )

    assert read_urdf(path).tree.links == ('a',)


def test_a_name_with_a_leading_slash_is_that_of_the_frame(tmp_path: Path) -> None:
    assert read_urdf(write_urdf(tmp_path, '<link name="/a"/>')).tree.root == 'a'


TWO = ('<link name="a"/>', '<link name="b"/>')
NO_LIMIT = ''


@pytest.mark.parametrize(
    ('elements', 'named'),
    [
        ((), 'expected at least one link'),
        (TWO, 'expected one root link, got 2: a, b'),
        ((*TWO, '<link name="a"/>'), 'link a: .* got it twice'),
        (('<link/>',), 'expected every <link> to have a name'),
        ((*TWO, joint('h', 'a', 'b'), joint('g', 'b', 'a')), 'joints in a loop through a'),
        ((*TWO, joint('h', 'a', 'c')), 'joint h: link c does not exist'),
        ((*TWO, joint('h', 'a', 'b', 'screw')), "joint h: expected a type .* got 'screw'"),
        ((*TWO, joint('h', 'a', 'b', axis='0 0 0')), 'joint h: expected an axis'),
        ((*TWO, joint('h', 'a', 'b', axis='0 0')), 'joint h: axis xyz: expected 3 finite'),
        ((*TWO, joint('h', 'a', 'b', xyz='nan 0 0')), "origin xyz: .* got 'nan 0 0'"),
        ((*TWO, joint('h', 'a', 'b', rpy='0 inf 0')), 'joint h: origin rpy: expected 3 finite'),
        ((*TWO, joint('h', 'a', 'b', more='<limit lower="x"/>')), 'limit lower: .* finite number'),
        ((*TWO, joint('h', 'a', 'b', more='<limit lower="2" upper="1"/>')), 'lower <= upper'),
        ((*TWO, joint('h', 'a', 'b', more='<mimic joint="k"/>')), 'mimics k, which does not'),
        ((*TWO, '<joint name="h" type="fixed"/>'), 'joint h: expected a <parent link='),
        ((box_link('a', '1 0 1'),), 'link a: visual: expected size > 0, got 0'),
        ((box_link('a', '1 nan 1'),), 'link a: visual: box size: expected 3 finite'),
        (
            ('<link name="a"><visual><geometry><sphere/></geometry></visual></link>',),
            'link a: visual: expected <sphere radius="...">, found no radius',
        ),
        (
            ('<link name="a"><visual><geometry><capsule/></geometry></visual></link>',),
            'expected a box, cylinder, sphere or mesh, found a <capsule>',
        ),
        (('<link name="a"><collision/></link>',), 'link a: expected one shape in a collision'),
        (
            ('<link name="a"><visual><geometry><mesh/></geometry></visual></link>',),
            'expected a mesh with a filename',
        ),
        (
            (
                '<link name="a"><visual><geometry><mesh filename="a.stl" scale="1 0 1"/>'
                '</geometry></visual></link>',
            ),
            'expected a scale without zeros',
        ),
        ((BOX_LINK, '<xacro:macro xmlns:xacro="http://x" name="m"/>'), 'expand it with "xacro"'),
    ],
)
def test_a_broken_urdf_is_one_line_that_names_the_element(
    elements: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    path = write_urdf(tmp_path, *elements)

    with pytest.raises(SceneFileError, match=named) as caught:
        read_urdf(path)

    assert str(caught.value).startswith(f'{path}: ')
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        (BOMB, 'expected XML without <!DOCTYPE>'),
        (LEAK, 'expected XML without <!DOCTYPE>'),
        ('<robot name="r">', 'expected XML, found no element|expected XML, found'),
        ('', 'expected XML, found no element found'),
        ('not xml at all', 'expected XML, found syntax error'),
        ('<sdf version="1.9"/>', 'expected a <robot>, found a <sdf>'),
        ('<robot name="&undefined;"/>', 'expected XML, found undefined entity'),
    ],
)
def test_what_is_no_urdf_is_refused(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / 'bad.urdf'
    path.write_text(text)

    with pytest.raises(SceneFileError, match=named):
        read_urdf(path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r'nowhere\.urdf: cannot be read \(No such file'):
        read_urdf(tmp_path / 'nowhere.urdf')

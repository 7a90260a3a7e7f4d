"""Robot descriptions (URDF): links with their shapes, and the joints between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
import math
from pathlib import Path
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from st_memory.core.geometry import Joint, JointKind, JointTree, Mimic, RigidTransform
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.rotations import quat_from_rpy
from st_memory.scene.xml_files import read_xml

__all__ = [
    'BoxShape',
    'CylinderShape',
    'LinkShape',
    'MeshShape',
    'SphereShape',
    'Urdf',
    'read_urdf',
]

Vector = tuple[float, float, float]


class BoxShape(NamedTuple):
    """A box about its origin; extents in metres."""

    size: Vector


class CylinderShape(NamedTuple):
    """A cylinder about its origin, along z; metres."""

    radius: float
    length: float


class SphereShape(NamedTuple):
    """A sphere about its origin; metres."""

    radius: float


class MeshShape(NamedTuple):
    """A mesh file, and the factors along x, y and z that make metres of it."""

    uri: str
    scale: Vector = (1.0, 1.0, 1.0)


class LinkShape(NamedTuple):
    """A shape of a link; ``link_T_shape`` is its pose in the link's frame."""

    link: str
    kind: Literal['visual', 'collision']
    link_T_shape: RigidTransform
    shape: BoxShape | CylinderShape | SphereShape | MeshShape


@dataclass(frozen=True)
class Urdf:
    """
    A robot description.

    Parameters
    ----------
    name : str
        Name of the robot.
    tree : JointTree
        All links and joints.
    shapes : tuple of LinkShape
        In the order of the file.

    """

    name: str
    tree: JointTree
    shapes: tuple[LinkShape, ...]


class _MalformedError(ValueError):
    """What is wrong with an element; the file's name is put before it."""


def read_urdf(path: Path) -> Urdf:
    """
    Read a URDF file; meshes that it names are not opened.

    Parameters
    ----------
    path : Path
        The file; plain URDF, xacro already expanded.

    Raises
    ------
    SceneFileError
        If it is no URDF, an element lacks what it needs or holds no finite number, or links and
        joints are no tree. One line names the link or joint.

    References
    ----------
    wiki.ros.org/urdf/XML: robot, link, joint.

    """
    robot = read_xml(path)
    if robot.tag != 'robot':
        raise SceneFileError(f'{path}: expected a <robot>, found a <{robot.tag}>')
    if any('xacro' in e.tag for e in robot.iter()):
        raise SceneFileError(f'{path}: expected URDF, found xacro: expand it with "xacro" first')
    try:
        links = [_name(e) for e in robot.findall('link')]
        known = set(links)
        twice = sorted(name for name, count in Counter(links).items() if count > 1)
        if twice:
            raise _MalformedError(f'link {twice[0]}: expected a name of its own, got it twice')
        joints = [_joint(e) for e in robot.findall('joint')]
        for joint in joints:
            for link in (joint.parent, joint.child):
                if link not in known:
                    raise _MalformedError(f'joint {joint.name}: link {link} does not exist')
        shapes = [s for e in robot.findall('link') for s in _shapes(e)]
        tree = JointTree(joints, links)
    except ValueError as error:
        raise SceneFileError(f'{path}: {error}') from error
    return Urdf(robot.get('name', path.stem), tree, tuple(shapes))


def _name(element: Element) -> str:
    name = element.get('name', '').strip().lstrip('/')
    if not name:
        raise _MalformedError(f'expected every <{element.tag}> to have a name, found one without')
    return name


def _joint(element: Element) -> Joint:
    where = f'joint {_name(element)}'
    try:
        kind = JointKind(element.get('type', ''))
    except ValueError:
        known = ', '.join(k.value for k in JointKind)
        raise _MalformedError(
            f'{where}: expected a type ({known}), got {element.get("type")!r}'
        ) from None
    ends = []
    for end in ('parent', 'child'):
        found = element.find(end)
        link = '' if found is None else found.get('link', '').strip().lstrip('/')
        if not link:
            raise _MalformedError(f'{where}: expected a <{end} link="...">, found none')
        ends.append(link)
    axis = element.find('axis')
    return Joint(
        name=_name(element),
        kind=kind,
        parent=ends[0],
        child=ends[1],
        parent_T_joint=_origin(element, where),
        axis=(1.0, 0.0, 0.0) if axis is None else _vector(axis, 'xyz', '1 0 0', where),
        limits=_limits(element.find('limit'), kind, where),
        mimic=_mimic(element.find('mimic'), where),
    )


def _limits(element: Element | None, kind: JointKind, where: str) -> tuple[float, float] | None:
    if element is None or kind not in (JointKind.REVOLUTE, JointKind.PRISMATIC):
        return None
    lower, upper = (_number(element, key, '0', where) for key in ('lower', 'upper'))
    if lower > upper:
        raise _MalformedError(f'{where}: expected lower <= upper, got {lower:g} and {upper:g}')
    return lower, upper


def _mimic(element: Element | None, where: str) -> Mimic | None:
    if element is None:
        return None
    joint = element.get('joint', '').strip().lstrip('/')
    factor = _number(element, 'multiplier', '1', where)
    return Mimic(joint, factor, _number(element, 'offset', '0', where))


def _shapes(link: Element) -> Iterable[LinkShape]:
    where = f'link {_name(link)}'
    kinds: tuple[Literal['visual', 'collision'], ...] = ('visual', 'collision')
    for kind in kinds:
        for element in link.findall(kind):
            geometry = element.find('geometry')
            inner = [] if geometry is None else list(geometry)
            if len(inner) != 1:
                raise _MalformedError(
                    f'{where}: expected one shape in a {kind}, found {len(inner)}'
                )
            shape = _shape(inner[0], f'{where}: {kind}')
            yield LinkShape(_name(link), kind, _origin(element, where), shape)


def _shape(element: Element, where: str) -> BoxShape | CylinderShape | SphereShape | MeshShape:
    if element.tag == 'box':
        return BoxShape(_positive(_vector(element, 'size', None, where), 'size', where))
    if element.tag == 'cylinder':
        radius, length = (_number(element, key, None, where) for key in ('radius', 'length'))
        _positive((radius, length, 1.0), 'radius and length', where)
        return CylinderShape(radius, length)
    if element.tag == 'sphere':
        radius = _number(element, 'radius', None, where)
        _positive((radius, 1.0, 1.0), 'radius', where)
        return SphereShape(radius)
    if element.tag == 'mesh':
        uri = element.get('filename', '').strip()
        if not uri:
            raise _MalformedError(f'{where}: expected a mesh with a filename, found none')
        scale = _vector(element, 'scale', '1 1 1', where)
        if 0.0 in scale:
            raise _MalformedError(f'{where}: expected a scale without zeros, got {scale}')
        return MeshShape(uri, scale)
    raise _MalformedError(
        f'{where}: expected a box, cylinder, sphere or mesh, found a <{element.tag}>'
    )


def _origin(element: Element, where: str) -> RigidTransform:
    origin = element.find('origin')
    if origin is None:
        return RigidTransform.identity()
    rpy = _vector(origin, 'rpy', '0 0 0', where)
    return RigidTransform(np.array(_vector(origin, 'xyz', '0 0 0', where)), quat_from_rpy(rpy))


def _positive(values: Vector, what: str, where: str) -> Vector:
    if not all(v > 0 for v in values):
        raise _MalformedError(f'{where}: expected {what} > 0, got {min(values):g}')
    return values


def _number(element: Element, key: str, default: str | None, where: str) -> float:
    return _numbers(element, key, default, 1, where)[0]


def _vector(element: Element, key: str, default: str | None, where: str) -> Vector:
    x, y, z = _numbers(element, key, default, 3, where)
    return x, y, z


def _numbers(
    element: Element, key: str, default: str | None, count: int, where: str
) -> list[float]:
    """Read numbers of an attribute, all of them finite."""
    text = element.get(key, default)
    if text is None:
        raise _MalformedError(f'{where}: expected <{element.tag} {key}="...">, found no {key}')
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        words = 'a finite number' if count == 1 else f'{count} finite numbers'
        raise _MalformedError(f'{where}: {element.tag} {key}: expected {words}, got {text[:40]!r}')
    return values

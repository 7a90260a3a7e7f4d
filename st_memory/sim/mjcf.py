"""The kitchen as a MuJoCo scene: own primitives only, one body for everything that moves."""

from __future__ import annotations

from dataclasses import dataclass
import math
from xml.etree import ElementTree

from st_memory.sim.furniture import Part
from st_memory.sim.layout import Layout
from st_memory.sim.people import arm_shapes, BODY_SHAPES, HAND_SHAPES
from st_memory.sim.shapes import Primitive, Vec3
from st_memory.sim.spec import KitchenSpec

__all__ = ['CAMERA_NAME', 'HANDS', 'Z_FAR_M', 'Z_NEAR_M', 'KitchenModel', 'build_mjcf', 'focal_px']

CAMERA_NAME = 'head'
HANDS = ('wearer/left', 'wearer/right', 'partner/left', 'partner/right')
Z_NEAR_M, Z_FAR_M = 0.05, 20.0
_SLEEVES = {'wearer': (0.45, 0.15, 0.15), 'partner': (0.2, 0.3, 0.55)}
_AXIS_QUAT = {
    'x': '0.70710678118654757 0 0.70710678118654757 0',
    'y': '0.70710678118654757 0.70710678118654757 0 0',
}
# (position, direction, brightness) of the lamps; without shadows they only shade.
_LAMPS = (((-1.0, 0.5, 2.4), (0.2, 0.1, -1.0), 0.35), ((1.2, -0.8, 2.4), (-0.3, 0.4, -1.0), 0.3))


@dataclass(frozen=True)
class KitchenModel:
    """
    Scene text and who owns each shape.

    Parameters
    ----------
    xml : str
        MJCF; its camera ``head`` sits in the body ``head``.
    owners : tuple of str
        Owner of each geom in the order of the file: an object id, a part name, ``wearer`` or
        ``partner``.
    hinged : tuple of str
        Parts with one joint of the same name, in the order of their positions in qpos.
    free : tuple of str
        Bodies with a free joint of the same name, in the order of their poses in qpos (after
        the parts): position and quaternion w, x, y, z.

    """

    xml: str
    owners: tuple[str, ...]
    hinged: tuple[str, ...]
    free: tuple[str, ...]


def focal_px(spec: KitchenSpec) -> float:
    """Focal length in pixels; the same in both directions."""
    return spec.width / 2 / math.tan(math.radians(spec.horizontal_fov_deg) / 2)


def build_mjcf(spec: KitchenSpec, layout: Layout) -> KitchenModel:
    """
    Write the scene.

    Parameters
    ----------
    spec : KitchenSpec
        Image size and field of view.
    layout : Layout
        Furniture and objects.

    """
    root = ElementTree.Element('mujoco', model='kitchen')
    _settings(root, spec)
    world = ElementTree.SubElement(root, 'worldbody')
    for position, direction, level in _LAMPS:
        ElementTree.SubElement(
            world,
            'light',
            pos=_text(position),
            dir=_text(direction),
            directional='true',
            diffuse=_text((level,) * 3),
            specular='0 0 0',
            castshadow='false',
        )
    owners: list[str] = []
    moving = layout.moving_parts
    for part in (*(p for p in layout.parts if p.joint is None), *moving):
        _part(world, part)
        owners += [part.name] * len(part.boxes)
    free: list[str] = []
    bodies = [(o.object_id, o.object_id, o.primitives) for o in layout.objects]
    bodies.append(('partner', 'partner', BODY_SHAPES))
    for frame in HANDS:
        owner = frame.split('/')[0]
        bodies.append((frame, owner, HAND_SHAPES))
        bodies.append((f'{frame}_arm', owner, arm_shapes(_SLEEVES[owner])))
    bodies.append((CAMERA_NAME, '', ()))
    for name, owner, shapes in bodies:
        _free_body(world, name, shapes)
        owners += [owner] * len(shapes)
        free.append(name)
    head = next(b for b in world if b.get('name') == CAMERA_NAME)
    fovy = 2 * math.degrees(math.atan(spec.height / 2 / focal_px(spec)))
    # A camera looks along its -Z with +Y up; the head's +X is forward, +Z up.
    ElementTree.SubElement(
        head, 'camera', name=CAMERA_NAME, xyaxes='0 -1 0 0 0 1', fovy=repr(fovy)
    )
    ElementTree.indent(root)
    return KitchenModel(
        ElementTree.tostring(root, encoding='unicode') + '\n',
        tuple(owners),
        tuple(p.name for p in moving),
        tuple(free),
    )


def _settings(root: ElementTree.Element, spec: KitchenSpec) -> None:
    ElementTree.SubElement(root, 'compiler', angle='radian')
    ElementTree.SubElement(root, 'option', gravity='0 0 0')
    # The clip planes are in units of the extent.
    ElementTree.SubElement(root, 'statistic', extent='1', center='0 0 1')
    visual = ElementTree.SubElement(root, 'visual')
    ElementTree.SubElement(visual, 'global', offwidth=str(spec.width), offheight=str(spec.height))
    ElementTree.SubElement(visual, 'quality', offsamples='0', shadowsize='0')
    ElementTree.SubElement(visual, 'map', znear=repr(Z_NEAR_M), zfar=repr(Z_FAR_M))
    ElementTree.SubElement(
        visual, 'headlight', ambient='0.35 0.35 0.35', diffuse='0.3 0.3 0.3', specular='0 0 0'
    )
    default = ElementTree.SubElement(root, 'default')
    ElementTree.SubElement(default, 'geom', contype='0', conaffinity='0', mass='0.1')


def _part(world: ElementTree.Element, part: Part) -> None:
    quat = (math.cos(part.yaw / 2), 0.0, 0.0, math.sin(part.yaw / 2))
    body = ElementTree.SubElement(
        world, 'body', name=part.name, pos=_text(part.position), quat=_text(quat)
    )
    if part.joint is not None:
        ElementTree.SubElement(
            body, 'joint', name=part.name, type=part.joint.kind, axis=_text(part.joint.axis)
        )
    for shape in part.boxes:
        _geom(body, shape)


def _free_body(world: ElementTree.Element, name: str, shapes: tuple[Primitive, ...]) -> None:
    body = ElementTree.SubElement(world, 'body', name=name)
    ElementTree.SubElement(body, 'freejoint', name=name)
    if not shapes:
        ElementTree.SubElement(
            body, 'inertial', pos='0 0 0', mass='1', diaginertia='0.01 0.01 0.01'
        )
    for shape in shapes:
        _geom(body, shape)


def _geom(body: ElementTree.Element, shape: Primitive) -> None:
    geom = ElementTree.SubElement(
        body,
        'geom',
        type=shape.kind,
        size=_text(shape.size),
        pos=_text(shape.position),
        rgba=_text((*shape.rgb, 1.0)),
    )
    if shape.axis != 'z':
        geom.set('quat', _AXIS_QUAT[shape.axis])


def _text(values: tuple[float, ...] | Vec3) -> str:
    return ' '.join(f'{v:.17g}' for v in values)

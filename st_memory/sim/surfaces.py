"""Things without doors: worktops, table, open shelf, bin."""

from __future__ import annotations

from st_memory.sim.furniture import Anchor, Part, Slot, Unit
from st_memory.sim.shapes import box, Rgb

__all__ = ['WORKTOP_TOP', 'bin_unit', 'counter', 'shelf', 'table']

WORKTOP_TOP = 0.90
_WORKTOP_THICKNESS = 0.04
_WOOD: Rgb = (0.62, 0.46, 0.30)


def counter(fixture_id: str, anchor: Anchor, width: float, rgb: Rgb) -> Unit:
    """
    Build a worktop over base units.

    Parameters
    ----------
    fixture_id : str
        Its name.
    anchor : Anchor
        Middle of its front.
    width : float
        Metres.
    rgb : (3,) float
        Colour.

    """
    low, half, depth = WORKTOP_TOP - _WORKTOP_THICKNESS, width / 2, 0.62
    slab = box((-half, -0.02, low), (half, depth - 0.02, WORKTOP_TOP), rgb)
    columns = max(1, int((width - 0.05) / 0.30))
    pitch = width / columns
    slots = tuple(
        Slot(
            fixture_id,
            '',
            anchor.point(-half + (i + 0.5) * pitch, y, WORKTOP_TOP + 0.001),
            0.125,
            0.45,
        )
        for y in (0.15, 0.42)
        for i in range(columns)
    )
    part = Part(f'{fixture_id}/top', fixture_id, anchor.point(0.0, 0.0, 0.0), anchor.yaw, (slab,))
    return Unit(
        fixture_id,
        'counter',
        False,
        anchor.point(0.0, depth / 2 - 0.02, WORKTOP_TOP - _WORKTOP_THICKNESS / 2),
        (width, depth, _WORKTOP_THICKNESS),
        anchor.yaw,
        (part,),
        slots,
        anchor.stand(0.0, 0.62),
    )


def table(fixture_id: str, anchor: Anchor, width: float, depth: float) -> Unit:
    """
    Build a table on four legs.

    Parameters
    ----------
    fixture_id : str
        Its name.
    anchor : Anchor
        Middle of its front edge.
    width, depth : float
        Metres.

    """
    top, half = 0.75, width / 2
    boxes = [box((-half, 0.0, top - 0.03), (half, depth, top), _WOOD)]
    for x in (-half + 0.03, half - 0.07):
        for y in (0.03, depth - 0.07):
            boxes.append(box((x, y, 0.0), (x + 0.04, y + 0.04, top - 0.03), _WOOD))
    slots = tuple(
        Slot(fixture_id, '', anchor.point(x * half * 0.68, y, top + 0.001), 0.125, 0.6)
        for y in (0.16, depth - 0.2)
        for x in (-1, 0, 1)
    )
    origin = anchor.point(0.0, 0.0, 0.0)
    part = Part(f'{fixture_id}/frame', fixture_id, origin, anchor.yaw, tuple(boxes))
    return Unit(
        fixture_id,
        'table',
        False,
        anchor.point(0.0, depth / 2, top - 0.015),
        (width, depth, 0.03),
        anchor.yaw,
        (part,),
        slots,
        anchor.stand(0.0, 0.55),
    )


def shelf(fixture_id: str, anchor: Anchor, width: float) -> Unit:
    """
    Build an open shelf with three boards.

    Parameters
    ----------
    fixture_id : str
        Its name.
    anchor : Anchor
        Middle of its front.
    width : float
        Metres.

    """
    half, depth, top = width / 2, 0.30, 1.75
    boards = (0.45, 0.90, 1.32, top)
    boxes = [box((-half, 0.0, z - 0.02), (half, depth, z), _WOOD) for z in boards]
    boxes += [
        box((x, 0.0, 0.0), (x + 0.02, depth, top - 0.02), _WOOD) for x in (-half, half - 0.02)
    ]
    slots = tuple(
        Slot(fixture_id, '', anchor.point(x, 0.15, z + 0.001), 0.125, 0.38)
        for z in boards[:-1]
        for x in (-width / 3.2, 0.0, width / 3.2)
    )
    origin = anchor.point(0.0, 0.0, 0.0)
    part = Part(f'{fixture_id}/frame', fixture_id, origin, anchor.yaw, tuple(boxes))
    return Unit(
        fixture_id,
        'shelf',
        False,
        anchor.point(0.0, depth / 2, top / 2),
        (width, depth, top),
        anchor.yaw,
        (part,),
        slots,
        anchor.stand(0.0, 0.70),
    )


def bin_unit(fixture_id: str, anchor: Anchor) -> Unit:
    """
    Build an open bin.

    Parameters
    ----------
    fixture_id : str
        Its name.
    anchor : Anchor
        Middle of its front.

    """
    half, depth, top, rgb = 0.16, 0.32, 0.42, (0.3, 0.3, 0.33)
    t = 0.012
    boxes = (
        box((-half, 0.0, 0.0), (half, depth, t), rgb),
        box((-half, 0.0, t), (-half + t, depth, top), rgb),
        box((half - t, 0.0, t), (half, depth, top), rgb),
        box((-half + t, 0.0, t), (half - t, t, top), rgb),
        box((-half + t, depth - t, t), (half - t, depth, top), rgb),
    )
    slots = (Slot(fixture_id, '', anchor.point(0.0, depth / 2, t + 0.001), 0.118, 0.38),)
    part = Part(f'{fixture_id}/body', fixture_id, anchor.point(0.0, 0.0, 0.0), anchor.yaw, boxes)
    return Unit(
        fixture_id,
        'bin',
        True,
        anchor.point(0.0, depth / 2, top / 2),
        (2 * half, depth, top),
        anchor.yaw,
        (part,),
        slots,
        anchor.stand(0.0, 0.45),
    )

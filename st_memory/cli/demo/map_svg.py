"""The place from above, as SVG: fixtures, the camera's way, what is remembered where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from st_memory.cli.demo.palette import INK, STATE_COLORS
from st_memory.cli.demo.report_rows import ObjectRow
from st_memory.cli.demo.truth import Truth
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Fixture, Scene, Visibility

__all__ = ['map_svg']

Floats = NDArray[np.float64]

_WIDTH = 640
_MARGIN_M = 0.4
_CORNERS = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=np.float64)
_WEDGE_M = 0.9
# Room that the name of a fixture takes, pixels.
_LABEL_W, _LABEL_H = 58.0, 11.0


def map_svg(
    scene: Scene, rows: Sequence[ObjectRow], truth: Truth, moments_s: Sequence[float]
) -> str:
    """
    Draw the place with x to the right and y up.

    A filled dot is where an object is remembered, in the colour of its state; a ring is where
    the thing really is at the end; a line joins the two.

    Parameters
    ----------
    scene : Scene
        Whose fixtures are drawn.
    rows : sequence of ObjectRow
        Numbered from 1, as in the table beside.
    truth : Truth
        Poses of the camera and places of the things.
    moments_s : sequence of float
        Moments of questions, seconds after the first image.

    """
    outlines = [_outline(fixture) for fixture in scene.fixtures]
    path = np.array([pose.translation[:2] for pose in truth.camera_poses])
    remembered = [np.array(r.state.world_p[:2]) for r in rows if r.state.world_p is not None]
    plan = _Plan(np.concatenate([path, *outlines, *(p[None] for p in remembered)]))
    parts = [f'<svg viewBox="0 0 {_WIDTH} {plan.height:.0f}" role="img" aria-label="map">']
    parts.extend(_fixtures(scene.fixtures, outlines, plan))
    way = ' '.join(f'{x:.1f},{y:.1f}' for x, y in map(plan.pixel, path))
    parts.append(f'<polyline points="{way}" fill="none" stroke="{INK["path"]}" opacity="0.6"/>')
    parts.extend(_scale(plan))
    for number, row in enumerate(rows, start=1):
        parts.extend(_object(number, row, plan))
    start_ns = int(truth.stamps_ns[0])
    for number, moment_s in enumerate(moments_s, start=1):
        index = truth.index_at(start_ns + round(moment_s * 1e9))
        parts.append(_viewpoint(number, truth.camera_poses[index], plan))
    return '\n'.join([*parts, '</svg>'])


class _Plan:
    """From metres to pixels: x to the right, y up."""

    def __init__(self, points: Floats) -> None:
        self._low = points.min(axis=0) - _MARGIN_M
        self._high = points.max(axis=0) + _MARGIN_M
        self.scale = _WIDTH / (self._high[0] - self._low[0])
        self.height = float((self._high[1] - self._low[1]) * self.scale)

    def pixel(self, point: Floats) -> tuple[float, float]:
        """Give the place of a point, (2,) metres."""
        x = (point[0] - self._low[0]) * self.scale
        return float(x), float(self.height - (point[1] - self._low[1]) * self.scale)


def _outline(fixture: Fixture) -> Floats:
    """(4, 2) corners of the box from above."""
    corners = fixture.world_T_box.apply(_CORNERS * np.array(fixture.size_m) / 2)
    outline: Floats = corners[:, :2]
    return outline


def _fixtures(
    fixtures: Sequence[Fixture], outlines: Sequence[Floats], plan: _Plan
) -> Iterator[str]:
    """Draw boxes, containers dashed, and their names where there is room."""
    taken: list[tuple[float, float]] = []
    for fixture, outline in zip(fixtures, outlines, strict=True):
        corners = ' '.join(f'{x:.1f},{y:.1f}' for x, y in map(plan.pixel, outline))
        x, y = plan.pixel(outline.mean(axis=0))
        label = escape(fixture.fixture_id)
        dash = ' stroke-dasharray="4 3"' if fixture.is_container else ''
        fill = 'none' if fixture.is_container else INK['fixture']
        yield (
            f'<polygon points="{corners}" fill="{fill}" stroke="{INK["path"]}"{dash}>'
            f'<title>{label}</title></polygon>'
        )
        if all(abs(x - u) > _LABEL_W or abs(y - v) > _LABEL_H for u, v in taken):
            taken.append((x, y))
            yield f'<text x="{x:.1f}" y="{y + 3:.1f}" class="fixture">{label}</text>'


def _object(number: int, row: ObjectRow, plan: _Plan) -> list[str]:
    if row.state.world_p is None:
        return []
    x, y = plan.pixel(np.array(row.state.world_p))
    name = escape(row.state.object_id)
    parts = []
    if row.track is not None and row.track.is_present[-1]:
        u, v = plan.pixel(row.track.position[-1])
        parts.append(
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" '
            f'stroke="{INK["wrong"]}" stroke-width="1.5"/>'
            f'<circle cx="{u:.1f}" cy="{v:.1f}" r="10.5" fill="none" stroke="{INK["text"]}"/>'
        )
    color = STATE_COLORS[row.state.visibility]
    ink = 'dot' if row.state.visibility in _DARK else 'dot dark'
    parts.append(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{color}" stroke="white">'
        f'<title>{name}</title></circle>'
        f'<text x="{x:.1f}" y="{y + 3.5:.1f}" class="{ink}">{number}</text>'
    )
    return parts


_DARK = {
    Visibility.VISIBLE,
    Visibility.IN_MOTION,
    Visibility.ABSENT,
    Visibility.AMBIGUOUS_FIXTURE,
}


def _viewpoint(number: int, pose: RigidTransform, plan: _Plan) -> str:
    """Draw where the camera stood at a moment, and where it looked."""
    ahead = pose.rotation[:2, 2]
    yaw = np.arctan2(ahead[1], ahead[0])
    place = pose.translation[:2]
    tips = [
        place + _WEDGE_M * np.array([np.cos(yaw + side), np.sin(yaw + side)])
        for side in (-0.6, 0.6)
    ]
    corners = ' '.join(f'{x:.1f},{y:.1f}' for x, y in map(plan.pixel, [place, *tips]))
    x, y = plan.pixel(place)
    return (
        f'<polygon points="{corners}" fill="{INK["text"]}" opacity="0.10"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{INK["text"]}"/>'
        f'<text x="{x:.1f}" y="{y + 3.5:.1f}" class="dot">{number}</text>'
    )


def _scale(plan: _Plan) -> list[str]:
    """Draw one metre."""
    y = plan.height - 12
    return [
        f'<line x1="14" y1="{y:.1f}" x2="{14 + plan.scale:.1f}" y2="{y:.1f}" '
        f'stroke="{INK["text"]}" stroke-width="2"/>',
        f'<text x="14" y="{y - 6:.1f}" class="fixture" style="text-anchor:start">1 m</text>',
    ]

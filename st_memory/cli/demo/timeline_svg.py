"""Visibility of every object over time, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from st_memory.cli.demo.palette import INK, STATE_COLORS, STATE_WORDS
from st_memory.cli.demo.report_rows import ObjectRow
from st_memory.core.records import Visibility
from st_memory.core.stamps import NS_PER_S

__all__ = ['timeline_svg']

_WIDTH = 1080
_LEFT = 190
_RIGHT = 16
_TOP = 46
_ROW = 26
_BAR = 11
_SHOWN = 3


def timeline_svg(
    rows: Sequence[ObjectRow], first_ns: int, last_ns: int, moments_s: Sequence[float]
) -> str:
    """
    Draw one line per object: above what the memory told, below when the thing really showed.

    Parameters
    ----------
    rows : sequence of ObjectRow
        Objects from top to bottom.
    first_ns, last_ns : int
        Range of the time axis.
    moments_s : sequence of float
        Moments of questions, seconds after ``first_ns``.

    """
    height = _TOP + _ROW * len(rows) + 8
    axis = _Axis(first_ns, last_ns)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="visibility over time">',
        *_grid(axis, height),
    ]
    for number, row in enumerate(rows):
        parts.extend(_row(row, _TOP + number * _ROW, axis))
    for number, moment_s in enumerate(moments_s, start=1):
        x = axis.of_seconds(moment_s)
        parts.append(
            f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{height - 6}" '
            f'stroke="{INK["text"]}" stroke-dasharray="3 3"/>'
            f'<circle cx="{x:.1f}" cy="{_TOP - 14}" r="8" fill="{INK["text"]}"/>'
            f'<text x="{x:.1f}" y="{_TOP - 10}" class="dot">{number}</text>'
        )
    return '\n'.join([*parts, '</svg>'])


def legend_html() -> str:
    """Give the colours and what they mean."""
    used = [s for s in STATE_COLORS if s is not Visibility.UNKNOWN]
    items = [
        f'<span><i style="background:{STATE_COLORS[state]}"></i>{STATE_WORDS[state]}</span>'
        for state in used
    ]
    thin = f'<i class="thin" style="background:{INK["shown"]}"></i>'
    items.append(f'<span>{thin}it really showed</span>')
    return f'<p class="legend">{"".join(items)}</p>'


class _Axis:
    """From stamps to pixels."""

    def __init__(self, first_ns: int, last_ns: int) -> None:
        self.first_ns = first_ns
        self.seconds = max((last_ns - first_ns) / NS_PER_S, 1e-9)

    def of_seconds(self, seconds: float) -> float:
        """Give x of a time after the start."""
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * seconds / self.seconds

    def of(self, stamp_ns: int) -> float:
        """Give x of a stamp."""
        return self.of_seconds((stamp_ns - self.first_ns) / NS_PER_S)


def _grid(axis: _Axis, height: int) -> list[str]:
    """Draw a vertical line and a number every few seconds."""
    step = next(s for s in (1, 2, 5, 10, 30, 60, 300, 900, 3600, 10**9) if axis.seconds <= s * 12)
    parts = []
    for k in range(int(axis.seconds // step) + 1):
        x = axis.of_seconds(k * step)
        parts.append(
            f'<line x1="{x:.1f}" y1="16" x2="{x:.1f}" y2="{height - 6}" '
            f'stroke="{INK["line"]}"/>'
            f'<text x="{x:.1f}" y="10" class="tick">{k * step} s</text>'
        )
    return parts


def _row(row: ObjectRow, top: float, axis: _Axis) -> list[str]:
    name = escape(row.state.object_id)
    parts = [f'<text x="{_LEFT - 10}" y="{top + 12}" class="name">{name}</text>']
    for bar in row.bars:
        x, width = axis.of(bar.start_ns), axis.of(bar.end_ns) - axis.of(bar.start_ns)
        parts.append(
            f'<rect x="{x:.1f}" y="{top + 2}" width="{max(width, 0.5):.1f}" height="{_BAR}" '
            f'fill="{STATE_COLORS[bar.state]}"><title>{STATE_WORDS[bar.state]}</title></rect>'
        )
    for start_ns, end_ns in row.shown:
        x, width = axis.of(start_ns), axis.of(end_ns) - axis.of(start_ns)
        parts.append(
            f'<rect x="{x:.1f}" y="{top + 2 + _BAR + 2}" width="{max(width, 0.5):.1f}" '
            f'height="{_SHOWN}" fill="{INK["shown"]}"/>'
        )
    return parts

"""What one camera says of one object, from when to when."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from st_memory.core.records import MOST_TELLING_FIRST

__all__ = ['View', 'fused_view']

_RANK = {int(state): rank for rank, state in enumerate(MOST_TELLING_FIRST)}


@dataclass
class View:
    """The open visibility interval of one object in one camera."""

    state: int
    geometry: int
    cause: str
    occluder: str
    start_ns: int
    looks_before: int  # looks of the camera before the interval's first
    confirmed: int = 0  # matches inside the interval
    run_confirmed: bool = False  # a match since geometry last became VISIBLE
    since_match: int | None = None  # looks since the last match; None before one


def fused_view(views: Mapping[str, View], cameras: Set[str] | None = None) -> View | None:
    """
    Give the view that says most of those by some cameras (None: all).

    One camera that sees it outweighs all that do not; a camera that could see more of it
    outweighs one that looks away.
    """
    names = [name for name in views if cameras is None or name in cameras]
    if len(names) < 2:
        return views[names[0]] if names else None
    return views[min(names, key=lambda name: (_RANK[views[name].state], name))]

"""Names of nothing: what was likely meant, in one line."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from st_memory.conversions.assembly_settings import AssemblerSettings

__all__ = ['masks_of_no_camera', 'unknown_name']

_MAX_SHOWN = 8


def unknown_name(what: str, name: str, known: Collection[str], outcome: str = '') -> str:
    """
    Say that a name is none of those that are known, what comes of it, and which one is near.

    Examples
    --------
    >>> unknown_name('self_masks', 'haed', ['head', 'wrist'])
    "self_masks: expected one of head, wrist, got 'haed'; did you mean 'head'?"

    """
    near = get_close_matches(name, known, 1)
    names = sorted(known)
    more = f' and {len(names) - _MAX_SHOWN} more' if len(names) > _MAX_SHOWN else ''
    # Of a long list the nearest name says more than the first ones.
    shown = f'one of {", ".join(names[:_MAX_SHOWN])}{more}' if names else 'none'
    hint = f'; did you mean {near[0]!r}?' if near else ''
    so = f', which {outcome}' if outcome else ''
    return f'{what}: expected {shown}, got {name[:80]!r}{so}{hint}'


def masks_of_no_camera(settings: AssemblerSettings, cameras: Collection[str]) -> tuple[str, ...]:
    """
    Name the masks that mark nothing, since no camera is called so.

    Parameters
    ----------
    settings : AssemblerSettings
        With ``self_masks``.
    cameras : collection of str
        Cameras that there are.

    Returns
    -------
    tuple of str
        One line each, with the cameras there are and the nearest name.

    """
    return tuple(
        unknown_name('self_masks', name, cameras, 'is no camera and masks nothing')
        for name in sorted(set(settings.self_masks) - set(cameras))
    )

"""Callbacks that never raise: one bad message must not end or wedge a node."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec

__all__ = ['guarded']

P = ParamSpec('P')


def guarded(callback: Callable[P, None], report: Callable[[Exception], None]) -> Callable[P, None]:
    """
    Give a callback that reports what the given one raises.

    Parameters
    ----------
    callback : callable
        Anything whose result does not matter.
    report : callable
        Called with the error.

    """

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the boundary between one input and the next
            report(error)

    return call

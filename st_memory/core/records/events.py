"""Something that happened, with who and what took part."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ['Event']


@dataclass(frozen=True)
class Event:
    """
    One occurrence of an event type.

    Parameters
    ----------
    event_id : str
        Deterministic within the memory.
    event_type : str
        ``appeared``, ``moved``, ``absent``, ``returned``, ``merged``, ``id_reused``, ``marked``,
        ``renamed``, ``split``, ``forgotten``, ``restored``, ``rebased``, ...
    epoch : int
        Epoch it belongs to.
    start_ns, end_ns : int
        Half-open interval; equal for an instant.
    recorded_ns : int
        Stamp of the frame at which it was concluded.
    roles : tuple of (str, str)
        Role name and object or person id, in a fixed order.
    source : str
        ``fold``, ``annotation`` or ``human``.
    detail : str
        One short English clause for people.

    """

    event_id: str
    event_type: str
    epoch: int
    start_ns: int
    end_ns: int
    recorded_ns: int
    roles: tuple[tuple[str, str], ...] = ()
    source: str = 'fold'
    detail: str = ''

"""What happens, with start, end and roles, as the script knows it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ['BoxRow', 'EventLog', 'Happening']

BoxRow = tuple[int, float, float, float, float]
"""stamp_ns, x, y, width, height (pixels)."""


@dataclass(eq=False)
class Happening:
    """
    One event while it is written down.

    Parameters
    ----------
    event_id : str
        ``e`` and a running number, in the order of starts.
    event_type : str
        ``open``, ``close``, ``take``, ``take_out``, ``place``, ``put_in``, ``hand_over``,
        ``swap``, ``remove`` or ``movement``.
    roles : dict of str to str
        ``agent``, ``object``, ``object_2``, ``fixture``, ``recipient`` to ids.
    start_tick : int
        First tick of the half-open interval.
    end_tick : int, optional
        First tick after it; None while it goes on.
    detail : dict of str to str
        More about it, e.g. where a movement started and ended.
    boxes : dict of str to list
        Per role the image boxes of its visible pixels, one row per image that shows any.

    """

    event_id: str
    event_type: str
    roles: dict[str, str]
    start_tick: int
    end_tick: int | None = None
    detail: dict[str, str] = field(default_factory=dict)
    boxes: dict[str, list[BoxRow]] = field(default_factory=dict)


class EventLog:
    """Events going on and events done; the done ones are taken away as they are written."""

    def __init__(self) -> None:
        self.tick = 0
        self.count = 0
        self.ongoing: list[Happening] = []
        self._started: list[Happening] = []
        self._done: list[Happening] = []

    def begin(self, event_type: str, **roles: str) -> Happening:
        """Start an event at this tick."""
        happening = Happening(f'e{self.count:06d}', event_type, roles, self.tick)
        self.count += 1
        self.ongoing.append(happening)
        self._started.append(happening)
        return happening

    def end(self, happening: Happening, **detail: str) -> None:
        """End an event at this tick."""
        happening.end_tick = self.tick
        happening.detail.update(detail)
        self.ongoing.remove(happening)
        self._done.append(happening)

    def take_started(self) -> list[Happening]:
        """Give the events that started since the last call."""
        started, self._started = self._started, []
        return started

    def take_done(self) -> list[Happening]:
        """Give the events that ended since the last call."""
        done, self._done = self._done, []
        return done

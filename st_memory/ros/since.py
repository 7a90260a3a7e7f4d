"""Since when something is wrong, on a steady clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from st_memory.doctor import Finding

__all__ = ['Since']


class Since:
    """Takes note, again and again, of what is wrong."""

    def __init__(self) -> None:
        self._first_s: dict[tuple[str, str], float] = {}
        self._counts: dict[str, int] = {}
        self._moved_s: dict[str, float] = {}

    def note(self, findings: Iterable[Finding], counters: Mapping[str, int], now_s: float) -> None:
        """Take note of what is found now; what is not found any more is forgotten."""
        keys = [(finding.code, finding.subject) for finding in findings]
        self._first_s = {key: self._first_s.get(key, now_s) for key in keys}
        for name, count in counters.items():
            if count != self._counts.get(name, 0):
                self._counts[name] = count
                self._moved_s[name] = now_s

    def found_s(self, now_s: float) -> dict[tuple[str, str], float]:
        """Give how long ago each finding was first found, by code and subject, seconds."""
        return {key: now_s - first_s for key, first_s in self._first_s.items()}

    def counted_s(self, now_s: float) -> dict[str, float]:
        """Give how long ago each counter moved last, seconds."""
        return {name: now_s - moved_s for name, moved_s in self._moved_s.items()}

"""Which option an answer means."""

from __future__ import annotations

import re

__all__ = ['nearest_time']

_OPTION_TIME = re.compile(r'^(\d+):(\d\d):(\d\d)\b')


def nearest_time(choices: tuple[str, ...], seconds: float) -> int:
    """Give the option whose time is nearest; the earlier one of two."""
    times = []
    for choice in choices:
        found = _OPTION_TIME.match(choice)
        if found is None:
            raise ValueError(f'choices: expected times HH:MM:SS, got {choice!r}')
        hours, minutes, rest = map(int, found.groups())
        times.append(hours * 3600 + minutes * 60 + rest)
    return min(range(len(times)), key=lambda i: (abs(times[i] - seconds), i))

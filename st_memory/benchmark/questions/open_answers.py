"""What a reply to an open question says, by the rules of the benchmark's own evaluation."""

from __future__ import annotations

from collections.abc import Mapping
import re
from typing import Any, NamedTuple

from st_memory.benchmark.questions.answer_parser import essence_of, plain_words
from st_memory.benchmark.questions.question_checks import MAX_SECONDS

__all__ = [
    'POINT_TOLERANCE',
    'TIME_TOLERANCE_S',
    'TimePoint',
    'is_among_texts',
    'key_texts',
    'key_time_points',
    'time_point_said',
]

TIME_TOLERANCE_S = 1.0
"""A time is right when it is this near, seconds, and its point ..."""

POINT_TOLERANCE = 0.08
"""... this near in each direction, share of the image."""

_TIME_KEY = {
    'oos_step2_last_visible': 'sampled_last_visible_time_sec',
    'oos_step3_last_placement': 'last_placement_time_sec',
}
_TOKEN = re.compile(
    r'<TIME\s+(\d{2}):(\d{2}):(\d{2}(?:\.\d+)?)(?:\s+video\s+\d+)?>', re.IGNORECASE
)
_NUMBER = r'([-+]?\d*\.?\d+)'
_PAIR = rf'{_NUMBER}\s*,\s*{_NUMBER}'
_SECONDS = [
    re.compile(pattern)
    for pattern in (
        rf'time\s*[:=]\s*{_NUMBER}',
        rf'last\s+visible\s*(?:at|time)?\s*[:=]?\s*{_NUMBER}',
        rf'{_NUMBER}\s*s',
    )
]
_POINTS = [
    re.compile(pattern)
    for pattern in (
        rf'point\s*[:=]\s*\(?\s*{_PAIR}',
        rf'(?:coords?|coordinates?|location|position|pixel|xy|x,y)\s*[:=]\s*\(?\s*{_PAIR}',
        rf'\(\s*{_PAIR}\s*\)',
        rf'\[\s*{_PAIR}\s*\]',
        rf'x\s*[:=]\s*{_NUMBER}\s*[,; ]+y\s*[:=]\s*{_NUMBER}',
    )
]
_ANY_NUMBER = re.compile(r'[-+]?\d*\.\d+|[-+]?\d+')


class TimePoint(NamedTuple):
    """
    A time, seconds of the video, and a point, shares of the image's width and height.

    Either is None when it was not said.
    """

    seconds: float | None
    point: tuple[float, float] | None

    @property
    def is_whole(self) -> bool:
        """Whether both were said."""
        return self.seconds is not None and self.point is not None

    def is_near(self, key: TimePoint) -> bool:
        """Whether both are within the tolerances of a key."""
        if self.seconds is None or key.seconds is None or self.point is None or key.point is None:
            return False
        return abs(self.seconds - key.seconds) <= TIME_TOLERANCE_S and all(
            abs(said - true) <= POINT_TOLERANCE
            for said, true in zip(self.point, key.point, strict=True)
        )


def time_point_said(reply: str) -> TimePoint:
    """
    Find a time and a point in what a reply announces, or in its first line.

    A time is a token ``<TIME HH:MM:SS.s video 1>`` or seconds, a point two numbers that are
    named or in brackets. Without a token three numbers or more are a time and, last, a point.

    Examples
    --------
    >>> time_point_said('<TIME 00:01:03.0 video 1>; (0.1, 0.79)')
    TimePoint(seconds=63.0, point=(0.1, 0.79))

    """
    text = essence_of(reply).lower()
    seconds, point = _seconds_in(text), _point_in(text)
    if '<time' not in text:
        numbers = [float(number) for number in _ANY_NUMBER.findall(text)]
        if len(numbers) >= 3:
            seconds = numbers[0] if seconds is None else seconds
            point = (numbers[-2], numbers[-1]) if point is None else point
    return TimePoint(seconds, point)


def _seconds_in(text: str) -> float | None:
    token = _TOKEN.search(text)
    if token:
        hours, minutes, seconds = token.groups()
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    found = (pattern.search(text) for pattern in _SECONDS)
    return next((float(match.group(1)) for match in found if match), None)


def _point_in(text: str) -> tuple[float, float] | None:
    found = (pattern.search(text) for pattern in _POINTS)
    return next(((float(m.group(1)), float(m.group(2))) for m in found if m), None)


def key_time_points(step: Mapping[str, Any]) -> list[TimePoint]:
    """
    Give the times and points that are right for a step.

    Those that its metadata lists as acceptable; without any the one it was made of; none where
    the step asks for something else or either half of its key is missing.
    """
    name = _TIME_KEY.get(str(step['step_question_class']).lower())
    if name is None:
        return []
    metadata = step.get('answer_metadata') or {}
    told = [
        _key(one.get('time_sec'), one.get('normalized_projected_pixel'))
        for one in metadata.get('acceptable_answer_metadata') or []
    ]
    keys = [key for key in told if key.is_whole]
    one = _key(metadata.get(name), metadata.get('normalized_projected_pixel'))
    return keys or [one] * one.is_whole


def _key(seconds: object, point: object) -> TimePoint:
    is_point = isinstance(point, list | tuple) and len(point) >= 2
    pair = (_number(point[0]), _number(point[1])) if is_point else (None, None)  # type: ignore[index]
    x, y = pair
    return TimePoint(_number(seconds), None if x is None or y is None else (x, y))


def _number(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if abs(value) <= MAX_SECONDS else None


def key_texts(step: Mapping[str, Any]) -> list[str]:
    """Give the texts that are right for a step without any other key."""
    told = [step.get('target_text', step.get('answer')), *(step.get('acceptable_answers') or [])]
    texts = [plain_words(str(text)) for text in told if text is not None]
    return [text for text in texts if text]


def is_among_texts(reply: str, texts: list[str]) -> bool:
    """Whether what a reply announces, or its first line, is one of some texts."""
    return plain_words(essence_of(reply)) in texts

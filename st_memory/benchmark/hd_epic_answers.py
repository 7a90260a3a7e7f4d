"""Answers of a memory of movements to the questions of HD-EPIC."""

from __future__ import annotations

from collections.abc import Callable
import re
from typing import NamedTuple

from st_memory.benchmark.hd_epic_questions import MotionQuestion, option_seconds
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import (
    count_moves,
    get_itinerary,
    list_objects,
    nearest_fixture,
    Selector,
    when_static_since,
)
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import Moment, NS_PER_S, stamp_from_seconds

__all__ = ['MotionAnswer', 'MotionAnswerer']

# A question points at an object by the time at which one of its movements starts or ends.
_POINTED_AT_NS = 60_000_000

# Options name whole milliseconds.
_OPTION_NS = 1_000_000

_LEG = re.compile(r'\bfrom\b')
_ORDINAL_OF_A_NAME = re.compile(r'\d+$')


class MotionAnswer(NamedTuple):
    """
    What is said to one question.

    Attributes
    ----------
    choice_idx : int or None
        The option; None when none can be told.
    num_objects : int
        Objects that the question's time fits; 0 for a question that points at none.
    object_id : str
        The object, when there is exactly one.
    said : str
        What the memory says: a count, the seconds since which it rests, ...
    num_tied : int
        Options that fit as well as the one taken, that one included.
    reason : str
        Why there is no answer; '' when there is one.

    """

    choice_idx: int | None = None
    num_objects: int = 0
    object_id: str = ''
    said: str = ''
    num_tied: int = 0
    reason: str = ''


class MotionAnswerer:
    """
    Puts questions to the memory of one video.

    Parameters
    ----------
    reader : MemoryReader
        The memory of the whole video.
    base_stamp_ns : int
        Stamp of second 0 of the video.

    """

    def __init__(self, reader: MemoryReader, base_stamp_ns: int) -> None:
        self._reader = reader
        self._base_stamp_ns = base_stamp_ns
        self._movements = [
            (event.start_ns, event.end_ns, object_id)
            for event in reader.events()
            if event.event_type == 'moved'
            for role, object_id in event.roles
            if role == 'object'
        ]
        self._ask: dict[str, Callable[[MotionQuestion, str], MotionAnswer]] = {
            'movement_counting': self._count,
            'stationary': self._stationary,
            'itinerary': self._itinerary,
            'location': self._location,
        }

    def give(self, question: MotionQuestion) -> MotionAnswer:
        """Answer a question, or say why not."""
        if question.kind == 'contents':
            return self._contents(question)
        found = self.pointed_at(question.time_sec)
        if len(found) != 1:
            named = ', '.join(found) or 'none'
            reason = f'not_unique: objects with a movement that starts or ends then: {named}'
            return MotionAnswer(num_objects=len(found), reason=reason)
        answer = self._ask[question.kind](question, found[0])
        return answer._replace(num_objects=1, object_id=found[0])

    def pointed_at(self, time_sec: float) -> list[str]:
        """Give the ids of the objects of which a movement starts or ends at a time, sorted."""
        stamp_ns = self._stamp(time_sec)
        return sorted(
            {
                object_id
                for start_ns, end_ns, object_id in self._movements
                if min(abs(start_ns - stamp_ns), abs(end_ns - stamp_ns)) <= _POINTED_AT_NS
            }
        )

    def _count(self, question: MotionQuestion, object_id: str) -> MotionAnswer:
        """Take the offered number nearest to the count; of two as near the first."""
        answer = count_moves(self._reader, Selector(object_id=object_id))
        if answer.count is None:
            return MotionAnswer(reason=answer.reason)
        numbers = [_whole(choice) for choice in question.choices]
        gaps = [abs(n - answer.count) for n in numbers if n is not None]
        if not gaps:
            return MotionAnswer(said=str(answer.count), reason='no option is a whole number')
        nearest = [
            i
            for i, n in enumerate(numbers)
            if n is not None and abs(n - answer.count) == min(gaps)
        ]
        return MotionAnswer(nearest[0], said=str(answer.count), num_tied=len(nearest))

    def _stationary(self, question: MotionQuestion, object_id: str) -> MotionAnswer:
        """
        Take the option since which it rests long enough; of several the soonest put down.

        What rests since no option at all may still not have been moved since an early one.
        """
        rests: list[tuple[int, int]] = []
        unmoved: list[int] = []
        long_ns = round(question.longer_than_sec * NS_PER_S)
        for i, choice in enumerate(question.choices):
            seconds = option_seconds(choice)
            if seconds is None:
                continue
            start_ns = self._stamp(seconds)
            at = Moment(0, start_ns + long_ns - 1)  # a movement may begin at the very end
            rest = when_static_since(self._reader, Selector(object_id=object_id), at)
            if rest.stamp_ns is not None and rest.stamp_ns < start_ns + _OPTION_NS:
                rests.append((start_ns - rest.stamp_ns, i))
            elif rest.status is AnswerStatus.NOT_YET_SEEN:
                unmoved.append(i)
        if rests:
            after_ns, choice_idx = min(rests)
            num_tied = sum(gap_ns == after_ns for gap_ns, _ in rests)
            said = f'put down {after_ns / NS_PER_S:.3f} s before'
            return MotionAnswer(choice_idx, said=said, num_tied=num_tied)
        if len(unmoved) > 1:
            return MotionAnswer(
                reason=f'not moved by any of {len(unmoved)} options: all fit alike'
            )
        if unmoved:
            return MotionAnswer(unmoved[0], said='not moved by then', num_tied=1)
        return MotionAnswer(reason='it rests that long since none of the options')

    def _itinerary(self, question: MotionQuestion, object_id: str) -> MotionAnswer:
        """Take the only option with as many legs as there were movements; no place is known."""
        answer = get_itinerary(self._reader, Selector(object_id=object_id))
        legs = [len(_LEG.findall(choice)) for choice in question.choices]
        fitting = [i for i, num in enumerate(legs) if num == answer.num_moves]
        said = str(answer.num_moves)
        if len(fitting) != 1:
            reason = f'{len(fitting)} options have as many legs; {answer.reason}'
            return MotionAnswer(said=said, reason=reason)
        return MotionAnswer(fitting[0], said=said, num_tied=1)

    def _location(self, question: MotionQuestion, object_id: str) -> MotionAnswer:
        """Ask for its fixture, which is known only where positions are."""
        at = Moment(0, self._stamp(question.time_sec) + _POINTED_AT_NS)
        answer = nearest_fixture(self._reader, Selector(object_id=object_id), at)
        return MotionAnswer(reason=answer.reason or 'no option names its fixture')

    def _contents(self, question: MotionQuestion) -> MotionAnswer:
        """Take the only option all of whose objects were ever moved; no container is known."""
        labels = {
            _ORDINAL_OF_A_NAME.sub('', state.label.lower()).strip()
            for state in list_objects(self._reader).objects
        }
        fitting = [
            i
            for i, choice in enumerate(question.choices)
            if all(name.strip().lower() in labels for name in choice.split(','))
        ]
        if len(fitting) != 1:
            reason = f'the memory knows all objects of {len(fitting)} options, and of no container'
            return MotionAnswer(reason=reason)
        return MotionAnswer(fitting[0], said='all its objects are known', num_tied=1)

    def _stamp(self, time_sec: float) -> int:
        return self._base_stamp_ns + stamp_from_seconds(time_sec)


def _whole(choice: str) -> int | None:
    text = choice.strip()
    return int(text) if re.fullmatch(r'\d{1,9}', text, re.ASCII) else None

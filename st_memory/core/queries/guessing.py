"""What was said and what it was taken for, in the sentence: all that a robot speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, cast, TypeVar

from st_memory.core.queries.answers import Answer
from st_memory.core.queries.meaning import SAME
from st_memory.core.queries.naming import alike, fitting, Selector
from st_memory.core.queries.wording import clip_name
from st_memory.core.records import ObjectState

__all__ = ['names_its_guess']

_Ask = TypeVar('_Ask', bound=Callable[..., Answer])


def names_its_guess(ask: _Ask) -> _Ask:
    """
    Let a question about one object say in its sentence when the words only come close to it.

    Parameters
    ----------
    ask : callable
        Takes the memory, a ``selector``, and more; gives an answer about ``object``.

    """

    @wraps(ask)
    def asked(*args: Any, **kwargs: Any) -> Answer:
        answer = ask(*args, **kwargs)
        selector: Selector = kwargs['selector'] if 'selector' in kwargs else args[1]
        guess = _guess(answer.object, selector)
        if not guess:
            return answer
        return replace(answer, sentence=f'{guess}. {answer.sentence}')

    return cast(_Ask, asked)


def _guess(state: ObjectState | None, selector: Selector) -> str:
    """Say that nothing is called so, and what is meant instead; '' for what is called so."""
    if state is None or fitting((state,), selector):
        return ''
    meant = alike((state,), selector)
    if not meant or meant[0].cosine >= SAME:
        return ''
    text = clip_name(selector.text)
    return f'I know no {text}; the closest is the {clip_name(meant[0].name)}'

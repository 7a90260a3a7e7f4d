"""Which option a reply in words means, by the rules of the benchmark's own evaluation."""

from __future__ import annotations

from collections.abc import Sequence
import re
import string

__all__ = ['NOT_PARSED', 'essence_of', 'option_meant', 'plain_words']

NOT_PARSED = -1
"""No option was meant; counts as wrong."""

_ANSI = re.compile(r'\x1b\[[0-?]*[ -/]*[@-~]')
_UNDERLINE = '\u0332'
# The evaluation deletes what stands after the end of the reasoning, not the reasoning itself.
_AFTER_THOUGHT = re.compile(r'</think>.*\Z', re.IGNORECASE | re.DOTALL)
_ANNOUNCED = r'(?:(?:final|correct)\s+)?answer'
_INTRODUCED = rf'(?:{_ANNOUNCED}|option|choice)\s*(?:is|=|:|-)?\s*'
_ANNOUNCED_LETTER = re.compile(rf'{_INTRODUCED}\(?\s*([A-Z])\s*\)?\b', re.IGNORECASE)
_ANNOUNCED_WORDS = re.compile(rf'{_ANNOUNCED}\s*(?:is|=|:|-)\s*([^\n\r]+)', re.IGNORECASE)
_YES_NO = re.compile(r'\b(yes|no)\b')
_TRIMMED = ' .,:;!?()[]{}"\'`*_'
# A bare word means the relation, and is no part of an option such as 'Front-right'.
_RELATIONS = {
    'right': 'to the right',
    'left': 'to the left',
    **dict.fromkeys(('front', 'in front', 'ahead of'), 'in front of'),
    **dict.fromkeys(('back', 'at the back'), 'behind'),
}


def option_meant(reply: str, choices: Sequence[str]) -> int:
    """
    Give the index of the option that a reply means.

    In this order: a letter in what the reply announces as its answer or, without that, in its
    first line; the words of an option there; a letter, then words, anywhere in the reply. A
    letter counts when no other letter follows it and there is such an option. A bare name of a
    relation ('right', 'back') means that relation ('to the right', 'behind').

    Parameters
    ----------
    reply : str
        What was answered.
    choices : sequence of str
        The options.

    Returns
    -------
    int
        :data:`NOT_PARSED` when no option is meant.

    Examples
    --------
    >>> option_meant('The answer is (B).', ['No', 'Yes'])
    1
    >>> option_meant('yes, it is on the table', ['No', 'Yes'])
    1

    """
    for text in (essence_of(reply), reply):
        for find in (_by_letter, _by_words):
            index = find(text, choices)
            if index != NOT_PARSED:
                return index
    return NOT_PARSED


def _plain(text: str) -> str:
    return _ANSI.sub('', text).replace(_UNDERLINE, '').strip()


def essence_of(reply: str) -> str:
    """Give what the reply announces as its answer the last time, else its first line."""
    text = _AFTER_THOUGHT.sub('', _plain(reply)).strip()
    for pattern in (_ANNOUNCED_LETTER, _ANNOUNCED_WORDS):
        found = pattern.findall(text)
        if found:
            text = found[-1]
            break
    return next((line.strip() for line in text.splitlines() if line.strip()), '')


def plain_words(text: str) -> str:
    """Give a text in lower case, with single blanks."""
    return ' '.join(text.lower().split())


def _by_letter(text: str, choices: Sequence[str]) -> int:
    """Find a letter that is announced, leads the text, or stands behind a bullet."""
    plain = _plain(text).upper()
    if not plain or not choices:
        return NOT_PARSED
    letters = string.ascii_uppercase[: len(choices)]
    letter = rf'([{letters}])(?=$|[^A-Z])'
    for lead in (rf'{_INTRODUCED}[(\[]?\s*', r'\A[\s\W_]*'):
        found = re.search(lead + letter, plain, re.IGNORECASE)
        if found:
            return letters.index(found.group(1).upper())
    return NOT_PARSED


def _by_words(text: str, choices: Sequence[str]) -> int:
    """Find an option that is said, wholly or as a part, or of which a part is said."""
    said = _worded(essence_of(text))
    options = [_worded(choice) for choice in choices]
    if said in options:
        return options.index(said)
    yes_no = _YES_NO.search(said)
    if yes_no and yes_no.group(1) in options:
        return options.index(yes_no.group(1))
    for i, option in enumerate(options):
        if option and _is_within(option, said):
            return i
    for i, option in enumerate(options):
        if said and _is_within(said, option):
            return i
    return NOT_PARSED


def _worded(text: str) -> str:
    words = plain_words(text)
    return _RELATIONS.get(words, words).strip(_TRIMMED)


def _is_within(part: str, whole: str) -> bool:
    return re.search(rf'\b{re.escape(part)}\b', whole) is not None

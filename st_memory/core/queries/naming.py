"""Which objects a name, a label or free text fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
import re

from st_memory.core.ports.text_encoder import TextEncoder
from st_memory.core.queries.asked_names import check_names
from st_memory.core.queries.meaning import ALIKE, CLEAR_MARGIN, closest_names, Likeness
from st_memory.core.queries.wording import clip_name, join_names
from st_memory.core.records import ObjectState
from st_memory.core.records.objects import is_called

__all__ = [
    'Selector',
    'alike',
    'describe_meant',
    'fitting',
    'named_briefly',
    'named_so',
    'singulars',
]

_DENYING = frozenset(('except', 'no', 'not', 'without'))
_PLURALS = (
    ('ches', 'ch'),
    ('shes', 'sh'),
    ('ses', 's'),
    ('xes', 'x'),
    ('zes', 'z'),
    ('oes', 'o'),
    ('ies', 'y'),
    ('ives', 'ife'),
    ('aves', 'af'),
    ('lves', 'lf'),
)
# The plural of no name is as short as this.
_SHORT = 3
# More names than this make no reason to read.
_MAX_NAMED = 20


@dataclass(frozen=True)
class Selector:
    """
    Which object a question is about.

    Exactly one field is used: ``object_id`` before ``label`` before ``text``. A label must equal
    the object's label or an alias; of a text, every word must occur in its id, label or aliases,
    in the singular or plural. With an ``encoder``, a text whose words do not occur means the
    objects whose names are clearly the most alike in meaning; one that says what is not meant
    ('not a mug') means none.

    Raises
    ------
    StMemoryError
        If a name is no text.

    """

    object_id: str = ''
    label: str = ''
    text: str = ''
    encoder: TextEncoder | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_names(object_id=self.object_id, label=self.label, text=self.text)

    def describe(self) -> str:
        """Say what was asked for."""
        return self.object_id or self.label or self.text


def alike(objects: Sequence[ObjectState], selector: Selector) -> list[Likeness]:
    """
    Give the names that a selector's text may mean, the best first.

    None of them is meant when the best one is not alike enough: it is given alone then.
    """
    if selector.object_id or selector.label or selector.encoder is None:
        return []
    if not _DENYING.isdisjoint(_words(selector.text)):
        return []
    names = sorted({name for s in objects for name in (s.label, *s.aliases) if name})
    found = closest_names(selector.encoder, names, selector.text)
    if not found or found[0].cosine < ALIKE:
        return found[:1]
    least = max(ALIKE, found[0].cosine - CLEAR_MARGIN)
    return [one for one in found if one.cosine >= least]


def named_so(objects: Sequence[ObjectState], meant: Sequence[Likeness]) -> list[ObjectState]:
    """Give the objects with one of the names that are meant."""
    names = {one.name for one in meant if one.cosine >= ALIKE}
    return [s for s in objects if names and not names.isdisjoint((s.label, *s.aliases))]


def describe_meant(meant: Sequence[Likeness]) -> str:
    """Name what may be meant, and how alike it is."""
    return '; '.join(f'{clip_name(one.name)}, similarity {one.cosine:.2f}' for one in meant[:3])


def named_briefly(names: Sequence[str]) -> str:
    """Join names, the first ones when there are many."""
    named = [clip_name(name) for name in names[:_MAX_NAMED]]
    return join_names(named, len(names) - len(named))


def fitting(objects: tuple[ObjectState, ...], selector: Selector) -> list[ObjectState]:
    """Give the objects that a selector names."""
    if selector.object_id:
        return [s for s in objects if s.object_id == selector.object_id]
    if selector.label:
        return [s for s in objects if is_called(s, selector.label)]
    words = [singulars(word) for word in _words(selector.text)]
    if not words:
        return []
    return [
        s
        for s in objects
        if not any(map(_words_of(s.object_id, s.label, s.aliases).isdisjoint, words))
    ]


@lru_cache(maxsize=4096)
def _words_of(object_id: str, label: str, aliases: tuple[str, ...]) -> frozenset[str]:
    """Words that an object is called by, in all forms that :func:`singulars` gives."""
    names = _words(' '.join((object_id, label, *aliases)))
    return frozenset(form for word in names for form in singulars(word))


def singulars(word: str) -> frozenset[str]:
    """
    Give a word and what it may be the plural of, by the endings of English.

    Examples
    --------
    >>> sorted(singulars('boxes')), sorted(singulars('knives')), sorted(singulars('glass'))
    (['box', 'boxe', 'boxes'], ['knife', 'knive', 'knives'], ['glass'])

    """
    forms = {word}
    if len(word) > _SHORT and word.endswith('s') and not word.endswith('ss'):
        forms.add(word[:-1])
        forms.update(word[: -len(end)] + one for end, one in _PLURALS if word.endswith(end))
    return frozenset(forms)


def _words(text: str) -> frozenset[str]:
    """Lower-case words, digits and letters of any script."""
    return frozenset(re.findall(r'[^\W_]+', text.lower()))

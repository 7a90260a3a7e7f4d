"""Free text: words first, then what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
import pytest

from st_memory.core.ports.text_encoder import TextEncoder
from st_memory.core.queries import (
    Answer,
    count_moves,
    find_item,
    get_itinerary,
    get_timeline,
    get_visibility,
    locate,
    nearest_fixture,
    relative_pose,
    Selector,
    when_first_seen,
    when_last_detected,
    when_last_placed,
    when_last_visible,
    when_static_since,
)
from st_memory.core.queries.meaning import closest_names, Likeness
from st_memory.core.records import AnswerStatus, ObjectState
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S

# Directions of meaning in a plane, degrees: alike is what lies close.
_DEGREES = {
    'mug': 0.0,
    'cup': 20.0,
    'drinking vessel': 10.0,
    'beaker': 4.0,
    'plate': 90.0,
    'dish': 60.0,
    'sofa': 180.0,
    'couch': 178.0,
}


class PlaneEncoder:
    """An encoder whose vectors are known: angles in a plane; unknown words mean nothing."""

    dimension = 2

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded += texts
        rows = [
            (np.cos(np.radians(_DEGREES[t])), np.sin(np.radians(_DEGREES[t])))
            if t in _DEGREES
            else (0.0, 0.0)
            for t in texts
        ]
        return np.array(rows, dtype=np.float32).reshape(-1, 2)

    def closest(
        self, rows: NDArray[np.float32], row: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        cosines = rows @ row
        order = np.argsort(-cosines, kind='stable')[:count]
        return order, cosines[order]


def kitchen(*labels: str) -> InMemoryStore:
    states = [
        ObjectState(f'{label}_1', label, 0, world_p=(float(k), 0.0, 0.0), last_seen_ns=(k + 1) * S)
        for k, label in enumerate(labels)
    ]
    return commit(InMemoryStore(), 9, *states)


def ask(store: InMemoryStore, text: str, encoder: TextEncoder | None = None):
    return locate(store, Selector(text=text, encoder=encoder or PlaneEncoder()))


def test_plane_encoder_is_a_text_encoder() -> None:
    assert isinstance(PlaneEncoder(), TextEncoder)


def test_text_that_means_one_name_finds_it_and_says_how_alike() -> None:
    answer = ask(kitchen('mug', 'plate', 'sofa'), 'couch')

    assert answer.status is AnswerStatus.KNOWN
    assert answer.object is not None
    assert answer.object.object_id == 'sofa_1'
    assert answer.reason == 'couch is taken to mean sofa, similarity 1.00'


def test_text_between_two_names_is_ambiguous_and_names_both() -> None:
    answer = ask(kitchen('mug', 'cup', 'sofa'), 'drinking vessel')

    # Ten degrees from both: cosine 0.98. The one seen last is the best guess.
    assert answer.status is AnswerStatus.AMBIGUOUS
    assert answer.object is not None
    assert answer.object.object_id == 'cup_1'
    assert [s.object_id for s in answer.alternatives] == ['mug_1']
    assert answer.reason == (
        '2 objects fit drinking vessel: cup_1 and mug_1 '
        '(cup, similarity 0.98; mug, similarity 0.98)'
    )


def test_name_that_is_clearly_less_alike_is_not_meant() -> None:
    # cos 4 = 0.998; cos 56 = 0.56 is alike enough, but not as much as the best.
    answer = ask(kitchen('mug', 'dish'), 'beaker')

    assert (answer.status, answer.object and answer.object.object_id) == (
        AnswerStatus.KNOWN,
        'mug_1',
    )


@pytest.mark.parametrize(
    ('text', 'closest'),
    [
        ('couch', ''),  # cos 88 = 0.03 says nothing
        ('cup', 'closest is plate, similarity 0.34; '),  # cos 70
    ],
)
def test_text_that_means_nothing_known_is_refused_with_what_comes_close(
    text: str, closest: str
) -> None:
    answer = ask(kitchen('plate'), text)

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.reason == f'no {text} has been seen by then; {closest}known are: plate'


# A guess is told as one. cos 30 = 0.87, cos 20 = 0.94, cos 18 = 0.95.


@pytest.mark.parametrize(
    'question',
    [
        locate,
        get_visibility,
        get_timeline,
        find_item,
        get_itinerary,
        count_moves,
        nearest_fixture,
        relative_pose,
        when_first_seen,
        when_last_detected,
        when_last_placed,
        when_last_visible,
        when_static_since,
    ],
)
def test_every_question_says_once_that_it_guesses(question: Callable[..., Answer]) -> None:
    store = kitchen('mug', 'plate')

    guessed = question(store, Selector(text='cup', encoder=PlaneEncoder()))
    named = question(store, Selector(text='mug', encoder=PlaneEncoder()))

    assert named.object == guessed.object
    assert guessed.sentence.startswith('I know no cup; the closest is the mug. The mug (mug_1)')
    assert guessed.sentence.count('the closest is the mug') == 1
    assert 'the closest' not in named.sentence
    assert guessed.status is not AnswerStatus.KNOWN


def test_guess_is_no_plain_knowing() -> None:
    answer = ask(kitchen('mug', 'sofa'), 'cup')

    assert (answer.status, answer.alternatives) == (AnswerStatus.AMBIGUOUS, ())
    assert answer.sentence.startswith('I know no cup; the closest is the mug. The mug (mug_1) is')


def test_question_asked_by_keywords_guesses_as_well() -> None:
    store, who = kitchen('mug'), Selector(text='cup', encoder=PlaneEncoder())

    assert locate(reader=store, selector=who) == locate(store, who)


@pytest.mark.parametrize('text', ['not a beaker', 'no beaker', 'without beaker'])
def test_what_is_not_meant_is_not_guessed(text: str) -> None:
    encoder = PlaneEncoder()

    assert ask(kitchen('mug'), text, encoder).status is AnswerStatus.NOT_YET_SEEN
    assert encoder.encoded == []


# Singular and plural.


@pytest.mark.parametrize(
    ('text', 'label'),
    [
        ('mugs', 'mug'),
        ('boxes', 'tea box'),
        ('tea boxes', 'tea box'),
        ('vases', 'vase'),
        ('vase', 'vases'),
        ('glasses', 'glass'),
        ('dishes', 'dish'),
        ('knives', 'knife'),
        ('leaves', 'leaf'),
        ('shelves', 'shelf'),
        ('berries', 'berry'),
        ('tomatoes', 'tomato'),
        ('torches', 'torch'),
    ],
)
def test_plural_means_what_the_singular_means(text: str, label: str) -> None:
    answer = locate(kitchen(label, 'sofa'), Selector(text=text))

    assert (answer.status, answer.object and answer.object.label) == (AnswerStatus.KNOWN, label)


def test_plural_is_as_ambiguous_as_the_singular() -> None:
    store = kitchen('tea box', 'cereal box')

    one, several = (locate(store, Selector(text=text)) for text in ('box', 'boxes'))

    assert several.status is one.status is AnswerStatus.AMBIGUOUS
    assert several.object == one.object
    assert several.alternatives == one.alternatives


@pytest.mark.parametrize(('text', 'label'), [('glas', 'glass'), ('bu', 'bus'), ('gla', 'glass')])
def test_no_ending_is_made_up(text: str, label: str) -> None:
    assert locate(kitchen(label), Selector(text=text)).status is AnswerStatus.NOT_YET_SEEN


def test_text_without_meaning_is_refused() -> None:
    assert ask(kitchen('mug'), 'xqzt').reason == 'no xqzt has been seen by then; known are: mug'


def test_words_that_occur_come_before_meaning() -> None:
    encoder = PlaneEncoder()
    answer = ask(kitchen('mug', 'cup'), 'cup', encoder)

    assert (answer.status, answer.object and answer.object.object_id) == (
        AnswerStatus.KNOWN,
        'cup_1',
    )
    assert encoder.encoded == []


def test_alias_may_be_what_is_meant() -> None:
    state = ObjectState('thing_7', 'thing', 0, aliases=('sofa',), world_p=(0.0, 0.0, 0.0))
    answer = ask(commit(InMemoryStore(), 1, state), 'couch')

    assert answer.object is not None
    assert answer.object.object_id == 'thing_7'


@pytest.mark.parametrize('selector', [Selector(object_id='couch'), Selector(label='couch')])
def test_ids_and_labels_are_never_guessed(selector: Selector) -> None:
    answer = locate(kitchen('sofa'), replace(selector, encoder=PlaneEncoder()))

    assert answer.status is AnswerStatus.NOT_YET_SEEN


def test_without_an_encoder_words_must_occur() -> None:
    answer = locate(kitchen('sofa'), Selector(text='couch'))

    assert answer.reason == 'no couch has been seen by then; known are: sofa'


def test_vectors_of_the_same_names_are_made_once() -> None:
    encoder, names = PlaneEncoder(), ['mug', 'cup']

    first = closest_names(encoder, names, 'beaker')
    second = closest_names(encoder, names, 'beaker')

    assert first == second
    assert [one.name for one in first] == ['mug', 'cup']
    assert encoder.encoded.count('mug') == 1


def test_best_of_many_names_is_found() -> None:
    names = [f'name {k}' for k in range(100)] + ['mug']

    assert closest_names(PlaneEncoder(), names, 'beaker')[0] == Likeness(
        'mug', pytest.approx(np.cos(np.radians(4.0)))
    )


def test_no_names_mean_nothing() -> None:
    assert closest_names(PlaneEncoder(), [], 'beaker') == []


def test_meaning_of_an_endless_text_does_not_fill_the_reason() -> None:
    answer = ask(kitchen('mug'), 'x' * 10_000_000)

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert len(answer.reason) < 200

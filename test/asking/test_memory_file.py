"""The way in for Python programs."""

from __future__ import annotations

from collections.abc import Iterator
import dataclasses
import inspect
from pathlib import Path

import pytest

from st_memory.asking import MemoryFile, selector_of
from st_memory.core import queries
from st_memory.core.errors import StMemoryError, StoreError
from st_memory.core.queries import Answer, DirectionScheme, Selector
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore
from test.core.queries.conftest import S
from test.core.queries.story import make_story

MUG = Selector(label='mug')


ABOUT_ONE = (
    'where',
    'visible',
    'timeline',
    'first_seen',
    'last_seen',
    'last_detected',
    'last_placed',
    'static_since',
    'moves',
    'itinerary',
    'fixture',
    'find',
)


@pytest.fixture(scope='module')
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp('asking') / 'story.db'
    with SqliteMemoryStore.open(made) as store:
        make_story(store=store)
    return made


@pytest.fixture(scope='module')
def memory(path: Path) -> Iterator[MemoryFile]:
    with MemoryFile(path) as opened:
        yield opened


def common(answer: Answer) -> tuple[object, ...]:
    """What every answer has; furniture is read anew each time and equals itself only."""
    names = (field.name for field in dataclasses.fields(Answer))
    return tuple(getattr(answer, name) for name in names)


@pytest.mark.parametrize('second', [None, 9.0])
@pytest.mark.parametrize(
    ('method', 'question'),
    [
        ('where', queries.locate),
        ('visible', queries.get_visibility),
        ('timeline', queries.get_timeline),
        ('first_seen', queries.when_first_seen),
        ('last_seen', queries.when_last_visible),
        ('last_detected', queries.when_last_detected),
        ('last_placed', queries.when_last_placed),
        ('static_since', queries.when_static_since),
        ('moves', queries.count_moves),
        ('itinerary', queries.get_itinerary),
        ('fixture', queries.nearest_fixture),
        ('find', queries.find_item),
    ],
)
def test_question_about_an_object_is_that_of_the_core(
    method: str, question, second: float | None, memory: MemoryFile
) -> None:
    at = None if second is None else Moment(0, round(second * S))

    asked, answered = getattr(memory, method)('mug', at), question(memory.reader, MUG, at)
    assert type(asked) is type(answered)
    assert common(asked) == common(answered)


def test_questions_about_the_whole_are_those_of_the_core(memory: MemoryFile) -> None:
    store, then = memory.reader, Moment(0, 9 * S)

    assert memory.contents('drawer_1', then) == queries.list_contents(store, 'drawer_1', then)
    assert memory.changes(then) == queries.list_changes(store, 9 * S)
    assert memory.changes(at=then) == queries.list_changes(store, None, then)
    guess = queries.predict_interaction(store, limit=1)
    assert common(memory.predict(limit=1)) == common(guess)
    assert memory.moves('mug', since=then).count == 1
    assert memory.relative('mug', 'spoon_1', scheme='4') == queries.relative_pose(
        store, MUG, 'spoon_1', DirectionScheme.QUADRANTS
    )
    place = memory.fixture((2.0, 0.0, 1.5))
    assert common(place) == common(queries.nearest_fixture_to_point(store, (2.0, 0.0, 1.5)))
    assert [e.event_type for e in memory.events('mug_1')] == ['appeared', 'moved', 'moved']
    assert len(memory.events(at=then)) == 6


def test_every_question_of_the_core_has_a_method(memory: MemoryFile) -> None:
    asked = inspect.getsource(MemoryFile)
    questions = {
        name
        for name in queries.__all__
        if inspect.isfunction(getattr(queries, name))
        and 'MemoryReader' in str(inspect.signature(getattr(queries, name)))
        and getattr(queries, name).__module__ != 'st_memory.core.queries.told'  # no question
    }

    assert len(questions) >= 17
    assert {name for name in questions if f'queries.{name}(' not in asked} == set()


def test_objects_pass_the_conditions(memory: MemoryFile) -> None:
    assert [s.object_id for s in memory.objects(container_id='drawer_1').objects] == ['spoon_1']
    assert len(memory.objects().objects) == 4
    with pytest.raises(TypeError, match='colour'):
        memory.objects(colour='red')


@pytest.mark.parametrize(
    ('word', 'expected'),
    [
        ('mug_1', Selector(object_id='mug_1')),
        ('MUG', Selector(label='MUG')),
        ('cup', Selector(label='cup')),
        ('mug 1', Selector(text='mug 1')),
        ('', Selector()),
    ],
)
def test_word_is_an_id_then_a_label_then_free_text(
    word: str, expected: Selector, memory: MemoryFile
) -> None:
    assert selector_of(memory.reader, word, None) == expected


def test_word_is_taken_as_of_the_time_asked_about(memory: MemoryFile) -> None:
    before = Moment(0, 2 * S)

    assert selector_of(memory.reader, 'bowl_1', before) == Selector(text='bowl_1')
    assert memory.where('bowl_1', before).status is AnswerStatus.NOT_YET_SEEN


def test_selector_is_taken_as_it_is(memory: MemoryFile) -> None:
    assert memory.where(Selector(label='mug_1')).status is AnswerStatus.NOT_YET_SEEN


def test_times_are_told_from_the_first_frame(memory: MemoryFile) -> None:
    assert memory.now() == Moment(0, 20 * S)
    assert memory.after(8.5) == Moment(0, 9 * S + S // 2)
    assert memory.after(0.0, epoch=0) == Moment(0, S)
    with pytest.raises(StMemoryError, match='the memory has no epoch 7; known are: 0'):
        memory.after(1.0, epoch=7)


def test_empty_memory_answers_that_it_is(tmp_path: Path) -> None:
    SqliteMemoryStore.open(tmp_path / 'empty.db').close()

    with MemoryFile(str(tmp_path / 'empty.db')) as memory:
        answer: Answer = memory.where('mug')
        assert (answer.status, answer.reason) == (AnswerStatus.UNKNOWN, 'the memory is empty')
        assert memory.now() is None
        with pytest.raises(StMemoryError, match='the memory is empty: it has no first frame'):
            memory.after(1.0)


def test_missing_file_is_an_error_and_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        MemoryFile(tmp_path / 'none.db')
    assert list(tmp_path.iterdir()) == []


def test_closed_memory_answers_no_more(path: Path) -> None:
    memory = MemoryFile(path)
    memory.close()

    with pytest.raises(StoreError):
        memory.where('mug')


def test_asking_writes_nothing(path: Path) -> None:
    before = path.read_bytes()

    with MemoryFile(path) as memory:
        memory.changes()

    assert path.read_bytes() == before


@pytest.mark.parametrize('at', [123, '+20', 1.5])
def test_time_that_is_no_moment_is_refused_by_name(at: object, memory: MemoryFile) -> None:
    with pytest.raises(StMemoryError, match=r'at: expected a Moment, .* got '):
        memory.where('mug', at)


@pytest.mark.parametrize('what', [7, None, b'mug'])
def test_name_that_is_no_text_is_refused_by_name(what: object, memory: MemoryFile) -> None:
    with pytest.raises(StMemoryError, match=r'what: expected an id, a label or other words'):
        memory.where(what)


def test_moment_of_an_epoch_that_is_not_there_has_one_reason(memory: MemoryFile) -> None:
    gone, reason = Moment(5, S), 'the memory has no epoch 5; known are: 0'

    asked = [
        *(getattr(memory, name)('mug', gone) for name in ABOUT_ONE),
        memory.fixture((0.0, 0.0, 0.0), gone),
        memory.contents('cupboard_1', gone),
        memory.changes(None, gone),
        memory.predict(at=gone),
        memory.objects(gone),
    ]
    assert {(a.status, a.reason) for a in asked} == {(AnswerStatus.UNKNOWN, reason)}
    with pytest.raises(StMemoryError, match=reason):
        memory.events(at=gone)
    for ask in (memory.changes, lambda since: memory.moves('mug', since=since)):
        with pytest.raises(StMemoryError, match=f'since: {reason}'):
            ask(gone)


def test_every_method_refuses_a_time_that_is_no_moment(memory: MemoryFile) -> None:
    for ask in (memory.objects, memory.contents, memory.changes, memory.predict, memory.events):
        with pytest.raises(StMemoryError, match=r'at: expected a Moment'):
            ask(*(['x'] if ask == memory.contents else []), at=20.0)


@pytest.mark.parametrize('name', ['m\udcffg', 'mug\0'])
def test_name_that_is_no_text_is_refused_by_every_method(name: str, memory: MemoryFile) -> None:
    asked = [*(getattr(memory, one) for one in ABOUT_ONE), memory.relative, memory.contents]

    for ask in (*asked, memory.events, lambda who: memory.objects(label=who)):
        with pytest.raises(StMemoryError, match='expected a name, got '):
            ask(name)

"""Answers stay below 2 kB, whatever is remembered and whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import (
    AnswerStatus,
    Event,
    Fixture,
    ObjectState,
    Placement,
    Scene,
    Visibility,
    VisibilityInterval,
)
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import fixture
from test.ros.asking import Asker, SERVICES
from test.ros.conftest import Graph

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interfaces')

pytestmark = pytest.mark.ros

LONG = 'é' * 10_000_000
ABOUT_ONE = sorted(set(SERVICES) - {'list_objects', 'list_changes', 'list_contents',
                                    'predict_interaction'})  # fmt: skip


def _monsters() -> InMemoryStore:
    """Two objects with 10 MB in every name, with a history, on a scene of such names."""
    store = InMemoryStore()
    place = RigidTransform.identity()
    fixtures = tuple(Fixture(f'{k}{LONG}', LONG, place, (1.0, 1.0, 1.0)) for k in range(3))
    store.put_scene(Scene(fixtures=fixtures))
    states = [
        ObjectState(
            f'{k}{LONG}',
            LONG,
            0,
            aliases=(LONG, f'{LONG}b'),
            world_p=(1.0, 2.0, 3.0),
            visibility=Visibility.OCCLUDED,
            cause=LONG,
            occluder_id=LONG,
            first_seen_ns=S,
            last_seen_ns=S,
            last_visible_ns=S,
            last_placed_ns=S,
            placed_by='observed',
            fixture_id=f'0{LONG}',
            fixture_alternatives=(LONG, LONG),
            identity_confidence=0.5,
            identity_alternatives=(LONG, f'{LONG}b'),
            container_id=f'0{LONG}',
            num_moves=1,
        )
        for k in range(2)
    ]
    rows: dict[str, Any] = {
        'intervals': tuple(
            VisibilityInterval(
                s.object_id,
                LONG,
                0,
                S,
                None,
                S,
                Visibility.VISIBLE,
                Visibility.VISIBLE,
                LONG,
                LONG,
            )
            for s in states
        ),
        'placements': tuple(
            Placement(s.object_id, 0, S, None, S, (1.0, 2.0, 3.0), s.fixture_id, 'observed')
            for s in states
        ),
        'events': (Event(LONG, 'moved', 0, S, S, S, (('object', states[0].object_id),)),),
    }
    return commit(store, 1, *states, cameras=['cam', LONG], **rows)


@pytest.fixture(scope='module')
def monsters() -> Iterator[Asker]:
    graph = Graph()
    yield Asker(graph, _monsters())
    graph.close()


@pytest.mark.parametrize('name', ABOUT_ONE)
def test_answer_about_names_of_10_mb_is_small(name: str, monsters: Asker) -> None:
    # The request is small: its word is an id that does not exist, then the text that fits both.
    response = monsters.ask(name, object_id='nothing')

    assert response.status == AnswerStatus.NOT_YET_SEEN


@pytest.mark.parametrize('name', ['list_objects', 'list_changes', 'predict_interaction'])
def test_list_of_names_of_10_mb_is_small(name: str, monsters: Asker) -> None:
    assert len(monsters.ask(name).sentence) < 2000


@pytest.mark.parametrize('name', ABOUT_ONE)
def test_answer_about_an_object_with_names_of_10_mb_is_small(
    name: str, monsters: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long id is put in behind the request: a request of 20 MB is the client's own affair."""
    from st_memory.core.queries import Selector
    from st_memory.ros.question_context import QuestionContext

    monkeypatch.setattr(
        QuestionContext, 'selector', lambda self, request: Selector(object_id=f'0{LONG}')
    )
    response = monsters.ask(name)

    assert response.status in (AnswerStatus.KNOWN, AnswerStatus.STALE)


def _crowd() -> InMemoryStore:
    """A thousand cups with ids of 40 letters, each moved once, in a room of 200 shelves."""
    store = InMemoryStore()
    store.put_scene(
        Scene(
            fixtures=tuple(
                fixture(f'a_shelf_with_a_long_name_{k:03d}', (k, 0.0, 1.0), (0.5, 0.5, 0.5))
                for k in range(200)
            )
        )
    )
    states = [
        ObjectState(
            f'a_cup_with_quite_a_long_name_for_a_cup_{k:04d}',
            'cup',
            0,
            aliases=tuple(f'another_name_{n}' for n in range(30)),
            identity_confidence=0.5,
            identity_alternatives=tuple(f'another_quite_long_id_{n}' for n in range(30)),
            world_p=(k / 5, 0.0, 1.0),
            visibility=Visibility.OUT_OF_VIEW,
            cause='behind_camera',
            first_seen_ns=S,
            last_seen_ns=S + k,
            last_visible_ns=S + k,
            last_placed_ns=S,
            placed_by='observed',
            num_moves=1,
            fixture_id=f'a_shelf_with_a_long_name_{k // 5:03d}',
            container_id='a_shelf_with_a_long_name_000',
        )
        for k in range(1000)
    ]
    return commit(store, 2, *states, cameras=['head'])


@pytest.fixture(scope='module')
def crowd() -> Iterator[Asker]:
    graph = Graph()
    yield Asker(graph, _crowd())
    graph.close()


@pytest.mark.parametrize('name', ABOUT_ONE)
def test_answer_about_one_of_a_thousand_is_small(name: str, crowd: Asker) -> None:
    crowd.ask(name, object_id='a_cup_with_quite_a_long_name_for_a_cup_0500')
    response = crowd.ask(name, label='cup')

    assert response.status in (AnswerStatus.AMBIGUOUS, AnswerStatus.UNKNOWN)
    assert '1000 objects fit cup' in response.reason


@pytest.mark.parametrize(
    ('name', 'fields', 'field'),
    [
        ('list_objects', {}, 'objects'),
        ('list_changes', {}, 'changes'),
        ('list_contents', {'container_id': 'a_shelf_with_a_long_name_000'}, 'objects'),
    ],
)
def test_list_of_a_thousand_is_small_and_pages_to_the_end(
    name: str, fields: dict[str, Any], field: str, crowd: Asker
) -> None:
    seen: list[str] = []
    while len(seen) < 12:
        response = crowd.ask(name, offset=len(seen), **fields)
        assert response.total == 1000
        page = [row.object_id for row in getattr(response, field)]
        assert page
        seen += page
    assert seen == [f'a_cup_with_quite_a_long_name_for_a_cup_{k:04d}' for k in range(len(seen))]
    last = crowd.ask(name, offset=999, **fields)
    assert [row.object_id for row in getattr(last, field)] == [
        'a_cup_with_quite_a_long_name_for_a_cup_0999'
    ]
    assert list(getattr(crowd.ask(name, offset=1000, **fields), field)) == []


TRICKS = [
    "'; DROP TABLE object; --",
    '../../etc/passwd',
    '%s%n%x',
    'a\x01b\nc',
    'дом 茶碗 ☕ \N{RIGHT-TO-LEFT OVERRIDE}',
    'x' * 100_000,
]


@pytest.mark.parametrize('name', sorted(SERVICES))
def test_tricks_in_a_request_are_words_that_nobody_knows(name: str, crowd: Asker) -> None:
    for trick in TRICKS:
        fields = {
            'list_contents': {'container_id': trick},
            'predict_interaction': {'actor_frame': trick},
        }.get(name, {'label': trick})
        response = crowd.ask(name, **fields)
        assert '\n' not in response.reason
        assert response.status == {
            'list_objects': AnswerStatus.KNOWN,
            'list_changes': AnswerStatus.KNOWN,
            'predict_interaction': AnswerStatus.NO_POSE,
        }.get(name, AnswerStatus.NOT_YET_SEEN)


@given(st.text(max_size=400), st.integers(4, 300))
def test_clipped_text_fits_and_begins_as_it_did(text: str, max_bytes: int) -> None:
    from st_memory.ros.texts import clipped

    short = clipped(text, max_bytes)

    assert len(short.encode('utf-8')) <= max_bytes
    readable = text.encode('utf-8', errors='replace').decode('utf-8')
    if len(readable.encode('utf-8')) <= max_bytes:
        assert short == readable
    else:
        assert short.endswith('…')
        assert readable.startswith(short[:-1])


def test_lone_surrogate_is_a_question_mark() -> None:
    from st_memory.ros.texts import clipped

    assert clipped('a\ud800b') == 'a?b'


@given(st.lists(st.text(max_size=60), max_size=30))
def test_fitting_texts_are_the_first_ones(texts: list[str]) -> None:
    from st_memory.ros.texts import clipped, fitting_texts, MAX_NAMES, MAX_NAMES_BYTES

    found = fitting_texts(texts)

    assert found == [clipped(text) for text in texts[: len(found)]]
    assert len(found) <= MAX_NAMES
    assert sum(len(text.encode('utf-8')) for text in found) <= MAX_NAMES_BYTES


def test_object_with_the_longest_names_and_short_texts_leaves_room() -> None:
    """It is what lets answers with short texts go unmeasured."""
    from rclpy.serialization import serialize_message
    from st_memory_interfaces.srv import LocateObject

    from st_memory.ros.messages import object_message
    from st_memory.ros.responses import _ROOM_FOR_ALL, _SHORT_TEXTS

    store = _monsters()
    message = object_message(store.objects_at()[0], S, 'a_frame_with_a_name_of_forty_letters_xxx')
    response = LocateObject.Response(object=message)
    response.sentence = 'x' * _SHORT_TEXTS

    assert len(serialize_message(response)) <= _ROOM_FOR_ALL

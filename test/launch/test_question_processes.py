"""Every question to a memory node in a process of its own, answered as the core answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from st_memory.core import queries
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import Answer, DirectionScheme, ObjectFilter, Selector
from st_memory.core.records import AnswerStatus
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore
from test.core.queries.conftest import S
from test.core.queries.story import make_story
from test.ros.asking import MAX_BYTES, SERVICES, stamp

pytestmark = pytest.mark.launch

MUG = Selector(label='mug')
SECTORS = DirectionScheme.SECTORS
# Service -> the fields of the request, and what the core says to the same.
ASKED: dict[str, tuple[dict[str, Any], Callable[[MemoryReader, Moment | None], Answer]]] = {
    'find_item': ({'label': 'mug'}, lambda r, at: queries.find_item(r, MUG, at)),
    'get_itinerary': ({'label': 'mug'}, lambda r, at: queries.get_itinerary(r, MUG, at)),
    'get_timeline': ({'label': 'mug'}, lambda r, at: queries.get_timeline(r, MUG, at)),
    'get_visibility': ({'label': 'mug'}, lambda r, at: queries.get_visibility(r, MUG, at)),
    'list_changes': ({}, lambda r, at: queries.list_changes(r, None, at)),
    'list_contents': ({'label': 'drawer'}, lambda r, at: queries.list_contents(r, 'drawer', at)),
    'list_objects': (
        {'fixture_id': 'counter_1'},
        lambda r, at: queries.list_objects(r, ObjectFilter(fixture_id='counter_1'), at),
    ),
    'locate_object': ({'text': 'mug 1'}, lambda r, at: queries.locate(r, MUG, at)),
    'nearest_fixture': ({'label': 'mug'}, lambda r, at: queries.nearest_fixture(r, MUG, at)),
    'predict_interaction': ({}, lambda r, at: queries.predict_interaction(r, 'camera', at)),
    'relative_pose': (
        {'label': 'mug', 'reference': 'spoon_1'},
        lambda r, at: queries.relative_pose(r, MUG, 'spoon_1', SECTORS, at),
    ),
    'when_last_placed': ({'label': 'mug'}, lambda r, at: queries.when_last_placed(r, MUG, at)),
    'when_last_visible': ({'label': 'mug'}, lambda r, at: queries.when_last_visible(r, MUG, at)),
}


def test_every_question_is_answered_by_a_node_as_by_the_core(
    graph: Any, start: Any, tmp_path: Path
) -> None:
    assert set(ASKED) == set(SERVICES)
    database = tmp_path / 'story.db'
    with SqliteMemoryStore.open(database) as store:
        make_story(store=store)
    process = start('memory_node', {'database': database})
    planner = Planner(graph)
    with SqliteMemoryStore.open(database, read_only=True) as reader:
        for name, (fields, question) in ASKED.items():
            for at in (None, Moment(0, 9 * S), Moment(0, S // 2)):
                response = planner.ask(name, fields, at)
                _compare(response, question(reader, at), name)
    assert process.end()[0] == 0, process.output
    assert 'Traceback' not in process.output


class Planner:
    """Asks the node over one client a service."""

    def __init__(self, graph: Any) -> None:
        from rclpy.node import Node

        self._graph = graph
        self._node = graph.add(Node('planner', context=graph.context))
        self._clients: dict[str, Any] = {}

    def ask(self, name: str, fields: dict[str, Any], at: Moment | None) -> Any:
        from rclpy.serialization import serialize_message
        import st_memory_interfaces.srv as interfaces

        from st_memory.ros.messages import time_message

        kind = getattr(interfaces, SERVICES[name])
        if name not in self._clients:
            self._clients[name] = self._node.create_client(kind, f'/memory_node/{name}')
        time = time_message(None if at is None else at.stamp_ns)
        response = self._graph.call(self._clients[name], kind.Request(**fields, at=time))
        assert len(serialize_message(response)) < MAX_BYTES
        return response


def _compare(response: Any, answer: Answer, name: str) -> None:
    assert response.status == answer.status, name
    # A long sentence is cut to 400 bytes.
    told = response.sentence.removesuffix('…')
    assert answer.sentence.startswith(told), name
    assert answer.reason.startswith(response.reason.removesuffix('…')), name
    assert answer.at is not None
    assert stamp(response.as_of) == answer.at.stamp_ns, name


def test_every_question_to_a_node_that_knows_nothing_is_unknown(
    graph: Any, start: Any, tmp_path: Path
) -> None:
    start('memory_node', {'database': tmp_path / 'empty.db'})
    planner = Planner(graph)
    for name, (fields, _) in ASKED.items():
        response = planner.ask(name, fields, None)
        assert response.status == AnswerStatus.UNKNOWN, name
        assert response.reason == 'the memory is empty', name

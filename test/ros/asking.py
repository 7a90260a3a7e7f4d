"""Somebody who asks a memory over the middleware."""

from __future__ import annotations

import itertools
from typing import Any

from test.ros.conftest import Graph

__all__ = ['SERVICES', 'Asker', 'stamp']

SERVICES = {
    'find_item': 'FindItem',
    'get_itinerary': 'GetItinerary',
    'get_timeline': 'GetTimeline',
    'get_visibility': 'GetVisibility',
    'list_changes': 'ListChanges',
    'list_contents': 'ListContents',
    'list_objects': 'ListObjects',
    'locate_object': 'LocateObject',
    'nearest_fixture': 'NearestFixture',
    'predict_interaction': 'PredictInteraction',
    'relative_pose': 'RelativePose',
    'when_last_placed': 'WhenLastPlaced',
    'when_last_visible': 'WhenLastVisible',
}
MAX_BYTES = 2048
_NUMBERS = itertools.count()
_TIMES = ('at', 'start', 'end', 'since', 'moved_since', 'out_of_sight_since')


def stamp(message: Any) -> int:
    """Give a time or duration of a message in nanoseconds."""
    return int(message.sec) * 10**9 + int(message.nanosec)


class Asker:
    """
    Asks one memory; every answer is small and has a sentence.

    Parameters
    ----------
    graph : Graph
        The middleware.
    store : MemoryStore
        What is asked.
    encoder : TextEncoder, optional
        Of free text.
    stay_prior : StayPrior, optional
        Of how long things stay.

    """

    def __init__(
        self, graph: Graph, store: Any, encoder: Any = None, stay_prior: Any = None
    ) -> None:
        from rclpy.node import Node

        from st_memory.ros.frames import Frames
        from st_memory.ros.live_store import LiveStore
        from st_memory.ros.services import QuestionServices

        self.graph = graph
        self.frames = Frames('map')
        self.frames.note('head', 'head_optical')
        # Every asker has a memory of its own name: two of a name would both answer.
        self.name = f'asked_{next(_NUMBERS)}'
        self.node = graph.add(Node(self.name, context=graph.context))
        self.store = LiveStore(store)
        self.services = QuestionServices(
            self.node, self.store, self.frames, 2000, encoder, stay_prior
        )
        self.client = graph.add(Node(f'{self.name}_planner', context=graph.context))
        self.clients: dict[str, Any] = {}

    def ask(self, name: str, **fields: Any) -> Any:
        """Ask one question; times are given in nanoseconds."""
        from rclpy.serialization import serialize_message
        import st_memory_interfaces.srv as interfaces

        from st_memory.ros.messages import time_message

        kind = getattr(interfaces, SERVICES[name])
        if name not in self.clients:
            self.clients[name] = self.client.create_client(kind, f'/{self.name}/{name}')
        for time in set(_TIMES) & fields.keys():
            fields[time] = time_message(fields[time])
        response = self.graph.call(self.clients[name], kind.Request(**fields))
        assert len(serialize_message(response)) < MAX_BYTES
        assert response.sentence
        return response

"""What detections look like reaches a memory node in a process of its own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings
from st_memory.replay import replay
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.scenarios.sensed_bag import write_sensed
from test.scenarios.swapped_twins import RED, swapped, with_look

pytestmark = pytest.mark.launch

BAD = {'embedding_unusable': (0.0, math.nan, 0.0), 'embedding_of_another_size': (*RED, 0.0)}


def test_live_memory_tells_twins_by_their_looks_and_names_bad_ones(
    graph: Any, start: Any, tmp_path: Path
) -> None:
    from rclpy.node import Node
    from st_memory_interfaces.srv import Doctor, ListObjects

    frames = swapped()
    for index, look in enumerate(BAD.values()):
        frames = with_look(frames, 5 + index, look)
    bag = write_sensed(tmp_path / 'twins.mcap', frames)
    given = {'database': tmp_path / 'live.db', 'reliability': 'reliable', 'release': 'deadline'}
    memory = start('memory_node', {**given, 'discovery_period_s': 0.1})
    player = start('replay_node', {'bag': bag})
    assert player.wait() == 0, player.output
    person = graph.add(Node('person', context=graph.context))
    answers = [
        graph.call(person.create_client(kind, f'/memory_node/{name}'), kind.Request())
        for kind, name in ((ListObjects, 'list_objects'), (Doctor, 'doctor'))
    ]
    assert memory.end()[0] == 0, memory.output

    assert {o.object_id: o.num_moves for o in answers[0].objects} == {'mug_1': 1, 'mug_2': 1}
    told = {f.code: f for f in answers[1].findings}
    for reason in BAD:
        assert told[reason].message.startswith(f'1 times {reason}: embeddings of ')
        assert told[reason].remedy
        assert f'{reason} (1)' in memory.output  # at the end, among what was left out
    offline = InMemoryStore()
    replay(BagFrameSource(bag), offline, MemorySettings())
    with SqliteMemoryStore.open(tmp_path / 'live.db', read_only=True) as store:
        assert dump(store) == dump(offline)

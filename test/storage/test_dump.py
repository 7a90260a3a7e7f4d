"""The dump is canonical: equal memories give equal bytes, different ones do not."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Event, Fixture, Scene, ScenePart
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from st_memory.storage.dump import HistoryStore
from test.contracts.memory_store import frame, interval, look, placement, seen, track


def scene() -> Scene:
    """Build a scene of one part and one fixture."""
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    part = ScenePart('door', 'cupboard', 'hinge', vertices, np.array([[0, 1, 2]], np.int32))
    fixture = Fixture('cupboard', 'cupboard', RigidTransform.identity(), (1.0, 0.5, 2.0))
    return Scene((part,), (fixture,))


def fill(store: HistoryStore) -> HistoryStore:
    """Commit two frames with rows of every kind."""
    store.put_scene(scene())
    event = Event('e', 'moved', 0, 1, 2, 10, (('object', 'cup_1'),))
    store.commit(
        frame(
            0, 10, tracks=track(), looks=(look(10),), observations=(seen(10),), events=(event,),
            intervals=(interval(10),), placements=(placement(5),),
        )
    )  # fmt: skip
    store.commit(frame(1, 20, tracks=track(label='mug', num_moves=9)))
    return store


def test_dump_holds_a_line_of_every_kind() -> None:
    """Everything that a memory keeps is in it."""
    lines = [json.loads(line) for line in dump(fill(InMemoryStore())).splitlines()]

    assert [line['kind'] for line in lines] == [
        'scene_part', 'scene_fixture', 'frame', 'frame', 'look', 'event', 'version', 'version',
        'observation', 'interval', 'placement', 'track',
    ]  # fmt: skip
    assert lines[3]['record'] == {'epoch': 0, 'stamp_ns': 20, 'seq': 1, 'fold_json': '{"seq":1}'}
    assert lines[6]['record']['from_ns'] == 10
    assert lines[7]['record']['state']['label'] == 'mug'
    assert lines[7]['record']['state']['life_cycle'] == 'ABSENT'


def test_dump_of_a_file_is_that_of_the_oracle(tmp_path: Path) -> None:
    """Two kinds of store, the same bytes."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        assert dump(fill(store)) == dump(fill(InMemoryStore()))


def test_dump_tells_zeros_apart() -> None:
    """A difference in the last bit is a difference."""
    first, second = InMemoryStore(), InMemoryStore()
    first.commit(frame(0, 10, tracks=track(world_p=(0.0, 0.0, 0.0))))
    second.commit(frame(0, 10, tracks=track(world_p=(0.0, -0.0, 0.0))))

    assert dump(first) != dump(second)


def test_dump_is_sorted_utf8_without_spaces() -> None:
    """Bytes of one line, by hand."""
    store = InMemoryStore()
    store.commit(frame(0, 10, looks=(look(10, 'kamera ä'),)))

    _, line = dump(store).splitlines()

    assert line.decode('utf-8') == (
        '{"kind":"look","record":{"camera_id":"kamera ä","detector_reported":true,"epoch":0,'
        '"stamp_ns":10,"world_T_camera":null}}'
    )


def test_dump_of_an_empty_memory_is_empty() -> None:
    """Nothing in, nothing out."""
    assert dump(InMemoryStore()) == b''

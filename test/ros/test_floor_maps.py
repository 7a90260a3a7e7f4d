"""The floor map is there before somebody asks for a way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import threading
from typing import Any

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import floor_map
from st_memory.core.records import (
    AnswerStatus,
    CameraLook,
    Fixture,
    FrameDelta,
    FrameRecord,
    Scene,
    ScenePart,
)
from st_memory.core.stamps import Moment
from st_memory.ros.floor_maps import FloorMaps
from st_memory.ros.kept_scene import KeptScene
from st_memory.ros.live_store import LiveStore, LiveView
from st_memory.storage import InMemoryStore, SqliteMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import make_story
from test.ros.asking import Asker
from test.ros.conftest import Graph
from test.ros.cup_recording import write_cup_recording
from test.ros.node_makers import make_memory, make_replay
from test.scenarios.synthetic import looking


def _scene(width_m: float = 4.0) -> Scene:
    """A floor, and a table on it."""
    w = width_m
    floor = ScenePart(
        'floor',
        '',
        '',
        np.array([[-w, -w, 0.0], [w, -w, 0.0], [w, w, 0.0], [-w, w, 0.0]]),
        np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32),
    )
    place = RigidTransform(np.array([2.0, 1.5, 0.5]), np.array([0.0, 0.0, 0.0, 1.0]))
    return Scene(parts=(floor,), fixtures=(Fixture('table_1', 'table', place, (1.0, 1.0, 1.0)),))


def _holding(scene: Scene) -> InMemoryStore:
    store = InMemoryStore()
    store.put_scene(scene)
    return store


def _reading(read: Callable[[], Scene]) -> Any:
    """A memory whose scene is read like that."""
    return LiveView(InMemoryStore(), None, read)


class Making:
    """Counts the maps that are made while it is looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        floor_map._map_of.cache_clear()
        monkeypatch.setattr('st_memory.ros.floor_maps._MOST_S', 60.0)

    @property
    def num_made(self) -> int:
        return floor_map._map_of.cache_info().misses


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> Making:
    return Making(monkeypatch)


def _ask_for_a_way(asker: Asker) -> Any:
    return asker.ask('find_item', label='mug')


# Made in the background.


def test_map_is_made_once_and_found_made(making: Making) -> None:
    scene = _scene()
    maps = FloorMaps(_holding(scene))
    maps.prepare()
    assert maps.wait(60.0)
    made = making.num_made
    found = floor_map.floor_map_of(scene, [(0.0, 0.0), (1.0, 1.0)])
    maps.stop()

    assert found is not None
    assert (made, making.num_made) == (1, 1)


def test_nothing_is_made_where_there_is_no_scene(making: Making) -> None:
    maps = FloorMaps(InMemoryStore())
    maps.prepare()

    assert maps.wait(60.0)
    assert making.num_made == 0
    maps.stop()


def test_nobody_waits_where_nothing_was_ordered() -> None:
    maps = FloorMaps(InMemoryStore())

    assert maps.wait(0.0)
    maps.stop()


def test_scene_that_cannot_be_read_is_not_waited_for() -> None:
    def read() -> Scene:
        raise OSError('the disk is gone')

    maps = FloorMaps(_reading(read))
    maps.prepare()

    assert maps.wait(60.0)
    maps.stop()


def test_scenes_that_come_while_one_is_worked_on_make_one_map_more() -> None:
    going, may_go = threading.Event(), threading.Event()
    read: list[int] = []

    def scene() -> Scene:
        read.append(1)
        going.set()
        assert may_go.wait(60.0)
        return Scene()

    maps = FloorMaps(_reading(scene))
    maps.prepare()
    assert going.wait(60.0)
    for _ in range(5):
        maps.prepare()
    is_late = not maps.wait(0.0)
    may_go.set()

    assert maps.wait(60.0)
    assert (is_late, len(read)) == (True, 2)
    maps.stop()


def test_stopped_one_takes_no_orders() -> None:
    maps = FloorMaps(InMemoryStore())
    maps.stop()
    maps.prepare()
    maps.stop()

    assert maps.wait(0.0)


def test_kept_scene_is_one_object_for_all_threads() -> None:
    together = threading.Barrier(4)
    kept = KeptScene(_scene)
    given: list[Scene] = []

    def read() -> None:
        together.wait()
        given.append(kept())

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({id(scene) for scene in given}) == 1
    kept.forget()
    assert kept() is not given[0]


def test_map_reaches_where_one_stands(making: Making) -> None:
    store = _holding(_scene())
    look = CameraLook('head', 0, S, looking(at=(9.0, 0.0, 1.0)))
    store.commit(FrameDelta(FrameRecord(0, S, 0, '{}'), looks=(look,)))
    maps = FloorMaps(store)
    maps.prepare()
    assert maps.wait(60.0)
    floor_map.floor_map_of(store.scene(), [(9.0, 0.0, 1.0), (1.0, 1.0, 1.0)])
    maps.stop()

    assert making.num_made == 1


def test_live_store_tells_of_a_scene_and_of_the_first_frame_after_it() -> None:
    store = LiveStore(InMemoryStore())
    told: list[object] = []
    store.on_scene = lambda: told.append(store.now())
    commit(store, 1.0, seq=0)
    store.put_scene(_scene())
    for number in (1, 2):
        commit(store, 1.0 + number, seq=number)

    assert told == [Moment(0, S), Moment(0, 2 * S)]


# By the services and the node.


@pytest.fixture
def restarted(tmp_path: Path) -> Callable[[], SqliteMemoryStore]:
    """Opens a memory file with a history and a scene."""
    path = tmp_path / 'story.db'
    with SqliteMemoryStore.open(path) as store:
        make_story(store=store)
        store.put_scene(_scene())
    return lambda: SqliteMemoryStore.open(path, read_only=True)


@pytest.mark.ros
def test_first_way_after_a_restart_makes_no_map(
    graph: Graph, restarted: Callable[[], SqliteMemoryStore], making: Making
) -> None:
    with restarted() as store:
        asker = Asker(graph, store)
        assert asker.services.floor_maps.wait(60.0)
        made = making.num_made
        response = _ask_for_a_way(asker)
        asker.services.stop()

    assert response.route_source == 'floor_map'
    assert (made, making.num_made) == (1, 1)


@pytest.mark.ros
def test_way_that_is_asked_for_at_once_waits_for_the_map(
    graph: Graph, restarted: Callable[[], SqliteMemoryStore], making: Making
) -> None:
    with restarted() as store:
        asker = Asker(graph, store)
        response = _ask_for_a_way(asker)
        asker.services.stop()

    assert response.route_source == 'floor_map'
    assert making.num_made == 1


@pytest.mark.ros
def test_new_scene_has_its_map_before_the_next_way(graph: Graph, making: Making) -> None:
    store = InMemoryStore()
    make_story(store=store)
    store.put_scene(_scene())
    asker = Asker(graph, store)
    assert _ask_for_a_way(asker).route_source == 'floor_map'
    asker.store.put_scene(_scene(width_m=6.0))
    assert asker.services.floor_maps.wait(60.0)
    made = making.num_made
    response = _ask_for_a_way(asker)

    assert response.route_source == 'floor_map'
    assert (made, making.num_made) == (2, 2)


@pytest.mark.ros
def test_way_without_a_scene_is_straight(graph: Graph, making: Making) -> None:
    store = InMemoryStore()
    make_story(store=store)
    store.put_scene(Scene())
    response = _ask_for_a_way(Asker(graph, store))

    assert response.status in (AnswerStatus.KNOWN, AnswerStatus.STALE)
    assert response.route_source == 'straight'
    assert making.num_made == 0


@pytest.mark.ros
def test_node_makes_the_map_of_the_scene_that_a_topic_brings(
    graph: Any, tmp_path: Path, making: Making
) -> None:
    from rclpy.node import Node
    from st_memory_interfaces.srv import FindItem

    memory = make_memory(graph, tmp_path / 'live.db')
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    assert memory.memory._services.floor_maps.wait(60.0)
    made = making.num_made
    person = graph.add(Node('person', context=graph.context))
    client = person.create_client(FindItem, '/memory_node/find_item')
    response = graph.call(client, FindItem.Request(label='cup'))

    assert response.route_source == 'floor_map'
    assert made > 0
    assert making.num_made == made

"""How sure the memory is, in every message of an object: who else it may be, and whether gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from st_memory.core.queries import StayPrior
from st_memory.core.queries.persistence import stay_probability
from st_memory.core.records import LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit
from test.ros.asking import Asker, stamp
from test.ros.conftest import Graph
from test.ros.cup_recording import stamp_of, write_cup_recording
from test.ros.node_makers import make_memory, make_replay

pytest.importorskip('rclpy', reason='needs ROS 2')
pytest.importorskip('st_memory_interfaces', reason='needs the interfaces')

pytestmark = pytest.mark.ros

S = NS_PER_S
PRIOR = StayPrior(100.0)
NOW_S = 400.0


def _mug(name: str, **given: Any) -> ObjectState:
    plain: dict[str, Any] = {
        'world_p': (1.0, 0.0, 0.0),
        'visibility': Visibility.OUT_OF_VIEW,
        'cause': 'behind_camera',
        'first_seen_ns': 0,
        'last_seen_ns': 200 * S,
    }
    return ObjectState(name, 'mug', 0, **(plain | given))


@pytest.fixture(scope='module')
def mugs() -> InMemoryStore:
    """Two mugs of which either may be the other, one that is gone, one that is carried."""
    return commit(
        InMemoryStore(),
        NOW_S,
        _mug('mug_1', num_moves=3, identity_confidence=0.5, identity_alternatives=('mug_2',)),
        _mug('mug_2', identity_confidence=0.75, identity_alternatives=('mug_1', 'mug_3')),
        _mug('mug_3', life_cycle=LifeCycle.ABSENT, existence_probability=0.0),
        _mug('mug_4', in_motion=True, visibility=Visibility.IN_MOTION, cause=''),
    )


@pytest.fixture(scope='module')
def sure(mugs: InMemoryStore) -> Iterator[Asker]:
    """Somebody who asks a memory that estimates nothing."""
    graph = Graph()
    yield Asker(graph, mugs)
    graph.close()


@pytest.fixture(scope='module')
def unsure(mugs: InMemoryStore) -> Iterator[Asker]:
    """Somebody who asks a memory that learns how long things stay."""
    graph = Graph()
    yield Asker(graph, mugs, stay_prior=PRIOR)
    graph.close()


def _expected(store: InMemoryStore, name: str, second: float = NOW_S) -> float:
    at = Moment(0, round(second * S))
    state = store.object_at(name, at)
    assert state is not None
    return stay_probability(store, state, at, PRIOR)


@pytest.mark.parametrize('name', ['locate_object', 'find_item'])
def test_answer_says_who_else_it_may_be(sure: Asker, name: str) -> None:
    found = sure.ask(name, object_id='mug_2').object

    assert found.identity_confidence == 0.75
    assert list(found.identity_alternatives) == ['mug_1', 'mug_3']


def test_lists_and_alternatives_say_who_else_each_may_be(sure: Asker) -> None:
    listed = {o.object_id: o for o in sure.ask('list_objects').objects}
    others = {o.object_id: o for o in sure.ask('locate_object', label='mug').alternatives}

    assert list(listed['mug_1'].identity_alternatives) == ['mug_2']
    assert (listed['mug_4'].identity_confidence, len(listed['mug_4'].identity_alternatives)) == (
        1.0,
        0,
    )
    assert others
    assert {name: listed[name] for name in others} == others


def test_nothing_is_estimated_unless_asked_for(sure: Asker) -> None:
    listed = sure.ask('list_objects').objects

    assert {o.object_id: o.existence_probability for o in listed} == {
        'mug_1': 1.0,
        'mug_2': 1.0,
        'mug_3': 0.0,
        'mug_4': 1.0,
    }
    assert not any(o.existence_estimated for o in listed)
    assert 'probability' not in sure.ask('locate_object', object_id='mug_1').sentence


@pytest.mark.parametrize('name', ['locate_object', 'find_item'])
def test_answer_says_how_likely_it_still_is_there(
    unsure: Asker, mugs: InMemoryStore, name: str
) -> None:
    found = unsure.ask(name, object_id='mug_1').object

    assert found.existence_estimated
    assert found.existence_probability == pytest.approx(_expected(mugs, 'mug_1'))
    assert found.existence_probability < 0.5


def test_locate_says_the_chance_in_words_and_counts_to_the_time_asked(
    unsure: Asker, mugs: InMemoryStore
) -> None:
    later = unsure.ask('locate_object', object_id='mug_1', at=900 * S)

    assert later.object.existence_probability == pytest.approx(_expected(mugs, 'mug_1', 900.0))
    assert later.sentence.endswith(
        f'still there with a probability of {later.object.existence_probability:.2f}.'
    )


def test_list_estimates_what_is_at_rest_and_nothing_else(
    unsure: Asker, mugs: InMemoryStore
) -> None:
    listed = {o.object_id: o for o in unsure.ask('list_objects').objects}

    assert {name for name, o in listed.items() if o.existence_estimated} == {'mug_1', 'mug_2'}
    for name, found in listed.items():
        assert found.existence_probability == pytest.approx(_expected(mugs, name))


def test_alternatives_have_the_chances_of_the_list(unsure: Asker) -> None:
    listed = {o.object_id: o for o in unsure.ask('list_objects').objects}
    answer = unsure.ask('locate_object', label='mug')

    for found in (answer.object, *answer.alternatives):
        assert found.existence_probability == listed[found.object_id].existence_probability


def test_asking_twice_gives_the_same_chance(unsure: Asker) -> None:
    first, second = (unsure.ask('locate_object', object_id='mug_1').object for _ in range(2))

    assert first == second


def test_empty_memory_is_asked_without_harm(graph: Graph) -> None:
    asker = Asker(graph, InMemoryStore(), stay_prior=PRIOR)

    assert asker.ask('list_objects').reason == 'the memory is empty'


def test_node_with_stay_s_estimates_on_the_topic_and_after_an_edit(
    graph: Any, tmp_path: Path
) -> None:
    from rclpy.node import Node
    from st_memory_interfaces.msg import ObjectStateArray
    from st_memory_interfaces.srv import EditObject

    from st_memory.ros.topics import latched_qos

    told: list[Any] = []
    ear = graph.add(Node('ear', context=graph.context))
    ear.create_subscription(ObjectStateArray, '/memory_node/objects', told.append, latched_qos(1))
    memory = make_memory(graph, tmp_path / 'live.db', stay_s=1.0, objects_period_s=0.0)
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    assert graph.spin_until(lambda: bool(told) and stamp(told[-1].header.stamp) > stamp_of(20))
    last = told[-1]
    cup = next(o for o in last.objects if o.object_id == 'cup_1')
    client = ear.create_client(EditObject, '/memory_node/edit_object')
    named = EditObject.Request(
        action=EditObject.Request.RENAME, object_id='cup_1', label='tea cup'
    )
    edited = graph.call(client, named).object
    at, store = Moment(0, stamp(last.header.stamp)), memory.memory.store
    expected = stay_probability(store, store.object_at('cup_1', at), at, StayPrior(1.0))

    assert cup.existence_estimated
    assert cup.existence_probability == pytest.approx(expected)
    assert 0.0 < cup.existence_probability < 0.7
    assert (edited.label, edited.existence_estimated) == ('tea cup', True)
    assert edited.existence_probability == pytest.approx(expected, abs=0.1)

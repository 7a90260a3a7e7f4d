"""Track records round-trip; places go to the fixture they are in or on."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
import json

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.memory.places import Places
from st_memory.core.memory.track import Track
from st_memory.core.memory.track_state import state_of
from st_memory.core.memory.track_text import canonical_json, track_from_text, track_text
from st_memory.core.memory.unsure import unsure_fixtures
from st_memory.core.memory.view import View
from st_memory.core.records import Fixture, LifeCycle, ObjectState, Scene, ScenePart, Visibility
from test.core.memory.told import box_part, Slabs


def box(
    name: str,
    centre: tuple[float, float, float],
    size: tuple[float, float, float],
    *,
    holds: bool = False,
    yaw: float = 0.0,
) -> Fixture:
    quat = np.array([0.0, 0.0, np.sin(yaw / 2), np.cos(yaw / 2)])
    return Fixture(name, name, RigidTransform(np.array(centre), quat), size, holds)


COUNTER = box('counter', (0, 0, 0.45), (2, 1, 0.9))
DRAWER = box('drawer', (0, 0, 0.7), (0.5, 0.5, 0.2), holds=True)
SHELF = box('shelf', (0, 0, 1.5), (2, 0.3, 0.05))


def placed(*at: float) -> Track:
    track = Track('m1', label_votes={'mug': 1.0})
    track.reset_estimate(np.array(at))
    return track


@pytest.mark.parametrize(
    ('at', 'fixture', 'container'),
    [
        ((0.0, 0.0, 0.95), 'counter', ''),  # on top
        ((0.0, 0.0, 0.7), 'drawer', 'drawer'),  # inside both: the smaller box
        ((0.0, 0.0, 1.6), 'shelf', ''),
        ((0.0, 0.0, 3.0), '', ''),  # in mid-air
    ],
)
def test_place_goes_to_the_nearest_smallest_fixture(
    at: tuple, fixture: str, container: str
) -> None:
    track = placed(*at)

    Places(Scene(fixtures=(COUNTER, DRAWER, SHELF)), 0.15).attribute(track)

    assert (track.fixture_id, track.container_id) == (fixture, container)


def test_nearly_as_near_fixtures_are_alternatives() -> None:
    left, right = box('left', (0, -0.55, 0), (1, 1, 1)), box('right', (0, 0.55, 0), (1, 1, 1))
    track = placed(0.0, -0.02, 0.0)

    Places(Scene(fixtures=(left, right)), 0.15).attribute(track)

    assert track.fixture_id == 'left'
    assert track.fixture_alternatives == ['right']


def test_turned_box_is_measured_along_its_own_axes() -> None:
    long_box = box('bench', (0, 0, 0), (4, 0.2, 1), yaw=np.pi / 2)
    along, across = placed(0.0, 1.9, 0.0), placed(1.9, 0.0, 0.0)
    places = Places(Scene(fixtures=(long_box,)), 0.15)

    places.attribute(along)
    places.attribute(across)

    assert (along.fixture_id, across.fixture_id) == ('bench', '')


def test_track_that_left_its_fixture_forgets_it() -> None:
    places = Places(Scene(fixtures=(DRAWER,)), 0.15)
    track = placed(0.0, 0.0, 0.7)
    places.attribute(track)

    track.reset_estimate(np.array([3.0, 0.0, 0.0]))
    places.attribute(track)

    assert (track.fixture_id, track.fixture_alternatives, track.container_id) == ('', [], '')


def test_track_without_a_place_has_no_fixture() -> None:
    track = Track('m1', fixture_id='drawer')

    Places(Scene(fixtures=(DRAWER,)), 0.15).attribute(track)

    assert track.fixture_id == ''


class Labelled(Slabs):
    """Surfaces that belong to the fixtures they are named after."""

    def __init__(self, *slabs: tuple[str, float, tuple[float, float], tuple[float, float]]):
        super().__init__(*slabs)
        self.part_fixtures = tuple(name.partition('/')[0] for name in self.part_names)


WORKTOP = box('worktop', (0, 0, 0.88), (2, 1, 0.04))
CUPBOARD = box('cupboard', (0, 0, 0.46), (1, 1, 0.78), holds=True)
ROOM = Labelled(
    ('worktop/top', 0.9, (-1, 1), (-0.5, 0.5)), ('cupboard/base', 0.1, (-1, 1), (-1, 1))
)


@pytest.mark.parametrize(
    ('z', 'fixture', 'container'),
    [
        (0.93, 'worktop', ''),
        (0.84, 'worktop', ''),  # measured below the surface that it must lie on
        (0.17, 'cupboard', 'cupboard'),
        (0.60, 'cupboard', 'cupboard'),  # on nothing that is known: the box that it is in
    ],
)
def test_what_stands_on_a_surface_is_where_the_surface_belongs(
    z: float, fixture: str, container: str
) -> None:
    track = placed(0.0, 0.0, z)
    track.size = [0.2, 0.2, 0.05]

    Places(Scene(fixtures=(WORKTOP, CUPBOARD)), 0.15, ROOM).attribute(track)

    assert (track.fixture_id, track.container_id) == (fixture, container)


def test_nothing_stands_on_the_edge_of_a_door() -> None:
    name, frame = 'cupboard/door', 'door'
    leaf = box_part(name, 'cupboard', frame, (-0.5, -0.01, -0.4), (0.5, 0.01, 0.4))
    tray = box_part(name, 'cupboard', frame, (-0.5, -0.3, -0.1), (0.5, 0.3, 0.1))
    edge = Labelled((name, 0.4, (-0.5, 0.5), (-0.01, 0.01)))
    above = np.array([0.0, 0.0, 0.45])

    hangs = [Places(Scene(parts=(p,)), 0.15, edge).hangs(above, 0.1) for p in (leaf, tray)]

    assert hangs == [True, False]


def part(name: str, fixture: str, frame: str) -> ScenePart:
    return ScenePart(name, fixture, frame, np.eye(3), np.array([[0, 1, 2]], dtype=np.int32))


@pytest.mark.parametrize(
    ('known', 'unsure'),
    [
        (frozenset(), {'drawer', 'fridge'}),
        (frozenset({'drawer_front'}), {'fridge'}),
        (frozenset({'drawer_front', 'fridge_door'}), {'fridge'}),  # its second door is unknown
        (frozenset({'drawer_front', 'fridge_door', 'freezer_door'}), set()),
    ],
)
def test_container_is_sure_when_all_its_doors_are_known(known: frozenset, unsure: set) -> None:
    fridge = box('fridge', (3, 0, 1), (1, 1, 2), holds=True)
    scene = Scene(
        parts=(
            part('drawer/front', 'drawer', 'drawer_front'),
            part('fridge/door', 'fridge', 'fridge_door'),
            part('freezer/door', 'fridge', 'freezer_door'),
            part('wall', '', ''),
        ),
        fixtures=(COUNTER, DRAWER, fridge),
    )

    found = unsure_fixtures(scene, known)
    assert set(found) == unsure
    assert all(found[name].size == (1.0, 1.0, 2.0) for name in unsure & {'fridge'})


def test_container_without_movable_parts_is_never_sure() -> None:
    scene = Scene(parts=(part('drawer/front', 'drawer', ''),), fixtures=(DRAWER,))

    assert set(unsure_fixtures(scene, frozenset({'anything'}))) == {'drawer'}


def test_track_comes_back_equal_from_its_record() -> None:
    track = placed(0.1, 0.2, 0.3)
    track.views['cam'] = View(1, 1, 'in_view', '', 5, 2, confirmed=3, run_confirmed=True)
    track.trail = [(7, [0.1, 0.2, 1 / 3])]
    track.last_fix, track.last_fix_ns = [1 / 3, 2 / 3, 1e-17], 2**62

    again = track_from_text(track_text(track))

    assert asdict(again) == asdict(track)
    assert track_text(again) == track_text(track)
    assert state_of(again, 0) == state_of(track, 0)


def test_label_with_most_support_wins_and_ties_go_by_name() -> None:
    assert Track('a', label_votes={'cup': 1.0, 'mug': 2.0}).label == 'mug'
    assert Track('a', label_votes={'mug': 1.0, 'cup': 1.0}).label == 'cup'


def test_tombstone_has_no_existence_left() -> None:
    track = Track('a', label_votes={'cup': 1.0}, life_cycle=LifeCycle.ABSENT)

    assert state_of(track, 0).existence_probability == 0.0


def test_state_before_any_look_says_so() -> None:
    state = state_of(Track('a', label_votes={'cup': 1.0}), 3)

    assert (state.visibility, state.cause) == (Visibility.UNKNOWN, 'not_yet_looked_for')
    assert state.epoch == 3


def test_canonical_json_is_sorted_and_refuses_nan() -> None:
    assert canonical_json({'b': 1, 'a': [0.1]}) == '{"a":[0.1],"b":1}'
    with pytest.raises(ValueError, match='not JSON compliant'):
        canonical_json({'a': float('nan')})
    assert json.loads(canonical_json({'a': 0.1 + 0.2}))['a'] == 0.1 + 0.2


@pytest.mark.parametrize('is_seen', [False, True])
def test_state_is_the_record_that_its_constructor_makes(is_seen: bool) -> None:
    track = Track('a', label_votes={'cup': 1.0})
    if is_seen:
        track.mean, track.last_seen_ns = [1.0, 2.0, 3.0], 7
        track.views['cam'] = View(1, 1, 'in_view', '', 5, 2, confirmed=3)
    state = state_of(track, 3)
    made = ObjectState(**{field.name: getattr(state, field.name) for field in fields(ObjectState)})
    assert state == made
    assert hash(state) == hash(made)
    assert list(vars(state)) == list(vars(made))
    assert repr(replace(state, label='mug')) == repr(replace(made, label='mug'))

"""Which way and how far from the base, from another camera, and between two objects."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import (
    DirectionScheme,
    find_item,
    list_objects,
    locate,
    relative_pose,
    Selector,
)
from st_memory.core.records import (
    AnswerStatus,
    BASE_LOOK,
    CameraLook,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    TrackRecord,
    Visibility,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import S
from test.scenarios.synthetic import looking

CUP = ObjectState('cup_1', 'cup', 0, world_p=(2.0, 0.0, 0.0), first_seen_ns=S, last_seen_ns=S)
POT = replace(CUP, object_id='pot_1', label='pot', world_p=(2.0, 1.2, 0.0))
WHO = Selector(label='cup')
SECTORS, QUADRANTS = DirectionScheme.SECTORS, DirectionScheme.QUADRANTS
LEGACY, FINAL = DirectionScheme.BEYOND3D_LEGACY, DirectionScheme.BEYOND3D


def store_of(
    *frames: tuple[float, dict[str, RigidTransform | None]], states: tuple = (CUP, POT)
) -> InMemoryStore:
    store = InMemoryStore()
    for seq, (second, poses) in enumerate(frames):
        stamp_ns = round(second * S)
        looks = tuple(CameraLook(name, 0, stamp_ns, pose) for name, pose in poses.items())
        tracks = tuple(TrackRecord(state, '{}') for state in states) if seq == 0 else ()
        store.commit(FrameDelta(FrameRecord(0, stamp_ns, seq, '{}'), tracks, looks=looks))
    return store


def base(x: float, y: float, yaw_deg: float) -> RigidTransform:
    half = math.radians(yaw_deg) / 2
    return RigidTransform(
        np.array([x, y, 0.0]), np.array([0.0, 0.0, math.sin(half), math.cos(half)])
    )


@pytest.mark.parametrize(
    ('yaw_deg', 'sector', 'quadrant', 'vector'),
    [
        (0, 'front', None, (2.0, 0.0, 0.0)),
        (90, 'right', None, (0.0, -2.0, 0.0)),
        (-90, 'left', None, (0.0, 2.0, 0.0)),
        (180, 'back', None, (-2.0, 0.0, 0.0)),
        (45, 'front-right', 'front-right', (math.sqrt(2), -math.sqrt(2), 0.0)),
        (-135, 'back-left', 'back-left', (-math.sqrt(2), math.sqrt(2), 0.0)),
    ],
)
def test_direction_from_the_base_is_in_its_own_frame(
    yaw_deg: float, sector: str, quadrant: str | None, vector: tuple
) -> None:
    store = store_of((1, {'cam': looking(), BASE_LOOK: base(0, 0, yaw_deg)}))

    answer = relative_pose(store, WHO, 'base', SECTORS)

    assert (answer.status, answer.direction, answer.frame) == (
        AnswerStatus.KNOWN,
        sector,
        'base',
    )
    np.testing.assert_allclose(answer.vector, vector, atol=1e-12)
    assert answer.distance_m == pytest.approx(2.0)
    if quadrant:
        assert relative_pose(store, WHO, 'base', QUADRANTS).direction == quadrant


@given(st.floats(-180, 180), st.floats(-3, 3), st.floats(-3, 3))
def test_direction_from_a_base_is_that_of_a_camera_that_looks_along_it(
    yaw_deg: float, x: float, y: float
) -> None:
    poses = {'cam': looking(math.radians(yaw_deg), (x, y, 0.0)), BASE_LOOK: base(x, y, yaw_deg)}
    store = store_of((1, poses))

    from_base = relative_pose(store, WHO, 'base', SECTORS)
    from_camera = relative_pose(store, WHO, 'camera:cam', SECTORS)

    assert from_base.distance_m == pytest.approx(from_camera.distance_m)
    # On the very edge of a sector rounding decides.
    edge = abs((math.degrees(math.atan2(-y, 2.0 - x)) - yaw_deg - 22.5 + 720) % 45)
    if 1e-6 < edge < 45 - 1e-6:
        assert from_base.direction == from_camera.direction


def test_base_that_was_never_known_is_no_pose() -> None:
    answer = relative_pose(store_of((1, {'cam': looking()})), WHO, 'base')

    assert answer.status is AnswerStatus.NO_POSE
    assert answer.reason.startswith('the base has no pose yet')


def test_base_of_a_while_ago_is_stale_and_then_none() -> None:
    store = store_of((1, {BASE_LOOK: base(0, 0, 0)}), (4, {'cam': looking()}), (30, {}))

    stale = relative_pose(store, WHO, 'base', at=Moment(0, 4 * S))
    assert (stale.status, stale.reason) == (
        AnswerStatus.STALE,
        'the base last had a pose 3.0 s ago',
    )
    assert stale.direction
    assert relative_pose(store, WHO, 'base').status is AnswerStatus.NO_POSE


def test_the_asker_is_where_the_camera_was_at_the_time_asked_about() -> None:
    store = store_of((1, {'cam': looking()}), (2, {'cam': looking(math.pi)}))

    then = relative_pose(store, WHO, 'camera', SECTORS, Moment(0, S))
    now = relative_pose(store, WHO, 'camera', SECTORS)

    assert (then.direction, now.direction) == ('front', 'back')


# Between two objects: the pot is 1.2 m to the left of the cup, as seen from the origin.


def test_relation_is_told_from_the_viewpoint_and_the_distance_without_one() -> None:
    seen = relative_pose(
        store_of((1, {'cam': looking()})), Selector(label='pot'), 'cup_1', SECTORS
    )
    assert (seen.direction, seen.distance_m) == ('left', pytest.approx(1.2))
    assert seen.sentence == (
        'The pot (pot_1) is 1.20 m from cup_1, to the left of it as you see it.'
    )

    blind = relative_pose(store_of((1, {'cam': None})), Selector(label='pot'), 'cup_1')
    assert (blind.status, blind.direction, blind.vector) == (AnswerStatus.NO_POSE, '', None)
    assert (blind.distance_m, blind.distance_class) == (pytest.approx(1.2), 'medium')
    assert blind.sentence.endswith('; it is 1.20 m from cup_1.')


def test_distance_without_viewpoint_and_reference_is_not_told() -> None:
    answer = relative_pose(store_of((1, {'cam': None})), WHO, 'fridge_9')

    assert (answer.status, answer.distance_m) == (AnswerStatus.NO_POSE, None)


def test_reference_that_was_merged_means_what_it_was_merged_into() -> None:
    kept = replace(CUP, object_id='cup_2', aliases=('cup_1',))
    merged = replace(CUP, life_cycle=LifeCycle.RETIRED)
    store = store_of((1, {'cam': looking()}), states=(kept, merged, POT))

    answer = relative_pose(store, Selector(label='pot'), 'cup_1')

    assert answer.distance_m == pytest.approx(1.2)


def test_gone_reference_makes_the_relation_doubtful() -> None:
    gone = replace(CUP, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
    store = store_of((1, {'cam': looking()}), states=(gone, POT))

    answer = relative_pose(store, Selector(label='pot'), 'cup_1')

    assert answer.status is AnswerStatus.STALE
    assert answer.reason == (
        'the reference cup_1 is doubtful (its last place was seen to be empty)'
    )


def test_object_without_a_place_has_no_direction() -> None:
    told = replace(CUP, world_p=None)
    answer = relative_pose(store_of((1, {'cam': looking()}), states=(told,)), WHO)

    assert (answer.status, answer.direction) == (AnswerStatus.UNKNOWN, '')
    assert answer.reason == 'it was reported but its position was never measured'


@pytest.mark.parametrize(
    ('distance_m', 'final', 'legacy'), [(0.8, 'close', 'close'), (1.7, 'far', 'medium')]
)
def test_distance_classes_go_with_the_format(distance_m: float, final: str, legacy: str) -> None:
    near = replace(CUP, world_p=(distance_m * 0.8, distance_m * 0.6, 0.0))
    store = store_of((1, {'cam': looking()}), states=(near,))

    assert relative_pose(store, WHO, scheme=FINAL).distance_class == final
    assert relative_pose(store, WHO, scheme=LEGACY).distance_class == legacy


@pytest.mark.parametrize('y', [0.04, -0.04])
def test_direction_within_the_margin_is_refused_with_the_reason(y: float) -> None:
    store = store_of((1, {'cam': looking()}), states=(replace(CUP, world_p=(2.0, y, 0.0)),))

    answer = relative_pose(store, WHO, scheme=FINAL)

    assert answer.direction == ''
    assert answer.reason == 'too close to a boundary of the directions'
    assert 'in no clear direction' in answer.sentence


# Names.


def test_many_that_fit_are_named_in_part() -> None:
    cups = tuple(replace(CUP, object_id=f'cup_{k:02d}') for k in range(25))
    answer = locate(store_of((1, {'cam': looking()}), states=cups), WHO)

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert answer.reason.startswith('25 objects fit cup: cup_00, cup_01, ')
    assert answer.reason.endswith('cup_19 and 5 more')


def test_list_of_many_names_ten() -> None:
    cups = tuple(replace(CUP, object_id=f'cup_{k:02d}') for k in range(12))
    answer = list_objects(store_of((1, {'cam': looking()}), states=cups))

    assert answer.sentence.endswith('cup_08, cup_09 and 2 more.')


# References by the names that people use.


def test_reference_by_label_is_the_object_of_that_label() -> None:
    store = store_of((1, {'cam': looking()}))

    by_label = relative_pose(store, Selector(label='pot'), 'cup', SECTORS)
    by_id = relative_pose(store, Selector(label='pot'), 'cup_1', SECTORS)

    assert by_label.status is AnswerStatus.KNOWN
    assert (by_label.vector, by_label.direction) == (by_id.vector, by_id.direction)


def test_reference_of_a_label_of_two_is_ambiguous_and_names_them() -> None:
    other = replace(CUP, object_id='cup_2', world_p=(1.0, 0.0, 0.0))
    store = store_of((1, {'cam': looking()}), states=(CUP, other, POT))

    answer = relative_pose(store, Selector(label='pot'), 'cup')

    assert answer.status is AnswerStatus.AMBIGUOUS
    assert answer.reason.startswith(
        'the reference cup, cup_1, is doubtful (2 objects fit cup: cup_1 and cup_2)'
    )


def test_reference_that_nothing_is_called_names_what_is_known() -> None:
    answer = relative_pose(store_of((1, {'cam': looking()})), WHO, 'bass')

    assert answer.status is AnswerStatus.NOT_YET_SEEN
    assert answer.reason == (
        'it is not known where bass is: no bass has been seen by then; known are: cup and pot'
    )


@pytest.mark.parametrize(
    'name', ['head', 'head_optical_frame', '/head_optical_frame', 'head_optical']
)
def test_camera_is_meant_by_its_id_and_by_its_optical_frame(name: str) -> None:
    store = store_of((1, {'head': looking(), 'wrist': looking(math.pi)}))

    answer = relative_pose(store, WHO, f'camera:{name}', SECTORS)

    assert (answer.status, answer.frame, answer.direction) == (
        AnswerStatus.KNOWN,
        'camera:head',
        'front',
    )


def test_camera_called_like_an_optical_frame_outweighs_the_one_without_the_ending() -> None:
    store = store_of((1, {'head': looking(math.pi), 'head_optical': looking()}))

    assert relative_pose(store, WHO, 'camera:head_optical').frame == 'camera:head_optical'


@pytest.mark.parametrize('name', ['nope', 'nope_optical_frame', '_optical_frame'])
def test_unknown_camera_is_refused_with_the_known_ones(name: str) -> None:
    store = store_of((1, {'head': looking(), BASE_LOOK: base(0, 0, 0)}))

    for answer in (
        relative_pose(store, WHO, f'camera:{name}'),
        find_item(store, WHO, start=f'camera:{name}'),
    ):
        assert answer.status is AnswerStatus.NO_POSE
        assert answer.reason == (f'camera {name} has not looked yet; cameras that have are: head')

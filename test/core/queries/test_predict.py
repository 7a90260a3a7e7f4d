"""Which fixture is used next: from gaze, from walking, and from what was used before."""

from __future__ import annotations

from dataclasses import replace
import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.geometry import RigidTransform
from st_memory.core.queries import predict_interaction, PredictionAnswer, PredictionSettings
from st_memory.core.queries.usage import Habits, habits_of, Use, uses_of
from st_memory.core.records import (
    AnswerStatus,
    BASE_LOOK,
    CameraLook,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Scene,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.core.queries.story import fixture, make_story, rest
from test.scenarios.synthetic import looking

# Four cupboards, each 2 m from the origin: ahead, left, behind, right; faces 1.9 m away.
ROUND = Scene(
    fixtures=tuple(
        fixture(name, centre, (0.2, 0.2, 1.0))
        for name, centre in {
            'east_1': (2.0, 0.0, 1.0),
            'north_1': (0.0, 2.0, 1.0),
            'south_1': (0.0, -2.0, 1.0),
            'west_1': (-2.0, 0.0, 1.0),
        }.items()
    )
)


def walk(
    *poses: tuple[float, RigidTransform | None], scene: Scene = ROUND, name: str = 'cam'
) -> InMemoryStore:
    """A memory of looks at seconds."""
    store = InMemoryStore()
    store.put_scene(scene)
    for seq, (second, pose) in enumerate(poses):
        look = CameraLook(name, 0, round(second * S), pose)
        store.commit(FrameDelta(FrameRecord(0, round(second * S), seq, '{}'), looks=(look,)))
    return store


def names(answer: PredictionAnswer) -> list[str]:
    return [g.fixture.fixture_id for g in answer.fixtures]


def test_one_who_stands_uses_what_one_looks_at() -> None:
    answer = predict_interaction(walk((1, looking(math.pi / 2))))

    assert answer.status is AnswerStatus.KNOWN
    assert names(answer)[0] == 'north_1'
    assert answer.fixtures[0].reason == '1.9 m away, looked at'
    assert answer.actor == 'cam'


def test_probabilities_follow_the_model() -> None:
    answer = predict_interaction(walk((1, looking())))

    # Equal distances; cosines of gaze 1, 0, 0 and -1, weight 2; 0.1 for none of them.
    weights = np.exp(2.0 * np.array([1.0, 0.0, 0.0, -1.0]))
    expected = 0.9 * weights / weights.sum()
    assert names(answer) == ['east_1', 'north_1', 'south_1', 'west_1']
    assert [g.probability for g in answer.fixtures] == pytest.approx(expected.tolist())
    # 1.9 m less the reach of 0.8 m, at 0.8 m/s.
    assert {g.eta_ns for g in answer.fixtures} == {round(1.1 / 0.8 * S)}


def test_one_who_walks_uses_what_one_walks_towards() -> None:
    # Looks ahead, walks to the left: 0.8 m in a second.
    store = walk((1, looking()), (2, looking(0.0, (0.0, 0.8, 0.0))))
    answer = predict_interaction(store)

    assert names(answer)[0] == 'north_1'
    assert 'walked towards' in answer.fixtures[0].reason
    # 1.1 m to the box, reach 0.8 m, at 0.8 m/s.
    assert answer.fixtures[0].eta_ns == pytest.approx(0.3 / 0.8 * S, abs=2)


def test_one_who_moves_slower_than_a_sway_stands() -> None:
    store = walk((1, looking()), (2, looking(0.0, (0.0, 0.1, 0.0))))

    assert names(predict_interaction(store))[0] == 'east_1'


def test_movement_of_long_ago_is_no_trend() -> None:
    store = walk((1, looking()), (8, looking(0.0, (0.0, 1.0, 0.0))))

    answer = predict_interaction(store)

    assert not any('walked' in g.reason for g in answer.fixtures)


def test_pose_that_was_lost_before_is_no_trend() -> None:
    store = walk((1, None), (2, looking(0.0, (0.0, 0.8, 0.0))))

    assert not any('walked' in g.reason for g in predict_interaction(store).fixtures)


def test_base_looks_along_its_x_axis() -> None:
    turned = RigidTransform(np.zeros(3), np.array([0.0, 0.0, 1.0, 0.0]))
    answer = predict_interaction(walk((1, turned), name=BASE_LOOK), 'base')

    assert (names(answer)[0], answer.actor) == ('west_1', 'base')


def test_what_cannot_be_reached_in_time_is_not_named() -> None:
    far = replace(ROUND, fixtures=(*ROUND.fixtures, fixture('far_1', (30, 0, 1), (1, 1, 1))))
    answer = predict_interaction(walk((1, looking()), scene=far))

    assert 'far_1' not in names(answer)
    assert answer.total == 4
    assert sum(g.probability for g in answer.fixtures) < 0.9


def test_shorter_horizon_names_only_what_is_at_hand() -> None:
    store = walk((1, looking(0.0, (1.2, 0.0, 0.0))))
    quick = PredictionSettings(horizon_ns=S // 2)

    assert names(predict_interaction(store, settings=quick)) == ['east_1']
    none = predict_interaction(walk((1, looking())), settings=quick)
    assert none.fixtures == ()
    assert none.sentence == 'No fixture can be reached within 0.5 s.'


def test_limit_keeps_the_most_probable() -> None:
    answer = predict_interaction(walk((1, looking())), limit=1)

    assert (names(answer), answer.total) == (['east_1'], 4)


def test_prediction_sentence() -> None:
    assert predict_interaction(walk((1, looking()))).sentence == (
        'Most likely east_1 is used next, in about 1 s (70%: 1.9 m away, looked at); '
        'else north_1 (9%) and south_1 (9%).'
    )


# Habits.


def test_uses_are_what_was_taken_and_put(empty: InMemoryStore) -> None:
    uses = uses_of(make_story(), Moment(0, 20 * S))

    # The mug: off the table at 5, into the drawer at 8, out at 12, on the counter at 15; the bowl
    # off the counter at 14; the plate off it at 18. Seen first there is no use.
    assert [(u.stamp_ns // S, u.fixture_id) for u in uses] == [
        (5, 'table_1'),
        (8, 'drawer_1'),
        (12, 'drawer_1'),
        (14, 'counter_1'),
        (15, 'counter_1'),
        (18, 'counter_1'),
    ]
    assert uses_of(make_story(), Moment(0, 9 * S)) == uses[:2]
    assert uses_of(empty, Moment(0, S)) == ()


def test_stay_at_no_fixture_is_no_use() -> None:
    moved = ObjectState('cup_1', 'cup', 0, world_p=(1.0, 0.0, 0.0), num_moves=1)
    place = rest('cup_1', 1, 2, (0.0, 0.0, 0.0), source='observed')

    assert uses_of(commit(InMemoryStore(), 2, moved, placements=(place,)), Moment(0, 2 * S)) == ()


def test_habits_count_uses_and_what_came_after_the_last_one() -> None:
    order = ['fridge', 'stove', 'fridge', 'sink', 'fridge', 'stove', 'fridge']
    habits = habits_of([Use(k, name) for k, name in enumerate(order)])

    assert habits.last == 'fridge'
    assert habits.counts == {'fridge': 4, 'stove': 2, 'sink': 1}
    assert habits.after_last == {'stove': 2, 'sink': 1}


def test_habits_of_nothing_are_empty() -> None:
    assert habits_of([]) == Habits({}, {}, '')  # type: ignore[arg-type]


def test_what_was_used_before_is_more_likely_and_said_so() -> None:
    store = walk((1, looking()))
    cup = ObjectState('cup_1', 'cup', 0, world_p=(0.0, -2.0, 1.0), num_moves=1)
    stays = (
        rest('cup_1', 1, 1.2, (0.0, 2.0, 1.0), fixture_id='north_1', source='observed'),
        rest('cup_1', 1.5, None, (0.0, -2.0, 1.0), fixture_id='south_1', source='observed'),
    )
    commit(store, 2, cup, placements=stays, cameras=['cam'])

    answer = predict_interaction(store)

    north, south = (
        next(g for g in answer.fixtures if g.fixture.fixture_id == n)
        for n in ('north_1', 'south_1')
    )
    # Used twice and once: weight 0.5 of the logarithms, and gaze the same.
    assert north.probability / south.probability == pytest.approx(math.sqrt(3.0 / 2.0))
    assert north.reason == '1.9 m away, used 2 times before'
    assert south.reason == '1.9 m away, used once before'


def test_what_mostly_follows_the_last_use_is_said_so() -> None:
    store = walk((1, looking()))
    cup = ObjectState('cup_1', 'cup', 0, world_p=(0.0, 2.0, 1.0), num_moves=2)
    places = [('north_1', 1, 2), ('south_1', 3, 4), ('north_1', 5, None)]
    stays = tuple(
        rest('cup_1', start, end, (0.0, 2.0, 1.0), fixture_id=name, source='observed', recorded=6)
        for name, start, end in places
    )
    commit(store, 6, cup, placements=stays, cameras=['cam'])

    reasons = {g.fixture.fixture_id: g.reason for g in predict_interaction(store).fixtures}

    # north at 1 and 2, south at 3 and 4, north at 5: after north came north and south once each.
    assert reasons['south_1'] == '1.9 m away, used 2 times before, once after north_1'


@given(st.floats(-math.pi, math.pi), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_shares_are_a_distribution_and_in_order(yaw: float, x: float, y: float) -> None:
    answer = predict_interaction(walk((1, looking(yaw, (x, y, 1.5)))))

    shares = [g.probability for g in answer.fixtures]
    assert sum(shares) <= 0.9 + 1e-9
    assert shares == sorted(shares, reverse=True)
    assert all(0.0 < share < 1.0 for share in shares)


@given(st.floats(-math.pi, math.pi))
def test_turning_the_world_turns_the_answer(yaw: float) -> None:
    turn = RigidTransform(np.zeros(3), np.array([0, 0, math.sin(yaw / 2), math.cos(yaw / 2)]))
    turned = Scene(
        fixtures=tuple(replace(f, world_T_box=turn @ f.world_T_box) for f in ROUND.fixtures)
    )
    here = predict_interaction(walk((1, looking(0.3))))
    there = predict_interaction(walk((1, looking(0.3 + yaw)), scene=turned))

    assert names(here) == names(there)
    assert [g.probability for g in there.fixtures] == pytest.approx(
        [g.probability for g in here.fixtures]
    )


# Refusals.


@pytest.mark.parametrize(
    ('store', 'actor', 'at', 'status', 'reason'),
    [
        (InMemoryStore(), 'camera', None, AnswerStatus.UNKNOWN, 'the memory is empty'),
        (
            walk((1, looking())),
            'camera',
            Moment(0, 1),
            AnswerStatus.NOT_YET_SEEN,
            'the memory holds nothing from before that time',
        ),
        (
            walk((1, looking()), scene=Scene()),
            'camera',
            None,
            AnswerStatus.UNKNOWN,
            'the memory knows of no fixtures',
        ),
        (
            walk((1, looking())),
            'camera:wrist',
            None,
            AnswerStatus.NO_POSE,
            'camera wrist has not looked yet; cameras that have are: cam',
        ),
        (walk((1, None)), 'camera', None, AnswerStatus.NO_POSE, 'camera cam had no pose then'),
        (
            walk((1, looking())),
            'base',
            None,
            AnswerStatus.NO_POSE,
            'the base has no pose yet: the memory keeps it where base_frame is known to TF',
        ),
    ],
)
def test_without_what_it_needs_nothing_is_predicted(
    store: InMemoryStore, actor: str, at: Moment | None, status: AnswerStatus, reason: str
) -> None:
    answer = predict_interaction(store, actor, at)

    assert (answer.status, answer.reason, answer.fixtures) == (status, reason, ())
    assert reason in answer.sentence


def test_prediction_from_an_old_look_is_stale() -> None:
    store = walk((1, looking()))
    store.commit(FrameDelta(FrameRecord(0, 5 * S, 1, '{}')))

    answer = predict_interaction(store)

    assert answer.status is AnswerStatus.STALE
    assert answer.sentence.endswith('; camera cam last looked 4.0 s ago.')


def test_prediction_as_of_a_time_uses_nothing_later() -> None:
    both = walk((1, looking()), (2, looking(math.pi)))

    assert predict_interaction(both, at=Moment(0, S)) == predict_interaction(
        walk((1, looking())), at=Moment(0, S)
    )
    assert names(predict_interaction(both))[0] == 'west_1'


def test_actor_that_is_nobody_is_refused_and_not_taken_for_a_camera() -> None:
    with pytest.raises(StMemoryError, match=r"^actor: expected base, camera or .*got 'north_1'"):
        predict_interaction(walk((1, looking())), 'north_1')

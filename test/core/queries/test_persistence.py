"""How likely a thing is still there: by hand, and against things that are moved at random."""

from __future__ import annotations

import math

import numpy as np
import pytest

from st_memory.core.queries import locate, Selector, StayPrior
from st_memory.core.queries.persistence import MoveRate, stay_probability, StayChances
from st_memory.core.records import AnswerStatus, LifeCycle, ObjectState, Visibility
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit

PRIOR = StayPrior(mean_s=100.0)
S = NS_PER_S


def cup(
    name: str, *, moves: int = 0, first: float = 0.0, last: float, **given: object
) -> ObjectState:
    plain: dict = {
        'world_p': (1.0, 0.0, 0.0),
        'visibility': Visibility.OUT_OF_VIEW,
        'cause': 'behind_camera',
        'first_seen_ns': round(first * S),
        'last_seen_ns': round(last * S),
        'num_moves': moves,
    }
    return ObjectState(name, str(given.pop('label', 'cup')), 0, **(plain | given))  # type: ignore[arg-type]


@pytest.fixture
def store() -> InMemoryStore:
    """Two cups of which one was moved three times, and a bowl."""
    memory = InMemoryStore()
    states = [
        cup('cup_1', moves=3, last=200.0),
        cup('cup_2', first=100.0, last=300.0),
        cup('bowl_1', last=100.0, label='bowl'),
    ]
    return commit(memory, 400.0, *states)


def asked(store: InMemoryStore, name: str, second: float = 400.0) -> float:
    at = Moment(0, round(second * S))
    state = store.object_at(name, at)
    assert state is not None
    return stay_probability(store, state, at, PRIOR)


# By hand.


def test_survival_is_the_mean_over_the_rates() -> None:
    # Gamma(2, 10 s): (10 / (10 + 30)) ** 2.
    assert MoveRate(2.0, 10.0).survival(30.0) == pytest.approx(1 / 16)
    assert MoveRate(2.0, 10.0).survival(0.0) == 1.0
    assert MoveRate(2.0, 10.0).survival(-5.0) == 1.0


def test_survival_agrees_with_sampled_rates() -> None:
    rng = np.random.default_rng(3)
    rates = rng.gamma(3.5, 1 / 40.0, 200_000)

    assert MoveRate(3.5, 40.0).survival(25.0) == pytest.approx(
        float(np.exp(-rates * 25.0).mean()), abs=0.003
    )


def test_class_is_learned_from_all_of_its_things(store: InMemoryStore) -> None:
    # 1 + 3 moves in 100 + 200 + 200 s.
    assert asked(store, 'cup_1') == pytest.approx((500 / 700) ** 4)
    assert asked(store, 'cup_2') == pytest.approx((500 / 600) ** 4)


def test_other_classes_teach_nothing(store: InMemoryStore) -> None:
    assert asked(store, 'bowl_1') == pytest.approx(200 / 500)


def test_longer_out_of_sight_is_less_likely(store: InMemoryStore) -> None:
    chances = [asked(store, 'cup_1', second) for second in (400.0, 500.0, 900.0, 1e6)]

    assert chances == sorted(chances, reverse=True)
    assert chances[-1] < 1e-6


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        ({'life_cycle': LifeCycle.ABSENT, 'existence_probability': 0.0}, 0.0),
        ({'in_motion': True}, 1.0),
        ({'last_seen_ns': None}, 1.0),
    ],
)
def test_what_is_not_at_rest_keeps_what_it_has(given: dict, expected: float) -> None:
    memory = commit(InMemoryStore(), 400.0, cup('cup_1', last=10.0, **given))

    assert asked(memory, 'cup_1') == expected


def test_chances_of_many_things_are_those_of_each(store: InMemoryStore) -> None:
    at = Moment(0, 400 * S)
    chances = StayChances(store, at, PRIOR)

    for state in store.objects_at(at):
        assert chances.of(state) == stay_probability(store, state, at, PRIOR)


def test_chances_learn_from_everything_once(
    store: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = Moment(0, 400 * S)
    states = store.objects_at(at)
    reads: list[Moment | None] = []
    read = store.objects_at
    monkeypatch.setattr(store, 'objects_at', lambda at=None: reads.append(at) or read(at))
    chances = StayChances(store, at, PRIOR)
    for state in states:
        chances.of(state)

    assert reads == [at]


@pytest.mark.parametrize(
    'given',
    [
        {'life_cycle': LifeCycle.ABSENT, 'existence_probability': 0.0},
        {'in_motion': True},
        {'last_seen_ns': None},
    ],
)
def test_chances_of_what_is_not_at_rest_are_none(store: InMemoryStore, given: dict) -> None:
    chances = StayChances(store, Moment(0, 400 * S), PRIOR)

    assert chances.of(cup('cup_1', last=10.0, **given)) is None


def test_chances_of_another_epoch_are_none(store: InMemoryStore) -> None:
    # Its stamps are of another clock: how long it was out of sight is not known.
    chances = StayChances(store, Moment(1, 400 * S), PRIOR)

    assert chances.of(cup('cup_1', last=10.0)) is None


def test_never_seen_companion_teaches_nothing(store: InMemoryStore) -> None:
    before = asked(store, 'cup_1')
    commit(store, 401.0, cup('cup_9', last=0.0, first_seen_ns=None, last_seen_ns=None))

    assert asked(store, 'cup_1', 401.0) == pytest.approx(before, abs=0.01)


@pytest.mark.parametrize('bad', [0.0, -1.0, math.nan, math.inf])
def test_prior_must_be_positive(bad: float) -> None:
    with pytest.raises(ValueError, match='mean_s: expected a positive number'):
        StayPrior(bad)
    with pytest.raises(ValueError, match='weight: expected a positive number'):
        StayPrior(1.0, bad)


# In the answer.


def test_where_says_nothing_of_it_unasked(store: InMemoryStore) -> None:
    answer = locate(store, Selector(object_id='cup_1'))

    assert answer.object is not None
    assert answer.object.existence_probability == 1.0
    assert not answer.existence_estimated
    assert 'probability' not in answer.sentence


def test_where_says_it_and_keeps_place_and_status(store: InMemoryStore) -> None:
    plain = locate(store, Selector(object_id='cup_1'))
    answer = locate(store, Selector(object_id='cup_1'), persistence=PRIOR)

    assert answer.object is not None and plain.object is not None
    assert answer.object.existence_probability == pytest.approx((500 / 700) ** 4)
    assert answer.existence_estimated
    assert answer.object.world_p == plain.object.world_p
    assert (answer.status, answer.reason) == (plain.status, plain.reason)
    assert answer.sentence == plain.sentence + ' It is still there with a probability of 0.26.'


def test_where_of_what_was_just_seen_is_certain() -> None:
    memory = commit(InMemoryStore(), 10.0, cup('cup_1', last=10.0))

    answer = locate(memory, Selector(object_id='cup_1'), persistence=PRIOR)

    assert answer.object is not None and answer.object.existence_probability == 1.0
    assert 'probability' not in answer.sentence


def test_where_counts_up_to_the_time_asked_about(store: InMemoryStore) -> None:
    later = locate(store, Selector(object_id='cup_1'), Moment(0, 900 * S), PRIOR)

    assert later.object is not None
    assert later.object.existence_probability == pytest.approx((500 / 1200) ** 4)


def test_where_as_of_uses_nothing_that_came_later(store: InMemoryStore) -> None:
    before = locate(store, Selector(object_id='cup_1'), Moment(0, 400 * S), PRIOR)
    commit(store, 500.0, cup('cup_1', moves=40, last=500.0))

    assert locate(store, Selector(object_id='cup_1'), Moment(0, 400 * S), PRIOR) == before


def test_where_in_an_empty_memory_refuses_as_ever() -> None:
    answer = locate(InMemoryStore(), Selector(label='cup'), None, PRIOR)

    assert answer.status is AnswerStatus.UNKNOWN


# Against things that are moved at random.


def test_probabilities_are_calibrated_on_random_moves() -> None:
    """
    Draw classes from the prior, lives from Poisson processes, and compare with what happened.

    In each of ten bins the share that stayed lies within four binomial deviations of the mean
    of what was said: one run in some thousand would fail by chance, and the seed is fixed.
    """
    rng = np.random.default_rng(17)
    said, stayed = [], []
    for _ in range(4000):
        rate = rng.gamma(PRIOR.weight, 1.0 / (PRIOR.weight * PRIOR.mean_s))
        things = []
        for i in range(rng.integers(1, 4)):
            watched = float(rng.uniform(1.0, 600.0))
            things.append(cup(f'cup_{i}', moves=int(rng.poisson(rate * watched)), last=watched))
        unseen_s = float(rng.exponential(120.0))
        said.append(MoveRate.learned(things, PRIOR).survival(unseen_s))
        stayed.append(rng.poisson(rate * unseen_s) == 0)

    chances, happened = np.array(said), np.array(stayed)
    bins = np.minimum((chances * 10).astype(int), 9)
    assert len(set(bins.tolist())) == 10
    for number in range(10):
        chosen = bins == number
        mean = float(chances[chosen].mean())
        deviation = math.sqrt(float((chances[chosen] * (1 - chances[chosen])).sum()))
        assert abs(happened[chosen].sum() - mean * chosen.sum()) <= 4 * deviation


def test_scale_of_time_does_not_matter() -> None:
    things = [cup('cup_1', moves=2, last=50.0), cup('cup_2', moves=1, last=70.0)]
    slow = [cup('cup_1', moves=2, last=5000.0), cup('cup_2', moves=1, last=7000.0)]

    assert MoveRate.learned(things, PRIOR).survival(30.0) == pytest.approx(
        MoveRate.learned(slow, StayPrior(10_000.0)).survival(3000.0)
    )

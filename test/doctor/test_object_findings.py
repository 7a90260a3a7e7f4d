"""Why one object is not seen, told from what is remembered of it."""

from __future__ import annotations

from typing import Any

import pytest

from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import LifeCycle, ObjectState, Visibility, VisibilityInterval
from st_memory.core.stamps import Moment
from st_memory.doctor import Finding, live_findings, LiveInputs, object_findings, Severity
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, remember, S
from test.scenarios.synthetic import Ball, sense

NOW_S = 10


def _store(
    sights: dict[str, tuple[Visibility, str, str]] | None = None, **given: Any
) -> InMemoryStore:
    """A mug at 10 s, and what each camera says of it since 4 s."""
    plain: dict[str, Any] = {
        'world_p': (1.0, 0.0, 0.0),
        'visibility': Visibility.OUT_OF_VIEW,
        'first_seen_ns': S,
        'last_seen_ns': 3 * S,
    }
    rows = tuple(
        VisibilityInterval(
            'mug_1', camera, 0, 4 * S, None, NOW_S * S, state, Visibility.VISIBLE, cause, by
        )
        for camera, (state, cause, by) in (sights or {}).items()
    )  # fmt: skip
    state = ObjectState('mug_1', 'mug', 0, **(plain | given))
    return commit(InMemoryStore(), NOW_S, state, cameras=[*(sights or {})], intervals=rows)


def _found(
    store: InMemoryStore, subject: str = 'mug_1', at: Moment | None = None
) -> list[Finding]:
    return list(object_findings(store, subject, at))


@pytest.mark.parametrize(
    ('state', 'cause', 'by', 'code', 'words', 'remedy'),
    [
        (Visibility.UNCONFIRMED, 'detector_silent', '', 'unconfirmed', 'found in 0 of 1', 'label'),
        (Visibility.OCCLUDED, 'occluded_by:door', 'door_1', 'occluded', 'door_1', 'move door_1'),
        (Visibility.OCCLUDED, 'occluded_by:depth', '', 'occluded', 'mug', 'what is in the way'),
        (Visibility.OUT_OF_VIEW, 'behind_camera', '', 'out_of_view', 'out of view', 'Turn'),
        (
            Visibility.AMBIGUOUS_FIXTURE, 'fixture', 'drawer_1', 'fixture_state_unknown', 'mug',
            'joint state of drawer_1',
        ),
        (Visibility.UNKNOWN, 'no_pose', '', 'sight_unknown', 'mug', 'transforms'),
        (Visibility.UNKNOWN, 'invalid_depth', '', 'sight_unknown', 'mug', 'registered'),
        (Visibility.UNKNOWN, 'other', '', 'sight_unknown', 'mug', 'again'),
    ],
)  # fmt: skip
def test_camera_says_why_it_does_not_see_it(
    state: Visibility, cause: str, by: str, code: str, words: str, remedy: str
) -> None:
    store = _store({'head': (state, cause, by)})

    sight = next(f for f in _found(store) if f.code == code)
    assert sight.subject == 'mug_1'
    assert sight.message.startswith('head: The mug (mug_1)')
    assert words in sight.message
    assert remedy in sight.remedy


def test_every_camera_is_told_but_those_that_see_it() -> None:
    store = _store(
        {
            'head': (Visibility.VISIBLE, '', ''),
            'left': (Visibility.OUT_OF_VIEW, 'behind_camera', ''),
            'wrist': (Visibility.UNCONFIRMED, 'detector_silent', ''),
        }
    )

    told = [(f.code, f.message.partition(':')[0]) for f in _found(store)[1:]]
    assert told == [('out_of_view', 'left'), ('unconfirmed', 'wrist')]


def test_what_is_gone_or_carried_is_told_once_for_all_cameras() -> None:
    behind = (Visibility.OUT_OF_VIEW, 'behind_camera', '')
    sights = dict.fromkeys(('head', 'left', 'wrist'), behind)
    gone = _store(sights, life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT)
    carried = _store(sights, in_motion=True, visibility=Visibility.IN_MOTION)

    assert [f.code for f in _found(gone)] == ['known_object', 'absent']
    assert '~/edit_object' in _found(gone)[1].remedy
    assert [f.code for f in _found(carried)] == ['known_object', 'in_motion']


def test_camera_that_saw_it_and_stopped_is_named() -> None:
    store = _store({'head': (Visibility.VISIBLE, '', '')}, visibility=Visibility.VISIBLE)
    commit(store, 30, cameras=['left'])

    stale = next(f for f in _found(store) if f.code == 'stale')
    assert 'head: The mug (mug_1) was visible' in stale.message
    assert '20 s ago' in stale.message
    assert 'topics of head' in stale.remedy


def test_doubt_of_identity_names_the_others() -> None:
    store = _store(identity_confidence=0.5, identity_alternatives=('mug_2', 'mug_3'))

    doubt = next(f for f in _found(store) if f.code == 'identity_in_doubt')
    assert doubt.message == 'mug_1 may be mug_2 or mug_3 (confidence 0.50)'
    assert doubt.severity is Severity.WARNING


def test_object_that_was_never_located_says_so() -> None:
    assert 'never_located' in [f.code for f in _found(_store(world_p=None))]


def test_label_of_several_says_which_one_is_told_of() -> None:
    store = _store()
    other = ObjectState('mug_2', 'mug', 0, world_p=(2.0, 0.0, 0.0), last_seen_ns=2 * S)
    commit(store, 11, other)

    fit = next(f for f in _found(store, 'mug') if f.code == 'others_fit')
    assert fit.message == 'mug_2 fit, too; what follows is of mug_1'


def test_stale_place_is_a_warning_with_its_reason() -> None:
    (told, *_) = _found(_store(life_cycle=LifeCycle.ABSENT, visibility=Visibility.ABSENT))

    assert (told.code, told.severity) == ('known_object', Severity.WARNING)
    assert 'seen to be empty' in told.remedy


# What is not believed in.


def test_thing_that_was_seen_too_seldom_is_on_probation() -> None:
    memory, store = ObjectMemory(MemorySettings()), InMemoryStore()
    for i in range(2):
        balls = [Ball('mug', (2.0, 0.0, 0.0)), Ball('bowl', (2.0, i - 0.5, 0.0))]
        store.commit(memory.integrate(sense(i, balls)))
    assert memory.on_probation == {'mug': 2, 'bowl': 1}

    inputs = LiveInputs(on_probation=memory.on_probation)
    told = {f.code: f for f in live_findings(inputs, store, 'mug')}
    assert told['on_probation'].severity is Severity.WARNING
    assert (
        told['on_probation'].message == 'mug was matched 2 times, too seldom to be believed in yet'
    )
    assert 'memory.confirm_hits' in told['on_probation'].remedy
    assert 'never_seen' not in told


def test_thing_that_is_believed_in_is_on_probation_no_longer() -> None:
    memory = ObjectMemory(MemorySettings())
    for i in range(10):
        memory.integrate(sense(i, [Ball('mug', (2.0, 0.0, 0.0))]))

    assert memory.on_probation == {}


def test_thing_that_a_person_forgot_can_be_taken_back() -> None:
    store = _store(life_cycle=LifeCycle.RETIRED)

    for subject in ('mug_1', 'mug'):
        (finding,) = _found(store, subject)
        assert (finding.code, finding.subject) == ('forgotten', 'mug_1')
        assert 'RESTORE' in finding.remedy


def test_thing_that_was_never_met_names_what_is_known() -> None:
    (finding,) = _found(_store(), 'unicorn')

    assert (finding.code, finding.severity) == ('never_seen', Severity.INFO)
    assert 'known are: mug' in finding.message


def test_empty_memory_is_the_reason() -> None:
    (finding,) = _found(InMemoryStore(), 'mug')

    assert (finding.code, finding.message) == ('never_seen', 'the memory is empty')


def test_object_of_an_earlier_map_says_that_its_place_is_not_known() -> None:
    from st_memory.replay import open_epoch

    store = remember([sense(i, [Ball('mug', (2.0, 0.0, 0.0))]) for i in range(10)])
    open_epoch(ObjectMemory(MemorySettings(), checkpoint=store.checkpoint()), store)

    (finding,) = _found(store, 'mug_1')
    assert finding.code == 'unanchored_object'
    assert finding.message.startswith('mug_1 was last at (')
    assert '~/rebase' in finding.remedy


# As of a time.


@pytest.mark.parametrize('num_frames', [2, 5, 10, 30])
def test_findings_as_of_a_time_are_those_of_a_memory_that_was_stopped_then(
    num_frames: int,
) -> None:
    ball = Ball('mug', (2.0, 0.0, 0.0))
    frames = [sense(i, [ball] if i < 8 else []) for i in range(60)]
    whole, cut = remember(frames), remember(frames[:num_frames])
    at = Moment(0, frames[num_frames - 1].stamp_ns)

    assert _found(whole, 'mug', at) == _found(cut, 'mug')

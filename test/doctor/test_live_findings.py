"""Why a running memory remembers nothing, told from what it receives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.conversions.roles import TopicKind
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.doctor import Finding, live_findings, LiveInputs, Received, Severity
from st_memory.doctor.remedies import REMEDIES
from st_memory.replay import open_epoch, replay
from st_memory.storage import InMemoryStore
from test.replay.walk import WalkSource

S = 1_000_000_000
ALL_KINDS = (
    TopicKind.CAMERA_INFO,
    TopicKind.DEPTH,
    TopicKind.DETECTIONS,
    TopicKind.TF,
)


def heard(*left_out: TopicKind, late_ns: int = 0) -> tuple[Received, ...]:
    """A camera of which everything comes but some kinds."""
    return tuple(
        Received(
            kind,
            '' if kind is TopicKind.TF else 'head',
            f'/head/{kind.value}',
            0 if kind in left_out else 7,
            None if kind in left_out else 5 * S,
            late_ns,
        )
        for kind in ALL_KINDS
    )


def found(inputs: LiveInputs, subject: str = '') -> dict[str, Finding]:
    return {f.code: f for f in live_findings(inputs, InMemoryStore(), subject)}


def test_nothing_is_wrong_with_a_camera_of_which_all_comes() -> None:
    assert found(LiveInputs(received=heard())) == {}


@pytest.mark.parametrize(
    ('kind', 'code', 'severity'),
    [
        (TopicKind.CAMERA_INFO, 'no_camera_info', Severity.ERROR),
        (TopicKind.TF, 'no_tf', Severity.ERROR),
        (TopicKind.DETECTIONS, 'no_detections', Severity.WARNING),
        (TopicKind.DEPTH, 'no_depth', Severity.WARNING),
    ],
)
def test_missing_input_is_named_with_what_to_do(
    kind: TopicKind, code: str, severity: Severity
) -> None:
    (finding,) = live_findings(LiveInputs(received=heard(kind)), InMemoryStore())

    assert (finding.code, finding.severity) == (code, severity)
    assert finding.message
    assert finding.remedy.endswith('.')


def test_no_camera_at_all_is_one_finding() -> None:
    assert set(found(LiveInputs())) == {'no_camera'}


def test_positions_from_elsewhere_need_no_camera() -> None:
    inputs = LiveInputs(received=(Received(TopicKind.WORLD_DETECTIONS, '', '/w', 3, 5 * S),))

    assert found(inputs) == {}


def test_missing_pose_says_which_link_is_missing() -> None:
    problem = "not_connected: 'map' and 'head_optical'"
    finding = found(LiveInputs(received=heard(), pose_problems={'head': problem}))['no_pose']

    assert finding.subject == 'head'
    assert finding.message.endswith(problem)


def test_look_with_a_pose_is_no_finding() -> None:
    assert found(LiveInputs(received=heard(), pose_problems={'head': ''})) == {}


def test_inactive_node_is_the_only_finding() -> None:
    assert set(found(LiveInputs(is_active=False, received=heard(TopicKind.TF)))) == {'inactive'}


def test_simulated_time_without_a_clock_is_an_error() -> None:
    inputs = LiveInputs(received=heard(), uses_sim_time=True)

    assert found(inputs)['no_clock'].severity is Severity.ERROR
    assert found(LiveInputs(received=heard(), uses_sim_time=True, has_clock=True)) == {}


@pytest.mark.parametrize(
    ('late_s', 'words'), [(111.7, "111.7 s behind the node's"), (-20.0, '20.0 s ahead of')]
)
def test_stamps_far_from_the_clock_name_the_switch(late_s: float, words: str) -> None:
    finding = found(LiveInputs(received=heard(late_ns=int(late_s * S))))['clock_offset']

    assert words in finding.message
    assert 'use_sim_time' in finding.remedy


def test_stamps_near_the_clock_are_fine() -> None:
    assert found(LiveInputs(received=heard(late_ns=3 * S))) == {}


def test_topic_that_offers_less_than_is_asked_for_is_named() -> None:
    finding = found(LiveInputs(received=heard(), unheard={'/head/depth': 'reliability'}))[
        'qos_mismatch'
    ]

    assert finding.subject == '/head/depth'
    assert 'less reliability than' in finding.message
    assert 'qos_overrides./head/depth.subscription.reliability to best_effort' in finding.remedy


@pytest.mark.parametrize('reason', sorted(REMEDIES))
def test_counted_reason_has_its_remedy(reason: str) -> None:
    finding = found(LiveInputs(received=heard(), counters={reason: 4}))[reason]

    assert finding.message.startswith(f'4 times {reason}')
    assert finding.remedy == REMEDIES[reason][1]


def test_counted_reason_of_one_joint_names_it_and_nothing_counts_as_nothing() -> None:
    inputs = LiveInputs(received=heard(), counters={'missing_joint door_1': 2, 'late': 0})

    (finding,) = live_findings(inputs, InMemoryStore())
    assert (finding.code, finding.subject) == ('missing_joint', 'door_1')


@pytest.mark.parametrize(
    ('kind', 'code'),
    [(TopicKind.DETECTIONS, 'detections_stopped'), (TopicKind.DEPTH, 'depth_stopped')],
)
def test_input_that_stopped_says_when_it_last_came(kind: TopicKind, code: str) -> None:
    received = tuple(replace(r, last_ns=1 * S) if r.kind is kind else r for r in heard())

    finding = found(LiveInputs(received=received))[code]
    assert (finding.subject, finding.severity) == ('head', Severity.WARNING)
    assert 'last came 4.0 s before its newest camera_info' in finding.message


def test_input_that_is_a_little_late_has_not_stopped() -> None:
    received = tuple(
        replace(r, last_ns=3 * S) if r.kind is TopicKind.DEPTH else r for r in heard()
    )

    assert found(LiveInputs(received=received)) == {}


@pytest.mark.parametrize('subject', ['head', '/head', '/head/camera_info', 'head/camera_info'])
def test_camera_or_topic_of_which_all_comes_is_no_object_that_was_never_seen(
    subject: str,
) -> None:
    assert found(LiveInputs(received=heard()), subject) == {}


def test_unknown_thing_is_told_with_what_keeps_things_from_being_seen() -> None:
    inputs = LiveInputs(
        received=heard(TopicKind.DETECTIONS), counters={'below_min_score': 9, 'late': 1}
    )

    assert set(found(inputs, 'unicorn')) == {'no_detections', 'below_min_score', 'never_seen'}


def test_worst_comes_first() -> None:
    inputs = LiveInputs(received=heard(TopicKind.TF, TopicKind.DEPTH), counters={'late': 1})

    severities = [f.severity for f in live_findings(inputs, InMemoryStore())]
    assert severities == sorted(severities, reverse=True)


def test_subject_narrows_to_it_and_to_what_concerns_everything() -> None:
    inputs = LiveInputs(
        received=heard(TopicKind.TF, TopicKind.DEPTH), counters={'late': 1, 'zero_stamp': 1}
    )

    assert set(found(inputs, 'late')) == {'no_tf', 'late'}
    assert set(found(inputs, '/head')) == {'no_tf', 'no_depth'}


def test_subject_that_is_an_object_says_where_it_is() -> None:
    store = InMemoryStore()
    replay(WalkSource(), store, MemorySettings())

    by_id, by_label = (
        live_findings(LiveInputs(received=heard()), store, name) for name in ('mug_a', 'mug')
    )

    assert [f.code for f in by_id] == [f.code for f in by_label] == ['known_object']
    assert 'mug' in by_id[0].message


def test_objects_of_an_earlier_map_are_a_finding_until_it_is_confirmed() -> None:
    store = InMemoryStore()
    replay(WalkSource(), store, MemorySettings())
    open_epoch(ObjectMemory(MemorySettings(), checkpoint=store.checkpoint()), store)

    (finding,) = live_findings(LiveInputs(received=heard()), store)

    assert (finding.code, finding.subject) == ('unanchored', 'epoch 0')
    assert '~/rebase' in finding.remedy

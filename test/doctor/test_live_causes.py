"""Each known cause of an empty memory: the input that is missing, since when, and the switch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.conversions.roles import TopicKind
from st_memory.core.errors import TransformFailure
from st_memory.doctor import Finding, live_findings, LiveInputs, PairGap, Severity, TransformLink
from st_memory.storage import InMemoryStore
from test.doctor.test_live_findings import heard

S = 1_000_000_000
MS = 1_000_000


def found(inputs: LiveInputs) -> dict[str, Finding]:
    return {f.code: f for f in live_findings(inputs, InMemoryStore())}


def with_numbers(**numbers: object) -> LiveInputs:
    """Everything comes, and each stream has these numbers."""
    return LiveInputs(received=tuple(replace(r, **numbers) for r in heard()))


def link(parent: str, child: str, last_s: float = 5.0, *, static: bool = False) -> TransformLink:
    return TransformLink(parent, child, static, 9, 0, int(last_s * S))


def test_c7_clock_that_has_not_started_is_named_and_no_offset_made_of_it() -> None:
    inputs = replace(
        with_numbers(late_ns=-5 * S), uses_sim_time=True, has_clock=True, is_clock_running=False
    )

    (finding,) = found(inputs).values()
    assert (finding.code, finding.subject) == ('clock_silent', '/clock')
    assert 'paused' in finding.remedy


def test_c8_use_sim_time_without_a_clock_says_since_when_and_which_switch() -> None:
    inputs = replace(with_numbers(), uses_sim_time=True, since_s={('no_clock', '/clock'): 42.3})

    finding = found(inputs)['no_clock']
    assert finding.message == 'use_sim_time is set, and nobody publishes /clock (for 42 s)'
    assert 'set use_sim_time to false' in finding.remedy


def test_c8_clock_that_nobody_listens_to_names_the_one_switch() -> None:
    inputs = replace(with_numbers(late_ns=3600 * S), has_clock=True)

    assert found(inputs)['clock_offset'].remedy == (
        'Set use_sim_time to true: /clock is published.'
    )


def test_c10_stamps_far_from_those_of_the_transforms_are_an_error() -> None:
    inputs = replace(
        with_numbers(last_ns=int(116.7 * S), quiet_s=0.1), links=(link('map', 'head', 5.0),)
    )

    finding = found(inputs)['stamps_apart']
    assert finding.severity is Severity.ERROR
    assert 'of /head/camera_info are 111.7 s ahead of those of /tf' in finding.message


@pytest.mark.parametrize('quiet_s', [3.0, 300.0])
def test_c10_stamps_of_what_came_to_an_end_are_not_compared(quiet_s: float) -> None:
    received = tuple(
        replace(r, last_ns=100 * S, quiet_s=quiet_s if r.kind is TopicKind.TF else 0.1)
        for r in heard()
    )
    inputs = LiveInputs(received=received, links=(link('map', 'head'),))

    assert 'stamps_apart' not in found(inputs)


def test_c10_static_transforms_have_no_stamp_to_compare_with() -> None:
    inputs = replace(with_numbers(last_ns=100 * S), links=(link('map', 'head', static=True),))

    assert found(inputs) == {}


def test_c11_stamps_in_the_future_are_found_at_a_second() -> None:
    assert found(with_numbers(late_ns=-S)) == {}
    assert '1.5 s ahead of' in found(with_numbers(late_ns=-S * 3 // 2))['clock_offset'].message


@pytest.mark.parametrize(('drift_s', 'side'), [(0.7, 'behind'), (-0.7, 'ahead of')])
def test_c11_drift_is_told_long_before_the_offset_is_large(drift_s: float, side: str) -> None:
    finding = found(with_numbers(drift_ns=int(drift_s * S)))['clock_drift']

    assert f"have drifted 0.7 s {side} the node's clock" in finding.message
    assert found(with_numbers(drift_ns=int(0.4 * S))) == {}


@pytest.mark.parametrize('failure', ['unknown_frame', 'not_connected'])
def test_t4_missing_link_names_what_either_end_is_connected_with(failure: str) -> None:
    inputs = replace(
        with_numbers(),
        pose_problems={'head': f'{failure}: map <- head_optical'},
        links=(link('map', 'odom'), link('odom', 'base'), link('neck', 'head_optical')),
    )

    finding = found(inputs)['no_pose']
    assert 'map <- head_optical; connected with map are base, odom' in finding.message
    assert finding.message.endswith('connected with head_optical are neck')
    assert finding.remedy.startswith('Publish all transforms from map')


def test_t4_frame_that_no_transform_names_is_told_as_such() -> None:
    inputs = replace(
        with_numbers(),
        pose_problems={'head': 'unknown_frame: map <- eye'},
        links=(link('world', 'base'),),
    )

    message = found(inputs)['no_pose'].message
    assert message.endswith('no transform names map; no transform names eye')


@pytest.mark.parametrize(
    ('failure', 'switch'),
    [
        (TransformFailure.TOO_NEW, 'max_wait_s'),
        (TransformFailure.TOO_OLD, 'tf_history_s'),
        (TransformFailure.IN_GAP, 'max_pose_gap_s'),
    ],
)
def test_t4_pose_that_comes_too_late_says_by_how_much(
    failure: TransformFailure, switch: str
) -> None:
    inputs = replace(
        with_numbers(),
        pose_problems={'head': f'{failure.value}: map <- head_optical'},
        links=(link('map', 'head_optical', 4.65),),
    )

    finding = found(inputs)['no_pose']
    assert 'the newest transform is 0.350 s before its newest image' in finding.message
    assert switch in finding.remedy


def test_d6_camera_without_focal_length_is_an_error_with_its_text() -> None:
    text = 'camera_info of head: expected focal lengths > 0, found fx 0 and fy 0'
    inputs = replace(with_numbers(), unusable={'/head/camera_info': text})

    finding = found(inputs)['unusable_camera_info']
    assert finding.severity is Severity.ERROR
    assert text in finding.message
    assert 'Calibrate' in finding.remedy


def test_d1_depth_that_nobody_can_read_is_a_warning_with_its_text() -> None:
    inputs = replace(with_numbers(), unusable={'/head/depth': 'unknown encoding rgb8'})

    finding = found(inputs)['unusable_input']
    assert (finding.severity, finding.subject) == (Severity.WARNING, '/head/depth')
    assert 'rgb8' in finding.message


@pytest.mark.parametrize('reason', ['depth_unit_implausible', 'depth_all_invalid'])
def test_d1_d5_depth_that_makes_no_sense_says_first_and_last_time(reason: str) -> None:
    inputs = replace(
        with_numbers(),
        counters={reason: 30},
        since_s={(reason, reason): 61.0},
        counted_s={reason: 2.0},
    )

    assert found(inputs)[reason].message.endswith('(first 61 s ago, last 2 s ago)')


def test_q2_kinds_that_never_pair_are_told_with_rates_gap_and_slop() -> None:
    inputs = replace(
        with_numbers(rate_hz=30.0),
        pair_gaps=(PairGap('head', TopicKind.CAMERA_INFO, TopicKind.DEPTH, 41 * MS),),
        slop_ns=20 * MS,
    )

    finding = found(inputs)['pair_gap']
    assert finding.message == (
        'nothing of head pairs: camera_info 30 Hz, depth 30 Hz, best gap 41 ms > slop 20 ms'
    )
    assert 'slop_s above 0.041' in finding.remedy
    assert finding.severity is Severity.ERROR


def test_q2_colour_is_called_colour() -> None:
    inputs = LiveInputs(
        received=(
            *heard(),
            replace(heard()[0], kind=TopicKind.IMAGE, rate_hz=30.0),
        ),
        pair_gaps=(PairGap('head', TopicKind.IMAGE, TopicKind.DEPTH, 41 * MS),),
    )

    assert 'colour 30 Hz, depth ? Hz' in found(inputs)['pair_gap'].message


def test_q2_kinds_that_pair_within_the_slop_are_fine() -> None:
    gap = PairGap('head', TopicKind.CAMERA_INFO, TopicKind.DEPTH, 20 * MS)

    assert found(replace(with_numbers(), pair_gaps=(gap,), slop_ns=20 * MS)) == {}


def test_q3_camera_and_transforms_that_ended_say_when_they_last_came() -> None:
    messages = [f.message for f in live_findings(with_numbers(quiet_s=12.0), InMemoryStore())]

    assert messages == ['/head/tf last came 12 s ago', '/head/camera_info last came 12 s ago']
    assert found(with_numbers(quiet_s=4.9)) == {}


def test_q3_missing_input_says_for_how_long() -> None:
    inputs = LiveInputs(received=heard(TopicKind.TF), since_s={('no_tf', '/tf'): 7.0})

    assert found(inputs)['no_tf'].message.endswith('is not known (for 7 s)')


def test_q3_what_has_just_begun_says_no_time() -> None:
    inputs = LiveInputs(received=heard(TopicKind.TF), since_s={('no_tf', '/tf'): 0.4})

    assert found(inputs)['no_tf'].message.endswith('is not known')


def test_q11_topic_of_which_much_is_lost_names_what_helps() -> None:
    received = tuple(
        replace(r, num_messages=39, num_lost=141) if r.kind is TopicKind.DEPTH else r
        for r in heard()
    )

    (finding,) = found(LiveInputs(received=received)).values()
    assert (finding.code, finding.subject) == ('messages_lost', '/head/depth')
    assert finding.message.startswith('141 messages of /head/depth were lost on the way, 39 came')
    assert 'fastdds_profile.xml' in finding.remedy


def test_q11_single_loss_among_many_is_no_finding() -> None:
    assert found(with_numbers(num_messages=1000, num_lost=20)) == {}

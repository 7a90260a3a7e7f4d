"""What is published on /diagnostics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from st_memory.conversions.roles import TopicKind
from st_memory.core.stamps import Moment
from st_memory.doctor import LiveInputs, PairGap, received_findings
from st_memory.ros.diagnostic_rows import diagnostic_rows, Level, Row
from st_memory.ros.ingest_figures import IngestFigures
from test.doctor.test_live_findings import heard
from test.ros.cup_recording import write_cup_recording
from test.ros.node_makers import make_memory, make_replay

S = 1_000_000_000
MS = 1_000_000


def ingest(**values: Any) -> Any:
    """An ingest that says these numbers."""
    figures = IngestFigures()
    figures.poses.update(posed=30, too_new=10)
    return SimpleNamespace(
        figures=figures,
        counters={},
        progress=SimpleNamespace(num_messages=90, num_frames=30, newest=Moment(2, 7 * S)),
        num_queued=3,
        num_waiting=4,
        capacity=1000,
        **values,
    )


def rows(inputs: LiveInputs, made: Any = None) -> dict[str, Row]:
    found = received_findings(inputs)
    told = diagnostic_rows(inputs, found, ingest() if made is None else made)
    assert len({row.name for row in told}) == len(told)
    return {row.name: row for row in told}


def test_all_is_well_where_all_comes() -> None:
    told = rows(LiveInputs(received=heard()))

    assert {row.level for row in told.values()} == {Level.OK}
    assert set(told) == {
        'memory',
        'inputs/head/camera_info',
        'inputs/head/depth',
        'inputs/head/detections',
        'inputs/head/tf',
        'pairing/head',
        'transforms',
        'clock',
        'store',
        'left out',
    }


def test_numbers_of_the_store_are_told() -> None:
    values = rows(LiveInputs(received=heard()))['store'].values

    assert values['queue'] == '3' and values['queue_capacity'] == '1000'
    assert values['newest_epoch'] == '2' and values['newest_stamp_ns'] == str(7 * S)
    assert values['frames'] == '30' and values['frames_waiting'] == '4'
    assert values['frame_age_s'] == ''


def test_t2_outcomes_of_transforms_are_counted_by_their_failure() -> None:
    values = rows(LiveInputs(received=heard()))['transforms'].values

    assert values['posed_share'] == '0.750'
    assert (values['looks posed'], values['looks too_new']) == ('30', '10')
    assert values['frames_waiting'] == '4'


def test_q2_pairing_tells_shares_gap_and_remedy() -> None:
    gap = PairGap('head', TopicKind.CAMERA_INFO, TopicKind.DEPTH, 41 * MS)
    row = rows(LiveInputs(received=heard(), pair_gaps=(gap,), slop_ns=20 * MS))['pairing/head']

    assert row.level is Level.ERROR
    assert 'best gap 41 ms > slop 20 ms' in row.message
    assert 'slop_s' in row.message
    assert row.values['best_gap_ms camera_info and depth'] == '41.000'
    assert row.values['depth per image'] == '1.000'


def test_q1_topic_that_is_not_heard_names_the_policy_and_the_switch() -> None:
    inputs = LiveInputs(received=heard(), unheard={'/head/depth': 'reliability'})
    row = rows(inputs)['inputs/head/depth']

    assert row.level is Level.ERROR
    assert row.values['incompatible_policy'] == 'reliability'
    assert 'qos_overrides./head/depth.subscription.reliability' in row.message


def test_q11_loss_is_told_at_its_topic() -> None:
    received = tuple(replace(r, num_lost=141) if r.kind is TopicKind.DEPTH else r for r in heard())
    told = rows(LiveInputs(received=received))

    assert told['inputs/head/depth'].values['lost'] == '141'
    assert told['inputs/head/depth'].level is Level.WARN
    assert told['inputs/head/camera_info'].level is Level.OK


def test_q3_missing_kind_is_told_at_its_topic_and_its_camera() -> None:
    told = rows(LiveInputs(received=heard(TopicKind.DEPTH)))

    assert told['inputs/head/depth'].level is Level.WARN
    assert told['pairing/head'].level is Level.WARN
    assert told['inputs/head/camera_info'].level is Level.OK
    assert told['memory'].level is Level.WARN


def test_q3_what_fell_silent_is_stale() -> None:
    received = tuple(replace(r, quiet_s=60.0) for r in heard())
    told = rows(LiveInputs(received=received))

    assert told['inputs/head/camera_info'].level is Level.STALE
    assert 'last came 60 s ago' in told['inputs/head/camera_info'].message


def test_c8_clock_that_is_missing_is_an_error_of_the_clock() -> None:
    row = rows(LiveInputs(received=heard(), uses_sim_time=True))['clock']

    assert row.level is Level.ERROR
    assert row.values['use_sim_time'] == 'true'
    assert row.values['clock_published'] == 'false'


@pytest.mark.parametrize(('ago_s', 'level'), [(3.0, Level.WARN), (30.0, Level.OK)])
def test_what_was_left_out_long_ago_is_past(ago_s: float, level: Level) -> None:
    inputs = LiveInputs(
        received=heard(), counters={'zero_stamp': 4}, counted_s={'zero_stamp': ago_s}
    )
    told = rows(inputs)

    assert told['left out'].level is level
    assert told['memory'].level is level
    assert told['left out'].values == {'zero_stamp': '4'}


def test_worst_finding_is_the_message_and_all_are_listed() -> None:
    row = rows(LiveInputs(received=heard(TopicKind.TF, TopicKind.DEPTH)))['memory']

    assert row.level is Level.ERROR
    assert row.message.startswith('no transform has come')
    assert row.message.endswith('(and 1 more)')
    assert {'no_tf /tf', 'no_depth head'} <= set(row.values)


class Panel:
    """Somebody who looks at /diagnostics."""

    def __init__(self, graph: Any) -> None:
        from diagnostic_msgs.msg import DiagnosticArray
        from rclpy.node import Node

        self.graph = graph
        self.messages: list[Any] = []
        node = graph.add(Node('panel', context=graph.context))
        node.create_subscription(DiagnosticArray, '/diagnostics', self.messages.append, 10)

    def status(self, name: str) -> Any:
        """Give the newest status of a name; None when there is none."""
        told = (s for m in reversed(self.messages) for s in m.status if s.name == name)
        return next(told, None)

    def sees(self, name: str, level: int) -> bool:
        """Whether a status comes to have a level."""
        wanted = bytes([level])
        return bool(
            self.graph.spin_until(
                lambda: (s := self.status(name)) is not None and s.level == wanted
            )
        )


@pytest.mark.ros
def test_q2_node_tells_rates_and_shares_of_a_recording(graph: Any, tmp_path: Path) -> None:
    panel = Panel(graph)
    make_memory(graph, tmp_path / 'live.db', diagnostics_period_s=0.05)
    player = make_replay(graph, write_cup_recording(tmp_path / 'cup.mcap'))
    assert graph.spin_until(lambda: player.is_done)
    seen = len(panel.messages)
    assert graph.spin_until(lambda: len(panel.messages) > seen + 1)

    depth = panel.status('st_memory: inputs/head/depth/compressedDepth')
    names = {s.name for s in panel.messages[-1].status}
    assert depth is not None, names
    assert depth.hardware_id == '/memory_node'
    values = {v.key: v.value for v in depth.values}
    assert values['messages'] == '30' and float(values['rate_hz']) > 0
    pairing = {v.key: v.value for v in panel.status('st_memory: pairing/head').values}
    assert pairing['depth per image'] == '1.000'
    store = {v.key: v.value for v in panel.status('st_memory: store').values}
    assert int(store['frames']) >= 29 and float(store['commit_ms']) > 0
    transforms = {v.key: v.value for v in panel.status('st_memory: transforms').values}
    assert transforms['posed_share'] == '1.000'


@pytest.mark.ros
def test_node_tells_of_itself_from_configuring_to_cleaning_up(graph: Any, tmp_path: Path) -> None:
    panel = Panel(graph)
    memory = make_memory(graph, tmp_path / 'live.db', diagnostics_period_s=0.05)
    assert panel.sees('st_memory: memory', Level.ERROR)
    assert 'no topic of a camera was found' in panel.status('st_memory: memory').message
    memory.trigger_deactivate()
    assert graph.spin_until(
        lambda: 'the node is not active' in panel.status('st_memory: memory').message
    )
    memory.trigger_cleanup()
    assert memory.count_publishers('/diagnostics') == 0


@pytest.mark.ros
def test_c8_node_that_waits_for_a_clock_goes_on_telling(graph: Any, tmp_path: Path) -> None:
    panel = Panel(graph)
    make_memory(graph, tmp_path / 'live.db', diagnostics_period_s=0.05, use_sim_time=True)
    assert panel.sees('st_memory: clock', Level.ERROR)
    seen = len(panel.messages)
    assert graph.spin_until(lambda: len(panel.messages) >= seen + 3)


@pytest.mark.ros
def test_rows_of_another_memory_are_told_apart(graph: Any) -> None:
    from st_memory.ros.diagnostics import display_name

    assert display_name('/memory_node') == 'st_memory'
    assert display_name('/robot1/memory_node') == 'st_memory robot1/memory_node'

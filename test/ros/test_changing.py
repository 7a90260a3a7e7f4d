"""Parameters that are changed while the node is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from test.ros.node_makers import make_memory, parameters

pytestmark = pytest.mark.ros


def _set(node: Any, **values: Any) -> str:
    """Set parameters together; gives why not, '' when they are set."""
    result = node.set_parameters_atomically(parameters(**values))
    return '' if result.successful else str(result.reason)


def test_periods_count_at_once_and_after_the_next_activation(graph: Any, tmp_path: Path) -> None:
    memory = make_memory(graph, tmp_path / 'live.db')
    assert _set(memory, objects_period_s=2.0, diagnostics_period_s=0.25) == ''
    assert _set(memory, discovery_period_s=3.0, markers_period_s=4.0) == ''
    assert memory.memory.publications._period_ns == 2_000_000_000
    assert memory.memory.publications._markers._period_ns == 4_000_000_000
    assert memory.memory._diagnostics._timer.timer_period_ns == 250_000_000
    assert memory.active._timer.timer_period_ns == 3_000_000_000
    memory.trigger_deactivate()
    memory.trigger_activate()
    assert memory.active._timer.timer_period_ns == 3_000_000_000
    assert memory.get_parameter('objects_period_s').value == 2.0


@pytest.mark.parametrize(
    'name', ['database', 'slop_s', 'memory__min_score', 'visibility__max_range_m']
)
def test_what_the_memory_rests_on_is_not_changed_under_it(
    graph: Any, tmp_path: Path, name: str
) -> None:
    memory = make_memory(graph, tmp_path / 'live.db')
    dotted = name.replace('__', '.')
    before = memory.get_parameter(dotted).value
    value = '/elsewhere.db' if name == 'database' else 0.5
    assert _set(memory, objects_period_s=9.0, **{name: value}) == (
        f'parameter {dotted}: counts from the next configuring on: clean the node up first'
    )
    assert memory.get_parameter(dotted).value == before
    assert memory.get_parameter('objects_period_s').value == 0.5  # all of a request or nothing


def test_what_is_set_before_configuring_counts_from_then_on(graph: Any, tmp_path: Path) -> None:
    memory = make_memory(graph, tmp_path / 'live.db')
    memory.trigger_deactivate()
    memory.trigger_cleanup()
    values = {'slop_s': 0.02, 'memory__min_score': 0.4, 'visibility__max_range_m': 3.0}
    assert _set(memory, database=str(tmp_path / 'other.db'), **values) == ''
    memory.trigger_configure()
    assert (tmp_path / 'other.db').exists()
    assert memory.parameters.node.slop_s == 0.02
    assert memory.parameters.memory.min_score == 0.4
    assert memory.parameters.visibility.max_range_m == 3.0


@pytest.mark.parametrize(
    ('name', 'value', 'reason'),
    [
        ('release', 'never', 'expected one of complete, deadline, got'),
        ('memory__visibility_preset', 'live', 'is read when the node is made'),
        ('slop_s', -1.0, 'slop_s'),
        ('objects_period_s', 1e9, 'objects_period_s'),
    ],
)
def test_value_that_is_none_is_refused_with_the_reason(
    graph: Any, tmp_path: Path, name: str, value: Any, reason: str
) -> None:
    memory = make_memory(graph, tmp_path / 'live.db', autostart=False)
    assert reason in _set(memory, **{name: value})

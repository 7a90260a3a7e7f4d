"""Parameters from settings dataclasses."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import VisibilityPreset
from st_memory.ros.settings import MemoryNodeSettings, ReplayNodeSettings
from test.ros.node_makers import parameters

pytestmark = pytest.mark.ros

CLASSES = [MemoryNodeSettings, ReplayNodeSettings, MemorySettings]
ALL_CLASSES = [*CLASSES, VisibilityPreset]


def _node(graph: Any, settings_class: type[Any], **overrides: Any) -> Any:
    from rclpy.node import Node

    from st_memory.ros.parameters import declare_settings

    node = graph.add(
        Node('some', context=graph.context, parameter_overrides=parameters(**overrides))
    )
    declare_settings(node, settings_class())
    return node


@pytest.mark.parametrize('settings_class', ALL_CLASSES)
def test_read_settings_without_overrides_gives_the_defaults(
    graph: Any, settings_class: type[Any]
) -> None:
    from st_memory.ros.parameters import read_settings

    assert read_settings(_node(graph, settings_class), settings_class()) == settings_class()


def test_stay_prior_is_what_stay_s_says_and_none_unless_given() -> None:
    assert MemoryNodeSettings().stay_prior() is None
    prior = MemoryNodeSettings(stay_s=3600.0).stay_prior()
    assert prior is not None and prior.mean_s == 3600.0


def test_read_settings_with_overrides_gives_them(graph: Any) -> None:
    from st_memory.ros.parameters import read_settings

    node = _node(graph, MemoryNodeSettings, cameras=['head', 'wrist'], slop_s=0.02)
    read = read_settings(node, MemoryNodeSettings())
    assert (read.cameras, read.slop_s) == (('head', 'wrist'), 0.02)
    assert read.assembler().slop_ns == 20_000_000
    assert read.assembler().max_pose_gap_ns == 1_000_000_000


@pytest.mark.parametrize('settings_class', CLASSES)
def test_declare_settings_every_parameter_has_description_and_range(
    graph: Any, settings_class: type[Any]
) -> None:
    node = _node(graph, settings_class)
    for item in fields(settings_class):
        descriptor = node.describe_parameter(item.name)
        assert descriptor.description
        if type(item.default) is float:
            assert descriptor.floating_point_range[0].to_value == item.metadata['max']
        if type(item.default) is int:
            assert descriptor.integer_range[0].from_value == item.metadata['min']


@pytest.mark.parametrize(
    ('name', 'value', 'expected'),
    [
        ('slop_s', -1.0, r'a number with a point \(1.0\) from 0 to 10, got -1.0'),
        ('slop_s', 1, r'a number with a point \(1.0\) from 0 to 10, got 1$'),
        ('backlog', 1, 'a whole number from 10 to 100000, got 1$'),
        ('backlog', 'many', "a whole number from 10 to 100000, got 'many'"),
        ('autostart', 'soon', "true or false, got 'soon'"),
        ('fixed_frame', 3, 'a text, got 3'),
    ],
)
def test_declare_settings_refuses_another_type_or_range_in_one_line(
    graph: Any, name: str, value: Any, expected: str
) -> None:
    with pytest.raises(ConfigError, match=f'^parameter {name}: expected {expected}'):
        _node(graph, MemoryNodeSettings, **{name: value})


def test_read_settings_unknown_choice_names_the_choices(graph: Any) -> None:
    from st_memory.ros.parameters import read_settings

    node = _node(graph, MemoryNodeSettings, pose_policy='guess')
    with pytest.raises(ConfigError, match="expected one of exact, static_rig, got 'guess'"):
        read_settings(node, MemoryNodeSettings())


def test_read_settings_the_record_refuses_is_one_line(graph: Any) -> None:
    from st_memory.ros.parameters import read_settings

    node = _node(graph, VisibilityPreset, pixel_bounds='wide')
    with pytest.raises(ConfigError, match='pixel_bounds'):
        read_settings(node, VisibilityPreset())

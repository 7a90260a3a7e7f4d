"""Tests of the message types that bags hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from st_memory.bags.msgtypes import message_class, own_definitions, standard_typestore

INTERFACE_FOLDER = Path(__file__).parents[2] / 'st_memory_interfaces' / 'msg'


@pytest.mark.parametrize('name', sorted(own_definitions()))
def test_own_definitions_shipped_text_equals_the_interface_package(name: str) -> None:
    expected = (INTERFACE_FOLDER / f'{name}.msg').read_text(encoding='utf-8')

    assert own_definitions()[name] == expected


def test_own_definitions_names_every_message_of_the_bag_contract() -> None:
    names = set(own_definitions())

    assert {'Detection', 'DetectionArray', 'EventArray', 'EventOccurrence', 'RoleTube'} <= names


def test_message_class_of_own_message_has_the_fields_of_its_text() -> None:
    message = message_class('st_memory_interfaces/msg/DetectionArray')(
        header=None, source='x', detections=[]
    )

    assert (message.source, message.detections) == ('x', [])


def test_message_class_of_unknown_type_raises_key_error() -> None:
    with pytest.raises(KeyError, match='no_such_msgs'):
        message_class('no_such_msgs/msg/Nothing')


def test_standard_typestore_is_built_once() -> None:
    assert standard_typestore() is standard_typestore()

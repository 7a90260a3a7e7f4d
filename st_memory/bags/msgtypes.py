"""The message types that bags of ours hold: the standard ones of Humble and our own."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any, TYPE_CHECKING

from rosbags.typesys import get_types_from_msg, get_typestore, Stores

if TYPE_CHECKING:
    from rosbags.typesys.store import Typestore

__all__ = ['INTERFACES', 'message_class', 'own_definitions', 'standard_typestore']

INTERFACES = 'st_memory_interfaces'


def own_definitions() -> dict[str, str]:
    """
    Read the texts of our own messages that bags may hold, by message name.

    They are copies of the files of the interface package, which a Python package cannot reach
    when it is installed without ROS.
    """
    folder = resources.files('st_memory.bags').joinpath('msgdefs')
    return {
        entry.name.removesuffix('.msg'): entry.read_text(encoding='utf-8')
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith('.msg')
    }


@functools.cache
def standard_typestore() -> Typestore:
    """
    Give the store with the standard types and our own; built once, never changed.

    The oldest distribution we support decides, so that every later one can read what we write.
    """
    store = get_typestore(Stores.ROS2_HUMBLE)
    types: dict[str, Any] = {}
    for name, text in own_definitions().items():
        types.update(get_types_from_msg(text, f'{INTERFACES}/msg/{name}'))
    store.register(types)
    return store


def message_class(type_name: str) -> Any:
    """Give the class of a message such as ``sensor_msgs/msg/Image``."""
    return standard_typestore().types[type_name]

"""
Own the reading of settings: YAML onto the frozen dataclasses that core and conversions define.

Must not import the other adapters. A reader starts with :func:`load_settings`,
:class:`Settings` and :func:`iter_fields`.
"""

from __future__ import annotations

from st_memory.settings.fields import FieldSpec, iter_fields
from st_memory.settings.loader import (
    effective,
    load_settings,
    SceneSettings,
    Settings,
    settings_from,
    StoreSettings,
)
from st_memory.settings.reading import read_record
from st_memory.settings.self_filter import with_self_filter
from st_memory.settings.template import template
from st_memory.settings.yaml_file import read_yaml

__all__ = [
    'FieldSpec',
    'SceneSettings',
    'Settings',
    'StoreSettings',
    'effective',
    'iter_fields',
    'load_settings',
    'read_record',
    'read_yaml',
    'settings_from',
    'template',
    'with_self_filter',
]

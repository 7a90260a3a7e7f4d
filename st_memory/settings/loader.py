"""All settings of a memory, from one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
import enum
import os
from pathlib import Path
from typing import Any

from st_memory.conversions import AssemblerSettings
from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named, VisibilityPreset
from st_memory.settings.reading import read_record, refuse_unknown
from st_memory.settings.self_filter import with_mask_files
from st_memory.settings.yaml_file import read_yaml

__all__ = [
    'SceneSettings',
    'Settings',
    'StoreSettings',
    'effective',
    'load_settings',
    'settings_from',
]


@dataclass(frozen=True)
class StoreSettings:
    """How the memory file is written."""

    synchronous: str = field(
        default='normal',
        metadata={
            'choices': ('normal', 'full'),
            'description': 'full: a committed frame survives a power cut, at a flush a frame',
        },
    )


@dataclass(frozen=True)
class SceneSettings:
    """What rays are shot with."""

    ray_caster: str = field(
        default='embree',
        metadata={
            'choices': ('embree', 'open3d'),
            'description': 'open3d: on all cores, needs the extra open3d',
        },
    )


@dataclass(frozen=True)
class Settings:
    """
    Everything that can be set.

    Parameters
    ----------
    memory : MemorySettings
        Numbers of the fold.
    visibility : VisibilityPreset
        Rules of the visibility verdict; ``memory.visibility_preset`` names what they start from.
    assembler : AssemblerSettings
        How messages become frames.
    store : StoreSettings
        How the memory file is written.
    scene : SceneSettings
        What rays are shot with.

    """

    memory: MemorySettings = field(default_factory=MemorySettings)
    visibility: VisibilityPreset = field(default_factory=VisibilityPreset)
    assembler: AssemblerSettings = field(default_factory=AssemblerSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    scene: SceneSettings = field(default_factory=SceneSettings)


def load_settings(path: str | os.PathLike[str] | None) -> Settings:
    """
    Read settings from a YAML file; what it does not name has its default.

    Parameters
    ----------
    path : path-like, optional
        The file; None gives the defaults. ``visibility`` is the name of a preset, or a section
        with ``preset`` (what to start from) and the fields that differ. Files of masks are
        relative to the folder of the file.

    Raises
    ------
    ConfigError
        If the file cannot be read, a key is unknown, or a value has another type or range; one
        line with the file and the key path.

    """
    if path is None:
        return Settings()
    file = Path(path)
    data = read_yaml(file)
    return Settings() if data is None else settings_from(data, f'{file}: ', file.parent)


def settings_from(data: object, where: str, folder: Path | None = None) -> Settings:
    """
    Read settings from plain data, as :func:`effective` gives them.

    Parameters
    ----------
    data : object
        Sections with keys; what they do not name has its default.
    where : str
        What a complaint begins with.
    folder : Path, optional
        Files of masks are relative to it; None: no file is read.

    Raises
    ------
    ConfigError
        As :func:`load_settings`.

    """
    if not isinstance(data, Mapping):
        raise ConfigError(f'{where}expected sections with keys, got a {type(data).__name__}')
    refuse_unknown(data, [f.name for f in fields(Settings)], where)
    memory = read_record(MemorySettings, data.get('memory'), f'{where}memory')
    named = 'visibility_preset' in (data.get('memory') or {})
    base = _preset(memory.visibility_preset, f'{where}memory.visibility_preset')
    visibility, base_name = _read_visibility(data.get('visibility'), base, f'{where}visibility')
    if named and base_name != memory.visibility_preset:
        raise ConfigError(
            f'{where}visibility: expected the preset of memory.visibility_preset '
            f'({memory.visibility_preset}), got {base_name}'
        )
    assembler = read_record(AssemblerSettings, data.get('assembler'), f'{where}assembler')
    if folder is not None:
        assembler = with_mask_files(assembler, folder, f'{where}assembler.')
    return Settings(
        replace(memory, visibility_preset=base_name),
        visibility,
        assembler,
        read_record(StoreSettings, data.get('store'), f'{where}store'),
        read_record(SceneSettings, data.get('scene'), f'{where}scene'),
    )


def effective(settings: object) -> dict[str, Any]:
    """
    Give settings as plain data, for run manifests.

    Parameters
    ----------
    settings : dataclass
        E.g. :class:`Settings`; written as YAML, the result loads as the same settings.

    Returns
    -------
    dict
        Every field, defaults included; enumerations by value, tuples as lists.

    """
    plain: dict[str, Any] = _plain(settings)
    return plain


def _read_visibility(
    section: object, base: VisibilityPreset, where: str
) -> tuple[VisibilityPreset, str]:
    """Read a preset's name or what differs from it; with the name of where it starts from."""
    if section is None:
        return base, base.name
    if isinstance(section, str):
        return _preset(section, where), section
    if not isinstance(section, Mapping):
        raise ConfigError(f'{where}: expected a preset or a section, got {section!r}')
    changes = dict(section)
    if 'preset' in changes:
        base = _preset(changes.pop('preset'), f'{where}.preset')
    return read_record(VisibilityPreset, changes, where, base), base.name


def _preset(name: object, where: str) -> VisibilityPreset:
    if not isinstance(name, str):
        raise ConfigError(f'{where}: expected the name of a preset, got {name!r}')
    try:
        return preset_named(name)
    except ConfigError as err:
        raise ConfigError(f'{where}: {err}') from err


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if hasattr(value, '_asdict'):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value

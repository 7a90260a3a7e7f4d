"""What a replay is given, checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
import enum
from pathlib import Path
from typing import Any

from st_memory.bags import BagFrameSource
from st_memory.cli.manifest_file import read_manifest
from st_memory.conversions import AssemblerSettings
from st_memory.core.errors import BagError, ConversionError, StMemoryError
from st_memory.core.memory import MemorySettings
from st_memory.core.visibility import preset_named
from st_memory.replay import ReplayManifest

__all__ = ['RunSettings', 'check_resumable', 'effective_settings', 'naming', 'require_usable']


@dataclass(frozen=True)
class RunSettings:
    """
    The settings of one run: of the fold, and of the assembly of its frames.

    Parameters
    ----------
    memory : MemorySettings
        For the fold.
    assembler : AssemblerSettings
        For the source.

    """

    memory: MemorySettings
    assembler: AssemblerSettings

    def to_mapping(self) -> dict[str, Any]:
        """Give every setting as plain data, for the manifest."""
        assembler = _plain(asdict(self.assembler))
        return {
            'fixed_frame': self.assembler.fixed_frame,
            'memory': asdict(self.memory),
            'assembly': {k: v for k, v in assembler.items() if k not in ('roles', 'release')},
        }


def effective_settings(path: Path | None, preset: str | None = None) -> RunSettings:
    """
    Put the settings of a run together.

    Parameters
    ----------
    path : Path, optional
        A settings file; defaults without one.
    preset : str, optional
        Visibility preset that replaces the one of the settings.

    Raises
    ------
    ConfigError
        If the file is not a settings file, or there is no such preset.

    """
    memory, assembler = MemorySettings(), AssemblerSettings()
    if preset is not None:
        memory = replace(memory, visibility_preset=preset_named(preset).name)
    return RunSettings(memory, assembler)


def require_usable(source: BagFrameSource, path: Path) -> None:
    """
    Refuse a bag of which nothing could be remembered.

    Parameters
    ----------
    source : BagFrameSource
        The frames; only the first ones are looked at.
    path : Path
        The bag.

    Raises
    ------
    BagError, ConversionError
        One line that says what is missing; ``st_memory doctor`` says more.

    """
    with naming(path):
        is_usable = _has_place(source)
    if is_usable:
        return
    # Nothing in the whole bag can be placed: only now is the long way worth its time.
    from st_memory.doctor import diagnose

    missing = diagnose(path).missing or ('no frame has a pose',)
    raise BagError(f'{path}: {missing[0]} (st_memory doctor {path} says more)')


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the bag's name before what is wrong with one of its messages."""
    try:
        yield
    except ConversionError as error:
        raise ConversionError(f'{path}: {error}') from error


def _has_place(source: BagFrameSource) -> bool:
    """Whether any frame can be placed in the fixed frame; stops at the first one."""
    return any(
        frame.world_detections or any(c.world_T_camera is not None for c in frame.cameras)
        for frame in source.frames()
    )


def check_resumable(db: Path, manifest: ReplayManifest) -> None:
    """
    Make sure that an existing memory is the beginning of this run.

    Raises
    ------
    StMemoryError
        If it is not, or nothing says what it is.

    """
    earlier = read_manifest(db)
    if earlier is None:
        raise StMemoryError(
            f'{db}: already exists, and no manifest says what it is; --overwrite replaces it'
        )
    differing = manifest.differs_from(earlier)
    if differing:
        raise StMemoryError(
            f'{db}: already exists, from another run ({differing} differs); '
            '--overwrite replaces it'
        )


def _plain(value: Any) -> Any:
    """Turn enumerations into their values, deep inside."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value

"""What a replay is given, checked before anything is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from st_memory.bags import BagFrameSource
from st_memory.cli.manifest_file import manifest_path, read_manifest
from st_memory.cli.peeked_source import PeekedSource
from st_memory.core.errors import BagError, ConversionError, StMemoryError
from st_memory.core.records import SensedFrame
from st_memory.core.visibility import preset_named
from st_memory.replay import ReplayManifest
from st_memory.settings import load_settings, Settings

__all__ = ['check_resumable', 'effective_settings', 'naming', 'require_usable']


def effective_settings(path: Path | None, preset: str | None = None) -> Settings:
    """
    Put the settings of a run together.

    Parameters
    ----------
    path : Path, optional
        A settings file; defaults without one.
    preset : str, optional
        Visibility preset that replaces the one of the settings, with all that differed from it.

    Raises
    ------
    ConfigError
        If the file is not a settings file, or there is no such preset.

    """
    settings = load_settings(path)
    if preset is None:
        return settings
    visibility = preset_named(preset)
    memory = replace(settings.memory, visibility_preset=visibility.name)
    return replace(settings, memory=memory, visibility=visibility)


def require_usable(source: BagFrameSource, path: Path) -> PeekedSource:
    """
    Refuse a bag of which nothing could be remembered.

    Parameters
    ----------
    source : BagFrameSource
        The frames; only the first ones are looked at.
    path : Path
        The bag.

    Returns
    -------
    PeekedSource
        All frames; those that were looked at are not read again.

    Raises
    ------
    BagError, ConversionError
        One line that says what is missing; ``st_memory doctor`` says more.

    """
    peeked = PeekedSource(source)
    with naming(path):
        is_usable = peeked.has(_is_placed)
    if is_usable:
        return peeked
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


def _is_placed(frame: SensedFrame) -> bool:
    """Whether anything of a frame can be placed in the fixed frame."""
    return bool(frame.world_detections) or any(
        camera.world_T_camera is not None for camera in frame.cameras
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
            f'{db}: already exists, and no {manifest_path(db).name} beside it says what run made '
            'it (a copy of a memory needs it too); --overwrite replaces it'
        )
    differing = manifest.differs_from(earlier)
    if differing:
        raise StMemoryError(
            f'{db}: already exists, from another run ({differing} differs); '
            '--overwrite replaces it'
        )

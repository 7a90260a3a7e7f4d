"""What of its own body a robot's cameras see, from a file of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from st_memory.conversions import AssemblerSettings
from st_memory.conversions.self_boxes import SelfBox
from st_memory.conversions.self_masks import read_mask_file
from st_memory.core.errors import ConfigError
from st_memory.settings.reading import read_record
from st_memory.settings.yaml_file import read_yaml

__all__ = ['with_mask_files', 'with_self_filter']


class _SelfFilterFile(NamedTuple):
    """The keys of the file, as in the section ``assembler`` of a settings file."""

    self_boxes: tuple[SelfBox, ...] = ()
    self_masks: Mapping[str, str] = {}


def with_self_filter(settings: AssemblerSettings, path: str) -> AssemblerSettings:
    """
    Give settings with the boxes and masks of a file.

    Parameters
    ----------
    settings : AssemblerSettings
        Without any.
    path : str
        YAML with the keys ``self_boxes`` and ``self_masks``; '' leaves the settings as they are.

    Raises
    ------
    ConfigError
        If the file or a mask it names cannot be used; one line with the file and the key path.

    """
    if not path:
        return settings
    file = Path(path)
    data = read_yaml(file)
    if not isinstance(data, Mapping):
        raise ConfigError(
            f'{file}: expected the keys self_boxes and self_masks, got a {type(data).__name__}'
        )
    given = read_record(_SelfFilterFile, data, f'{file}: ')
    with_both = replace(settings, self_boxes=given.self_boxes, self_masks=given.self_masks)
    return with_mask_files(with_both, file.parent, f'{file}: ')


def with_mask_files(settings: AssemblerSettings, folder: Path, where: str) -> AssemblerSettings:
    """
    Give settings whose files of masks can be read, with paths that are relative to no folder.

    Parameters
    ----------
    settings : AssemblerSettings
        As they were written.
    folder : Path
        Where relative paths begin.
    where : str
        File and section, for messages.

    Raises
    ------
    ConfigError
        If a mask cannot be used; one line with the key path.

    """
    paths = {camera: str((folder / p).resolve()) for camera, p in settings.self_masks.items()}
    for camera, path in paths.items():
        try:
            read_mask_file(path)
        except ConfigError as error:
            raise ConfigError(f'{where}self_masks.{camera}: {error}') from error
    return replace(settings, self_masks=paths)

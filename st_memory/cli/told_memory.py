"""A memory file that a person tells something."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.core.memory import ObjectMemory
    from st_memory.settings import Settings
    from st_memory.storage import SqliteMemoryStore

__all__ = ['ToldMemory', 'check_tellable', 'told_memory']


class ToldMemory(NamedTuple):
    """The fold, the store that it goes on from, and the settings of both."""

    memory: ObjectMemory
    store: SqliteMemoryStore
    settings: Settings
    fixed_frame: str


def check_tellable(db: Path) -> None:
    """
    Refuse at once what cannot be told anything: to load the fold takes seconds.

    Raises
    ------
    StoreError
        If there is no such memory file, or another writer has it open.

    """
    from st_memory.core.errors import StoreError
    from st_memory.storage.opening import check_writable

    if not db.exists():
        raise StoreError(f'{db}: expected a memory file, there is none')
    check_writable(db)


@contextmanager
def told_memory(db: Path, settings_path: Path | None) -> Iterator[ToldMemory]:
    """
    Open a memory file to tell it something.

    Parameters
    ----------
    db : Path
        A memory file that nobody else writes.
    settings_path : Path, optional
        A settings file; None for the settings of the run that made the memory, as its manifest
        has them, or the defaults where there is none.

    Raises
    ------
    StMemoryError
        If there is no such file, it cannot be written, or the settings are none.

    """
    check_tellable(db)
    from st_memory.core.memory import ObjectMemory
    from st_memory.scene import ray_caster_named
    from st_memory.storage import SqliteMemoryStore

    settings = _settings(db, settings_path)
    with SqliteMemoryStore.open(db, synchronous=settings.store.synchronous) as store:
        scene = store.scene()
        caster = ray_caster_named(settings.scene.ray_caster, scene) if scene.parts else None
        memory = ObjectMemory(
            settings.memory, scene, caster, store.checkpoint(), settings.visibility
        )
        yield ToldMemory(memory, store, settings, settings.assembler.fixed_frame)


def _settings(db: Path, path: Path | None) -> Settings:
    from st_memory.cli.manifest_file import manifest_path, read_manifest
    from st_memory.settings import load_settings, settings_from

    manifest = read_manifest(db)
    if path is not None or manifest is None:
        return load_settings(path)
    return settings_from(_known(manifest.get('settings') or {}), f'{manifest_path(db)}: settings.')


def _known(plain: Any) -> Any:
    """Leave out the hashes that a manifest keeps beside the settings."""
    if not isinstance(plain, dict):
        return plain
    return {name: _known(value) for name, value in plain.items() if not name.endswith('sha256')}

"""The manifest beside a memory file: ``kitchen.db`` has ``kitchen.db.manifest.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
import json
from pathlib import Path
from typing import Any

from st_memory.cli.output import write_text
from st_memory.replay import ReplayManifest

__all__ = ['fixed_frame', 'manifest_path', 'read_manifest', 'write_manifest']


def manifest_path(db: Path) -> Path:
    """Where the manifest of a memory file is."""
    return db.with_name(f'{db.name}.manifest.json')


def read_manifest(db: Path) -> Mapping[str, Any] | None:
    """
    Read the manifest of a memory file.

    Returns
    -------
    mapping or None
        None when there is none, or it is not a manifest: the memory can do without.

    """
    try:
        content = json.loads(manifest_path(db).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def fixed_frame(db: Path) -> str:
    """Name the fixed frame of a memory, from the manifest beside it; else ``map``."""
    manifest = read_manifest(db) or {}
    frame = manifest.get('settings', {}).get('assembler', {}).get('fixed_frame', 'map')
    return str(frame)


def write_manifest(db: Path, manifest: ReplayManifest) -> None:
    """
    Write the manifest of a memory file; replaces an earlier one.

    Raises
    ------
    StMemoryError
        If the medium refuses.

    """
    text = json.dumps(asdict(manifest), indent=2, sort_keys=True)
    write_text(manifest_path(db), text + '\n')

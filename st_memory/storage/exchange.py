"""What a memory is as a whole when it leaves its engine: a scene and its frames, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import shutil
import tempfile
from typing import Any

import numpy as np

from st_memory.core.errors import StoreError
from st_memory.core.ports import FrameOrigin, StoredFrame
from st_memory.core.records import Fixture, FrameDelta, Scene, ScenePart
from st_memory.storage.plain_records import from_plain, to_plain

__all__ = [
    'FORMAT',
    'WholeMemory',
    'fixture_of',
    'frame_of',
    'is_same_scene',
    'part_of',
    'plain_frame',
    'plain_part',
    'written_whole',
]

# Raised when a reader of before could misread what is written.
FORMAT = 1


@dataclass(frozen=True)
class WholeMemory:
    """
    A memory on its way.

    Parameters
    ----------
    scene : Scene
        Its scene.
    frames : iterable of StoredFrame
        All frames by ``seq``; can be gone through once.

    """

    scene: Scene
    frames: Iterable[StoredFrame]


def plain_part(part: ScenePart) -> dict[str, Any]:
    """Give a scene part as what JSON knows."""
    return {
        'name': part.name,
        'fixture_id': part.fixture_id,
        'frame_id': part.frame_id,
        'vertices': np.asarray(part.vertices, dtype=np.float64).tolist(),
        'triangles': np.asarray(part.triangles, dtype=np.int32).tolist(),
    }


def part_of(plain: dict[str, Any]) -> ScenePart:
    """Inverse of :func:`plain_part`."""
    return ScenePart(
        plain['name'],
        plain['fixture_id'],
        plain['frame_id'],
        np.array(plain['vertices'], dtype=np.float64).reshape(-1, 3),
        np.array(plain['triangles'], dtype=np.int32).reshape(-1, 3),
    )


def fixture_of(plain: dict[str, Any]) -> Fixture:
    """Give a fixture from what JSON knows."""
    fixture: Fixture = from_plain(Fixture, plain)
    return fixture


def is_same_scene(first: Scene, second: Scene) -> bool:
    """Whether a store keeps two scenes alike."""
    return (
        len(first.parts) == len(second.parts)
        and to_plain(first.fixtures) == to_plain(second.fixtures)
        and all(map(_is_same_part, first.parts, second.parts))
    )


def _is_same_part(first: ScenePart, second: ScenePart) -> bool:
    return (
        (first.name, first.fixture_id, first.frame_id)
        == (second.name, second.fixture_id, second.frame_id)
        and np.array_equal(first.vertices, second.vertices)
        and np.array_equal(first.triangles, second.triangles)
    )


def plain_frame(stored: StoredFrame) -> dict[str, Any]:
    """Give a frame as what JSON knows."""
    return {
        'origin': list(stored.origin),
        'delta': to_plain(stored.delta),
        'thinned': [list(who) for who in stored.thinned],
    }


def frame_of(plain: dict[str, Any]) -> StoredFrame:
    """Inverse of :func:`plain_frame`."""
    return StoredFrame(
        FrameOrigin(*from_plain(tuple[str, str], plain['origin'])),
        from_plain(FrameDelta, plain['delta']),
        from_plain(tuple[tuple[str, str], ...], plain['thinned']),
    )


@contextmanager
def written_whole(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """
    Give a place to write to that becomes the target when, and only when, the body ends well.

    Parameters
    ----------
    target : Path
        A file or folder; its folder must exist.
    overwrite : bool
        Replace what is there.

    Raises
    ------
    StoreError
        If it is there already, or the disk refuses.

    """
    folder = None
    try:
        if target.exists() and not overwrite:
            raise StoreError(f'{target}: is there already; --overwrite replaces it')
        if not target.parent.is_dir():
            raise StoreError(f'{target}: the folder {target.parent} does not exist')
        folder = Path(tempfile.mkdtemp(prefix='.st_memory_', dir=target.parent))
        draft = folder / target.name
        yield draft
        if target.is_dir() and not target.is_symlink():
            target.replace(folder / 'before')
        os.replace(draft, target)
    except OSError as error:
        raise StoreError(f'{target}: cannot be written: {error.strerror or error}') from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

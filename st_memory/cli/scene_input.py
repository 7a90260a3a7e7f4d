"""A scene file that a command is given."""

from __future__ import annotations

import argparse
from dataclasses import replace
import hashlib
from pathlib import Path
import sys
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.core.records import Scene
    from st_memory.scene import LoadedScene
    from st_memory.settings import Settings

__all__ = ['GivenScene', 'add_scene_arguments', 'load_given_scene']


def add_scene_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``--scene`` and ``--package-path``."""
    parser.add_argument(
        '--scene',
        metavar='FILE',
        type=Path,
        help='mesh, URDF or scene description; counts instead of the scene in the bag',
    )
    parser.add_argument(
        '--package-path',
        metavar='DIR',
        type=Path,
        action='append',
        default=[],
        help="where a URDF's package:// names are looked for; may be repeated",
    )


class GivenScene:
    """
    The scene of a run, with the settings that go with it.

    Parameters
    ----------
    loaded : LoadedScene, optional
        None when no file was given: the scene is that of the bag.

    """

    def __init__(self, loaded: LoadedScene | None) -> None:
        self._loaded = loaded

    @property
    def scene(self) -> Scene | None:
        """The scene; None when the file only names mesh topics, or there is none."""
        if self._loaded is None:
            return None
        scene = self._loaded.scene
        return scene if scene.parts or scene.fixtures else None

    def settings(self, settings: Settings) -> Settings:
        """Give settings with the mesh topics of the scene."""
        if self._loaded is None:
            return settings
        topics = {**settings.assembler.mesh_parts, **self._loaded.mesh_topics}
        return replace(settings, assembler=replace(settings.assembler, mesh_parts=topics))

    def effective(self, settings: Settings) -> dict[str, Any]:
        """Give settings as plain data, with what tells one scene, or mask, from another."""
        from st_memory.scene import scene_digest
        from st_memory.settings import effective

        plain = effective(settings)
        if self.scene is not None:
            plain['scene']['sha256'] = scene_digest(self.scene)
        masks = settings.assembler.self_masks
        if masks:
            plain['assembler']['self_masks_sha256'] = {
                camera: hashlib.sha256(Path(path).read_bytes()).hexdigest()
                for camera, path in masks.items()
            }
        return plain


def load_given_scene(arguments: argparse.Namespace) -> GivenScene:
    """
    Read the scene file of a command, and say on stderr what looks wrong with it.

    Parameters
    ----------
    arguments : Namespace
        With those of :func:`add_scene_arguments`.

    Raises
    ------
    SceneFileError
        If it cannot be used.

    """
    from st_memory.scene import read_scene

    if arguments.scene is None:
        return GivenScene(None)
    loaded = read_scene(arguments.scene, package_paths=arguments.package_path)
    lines = list(loaded.report.warnings)
    if loaded.report.faces.dropped:
        lines.append(
            f'{loaded.report.faces.dropped} faces dropped (st_memory scene info says why)'
        )
    for line in lines:
        sys.stderr.write(f'st_memory: note: {arguments.scene}: {line}\n')
    return GivenScene(loaded)

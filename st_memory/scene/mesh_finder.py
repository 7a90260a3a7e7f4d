"""Where the mesh files are that a robot description names."""

from __future__ import annotations

from collections.abc import Sequence
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from st_memory.scene.meshes import SceneFileError

__all__ = ['MeshFinder']


class MeshFinder:
    """
    Resolve ``package://NAME/...``, ``file://`` and plain names, within named folders only.

    A description may come from anywhere: a name that leads out of its folder and of the search
    folders is refused. Links within them are followed, as colcon lays its install folders out.

    Parameters
    ----------
    description : Path
        The file that names the meshes. Relative names are relative to its folder; a folder
        above it that is called NAME is where the package of that name is.
    package_paths : sequence of Path
        Folders that hold packages, or are one.

    """

    def __init__(self, description: Path, package_paths: Sequence[Path] = ()) -> None:
        self._description = description
        self._folder = _plain(description.parent)
        self._search = tuple(_plain(p) for p in package_paths)

    def find(self, uri: str) -> Path:
        """
        Give the file of a name.

        Parameters
        ----------
        uri : str
            As in the ``filename`` of a mesh.

        Raises
        ------
        SceneFileError
            If there is no such file, it lies elsewhere, or the name is of another kind.

        """
        parts = urlsplit(uri)
        rest = unquote(parts.path)
        if parts.scheme == 'package':
            name = unquote(parts.netloc)
            self._require_package(uri, name)
            return self._first(
                uri, [(root, root / rest.lstrip('/')) for root in self._roots(name)]
            )
        if parts.scheme not in ('', 'file') or (parts.scheme and parts.netloc):
            raise SceneFileError(
                f'{self._description}: mesh {uri}: expected package://, file:// or a file name'
            )
        allowed = (self._folder, *self._search)
        return self._first(uri, [(root, self._folder / rest) for root in allowed])

    def _roots(self, package: str) -> list[Path]:
        """Give the folders that may be those of a package."""
        if package in ('', '.', '..') or '/' in package or os.sep in package:
            return []
        inside = [root / package for root in self._search]
        named = [root for root in self._search if root.name == package]
        above = [p for p in (self._folder, *self._folder.parents) if p.name == package]
        return [*inside, *named, *above[:1]]

    def _require_package(self, uri: str, package: str) -> None:
        """Refuse a package that is looked for nowhere, saying what to give."""
        if self._roots(package) or package in ('.', '..') or '/' in package:  # elsewhere
            return
        where = f'{self._description}: mesh {uri}'
        if not package:
            raise SceneFileError(f'{where}: expected package://NAME/FILE, got no NAME')
        raise SceneFileError(
            f'{where}: expected the folder of package {package} above the description or in '
            'package_paths, found none there: no package_paths were given'
        )

    def _first(self, uri: str, candidates: Sequence[tuple[Path, Path]]) -> Path:
        """Give the first file that exists and lies in the folder that it has to."""
        inside = [f for root, file in candidates if (f := _plain(file)).is_relative_to(root)]
        for file in inside:
            if file.is_file():
                return file
        where = f'{self._description}: mesh {uri}'
        if inside:
            looked = ', '.join(dict.fromkeys(map(str, inside)))
            raise SceneFileError(f'{where}: expected a file, found none at {looked}')
        allowed = ', '.join(map(str, (self._folder, *self._search)))
        raise SceneFileError(
            f'{where}: expected a file within {allowed}, found it to lead elsewhere'
        )


def _plain(path: Path) -> Path:
    """Give an absolute path without ``..``; links stay as they are."""
    return Path(os.path.abspath(path))

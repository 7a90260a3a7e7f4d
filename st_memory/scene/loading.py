"""Scene files of any kind into scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from st_memory.core.records import Scene
from st_memory.scene.described_scene import describe
from st_memory.scene.description import read_description
from st_memory.scene.mesh_scene import MESH_SUFFIXES, read_mesh_scene, UpAxis
from st_memory.scene.meshes import SceneFileError
from st_memory.scene.report import LoadedScene
from st_memory.scene.urdf_scene import read_urdf_scene, UrdfOptions

__all__ = ['SCENE_SUFFIXES', 'load_scene', 'read_scene']

_DESCRIPTIONS = ('.yaml', '.yml')
_URDF = '.urdf'
SCENE_SUFFIXES = (*MESH_SUFFIXES, _URDF, *_DESCRIPTIONS)


def load_scene(
    path: str | Path,
    *,
    up: UpAxis | None = None,
    unit_m: float | None = None,
    package_paths: Sequence[str | Path] = (),
) -> Scene:
    """
    Read a scene file; see :func:`read_scene`, which also says what was dropped.

    Parameters
    ----------
    path, up, unit_m, package_paths
        As in :func:`read_scene`.

    Returns
    -------
    Scene
        Parts in the fixed frame or on the links of its articulation, and fixtures.

    Raises
    ------
    SceneFileError
        As :func:`read_scene`.

    """
    return read_scene(path, up=up, unit_m=unit_m, package_paths=package_paths).scene


def read_scene(
    path: str | Path,
    *,
    up: UpAxis | None = None,
    unit_m: float | None = None,
    package_paths: Sequence[str | Path] = (),
) -> LoadedScene:
    """
    Read a scene file and say what it held.

    Of a mesh file every named mesh becomes a part, and ``a/b`` belongs to fixture ``a``; walls,
    ceilings and the like are parts of no fixture. Of a URDF every link becomes a part. A scene
    description says what a file cannot: boxes, containers, what hangs on which frame or joint.

    Parameters
    ----------
    path : path
        A mesh (``.glb``, ``.gltf``, ``.obj``, ``.ply``, ``.stl``), a robot description
        (``.urdf``) or a scene description (``.yaml``, ``.yml``; see ``docs/scenes.md``).
    up : 'y' or 'z', optional
        Axis of a mesh file that points up; by default y for glTF (its specification) and z for
        the others. With y up, (x, y, z) of the file becomes (x, -z, y).
    unit_m : float, optional
        Length of a mesh file's unit in metres. When it is not given, metres are assumed and a
        scene longer than 1 km is refused.
    package_paths : sequence of path
        Folders in which a URDF's ``package://NAME/...`` is looked for.

    Returns
    -------
    LoadedScene
        The scene, z up, metres, and its report.

    Raises
    ------
    SceneFileError
        If the file is missing, of another or a damaged format, without any usable face, or
        1000 times too large; or a file that it names is.
    ValueError
        If ``up`` or ``unit_m`` is not one of the above, or given for another kind of file.

    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in SCENE_SUFFIXES:
        known = ', '.join(sorted(SCENE_SUFFIXES))
        raise SceneFileError(f'{file}: expected a scene file ({known}), found {file.suffix!r}')
    if not file.is_file():
        raise SceneFileError(f'{file}: expected a scene file, found none there')
    if suffix in MESH_SUFFIXES:
        return read_mesh_scene(file, up=up, unit_m=unit_m)
    if up is not None or unit_m is not None:
        raise ValueError(f'{file}: up and unit_m are for mesh files; a {suffix} file says its own')
    folders = tuple(Path(p) for p in package_paths)
    if suffix == _URDF:
        return read_urdf_scene(file, UrdfOptions(package_paths=folders))
    description = read_description(file)
    base = None
    if description.base is not None and description.base.suffix.lower() == _URDF:
        options = UrdfOptions(
            package_paths=(*folders, *description.package_paths),
            geometry=description.geometry,
            root_frame=description.root_frame,
            frame_T_root=description.frame_T_root,
        )
        base = read_urdf_scene(description.base, options)
    elif description.base is not None:
        base = read_mesh_scene(description.base, up=description.up, unit_m=description.unit_m)
    return describe(base, description)

"""The scene as messages bring it: all of it as markers, or part after part as meshes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.markers import scene_from_markers
from st_memory.conversions.mesh_parts import MeshPart, part_from_mesh, with_part
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import ConversionError
from st_memory.core.records import Scene, ScenePart

__all__ = ['SceneParts']


class SceneParts:
    """
    Keep the newest scene.

    Parameters
    ----------
    settings : AssemblerSettings
        Fixed frame, and what the meshes of topics are.
    scene : Scene
        Holds until markers bring another one; meshes are put into it.
    counters : Counter
        Gets the faces of meshes that cannot be used, by reason.

    """

    def __init__(self, settings: AssemblerSettings, scene: Scene, counters: Counter[str]) -> None:
        self._settings = settings
        self._counters = counters
        self._what_by_name = {what.name: what for what in settings.mesh_parts.values()}
        self._meshes: dict[str, ScenePart] = {}
        self._base = scene
        self.scene = scene

    def take(self, role: TopicRole, message: Any) -> None:
        """
        Take markers or a mesh.

        Raises
        ------
        ConversionError
            If the message cannot be used, or nothing says what the mesh is.

        """
        if role.kind is TopicKind.MESH:
            what = self._what(role.part)
            part, dropped = part_from_mesh(message, what)
            self._counters.update(dropped)
            self._meshes[what.name] = part
        else:
            markers = message.markers
            self._base = scene_from_markers(markers, self._settings.fixed_frame, 'scene')
        self.scene = self._base
        for name, part in self._meshes.items():
            self.scene = with_part(self.scene, part, is_container=self._what(name).is_container)

    def _what(self, name: str) -> MeshPart:
        what = self._what_by_name.get(name)
        if what is None:
            raise ConversionError(f'mesh of {name!r}: expected an entry in mesh_parts, found none')
        frame_id = '' if what.frame_id == self._settings.fixed_frame else what.frame_id
        return what._replace(frame_id=frame_id)

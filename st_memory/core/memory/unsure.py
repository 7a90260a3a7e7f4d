"""Which containers' state is not known, as that of a drawer whose frame is silent."""

from __future__ import annotations

from st_memory.core.geometry import Box3D
from st_memory.core.records import Scene

__all__ = ['unsure_fixtures']


def unsure_fixtures(scene: Scene, known_frames: frozenset[str]) -> dict[str, Box3D]:
    """
    Give the boxes of the containers whose doors' state is not known, by fixture.

    A container is sure when it has movable parts and the frames of all of them are known.
    """
    frames_by_fixture: dict[str, set[str]] = {}
    for part in scene.parts:
        if part.frame_id and part.fixture_id:
            frames_by_fixture.setdefault(part.fixture_id, set()).add(part.frame_id)
    sure = {name for name, frames in frames_by_fixture.items() if frames <= known_frames}
    return {
        f.fixture_id: Box3D(f.world_T_box, f.size_m)
        for f in scene.fixtures
        if f.is_container and f.fixture_id not in sure
    }

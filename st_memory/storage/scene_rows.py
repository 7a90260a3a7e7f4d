"""The scene: parts and fixtures, replaced as a whole."""

from __future__ import annotations

import numpy as np

from st_memory.core.records import Fixture, Scene, ScenePart
from st_memory.storage.codec import decode_pose, encode_pose
from st_memory.storage.sql import SqlConnection

__all__ = ['read_scene', 'write_scene']


def write_scene(connection: SqlConnection, scene: Scene) -> None:
    """Replace the scene, inside the writer's transaction."""
    connection.execute('DELETE FROM scene_part')
    connection.execute('DELETE FROM scene_fixture')
    connection.executemany(
        'INSERT INTO scene_part VALUES (?, ?, ?, ?, ?, ?)',
        [
            (
                part.name,
                part.fixture_id,
                part.frame_id,
                np.ascontiguousarray(part.vertices, dtype='<f8').tobytes(),
                np.ascontiguousarray(part.triangles, dtype='<i4').tobytes(),
                position,
            )
            for position, part in enumerate(scene.parts)
        ],
    )
    connection.executemany(
        'INSERT INTO scene_fixture VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [
            (
                fixture.fixture_id,
                fixture.label,
                encode_pose(fixture.world_T_box),
                *fixture.size_m,
                int(fixture.is_container),
                position,
            )
            for position, fixture in enumerate(scene.fixtures)
        ],
    )


def read_scene(connection: SqlConnection) -> Scene:
    """Give the scene; empty when there is none."""
    parts = tuple(
        ScenePart(
            name,
            fixture_id,
            frame_id,
            np.frombuffer(vertices, dtype='<f8').reshape(-1, 3),
            np.frombuffer(triangles, dtype='<i4').reshape(-1, 3),
        )
        for name, fixture_id, frame_id, vertices, triangles in connection.execute(
            'SELECT name, fixture_id, frame_id, vertices, triangles FROM scene_part '
            'ORDER BY position'
        )
    )
    fixtures = tuple(
        Fixture(fixture_id, label, decode_pose(pose), (x, y, z), bool(is_container))
        for fixture_id, label, pose, x, y, z, is_container in connection.execute(
            'SELECT fixture_id, label, world_T_box, size_x, size_y, size_z, is_container '
            'FROM scene_fixture ORDER BY position'
        )
    )
    return Scene(parts, fixtures)

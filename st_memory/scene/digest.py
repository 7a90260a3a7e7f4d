"""A number that tells whether two scenes are the same."""

from __future__ import annotations

from collections.abc import Iterator
import hashlib

import numpy as np

from st_memory.core.geometry import Joint, RigidTransform
from st_memory.core.records import Scene

__all__ = ['scene_digest']


def scene_digest(scene: Scene) -> str:
    """
    Give the SHA-256 of everything in a scene that a memory depends on.

    Parameters
    ----------
    scene : Scene
        Parts, fixtures and joints; their order counts.

    """
    digest = hashlib.sha256()
    for piece in _pieces(scene):
        # With its length before it no piece can pass for the beginning of the next.
        digest.update(len(piece).to_bytes(8, 'little') + piece)
    return digest.hexdigest()


def _pieces(scene: Scene) -> Iterator[bytes]:
    for part in scene.parts:
        yield repr(('part', part.name, part.fixture_id, part.frame_id)).encode()
        yield np.ascontiguousarray(part.vertices, dtype='<f8').tobytes()
        yield np.ascontiguousarray(part.triangles, dtype='<i4').tobytes()
    for fixture in scene.fixtures:
        names = (fixture.fixture_id, fixture.label, fixture.size_m, fixture.is_container)
        yield repr(('fixture', *names, _numbers(fixture.world_T_box))).encode()
    if scene.articulation is not None:
        placed = scene.articulation
        yield repr(('root', placed.root_frame, _numbers(placed.frame_T_root))).encode()
        for joint in placed.tree.joints:
            yield repr(_words(joint)).encode()


def _words(joint: Joint) -> tuple[object, ...]:
    names = ('joint', joint.name, joint.kind.value, joint.parent, joint.child)
    mimic = None if joint.mimic is None else tuple(joint.mimic)
    return (*names, _numbers(joint.parent_T_joint), joint.axis, joint.limits, mimic)


def _numbers(pose: RigidTransform) -> list[float]:
    return [*pose.translation.tolist(), *pose.quat_xyzw.tolist()]

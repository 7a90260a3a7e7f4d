"""
Make ``v1.db``: a memory with every kind of row, as schema 1 writes it.

Run ``python -m test.storage.schemas.make_v1 OUT.db`` with the version that writes schema 1; later
versions of the package write later schemas.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
import sqlite3
import sys

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryStore
from st_memory.core.records import CameraLook, Event, Fixture, Scene, ScenePart
from st_memory.core.records.detections import ALONG_AXES
from st_memory.storage import SqliteMemoryStore
from test.contracts.memory_store import frame, interval, look, placement, seen, track

__all__ = ['fill', 'write']


def fill(store: MemoryStore) -> None:
    """Commit four frames in two epochs, with rows of every kind."""
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    part = ScenePart('door', 'cupboard', 'hinge', vertices, np.array([[0, 1, 2]], np.int32))
    pose = RigidTransform(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, -0.5, 0.5]))
    store.put_scene(Scene((part,), (Fixture('cupboard', 'cupboard', pose, (1.0, 0.5, 2.0)),)))
    store.commit(
        frame(
            0, 10, tracks=track(quat_xyzw=ALONG_AXES), looks=(CameraLook('head', 0, 10, pose),),
            observations=(replace(seen(10), world_p=(0.1, -0.0, 2.0)),),
            intervals=(interval(10, cause='first'),), placements=(placement(5, None, 10),),
            events=(Event('e', 'appeared', 0, 10, 10, 10, (('object', 'cup_1'),)),),
        )
    )  # fmt: skip
    closed = interval(10, 20, last_frame_ns=10, cause='second', num_confirmed=1)
    store.commit(
        frame(
            1, 20, tracks=track(label='tasse ä', num_moves=7, quat_xyzw=ALONG_AXES),
            looks=(look(20), look(20, '')),
            intervals=(closed, interval(20)), placements=(placement(5, 15, 10), placement(15)),
            events=(Event('e', 'appeared', 0, 10, 12, 20, (('object', 'cup_1'),), 'fold', 'up'),),
        )
    )  # fmt: skip
    alone = track(epoch=1, quat_xyzw=ALONG_AXES)
    store.commit(frame(2, 5, epoch=1, tracks=alone, looks=(look(5, epoch=1),)))
    store.commit(frame(3, 6, epoch=1))


def write(path: Path, fill: Callable[[MemoryStore], None]) -> None:
    """Write a file in small pages: it is kept under version control."""
    with SqliteMemoryStore.open(path) as store:
        fill(store)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('PRAGMA journal_mode = DELETE')
        connection.execute('PRAGMA page_size = 512')
        connection.execute('VACUUM')


if __name__ == '__main__':
    write(Path(sys.argv[1]), fill)

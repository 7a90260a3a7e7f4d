"""Memory files for the page: a short story, nothing, names that are markup, a thousand objects."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import (
    CameraLook,
    Event,
    Fixture,
    FrameDelta,
    FrameRecord,
    ObjectState,
    Observation,
    Placement,
    Scene,
    ScenePart,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.storage import SqliteMemoryStore
from test.core.queries.conftest import S
from test.core.queries.story import make_story, SCENE

__all__ = ['EVIL', 'empty_file', 'evil_file', 'huge_file', 'story_file']

EVIL = '<img src=x onerror="document.title=\'taken\'">'
_UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
_STATES = tuple(Visibility)


def story_file(path: Path) -> Path:
    """Write the story of the kitchen, with its furniture."""
    with SqliteMemoryStore.open(path) as store:
        store.put_scene(SCENE)
        make_story(store=store)
    return path


def empty_file(path: Path) -> Path:
    """Write a memory of nothing."""
    SqliteMemoryStore.open(path).close()
    return path


def evil_file(path: Path) -> Path:
    """Write a memory in which every name is markup, or SQL."""
    names = (EVIL, "'; DROP TABLE head; --", '</script><script>document.title="taken"</script>')
    box = RigidTransform(np.array([1.0, 1.0, 0.5]), _UPRIGHT)
    triangle = np.array([[0, 1, 2]], dtype=np.int32)
    corners = np.array([[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [3.0, 3.0, 0.0]])
    scene = Scene(
        parts=(ScenePart('floor', '', '', corners, triangle),),
        fixtures=(Fixture(EVIL, EVIL, box, (1.0, 1.0, 1.0)),),
    )
    states = [
        replace(
            _state(f'{name}{i}', i),
            label=name,
            aliases=(f'{EVIL} alias',),
            cause=f'occluded_by:{EVIL}',
            occluder_id=EVIL,
            visibility=Visibility.OCCLUDED,
            fixture_id=EVIL,
        )
        for i, name in enumerate(names)
    ]
    with SqliteMemoryStore.open(path) as store:
        store.put_scene(scene)
        store.commit(_frame(0, states, camera=EVIL))
        store.commit(FrameDelta(FrameRecord(0, 2 * S, 1, '{}'), (), looks=(_look(EVIL, 2),)))
    return path


def huge_file(path: Path, count: int = 1000) -> Path:
    """Write a thousand objects of all states, in an hour of one frame a minute."""
    states = [_state(f'thing_{i:04d}', i) for i in range(count)]
    with SqliteMemoryStore.open(path) as store:
        store.commit(_frame(0, states, camera='head'))
        for seq in range(1, 60):
            record = FrameRecord(0, (1 + 60 * seq) * S, seq, '{}')
            store.commit(FrameDelta(record, (), looks=(_look('head', 1 + 60 * seq),)))
    return path


def _state(object_id: str, i: int) -> ObjectState:
    return ObjectState(
        object_id,
        f'thing of class {i % 20}',
        0,
        world_p=(0.2 * (i % 40) - 4.0, 0.2 * (i // 40) - 2.0, 0.8),
        size_m=(0.1, 0.1, 0.1),
        visibility=_STATES[i % len(_STATES)],
        geometry=Visibility.VISIBLE,
        cause='in_view',
        first_seen_ns=S,
        last_seen_ns=S,
        last_visible_ns=S,
        num_moves=i % 7,
        num_observations=1,
    )


def _look(camera: str, second: int) -> CameraLook:
    pose = RigidTransform(np.array([0.1 * (second % 7), 0.0, 1.5]), _UPRIGHT)
    return CameraLook(camera, 0, second * S, pose, detector_reported=True)


def _frame(seq: int, states: list[ObjectState], *, camera: str) -> FrameDelta:
    """Make the first frame: every object is seen, judged, placed and told of."""
    seen = [
        Observation(f'o{i}', s.object_id, 0, S, s.label, 0.9, camera, world_p=s.world_p)
        for i, s in enumerate(states)
    ]
    return FrameDelta(
        FrameRecord(0, S, seq, '{}'),
        tuple(TrackRecord(s, '{}') for s in states),
        observations=tuple(seen),
        intervals=tuple(
            VisibilityInterval(
                s.object_id, camera, 0, S, None, S, s.visibility, s.geometry, s.cause
            )
            for s in states
        ),
        placements=tuple(
            Placement(s.object_id, 0, S, None, S, s.world_p or (0, 0, 0), s.fixture_id)
            for s in states
        ),
        looks=(_look(camera, 1),),
        events=tuple(
            Event(f'e{i:04d}', 'moved', 0, S, S, S, (('object', s.object_id),), detail=s.label)
            for i, s in enumerate(states)
        ),
    )

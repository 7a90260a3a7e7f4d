"""Random sequences of frames: any that the port allows, sensible or not."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st
import numpy as np

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.records import (
    CameraLook,
    Event,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    Observation,
    Placement,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import Moment

__all__ = ['CAMERAS', 'OBJECTS', 'answers', 'delta_sequences', 'object_states', 'quick_folder']

OBJECTS = ('a', 'b', 'tasse groß')
CAMERAS = ('', 'head', 'wrist')
INT64 = st.integers(-(2**63), 2**63 - 1)

_words = st.sampled_from(['', 'x', 'y', '猫'])
_floats = st.sampled_from([-0.0, 0.0, 0.25, -3.5])
_points = st.none() | st.tuples(_floats, _floats, _floats)
_kinds = st.sampled_from(Visibility)


def object_states(object_id: str, epoch: int, stamps: st.SearchStrategy[int]) -> st.SearchStrategy:
    """Give states of one object with stamps from a strategy."""
    maybe = st.none() | stamps
    return st.builds(
        ObjectState,
        object_id=st.just(object_id),
        label=_words,
        epoch=st.just(epoch),
        life_cycle=st.sampled_from(LifeCycle),
        aliases=st.lists(_words, max_size=2).map(tuple),
        world_p=_points,
        position_sigma_m=_floats.map(abs),
        visibility=_kinds,
        cause=_words,
        geometry=_kinds,
        confirmed=st.booleans(),
        first_seen_ns=maybe,
        last_seen_ns=maybe,
        last_visible_ns=maybe,
        last_placed_ns=maybe,
        fixture_alternatives=st.lists(_words, max_size=2).map(tuple),
        in_motion=st.booleans(),
        num_observations=st.integers(0, 3),
        existence_probability=st.sampled_from([1.0, 0.5]),
        identity_confidence=st.sampled_from([1.0, 1 / 3]),
        identity_alternatives=st.lists(_words, max_size=2).map(tuple),
    )


@st.composite
def _deltas(
    draw: st.DrawFn, seq: int, epoch: int, stamp_ns: int, states: dict[str, ObjectState]
) -> FrameDelta:
    """Give one frame with rows of every kind; starts are few, so that keys repeat."""
    near = st.integers(max(0, stamp_ns - 6), stamp_ns)
    starts = st.sampled_from([stamp_ns, stamp_ns // 8 * 8])
    cameras = st.lists(st.sampled_from(CAMERAS), unique=True, max_size=3)
    objects = st.lists(st.sampled_from(OBJECTS), unique=True, max_size=3)
    for name in draw(objects):
        drawn = draw(object_states(name, epoch, near))
        states[name] = _changed(draw, states.get(name), drawn)
    tracks = tuple(
        TrackRecord(states[name], draw(_words))
        for name in sorted(set(draw(objects)) & set(states))
    )
    looks = tuple(
        CameraLook(camera, epoch, stamp_ns, draw(st.none() | st.just(_POSE)), draw(st.booleans()))
        for camera in draw(cameras)
    )
    observations = tuple(
        Observation(f'{seq}-{i}', name, epoch, stamp_ns, 'cup', 0.5, camera, draw(_points))
        for i, (name, camera) in enumerate(draw(st.lists(_sightlines, max_size=3)))
    )
    intervals = tuple(
        draw(_intervals(name, camera, epoch, draw(starts), stamp_ns))
        for name, camera in draw(st.lists(_few_sightlines, min_size=1, max_size=2))
    )
    placements = tuple(
        Placement(name, epoch, draw(starts), draw(st.none() | near), stamp_ns, (0.0, -0.0, 1.0))
        for name in draw(objects)
    )
    events = tuple(
        Event(draw(_words), 'moved', epoch, draw(near), stamp_ns, stamp_ns, roles)
        for roles in draw(st.lists(_roles, max_size=2))
    )
    record = FrameRecord(epoch, stamp_ns, seq, draw(_words))
    return FrameDelta(record, tracks, observations, intervals, placements, looks, events)


def _changed(draw: st.DrawFn, old: ObjectState | None, new: ObjectState) -> ObjectState:
    """Change at most two fields of an earlier state of the epoch, or all of them."""
    if old is None or old.epoch != new.epoch or draw(st.integers(0, 3)) == 0:
        return new
    names = draw(st.lists(st.sampled_from([f.name for f in fields(old)]), max_size=2))
    return replace(old, **{name: getattr(new, name) for name in names})


def _intervals(
    name: str, camera: str, epoch: int, start_ns: int, stamp_ns: int
) -> st.SearchStrategy:
    return st.builds(
        VisibilityInterval,
        object_id=st.just(name),
        camera_id=st.just(camera),
        epoch=st.just(epoch),
        start_ns=st.just(start_ns),
        end_ns=st.none() | st.integers(start_ns, stamp_ns),
        last_frame_ns=st.just(start_ns),
        state=st.sampled_from([Visibility.VISIBLE, Visibility.OCCLUDED]),
        geometry=st.just(Visibility.VISIBLE),
        cause=st.sampled_from(['', 'x']),
        num_frames=st.integers(1, 3),
    )


_POSE = RigidTransform(np.array([0.0, -0.0, 1.5]), np.array([0.5, 0.5, -0.5, 0.5]))
_few_sightlines = st.tuples(st.sampled_from(OBJECTS[:2]), st.just('head'))
_sightlines = st.tuples(st.sampled_from(OBJECTS), st.sampled_from(CAMERAS))
_roles = st.lists(
    st.tuples(st.sampled_from(['object', 'actor']), st.sampled_from(OBJECTS)), max_size=2
).map(tuple)


@st.composite
def delta_sequences(draw: st.DrawFn, max_size: int = 12) -> tuple[FrameDelta, ...]:
    """Give frames in order; stamps may repeat, and epochs may start over at any stamp."""
    deltas: list[FrameDelta] = []
    states: dict[str, ObjectState] = {}
    epoch, stamp_ns = 0, draw(st.integers(0, 3))
    for seq in range(draw(st.integers(1, max_size) | st.just(max_size))):
        if draw(st.integers(0, 7)) == 0:
            states = {}
            epoch, stamp_ns = epoch + draw(st.integers(1, 2)), draw(st.integers(0, 5))
        else:
            stamp_ns += draw(st.integers(0, 3))
        deltas.append(draw(_deltas(seq, epoch, stamp_ns, states)))
    return tuple(deltas)


def quick_folder() -> TemporaryDirectory[str]:
    """Make a folder in memory where there is one: these files are not meant to last."""
    shared_memory = Path('/dev/shm')
    return TemporaryDirectory(dir=shared_memory if shared_memory.is_dir() else None)


def answers(reader: MemoryReader, at: Moment | None) -> dict[str, str]:
    """Ask everything as of a moment; texts, because ``repr`` tells -0.0 from 0.0."""
    objects = reader.objects_at(at)
    names = sorted({name for s in objects for name in (s.label, *s.aliases)})
    found: dict[str, object] = {
        'objects': objects,
        'called': {name: reader.objects_called(name.swapcase(), at) for name in names},
        'events': reader.events(at),
        'look_at any': _plain_looks([reader.look_at(None, at)]),
        'looks of any': _plain_looks(reader.looks(None, at)),
    }
    for camera in (*CAMERAS, 'nobody'):
        found[f'look_at {camera!r}'] = _plain_looks([reader.look_at(camera, at)])
        found[f'looks {camera!r}'] = _plain_looks(reader.looks(camera, at))
    for name in (*OBJECTS, 'nobody'):
        found[f'object {name}'] = reader.object_at(name, at)
        found[f'placements {name}'] = reader.placements(name, at)
        found[f'observations {name}'] = reader.observations(name, at)
        found[f'latest {name}'] = reader.observations(name, at, limit=2)
        found[f'events {name}'] = reader.events(at, object_id=name)
        for camera_id in (None, *CAMERAS):
            intervals = reader.intervals(name, at, camera_id)
            found[f'intervals {name} {camera_id!r}'] = intervals
    return {question: repr(answer) for question, answer in found.items()}


def _plain_looks(looks: object) -> list[object]:
    """Give looks with their poses as bytes: arrays have no equality of their own."""
    plain: list[object] = []
    for look in looks:  # type: ignore[attr-defined]
        pose = look and look.world_T_camera
        numbers = pose and (pose.translation.tobytes(), pose.quat_xyzw.tobytes())
        plain.append(
            look and (look.camera_id, look.epoch, look.stamp_ns, look.detector_reported, numbers)
        )
    return plain

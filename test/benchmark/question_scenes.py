"""Hand-made tracks: one letter a sample says what was so, in words a reader can count."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

import numpy as np

from st_memory.benchmark.questions.tracks import Movement, ObjectTrack, SceneTracks
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.ports import MemoryStore
from st_memory.core.records import (
    Event,
    Fixture,
    LifeCycle,
    ObjectState,
    Placement,
    Scene,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.stamps import NS_PER_S
from test.core.queries.conftest import commit

STATES = {
    'V': Visibility.VISIBLE,
    'M': Visibility.IN_MOTION,
    'O': Visibility.OUT_OF_VIEW,
    'C': Visibility.OCCLUDED,
    'U': Visibility.UNCONFIRMED,
    'A': Visibility.ABSENT,
    '?': Visibility.UNKNOWN,
}
CAMERA = PinholeCamera(320, 240, 200.0, 200.0, 159.5, 119.5)
BASE_NS = 1_000 * NS_PER_S

# The optical axis (z) looks along the map's x; the map's z is up.
_LOOKING_ALONG_X = RigidTransform(np.zeros(3), np.array([-0.5, 0.5, -0.5, 0.5]))


def fixture(name: str, x: float = 0.0, *, is_container: bool = False) -> Fixture:
    """Give a fixture ``counter_1`` of the type ``counter``, a cube of half a metre."""
    return Fixture(
        fixture_id=name,
        label=name.rpartition('_')[0],
        world_T_box=RigidTransform(np.array([x, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])),
        size_m=(0.5, 0.5, 0.5),
        is_container=is_container,
    )


SCENE = Scene(
    fixtures=tuple(
        fixture(name, i)
        for i, name in enumerate(
            ('counter_1', 'counter_2', 'counter_3', 'shelf_1', 'table_1', 'drawer_1', 'bin_1')
        )
    )
)


def at(seconds: float) -> int:
    """Give the stamp of a second of the recording."""
    return BASE_NS + round(seconds * NS_PER_S)


def track(
    name: str,
    story: str,
    moves: tuple[tuple[float, float], ...] = (),
    *,
    label: str = '',
    place: tuple[float, float, float] = (2.0, 0.5, 0.0),
    pixel: tuple[float, float] = (160.0, 120.0),
    fixture_id: str = 'shelf_1',
    rate_hz: int = 1,
    is_shown: bool = True,
) -> ObjectTrack:
    """
    Tell one object's story.

    Parameters
    ----------
    name, label : str
        Its id, and what it is called (by default the id without its number).
    story : str
        One of :data:`STATES` for each second.
    moves : tuple of (float, float)
        Start and end of its movements, seconds.
    place, pixel, fixture_id
        Where it is all the time, metres in the map.
    rate_hz : int
        So many samples of each second.
    is_shown : bool
        The picture shows the ends of the movements.

    """
    states = np.array([STATES[c] for c in story for _ in range(rate_hz)], dtype=np.int8)
    return ObjectTrack(
        object_id=name,
        name=label or name.rpartition('_')[0] or name,
        states=states,
        world_p=np.tile(np.array(place), (len(states), 1)),
        pixels=np.tile(np.array(pixel), (len(states), 1)),
        fixture_ids=[fixture_id] * len(states),
        movements=tuple(Movement(at(a), at(b), is_shown) for a, b in moves),
    )


def scene_tracks(*objects: ObjectTrack, rate_hz: int = 1, scene: Scene = SCENE) -> SceneTracks:
    """Put objects into one recording; the camera stands at the origin and looks along x."""
    count = max((len(o.states) for o in objects), default=0)
    return SceneTracks(
        video_id='made_up',
        base_stamp_ns=BASE_NS,
        stamps_ns=np.array([at(i / rate_hz) for i in range(count)], dtype=np.int64),
        world_T_camera=[_LOOKING_ALONG_X] * count,
        camera=CAMERA,
        scene=scene,
        objects=objects,
    )


def seen(direction_deg: float, distance_m: float) -> tuple[float, float, float]:
    """Give the place in a direction (clockwise from straight ahead) of the camera's height."""
    angle = math.radians(direction_deg)
    return distance_m * math.cos(angle), -distance_m * math.sin(angle), 0.0


class Story(NamedTuple):
    """What a memory is to know of one object: as in :func:`track`."""

    story: str
    moves: tuple[tuple[float, float], ...] = ()
    place: tuple[float, float, float] = (2.0, 0.5, 0.0)
    fixture_id: str = 'shelf_1'


def remember_stories(store: MemoryStore, stories: Mapping[str, Story], camera_id: str) -> None:
    """Commit a frame a second, in which everything is known as soon as it has happened."""
    store.put_scene(SCENE)
    for second in range(max(len(one.story) for one in stories.values())):
        rows: dict[str, list[Any]] = {'intervals': [], 'placements': [], 'events': []}
        states = []
        for name, one in sorted(stories.items()):
            states.append(_state(name, one, second))
            rows['intervals'] += _turns(name, one, second, camera_id)
            if second == 0:
                rows['placements'].append(_placement(name, one, 0))
            for start, end in one.moves:
                if math.ceil(end) == second:
                    rows['events'].append(_moved(name, start, end, second))
        kept = {kind: tuple(found) for kind, found in rows.items()}
        commit(store, second, *states, cameras=[camera_id], **kept)  # type: ignore[arg-type]


def _state(name: str, one: Story, second: int) -> ObjectState:
    shown = [s for s in range(second + 1) if one.story[s] in 'VM']
    ends = [end for _, end in one.moves if end <= second]
    state = STATES[one.story[second]]
    return ObjectState(
        object_id=name,
        label=name.rpartition('_')[0],
        epoch=0,
        life_cycle=LifeCycle.CONFIRMED,
        first_seen_ns=0,
        last_seen_ns=max(shown, default=0) * NS_PER_S,
        last_visible_ns=shown[-1] * NS_PER_S if shown else None,
        last_placed_ns=round(ends[-1] * NS_PER_S) if ends else None,
        placed_by='observed' if ends else '',
        visibility=state,
        geometry=state,
        in_motion=state is Visibility.IN_MOTION,
        num_moves=len(ends),
        world_p=one.place,
        fixture_id=one.fixture_id,
    )


def _placement(name: str, one: Story, start_ns: int) -> Placement:
    return Placement(name, 0, start_ns, None, start_ns, one.place, one.fixture_id)


def _moved(name: str, start: float, end: float, second: int) -> Event:
    return Event(
        event_id=f'{name}@{start}',
        event_type='moved',
        epoch=0,
        start_ns=round(start * NS_PER_S),
        end_ns=round(end * NS_PER_S),
        recorded_ns=second * NS_PER_S,
        roles=(('object', name),),
    )


def _turns(name: str, one: Story, second: int, camera_id: str) -> list[VisibilityInterval]:
    """Close the interval that ends at a second, and open the one that begins."""
    story = one.story
    if second and story[second] == story[second - 1]:
        return []
    rows = [_interval(name, one, second, None, camera_id)]
    if second:
        start = len(story[:second].rstrip(story[second - 1]))
        rows.insert(0, _interval(name, one, start, second, camera_id))
    return rows


def _interval(
    name: str, one: Story, start: int, end: int | None, camera_id: str
) -> VisibilityInterval:
    last = start if end is None else end - 1
    return VisibilityInterval(
        object_id=name,
        camera_id=camera_id,
        epoch=0,
        start_ns=start * NS_PER_S,
        end_ns=None if end is None else end * NS_PER_S,
        last_frame_ns=last * NS_PER_S,
        state=STATES[one.story[start]],
        geometry=STATES[one.story[start]],
        num_frames=last - start + 1,
    )

"""Questions from a memory: its intervals, placements and movements as tracks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from st_memory.benchmark.questions.memory_tracks import tracks_of_memory
from st_memory.benchmark.questions.tracks import ObjectTrack
from st_memory.core.errors import StMemoryError
from st_memory.core.records import (
    Event,
    LifeCycle,
    ObjectState,
    Observation,
    Placement,
    Visibility,
    VisibilityInterval,
)
from st_memory.storage import InMemoryStore
from test.core.queries.conftest import commit, S
from test.scenarios.synthetic import CAMERA

MUG = ObjectState(
    object_id='mug_1',
    label='mug',
    epoch=0,
    life_cycle=LifeCycle.CONFIRMED,
    first_seen_ns=0,
    last_seen_ns=4 * S,
    world_p=(2.0, 0.2, 0.0),
)


def stay(start: float, end: float | None, state: Visibility) -> VisibilityInterval:
    return VisibilityInterval(
        object_id='mug_1',
        camera_id='cam',
        epoch=0,
        start_ns=round(start * S),
        end_ns=None if end is None else round(end * S),
        last_frame_ns=round((end or 9) * S),
        state=state,
        geometry=state,
    )


def placed(start: float, recorded: float, y: float, fixture: str) -> Placement:
    return Placement(
        object_id='mug_1',
        epoch=0,
        start_ns=round(start * S),
        end_ns=None,
        recorded_ns=round(recorded * S),
        world_p=(2.0, y, 0.0),
        fixture_id=fixture,
    )


def moved(start: float, end: float) -> Event:
    start_ns, end_ns = round(start * S), round(end * S)
    roles = (('object', 'mug_1'),)
    return Event(f'e{start}', 'moved', 0, start_ns, end_ns, end_ns, roles)


def memory(rate_hz: int = 1) -> InMemoryStore:
    """Ten seconds of a mug: seen, moved from 2 to 4 s, seen, and out of view from 6 s on."""
    store = InMemoryStore()
    box = (10.0, 20.0, 8.0, 4.0)
    rows: dict[float, dict[str, Any]] = {
        0: {'placements': (placed(0, 0, 0.2, 'shelf_1'),)},
        1: {'observations': (Observation('o', 'mug_1', 0, S, 'mug', 0.9, 'cam', box_px=box),)},
        4: {'events': (moved(2, 4), Event('a', 'appeared', 0, 0, 0, 4 * S, moved(2, 4).roles))},
        5: {'placements': (placed(4, 5, 0.4, 'table_1'),)},
        7: {'placements': (placed(4, 7, 0.5, 'counter_1'),)},
        9: {
            'intervals': (
                stay(0, 2, Visibility.VISIBLE),
                stay(2, 4, Visibility.IN_MOTION),
                stay(4, 6, Visibility.VISIBLE),
                stay(6, None, Visibility.OUT_OF_VIEW),
            )
        },
    }
    for i in range(10 * rate_hz):
        commit(store, i / rate_hz, MUG, cameras=['cam'], **rows.get(i / rate_hz, {}))
    return store


def mug_of(rate_hz: int = 1, sample_hz: float = 5.0) -> ObjectTrack:
    tracks = tracks_of_memory(memory(rate_hz), CAMERA, 'bag', 'cam', sample_hz)
    (mug,) = tracks.objects
    return mug


def test_states_are_those_of_the_intervals() -> None:
    V, M, O = Visibility.VISIBLE, Visibility.IN_MOTION, Visibility.OUT_OF_VIEW  # noqa: E741

    assert mug_of().states.tolist() == [V, V, M, M, V, V, O, O, O, O]


def test_places_are_those_of_the_placements_as_corrected() -> None:
    mug = mug_of()

    assert mug.world_p[:, 1].tolist() == [0.2] * 4 + [0.5] * 6
    assert list(mug.fixture_ids) == ['shelf_1'] * 4 + ['counter_1'] * 6


def test_movements_are_events_of_movement_alone() -> None:
    ((start_ns, end_ns, is_shown),) = mug_of().movements

    assert (start_ns, end_ns, is_shown) == (2 * S, 4 * S, True)


def test_pixel_is_the_middle_of_the_box_where_it_was_detected() -> None:
    mug = mug_of()

    assert mug.pixels[1].tolist() == [14.0, 22.0]
    # Otherwise the image of its place: 0.2 m to the left at 2 m with a focal length of 130.
    assert mug.pixels[0].tolist() == pytest.approx([79.5 - 13.0, 59.5])
    assert np.isnan(mug.pixels[6:]).all()


def test_samples_are_thinned_to_the_rate() -> None:
    tracks = tracks_of_memory(memory(rate_hz=4), CAMERA, 'bag', 'cam', 2.0)

    assert np.diff(tracks.stamps_ns).tolist() == [S // 2] * (len(tracks.stamps_ns) - 1)
    assert tracks.seconds(int(tracks.stamps_ns[-1])) == 9.5
    assert tracks.base_stamp_ns == 0


@pytest.mark.parametrize('camera', ['', 'wrist'])
def test_camera_without_looks_is_named(camera: str) -> None:
    with pytest.raises(StMemoryError, match=f"camera '{camera}': expected looks"):
        tracks_of_memory(memory() if camera else InMemoryStore(), CAMERA, 'bag', camera)

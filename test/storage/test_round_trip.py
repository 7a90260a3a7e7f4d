"""Values at the ends of their ranges come back exactly."""

from __future__ import annotations

from dataclasses import replace
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.records import CameraLook, Event, ObjectState, Observation, TrackRecord
from st_memory.core.stamps import Moment
from st_memory.storage import SqliteMemoryStore
from st_memory.storage.codec import decode_pose, encode_pose, FIRST_STAMP, LAST_STAMP, wrap
from test.contracts.memory_store import frame, interval, placement
from test.storage.delta_strategies import INT64, object_states, quick_folder

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POINTS = st.tuples(FINITE, FINITE, FINITE)


@given(INT64, INT64)
def test_wrapped_difference_gives_the_other_stamp_back(first: int, second: int) -> None:
    """Differences of stamps at opposite ends of int64 lose nothing."""
    difference = wrap(second - first)

    assert FIRST_STAMP <= difference <= LAST_STAMP
    assert wrap(first + difference) == second


@pytest.mark.parametrize(
    ('value', 'expected'),
    [(0, 0), (2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (-(2**63) - 1, 2**63 - 1), (2**64, 0)],
)
def test_wrap_at_the_ends(value: int, expected: int) -> None:
    """Values worked out by hand."""
    assert wrap(value) == expected


@given(POINTS, st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 1e-3))
def test_pose_comes_back_bit_by_bit(
    translation: tuple[float, ...], quat: tuple[float, ...]
) -> None:
    """A pose that was normalised once is not moved by storing it."""
    unit = np.array(quat) / math.hypot(*quat)
    pose = RigidTransform(np.array(translation), unit)

    again = decode_pose(encode_pose(pose))

    assert encode_pose(again) == encode_pose(pose)


@settings(max_examples=30, deadline=None)
@given(stamp_ns=INT64, epoch=INT64, text=st.text(), data=st.data())
def test_state_over_the_full_range_comes_back(
    stamp_ns: int, epoch: int, text: str, data: st.DataObject
) -> None:
    """Any stamp, any text, any finite number."""
    drawn: ObjectState = data.draw(object_states(text, epoch, INT64))
    point, sigma = data.draw(POINTS), data.draw(FINITE)
    state = replace(drawn, label=text, cause=text, world_p=point, position_sigma_m=sigma)
    with quick_folder() as folder, SqliteMemoryStore.open(Path(folder) / 'memory.db') as store:
        store.commit(frame(0, stamp_ns, epoch, tracks=(TrackRecord(state, text),)))

        assert store.now() == Moment(epoch, stamp_ns)
        assert repr(store.object_at(text)) == repr(state)
        assert repr(store.checkpoint()).endswith(repr(text) + '),))')


@settings(max_examples=30, deadline=None)
@given(stamps=st.lists(INT64, min_size=4, max_size=4).map(sorted), text=st.text())
def test_history_over_the_full_range_comes_back(stamps: list[int], text: str) -> None:
    """Intervals, placements, observations and events at any stamps."""
    start, last, end, now = stamps
    row = interval(start, end, last_frame_ns=last, cause=text, num_frames=2**40)
    place = placement(start, end, now)
    observation = Observation(text, 'cup_1', 0, now, text, 0.5, text)
    event = Event(text, text, 0, start, end, now, ((text, 'cup_1'),), text, text)
    look = CameraLook(text, 0, now, None)
    with quick_folder() as folder, SqliteMemoryStore.open(Path(folder) / 'memory.db') as store:
        store.commit(
            frame(
                0, now, intervals=(row,), placements=(place,), observations=(observation,),
                events=(event,), looks=(look,),
            )
        )  # fmt: skip

        assert store.intervals('cup_1') == (row,)
        assert store.placements('cup_1') == (place,)
        assert store.observations('cup_1') == (observation,)
        assert store.events(object_id='cup_1') == (event,)
        newest = store.look_at(text)
        assert newest is not None
        assert newest.stamp_ns == now


@pytest.mark.parametrize('stamp_ns', [FIRST_STAMP, LAST_STAMP])
def test_interval_at_the_end_of_time_was_open_before(tmp_path: Path, stamp_ns: int) -> None:
    """The as-of rule holds at both ends of int64."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        store.commit(frame(0, FIRST_STAMP, intervals=(interval(FIRST_STAMP),)))
        closed = interval(FIRST_STAMP, LAST_STAMP, num_frames=9)
        store.commit(frame(1, LAST_STAMP, intervals=(closed,)))

        (found,) = store.intervals('cup_1', Moment(0, stamp_ns))

        assert found.end_ns == (LAST_STAMP if stamp_ns == LAST_STAMP else None)

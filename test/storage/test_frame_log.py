"""A memory fed frame by frame from another one is the same memory."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from st_memory.core.records import FrameDelta
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from st_memory.storage.codec import FIRST_STAMP, LAST_STAMP
from test.contracts.memory_store import frame, interval, placement, seen
from test.storage.delta_strategies import answers, delta_sequences, quick_folder


@settings(max_examples=60, deadline=None)
@given(deltas=delta_sequences(), data=st.data())
def test_memory_fed_in_two_goes_answers_as_its_source(
    deltas: list[FrameDelta], data: st.DataObject
) -> None:
    """Dump and every answer as of every moment are the same, wherever the feeding paused."""
    cut = data.draw(st.integers(0, len(deltas)))
    with quick_folder() as folder:
        source = SqliteMemoryStore.open(Path(folder) / 'source.db')
        for delta in deltas[:cut]:
            source.commit(delta)
        fed, oracle = SqliteMemoryStore.open(Path(folder) / 'fed.db'), InMemoryStore()
        pause = len(deltas) > cut > 0 and _moment(deltas[cut - 1]) != _moment(deltas[cut])
        if pause:
            for stored in source.deltas_after(-1):
                fed.restore(stored)
        for delta in deltas[cut:]:
            source.commit(delta)
        for stored in source.deltas_after(cut - 1 if pause else -1):
            fed.restore(stored)
        for stored in source.deltas_after(-1):
            oracle.restore(stored)

        assert dump(fed) == dump(source) == dump(oracle)
        for delta in deltas:
            moment = _moment(delta)
            assert answers(fed, moment) == answers(source, moment) == answers(oracle, moment)
        assert fed.checkpoint() == source.checkpoint() == oracle.checkpoint()
        source.close()
        fed.close()


def _moment(delta: FrameDelta) -> object:
    from st_memory.storage.delta_checks import moment_of

    return moment_of(delta.frame)


def test_rows_at_both_ends_of_time_come_with_their_frames(tmp_path: Path) -> None:
    """Differences of stamps wrap around; the frames' rows are told apart all the same."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        store.commit(
            frame(
                0, FIRST_STAMP, epoch=-(2**63), intervals=(interval(FIRST_STAMP, epoch=-(2**63)),)
            )
        )
        store.commit(frame(1, FIRST_STAMP, intervals=(interval(FIRST_STAMP),)))
        closed = interval(FIRST_STAMP, LAST_STAMP, num_frames=9, last_frame_ns=0)
        late = placement(FIRST_STAMP, None, LAST_STAMP)
        store.commit(frame(2, LAST_STAMP, intervals=(closed,), placements=(late,)))

        found = list(store.deltas_after(-1))

        assert [len(stored.delta.intervals) for stored in found] == [1, 1, 1]
        assert found[2].delta.intervals == (closed,)
        assert found[2].delta.placements == (late,)


def test_frame_log_is_of_one_moment(tmp_path: Path) -> None:
    """Frames that are committed while the log is read are not in it."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db') as store:
        store.commit(frame(0, 10, observations=(seen(10),)))
        store.commit(frame(1, 20))
        log = store.deltas_after(-1)
        first = next(log)
        store.commit(frame(2, 30))

        assert [first.delta.frame.seq, *(s.delta.frame.seq for s in log)] == [0, 1]


def test_origin_robot_is_kept_and_boot_is_new_each_time(tmp_path: Path) -> None:
    """One random robot a file, one boot an opening; a name that is given counts from then on."""
    path = tmp_path / 'memory.db'
    names = [None, None, 'robot_7', None]
    for seq, name in enumerate(names):
        with SqliteMemoryStore.open(path, robot_id=name) as store:
            store.commit(frame(seq, 10 * seq))
    with SqliteMemoryStore.open(path, read_only=True) as store:
        origins = [stored.origin for stored in store.deltas_after(-1)]

    assert origins[0].robot_id == origins[1].robot_id != ''
    assert [origin.robot_id for origin in origins[2:]] == ['robot_7', 'robot_7']
    assert len({origin.boot_id for origin in origins}) == 4


def test_origin_is_not_in_the_dump(tmp_path: Path) -> None:
    """Two replays give equal bytes whoever made them."""
    dumps = []
    for name in ('robot_1', 'robot_2'):
        with SqliteMemoryStore.open(tmp_path / f'{name}.db', robot_id=name) as store:
            store.commit(frame(0, 10))
            dumps.append(dump(store))

    assert dumps[0] == dumps[1]

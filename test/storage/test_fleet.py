"""Robots feed one database: each memory answers there as at home, and none meets another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import pytest

from st_memory.core.errors import StoreError
from st_memory.core.records import FrameDelta
from st_memory.core.stamps import Moment
from st_memory.storage import dump, export_memory, feed_memory, open_memory, SqliteMemoryStore
from st_memory.storage.delta_checks import moment_of
from test.contracts.memory_store import frame, track
from test.storage.crash_writer import delta_of
from test.storage.delta_strategies import answers, delta_sequences, quick_folder
from test.storage.postgres_server import ServerAtWork
from test.storage.schemas import make_v3


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(deltas=delta_sequences(), data=st.data())
def test_fed_copy_answers_as_the_robot(
    new_memory: Callable[[], str], deltas: tuple[FrameDelta, ...], data: st.DataObject
) -> None:
    """Fed in two goes, as of every moment, and exported from there to the same bytes."""
    cut = data.draw(st.integers(0, len(deltas)))
    if 0 < cut < len(deltas) and moment_of(deltas[cut - 1].frame) == moment_of(deltas[cut].frame):
        cut = 0  # rows of frames of one moment cannot be told apart: feeding refuses
    with (
        quick_folder() as folder,
        SqliteMemoryStore.open(Path(folder) / 'm.db', robot_id='robot_1') as robot,
        open_memory(new_memory()) as fleet,
    ):
        for part in (deltas[:cut], deltas[cut:]):
            for delta in part:
                robot.commit(delta)
            feed_memory(robot, fleet)

        assert dump(fleet) == dump(robot)
        assert fleet.checkpoint() == robot.checkpoint()
        for delta in deltas:
            moment = moment_of(delta.frame)
            assert answers(fleet, moment) == answers(robot, moment)
            assert fleet.frame_at(delta.frame.seq) == robot.frame_at(delta.frame.seq)
        export_memory(fleet, Path(folder) / 'fleet.jsonl')
        export_memory(robot, Path(folder) / 'robot.jsonl')
        assert (Path(folder) / 'fleet.jsonl').read_bytes() == (
            Path(folder) / 'robot.jsonl'
        ).read_bytes()


def test_two_robots_in_one_database_stay_apart(
    new_memory: Callable[[], str], tmp_path: Path
) -> None:
    """Same ids and same stamps of two robots are different things."""
    places = [new_memory(), new_memory()]
    homes = [tmp_path / 'a.db', tmp_path / 'b.db']
    for number, (home, place) in enumerate(zip(homes, places)):
        with (
            SqliteMemoryStore.open(home, robot_id=f'robot_{number}') as robot,
            open_memory(place) as fleet,
        ):
            robot.commit(frame(0, 10, tracks=track(label=f'cup of {number}')))
            feed_memory(robot, fleet)

    for number, (home, place) in enumerate(zip(homes, places)):
        with (
            SqliteMemoryStore.open(home, read_only=True) as robot,
            open_memory(place, read_only=True) as fleet,
        ):
            assert dump(fleet) == dump(robot)
            assert fleet.object_at('cup_1').label == f'cup of {number}'
            assert fleet.frame_at(0).origin.robot_id == f'robot_{number}'
    with (
        SqliteMemoryStore.open(homes[0], read_only=True) as robot,
        open_memory(places[1]) as other,
    ):
        with pytest.raises(StoreError, match='the copy is of another memory'):
            feed_memory(robot, other)


def test_feeding_through_a_crash_of_the_server_goes_on(
    postgres_server: ServerAtWork, new_memory: Callable[[], str], tmp_path: Path
) -> None:
    """What the server had acknowledged is there; the rest comes with the next feeding."""
    place = new_memory()
    with SqliteMemoryStore.open(tmp_path / 'm.db') as robot:
        for seq in range(600):
            robot.commit(delta_of(seq))
        fleet = open_memory(place)
        frames = list(robot.deltas_after(-1))
        fleet.restore_all(frames[:500])
        postgres_server.stop()
        with pytest.raises(StoreError, match='cannot write frames 500 to 599'):
            fleet.restore_all(frames[500:])
        fleet.close()
        postgres_server.start()

        with open_memory(place) as again:
            assert again.now() == Moment(0, 500_000)
            assert feed_memory(robot, again) == 100
            assert dump(again) == dump(robot)


def test_fleet_feeds_a_robot_that_lost_its_file(
    new_memory: Callable[[], str], tmp_path: Path
) -> None:
    """The way back: the new file is gone on with as the old one would have been."""
    place = new_memory()
    with SqliteMemoryStore.open(tmp_path / 'old.db') as old, open_memory(place) as fleet:
        make_v3.fill(old)
        feed_memory(old, fleet)
        with SqliteMemoryStore.open(tmp_path / 'new.db') as new:
            assert feed_memory(fleet, new) == 6
            assert dump(new) == dump(old)
            new.commit(frame(6, 9, epoch=1, tracks=track(epoch=1)))
            assert feed_memory(new, fleet) == 1
            assert dump(fleet) == dump(new)

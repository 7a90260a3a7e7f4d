"""The figures of the store, on histories that a test can afford."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from benchmarks import interval_bytes, query_where, restart
from benchmarks.figure import MeasuringError
from benchmarks.history import (
    History,
    history_file,
    HISTORY_TABLES,
    name_of,
    newest_moment,
    NUM_OBJECTS,
    place_at,
    START_NS,
)
from benchmarks.reference.interval_table import IntervalTable
from benchmarks.reference.point_query import PointQuery
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.storage import inspect, SqliteMemoryStore


@pytest.fixture(scope='module')
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a memory of some seconds."""
    return history_file(tmp_path_factory.mktemp('stores'), 15_000)


def test_place_at_changes_for_one_object_a_second_in_turn() -> None:
    """Object 0 moves after one second, object 7 after eight, and each again after a thousand."""

    def x_of(number: int, seconds: float) -> float:
        return place_at(number, START_NS + int(seconds * NS_PER_S))[0]

    assert x_of(0, 0.999) == 0.0
    assert x_of(0, 1.0) == pytest.approx(0.01)
    assert x_of(7, 7.9) == pytest.approx(1.4)
    assert x_of(7, 8.0) == pytest.approx(1.41)
    assert x_of(7, 1007.9) == pytest.approx(1.41)
    assert x_of(7, 1008.0) == pytest.approx(1.42)


def test_history_file_has_the_rows_that_it_counts_and_is_kept(small: Path) -> None:
    """The number is that of rows in the tables, not of calls."""
    counts = inspect(small).counts
    history = History()
    for _ in islice(history.frames(), counts['frame']):
        pass

    assert sum(counts[name] for name in HISTORY_TABLES) == history.num_rows >= 15_000
    assert history_file(small.parent, 15_000) == small
    assert [p.name for p in small.parent.iterdir() if p.suffix == '.db'] == [small.name]


def test_history_holds_what_is_true_as_of_any_frame(small: Path) -> None:
    """Every object, at several times, is where its number says."""
    last_ns = newest_moment(small).stamp_ns
    with SqliteMemoryStore.open(small, read_only=True) as store:
        for stamp_ns in range(START_NS, last_ns, (last_ns - START_NS) // 7):
            at = store.latest_moment(Moment(0, stamp_ns))
            assert at is not None
            states = store.objects_at(at)
            assert len(states) == NUM_OBJECTS
            for state in states:
                number = int(state.object_id.partition('_')[2])
                assert state.world_p == place_at(number, at.stamp_ns)
        moved = store.placements(name_of(0))
        assert [row.end_ns is None for row in moved] == [False, True]


def test_query_where_measures_right_answers(small: Path) -> None:
    """Both numbers are there, and details say the medians."""
    measured = query_where.compare(small, questions=50)

    assert measured.reference_value > 0.0
    assert measured.details is not None
    assert measured.details['bare_p50_ms'] < measured.details['p50_ms'] <= measured.value


def test_query_where_refuses_a_wrong_answer(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick answer that is wrong is no answer."""
    monkeypatch.setattr(query_where, 'place_at', lambda number, stamp_ns: (0.0, 0.0, -1.0))

    with pytest.raises(MeasuringError, match='the answer is wrong'):
        query_where.compare(small, questions=1)


def test_restart_measures_the_first_answer_after_a_crash(small: Path) -> None:
    """The log of the killed writer is not empty, and the frames in it are seen."""
    measured = restart.compare(small, rounds=1)

    assert measured.value > 0.0
    assert measured.reference_value > 0.0
    assert measured.details is not None
    assert measured.details['log_mb'] > 0.1


def test_interval_bytes_are_those_of_the_rows() -> None:
    """More than a stamp, less than a page."""
    measured = interval_bytes.compare(300)

    assert 8.0 < measured.value < 200.0
    assert 8.0 < measured.reference_value < 200.0


def test_point_query_gives_the_newest_row_not_after(small: Path) -> None:
    """By hand: the first frame has all objects."""
    bare = PointQuery(small)
    number = bare.number_of(name_of(5))

    row = bare.ask(number, START_NS)
    bare.close()

    assert row[:3] == (number, 0, START_NS)


def test_interval_table_closes_what_it_opened(tmp_path: Path) -> None:
    """One row an interval."""
    import sqlite3

    table = IntervalTable(tmp_path / 'bare.db')
    table.append([(1, 10, None, 2)])
    table.append([(1, 10, 20, 2), (1, 20, None, 3)])
    table.close()

    connection = sqlite3.connect(tmp_path / 'bare.db')
    rows = connection.execute('SELECT * FROM interval').fetchall()
    connection.close()
    assert rows == [(1, 10, 20, 2), (1, 20, None, 3)]

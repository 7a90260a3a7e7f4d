"""The measure of a crash tells a store that keeps its word from one that does not."""

from __future__ import annotations

from contextlib import closing
import csv
from pathlib import Path
import sqlite3
import sys
from typing import Any

import pytest

from st_memory.benchmark.laws import crash
from st_memory.benchmark.laws.killing import integrity_of, killed_run, time_of_whole_run
from st_memory.benchmark.laws.life import write_life
from st_memory.core.errors import StMemoryError

EARLY = (sys.executable, '-m', 'test.benchmark.laws.early_writer')


@pytest.fixture(scope='module')
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A life of eight seconds."""
    return write_life(tmp_path_factory.mktemp('life') / 'life.mcap', 3, 40)


@pytest.fixture(scope='module')
def asked(bag: Path) -> crash.Asked:
    """What is asked about."""
    return crash.asked_of(bag)


def scored(rows: list[dict[str, Any]], bag: Path, asked: crash.Asked, out: Path) -> dict[str, Any]:
    """Score rows as the benchmark does."""
    crash.add_reference(rows, bag, asked)
    with (out / crash.RUNS).open('w', encoding='utf-8', newline='') as stream:
        table = csv.DictWriter(stream, crash._COLUMNS, restval='')
        table.writeheader()
        table.writerows(rows)
    return crash.score(out, out)


def killed(bag: Path, db: Path, asked: crash.Asked, writer: Any = crash.WRITER) -> dict[str, Any]:
    """Kill a writer right after its first frame; once more if it was done before."""
    for _ in range(20):
        row = crash.try_one(bag, db, 0.02, asked, writer)
        if row is not None:
            return {'run': 0, **row}
    raise AssertionError('every writer was done before it was killed')


def test_killed_writer_has_lost_nothing_and_goes_on(
    bag: Path, asked: crash.Asked, tmp_path: Path
) -> None:
    row = killed(bag, tmp_path / 'run.db', asked)

    result = scored([row], bag, asked, tmp_path)

    assert int(row['acknowledged']) >= 1
    assert (result['runs'], result['lost_acknowledged'], result['corrupt']) == (1, 0, 0)
    assert result['right_after_restart'] == 1
    assert not (tmp_path / 'run.db').exists()


def test_writer_killed_while_it_starts_leaves_a_file_that_can_be_gone_on_with(
    bag: Path, asked: crash.Asked, tmp_path: Path
) -> None:
    row = crash.try_one(bag, tmp_path / 'run.db', 0.0, asked, starting=True)
    assert row is not None

    result = scored([{'run': 0, **row}], bag, asked, tmp_path)

    assert (result['lost_acknowledged'], result['corrupt']) == (0, 0)
    assert result['right_after_restart'] == 1


def test_writer_that_acknowledges_before_it_commits_is_found_out(
    bag: Path, asked: crash.Asked, tmp_path: Path
) -> None:
    row = killed(bag, tmp_path / 'run.db', asked, EARLY)

    result = scored([row], bag, asked, tmp_path)

    assert result['lost_acknowledged'] >= 1


def test_file_that_is_damaged_counts_as_corrupt(
    bag: Path, asked: crash.Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damage(command: Any, db: Path, kill_after_s: float, *, starting: bool) -> int | None:
        count = killed_run(command, db, kill_after_s, starting=starting)
        with closing(sqlite3.connect(db)) as connection:
            connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
        content = bytearray(db.read_bytes())
        content[4096:] = b'\xff' * (len(content) - 4096)
        db.write_bytes(bytes(content))
        return count

    monkeypatch.setattr(crash, 'killed_run', damage)
    row = killed(bag, tmp_path / 'run.db', asked)

    result = scored([row], bag, asked, tmp_path)

    assert (result['corrupt'], result['right_after_restart']) == (1, 0)
    assert row['integrity'] != 'ok'
    assert (tmp_path / 'run.db').exists()  # kept for whoever looks into it


def test_state_of_another_number_of_frames_counts_as_corrupt(
    bag: Path, asked: crash.Asked, tmp_path: Path
) -> None:
    row = killed(bag, tmp_path / 'run.db', asked)
    row['held'] = int(row['held']) - 1  # as if its last frame were torn

    result = scored([row], bag, asked, tmp_path)

    assert (result['corrupt'], result['right_after_restart']) == (1, 0)


def test_writer_that_was_done_before_is_no_run(
    bag: Path, asked: crash.Asked, tmp_path: Path
) -> None:
    assert crash.try_one(bag, tmp_path / 'run.db', 60.0, asked) is None


def test_writer_that_fails_by_itself_is_an_error(tmp_path: Path) -> None:
    command = (sys.executable, '-c', 'raise SystemExit(7)', str(tmp_path / 'run.db'))

    with pytest.raises(StMemoryError, match='the writer ended with code 7'):
        killed_run(command, tmp_path / 'run.db', 10.0, starting=True)


def test_whole_run_takes_time(bag: Path, tmp_path: Path) -> None:
    db = tmp_path / 'whole.db'

    assert time_of_whole_run((*crash.WRITER, str(bag), str(db)), db) > 0.0
    assert not db.exists()


def test_time_of_a_whole_run_is_what_the_writer_says(tmp_path: Path) -> None:
    # However late its lines are read: a writer that is over at once says how long it took.
    says = (sys.executable, '-c', 'print(0); print(1); print(12.5)')
    fails = (sys.executable, '-c', 'raise SystemExit(7)')

    assert time_of_whole_run(says, tmp_path / 'run.db') == 12.5
    with pytest.raises(StMemoryError, match='the writer ended with code 7'):
        time_of_whole_run(fails, tmp_path / 'run.db')


def test_benchmark_that_timed_a_run_on_a_busy_machine_still_kills(
    bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[float] = []

    def try_one(bag: Path, db: Path, kill_after_s: float, *_: Any, **__: Any) -> Any:
        tried.append(kill_after_s)
        done = kill_after_s > 0.5  # what a run really takes
        return None if done else {'held': 0, 'integrity': 'ok', 'acknowledged': 0}

    monkeypatch.setattr(crash, 'NUM_RUNS', 20)
    monkeypatch.setattr(crash, 'try_one', try_one)
    monkeypatch.setattr(crash, 'time_of_whole_run', lambda *_: 1000.0)
    said = crash.predict(bag.parent, tmp_path, 5)

    late = [k for k in tried if k > 0.5]
    assert said['whole_run_s'] == 1000.0
    assert len(tried) == 20 + len(late)
    assert len(late) < 40  # each that came too late makes the next ones sooner


def test_integrity_of_what_is_no_file_of_ours_says_so(tmp_path: Path) -> None:
    (tmp_path / 'run.db').write_bytes(b'not a database' * 1000)

    assert integrity_of(tmp_path / 'run.db').startswith('DatabaseError')


def test_benchmark_kills_as_often_as_it_says(
    bag: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level('INFO', logger='st_memory.benchmark')
    monkeypatch.setattr(crash, 'NUM_RUNS', 2)

    said = crash.predict(bag.parent, tmp_path, 5)
    result = crash.score(tmp_path, tmp_path)

    assert said['whole_run_s'] > 0.0
    assert (result['runs'], result['right_after_restart']) == (2, 2)
    assert {'crash: run 1 of 2', 'crash: run 2 of 2'} <= set(caplog.messages)

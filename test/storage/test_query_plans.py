"""No question about one thing reads a whole table, and no frame does to be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import re
import sqlite3
from typing import Any

import pytest

from st_memory.core.ports import MemoryReader
from st_memory.core.stamps import Moment
from st_memory.storage import connections, open_memory, SqliteMemoryStore
from test.contracts.memory_store import frame, interval, look, track
from test.storage.schemas import make_v3

AT = Moment(0, 15)
# Questions about one thing, or about what is near: by name, with how they are asked.
POINT_QUESTIONS: dict[str, Callable[[MemoryReader], object]] = {
    'now': lambda r: r.now(),
    'first_moment': lambda r: r.first_moment(0),
    'latest_moment': lambda r: r.latest_moment(AT),
    'object_at': lambda r: r.object_at('cup_1', AT),
    'object_at now': lambda r: r.object_at('jar_1'),
    'objects_called': lambda r: r.objects_called('cup', AT),
    'intervals': lambda r: r.intervals('cup_1', AT),
    'placements': lambda r: r.placements('cup_1', AT),
    'observations': lambda r: r.observations('cup_1', AT),
    'latest observation': lambda r: r.observations('cup_1', AT, limit=1),
    'num_confirmed': lambda r: r.num_confirmed('cup_1', 'head', (0, 15), AT),
    'events of': lambda r: r.events(AT, object_id='cup_1'),
    'look_at': lambda r: r.look_at('head', AT),
    'look_at any': lambda r: r.look_at(None, AT),
    'objects_within': lambda r: r.objects_within((0.0, 0.0, 0.0), 1.0),
    'frame_at': lambda r: r.frame_at(2),
}
# Lists are in time linear in what they give: they too read no row of another time or epoch.
LISTS: dict[str, Callable[[MemoryReader], object]] = {
    'objects_at': lambda r: r.objects_at(AT),
    'events': lambda r: r.events(AT),
    'looks': lambda r: r.looks('head', AT),
}
# The plan calls it a scan too when the R*Tree is searched (by id: 1, by boxes: 2).
_SCAN = re.compile(r'\bSCAN\b(?!.* VIRTUAL TABLE INDEX [12])')
# Walks along a key and ends at its first row.
_ONE_ROW = re.compile(r'FROM frame ORDER BY seq DESC LIMIT 1\Z')


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the statements that connections run from now on."""
    statements: list[str] = []
    opened = connections.connect

    def connect(path: Path, mode: str) -> sqlite3.Connection:
        connection = opened(path, mode)
        connection.set_trace_callback(statements.append)
        return connection

    monkeypatch.setattr(connections, 'connect', connect)
    monkeypatch.setattr('st_memory.storage.opening.connect', connect)
    return statements


def scans(path: Path, statements: list[str]) -> list[str]:
    """Give the steps of the statements' plans that read a whole table."""
    connection = connections.connect(path, 'ro')
    found = []
    for sql in dict.fromkeys(statements):
        if not _ONE_ROW.search(sql) and sql.split()[0] in ('SELECT', 'INSERT', 'UPDATE', 'DELETE'):
            plan = connection.execute(f'EXPLAIN QUERY PLAN {sql}').fetchall()
            found += [f'{row[3]}: {sql}' for row in plan if _SCAN.search(row[3])]
    connection.close()
    return found


@pytest.mark.parametrize('question', [*POINT_QUESTIONS, *LISTS])
def test_question_reads_no_whole_table(tmp_path: Path, told: list[str], question: str) -> None:
    """Every statement of it goes by a key or an index."""
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        make_v3.fill(store)
    told.clear()
    with SqliteMemoryStore.open(path, read_only=True) as store:
        told.clear()
        {**POINT_QUESTIONS, **LISTS}[question](store)
    statements = [sql for sql in told if sql.startswith(('SELECT', '\n', ' '))]

    assert statements
    assert scans(path, statements) == []


def test_frame_is_written_without_reading_a_whole_table(tmp_path: Path, told: list[str]) -> None:
    """Neither right after opening nor later."""
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        make_v3.fill(store)
    with SqliteMemoryStore.open(path) as store:
        told.clear()
        for seq, stamp_ns in ((6, 30), (7, 40)):
            store.commit(
                frame(
                    seq, stamp_ns, epoch=1, tracks=track(epoch=1, num_moves=seq),
                    looks=(look(stamp_ns, epoch=1),),
                    intervals=(interval(stamp_ns, epoch=1),),
                )
            )  # fmt: skip

    assert len(told) > 20
    assert scans(path, told) == []


def test_scan_is_found_where_there_is_one(tmp_path: Path) -> None:
    """The test itself can fail."""
    path = tmp_path / 'm.db'
    SqliteMemoryStore.open(path).close()

    assert scans(path, ['SELECT seq FROM frame WHERE stamp_ns = 5']) != []
    assert scans(path, ['SELECT seq FROM frame WHERE seq = 5']) == []


@pytest.fixture
def server_told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """Give the statements that sessions with a server run, with their values."""
    postgres = pytest.importorskip(
        'st_memory.storage.postgres_connection', reason='needs psycopg (extra fleet)'
    )
    statements: list[tuple[str, Any]] = []
    execute = postgres.PostgresConnection.execute

    def note(self: Any, sql: str, parameters: Any = (), /) -> Any:
        statements.append((sql, parameters))
        return execute(self, sql, parameters)

    monkeypatch.setattr(postgres.PostgresConnection, 'execute', note)
    return statements


def test_server_has_an_index_for_every_point_question(
    new_memory: Callable[[], str], server_told: list[tuple[str, Any]]
) -> None:
    """Where whole tables cost too much to read, none is read."""
    with open_memory(new_memory()) as store:
        make_v3.fill(store)
        for name, ask in POINT_QUESTIONS.items():
            server_told.clear()
            ask(store)
            asked = [(sql, p) for sql, p in server_told if sql.lstrip().startswith('SELECT')]
            assert asked, name
            with store._pool.snapshot() as connection:
                connection.execute('SET LOCAL enable_seqscan = off')
                for sql, parameters in asked:
                    plan = connection.execute(f'EXPLAIN {sql}', parameters).fetchall()
                    assert 'Seq Scan' not in str(plan), f'{name}: {sql}: {plan}'

"""The PostgreSQL store keeps every rule of the port, and answers as the SQLite store does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
import signal
import subprocess
import sys
import threading

from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import MissingExtraError, SchemaVersionError, StoreError
from st_memory.core.ports import MemoryStore
from st_memory.core.records import Event, FrameDelta, TrackRecord
from st_memory.core.stamps import Moment
from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from st_memory.storage.codec import FIRST_STAMP, LAST_STAMP
from st_memory.storage.delta_checks import moment_of
from st_memory.storage.postgres_place import place_of
from st_memory.storage.postgres_sql import escape_text, unescape_text
from test.contracts.memory_store import frame, interval, MemoryStoreConformance, state, track
from test.storage.crash_writer import delta_of
from test.storage.delta_strategies import answers, delta_sequences, INT64, quick_folder
from test.storage.postgres_server import ServerAtWork

psycopg = pytest.importorskip('psycopg', reason='needs psycopg (extra fleet)')
from st_memory.storage.postgres_store import PostgresMemoryStore  # noqa: E402

ROOT = Path(__file__).parents[2]


class TestPostgresMemoryStore(MemoryStoreConformance):
    """Run the conformance suite."""

    @pytest.fixture(autouse=True)
    def _memories(self, new_memory: Callable[[], str]) -> Iterator[None]:
        self._new_memory = new_memory
        self._stores: list[PostgresMemoryStore] = []
        yield
        for store in self._stores:
            store.close()

    def make_object_under_test(self) -> MemoryStore:
        """Give a new, empty store."""
        store = PostgresMemoryStore.open(self._new_memory())
        self._stores.append(store)
        return store


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(deltas=delta_sequences())
def test_both_engines_answer_alike(
    new_memory: Callable[[], str], deltas: list[FrameDelta]
) -> None:
    """Same dump byte for byte, and same answers as of every moment and after reopening."""
    url, half = new_memory(), len(deltas) // 2
    with quick_folder() as folder:
        path = Path(folder) / 'm.db'
        for part in (deltas[:half], deltas[half:]):
            with SqliteMemoryStore.open(path) as sqlite, PostgresMemoryStore.open(url) as store:
                for delta in part:
                    sqlite.commit(delta)
                    store.commit(delta)
        with (
            SqliteMemoryStore.open(path, read_only=True) as sqlite,
            PostgresMemoryStore.open(url, read_only=True) as store,
        ):
            assert dump(store) == dump(sqlite)
            for delta in deltas:
                moment = moment_of(delta.frame)
                assert answers(store, moment) == answers(sqlite, moment)
            rows = [stored.delta.tracks for stored in store.deltas_after(-1)]
            assert rows == [stored.delta.tracks for stored in sqlite.deltas_after(-1)]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    stamp_ns=INT64,
    text=st.text(),
    place=st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3),
)
def test_values_come_back_bit_by_bit(
    new_memory: Callable[[], str], stamp_ns: int, text: str, place: tuple[float, float, float]
) -> None:
    """Any stamp, any text (U+0000 too), any finite number."""
    full = replace(state(object_id=text, label=text, cause=text), world_p=place)
    event = Event(text, text, 0, stamp_ns, stamp_ns, stamp_ns, ((text, text),), text, text)
    with PostgresMemoryStore.open(new_memory()) as store:
        store.commit(frame(0, stamp_ns, tracks=(TrackRecord(full, text),), events=(event,)))

        assert repr(store.object_at(text)) == repr(full)
        assert store.events(object_id=text) == (event,)
        assert repr(store.checkpoint()).endswith(repr(text) + '),))')


@given(st.text(st.sampled_from('\x00\x1a01a')), st.text(st.sampled_from('\x00\x1a01a')))
def test_escaped_texts_are_as_different_as_the_texts(first: str, second: str) -> None:
    """No U+0000 is left, and nothing is lost."""
    assert '\x00' not in escape_text(first)
    assert unescape_text(escape_text(first)) == first
    assert (escape_text(first) == escape_text(second)) == (first == second)


def test_interval_over_all_of_time_comes_with_its_frames(new_memory: Callable[[], str]) -> None:
    """The server's sums of stamps wrap around as ours do."""
    with PostgresMemoryStore.open(new_memory()) as store:
        store.commit(frame(0, FIRST_STAMP, intervals=(interval(FIRST_STAMP),)))
        closed = interval(FIRST_STAMP, LAST_STAMP, num_frames=9, last_frame_ns=0)
        store.commit(frame(1, LAST_STAMP, intervals=(closed,)))

        assert [s.delta.intervals[0].end_ns for s in store.deltas_after(-1)] == [None, LAST_STAMP]


def test_strings_of_megabytes_come_back(new_memory: Callable[[], str]) -> None:
    """No index has to hold them whole; letters at random cannot be packed."""
    letters = np.random.default_rng(3).integers(0x100, 0x2000, 2_000_000)
    text = ''.join(map(chr, letters.tolist()))
    event = Event(text, 'moved', 0, 10, 10, 10, (('object', text),))
    with PostgresMemoryStore.open(new_memory()) as store:
        store.commit(frame(0, 10, tracks=track(object_id=text), events=(event,)))

        assert store.object_at(text) == state(object_id=text)
        assert store.events(object_id=text) == (event,)


def test_memories_of_one_server_do_not_meet(new_memory: Callable[[], str]) -> None:
    """Each has its own schema, whatever its name."""
    urls = [new_memory(), new_memory() + '"; DROP SCHEMA public; --', new_memory() + ' Ünder']
    for number, url in enumerate(urls):
        with PostgresMemoryStore.open(url, robot_id=f'robot_{number}') as store:
            store.commit(frame(0, 10 + number, tracks=track(object_id=f'cup_{number}')))

    for number, url in enumerate(urls):
        with PostgresMemoryStore.open(url, read_only=True) as store:
            assert [s.object_id for s in store.objects_at()] == [f'cup_{number}']
            assert store.now() == Moment(0, 10 + number)
            assert [s.origin.robot_id for s in store.deltas_after(-1)] == [f'robot_{number}']


def test_second_writer_is_refused_and_readers_are_not(new_memory: Callable[[], str]) -> None:
    """One writer a memory; the next one is let in after it."""
    url = new_memory()
    with PostgresMemoryStore.open(url) as store:
        store.commit(frame(0, 10))
        with pytest.raises(StoreError, match='another writer has this memory open'):
            PostgresMemoryStore.open(url)
        with PostgresMemoryStore.open(url, read_only=True) as reader:
            store.commit(frame(1, 20))
            assert reader.now() == Moment(0, 20)
            with pytest.raises(StoreError, match='opened read-only'):
                reader.commit(frame(2, 30))

    with PostgresMemoryStore.open(url) as store:
        store.commit(frame(2, 30))


def test_readers_in_threads_see_whole_frames(new_memory: Callable[[], str]) -> None:
    """Two objects change in every frame; no reader ever sees them differ."""
    torn: list[object] = []
    done = threading.Event()
    with PostgresMemoryStore.open(new_memory()) as store:
        store.commit(both(0))

        def read() -> None:
            while not done.is_set():
                counts = {s.num_moves for s in store.objects_at()}
                if len(counts) != 1:
                    torn.append(counts)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        for seq in range(1, 40):
            store.commit(both(seq))
        done.set()
        for thread in threads:
            thread.join()

        assert torn == []
        assert {s.num_moves for s in store.objects_at()} == {39}


def both(seq: int) -> FrameDelta:
    """Build a frame that changes two objects alike."""
    tracks = (*track(object_id='a', num_moves=seq), *track(object_id='b', num_moves=seq))
    return frame(seq, 10 * seq, tracks=tracks)


def test_closed_store_refuses(new_memory: Callable[[], str]) -> None:
    """As the other stores do."""
    store = PostgresMemoryStore.open(new_memory())
    store.close()
    store.close()

    with pytest.raises(StoreError, match='memory is closed'):
        store.now()
    with pytest.raises(StoreError, match='memory is closed'):
        store.commit(frame(0, 10))


@pytest.mark.parametrize(
    ('label', 'reason'), [('\ud800', 'surrogates'), (np.int64(3), 'cannot write frame 0')]
)
def test_value_that_cannot_be_kept_is_refused(
    new_memory: Callable[[], str], label: object, reason: str
) -> None:
    """One line, nothing written, and the frame may be tried again."""
    with PostgresMemoryStore.open(new_memory()) as store:
        with pytest.raises(StoreError, match=reason) as caught:
            store.commit(frame(0, 10, tracks=track(label=label)))

        assert '\n' not in str(caught.value)
        assert store.now() is None
        store.commit(frame(0, 10, tracks=track()))
        assert store.object_at('cup_1') == state()


@pytest.mark.parametrize('stamp_ns', [2**63, -(2**63) - 1])
def test_stamp_outside_int64_is_refused(new_memory: Callable[[], str], stamp_ns: int) -> None:
    """Stamps are int64."""
    with PostgresMemoryStore.open(new_memory()) as store:
        with pytest.raises(StoreError, match='out of range'):
            store.commit(frame(0, stamp_ns))


def test_missing_memory_is_not_made_by_a_reader(new_memory: Callable[[], str]) -> None:
    """Reading makes nothing."""
    url = new_memory()
    with pytest.raises(StoreError, match='no such memory'):
        PostgresMemoryStore.open(url, read_only=True)
    with psycopg.connect(url.partition('#')[0]) as connection:
        names = connection.execute('SELECT nspname FROM pg_namespace').fetchall()

    assert (url.partition('#')[2],) not in names


def test_schema_of_another_program_is_refused(new_memory: Callable[[], str]) -> None:
    """Somebody else's tables stay as they were."""
    url = new_memory()
    dsn, _, name = url.partition('#')
    with psycopg.connect(dsn) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"')
        connection.execute(f'CREATE TABLE "{name}".notes (x int)')

    for read_only in (False, True):
        with pytest.raises(StoreError, match='found tables of another program'):
            PostgresMemoryStore.open(url, read_only=read_only)


def test_schema_from_the_future_is_refused(new_memory: Callable[[], str]) -> None:
    """A memory of a later version is named as such, and one of an earlier is brought up."""
    url = new_memory()
    PostgresMemoryStore.open(url).close()
    dsn, _, name = url.partition('#')
    with psycopg.connect(dsn) as connection:
        connection.execute(
            f'INSERT INTO "{name}".migration (name, applied_by) VALUES (%s, %s)',
            ('0099_from_the_future', '9.9'),
        )

    for read_only in (False, True):
        with pytest.raises(SchemaVersionError, match="found '0099_from_the_future'"):
            PostgresMemoryStore.open(url, read_only=read_only)


def test_older_schema_is_brought_up_to_date_by_a_writer_alone(
    new_memory: Callable[[], str],
) -> None:
    """What is missing is applied in order."""
    url = new_memory()
    with PostgresMemoryStore.open(url) as store:
        store.commit(frame(0, 10, tracks=track(label='TASSE Ä')))
    dsn, _, name = url.partition('#')
    with psycopg.connect(dsn) as connection:
        newer = ', '.join(f'"{name}".{t}' for t in ('boot', 'thinned', 'here', 'called'))
        connection.execute(f'DROP TABLE {newer}')
        connection.execute(f'ALTER TABLE "{name}".slow_state DROP COLUMN identity')
        connection.execute(f'DELETE FROM "{name}".migration WHERE name >= \'0003\'')

    with pytest.raises(SchemaVersionError, match='open it for writing once'):
        PostgresMemoryStore.open(url, read_only=True)
    with PostgresMemoryStore.open(url) as store:
        assert [s.object_id for s in store.objects_called('tasse ä')] == ['cup_1']
        store.commit(frame(1, 20, tracks=track()))
        assert len(store.objects_within((0.1, 0.0, 0.0), 1.0)) == 1


@pytest.mark.parametrize(
    'url',
    [
        'postgresql://user:s3cret@localhost:1/db#kitchen',
        'postgresql://user@localhost:1/db?password=s3cret#kitchen',
    ],
)
def test_server_that_is_not_there_is_one_line_without_the_password(url: str) -> None:
    """The message names the place and the memory."""
    with pytest.raises(StoreError) as caught:
        PostgresMemoryStore.open(url)

    text = str(caught.value)
    assert text.startswith('postgresql://user@localhost:1/db#kitchen: cannot open: ')
    assert 's3cret' not in text + repr(place_of(url))
    assert '\n' not in text


@pytest.mark.parametrize(
    ('url', 'reason'),
    [
        ('postgresql://user:s3cret%@host/db', 'expected postgresql://'),
        ('postgresql://user:s3cret@host/db?nonsense=1', 'expected postgresql://'),
        ('mysql://user:s3cret@host/db', 'expected postgresql://'),
        ('postgresql://host/db#' + 'x' * 64, 'at most 63 bytes .* found 64 bytes'),
        ('postgresql://host/db#pg_catalog', "does not begin with 'pg_'"),
        ('postgresql://host/db#a\x00b', 'at most 63 bytes'),
    ],
)
def test_address_that_is_none_is_refused_without_the_password(url: str, reason: str) -> None:
    """What was given may hold a password."""
    with pytest.raises(StoreError, match=reason) as caught:
        place_of(url)

    assert 's3cret' not in str(caught.value)
    assert caught.value.__cause__ is None


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, 'psycopg', None)

    with pytest.raises(MissingExtraError, match=r'st_memory\[fleet\]'):
        place_of('postgresql://host/db')


@pytest.mark.parametrize('run', range(3))
def test_writer_killed_midway_keeps_every_acknowledged_frame(
    new_memory: Callable[[], str], run: int
) -> None:
    """The lock goes with the writer; what it acknowledged is there, and no torn frame."""
    url = new_memory()
    num_acknowledged = int(np.random.default_rng(run).integers(1, 40))
    command = [sys.executable, '-m', 'test.storage.crash_writer', url]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(num_acknowledged):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
    last = max([last, *map(int, rest[:-1])])

    with PostgresMemoryStore.open(url, read_only=True) as store:
        checkpoint = store.checkpoint()
        assert checkpoint is not None
        assert checkpoint.frame.seq >= last
        expected = InMemoryStore()
        for seq in range(checkpoint.frame.seq + 1):
            expected.commit(delta_of(seq))
        assert dump(store) == dump(expected)


def test_server_that_crashes_loses_no_acknowledged_frame(
    postgres_server: ServerAtWork, new_memory: Callable[[], str]
) -> None:
    """A store says in one line that the server is gone; once it is back, all is there."""
    url = new_memory()
    store = PostgresMemoryStore.open(url)
    store.commit(delta_of(0))
    postgres_server.stop()
    with pytest.raises(StoreError, match='cannot write frame 1'):
        store.commit(delta_of(1))
    with pytest.raises(StoreError, match='cannot read'):
        store.now()
    store.close()

    postgres_server.start()
    with PostgresMemoryStore.open(url) as again:
        assert again.now() == Moment(0, 1_000)
        again.commit(delta_of(1))

"""Retention takes out observations, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import signal
import subprocess
import sys
import time

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import StoreError
from st_memory.core.records import FrameDelta
from st_memory.core.stamps import Moment
from st_memory.storage import (
    dump,
    export_memory,
    feed_memory,
    import_memory,
    open_memory,
    Retention,
    SqliteMemoryStore,
    SqlMemoryStore,
)
from st_memory.storage.delta_checks import moment_of
from test.contracts.memory_store import frame, interval, look, seen, track
from test.storage.crash_writer import delta_of
from test.storage.delta_strategies import answers, CAMERAS, delta_sequences, OBJECTS, quick_folder

ROOT = Path(__file__).parents[2]


def watched(store: SqlMemoryStore, num_frames: int = 20, step_ns: int = 10) -> None:
    """Commit frames in each of which a cup is seen, in one interval that stays open."""
    for seq in range(num_frames):
        stamp_ns = step_ns * seq
        rows = (interval(0),) if seq == 0 else ()
        store.commit(
            frame(
                seq, stamp_ns, looks=(look(stamp_ns),), observations=(seen(stamp_ns),),
                intervals=rows, tracks=track(num_observations=seq),
            )
        )  # fmt: skip


def stamps(store: SqlMemoryStore) -> list[int]:
    """Stamps of the observations that are left."""
    return [row.stamp_ns for row in store.observations('cup_1')]


@pytest.mark.parametrize(
    ('older_than_ns', 'every_ns', 'expected'),
    [
        # Stamps 0, 10, ... 190. Pieces of 50: 0-49, 50-99, ...; the first stays, and the lasts.
        (0, 50, [0, 40, 90, 140, 190]),
        (0, 1, list(range(0, 200, 10))),
        (0, 1000, [0, 190]),
        # Newer than 190 - 100 = 90: all stay; of the others 0 and the lasts of two pieces.
        (100, 50, [0, 40, *range(90, 200, 10)]),
        (1000, 50, list(range(0, 200, 10))),
    ],
)
def test_first_and_last_of_every_piece_stay(
    tmp_path: Path, older_than_ns: int, every_ns: int, expected: list[int]
) -> None:
    """By hand, for several policies."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        watched(store)

        report = store.compact(Retention(older_than_ns, every_ns))

        assert stamps(store) == expected
        assert report == (20, 20 - len(expected))
        assert store.compact(Retention(older_than_ns, every_ns)).num_thinned == 0


def test_counts_are_as_before_as_of_every_moment(tmp_path: Path) -> None:
    """An interval that twenty frames confirmed stays confirmed by twenty."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        watched(store)
        store.compact(Retention(0, 100))

        counts = [store.intervals('cup_1', Moment(0, t))[0].num_confirmed for t in (0, 95, 190)]

        assert counts == [1, 10, 20]
        assert store.num_confirmed('cup_1', 'head', (30, 70)) == 4


def test_each_epoch_is_measured_by_its_own_end(tmp_path: Path) -> None:
    """A new epoch with small stamps says nothing of the age of an earlier one."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        watched(store)
        store.commit(frame(20, 5, epoch=1))

        store.compact(Retention(100, 1000))

        left = [row.stamp_ns for row in store.observations('cup_1', Moment(0, 999))]
        assert left == [0, *range(90, 200, 10)]


def without_observations(found: dict[str, str]) -> dict[str, str]:
    """Drop the answers that list observations; the others must not change."""
    return {k: v for k, v in found.items() if not k.startswith(('observations', 'latest'))}


def without_rows(lines: bytes) -> list[bytes]:
    """Drop the observations of a dump."""
    return [x for x in lines.splitlines() if not x.startswith(b'{"kind":"observation"')]


@settings(max_examples=25, deadline=None)
@given(
    deltas=delta_sequences(),
    older_than_ns=st.integers(0, 10),
    every_ns=st.integers(1, 10),
)
def test_all_other_answers_are_as_before(
    deltas: tuple[FrameDelta, ...], older_than_ns: int, every_ns: int
) -> None:
    """As of every moment, on both sides of going on, of feeding, and of export and import."""
    policy = Retention(older_than_ns, every_ns)
    with quick_folder() as name:
        folder = Path(name)
        with (
            SqliteMemoryStore.open(folder / 'full.db') as full,
            SqliteMemoryStore.open(folder / 'thin.db') as thin,
            SqliteMemoryStore.open(folder / 'fed.db') as fed,
        ):
            half = len(deltas) // 2
            for delta in deltas[:half]:
                full.commit(delta)
                thin.commit(delta)
            thin.compact(policy)
            for delta in deltas[half:]:
                full.commit(delta)
                thin.commit(delta)
            report = thin.compact(policy)
            feed_memory(thin, fed)
            export_memory(thin, folder / 'thin.jsonl')
            import_memory(folder / 'thin.jsonl', folder / 'back.db')

            kept = 0
            for delta in deltas:
                at = moment_of(delta.frame)
                expected = without_observations(answers(full, at))
                assert without_observations(answers(thin, at)) == expected
                assert answers(fed, at) == answers(thin, at)
                for who in OBJECTS:
                    for camera in CAMERAS:
                        span = (at.stamp_ns - 4, at.stamp_ns)
                        count = full.num_confirmed(who, camera, span, at)
                        assert thin.num_confirmed(who, camera, span, at) == count
            assert without_rows(dump(thin)) == without_rows(dump(full))
            for who in OBJECTS:
                for epoch in thin.epochs():
                    end = Moment(epoch, 2**63 - 1)
                    few, many = thin.observations(who, end), full.observations(who, end)
                    kept += len(few)
                    assert set(map(repr, few)) <= set(map(repr, many))
                    assert few[-1:] == many[-1:], 'the newest measurement always stays'
            assert report.num_observations - report.num_thinned == kept
            with SqliteMemoryStore.open(folder / 'back.db') as back:
                assert dump(back) == dump(fed) == dump(thin)


def test_file_gets_smaller_and_is_whole(tmp_path: Path) -> None:
    """The space goes back to the system."""
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        watched(store, num_frames=3000)
    before = path.stat().st_size
    with SqliteMemoryStore.open(path) as store:
        report = store.compact(Retention(0, 1000))
        assert report.num_thinned == 3000 - 31  # the first, and the lasts of 30 pieces
        check = store._writing()._medium.connection.execute('PRAGMA integrity_check')
        assert check.fetchall() == [('ok',)]
    assert path.stat().st_size < 0.75 * before


@pytest.mark.parametrize(('older_than_ns', 'every_ns'), [(-1, 10), (0, 0), (0, -5)])
def test_policy_that_is_none_is_refused(older_than_ns: int, every_ns: int) -> None:
    """What was given is in the message."""
    with pytest.raises(ValueError, match=r'expected .* got -?\d'):
        Retention(older_than_ns, every_ns)


def test_memory_that_is_only_read_is_not_thinned(tmp_path: Path) -> None:
    """A reader never writes."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        watched(store)
    with SqliteMemoryStore.open(tmp_path / 'm.db', read_only=True) as store:
        with pytest.raises(StoreError, match='opened read-only'):
            store.compact(Retention(0, 100))


def test_full_disk_while_thinning_loses_nothing(tmp_path: Path) -> None:
    """One line, and a whole memory; with room it goes on."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        watched(store, num_frames=2000)
        before = answers(store, None)
        connection = store._writing()._medium.connection
        (num_pages,) = connection.execute('PRAGMA page_count').fetchone()
        connection.execute(f'PRAGMA max_page_count = {num_pages}')

        with pytest.raises(StoreError, match=r'm\.db: cannot be thinned: .* full'):
            store.compact(Retention(0, 10_000))

        assert answers(store, None) == before
        connection.execute('PRAGMA max_page_count = 1000000')
        assert store.compact(Retention(0, 10_000)).num_thinned == 1997


@pytest.mark.parametrize('run', range(5))
def test_killed_while_thinning_is_a_whole_memory(tmp_path: Path, run: int) -> None:
    """Whatever was thinned by then, all but the observations is there."""
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        for seq in range(300):
            store.commit(delta_of(seq))
        expected = without_rows(dump(store))
    code = (
        'import sys; from st_memory.storage import Retention, SqliteMemoryStore\n'
        'store = SqliteMemoryStore.open(sys.argv[1]); print("open", flush=True)\n'
        'for every in range(1, 400):\n'
        '    store.compact(Retention(0, every * 1000))\n'
    )
    command = [sys.executable, '-c', code, str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        deadline = time.monotonic() + float(np.random.default_rng(run).uniform(0.0, 0.15))
        while time.monotonic() < deadline and child.poll() is None:
            pass
        child.send_signal(signal.SIGKILL)

    with SqliteMemoryStore.open(path) as store:
        assert without_rows(dump(store)) == expected
        store.commit(delta_of(300))


def test_server_is_thinned_alike(tmp_path: Path, new_memory: Callable[[], str]) -> None:
    """The same rows go in PostgreSQL."""
    with (
        SqliteMemoryStore.open(tmp_path / 'm.db') as file,
        open_memory(new_memory()) as server,
    ):
        for store in (file, server):
            watched(store)
            assert store.compact(Retention(50, 40)) == store.compact(Retention(50, 40))._replace(
                num_observations=20, num_thinned=20 - len(stamps(store))
            )
        assert dump(server) == dump(file)

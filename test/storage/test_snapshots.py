"""Copies of a memory: complete, as of one moment, and only where they may be."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.stamps import Moment
from st_memory.storage import dump, SqliteMemoryStore
from st_memory.storage.snapshots import checkpoint_file, snapshot_path, write_snapshot
from test.storage.crash_writer import delta_of


def written(path: Path, num_frames: int = 10) -> SqliteMemoryStore:
    store = SqliteMemoryStore.open(path)
    for seq in range(num_frames):
        store.commit(delta_of(seq))
    return store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / 'snapshots'
    made.mkdir()
    return made


def test_snapshot_is_a_complete_copy_that_can_be_gone_on_with(
    tmp_path: Path, folder: Path
) -> None:
    with written(tmp_path / 'memory.db') as store:
        made = write_snapshot(store, snapshot_path(folder, 'copy.db'))
        before = dump(store)
        store.commit(delta_of(10))  # the memory goes on

    assert made.path == folder / 'copy.db'
    content = made.path.read_bytes()
    assert (made.num_bytes, made.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    with SqliteMemoryStore.open(made.path) as copy:
        assert dump(copy) == before
        copy.commit(delta_of(10))
    assert [p.name for p in folder.iterdir()] == ['copy.db']


@pytest.mark.parametrize('num_frames', [1, 4, 10])
def test_snapshot_as_of_a_time_holds_nothing_later(
    tmp_path: Path, folder: Path, num_frames: int
) -> None:
    with written(tmp_path / 'memory.db') as store:
        at = Moment(0, delta_of(num_frames - 1).frame.stamp_ns)
        made = write_snapshot(store, snapshot_path(folder, 'copy.db'), at)
    with (
        written(tmp_path / 'short.db', num_frames) as short,
        SqliteMemoryStore.open(made.path, read_only=True) as copy,
    ):
        assert copy.now() == at
        assert copy.objects_at() == short.objects_at()
        for state in short.objects_at():
            name = state.object_id
            assert copy.intervals(name) == short.intervals(name)
            assert copy.observations(name) == short.observations(name)


def test_checkpoint_empties_the_log_into_the_file(tmp_path: Path) -> None:
    with written(tmp_path / 'memory.db') as store:
        made = checkpoint_file(store)
        assert (made.path, made.sha256) == (tmp_path / 'memory.db', '')
        # The file alone holds everything now: read it without its log.
        alone = tmp_path / 'alone.db'
        alone.write_bytes((tmp_path / 'memory.db').read_bytes())
        with SqliteMemoryStore.open(alone) as copy:
            assert dump(copy) == dump(store)


@pytest.mark.parametrize(
    'asked',
    [
        '',
        '.',
        '..',
        '../copy.db',
        'sub/../../copy.db',
        '/etc/copy.db',
        'copy\0.db',
        'copy\n.db',
        'x' * 1001,
        'none/copy.db',
        'outside/copy.db',
        'link.db',
        'taken.db',
        'circle/copy.db',
        'taken.db/copy.db',
    ],
)
def test_snapshot_outside_its_folder_or_over_something_is_refused(
    folder: Path, tmp_path: Path, asked: str
) -> None:
    (folder / 'outside').symlink_to(tmp_path)
    (folder / 'link.db').symlink_to(tmp_path / 'new.db')
    (folder / 'circle').symlink_to(folder / 'circle')
    (folder / 'taken.db').write_text('mine')
    before = sorted(os.listdir(tmp_path))

    with pytest.raises(StoreError, match=r'^snapshot: ') as caught:
        snapshot_path(folder, asked)

    assert '\n' not in str(caught.value)
    assert sorted(os.listdir(tmp_path)) == before
    assert (folder / 'taken.db').read_text() == 'mine'


def test_snapshot_without_a_configured_folder_is_refused() -> None:
    with pytest.raises(StoreError, match='no folder is configured'):
        snapshot_path('', 'copy.db')


@pytest.mark.parametrize('is_file', [False, True])
def test_snapshot_folder_that_is_none_is_refused(tmp_path: Path, is_file: bool) -> None:
    place = tmp_path / 'place'
    if is_file:
        place.write_text('')
    with pytest.raises(StoreError, match=r'^snapshot: '):
        snapshot_path(place, 'copy.db')


def test_absolute_path_below_the_folder_is_accepted(folder: Path) -> None:
    assert snapshot_path(folder, str(folder / 'copy.db')) == folder / 'copy.db'


def test_file_that_comes_to_be_there_meanwhile_is_not_replaced(
    tmp_path: Path, folder: Path
) -> None:
    place = snapshot_path(folder, 'copy.db')
    place.write_text('mine')
    with (
        written(tmp_path / 'memory.db') as store,
        pytest.raises(StoreError, match=r'copy.db: cannot be written: File exists'),
    ):
        write_snapshot(store, place)

    assert place.read_text() == 'mine'
    assert [p.name for p in folder.iterdir()] == ['copy.db']


def test_snapshot_in_a_folder_that_is_gone_is_one_line(tmp_path: Path, folder: Path) -> None:
    place = snapshot_path(folder, 'copy.db')
    folder.rmdir()
    with written(tmp_path / 'memory.db') as store, pytest.raises(StoreError, match='cannot be'):
        write_snapshot(store, place)

"""What is not a memory file is refused in one line and left as it was."""

from __future__ import annotations

from contextlib import closing
import os
from pathlib import Path
import sqlite3
import tempfile

import pytest

from st_memory.core.errors import SchemaVersionError, StMemoryError, StoreError
from st_memory.storage import inspect, SqliteMemoryStore
from st_memory.storage.opening import check_writable
from test.contracts.memory_store import frame, track


def refusal(path: Path, *, read_only: bool = False) -> str:
    """Open a file that must be refused; give the message."""
    before = path.read_bytes() if path.is_file() else None
    beside = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    with pytest.raises(StMemoryError, match=r'.') as caught:
        SqliteMemoryStore.open(path, read_only=read_only)

    assert '\n' not in str(caught.value)
    assert str(path) in str(caught.value)
    if before is not None:
        assert path.read_bytes() == before, 'a file that is not ours must stay as it was'
    if beside:
        assert sorted(path.parent.iterdir()) == beside, 'nothing may be left beside it'
    return f'{type(caught.value).__name__}: {caught.value}'


def memory_file(path: Path) -> Path:
    """Make a memory with one frame and close it."""
    with SqliteMemoryStore.open(path) as store:
        store.commit(frame(0, 10, tracks=track()))
    return path


@pytest.mark.parametrize('read_only', [False, True])
@pytest.mark.parametrize('content', [b'not a database', b'x' * 5000, b'SQLite format 3\x00' * 9])
def test_open_text_file_is_refused(tmp_path: Path, content: bytes, read_only: bool) -> None:
    """Any other file is no memory."""
    path = tmp_path / 'notes.txt'
    path.write_bytes(content)

    assert 'StoreError' in refusal(path, read_only=read_only)


@pytest.mark.parametrize('read_only', [False, True])
@pytest.mark.parametrize('mode', ['WAL', 'DELETE'])
def test_open_database_of_another_program_is_refused(
    tmp_path: Path, mode: str, read_only: bool
) -> None:
    """A database with tables of its own is somebody else's."""
    path = tmp_path / 'other.db'
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f'PRAGMA journal_mode = {mode}')
        connection.execute('CREATE TABLE notes (text)')
        connection.commit()

    with pytest.raises(StoreError, match='database of another program'):
        SqliteMemoryStore.open(path, read_only=read_only)


def test_open_database_of_another_program_leaves_it_as_it_was(tmp_path: Path) -> None:
    """Not even the journal mode of a strange file changes."""
    path = tmp_path / 'other.db'
    with closing(sqlite3.connect(path)) as connection:
        connection.execute('CREATE TABLE notes (text)')
        connection.commit()

    assert 'another program' in refusal(path)


def test_open_later_schema_is_refused(tmp_path: Path) -> None:
    """A file of a later version is named as such and stays as it was."""
    path = memory_file(tmp_path / 'memory.db')
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO migration VALUES (99, '0099_from_the_future', '9.9')")
        connection.commit()

    message = refusal(path)

    assert message.startswith('SchemaVersionError')
    assert "found '0099_from_the_future'" in message
    with pytest.raises(SchemaVersionError, match='too old for this file'):
        SqliteMemoryStore.open(path, read_only=True)


def test_open_missing_file_for_reading_is_refused(tmp_path: Path) -> None:
    """Reading makes no file."""
    assert 'no such file' in refusal(tmp_path / 'none.db', read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_open_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """The message names the folder."""
    assert 'does not exist' in refusal(tmp_path / 'none' / 'memory.db')


def test_open_folder_is_refused(tmp_path: Path) -> None:
    """A folder is no file."""
    (tmp_path / 'folder').mkdir()

    assert 'found a folder' in refusal(tmp_path / 'folder')


def test_open_empty_file_makes_a_memory_of_it(tmp_path: Path) -> None:
    """A file of no bytes is what a crash at the very start leaves."""
    path = tmp_path / 'memory.db'
    path.touch()

    assert 'found an empty one' in refusal(path, read_only=True)
    memory_file(path)

    assert inspect(path).counts['frame'] == 1


def test_open_damaged_file_is_one_line(tmp_path: Path) -> None:
    """A memory whose pages were overwritten says so."""
    path = memory_file(tmp_path / 'memory.db')
    content = bytearray(path.read_bytes())
    content[100:] = b'\xff' * (len(content) - 100)
    path.write_bytes(content)

    assert 'StoreError' in refusal(path)


def test_open_with_an_unknown_synchronous_is_refused(tmp_path: Path) -> None:
    """The two words are named."""
    with pytest.raises(ValueError, match="expected 'normal' or 'full', got 'off'"):
        SqliteMemoryStore.open(tmp_path / 'memory.db', synchronous='off')


@pytest.mark.parametrize(('word', 'number'), [('normal', 1), ('full', 2)])
def test_synchronous_reaches_the_writer(tmp_path: Path, word: str, number: int) -> None:
    """The parameter is what SQLite is told."""
    with SqliteMemoryStore.open(tmp_path / 'memory.db', synchronous=word) as store:
        writer = store._writing()._medium.connection

        assert writer.execute('PRAGMA synchronous').fetchone() == (number,)
        assert writer.execute('PRAGMA journal_mode').fetchone() == ('wal',)


def test_name_with_marks_is_taken_literally(tmp_path: Path) -> None:
    """A file name is no URI."""
    path = memory_file(tmp_path / 'a?mode=ro&b#c %41;é.db')

    assert path.exists()
    assert inspect(path).counts['frame'] == 1


def as_nobody(work: object) -> str:
    """Run a function in a child process without rights; give what it raised as text."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        answer = 'the child failed'
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            work()  # type: ignore[operator]
            answer = 'no error'
        except StMemoryError as err:
            answer = f'{type(err).__name__}: {err}'
        finally:  # whatever happened, the copy of the test run must not go on
            os.write(writer, answer.encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding='utf-8') as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return answer


@pytest.fixture
def readable_folder(tmp_path: Path) -> Path:
    """Give a folder that anybody may read and nobody but root may write."""
    above = Path(tempfile.gettempdir())
    for parent in (tmp_path, *tmp_path.parents):
        if parent.is_relative_to(above) and parent != above:
            parent.chmod(0o755)
    folder = tmp_path / 'shelf'
    folder.mkdir()
    memory_file(folder / 'memory.db')
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    return folder


def test_open_in_a_read_only_folder_is_refused(readable_folder: Path) -> None:
    """The reason is the system's."""
    path = readable_folder / 'memory.db'

    answer = as_nobody(lambda: SqliteMemoryStore.open(path))

    assert answer == f'StoreError: {path}: cannot be opened for writing: Permission denied'


def test_memory_in_a_read_only_folder_can_be_read(readable_folder: Path) -> None:
    """A memory on a read-only medium answers."""

    def read() -> None:
        with SqliteMemoryStore.open(readable_folder / 'memory.db', read_only=True) as store:
            raise StMemoryError(str(store.now()))

    assert as_nobody(read) == 'StMemoryError: epoch 0, 0.00000001 s'


def test_read_only_file_in_a_writable_folder_is_refused(readable_folder: Path) -> None:
    """A file that may only be read refuses when it is opened, not at the first frame."""
    readable_folder.chmod(0o777)
    path = readable_folder / 'memory.db'

    answer = as_nobody(lambda: SqliteMemoryStore.open(path))

    assert answer == f'StoreError: {path}: cannot be opened for writing: the file is read-only'


@pytest.mark.parametrize('read_only', [False, True])
@pytest.mark.parametrize('kind', ['folder', 'mcap', 'db3'])
def test_open_recording_says_what_makes_a_memory_of_it(
    tmp_path: Path, kind: str, read_only: bool
) -> None:
    """A recording is what newcomers have at hand; it stays as it was."""
    path = tmp_path / 'walk'
    if kind == 'folder':
        path.mkdir()
        (path / 'metadata.yaml').write_text('rosbag2_bagfile_information:\n')
    elif kind == 'mcap':
        path.write_bytes(b'\x89MCAP0\r\n' + bytes(40))
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute('CREATE TABLE topics (id INTEGER)')
            connection.execute('CREATE TABLE messages (id INTEGER)')
            connection.commit()

    said = 'expected a memory file, found a recording; st_memory replay makes a memory of it'
    with pytest.raises(StoreError, match=f'^{path}: {said}$'):
        SqliteMemoryStore.open(path, read_only=read_only)
    assert [p.name for p in tmp_path.iterdir()] == ['walk']


def test_check_writable_refuses_what_another_writer_holds_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    """It is the quick look before everything that an edit needs is loaded."""
    path = memory_file(tmp_path / 'memory.db')
    check_writable(path)
    assert [p.name for p in tmp_path.iterdir()] == ['memory.db']

    with SqliteMemoryStore.open(path):
        with pytest.raises(StoreError, match='a node that writes it takes edits itself'):
            check_writable(path)
    with pytest.raises(StoreError, match='no such file'):
        check_writable(tmp_path / 'none.db')

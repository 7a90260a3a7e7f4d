"""What leaves a memory comes back without loss, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import importlib.util
import json
from pathlib import Path
import shutil
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import MissingExtraError, StMemoryError, StoreError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import FrameOrigin, StoredFrame
from st_memory.core.records import Fixture, FrameDelta, Scene, ScenePart
from st_memory.storage import (
    dump,
    export_memory,
    feed_memory,
    import_memory,
    InMemoryStore,
    is_same_scene,
    open_memory,
    SqliteMemoryStore,
)
from st_memory.storage.delta_checks import moment_of
from test.contracts.memory_store import frame, interval, look, placement, seen, track
from test.storage.delta_strategies import answers, delta_sequences, quick_folder
from test.storage.schemas import make_v3

NEEDS_PYARROW = pytest.mark.skipif(
    importlib.util.find_spec('pyarrow') is None, reason='needs pyarrow (extra parquet)'
)
ENDINGS = ['.jsonl', pytest.param('.parquet', marks=NEEDS_PYARROW)]


def scene() -> Scene:
    """Build a scene of one part and one fixture, in numbers that have no short decimal form."""
    vertices = np.array([[0.1, -0.0, 1e-300], [1 / 3, 0, 0], [0, 1, 0]])
    part = ScenePart('door ä', 'cupboard', 'hinge', vertices, np.array([[0, 1, 2]], np.int32))
    pose = RigidTransform(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, -0.5, 0.5]))
    return Scene((part,), (Fixture('cupboard', 'cupboard', pose, (1.0, 0.5, 2.0), True),))


def filled(path: Path, robot_id: str | None = None) -> Path:
    """Make a memory with rows of every kind, two epochs, two robots and a thinned observation."""
    with SqliteMemoryStore.open(path, robot_id=robot_id) as store:
        make_v3.fill(store)
        store.put_scene(scene())
    return path


@settings(max_examples=20, deadline=None)
@given(deltas=delta_sequences())
@pytest.mark.parametrize('ending', ENDINGS)
def test_memory_comes_back_without_loss(ending: str, deltas: tuple[FrameDelta, ...]) -> None:
    """Same dump, same answers as of every moment, same names of frames."""
    with quick_folder() as folder:
        out, back = Path(folder) / f'm{ending}', Path(folder) / 'back.db'
        with SqliteMemoryStore.open(Path(folder) / 'm.db') as store:
            for delta in deltas:
                store.commit(delta)
            assert export_memory(store, out) == len(deltas)
            assert import_memory(out, back) == len(deltas)
            with SqliteMemoryStore.open(back, read_only=True) as again:
                assert dump(again) == dump(store)
                assert again.checkpoint() == store.checkpoint()
                for delta in deltas:
                    moment = moment_of(delta.frame)
                    assert answers(again, moment) == answers(store, moment)
                    name = store.frame_at(delta.frame.seq)
                    assert again.frame_at(delta.frame.seq) == name is not None
        assert not list(Path(folder).glob('.st_memory_*')), 'no draft may be left'


@pytest.mark.parametrize('ending', ENDINGS)
def test_scene_origins_and_thinned_rows_come_back(tmp_path: Path, ending: str) -> None:
    """What is not of the fold comes back as well, and so does what was exported of that."""
    with SqliteMemoryStore.open(filled(tmp_path / 'm.db')) as store:
        export_memory(store, tmp_path / f'm{ending}')
        import_memory(tmp_path / f'm{ending}', tmp_path / 'back.db')
        with SqliteMemoryStore.open(tmp_path / 'back.db') as back:
            assert dump(back) == dump(store)
            assert is_same_scene(back.scene(), scene())
            ours, theirs = list(store.deltas_after(-1)), list(back.deltas_after(-1))
            assert [s.origin for s in ours] == [s.origin for s in theirs]
            assert [s.thinned for s in ours] == [s.thinned for s in theirs]
            assert any(s.thinned for s in theirs)
            back.commit(frame(6, 9, epoch=1))


@pytest.mark.parametrize('ending', ENDINGS)
def test_strings_and_numbers_come_back_bit_by_bit(tmp_path: Path, ending: str) -> None:
    """Hostile strings, ends of int64 and the smallest floats."""
    text = 'a\x00b\n"\\; DROP TABLE text;-- 猫 \u2028 ../..'
    rows = track(object_id=text, label=text, world_p=(5e-324, -0.0, 1.7976931348623157e308))
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        store.commit(frame(0, -(2**63), tracks=rows))
        store.commit(frame(1, 2**63 - 1, tracks=track(object_id=text, last_seen_ns=-(2**63))))
        export_memory(store, tmp_path / f'm{ending}')
        import_memory(tmp_path / f'm{ending}', tmp_path / 'back.db')
        with SqliteMemoryStore.open(tmp_path / 'back.db') as back:
            assert dump(back) == dump(store)
            assert repr(back.object_at(text)) == repr(store.object_at(text))


@pytest.mark.parametrize('ending', ENDINGS)
def test_empty_memory_comes_back(tmp_path: Path, ending: str) -> None:
    """A memory of nothing is one too."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        assert export_memory(store, tmp_path / f'm{ending}') == 0
    assert import_memory(tmp_path / f'm{ending}', tmp_path / 'back.db') == 0
    with SqliteMemoryStore.open(tmp_path / 'back.db', read_only=True) as back:
        assert dump(back) == b''


def refusal(path: Path, db: Path) -> str:
    """Import what must be refused; give the line."""
    beside = sorted(db.parent.iterdir())
    with pytest.raises(StMemoryError, match=r'.') as caught:
        import_memory(path, db)
    assert '\n' not in str(caught.value)
    assert str(path) in str(caught.value)
    assert sorted(db.parent.iterdir()) == beside, 'nothing may be half imported'
    return str(caught.value)


def exported(tmp_path: Path, ending: str) -> Path:
    """Export a filled memory."""
    with SqliteMemoryStore.open(filled(tmp_path / 'm.db'), read_only=True) as store:
        export_memory(store, tmp_path / f'm{ending}')
    return tmp_path / f'm{ending}'


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_file_cut_short_anywhere_is_refused(data: st.DataObject) -> None:
    """Wherever the copy broke off, one line says so."""
    with quick_folder() as name:
        path = exported(Path(name), '.jsonl')
        content = path.read_bytes()
        path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])

        line = refusal(path, Path(name) / 'back.db')

        assert line.startswith(f'{path}: line ')
        assert line.endswith('the file is cut short')


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_file_with_one_byte_changed_is_refused(data: st.DataObject) -> None:
    """Any other byte anywhere is found."""
    with quick_folder() as name:
        path = exported(Path(name), '.jsonl')
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)

        assert str(path) in refusal(path, Path(name) / 'back.db')


@NEEDS_PYARROW
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_folder_with_one_byte_changed_cut_or_missing_is_refused(data: st.DataObject) -> None:
    """The digests of the manifest find it, and the line names the file."""
    with quick_folder() as name:
        folder = exported(Path(name), '.parquet')
        path = data.draw(st.sampled_from(sorted(folder.glob('*.parquet'))))
        content = bytearray(path.read_bytes())
        how = data.draw(st.sampled_from(['change', 'cut', 'remove']))
        at = data.draw(st.integers(0, len(content) - 1))
        if how == 'change':
            content[at] ^= 255
        path.write_bytes(content[:at] if how == 'cut' else content)
        if how == 'remove':
            path.unlink()

        assert str(path) in refusal(folder, Path(name) / 'back.db')


def rewritten(path: Path, number: int, change: Callable[[dict], object]) -> None:
    """Change a line and make the end fit: only what the line says is wrong then."""
    import hashlib

    lines = path.read_text(encoding='utf-8').splitlines()
    content = json.loads(lines[number])
    change(content)
    lines[number] = json.dumps(content)
    body = ''.join(line + '\n' for line in lines[:-1])
    end = {**json.loads(lines[-1]), 'sha256': hashlib.sha256(body.encode()).hexdigest()}
    path.write_text(body + json.dumps(end) + '\n', encoding='utf-8')


@pytest.mark.parametrize(
    ('number', 'change', 'reason'),
    [
        (0, lambda line: line.update(format=2), 'line 1: expected format 1, found 2'),
        (0, lambda line: line.update(kind='x'), 'line 1: expected the first line of an exported'),
        (1, lambda line: line.pop('vertices'), "line 2: 'vertices' is missing"),
        (1, lambda line: line.update(triangles=[[0, 1, 9]]), 'line 2: door ä: a triangle names'),
        (3, lambda line: line.update(kind='nonsense'), "line 4: expected 'frame', found"),
        (
            3,
            lambda line: line['delta']['tracks'][0]['state'].update(visibility='SEEN'),
            "line 4: expected a Visibility, found 'SEEN'",
        ),
        (
            3,
            lambda line: line['delta']['tracks'][0]['state'].update(world_p=[1.0, 2.0]),
            'line 4: expected a list of 3',
        ),
        (
            3,
            lambda line: line['delta']['frame'].update(stamp_ns='10'),
            "line 4: expected int, found '10'",
        ),
        (
            3,
            lambda line: line['delta']['frame'].update(epoch=True),
            "line 4: expected int, found 'True'",
        ),
        (3, lambda line: line['delta'].pop('looks'), 'line 4: expected FrameDelta'),
        (3, lambda line: line['delta']['frame'].update(seq=7), 'expected frame seq 0, got 7'),
        (
            3,
            lambda line: line['delta']['tracks'][0]['state'].update(position_sigma_m=float('nan')),
            'expected finite numbers',
        ),
        (3, lambda line: line['delta']['frame'].update(stamp_ns=2**70), 'expected a row of the'),
        (3, lambda line: line.update(thinned=[['a']]), 'line 4: expected a list of 2'),
    ],
)
def test_line_that_says_something_else_is_named(
    tmp_path: Path, number: int, change: Callable[[dict], object], reason: str
) -> None:
    """What was expected and what was found, with the number of the line."""
    path = exported(tmp_path, '.jsonl')
    rewritten(path, number, change)

    assert reason in refusal(path, tmp_path / 'back.db')


@NEEDS_PYARROW
@pytest.mark.parametrize(
    ('content', 'reason'),
    [
        ('{}', 'expected a folder that st_memory export wrote'),
        ('no json', 'expected a folder that st_memory export wrote'),
        (None, 'expected a folder that st_memory export wrote'),
    ],
)
def test_folder_without_its_manifest_is_refused(
    tmp_path: Path, content: str | None, reason: str
) -> None:
    """Any other folder is no memory."""
    folder = exported(tmp_path, '.parquet')
    (folder / 'manifest.json').unlink()
    if content is not None:
        (folder / 'manifest.json').write_text(content)

    assert reason in refusal(folder, tmp_path / 'back.db')


@NEEDS_PYARROW
def test_folder_of_a_later_format_is_refused(tmp_path: Path) -> None:
    """The format is named."""
    folder = exported(tmp_path, '.parquet')
    manifest = json.loads((folder / 'manifest.json').read_text())
    (folder / 'manifest.json').write_text(json.dumps({**manifest, 'format': 2}))

    assert 'expected format 1, found 2' in refusal(folder, tmp_path / 'back.db')


@NEEDS_PYARROW
def test_parquet_tables_can_be_read_by_others(tmp_path: Path) -> None:
    """Plain columns: who reads Parquet needs nothing of ours."""
    import pyarrow.parquet as pq

    folder = exported(tmp_path, '.parquet')

    intervals = pq.read_table(folder / 'intervals.parquet').to_pylist()
    states = pq.read_table(folder / 'tracks.parquet', columns=['label', 'world_p']).to_pylist()

    assert intervals[0]['object_id'] == 'cup_1'
    assert intervals[0]['state'] == 'VISIBLE'
    assert states[0] == {'label': 'cup', 'world_p': [0.1, -0.0, 1e-300]}


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to install, and nothing is left behind."""
    for name in list(sys.modules):
        if name.startswith(('pyarrow', 'st_memory.storage.parquet')):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, 'pyarrow', None)

    with pytest.raises(MissingExtraError, match=r'st_memory\[parquet\]'):
        export_memory(InMemoryStore(), tmp_path / 'm.parquet')
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('name', ['m.csv', 'm', 'm.jsonl.gz'])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    """The two that there are, are named."""
    with pytest.raises(StoreError, match=r'ends in \.jsonl or \.parquet'):
        export_memory(InMemoryStore(), tmp_path / name)


@pytest.mark.parametrize('ending', ENDINGS)
def test_what_is_there_is_replaced_only_when_told(tmp_path: Path, ending: str) -> None:
    """Neither an export nor a memory is overwritten by accident."""
    out = exported(tmp_path, ending)
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        with pytest.raises(StoreError, match='is there already'):
            export_memory(store, out)
        store.commit(frame(6, 9, epoch=1))
        assert export_memory(store, out, overwrite=True) == 7
    with pytest.raises(StoreError, match='is there already'):
        import_memory(out, tmp_path / 'm.db')
    assert import_memory(out, tmp_path / 'm.db', overwrite=True) == 7


def test_import_over_what_is_no_memory_is_refused(tmp_path: Path) -> None:
    """A memory being written, or a strange file, is not replaced."""
    out = exported(tmp_path, '.jsonl')
    (tmp_path / 'notes.txt').write_text('mine')

    with pytest.raises(StoreError, match='not a database'):
        import_memory(out, tmp_path / 'notes.txt', overwrite=True)
    with SqliteMemoryStore.open(tmp_path / 'm.db'):
        with pytest.raises(StoreError, match='another writer has this memory open'):
            import_memory(out, tmp_path / 'm.db', overwrite=True)

    assert (tmp_path / 'notes.txt').read_text() == 'mine'


def test_places_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    """Missing files and folders are named."""
    assert 'No such file' in refusal(tmp_path / 'none.jsonl', tmp_path / 'back.db')
    with pytest.raises(StoreError, match='does not exist'):
        export_memory(InMemoryStore(), tmp_path / 'none' / 'm.jsonl')


def test_export_to_where_nobody_may_write_is_one_line() -> None:
    """The reason is the system's; not even root makes files in /proc."""
    with pytest.raises(StoreError, match=r'^/proc/m\.jsonl: cannot be written: '):
        export_memory(InMemoryStore(), Path('/proc/m.jsonl'))


# -- feeding -------------------------------------------------------------------------------


def test_copy_is_fed_with_what_it_lacks_alone(tmp_path: Path) -> None:
    """Feeding again brings nothing; later frames and a later scene come when they are there."""
    with (
        SqliteMemoryStore.open(filled(tmp_path / 'm.db')) as source,
        SqliteMemoryStore.open(tmp_path / 'copy.db') as copy,
    ):
        assert feed_memory(source, copy) == 6
        assert feed_memory(source, copy) == 0
        source.commit(
            frame(
                6, 20, epoch=1, tracks=track(epoch=1), looks=(look(20, epoch=1),),
                intervals=(interval(20, epoch=1),),
            )
        )  # fmt: skip
        source.put_scene(Scene())

        assert feed_memory(source, copy) == 1
        assert dump(copy) == dump(source)
        assert copy.scene().parts == ()
        assert copy.frame_at(6) == source.frame_at(6)


def test_copy_of_another_memory_is_refused(tmp_path: Path) -> None:
    """Same number, other robot: not the same frame. A copy that is ahead is none either."""
    with (
        SqliteMemoryStore.open(tmp_path / 'a.db', robot_id='robot_a') as first,
        SqliteMemoryStore.open(tmp_path / 'b.db', robot_id='robot_b') as second,
    ):
        first.commit(frame(0, 10))
        second.commit(frame(0, 10))
        with pytest.raises(
            StoreError,
            match=r"its frame 0 is of robot 'robot_b' .*, the source has one that is of robot "
            "'robot_a' and was written in boot",
        ):
            feed_memory(first, second)
        second.commit(frame(1, 20))
        with pytest.raises(StoreError, match='the source has no such frame'):
            feed_memory(first, second)


def test_copy_that_went_on_by_itself_is_told_what_differs(tmp_path: Path) -> None:
    """One robot and one moment: it is the boots that differ, and nothing is said of the rest."""
    paths = [tmp_path / 'a.db', tmp_path / 'b.db']
    with SqliteMemoryStore.open(paths[0], robot_id='robot') as store:
        store.commit(frame(0, 10))
    shutil.copy(paths[0], paths[1])
    for path in paths:
        with SqliteMemoryStore.open(path) as store:
            store.commit(frame(1, 20))

    with SqliteMemoryStore.open(paths[0]) as source, SqliteMemoryStore.open(paths[1]) as copy:
        boots = [store.frame_at(1).origin.boot_id for store in (copy, source)]
        with pytest.raises(StoreError) as refused:
            feed_memory(source, copy)

    assert str(refused.value) == (
        'the copy is of another memory, or went on by itself since it was one: its frame 1 was '
        f'written in boot {boots[0]}, the source has one that was written in boot {boots[1]}'
    )


def test_feeding_that_breaks_off_is_gone_on_with(tmp_path: Path) -> None:
    """What came before the break stays; the next feeding ends it."""
    frames = [
        StoredFrame(
            FrameOrigin('r', 'b'),
            frame(n, 10 * n, observations=(seen(10 * n),), placements=(placement(10 * n),)),
        )
        for n in range(1200)
    ]

    class Broken(InMemoryStore):
        """Breaks off after 700 frames."""

        def deltas_after(self, seq: int) -> Iterator[StoredFrame]:
            for number, stored in enumerate(super().deltas_after(seq)):
                if number == 700 and seq == -1:
                    raise StoreError('the link is down')
                yield stored

    source = Broken()
    for stored in frames:
        source.restore(stored)
    with SqliteMemoryStore.open(tmp_path / 'copy.db') as copy:
        with pytest.raises(StoreError, match='the link is down'):
            feed_memory(source, copy)
        assert copy.checkpoint().frame.seq == 499
        assert feed_memory(source, copy) == 700
        assert dump(copy) == dump(source)


def test_failed_batch_leaves_nothing_behind(tmp_path: Path) -> None:
    """A batch is one transaction; the batch without the bad frame is taken afterwards."""
    good = [StoredFrame(FrameOrigin('r', 'b'), frame(n, n, tracks=track())) for n in range(3)]
    bad = StoredFrame(FrameOrigin('r', 'b'), frame(9, 9))
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        with pytest.raises(StoreError, match='expected frame seq 3, got 9'):
            store.restore_all([*good, bad])
        assert store.now() is None
        assert store.restore_all(good) == 3


def test_open_memory_takes_a_file(tmp_path: Path) -> None:
    """Whatever is no address of a server is a file."""
    with open_memory(tmp_path / 'm.db', robot_id='robot_7') as store:
        store.commit(frame(0, 10))
        assert store.frame_at(0).origin.robot_id == 'robot_7'
        assert store.frame_at(1) is store.frame_at(-1) is None
    with open_memory(str(tmp_path / 'm.db'), read_only=True) as store:
        with pytest.raises(StoreError, match='opened read-only'):
            store.commit(frame(1, 20))


def test_open_memory_without_psycopg_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address of a server needs the extra."""
    monkeypatch.setitem(sys.modules, 'psycopg', None)

    with pytest.raises(MissingExtraError, match=r'st_memory\[fleet\]'):
        open_memory('postgresql://host/db')

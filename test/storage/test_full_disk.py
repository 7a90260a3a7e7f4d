"""A disk that is full, as the system says it: no frame that was acknowledged is lost."""

from __future__ import annotations

from pathlib import Path
import re
import subprocess
import sys

import pytest

from st_memory.storage import dump, InMemoryStore, SqliteMemoryStore
from test.storage.crash_writer import delta_of

ROOT = Path(__file__).parents[2]

# No file of the process may grow beyond a size; a write beyond it fails as on a full disk.
_LIMITED = """
import resource, sys
from st_memory.core.errors import StMemoryError
from st_memory.storage import {imports}
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
try:
{body}
except StMemoryError as error:
    print('refused:', error)
"""
_WRITE = """
    from test.storage.crash_writer import delta_of
    store = SqliteMemoryStore.open(sys.argv[1])
    for seq in range(100_000):
        store.commit(delta_of(seq))
        print(seq, flush=True)
"""
_EXPORT = """
    with SqliteMemoryStore.open(sys.argv[1], read_only=True) as store:
        export_memory(store, Path(sys.argv[2]))
"""
_IMPORT = """
    import_memory(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def run(imports: str, body: str, limit: int, *words: Path) -> list[str]:
    """Run a script whose files must stay small; give the lines that it printed."""
    code = _LIMITED.format(imports=imports, limit=limit, body=body)
    done = subprocess.run(
        [sys.executable, '-c', f'from pathlib import Path{code}', *map(str, words)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


@pytest.mark.parametrize('limit', [60_000, 300_000, 1_000_000])
def test_writer_on_a_full_disk_keeps_every_acknowledged_frame(tmp_path: Path, limit: int) -> None:
    """One line says what could not be written; all before it is there, and it goes on later."""
    path = tmp_path / 'm.db'

    *acknowledged, refusal = run('SqliteMemoryStore', _WRITE, limit, path)

    assert refusal.startswith(f'refused: {path}: cannot ')
    with SqliteMemoryStore.open(path) as store:
        expected = InMemoryStore()
        for seq in range(len(acknowledged)):
            expected.commit(delta_of(seq))
        assert dump(store) == dump(expected)
        store.commit(delta_of(len(acknowledged)))


@pytest.mark.parametrize('ending', ['jsonl', 'parquet'])
def test_export_on_a_full_disk_leaves_nothing(tmp_path: Path, ending: str) -> None:
    """No half of an export is mistaken for one."""
    if ending == 'parquet':
        pytest.importorskip('pyarrow', reason='needs pyarrow (extra parquet)')
    path = tmp_path / 'm.db'
    with SqliteMemoryStore.open(path) as store:
        for seq in range(300):
            store.commit(delta_of(seq))
    out = tmp_path / f'm.{ending}'
    limit = 20_000 if ending == 'jsonl' else 2_000
    imports = 'export_memory, SqliteMemoryStore'

    (refusal,) = run(imports, _EXPORT, limit, path, out)

    assert re.match(rf'refused: {re.escape(str(out))}: cannot be written: ', refusal)
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith('m.db')] == []


def test_import_on_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """The memory that was to be made is not there."""
    with SqliteMemoryStore.open(tmp_path / 'm.db') as store:
        for seq in range(300):
            store.commit(delta_of(seq))
    run(
        'export_memory, SqliteMemoryStore', _EXPORT, 10**9, tmp_path / 'm.db', tmp_path / 'm.jsonl'
    )

    (refusal,) = run('import_memory', _IMPORT, 50_000, tmp_path / 'm.jsonl', tmp_path / 'new.db')

    assert refusal.startswith(f'refused: {tmp_path / "new.db"}: cannot ')
    assert '.st_memory_' not in refusal
    assert [p.name for p in tmp_path.iterdir() if not p.name.startswith('m.')] == []

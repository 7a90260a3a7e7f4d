"""The record of a run."""

from __future__ import annotations

from dataclasses import asdict
import json
from pathlib import Path

import pytest

from st_memory import __version__
from st_memory.core.errors import BagError
from st_memory.core.memory import MemorySettings
from st_memory.replay import build_manifest, hash_source, replay
from st_memory.storage import InMemoryStore
from test.replay.walk import FIRST_NS, STEP_NS, WalkSource


def test_hash_source_of_a_file_is_its_sha256(tmp_path: Path) -> None:
    file = tmp_path / 'abc.mcap'
    file.write_bytes(b'abc')

    # FIPS 180-2, appendix B.1.
    assert hash_source(file) == 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'


def test_hash_source_of_a_folder_depends_on_names(tmp_path: Path) -> None:
    (tmp_path / 'a').mkdir()
    (tmp_path / 'a' / 'one').write_bytes(b'x')
    (tmp_path / 'b').mkdir()
    (tmp_path / 'b' / 'two').write_bytes(b'x')

    assert hash_source(tmp_path / 'a') != hash_source(tmp_path / 'b')


def test_hash_source_of_nothing_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(BagError, match=r'no\.mcap: expected a bag, there is no such file'):
        hash_source(tmp_path / 'no.mcap')


def test_build_manifest_at_the_start_is_incomplete() -> None:
    manifest = build_manifest('walk', 'ff', {'min_score': 0.2})

    assert not manifest.is_complete
    assert (manifest.num_frames, manifest.first, manifest.last) == (0, None, None)


def test_build_manifest_at_the_end_survives_json() -> None:
    report = replay(WalkSource(5), InMemoryStore(), MemorySettings())
    manifest = build_manifest('walk', 'ff', asdict(MemorySettings()), report)

    read = json.loads(json.dumps(asdict(manifest)))

    assert read['version'] == __version__
    assert read['is_complete'] is True
    assert read['num_frames'] == 5
    assert read['last'] == [0, FIRST_NS + 4 * STEP_NS]
    assert read['settings']['confirm_hits'] == MemorySettings().confirm_hits


@pytest.mark.parametrize('name', ['input_sha256', 'version', 'settings'])
def test_manifest_differs_from_names_what_differs(name: str) -> None:
    manifest = build_manifest('walk', 'ff', {'min_score': 0.2})
    earlier = json.loads(json.dumps(asdict(manifest)))

    assert manifest.differs_from(earlier) == ''
    assert manifest.differs_from({**earlier, name: 'other'}) == name

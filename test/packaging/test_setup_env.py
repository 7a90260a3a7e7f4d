"""The set-up script: what it skips, what it refuses, and in which words."""

from __future__ import annotations

from pathlib import Path
import sys
from types import ModuleType

import pytest

from test.packaging.setup_script import load


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, working on an empty folder."""
    module = load()
    monkeypatch.setattr(module, 'ROOT', tmp_path)
    monkeypatch.setattr(module, 'VENV', tmp_path / '.venv')
    monkeypatch.setattr(module, 'STAMPS', tmp_path / 'stamps')
    return module


def test_step_with_the_key_of_the_last_success_is_skipped(script: ModuleType) -> None:
    calls: list[str] = []
    for key in ('a', 'a', 'b', 'b'):
        script.step('name', key, calls.append, key)
    assert calls == ['a', 'b']


def test_step_that_failed_runs_again(script: ModuleType) -> None:
    def fail() -> None:
        raise script.SetupError('no')

    with pytest.raises(script.SetupError, match='no'):
        script.step('name', 'key', fail)
    calls: list[str] = []
    script.step('name', 'key', calls.append, 'again')
    assert calls == ['again']


def test_content_key_follows_contents_and_names(script: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / 'package'
    folder.mkdir()
    (folder / 'a').write_text('1')
    first = script.content_key([folder])
    (folder / 'a').write_text('2')
    changed = script.content_key([folder])
    (folder / 'a').write_text('1')
    assert script.content_key([folder]) == first != changed
    (folder / 'a').rename(folder / 'b')
    assert script.content_key([folder]) != first


@pytest.mark.parametrize('version', [(3, 9, 0), (3, 13, 0)])
def test_python_without_ros_wheels_is_refused(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    monkeypatch.setattr(sys, 'version_info', version)
    with pytest.raises(script.SetupError, match=r'Python 3\.10, 3\.11 or 3\.12 is needed'):
        script.require_python()


def test_missing_compiler_and_headers_are_named_with_their_packages(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(script.shutil, 'which', lambda name: None)
    monkeypatch.setattr(script.sysconfig, 'get_path', lambda name: str(tmp_path))
    expected = (
        r'^Python\.h and g\+\+ not found: install with "apt-get install python3\.\d+-dev g\+\+"$'
    )
    with pytest.raises(script.SetupError, match=expected):
        script.require_build_tools()


def test_missing_venv_module_is_named_with_its_package(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'ensurepip', None)
    with pytest.raises(script.SetupError, match=r'apt-get install python3\.\d+-venv'):
        script.create_environment()


def test_folder_that_is_no_environment_is_not_deleted(script: ModuleType) -> None:
    script.VENV.mkdir()
    (script.VENV / 'notes.txt').write_text('mine')
    with pytest.raises(script.SetupError, match='is not a Python environment: move it away'):
        script.create_environment()
    assert (script.VENV / 'notes.txt').read_text() == 'mine'


def test_sourced_ros_does_not_reach_the_environment(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PYTHONPATH', '/opt/ros/jazzy/lib/python3.12/site-packages')
    monkeypatch.setenv('AMENT_PREFIX_PATH', '/opt/ros/jazzy')
    env = script.clean_env()
    assert 'PYTHONPATH' not in env
    assert env['AMENT_PREFIX_PATH'] == str(script.VENV)


@pytest.mark.parametrize('version', ['310', '311', '312'])
def test_lock_file_pins_every_requirement_by_hash(version: str) -> None:
    script = load()
    text = (script.ROOT / 'requirements' / f'lock-py{version}.txt').read_text()
    pins = [line for line in text.splitlines() if '==' in line and not line.startswith(' ')]
    assert len(pins) > 100
    assert text.count('--hash=sha256:') >= len(pins)
    assert '://' not in text


def test_locked_ros_versions_are_the_same_for_every_python() -> None:
    folder = load().ROOT / 'requirements'
    versions = [
        {line.split()[0] for line in path.read_text().splitlines() if line.startswith('ros-')}
        for path in sorted(folder.glob('lock-py*.txt'))
    ]
    assert versions[0]
    assert all(found == versions[0] for found in versions)


def test_oracles_are_pinned_by_hash_for_every_python_and_machine() -> None:
    """They come without their requirements, so no resolver sees them."""
    script = load()
    text = (script.ROOT / 'requirements' / 'oracles.txt').read_text()
    pins = [line for line in text.splitlines() if '==' in line]
    assert pins
    assert text.count('--hash=sha256:') >= 6 * len(pins)
    assert '://' not in text
    locked = {pin.partition('==')[0] for pin in script.locked_pins()}
    assert not locked & {pin.partition('==')[0] for pin in pins}


def test_words_are_pinned_by_hash_and_nothing_is_pinned_twice() -> None:
    """As the oracles; a pin without a wheel for every machine says for which it is."""
    script = load()
    text = script.WORDS.read_text()
    entries = text.replace('\\\n', ' ').splitlines()
    pins = [line for line in entries if '==' in line]
    assert {pin.partition('==')[0] for pin in pins} >= {'wordllama', 'tokenizers', 'usearch'}
    assert all('--hash=sha256:' in pin for pin in pins)
    assert '://' not in text
    locked = {pin.partition('==')[0] for pin in script.locked_pins()}
    oracles = {line.partition('==')[0] for line in script.ORACLES.read_text().splitlines()}
    assert not (locked | oracles) & {pin.partition('==')[0] for pin in pins}

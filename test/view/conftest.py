"""Memories as files, and what shows them: in this process, or as the command does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import signal
import subprocess
import sys

import pytest

pytest.importorskip('starlette', reason='the extra "view" is not installed')
pytest.importorskip('uvicorn', reason='the extra "view" is not installed')

from st_memory.asking import MemoryFile
from st_memory.view.application import build_app
from test.view.browser import Browser, chromium_path
from test.view.client import Client
from test.view.memories import empty_file, evil_file, huge_file, story_file


@pytest.fixture(scope='session')
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give a file of each kind; for reading only."""
    folder = tmp_path_factory.mktemp('view')
    makers = {'story': story_file, 'empty': empty_file, 'evil': evil_file, 'huge': huge_file}
    return {name: make(folder / f'{name}.db') for name, make in makers.items()}


@pytest.fixture(scope='session')
def clients(files: dict[str, Path]) -> Iterator[dict[str, Client]]:
    """Give the application on each."""
    memories = {name: MemoryFile(path) for name, path in files.items()}
    yield {k: Client(build_app(m, f'{k}.db', 'map')) for k, m in memories.items()}
    for memory in memories.values():
        memory.close()


@pytest.fixture(scope='session')
def story(clients: dict[str, Client]) -> Client:
    """Give the application on the story."""
    return clients['story']


@pytest.fixture(scope='session')
def addresses(files: dict[str, Path]) -> Iterator[dict[str, str]]:
    """Give the address of each file's page, served as a person would serve it."""
    children = {}
    try:
        for name, path in files.items():
            command = [sys.executable, '-m', 'st_memory.cli', 'view', str(path), '--port', '0']
            children[name] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        yield {
            k: (c.stdout.readline() if c.stdout else '').split()[0] for k, c in children.items()
        }
    finally:
        for child in children.values():
            child.send_signal(signal.SIGINT)
        for child in children.values():
            child.communicate(timeout=30)


@pytest.fixture(scope='session')
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Give a headless Chromium, where there is one."""
    path = chromium_path()
    if path is None:
        pytest.skip('no Chromium on this machine (Debian: apt-get install chromium)')
    with Browser(path, tmp_path_factory.mktemp('chromium')) as opened:
        yield opened

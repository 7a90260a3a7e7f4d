"""The document about the web page: its commands run, and its addresses answer."""

from __future__ import annotations

from collections.abc import Iterator
import http.client
import json
from pathlib import Path
import re
import signal
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from docs.console import commands_in, run, scratch_folder
from st_memory.view.objects import FILTERS
from st_memory.view.questions import OPTIONS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs' / 'view.md').read_text(encoding='utf-8')
ADDRESSES = re.findall(r'^\| `(/api/\w+)` \| (.*?) \|', TEXT, re.MULTILINE)


@pytest.fixture(scope='module')
def port() -> Iterator[int]:
    """Run the commands as they stand, but for the port, and give it."""
    pytest.importorskip('starlette', reason='the extra "view" is not installed')
    pytest.importorskip('uvicorn', reason='the extra "view" is not installed')
    if not (ROOT / 'rosbag_fixtures' / 'kitchen_small.mcap').exists():
        pytest.skip('rosbag_fixtures/kitchen_small.mcap is not there')
    replay, view = commands_in(TEXT)
    with scratch_folder() as folder:
        assert run(replay, folder).returncode == 0
        command = [sys.executable, '-m', 'st_memory.cli', *view[1:], '--port', '0']
        child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            line = child.stdout.readline() if child.stdout else ''
            assert line.replace(str(urlsplit(line.split()[0]).port), '8765') in TEXT
            yield urlsplit(line.split()[0]).port or 0
        finally:
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=30)


def got(port: int, address: str) -> Any:
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
    try:
        connection.request('GET', address)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        return json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize('address', [a for a, _ in ADDRESSES])
def test_address_answers(address: str, port: int) -> None:
    query = {'/api/object': '?id=mug_1', '/api/ask': '?what=mug&after=30'}.get(address, '')

    assert got(port, address + query)


def test_addresses_and_their_parameters_are_those_there_are() -> None:
    source = (ROOT / 'st_memory/view/application.py').read_text(encoding='utf-8')
    told = {address: set(re.findall(r'`(\w+)`', words)) for address, words in ADDRESSES}

    assert sorted(told) == sorted(f'/api/{n}' for n in re.findall(r"'(\w+)': _Page\(", source))
    assert told['/api/objects'] == set(FILTERS)
    assert told['/api/ask'] == set(OPTIONS)
    assert told['/api/object'] == {'id'}

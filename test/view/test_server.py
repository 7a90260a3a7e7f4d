"""The command: it says where, serves the loopback only, writes nothing, and ends when told to."""

from __future__ import annotations

import hashlib
import http.client
import json
from pathlib import Path
import signal
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest

from st_memory.cli.main import main
from st_memory.core.errors import MissingExtraError
from test.view.memories import story_file


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, '-m', 'st_memory.cli', 'view', *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def fetched(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
    try:
        connection.request('GET', path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(('end', 'expected'), [(signal.SIGINT, 0), (signal.SIGTERM, -15)])
def test_it_says_where_serves_and_ends_when_told_to(
    end: signal.Signals, expected: int, tmp_path: Path
) -> None:
    db = story_file(tmp_path / 'story.db')
    before = hashlib.sha256(db.read_bytes()).hexdigest()
    child = start(str(db), '--port', '0')
    try:
        line = child.stdout.readline() if child.stdout else ''
        port = urlsplit(line.split()[0]).port or 0
        code, body = fetched(port, '/api/objects')
        page = fetched(port, '/')
    finally:
        child.send_signal(end)
        out, err = child.communicate(timeout=30)

    assert line == f'http://127.0.0.1:{port}/ (Ctrl-C ends)\n'
    assert code == 200
    assert json.loads(body)['total'] == 4
    assert page[0] == 200
    assert child.returncode == expected
    assert (out, err) == ('', '')
    assert hashlib.sha256(db.read_bytes()).hexdigest() == before


def test_it_listens_on_the_loopback_alone() -> None:
    from st_memory.view.server import _listening

    with _listening(0) as listener:
        assert listener.getsockname()[0] == '127.0.0.1'


def test_taken_port_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = story_file(tmp_path / 'story.db')
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]

        code = main(['view', str(db), '--port', str(port)])

    assert code == 1
    line = capsys.readouterr().err
    assert line.startswith(f'st_memory: error: port {port}: cannot be used (')
    assert line.count('\n') == 1


def test_missing_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(['view', str(tmp_path / 'none.db'), '--port', '0'])

    assert code == 1
    assert capsys.readouterr().err == f'st_memory: error: {tmp_path}/none.db: no such file\n'
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('port', ['-1', '65536', 'http', '٣'])
def test_port_that_is_none_is_wrong_usage(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(['view', 'kitchen.db', f'--port={port}'])

    assert stop.value.code == 2
    assert 'expected a port from 0 to 65535' in capsys.readouterr().err


def test_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from st_memory.view import serve

    monkeypatch.setitem(sys.modules, 'uvicorn', None)

    with pytest.raises(MissingExtraError, match=r'st_memory\[view\]'):
        serve(story_file(tmp_path / 'story.db'), port=0, on_ready=print)

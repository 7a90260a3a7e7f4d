"""Help, usage, errors, exit codes."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

from st_memory import __version__
from st_memory.cli import main as main_module
from st_memory.cli.main import main
from st_memory.cli.parser import build_parser
from st_memory.cli.registry import Command, COMMANDS
from st_memory.core.errors import StoreError
from test.cli.conftest import RunCli

HEAVY = ('numpy', 'scipy', 'cv2', 'rosbags', 'rich', 'yaml', 'embreex', 'rclpy', 'sqlite3')


def _modules_after(words: list[str]) -> set[str]:
    code = (
        'import sys\nfrom st_memory.cli.main import main\n'
        f'try:\n    main({words!r})\nexcept SystemExit:\n    pass\n'
        'sys.stderr.write(" ".join(sys.modules))'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    return {name.partition('.')[0] for name in done.stderr.split()}


@pytest.mark.parametrize('words', [['--help'], *([c.name, '--help'] for c in COMMANDS)], ids=str)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    assert not _modules_after(words) & set(HEAVY)


def test_help_names_every_command(cli: RunCli) -> None:
    result = cli('--help')

    assert result.code == 0
    assert all(f' {c.name} ' in result.out and c.summary in result.out for c in COMMANDS)


@pytest.mark.parametrize('command', COMMANDS, ids=lambda c: c.name)
def test_help_of_a_command_has_an_example_that_parses(command: Command, cli: RunCli) -> None:
    result = cli(command.name, '--help')

    examples = re.findall(rf'^  st_memory ({command.name} .*|{command.name})$', result.out, re.M)
    assert result.code == 0
    assert examples or 'source <(st_memory' in result.out
    for example in examples:
        words = shlex.split(re.split(r' > ', example)[0])
        assert callable(build_parser(words).parse_args(words).run)


def test_version_is_printed(cli: RunCli) -> None:
    assert cli('--version').out == f'st_memory {__version__}\n'


@pytest.mark.parametrize(
    'words',
    [
        [],
        ['nosuch'],
        ['replay'],
        ['replay', 'a.mcap'],
        ['query', 'a.db', 'nosuch'],
        ['query', 'a.db', 'where'],
        ['query', 'a.db', 'where', 'mug', '--label', 'mug'],
        ['query', 'a.db', 'where', 'mug', '--at', 'noon'],
        ['convert', 'nosuch'],
        ['completion', 'fish'],
    ],
    ids=' '.join,
)
def test_wrong_usage_exits_with_2_and_says_how_to_get_help(words: list[str], cli: RunCli) -> None:
    result = cli(*words)

    assert (result.code, result.out) == (2, '')
    assert result.err.startswith('st_memory: error: ')
    assert '--help' in result.err.splitlines()[-1]


def _fails_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def run(_: object) -> int:
        raise error

    class Parser:
        def parse_args(self, _: object) -> object:
            return type('Arguments', (), {'verbose': 0, 'run': staticmethod(run)})

    monkeypatch.setattr(main_module, 'build_parser', lambda _: Parser())


def test_known_error_is_one_line_even_if_its_text_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails_with(monkeypatch, StoreError('a.db: broken\n  in two places'))

    assert main([]) == 1
    assert capsys.readouterr().err == 'st_memory: error: a.db: broken in two places\n'


def test_unknown_error_comes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    _fails_with(monkeypatch, ZeroDivisionError('a bug'))

    with pytest.raises(ZeroDivisionError, match='a bug'):
        main([])


def test_interrupt_exits_as_shells_expect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _fails_with(monkeypatch, KeyboardInterrupt())

    assert main([]) == 130
    assert capsys.readouterr().err == 'st_memory: interrupted\n'


def test_reader_that_goes_away_is_no_error(walk_db: object) -> None:
    program = [sys.executable, '-m', 'st_memory.cli', 'inspect', str(walk_db), '--dump']
    dumping = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert dumping.stdout is not None
    dumping.stdout.read(10)
    dumping.stdout.close()

    _, err = dumping.communicate(timeout=60)

    assert (dumping.returncode, err) == (0, b'')


def test_python_m_runs_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, '-m', 'st_memory.cli', '--version'],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, f'st_memory {__version__}\n')

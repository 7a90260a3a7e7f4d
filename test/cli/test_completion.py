"""Shell completion, tried in a real shell."""

from __future__ import annotations

from pathlib import Path
import shutil
import subprocess

import pytest

from st_memory.cli.commands.completion import completion_script
from st_memory.cli.parser import build_parser
from st_memory.cli.registry import COMMANDS
from test.cli.conftest import RunCli

BASH = shutil.which('bash')


def _complete(typed: str, folder: Path) -> set[str]:
    """Give what bash would offer for the last word of a line."""
    if BASH is None:
        pytest.skip('bash is not installed')
    script = completion_script(build_parser(), 'bash')
    words = typed.split(' ')
    quoted = ' '.join(f"'{w}'" for w in words)
    code = (
        f'{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _st_memory\n'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [BASH, '-c', code], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stderr == ''
    return set(done.stdout.split())


def test_completion_offers_commands(tmp_path: Path) -> None:
    assert {c.name for c in COMMANDS} <= _complete('st_memory ', tmp_path)


def test_completion_narrows_by_what_is_typed(tmp_path: Path) -> None:
    assert _complete('st_memory rep', tmp_path) == {'replay'}


@pytest.mark.parametrize(
    ('typed', 'expected'),
    [
        ('st_memory replay --o', {'--overwrite'}),
        ('st_memory query x.db where --sch', {'--scheme'}),
        ('st_memory convert rg', {'rgbd'}),
        ('st_memory convert rgbd --ra', {'--rate'}),
        ('st_memory query x.db relative mug --scheme c', {'clock'}),
        ('st_memory completion z', {'zsh'}),
        ('st_memory query x.db last-p', {'last-placed'}),
    ],
)
def test_completion_knows_the_tree(typed: str, expected: set[str], tmp_path: Path) -> None:
    assert _complete(typed, tmp_path) == expected


def test_completion_offers_files(tmp_path: Path) -> None:
    (tmp_path / 'kitchen.mcap').touch()

    assert _complete('st_memory replay kit', tmp_path) == {'kitchen.mcap'}


@pytest.mark.parametrize('shell', ['bash', 'zsh'])
def test_completion_prints_the_script(shell: str, cli: RunCli) -> None:
    result = cli('completion', shell)

    assert result.code == 0
    assert 'complete -o filenames -F _st_memory st_memory' in result.out
    assert ('bashcompinit' in result.out) == (shell == 'zsh')

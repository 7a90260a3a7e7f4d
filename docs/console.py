#!/usr/bin/env python3
"""
Run the commands that stand in console blocks of documents and put their output there.

Run from the checkout after ``make setup``: ``python docs/console.py``. A block is fenced as
``console``; a line that begins with ``$ `` is a command, what follows is its output. Commands
other than ``st_memory``, and those named in ``NOT_RUN``, are left as they stand. A block fenced as
``python`` is run too where one fenced as ``text`` follows, which is its output.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import os
from pathlib import Path
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / 'README.md'
DOCUMENTS = (README, ROOT / 'docs' / 'questions.md')
NOT_RUN = ('completion', 'convert', 'demo', 'detect', 'questions', 'scene', 'view')

_BLOCK = re.compile(r'^```console\n(.*?)^```$', re.DOTALL | re.MULTILINE)
_PROGRAM = re.compile(
    r'(^```python\n(?P<code>.*?)^```\n\nprints\n\n```text\n)(?P<output>.*?)(^```$)',
    re.DOTALL | re.MULTILINE,
)


def commands_in(text: str) -> list[list[str]]:
    """Give the words of every ``st_memory`` command in the console blocks, in order."""
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    words = [shlex.split(line[2:], comments=True) for line in lines if line.startswith('$ ')]
    return [w for w in words if w and w[0] == 'st_memory']


def is_quick(words: list[str]) -> bool:
    """Whether a command is to be run, not only parsed."""
    return words[1] not in NOT_RUN


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give an empty folder in which the paths of the README exist."""
    with tempfile.TemporaryDirectory() as name:
        for shared in ('rosbag_fixtures', 'config'):
            (Path(name) / shared).symlink_to(ROOT / shared)
        yield Path(name)


def programs_in(text: str) -> list[tuple[str, str]]:
    """Give every Python program with the output that stands below it."""
    return [(found['code'], found['output']) for found in _PROGRAM.finditer(text)]


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as its own process."""
    return _run(['-m', 'st_memory.cli', *words[1:]], folder)


def run_program(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as its own process."""
    return _run(['-c', code], folder)


def _run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, 'PYTHONPATH': str(ROOT)},
    )


def refreshed(text: str, folder: Path) -> str:
    """Give the text with the output of every quick command put in anew."""

    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        keep = True
        for line in match.group(1).splitlines():
            if line.startswith('$ '):
                words = shlex.split(line[2:], comments=True)
                is_ours = words[:1] == ['st_memory'] and is_quick(words)
                keep = not is_ours
                lines.append(line)
                if is_ours:
                    lines.extend(run(words, folder).stdout.rstrip('\n').splitlines())
            elif keep:
                lines.append(line)
        return '```console\n' + '\n'.join(lines) + '\n```'

    def program(match: re.Match[str]) -> str:
        return match[1] + run_program(match['code'], folder).stdout + match[4]

    return _PROGRAM.sub(program, _BLOCK.sub(block, text))


if __name__ == '__main__':
    for document in DOCUMENTS:
        with scratch_folder() as scratch:
            fresh = refreshed(document.read_text(encoding='utf-8'), scratch)
        document.write_text(fresh, encoding='utf-8')

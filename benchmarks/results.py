"""The results file: what was measured, at which commit, and what of it still holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import json
import os
from pathlib import Path
import subprocess
from typing import Any

from benchmarks.figure import Figure, Measured

__all__ = ['Entry', 'clean_commit', 'entry_of', 'merge', 'read_results', 'write_results']

Entry = dict[str, Any]
"""name, value, unit, reference, reference_value, ratio, commit; details where there are any."""

KEYS = ('name', 'value', 'unit', 'reference', 'reference_value', 'ratio', 'commit')


def clean_commit(root: Path) -> str:
    """
    Give the commit that the files under a folder are those of.

    Returns
    -------
    str
        The hash; '' when anything differs from it or is not tracked, or there is no repository.

    """
    try:
        changes = _git(root, 'status', '--porcelain')
        return '' if changes else _git(root, 'rev-parse', 'HEAD')
    except (OSError, subprocess.CalledProcessError):
        return ''


def entry_of(figure: Figure, measured: Measured, commit: str) -> Entry:
    """
    Give the entry of a figure.

    Parameters
    ----------
    figure : Figure
        What was measured.
    measured : Measured
        The result.
    commit : str
        From :func:`clean_commit`; an entry with '' is never reused.

    """
    details = {} if measured.details is None else {'details': dict(measured.details)}
    return {
        'name': figure.name,
        'value': measured.value,
        'unit': figure.unit,
        'reference': figure.reference,
        'reference_value': measured.reference_value,
        'ratio': measured.value / measured.reference_value,
        'commit': commit,
        **details,
    }


def read_results(path: Path) -> list[Entry]:
    """Give the entries of a results file; none when it is missing or is no such file."""
    try:
        found = json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return []
    if not isinstance(found, list):
        return []
    return [e for e in found if isinstance(e, dict) and set(KEYS) <= set(e)]


def write_results(path: Path, entries: Sequence[Entry]) -> None:
    """Write a results file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f'{path.name}.{os.getpid()}.part')
    draft.write_text(json.dumps(list(entries), indent=2) + '\n', encoding='utf-8')
    draft.replace(path)


def merge(before: Iterable[Entry], new: Iterable[Entry], order: Sequence[str]) -> list[Entry]:
    """Put new entries in the place of old ones, in the order of the names; others are dropped."""
    by_name = {entry['name']: entry for entry in (*before, *new)}
    return [by_name[name] for name in order if name in by_name]


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ['git', '-C', str(root), *words], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()

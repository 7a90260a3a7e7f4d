"""Measure what has to be measured, keep what still holds, and say how it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.figure import Figure, MeasuringError
from benchmarks.results import Entry, entry_of, merge, read_results, write_results

__all__ = ['Outcome', 'run_figures', 'table_of', 'unknown_names']

_HEADER = ('figure', 'value', 'unit', 'reference', 'ratio', 'goal', 'met', '')


class Outcome(NamedTuple):
    """
    What a run gave.

    Attributes
    ----------
    entries : list of Entry
        Of the figures asked for, as far as they could be measured.
    reused : frozenset of str
        Names whose entry is an earlier one.
    problems : dict of str to str
        Why the others could not be measured.

    """

    entries: list[Entry]
    reused: frozenset[str]
    problems: dict[str, str]


def unknown_names(names: Sequence[str], figures: Mapping[str, Figure]) -> list[str]:
    """Give the names that are no figure's."""
    return [name for name in names if name not in figures]


def run_figures(
    names: Sequence[str],
    figures: Mapping[str, Figure],
    path: Path,
    commit_now: Callable[[], str],
    *,
    fresh: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """
    Measure figures and merge them into the results file, each as soon as it is there.

    Parameters
    ----------
    names : sequence of str
        What to measure.
    figures : mapping of str to Figure
        All figures, in the order of the file.
    path : Path
        The results file.
    commit_now : callable
        Gives the commit of a clean tree, '' otherwise. An entry counts as that commit's only if
        it was so before and after measuring.
    fresh : bool
        Measure even what was measured at this commit.
    tell : callable
        Gets a line before each measurement.

    """
    commit = commit_now()
    kept = {e['name']: e for e in read_results(path) if commit and e['commit'] == commit}
    outcome = Outcome([], frozenset(names) & frozenset(() if fresh else kept), {})
    for name in names:
        if name in outcome.reused:
            outcome.entries.append(kept[name])
            continue
        tell(f'measuring {name}')
        try:
            measured = figures[name].measure()
        except MeasuringError as error:
            outcome.problems[name] = str(error)
            continue
        entry = entry_of(figures[name], measured, commit if commit_now() == commit else '')
        outcome.entries.append(entry)
        write_results(path, merge(read_results(path), [entry], list(figures)))
    return outcome


def table_of(outcome: Outcome, figures: Mapping[str, Figure]) -> str:
    """Give the entries as a table with goals, for people."""
    rows = [_HEADER]
    for entry in outcome.entries:
        goal = figures[entry['name']].goal
        rows.append(
            (
                entry['name'],
                f'{entry["value"]:.4g}',
                entry['unit'],
                f'{entry["reference_value"]:.4g}',
                f'{entry["ratio"]:.3g}',
                '-' if goal is None else str(goal),
                '-' if goal is None else ('yes' if goal.is_met(entry) else 'NO'),
                'kept' if entry['name'] in outcome.reused else '',
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADER))]
    lines = [
        '  '.join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return '\n'.join((*lines, *map(_details_line, filter(_has_details, outcome.entries))))


def _has_details(entry: Entry) -> bool:
    return bool(entry.get('details'))


def _details_line(entry: Entry) -> str:
    """Say what else a run found."""
    words = [
        f'{name} {("no", "yes")[value] if isinstance(value, bool) else f"{value:.4g}"}'
        for name, value in entry['details'].items()
    ]
    return f'{entry["name"]}: {", ".join(words)}'

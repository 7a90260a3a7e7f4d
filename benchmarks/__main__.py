"""``python -m benchmarks``: measure, write ``build/bench.json``, print the table."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
import sys

from benchmarks.figure import Figure
from benchmarks.figures import FIGURES
from benchmarks.results import clean_commit
from benchmarks.runner import run_figures, table_of, unknown_names

ROOT = Path(__file__).resolve().parents[1]


def main(
    argv: Sequence[str] | None = None,
    figures: Mapping[str, Figure] = FIGURES,
    root: Path = ROOT,
) -> int:
    """
    Run the benchmarks.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    figures : mapping of str to Figure
        What there is to measure.
    root : Path
        The checkout: results go to its ``build/bench.json``.

    Returns
    -------
    int
        0 when everything asked for is there, whether or not it reaches its goal; 1 when
        something could not be measured; 2 for an unknown name.

    """
    parser = argparse.ArgumentParser(prog='benchmarks', description='Measure the figures.')
    parser.add_argument('--only', metavar='A,B', default='', help='these figures; all by default')
    parser.add_argument('--fresh', action='store_true', help='measure even what is known')
    parser.add_argument('--list', action='store_true', help='name the figures and end')
    arguments = parser.parse_args(argv)
    if arguments.list:
        for figure in figures.values():
            print(f'{figure.name}: against {figure.reference}')
        return 0
    named = dict.fromkeys(name.strip() for name in arguments.only.split(','))
    names = [name for name in named if name]
    names = names or [name for name, figure in figures.items() if not figure.only_named]
    unknown = unknown_names(names, figures)
    if unknown:
        sys.stderr.write(
            f'benchmarks: unknown figure {", ".join(unknown)}; there are {", ".join(figures)}\n'
        )
        return 2
    outcome = run_figures(
        names,
        figures,
        root / 'build' / 'bench.json',
        partial(clean_commit, root),
        fresh=arguments.fresh,
        tell=lambda line: print(line, file=sys.stderr, flush=True),
    )
    print(table_of(outcome, figures))
    for name, problem in outcome.problems.items():
        sys.stderr.write(f'benchmarks: {name} could not be measured: {problem}\n')
    return 1 if outcome.problems else 0


if __name__ == '__main__':
    sys.exit(main())

"""
Check that enough tests of every group ran, so that nothing is skipped in silence.

``python tools/count_tests.py build/junit.xml .ci/test_counts.txt`` exits with 1 when a group ran
fewer tests than the table asks for, or when the report has no tests at all.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
import sys
from xml.etree import ElementTree as ET


def count_run(report: Path) -> Counter[str]:
    """Return how many tests of each group ran; test/conftest.py sets the groups."""
    counts: Counter[str] = Counter()
    for case in ET.parse(report).iter('testcase'):  # noqa: S314  written by our own pytest
        if case.find('skipped') is not None:
            continue
        counts['all'] += 1
        for entry in case.iter('property'):
            if entry.get('name') == 'group':
                counts[entry.get('value', '')] += 1
    return counts


def read_minima(table: Path) -> dict[str, int]:
    """Return the least number of tests by group."""
    lines = (line.split('#')[0].split() for line in table.read_text().splitlines())
    return {words[0]: int(words[1]) for words in lines if words}


def main(arguments: list[str]) -> int:
    """Compare a report with a table; return the exit status."""
    report, table = (Path(name) for name in arguments)
    counts = count_run(report)
    status = 0 if counts['all'] else 1
    for group, least in read_minima(table).items():
        verdict = 'ok' if counts[group] >= least else 'TOO FEW'
        print(f'{group:8} {counts[group]:5} run, at least {least} expected: {verdict}')
        status |= verdict != 'ok'
    return int(status)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

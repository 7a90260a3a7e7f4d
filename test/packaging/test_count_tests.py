"""The count of tests that ran, by group."""

from __future__ import annotations

from pathlib import Path

import pytest

from test.packaging.setup_script import load

REPORT = """<testsuites><testsuite>
<testcase name="a"><properties><property name="group" value="core"/></properties></testcase>
<testcase name="b"><properties><property name="group" value="core"/></properties>
  <skipped message="no"/></testcase>
<testcase name="c"><properties>
  <property name="group" value="ros"/><property name="group" value="data"/>
</properties></testcase>
</testsuite></testsuites>"""


@pytest.mark.parametrize(
    ('table', 'status'),
    [
        ('core 1  # all that ran\nros 1\ndata 1', 0),
        ('core 2', 1),  # one of the two was skipped
        ('launch 1', 1),  # no such test ran
    ],
)
def test_main_compares_what_ran_with_the_table(tmp_path: Path, table: str, status: int) -> None:
    (tmp_path / 'junit.xml').write_text(REPORT)
    (tmp_path / 'counts.txt').write_text(table)
    arguments = [str(tmp_path / 'junit.xml'), str(tmp_path / 'counts.txt')]
    assert load('count_tests').main(arguments) == status


def test_main_with_an_empty_report_fails(tmp_path: Path) -> None:
    (tmp_path / 'junit.xml').write_text('<testsuites/>')
    (tmp_path / 'counts.txt').write_text('')
    arguments = [str(tmp_path / 'junit.xml'), str(tmp_path / 'counts.txt')]
    assert load('count_tests').main(arguments) == 1

"""Every row of the field notes, C1 to U6: a test of its name, one elsewhere, or a reason."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

TEST = Path(__file__).resolve().parents[1]
LAST = {'c': 14, 't': 13, 'q': 16, 'd': 10, 'u': 6}
ROWS = [f'{letter}{number}' for letter, last in LAST.items() for number in range(1, last + 1)]
# Rows that tests check which were there before the row had a name.
ELSEWHERE = {
    'c6': 'ros/test_pacing.py::test_give_up_counts_from_the_last_progress',
    't6': 'ros/test_services.py::test_questions_have_a_callback_group_of_their_own',
    't12': 'core/memory/test_pose_jumps.py'
    '::test_jump_is_counted_and_two_seconds_of_misses_show_nothing',
    'q5': 'benchmark/laws/test_determinism.py::test_same_frames_give_the_same_bytes',
    'q13': 'ros/test_services.py::test_questions_have_a_callback_group_of_their_own',
    'q14': 'ros/test_answer_sizes.py::test_answer_about_one_of_a_thousand_is_small',
    'd9': 'core/association/test_localization.py'
    '::test_background_around_the_object_does_not_pull_the_depth',
    'd10': 'cli/test_convert_aria.py::test_convert_adt_lists_what_is_missing_and_the_gaps',
    'u1': 'cli/test_main.py::test_help_imports_nothing_heavy',
    'u2': 'sim/test_fixture_kitchen.py::test_fixture_made_again_tells_the_same_story',
    'u3': 'cli/test_memory_files.py::test_export_then_import_gives_the_same_memory',
    'u5': 'benchmark/test_stages.py::test_manifest_says_what_ran',
}
NOT_OURS = {'u4': 'image_transport is not used: compressed images are decoded from their messages'}


@pytest.fixture(scope='module')
def named_rows() -> set[str]:
    """Give the rows that tests are named after."""
    texts = (file.read_text(encoding='utf-8') for file in TEST.rglob('test_*.py'))
    return {row for text in texts for row in re.findall(r'^def test_([ctqdu]\d+)_', text, re.M)}


@pytest.mark.parametrize('row', ROWS)
def test_row_has_a_test_or_a_reason(row: str, named_rows: set[str]) -> None:
    if row in ELSEWHERE:
        file, _, name = ELSEWHERE[row].partition('::')
        assert f'def {name}(' in (TEST / file).read_text(encoding='utf-8')
    elif row in NOT_OURS:
        assert row not in named_rows
    else:
        assert row in named_rows


def test_no_test_is_named_after_a_row_that_there_is_not(named_rows: set[str]) -> None:
    assert named_rows <= set(ROWS)

"""Names of nothing are told with what was likely meant."""

from __future__ import annotations

import pytest

from st_memory.conversions import AssemblerSettings
from st_memory.conversions.misspelt import masks_of_no_camera, unknown_name

NEAR = "x: expected one of head, wrist, got 'haed'; did you mean 'head'?"


@pytest.mark.parametrize(
    ('name', 'known', 'expected'),
    [
        ('haed', ['wrist', 'head'], NEAR),
        ('knee', ['wrist', 'head'], "x: expected one of head, wrist, got 'knee'"),
        ('head', [], "x: expected none, got 'head'"),
    ],
)
def test_unknown_name_says_what_there_is(name: str, known: list[str], expected: str) -> None:
    assert unknown_name('x', name, known) == expected


def test_unknown_name_says_what_comes_of_it() -> None:
    line = unknown_name('x', 'haed', ['head'], 'is ignored')

    assert line == "x: expected one of head, got 'haed', which is ignored; did you mean 'head'?"


def test_unknown_name_among_many_is_short_and_names_the_nearest() -> None:
    line = unknown_name('x', 'memory.confirm_hit', [f'memory.other_{i}' for i in range(200)]
                        + ['memory.confirm_hits'])  # fmt: skip

    assert line.endswith("; did you mean 'memory.confirm_hits'?")
    assert ' and 193 more' in line
    assert len(unknown_name('x', 'y' * 10**6, ['z'])) < 200


def test_masks_of_no_camera_are_named_one_a_line() -> None:
    settings = AssemblerSettings(self_masks={'haed': '', 'wrist': '', 'wirst': ''})

    first, second = masks_of_no_camera(settings, {'head', 'wrist'})
    assert "'haed', which is no camera and masks nothing; did you mean 'head'?" in first
    assert "'wirst', which is no camera and masks nothing; did you mean 'wrist'?" in second
    assert masks_of_no_camera(settings, {'haed', 'wrist', 'wirst'}) == ()

"""What a person may say is checked when it is said, in one line; the fold then trusts it."""

from __future__ import annotations

import math

import pytest

from st_memory.core.errors import EditError
from st_memory.core.records import Edit, EditAction, Rebase, RebaseKind, SensedFrame
from st_memory.core.records.edits import MAX_NAME

GOOD = {'object_id': 'cup_1', 'other_id': 'cup_2', 'label': 'mug'}


@pytest.mark.parametrize('action', list(EditAction))
def test_edit_with_all_it_needs_is_accepted(action: EditAction) -> None:
    assert Edit(action, **GOOD).action is action


@pytest.mark.parametrize(
    ('action', 'fields', 'message'),
    [
        (EditAction.MARK, {'object_id': '', 'label': ''}, 'expected an object id or a label'),
        (EditAction.RENAME, {'label': ''}, 'RENAME: expected a label, got an empty string'),
        (EditAction.RENAME, {'object_id': ''}, 'RENAME: expected an object id'),
        (EditAction.MERGE, {'other_id': ''}, 'MERGE: expected the id of a second object'),
        (EditAction.MERGE, {'other_id': 'cup_1'}, "expected two objects, got 'cup_1' twice"),
        (EditAction.SPLIT, {'other_id': 'cup_1'}, "expected two objects, got 'cup_1' twice"),
        (EditAction.FORGET, {'object_id': ''}, 'FORGET: expected an object id'),
        (EditAction.RESTORE, {'object_id': ''}, 'RESTORE: expected an object id'),
        (EditAction.MARK, {'world_p': (math.nan, 0.0, 0.0)}, 'pose: expected finite numbers'),
        (EditAction.MARK, {'world_p': (0.0, math.inf, 0.0)}, 'pose: expected finite numbers'),
        (EditAction.MARK, {'quat_xyzw': (0.0, 0.0, 0.0, 0.0)}, 'a quaternion of length 1'),
        (EditAction.MARK, {'quat_xyzw': (math.nan, 0.0, 0.0, 1.0)}, 'a quaternion of length 1'),
        (EditAction.MARK, {'label': '  '}, 'label: expected a name, got white space only'),
        (EditAction.MARK, {'label': 'a\nb'}, 'label: expected no control characters'),
        (EditAction.MARK, {'object_id': 'a\x00b'}, 'object_id: expected no control characters'),
        (EditAction.MARK, {'note': 'n' * 1001}, 'note: expected at most 1000 characters'),
    ],
)
def test_bad_edit_is_refused_in_one_line(action: EditAction, fields: dict, message: str) -> None:
    with pytest.raises(EditError, match=message) as caught:
        Edit(action, **{**GOOD, **fields})

    assert '\n' not in str(caught.value)


def test_label_of_ten_megabytes_is_refused_without_repeating_it() -> None:
    with pytest.raises(EditError, match='at most 200 characters, got 10000000') as caught:
        Edit(EditAction.MARK, label='x' * 10_000_000)

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    'label', ['Чашка', '☕', "'; DROP TABLE track; --", '../../etc', 'x' * MAX_NAME]
)
def test_any_printable_label_is_a_label(label: str) -> None:
    assert Edit(EditAction.MARK, label=label).label == label


def test_rebase_frame_must_open_a_later_epoch() -> None:
    rebase = Rebase(RebaseKind.NEW_ORIGIN, from_epoch=1)

    assert SensedFrame(5, epoch=2, rebase=rebase).rebase is rebase
    with pytest.raises(ValueError, match='expected one after 1'):
        SensedFrame(5, epoch=1, rebase=rebase)

"""A name that nothing can have is refused in one line, by whatever question it comes in."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from st_memory.core.errors import StMemoryError
from st_memory.core.queries import (
    find_item,
    get_timeline,
    get_visibility,
    list_contents,
    ObjectFilter,
    predict_interaction,
    relative_pose,
    Selector,
    when_last_visible,
)
from st_memory.core.queries.asked_names import check_names
from st_memory.storage import InMemoryStore

WHO = Selector(label='cup')
STORE = InMemoryStore()
ASKED: dict[str, Callable[[str], object]] = {
    'object_id': lambda name: Selector(object_id=name),
    'label': lambda name: Selector(label=name),
    'text': lambda name: Selector(text=name),
    'object_id of a list': lambda name: ObjectFilter(object_id=name),
    'label of a list': lambda name: ObjectFilter(label=name),
    'fixture of a list': lambda name: ObjectFilter(fixture_id=name),
    'container of a list': lambda name: ObjectFilter(container_id=name),
    'container': lambda name: list_contents(STORE, name),
    'camera': lambda name: get_visibility(STORE, WHO, camera_id=name),
    'camera of a timeline': lambda name: get_timeline(STORE, WHO, camera_id=name),
    'camera of a time': lambda name: when_last_visible(STORE, WHO, camera_id=name),
    'reference': lambda name: relative_pose(STORE, WHO, name),
    'start': lambda name: find_item(STORE, WHO, start=name),
    'actor': lambda name: predict_interaction(STORE, name),
}


@pytest.mark.parametrize('what', ASKED)
@pytest.mark.parametrize(
    ('name', 'shown', 'wrong'),
    [
        ('m\ud800g', r"'m\ud800g'", 'U+D800'),
        ('\udcff', r"'\udcff'", 'U+DCFF'),
        ('mug\0', r"'mug\x00'", 'U+0000'),
        ('ä\0', r"'\xe4\x00'", 'U+0000'),
    ],
)
def test_name_that_is_no_text_is_refused(what: str, name: str, shown: str, wrong: str) -> None:
    with pytest.raises(StMemoryError) as caught:
        ASKED[what](name)

    expected = f'{what.partition(" ")[0]}: expected a name, got {shown}, which holds {wrong}'
    assert str(caught.value) == expected
    assert str(caught.value).isascii()


def test_long_name_that_is_no_text_is_shown_by_its_beginning() -> None:
    with pytest.raises(StMemoryError) as caught:
        Selector(label='x' * 10_000_000 + '\udcff')

    assert len(str(caught.value)) < 120


@pytest.mark.parametrize('name', ['', 'mug', 'Übertopf ☕', '\U0001f375', 'two\nlines', '\ufffd'])
def test_any_text_may_be_a_name(name: str) -> None:
    check_names(label=name)

    assert Selector(label=name).describe() == name

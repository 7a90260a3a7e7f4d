"""Plain data becomes frozen records, or one line says why not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import enum
from typing import Any, NamedTuple

import pytest

from st_memory.core.errors import ConfigError
from st_memory.settings import read_record


class Colour(enum.Enum):
    """An enumeration."""

    RED = 'red'
    BLUE = 'blue'


class Level(enum.IntEnum):
    """One with numbers."""

    LOW = 0
    HIGH = 1


class Pair(NamedTuple):
    """A named tuple with a default."""

    name: str
    weight: float = 1.0


@dataclass(frozen=True)
class Inner:
    """A nested section."""

    gain: float = field(default=0.5, metadata={'min': 0.0, 'max': 1.0})
    steps: int = field(default=3, metadata={'min': 1, 'unit': 'm'})

    def __post_init__(self) -> None:
        if self.steps == 13:
            raise ValueError('steps: 13 is bad luck')


@dataclass(frozen=True)
class Outer:
    """Fields of every kind."""

    title: str
    on: bool = False
    inner: Inner = field(default_factory=Inner)
    colour: Colour = Colour.RED
    level: Level = Level.LOW
    words: tuple[str, ...] = ()
    point: tuple[float, float] = field(default=(0.0, 0.0), metadata={'max': 9.0})
    pairs: tuple[Pair, ...] = ()
    by_name: Mapping[str, Pair] = field(default_factory=dict)
    limit: float | None = None
    mode: str = field(default='slow', metadata={'choices': ('slow', 'fast')})


def refusal(**data: Any) -> str:
    """Read a section that must be refused; give the message."""
    with pytest.raises(ConfigError, match=r'^f\.yaml: outer') as caught:
        read_record(Outer, {'title': 't', **data}, 'f.yaml: outer')
    assert '\n' not in str(caught.value)
    return str(caught.value).removeprefix('f.yaml: outer')


def test_read_every_kind_of_field() -> None:
    """All fields at once."""
    data = {
        'title': 'ä',
        'on': True,
        'inner': {'gain': 1},
        'colour': 'blue',
        'level': 1,
        'words': ['a', 'b'],
        'point': [1, 2.5],
        'pairs': [{'name': 'x'}, {'name': 'y', 'weight': 2.0}],
        'by_name': {'k': {'name': 'z'}},
        'limit': 3,
        'mode': 'fast',
    }

    found = read_record(Outer, data, 'f.yaml: outer')

    assert found == Outer(
        'ä', True, Inner(1.0), Colour.BLUE, Level.HIGH, ('a', 'b'), (1.0, 2.5),
        (Pair('x'), Pair('y', 2.0)), {'k': Pair('z')}, 3.0, 'fast',
    )  # fmt: skip
    assert type(found.inner.gain) is float


def test_empty_section_is_the_defaults() -> None:
    """``inner:`` with nothing behind it is no key."""
    assert read_record(Inner, None, 'f.yaml: inner') == Inner()


def test_base_gives_what_is_not_named() -> None:
    """Fields that are not named keep the base's values, in nested sections too."""
    base = Outer('old', inner=Inner(0.25, 7), mode='fast')

    found = read_record(Outer, {'title': 'new', 'inner': {'steps': 8}}, 'x', base)

    assert found == Outer('new', inner=Inner(0.25, 8), mode='fast')


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        ({'titel': 'x'}, ": unknown key 'titel' (did you mean 'title'?)"),
        ({'inner': {'gian': 1}}, ".inner: unknown key 'gian' (did you mean 'gain'?)"),
        ({'inner': {'zzz': 1}}, ".inner: unknown key 'zzz' (known: gain, steps)"),
        ({'inner': {3: 1}}, '.inner: unknown key 3 (known: gain, steps)'),
        ({'inner': 5}, '.inner: expected a section with keys, got 5'),
        ({'title': 5}, '.title: expected a text, got 5'),
        ({'on': 'yes'}, ".on: expected true or false, got 'yes'"),
        ({'on': 1}, '.on: expected true or false, got 1'),
        ({'inner': {'steps': 2.0}}, '.inner.steps: expected a whole number, got 2.0'),
        ({'inner': {'steps': True}}, '.inner.steps: expected a whole number, got True'),
        ({'inner': {'gain': '1e3'}}, ".inner.gain: expected a number, got '1e3'"),
        ({'inner': {'gain': float('nan')}}, '.inner.gain: expected a finite number, got nan'),
        ({'inner': {'gain': 1.5}}, '.inner.gain: expected 0.0 to 1.0, got 1.5'),
        ({'inner': {'gain': -1}}, '.inner.gain: expected 0.0 to 1.0, got -1.0'),
        ({'inner': {'steps': 0}}, '.inner.steps: expected 1 to inf m, got 0'),
        ({'inner': {'steps': 13}}, '.inner: steps: 13 is bad luck'),
        ({'colour': 'green'}, ".colour: expected one of red, blue, got 'green'"),
        ({'level': True}, '.level: expected one of 0, 1, got True'),
        ({'words': 'a'}, ".words: expected a list, got 'a'"),
        ({'words': ['a', 2]}, '.words[1]: expected a text, got 2'),
        ({'point': [1]}, '.point: expected 2 values, got 1'),
        ({'point': [1, 10]}, '.point: expected -inf to 9.0, got 10.0'),
        ({'pairs': [{}]}, ".pairs[0]: expected the key 'name'"),
        ({'by_name': []}, '.by_name: expected a section with keys, got []'),
        ({'by_name': {'k': {'nme': 'z'}}}, ".by_name.k: unknown key 'nme' (did you mean 'name'?)"),
        ({'by_name': {1: {'name': 'z'}}}, '.by_name: expected a text, got 1'),
        ({'limit': 'none'}, ".limit: expected a number, got 'none'"),
        ({'mode': 'medium'}, ".mode: expected one of slow, fast, got 'medium'"),
        ({'title': None}, '.title: expected a text, got None'),
    ],
)
def test_wrong_value_is_refused_with_its_path(data: dict[str, Any], message: str) -> None:
    """File, key path, expected and found are in the message."""
    assert refusal(**data) == message


def test_long_value_is_cut_in_the_message() -> None:
    """A wrong value of any length makes one short line."""
    assert len(refusal(on='x' * 10_000)) < 120


def test_missing_key_without_a_default_is_refused() -> None:
    """The message names it."""
    with pytest.raises(ConfigError, match="outer: expected the key 'title'"):
        read_record(Outer, {}, 'f.yaml: outer')


def test_optional_field_takes_null() -> None:
    """``limit: null`` is None."""
    assert read_record(Outer, {'title': 't', 'limit': None}, 'x').limit is None


def test_field_of_a_type_that_yaml_cannot_give_is_a_programming_error() -> None:
    """It is not the user's fault."""

    @dataclass(frozen=True)
    class Odd:
        raw: bytes = b''

    with pytest.raises(TypeError, match='cannot be read'):
        read_record(Odd, {'raw': 'x'}, 'f.yaml: odd')

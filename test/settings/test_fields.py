"""Whoever declares parameters gets names, types, defaults and ranges from the classes."""

from __future__ import annotations

from dataclasses import dataclass, field, MISSING

import pytest

from st_memory.core.memory import MemorySettings
from st_memory.settings import FieldSpec, iter_fields, Settings


@dataclass(frozen=True)
class Inner:
    """A nested section."""

    gain: float = field(
        default=0.5, metadata={'min': 0.0, 'max': 1.0, 'unit': 'm', 'description': 'how much'}
    )
    names: tuple[str, ...] = field(default_factory=lambda: ('a',))


@dataclass(frozen=True)
class Outer:
    """A section in a section."""

    title: str
    inner: Inner = field(default_factory=Inner)
    mode: str = field(default='x', metadata={'choices': ('x', 'y')})


def test_iter_fields_goes_through_nested_sections() -> None:
    """Paths are joined by dots; what is not said is empty."""
    assert list(iter_fields(Outer, 'node.')) == [
        FieldSpec('node.title', str, MISSING),
        FieldSpec('node.inner.gain', float, 0.5, 'how much', 0.0, 1.0, 'm'),
        FieldSpec('node.inner.names', tuple[str, ...], ('a',)),
        FieldSpec('node.mode', str, 'x', choices=('x', 'y')),
    ]


def test_iter_fields_of_another_class_is_refused() -> None:
    """Only dataclasses have fields."""
    with pytest.raises(TypeError, match='expected a dataclass'):
        list(iter_fields(int))


def test_every_number_of_the_fold_is_described_and_bounded() -> None:
    """A person who sets one must know what it is and how far it goes."""
    for spec in iter_fields(MemorySettings):
        assert spec.description, spec.path
        if spec.type in (int, float):
            assert spec.unit, spec.path
            assert spec.minimum is not None, spec.path
            assert spec.maximum is not None, spec.path
            assert spec.minimum <= spec.default <= spec.maximum, spec.path


def test_paths_of_all_settings_are_unique() -> None:
    """Each names one setting."""
    paths = [spec.path for spec in iter_fields(Settings)]

    assert len(paths) == len(set(paths))
    assert 'memory.move_distance_m' in paths
    assert 'assembler.slop_ns' in paths

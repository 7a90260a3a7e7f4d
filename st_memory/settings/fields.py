"""The leaves of a settings class, with what a person needs to know of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, MISSING
from typing import Any, get_type_hints

__all__ = ['FieldSpec', 'iter_fields']


@dataclass(frozen=True)
class FieldSpec:
    """
    One setting.

    Parameters
    ----------
    path : str
        Names from the outermost class down, joined by dots.
    type : object
        The annotation (``float``, an Enum class, ``tuple[str, ...]``, ...).
    default : object
        Value without a file; ``dataclasses.MISSING`` when one must be given.
    description : str
        One clause; '' when the class documents it elsewhere.
    minimum, maximum : float, optional
        Closed range; None where there is no bound.
    unit : str
        ``m``, ``s``, ...; ``1`` for a plain number; '' for what is no number.
    choices : tuple
        The only values allowed; empty when any will do.

    """

    path: str
    type: Any
    default: Any
    description: str = ''
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ''
    choices: tuple[Any, ...] = ()


def iter_fields(settings_class: type[Any], prefix: str = '') -> Iterator[FieldSpec]:
    """
    List the settings of a dataclass; nested dataclasses are gone through.

    Parameters
    ----------
    settings_class : type
        A dataclass. A field's metadata may have ``description``, ``min``, ``max``, ``unit`` and
        ``choices``.
    prefix : str
        Put before each path.

    Raises
    ------
    TypeError
        If it is no dataclass.

    """
    if not is_dataclass(settings_class):
        raise TypeError(f'expected a dataclass, got {settings_class!r}')
    hints = get_type_hints(settings_class)
    for item in fields(settings_class):
        kind = hints[item.name]
        path = prefix + item.name
        if isinstance(kind, type) and is_dataclass(kind):
            yield from iter_fields(kind, f'{path}.')
            continue
        default = item.default
        if default is MISSING and item.default_factory is not MISSING:
            default = item.default_factory()
        yield FieldSpec(
            path=path,
            type=kind,
            default=default,
            description=item.metadata.get('description', ''),
            minimum=item.metadata.get('min'),
            maximum=item.metadata.get('max'),
            unit=item.metadata.get('unit', ''),
            choices=tuple(item.metadata.get('choices', ())),
        )

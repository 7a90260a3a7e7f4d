"""
All of a track as one line of text, and back: what the fold goes on from after a restart.

The text is that of :func:`canonical_json`, written by hand: a frame writes some dozens of tracks,
and most numbers in them are those of the frame before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import chain, compress
import json
from json.encoder import encode_basestring_ascii
import math
from operator import attrgetter, is_not
import struct
from typing import Any, NamedTuple

from st_memory.core.memory.doubt import Doubt
from st_memory.core.memory.said import Said
from st_memory.core.memory.track import Track
from st_memory.core.memory.view import View
from st_memory.core.records import LifeCycle

__all__ = [
    'TrackWriter',
    'canonical_json',
    'track_from_plain',
    'track_from_text',
    'track_plain',
    'track_text',
]

# Left out while they say nothing; a weight of looks says nothing without the looks.
_OPTIONAL = ('appearance', 'appearance_count', 'doubt', 'id_doubts', 'said')
# Types whose values are another object when they are another value.
_SIMPLE = {'bool', 'float', 'int', 'str', 'None'}
# Points whose text is kept; each takes some hundred bytes.
_POINTS_KEPT = 16384
_POINT = struct.Struct('<3d')


def canonical_json(value: object) -> str:
    """Serialise so that equal values give equal text; floats round-trip exactly."""
    return json.dumps(value, sort_keys=True, separators=(',', ':'), allow_nan=False)


class TrackWriter:
    """
    Writes tracks as canonical JSON, frame after frame: what is as it was keeps its text.

    Parameters
    ----------
    room : int
        Tracks whose text is kept; each takes some kilobytes.

    """

    def __init__(self, room: int = 2048) -> None:
        self._room = room
        self._kept: dict[Track, _Kept] = {}

    def text(self, track: Track) -> str:
        """
        Give a track as canonical JSON.

        Raises
        ------
        ValueError
            If a number is not finite.

        """
        if math.isfinite(sum(_numbers(track)) + sum(track.label_votes.values())):
            try:
                return ''.join(self._pieces(track))
            except KeyError:
                pass  # a number of another type, as one of numpy
        return canonical_json(track_plain(track))

    def _pieces(self, track: Track) -> list[str]:
        form = _form(*_told(track))
        values = form.values(track)
        kept = self._kept.pop(track, None)  # back when all is written, as the newest
        if kept is None or kept.form is not form:
            pieces, copies = form.pieces(values), {i: _copied(values[i]) for i in form.flat}
        else:
            pieces, copies = kept.pieces, kept.copies
            for i in form.changed(kept, values):
                value = values[i]
                pieces[2 * i + 1] = _WRITE[type(value)](value)
                if i in copies:
                    copies[i] = _copied(value)
        if len(self._kept) >= self._room:
            del self._kept[next(iter(self._kept))]
        self._kept[track] = _Kept(form, values, copies, pieces)
        return pieces


def track_text(track: Track) -> str:
    """Write one track; see :meth:`TrackWriter.text`."""
    return TrackWriter().text(track)


def track_plain(track: Track) -> dict[str, Any]:
    """Give what :func:`track_text` writes as plain values, shared with the track."""
    views = {name: vars(view) for name, view in track.views.items()}
    plain = {**vars(track), 'views': views}
    for name, is_told in zip(_OPTIONAL, _told(track), strict=True):
        if not is_told:
            del plain[name]
        elif name in ('doubt', 'said'):
            plain[name] = vars(plain[name])
    return plain


def track_from_text(text: str) -> Track:
    """Rebuild from :func:`track_text`; the result is equal to the original in every field."""
    return track_from_plain(json.loads(text))


def track_from_plain(data: dict[str, Any]) -> Track:
    """Rebuild from what :func:`track_text` says, parsed; takes the values over."""
    data['views'] = {name: View(**view) for name, view in data['views'].items()}
    data['trail'] = [(stamp, fix) for stamp, fix in data['trail']]
    if 'doubt' in data:
        data['doubt'] = Doubt(**data['doubt'])
    if 'said' in data:
        data['said'] = Said(**data['said'])
    return Track(**data)


class _Form:
    """How a track is written of which some fields say anything: a text before each value."""

    def __init__(self, names: Sequence[str]) -> None:
        ordered = sorted(names)
        self.values: Callable[[Any], tuple[Any, ...]] = attrgetter(*ordered)
        self._before = [f',"{name}":' for name in ordered]
        self._before[0] = '{' + self._before[0][1:]
        self._places = range(len(ordered))
        self.flat = [i for i, name in enumerate(ordered) if name in _FLAT]
        self._nested = [i for i, name in enumerate(ordered) if name not in _FIXED | _FLAT]

    def pieces(self, values: tuple[Any, ...]) -> list[str]:
        """Write all."""
        pieces = [''] * (2 * len(values) + 1)
        pieces[:-1:2] = self._before
        pieces[1::2] = [_WRITE[type(value)](value) for value in values]
        pieces[-1] = '}'
        return pieces

    def changed(self, kept: _Kept, now: tuple[Any, ...]) -> Iterable[int]:
        """Give the places of what is another value, or may be the same one changed in place."""
        copies = kept.copies
        return chain(
            compress(self._places, map(is_not, kept.values, now)),
            [i for i in self.flat if now[i] != copies[i]],
            self._nested,
        )


class _Kept(NamedTuple):
    """What was written of a track last, and how."""

    form: _Form
    values: tuple[Any, ...]
    copies: dict[int, Any]
    pieces: list[str]


def _copied(value: list[Any] | None) -> list[Any] | None:
    return None if value is None else value[:]


def _told(track: Track) -> tuple[bool, ...]:
    """Whether each of the optional fields says anything."""
    looks = bool(track.appearance)
    return looks, looks, track.doubt is not None, bool(track.id_doubts), track.said is not None


@lru_cache(maxsize=16)
def _form(*told: bool) -> _Form:
    """Give how a track is written of which some of the optional fields say anything."""
    silent = {name for name, is_told in zip(_OPTIONAL, told, strict=True) if not is_told}
    return _Form([f.name for f in fields(Track) if f.name not in silent])


def _write_list(values: Sequence[Any]) -> str:
    if not values:
        return '[]'
    if type(values[0]) is float:  # then they all are
        return _write_floats(*values)
    return '[' + ','.join([_WRITE_INNER[type(value)](value) for value in values]) + ']'


def _write_floats(*values: float) -> str:
    if not math.isfinite(sum(values)) and not all(map(math.isfinite, values)):
        raise ValueError(f'track: expected finite numbers, got {values}')
    return '[' + ','.join(map(float.__repr__, values)) + ']'


@lru_cache(maxsize=_POINTS_KEPT)
def _write_point(packed: bytes) -> str:
    """Write a point given by its bits, which tell -0.0 from 0.0."""
    return _write_floats(*_POINT.unpack(packed))


def _write_inner(values: Sequence[Any]) -> str:
    """Write a list in a list: points mostly, and those are written again and again."""
    if len(values) == 3 and type(values[0]) is float:
        return _write_point(_POINT.pack(*values))
    return _write_list(values)


def _write_dict(values: Mapping[str, Any]) -> str:
    pieces = [f'{_write_str(name)}:{_WRITE[type(value)](value)}' for name, value in values.items()]
    if len(pieces) > 1:
        pieces = [piece for _, piece in sorted(zip(values, pieces, strict=True))]
    return '{' + ','.join(pieces) + '}'


def _write_view(view: View) -> str:
    since = 'null' if view.since_match is None else view.since_match
    return (
        f'{{"cause":{_write_str(view.cause)},"confirmed":{view.confirmed:d},'
        f'"geometry":{view.geometry:d},"looks_before":{view.looks_before:d},'
        f'"occluder":{_write_str(view.occluder)},'
        f'"run_confirmed":{"true" if view.run_confirmed else "false"},"since_match":{since},'
        f'"start_ns":{view.start_ns:d},"state":{view.state:d}}}'
    )


_write_str: Callable[[str], str] = lru_cache(maxsize=_POINTS_KEPT)(encode_basestring_ascii)
# Fields whose values never change in place.
_FIXED = {f.name for f in fields(Track) if {*f.type.split(' | ')} <= _SIMPLE}
# Lists of such values, which may change in place.
_FLAT = {f.name for f in fields(Track) if f.type.split(' | ')[0] in ('list[float]', 'list[str]')}
_numbers = attrgetter(*[f.name for f in fields(Track) if f.type == 'float'])
_WRITE: dict[type, Callable[[Any], str]] = {
    bool: {False: 'false', True: 'true'}.__getitem__,
    dict: _write_dict,
    float: float.__repr__,
    int: int.__repr__,
    list: _write_list,
    str: _write_str,
    tuple: _write_list,
    type(None): {None: 'null'}.__getitem__,
    Doubt: lambda doubt: canonical_json(vars(doubt)),
    Said: lambda said: canonical_json(vars(said)),
    View: _write_view,
    LifeCycle: int.__repr__,
}
_WRITE_INNER = {**_WRITE, list: _write_inner, tuple: _write_inner}

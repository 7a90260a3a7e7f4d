"""The text of a track: what ``json`` would write, whatever the fields say; and back."""

from __future__ import annotations

from dataclasses import fields
import json
import math
from typing import Any

import numpy as np
import pytest

from st_memory.core.memory.doubt import Doubt
from st_memory.core.memory.said import Said
from st_memory.core.memory.track import Track
from st_memory.core.memory.track_text import (
    canonical_json,
    track_from_plain,
    track_from_text,
    track_plain,
    track_text,
    TrackWriter,
)
from st_memory.core.memory.view import View
from st_memory.core.records import LifeCycle

_NUMBERS = (0.0, -0.0, 1.0, 0.1 + 0.2, 1e-300, -1.7976931348623157e308, 5e-324, 12345678.9)
_WORDS = ('', 'mug', 'tëa "böx"\n\\', '\U0001f375', '\x00')


def _drawn(rng: np.random.Generator) -> Track:
    """Draw a track that says something in every field."""

    def number() -> float:
        return float(rng.choice(_NUMBERS)) if rng.random() < 0.5 else float(rng.normal())

    def word() -> str:
        return _WORDS[rng.integers(len(_WORDS))]

    def point() -> list[float]:
        return [number() for _ in range(3)]

    views = {
        f'cam {name}': View(
            int(rng.integers(8)), 1, word(), word(), int(rng.integers(2**62)), 3, 2, True, None
        )
        for name in rng.permutation(3)[: rng.integers(4)].tolist()
    }
    drawn: dict[str, Any] = {
        'object_id': word(),
        'label_votes': {f'class {i}': number() for i in rng.permutation(4).tolist()},
        'aliases': [word() for _ in range(rng.integers(3))],
        'life_cycle': LifeCycle.CONFIRMED if rng.random() < 0.5 else 1,
        'annotated': bool(rng.random() < 0.5),
        'mean': point() if rng.random() < 0.5 else None,
        'variance': number(),
        'last_fix': point(),
        'last_fix_ns': -(2**63),
        'carrier_pose': [number() for _ in range(7)] if rng.random() < 0.5 else [],
        'trail': [(int(rng.integers(2**62)), point()) for _ in range(rng.integers(3))],
        'missed_from': [point() for _ in range(rng.integers(3))],
        'views': views,
        'id_doubts': int(rng.integers(2)),
    }
    if rng.random() < 0.5:
        drawn |= {'appearance': word(), 'appearance_count': number()}
    if rng.random() < 0.5:
        drawn['doubt'] = Doubt(5, {'b': 0.5, 'a': 1.0}, True)
    if rng.random() < 0.5:
        drawn['said'] = Said(label=word())
    return Track(**drawn)


@pytest.mark.parametrize('seed', range(40))
def test_text_is_what_json_writes_of_the_plain_values(seed: int) -> None:
    track = _drawn(np.random.default_rng(seed))
    assert track_text(track) == canonical_json(track_plain(track))


@pytest.mark.parametrize('seed', range(40))
def test_text_gives_the_same_track_again(seed: int) -> None:
    track = _drawn(np.random.default_rng(seed))
    again = track_from_text(track_text(track))
    for name in (f.name for f in fields(Track)):
        if name != 'appearance_count' or track.appearance:
            assert getattr(again, name) == getattr(track, name)
    assert track_text(again) == track_text(track)
    parsed = json.loads(canonical_json(track_plain(track)))
    assert track_text(track_from_plain(parsed)) == track_text(track)


@pytest.mark.parametrize('room', [1, 3, 2048])
def test_a_writer_forgets_nothing_that_has_changed(room: int) -> None:
    rng = np.random.default_rng(7)
    writer, tracks = TrackWriter(room), [_drawn(rng) for _ in range(5)]
    for _ in range(60):
        track, other = tracks[rng.integers(5)], _drawn(rng)
        for f in fields(Track):
            if rng.random() < 0.2:
                setattr(track, f.name, getattr(other, f.name))
        for view in track.views.values():
            view.confirmed += 1
        if track.trail:
            track.trail[-1][1][0] = float(rng.normal())
        assert writer.text(track) == canonical_json(track_plain(track))
        assert writer.text(track) == track_text(track)


def test_a_writer_is_right_again_after_what_it_could_not_write() -> None:
    writer, track = TrackWriter(), Track('a', label_votes={'cup': 1.0})
    good = writer.text(track)
    track.num_moves, track.variance = 3, math.nan
    with pytest.raises(ValueError, match='JSON'):
        writer.text(track)
    track.variance, track.size = 0.0, [math.inf, 0.0, 0.0]
    with pytest.raises(ValueError, match='finite'):
        writer.text(track)
    track.size, track.num_moves = [0.0, 0.0, 0.0], 0
    assert writer.text(track) == good
    track.size = [np.float64(0.5), 0.0, 0.0]
    assert writer.text(track) == canonical_json(track_plain(track))
    track.size = [0.0, 0.0, 0.0]
    assert writer.text(track) == good


def test_a_point_that_changes_in_place_is_written_as_it_is_now() -> None:
    track = Track('a', label_votes={'cup': 1.0}, mean=[0.0, 1.0, 2.0])
    before = track_text(track)
    assert track.mean is not None
    track.mean[0] = -0.0
    assert track_text(track) == before.replace('"mean":[0.0,', '"mean":[-0.0,')


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
def test_what_no_json_can_tell_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match='JSON'):
        track_text(Track('a', label_votes={'cup': 1.0}, variance=bad))
    with pytest.raises(ValueError, match='finite'):
        track_text(Track('a', label_votes={'cup': 1.0}, mean=[0.0, bad, 0.0]))
    with pytest.raises(ValueError, match='JSON'):
        track_text(Track('a', label_votes={'cup': bad}))


def test_numbers_of_numpy_are_written_like_any_other() -> None:
    track = Track('a', label_votes={'cup': 1.0}, variance=np.float64(0.1), mean=[np.float64(0.5)])
    assert '"variance":0.1,' in track_text(track)
    assert '"mean":[0.5],' in track_text(track)


def test_a_name_that_reads_like_a_bad_number_is_written() -> None:
    track = Track('a', label_votes={'cup': 1.0}, container_id='held by:infant', carrier=':nan')
    assert track_text(track) == canonical_json(track_plain(track))

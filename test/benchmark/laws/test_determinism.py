"""The measure of determinism tells a fold that rolls dice from one that does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import itertools
from pathlib import Path
from typing import Any

import pytest

from st_memory.bags import BagFrameSource
from st_memory.benchmark.laws import determinism
from st_memory.benchmark.laws.life import write_life
from st_memory.benchmark.laws.recorded import fold_of
from st_memory.core.memory import ObjectMemory
from st_memory.core.records import FrameDelta, SensedFrame
from st_memory.storage import InMemoryStore

NUM_FRAMES = 30


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """A life of six seconds."""
    return write_life(tmp_path / 'bags' / 'mine.mcap', 3, NUM_FRAMES)


@pytest.fixture(autouse=True)
def bags(tmp_path: Path) -> Path:
    """A folder for it."""
    (tmp_path / 'bags').mkdir()
    (tmp_path / 'out').mkdir()
    return tmp_path / 'bags'


def result_of(bag: Path, tmp_path: Path) -> dict[str, Any]:
    determinism.predict(bag.parent, tmp_path / 'out', 1)
    return determinism.score(bag.parent, tmp_path / 'out')


def test_same_frames_give_the_same_bytes(
    bag: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level('INFO', logger='st_memory.benchmark')

    result = result_of(bag, tmp_path)

    assert 'determinism: the first of two replays' in caplog.messages
    assert 'determinism: replay 1 of 3 in parts' in caplog.messages

    assert result['equal'] is True
    assert result['replays'] == {'runs': 5, 'different': 1}
    assert result['loops'] == {'runs': 3, 'different': 1}


class Dice(ObjectMemory):
    """A fold whose result depends on how often one was made before."""

    _made = itertools.count()

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._number = next(self._made)

    def integrate(self, frame: SensedFrame) -> FrameDelta:
        delta = super().integrate(frame)
        seen = tuple(replace(o, score=o.score / (2 + self._number)) for o in delta.observations)
        return replace(delta, observations=seen)


def test_fold_that_rolls_dice_is_found_out(
    bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('st_memory.benchmark.laws.recorded.ObjectMemory', Dice)

    result = result_of(bag, tmp_path)

    assert result['equal'] is False
    assert result['replays']['different'] == 5


class Forgetful(ObjectMemory):
    """A fold that does not go on from where it left off: it starts anew."""

    def __init__(self, settings: Any, scene: Any, caster: Any, checkpoint: Any = None) -> None:
        super().__init__(settings, scene, caster, checkpoint)
        if checkpoint is not None:
            self._state.pool.candidates.clear()
            for track in self._state.ordered():
                track.num_fixes = 0


def test_fold_that_forgets_at_a_restart_is_found_out(
    bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('st_memory.benchmark.laws.recorded.ObjectMemory', Forgetful)

    result = result_of(bag, tmp_path)

    assert result['equal'] is False
    assert result['replays']['different'] > 1
    assert result['loops']['different'] == 1


def test_epochs_that_hear_different_things_are_found_out(
    bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = determinism.looped_frames

    def with_leftovers(*given: Any) -> Iterator[SensedFrame]:
        """As if messages of one loop were put together with those of the next."""
        for frame in whole(*given):
            if frame.epoch != 1 or frame.stamp_ns % 3:
                yield frame

    monkeypatch.setattr(determinism, 'looped_frames', with_leftovers)

    result = result_of(bag, tmp_path)

    assert result['equal'] is False
    assert (result['replays']['different'], result['loops']['different']) == (1, 2)


def test_three_loops_are_three_epochs_of_as_many_frames(bag: Path) -> None:
    source = BagFrameSource(bag)

    epochs = [f.epoch for f in determinism.looped_frames(bag, source.scene, 3)]

    assert [epochs.count(e) for e in (0, 1, 2)] == [NUM_FRAMES] * 3


def test_epoch_of_a_dump_leaves_out_nothing_but_its_number(bag: Path) -> None:
    source = BagFrameSource(bag)
    store = InMemoryStore()
    fold = fold_of(source.scene)
    for frame in source.frames():
        store.commit(fold.integrate(frame))
    ((_, digest),) = determinism.epoch_digests(store).values()
    later = InMemoryStore()
    fold = fold_of(source.scene)
    for frame in source.frames():
        later.commit(fold.integrate(replace(frame, epoch=7)))

    ((epoch, (_, other)),) = determinism.epoch_digests(later).items()

    assert (epoch, other) == (7, digest)


@pytest.mark.parametrize(
    'rows',
    [
        'replays,first,1,a\nreplays,second,1,a\n',
        'loops,epoch 0,1,a\nloops,epoch 1,1,a\nloops,epoch 2,1,a\n',
    ],
)
def test_too_few_runs_are_not_equal(tmp_path: Path, rows: str) -> None:
    (tmp_path / determinism.DUMPS).write_text('group,run,lines,sha256\n' + rows)

    assert determinism.score(tmp_path, tmp_path)['equal'] is False

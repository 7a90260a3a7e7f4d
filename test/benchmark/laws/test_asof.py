"""The measure of "as of T" tells a store that leaks the future from one that does not."""

from __future__ import annotations

from collections.abc import Sequence
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from st_memory.bags import BagFrameSource
from st_memory.benchmark import benchmark_named, run_predict, run_score
from st_memory.benchmark.laws import asof
from st_memory.benchmark.laws.asking import answers, digest
from st_memory.benchmark.laws.life import write_life
from st_memory.benchmark.laws.recorded import fold_of
from st_memory.benchmark.laws.telling import live
from st_memory.core.ports import MemoryReader
from st_memory.core.records import Edit, Event, ObjectState, SensedFrame
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore


class Lived:
    """A short life, folded whole."""

    def __init__(self, bag: Path) -> None:
        self.source = BagFrameSource(bag)
        self.full = InMemoryStore()
        self.full.put_scene(self.source.scene)
        rng = np.random.default_rng(4)
        fold = fold_of(self.source.scene)
        self.frames = list(live(self.source, fold, self.full, rng))

    def rows(self, full: MemoryReader, count: int = 6) -> list[asof.Row]:
        rng = np.random.default_rng(11)
        moments = asof.random_moments(self.frames, count, rng)
        cut = InMemoryStore()
        cut.put_scene(self.source.scene)
        fold = fold_of(self.source.scene)
        return list(asof.compare(full, cut, self.frames, moments, rng, lambda: fold))


@pytest.fixture(scope='module')
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """A life of 14 seconds, twice over, with edits and rebases in between."""
    return Lived(write_life(tmp_path_factory.mktemp('life') / 'life.mcap', 4, 70))


class Leaking:
    """A reader that answers some question from its newest moment, whatever is asked."""

    def __init__(self, store: InMemoryStore, leak: str) -> None:
        self._store = store
        self._leak = leak

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name != self._leak:
            return method

        def latest(*given: Any, **named: Any) -> Any:
            kept = [None if isinstance(g, Moment) else g for g in given]
            return method(*kept, **{k: v for k, v in named.items() if k != 'at'})

        return latest


def test_all_answers_of_a_sound_store_are_equal(lived: Lived) -> None:
    rows = lived.rows(lived.full)

    assert len({row.item for row in rows}) == 6
    assert len({row.question.split()[0] for row in rows}) > 12
    assert [row.question for row in rows if row.full != row.truncated] == []


@pytest.mark.parametrize('leak', ['object_at', 'objects_at', 'placements', 'events', 'intervals'])
def test_store_that_leaks_the_future_is_found_out(lived: Lived, leak: str) -> None:
    rows = lived.rows(Leaking(lived.full, leak))  # type: ignore[arg-type]

    assert any(row.full != row.truncated for row in rows)


def test_life_has_edits_rebases_and_epochs(lived: Lived) -> None:
    said = [edit for frame in lived.frames for edit in frame.edits]

    assert all(isinstance(edit, Edit) for edit in said)
    assert said
    assert sum(frame.rebase is not None for frame in lived.frames) == 2
    assert lived.full.epochs() == (0, 1, 2, 3)


def test_moments_lie_in_all_epochs_and_none_before_its_first_frame(lived: Lived) -> None:
    moments = asof.random_moments(lived.frames, 300, np.random.default_rng(0))

    assert {m.epoch for m in moments} == {0, 1, 2, 3}
    for moment in moments:
        first = lived.full.first_moment(moment.epoch)
        assert first is not None
        assert first <= moment
    stamps = {frame.stamp_ns for frame in lived.frames}
    at_frames = sum(m.stamp_ns in stamps for m in moments)
    assert 0.15 < at_frames / 300 < 0.5


def test_answer_texts_differ_by_the_last_digit(lived: Lived) -> None:
    state = next(s for s in lived.full.objects_at() if s.world_p is not None)
    now = lived.full.now()
    assert now is not None
    told = dict(answers(lived.full, now, [state.object_id], []))

    assert repr(state.world_p[0]) in told[f'where {state.object_id}']
    assert digest('1.0') != digest('1.0000000000000002')


def _columns(rows: Sequence[tuple[int, str, str]]) -> str:
    head = 'item,epoch,stamp_ns,question,full_sha256,truncated_sha256\n'
    return head + ''.join(f'{i},0,5,where cup_1,{a},{b}\n' for i, a, b in rows)


@pytest.mark.parametrize(
    ('rows', 'equal', 'total'),
    [
        ([(0, 'a', 'a'), (0, 'b', 'b'), (1, 'c', 'c')], 2, 2),
        ([(0, 'a', 'a'), (0, 'b', 'x'), (1, 'c', 'c')], 1, 2),
        ([(0, 'a', 'y'), (1, 'c', 'x')], 0, 2),
    ],
)
def test_moment_counts_only_when_all_its_answers_are_equal(
    tmp_path: Path, rows: list[tuple[int, str, str]], equal: int, total: int
) -> None:
    (tmp_path / asof.ANSWERS).write_text(_columns(rows), encoding='utf-8')

    result = asof.score(tmp_path, tmp_path)

    assert (result['equal'], result['total']) == (equal, total)
    assert result['details']['answers'] == len(rows)


def test_benchmark_writes_what_can_be_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level('INFO', logger='st_memory.benchmark')
    monkeypatch.setattr(asof, '_NUM_MOMENTS', 3)
    bags = tmp_path / 'bags'
    bags.mkdir()
    write_life(bags / 'mine.mcap', 2, 30)
    asked = benchmark_named('asof')

    manifest = run_predict(asked, bags, tmp_path / 'out', seed=1)
    result = run_score(asked, bags, tmp_path / 'out')

    assert manifest['run']['bag'] == 'mine.mcap'
    assert (result['equal'], result['total']) == (3, 3)
    assert 'as of: moment 1 of 3' in caplog.messages
    assert json.loads((tmp_path / 'out' / 'score.json').read_text())['equal'] == 3


def test_leak_of_a_single_state_is_enough(lived: Lived) -> None:
    """An answer that differs in nothing but a count of observations is another answer."""

    class OneMore(Leaking):
        def object_at(self, object_id: str, at: Moment | None = None) -> ObjectState | None:
            from dataclasses import replace

            state = self._store.object_at(object_id, at)
            return state and replace(state, num_observations=state.num_observations + 1)

        def objects_at(self, at: Moment | None = None) -> tuple[ObjectState, ...]:
            from dataclasses import replace

            return tuple(
                replace(s, num_observations=s.num_observations + 1)
                for s in self._store.objects_at(at)
            )

    rows = lived.rows(OneMore(lived.full, ''), 2)  # type: ignore[arg-type]
    assert any(row.full != row.truncated for row in rows)
    assert isinstance(lived.frames[0], SensedFrame)
    assert all(isinstance(e, Event) for e in lived.full.events())

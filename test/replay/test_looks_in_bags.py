"""What detections look like comes through a recording, as it does from the frames themselves."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings
from st_memory.core.records import LifeCycle, SensedFrame
from st_memory.replay import replay, ReplayReport
from st_memory.storage import InMemoryStore
from test.scenarios.sensed_bag import write_sensed
from test.scenarios.swapped_twins import BLUE, Look, RED, swapped, with_look


def _replayed(path: Path, frames: list[SensedFrame]) -> tuple[InMemoryStore, ReplayReport]:
    store = InMemoryStore()
    report = replay(BagFrameSource(write_sensed(path, frames)), store, MemorySettings())
    assert report.num_frames == len(frames)
    assert report.source_counters == {}
    return store, report


def _sides(store: InMemoryStore) -> dict[str, tuple[bool, int]]:
    """Whether each mug that is believed in is on the left, and how often it was moved."""
    return {
        s.object_id: (s.world_p is not None and s.world_p[1] > 0, s.num_moves)
        for s in store.objects_at()
        if s.life_cycle is LifeCycle.CONFIRMED
    }


def test_embeddings_of_a_bag_are_those_of_the_detector(tmp_path: Path) -> None:
    frames = swapped()
    source = BagFrameSource(write_sensed(tmp_path / 'twins.mcap', frames))

    for read, written in zip(source.frames(), frames, strict=True):
        found = [d.embedding for d in read.cameras[0].detections or ()]
        assert found == [d.embedding for d in written.cameras[0].detections or ()]


def test_twins_of_a_bag_are_told_apart_by_their_looks(tmp_path: Path) -> None:
    store, report = _replayed(tmp_path / 'twins.mcap', swapped())

    before = _sides(_replayed(tmp_path / 'before.mcap', swapped()[:10])[0])
    assert {side for side, _ in before.values()} == {True, False}
    assert _sides(store) == {name: (not side, 1) for name, (side, _) in before.items()}
    assert not any('embedding' in name for name in report.memory_counters)


@pytest.mark.parametrize(
    ('left', 'right'),
    [
        pytest.param((), (), id='none'),
        pytest.param(RED, RED, id='alike'),
        pytest.param((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), id='zeros'),
    ],
)
def test_twins_of_a_bag_without_telling_looks_stay(
    tmp_path: Path, left: Look, right: Look
) -> None:
    store, _ = _replayed(tmp_path / 'twins.mcap', swapped(left, right))

    assert sorted(_sides(store)) == ['mug_1', 'mug_2']
    assert {moves for _, moves in _sides(store).values()} == {0}


@pytest.mark.parametrize(
    ('look', 'reason'),
    [
        ((0.0, 0.0, 0.0), 'embedding_unusable'),
        ((math.nan, 1.0, 0.0), 'embedding_unusable'),
        ((1.0, math.inf, 0.0), 'embedding_unusable'),
        ((1.0, 0.0), 'embedding_of_another_size'),
        ((*RED, 0.0), 'embedding_of_another_size'),
    ],
)
def test_bad_embedding_of_a_bag_is_counted_and_costs_nothing_else(
    tmp_path: Path, look: Look, reason: str
) -> None:
    store, report = _replayed(tmp_path / 'bad.mcap', with_look(swapped(), 6, look))

    assert report.memory_counters[reason] == 1
    assert sorted(n for n in report.memory_counters if 'embedding' in n) == [reason]
    assert _sides(store) == _sides(_replayed(tmp_path / 'good.mcap', swapped(RED, BLUE))[0])

"""How long one frame takes to be integrated and committed, beside bare rows in SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
import tempfile

from benchmarks.figure import Figure, Measured
from benchmarks.fixture import fixture_bag
from benchmarks.reference.append_rows import RowAppender
from benchmarks.sampling import alternate, seconds_of
from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import FrameDelta, SensedFrame
from st_memory.scene import EmbreeRayCaster
from st_memory.storage import SqliteMemoryStore

__all__ = ['INTEGRATE_FRAME']


def _measure() -> Measured:
    source = BagFrameSource(fixture_bag())
    frames = list(source.frames())
    with tempfile.TemporaryDirectory() as folder:
        bare = RowAppender(Path(folder) / 'bare.db')
        with SqliteMemoryStore.open(Path(folder) / 'memory.db') as store:
            memory = ObjectMemory(MemorySettings(), source.scene, EmbreeRayCaster(source.scene))
            ours = _integrating(iter(frames), memory, store)
            rows: list[int] = []

            def value() -> float:
                spent_s, delta = next(ours)
                rows.append(_num_rows(delta))
                return spent_s * 1e3

            # The first frames find nothing to look for; the median does not mind them.
            result = alternate(
                value, lambda: seconds_of(lambda: bare.append(rows[-1])) * 1e3, len(frames) - 1
            )
        bare.close()
    return result


def _integrating(
    frames: Iterator[SensedFrame], memory: ObjectMemory, store: SqliteMemoryStore
) -> Iterator[tuple[float, FrameDelta]]:
    """Give seconds and outcome frame by frame."""
    for frame in frames:
        deltas: list[FrameDelta] = []

        def work(frame: SensedFrame = frame, deltas: list[FrameDelta] = deltas) -> None:
            deltas.append(memory.integrate(frame))
            store.commit(deltas[0])

        yield seconds_of(work), deltas[0]


def _num_rows(delta: FrameDelta) -> int:
    """Rows that a frame is made of, the frame's own among them."""
    kinds = (
        delta.tracks,
        delta.observations,
        delta.intervals,
        delta.placements,
        delta.looks,
        delta.events,
    )
    return 1 + sum(map(len, kinds))


INTEGRATE_FRAME = Figure(
    name='integrate_frame',
    unit='ms',
    reference='bare SQLite: as many rows appended, one transaction a frame',
    measure=_measure,
)

"""Rules of ``MemoryStore``: frames are appended in order, all or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.ports import MemoryStore
from st_memory.core.records import (
    Event,
)
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import (
    ALL_OR_NOTHING,
    frame,
    interval,
    look,
    placement,
    seen,
    state,
    track,
)
from test.contracts.memory_store.rules import StoreRules

__all__ = ['FrameRules']


class FrameRules(StoreRules):
    """Frames are appended in order, all or nothing."""

    def test_store_satisfies_the_port(self, store: MemoryStore) -> None:
        """The class has every method of the port."""
        assert isinstance(store, MemoryStore)

    def test_empty_store_answers_with_nothing(self, store: MemoryStore) -> None:
        """Questions to an empty memory are answered, with nothing."""
        assert store.now() is None
        assert store.first_moment(0) is None
        assert store.latest_moment(Moment(0, 10)) is None
        assert store.epochs() == ()
        assert store.object_at('cup_1') is None
        assert store.objects_at() == ()
        assert store.objects_called('cup') == ()
        assert store.intervals('cup_1') == ()
        assert store.placements('cup_1') == ()
        assert store.observations('cup_1') == ()
        assert store.num_confirmed('cup_1', 'head', (0, 9)) == 0
        assert store.events() == ()
        assert store.look_at(None) is None
        assert tuple(store.looks(None)) == ()
        assert store.checkpoint() is None
        assert store.scene().parts == store.scene().fixtures == ()

    def test_commit_moves_now(self, store: MemoryStore) -> None:
        """The newest moment is that of the frame committed last."""
        store.commit(frame(0, 10))
        store.commit(frame(1, 20))
        store.commit(frame(2, 5, epoch=1))

        assert store.now() == Moment(1, 5)
        assert store.first_moment(0) == Moment(0, 10)
        assert store.first_moment(1) == Moment(1, 5)
        assert store.epochs() == (0, 1)

    @pytest.mark.parametrize(
        ('at', 'expected'),
        [
            (Moment(0, 9), None),
            (Moment(0, 10), Moment(0, 10)),
            (Moment(0, 19), Moment(0, 10)),
            (Moment(0, 99), Moment(0, 20)),
            (Moment(2, 4), None),
            (Moment(2, 8), Moment(2, 7)),
            (Moment(2, 99), Moment(2, 7)),
            (Moment(1, 50), None),
            (Moment(3, 50), None),
        ],
    )
    def test_latest_moment_is_that_of_the_newest_frame_not_after(
        self, store: MemoryStore, at: Moment, expected: Moment | None
    ) -> None:
        """It is a frame's, of the epoch asked about; frames of one stamp are one moment."""
        frames = [(0, 10), (0, 20), (2, 5), (2, 7), (2, 7)]
        for seq, (epoch, stamp_ns) in enumerate(frames):
            store.commit(frame(seq, stamp_ns, epoch=epoch))

        assert store.latest_moment(at) == expected

    @pytest.mark.parametrize('seq', [0, 2, -1])
    def test_commit_with_another_seq_is_refused(self, store: MemoryStore, seq: int) -> None:
        """Only the next frame is taken, and a refusal leaves nothing behind."""
        store.commit(frame(0, 10))

        with pytest.raises(StoreError, match=f'expected frame seq 1, got {seq}'):
            store.commit(frame(seq, 20, tracks=track()))

        assert store.now() == Moment(0, 10), ALL_OR_NOTHING
        assert store.objects_at() == (), ALL_OR_NOTHING
        store.commit(frame(1, 20))

    @pytest.mark.parametrize(('epoch', 'stamp_ns'), [(1, 9), (0, 99)])
    def test_commit_of_an_earlier_moment_is_refused(
        self, store: MemoryStore, epoch: int, stamp_ns: int
    ) -> None:
        """Moments never go backwards."""
        store.commit(frame(0, 10, epoch=1))

        with pytest.raises(StoreError, match='at or after epoch 1 stamp 10'):
            store.commit(frame(1, stamp_ns, epoch=epoch))

    def test_second_frame_of_a_stamp_replaces_the_state(self, store: MemoryStore) -> None:
        """Two frames may share a stamp; the state then is the later one's."""
        store.commit(frame(0, 10, tracks=track(label='cup'), looks=(look(10),)))
        store.commit(frame(1, 10, tracks=track(label='mug'), looks=(look(10),)))

        at = store.object_at('cup_1', Moment(0, 10))

        assert at == state(label='mug')
        assert len(store.looks('head')) == 1

    @pytest.mark.parametrize(
        'rows',
        [
            {'tracks': track(epoch=1)},
            {'looks': (look(9),)},
            {'observations': (seen(9),)},
            {'intervals': (interval(11),)},
            {'placements': (placement(11),)},
            {'events': (Event('e', 'moved', 1, 0, 0, 10),)},
        ],
        ids=lambda rows: next(iter(rows)),
    )
    def test_row_of_another_frame_is_refused(
        self, store: MemoryStore, rows: dict[str, tuple[object, ...]]
    ) -> None:
        """A row that names another epoch or stamp than its frame would break the as-of rule."""
        with pytest.raises(ValueError, match='expected a row of the frame'):
            store.commit(frame(0, 10, **rows))

        assert store.now() is None, ALL_OR_NOTHING

    @pytest.mark.parametrize(
        'rows',
        [
            {'tracks': track(world_p=(0.0, float('nan'), 0.0))},
            {'tracks': track(existence_probability=float('inf'))},
            {'tracks': track(identity_confidence=float('nan'))},
            {'observations': (replace(seen(10), camera_p=(float('nan'),) * 3),)},
            {'placements': (replace(placement(1), world_p=(float('-inf'), 0.0, 0.0)),)},
        ],
        ids=['world_p', 'probability', 'confidence', 'camera_p', 'placement'],
    )
    def test_number_that_is_not_finite_is_refused(
        self, store: MemoryStore, rows: dict[str, tuple[object, ...]]
    ) -> None:
        """NaN must not come back as a missing number."""
        with pytest.raises(ValueError, match='expected finite numbers'):
            store.commit(frame(0, 10, **rows))

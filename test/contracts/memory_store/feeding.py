"""Rules of ``MemoryStore``: frames are handed from one memory to another."""

from __future__ import annotations

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.ports import FrameName, FrameOrigin, MemoryStore, StoredFrame
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import (
    ALL_OR_NOTHING,
    frame,
    interval,
    KEPT,
    look,
    seen,
    track,
)
from test.contracts.memory_store.rules import StoreRules

__all__ = ['FeedingRules']


class FeedingRules(StoreRules):
    """Frames are handed from one memory to another."""

    def test_deltas_after_gives_later_frames_alone(self, store: MemoryStore) -> None:
        """In order, each with its rows and with who wrote it."""
        for seq in range(4):
            rows = {'observations': (seen(10 * seq),), 'looks': (look(10 * seq),)}
            store.commit(frame(seq, 10 * seq, tracks=track(num_moves=seq), **rows))

        found = list(store.deltas_after(1))

        assert [stored.delta.frame.seq for stored in found] == [2, 3]
        assert [stored.delta.observations for stored in found] == [(seen(20),), (seen(30),)]
        assert [s.delta.tracks[0].state.num_moves for s in found] == [2, 3]
        assert len({stored.origin for stored in found}) == 1
        assert all(found[0].origin)
        assert [stored.delta.frame.fold_json for stored in found] == ['', '{"seq":3}'], KEPT
        assert found[1].delta.tracks[0].fold_json == '{"n":1}', KEPT
        assert list(store.deltas_after(3)) == list(store.deltas_after(99)) == []
        assert len(list(store.deltas_after(-1))) == 4

    def test_deltas_after_ends_with_all_objects_of_the_epoch(self, store: MemoryStore) -> None:
        """What the fold goes on from comes with the newest frame, whatever that frame changed."""
        store.commit(frame(0, 10, tracks=track()))
        store.commit(frame(1, 20, tracks=track(object_id='jar_1')))
        store.commit(frame(2, 30))

        (newest,) = store.deltas_after(1)
        checkpoint = store.checkpoint()

        assert checkpoint is not None
        assert newest.delta.frame == checkpoint.frame
        assert newest.delta.tracks == checkpoint.tracks
        assert len(checkpoint.tracks) == 2

    def test_deltas_after_between_frames_of_one_moment_is_refused(
        self, store: MemoryStore
    ) -> None:
        """Their rows cannot be told apart; from before them on they are one."""
        store.commit(frame(0, 10))
        store.commit(frame(1, 20, observations=(seen(20),)))
        store.commit(frame(2, 20, observations=(seen(20, 'wrist'),)))

        with pytest.raises(StoreError, match='frames 1 and 2 have the same moment'):
            list(store.deltas_after(1))
        later = list(store.deltas_after(0))

        assert [stored.delta.frame.seq for stored in later] == [1, 2]
        assert sum(len(stored.delta.observations) for stored in later) == 2

    def test_deltas_after_less_than_nothing_is_refused(self, store: MemoryStore) -> None:
        """-1 stands for all frames."""
        store.commit(frame(0, 10))

        with pytest.raises(ValueError, match='expected -1 or more, got -2'):
            list(store.deltas_after(-2))

    def test_restore_keeps_the_origin(self, store: MemoryStore) -> None:
        """Frames that came from elsewhere stay those of who wrote them."""
        origins = [FrameOrigin('robot_1', 'a'), FrameOrigin('robot_1', 'b')]
        for seq, origin in enumerate([origins[0], origins[0], origins[1]]):
            store.restore(StoredFrame(origin, frame(seq, 10 * seq)))
        store.commit(frame(3, 40))

        found = [stored.origin for stored in store.deltas_after(-1)]

        assert found[:3] == [origins[0], origins[0], origins[1]]
        assert found[3] not in origins

    def test_frame_at_names_moment_and_origin(self, store: MemoryStore) -> None:
        """Two memories whose frame of a number has one name are copies up to there."""
        store.restore(StoredFrame(FrameOrigin('robot_1', 'a'), frame(0, 10)))
        store.restore(StoredFrame(FrameOrigin('robot_1', 'b'), frame(1, 5, epoch=2)))

        assert store.frame_at(0) == FrameName(Moment(0, 10), FrameOrigin('robot_1', 'a'))
        assert store.frame_at(1) == FrameName(Moment(2, 5), FrameOrigin('robot_1', 'b'))
        assert store.frame_at(2) is store.frame_at(-1) is None

    def test_restore_of_another_frame_is_refused(self, store: MemoryStore) -> None:
        """The same frame again, or one too far, is not taken."""
        origin = FrameOrigin('robot_1', 'a')
        store.restore(StoredFrame(origin, frame(0, 10)))

        for seq in (0, 2):
            with pytest.raises(StoreError, match=f'expected frame seq 1, got {seq}'):
                store.restore(StoredFrame(origin, frame(seq, 20)))

        assert store.now() == Moment(0, 10), ALL_OR_NOTHING

    def test_thinned_observation_still_counts(self, store: MemoryStore) -> None:
        """Three frames confirmed the interval; of one of them only that is known."""
        origin = FrameOrigin('robot_1', 'a')
        store.commit(
            frame(0, 10, looks=(look(10),), observations=(seen(10),), intervals=(interval(10),))
        )
        thinned = (('cup_1', 'head'),)
        store.restore(StoredFrame(origin, frame(1, 20, looks=(look(20),)), thinned))
        store.commit(frame(2, 30, looks=(look(30),), observations=(seen(30),)))

        counts = [store.intervals('cup_1', Moment(0, t))[0].num_confirmed for t in (10, 20, 30)]

        assert counts == [1, 2, 3]
        assert [o.stamp_ns for o in store.observations('cup_1')] == [10, 30]
        assert [stored.thinned for stored in store.deltas_after(-1)] == [(), thinned, ()]

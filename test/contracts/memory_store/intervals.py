"""Rules of ``MemoryStore``: visibility intervals are cut at the moment."""

from __future__ import annotations

from st_memory.core.ports import MemoryStore
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import AS_OF, frame, interval, KEPT, look, seen
from test.contracts.memory_store.rules import StoreRules

__all__ = ['IntervalRules']


class IntervalRules(StoreRules):
    """Visibility intervals are cut at the moment."""

    def test_open_interval_counts_frames_up_to_the_moment(self, store: MemoryStore) -> None:
        """Counts of an open interval follow from the looks and observations in it."""
        store.commit(frame(0, 10, looks=(look(10),), observations=(seen(10),)))
        store.commit(frame(1, 20, looks=(look(20),), intervals=(interval(20),)))
        store.commit(frame(2, 30, looks=(look(30),), observations=(seen(30),)))
        store.commit(frame(3, 40, looks=(look(40, 'wrist'),), observations=(seen(40, 'wrist'),)))

        (found,) = store.intervals('cup_1', Moment(0, 45))

        assert found == interval(20, last_frame_ns=30, num_frames=2, num_confirmed=1)

    def test_closed_interval_is_given_as_it_was_closed(self, store: MemoryStore) -> None:
        """Counts of a closed interval are the fold's."""
        closed = interval(10, 30, last_frame_ns=20, num_frames=2, num_confirmed=1)
        store.commit(frame(0, 10, looks=(look(10),), intervals=(interval(10),)))
        store.commit(frame(1, 20, looks=(look(20),)))
        store.commit(frame(2, 30, looks=(look(30),), intervals=(closed,)))

        assert store.intervals('cup_1') == (closed,), KEPT

    def test_closed_interval_was_open_before(self, store: MemoryStore) -> None:
        """Inside an interval its end is not known yet."""
        closed = interval(10, 30, last_frame_ns=20, num_frames=2, num_confirmed=1)
        store.commit(frame(0, 10, looks=(look(10),), intervals=(interval(10),)))
        store.commit(frame(1, 20, looks=(look(20),), observations=(seen(20),)))
        store.commit(frame(2, 30, looks=(look(30),), intervals=(closed,)))

        assert store.intervals('cup_1', Moment(0, 9)) == (), AS_OF
        assert store.intervals('cup_1', Moment(0, 19)) == (interval(10),), AS_OF
        open_at_29 = interval(10, last_frame_ns=20, num_frames=2, num_confirmed=1)
        assert store.intervals('cup_1', Moment(0, 29)) == (open_at_29,), AS_OF

    def test_interval_concluded_late_is_seen_from_then_on(self, store: MemoryStore) -> None:
        """A start or an end in the past is known from the frame that says so."""
        store.commit(frame(0, 10, looks=(look(10),)))
        store.commit(frame(1, 20, looks=(look(20),), intervals=(interval(10),)))
        closed = interval(10, 15, num_frames=1)
        store.commit(frame(2, 30, looks=(look(30),), intervals=(closed,)))

        ends = [
            [row.end_ns for row in store.intervals('cup_1', Moment(0, t))] for t in (19, 29, 30)
        ]

        assert ends == [[], [None], [15]], AS_OF

    def test_interval_closed_with_another_cause_had_the_first_one(
        self, store: MemoryStore
    ) -> None:
        """What a closing row says differently is known from its frame on."""
        closed = interval(10, 30, cause='in_view', num_frames=1)
        store.commit(frame(0, 10, looks=(look(10),), intervals=(interval(10, cause='edge'),)))
        store.commit(frame(1, 30, intervals=(closed,)))

        causes = [store.intervals('cup_1', Moment(0, t))[0].cause for t in (10, 29, 30)]

        assert causes == ['edge', 'edge', 'in_view'], AS_OF

    def test_intervals_are_given_by_start_and_camera(self, store: MemoryStore) -> None:
        """The order is (start, camera), and a camera may be picked."""
        rows = tuple(
            interval(start, start + 1, camera_id=camera)
            for start, camera in [(5, 'wrist'), (5, 'head'), (3, 'wrist')]
        )
        store.commit(frame(0, 10, intervals=rows))

        found = [(r.start_ns, r.camera_id) for r in store.intervals('cup_1')]

        assert found == [(3, 'wrist'), (5, 'head'), (5, 'wrist')]
        assert [r.start_ns for r in store.intervals('cup_1', camera_id='head')] == [5]

    def test_interval_without_a_look_counts_one_frame(self, store: MemoryStore) -> None:
        """The frame that opened an interval is in it, look or not."""
        store.commit(frame(0, 10, intervals=(interval(10, camera_id=''),)))

        (found,) = store.intervals('cup_1')

        assert (found.num_frames, found.num_confirmed, found.last_frame_ns) == (1, 0, 10)

"""Rules of ``MemoryStore``: objects are found by place."""

from __future__ import annotations

import pytest

from st_memory.core.ports import MemoryStore
from st_memory.core.records.detections import Point
from test.contracts.memory_store.rows import frame, track
from test.contracts.memory_store.rules import StoreRules

__all__ = ['PlaceRules']


class PlaceRules(StoreRules):
    """Objects are found by place."""

    @pytest.mark.parametrize(
        ('centre', 'radius_m', 'expected'),
        [
            ((0.0, 0.0, 0.0), 10.0, ('a', 'b')),
            ((0.0, 0.0, 0.0), 4.999999, ('a',)),
            ((0.0, 0.0, 0.0), 5.0, ('a', 'b')),
            ((3.0, 4.0, 0.0), 0.0, ('b',)),
            ((1.0, 1.0, 9.0), 1.0, ()),
            ((1e300, 0.0, 0.0), 1.0, ('far',)),
        ],
    )
    def test_objects_within_compares_in_double_precision(
        self, store: MemoryStore, centre: Point, radius_m: float, expected: tuple[str, ...]
    ) -> None:
        """A 3-4-5 triangle puts ``b`` on the rim; ``nowhere`` has no place."""
        places = {'a': (0.1, 0.1, 0.1), 'b': (3.0, 4.0, 0.0), 'far': (1e300, 0.0, 0.0)}
        tracks = tuple(track(object_id=name, world_p=p)[0] for name, p in places.items())
        store.commit(frame(0, 10, tracks=(*tracks, *track(object_id='nowhere', world_p=None))))

        found = store.objects_within(centre, radius_m)

        assert tuple(s.object_id for s in found) == expected
        assert all(s == store.object_at(s.object_id) for s in found)

    def test_objects_within_follows_moves_and_epochs(self, store: MemoryStore) -> None:
        """Only where an object is now counts, be the move long or short, and this epoch alone."""
        origin = (0.0, 0.0, 0.0)
        store.commit(frame(0, 10, tracks=track(world_p=origin)))
        store.commit(frame(1, 20, tracks=track(world_p=(0.05, 0.0, 0.0))))
        assert store.objects_within(origin, 0.01) == ()
        assert len(store.objects_within((0.05, 0.0, 0.0), 0.0)) == 1

        store.commit(frame(2, 30, tracks=track(world_p=(8.0, 0.0, 0.0))))
        assert store.objects_within(origin, 1.0) == ()
        assert len(store.objects_within((8.0, 0.0, 0.0), 0.5)) == 1

        store.commit(frame(3, 40, tracks=track(world_p=None)))
        assert store.objects_within(origin, 1e6) == ()

        store.commit(frame(4, 50, tracks=track(world_p=origin)))
        store.commit(frame(5, 1, epoch=1))
        assert store.objects_within(origin, 1e6) == ()

    @pytest.mark.parametrize(
        ('centre', 'radius_m'),
        [
            ((0.0, 0.0, 0.0), -1.0),
            ((0.0, 0.0, 0.0), float('nan')),
            ((float('inf'), 0.0, 0.0), 1.0),
        ],
    )
    def test_objects_within_no_ball_is_refused(
        self, store: MemoryStore, centre: Point, radius_m: float
    ) -> None:
        """The message gives what was asked."""
        with pytest.raises(ValueError, match='ball: expected finite numbers'):
            store.objects_within(centre, radius_m)

"""Rules of ``MemoryStore``: objects come back as they were committed, as of any moment."""

from __future__ import annotations

import pytest

from st_memory.core.ports import MemoryStore
from st_memory.core.records import (
    LifeCycle,
    ObjectState,
    TrackRecord,
    Visibility,
)
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import (
    AS_OF,
    frame,
    KEPT,
    look,
    OTHER_EPOCH,
    seen,
    state,
    track,
)
from test.contracts.memory_store.rules import StoreRules

__all__ = ['ObjectRules']


class ObjectRules(StoreRules):
    """Objects come back as they were committed, as of any moment."""

    def test_object_comes_back_as_committed(self, store: MemoryStore) -> None:
        """Every field survives, down to the sign of zero."""
        store.commit(frame(0, 10, tracks=track()))

        found = store.object_at('cup_1')

        assert repr(found) == repr(state()), KEPT

    def test_object_without_anything_known_comes_back(self, store: MemoryStore) -> None:
        """Missing values stay missing."""
        bare = ObjectState('cup_1', 'cup', 0)
        store.commit(frame(0, 10, tracks=(TrackRecord(bare, '{}'),)))

        assert store.object_at('cup_1') == bare, KEPT

    def test_object_as_of_earlier_is_the_earlier_state(self, store: MemoryStore) -> None:
        """A state holds from the stamp of its frame to the next one."""
        store.commit(frame(0, 10, tracks=track(label='cup')))
        store.commit(frame(1, 20))
        store.commit(frame(2, 30, tracks=track(label='mug')))

        labels = [
            found and found.label
            for found in (store.object_at('cup_1', Moment(0, t)) for t in (9, 10, 29, 30, 99))
        ]

        assert labels == [None, 'cup', 'cup', 'mug', 'mug'], AS_OF

    @pytest.mark.parametrize(
        ('field', 'value'),
        [
            ('label', 'mug'), ('life_cycle', LifeCycle.RETIRED), ('aliases', ('mug',)),
            ('world_p', None), ('world_p', (0.1, 0.0, 1e-300)), ('size_m', (0.08, 0.09, 0.2)),
            ('position_sigma_m', 0.5), ('visibility', Visibility.ABSENT), ('cause', ''),
            ('occluder_id', ''), ('geometry', Visibility.VISIBLE), ('confirmed', False),
            ('first_seen_ns', None), ('last_seen_ns', 9), ('last_visible_ns', None),
            ('last_placed_ns', 9), ('placed_by', ''), ('visibility_since_ns', 9),
            ('fixture_id', ''), ('fixture_alternatives', ()), ('container_id', ''),
            ('in_motion', False), ('num_moves', 9), ('num_observations', 9),
            ('existence_probability', 1.0), ('identity_confidence', 0.1),
            ('identity_alternatives', ('mug_2', 'ünï "2"')),
        ],
    )  # fmt: skip
    def test_field_changed_alone_is_kept(
        self, store: MemoryStore, field: str, value: object
    ) -> None:
        """A change of any one field makes a new state; the earlier one stays as it was."""
        store.commit(frame(0, 10, tracks=track()))
        store.commit(frame(1, 20, tracks=track(**{field: value})))

        assert repr(store.object_at('cup_1', Moment(0, 19))) == repr(state()), AS_OF
        assert repr(store.object_at('cup_1')) == repr(state(**{field: value})), KEPT

    def test_objects_are_given_by_id(self, store: MemoryStore) -> None:
        """The order of objects is that of their ids, code point by code point."""
        names = ['b', 'a', 'Z', 'é', '10', '9', '']
        rows = tuple(TrackRecord(state(name), '{}') for name in names)
        store.commit(frame(0, 10, tracks=rows))

        assert [s.object_id for s in store.objects_at()] == sorted(names)

    def test_object_of_another_epoch_is_not_seen(self, store: MemoryStore) -> None:
        """After a jump of the clock the rows of before belong to another world."""
        store.commit(frame(0, 10, tracks=track(), looks=(look(10),), observations=(seen(10),)))
        store.commit(frame(1, 10, epoch=1))

        assert store.object_at('cup_1') is None, OTHER_EPOCH
        assert store.objects_at() == (), OTHER_EPOCH
        assert store.observations('cup_1') == (), OTHER_EPOCH
        assert store.look_at('head') is None, OTHER_EPOCH
        assert store.object_at('cup_1', Moment(0, 10)) == state()
        assert store.object_at('cup_1', Moment(2, 10)) is None

    def test_memory_is_the_same_after_an_epoch_with_the_same_stamps(
        self, store: MemoryStore
    ) -> None:
        """A stamp says nothing without its epoch."""
        store.commit(frame(0, 10, tracks=track(label='cup')))
        store.commit(frame(1, 10, 1, tracks=track(epoch=1, label='mug')))

        assert store.object_at('cup_1', Moment(0, 10)) == state(label='cup')
        assert store.object_at('cup_1', Moment(1, 10)) == state(epoch=1, label='mug')

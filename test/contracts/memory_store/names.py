"""Rules of ``MemoryStore``: objects are found by their label and their aliases."""

from __future__ import annotations

import pytest

from st_memory.core.ports import MemoryStore
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import AS_OF, frame, KEPT, OTHER_EPOCH, state, track
from test.contracts.memory_store.rules import StoreRules

__all__ = ['NameRules']


def called(store: MemoryStore, name: str, at: Moment | None = None) -> list[str]:
    """Give the ids of the objects with a name."""
    return [s.object_id for s in store.objects_called(name, at)]


class NameRules(StoreRules):
    """Objects are found by their label and their aliases."""

    def test_objects_called_gives_label_and_alias_by_id(self, store: MemoryStore) -> None:
        """Whatever the life cycle; the states are those that ``object_at`` gives."""
        tracks = (
            *track(object_id='b', label='mug', aliases=()),
            *track(object_id='a', label='cup', aliases=('mug', 'beaker')),
            *track(object_id='c', label='cup', aliases=()),
            *track(object_id='d', label='mug', life_cycle=LifeCycle.RETIRED, aliases=()),
        )
        store.commit(frame(0, 10, tracks=tracks))

        assert called(store, 'mug') == ['a', 'b', 'd']
        assert called(store, 'beaker') == ['a']
        assert called(store, 'mu') == called(store, '') == called(store, 'teapot') == []
        assert store.objects_called('cup')[0] == store.object_at('a'), KEPT

    @pytest.mark.parametrize(
        ('label', 'asked'),
        [
            ('Mug', 'mUG'),
            ('ÜBERTOPF', 'übertopf'),
            ('übertopf', 'ÜBERTOPF'),
            ('ΟΔΟΣ', 'ΟΔΟΣ'.lower()),
            ('猫 ☕', '猫 ☕'),
            ("'; DROP TABLE called; --", "'; drop table called; --"),
            ('100%_', '100%_'),
            ('a\x00b', 'A\x00B'),
        ],
    )
    def test_objects_called_takes_cases_for_the_same(
        self, store: MemoryStore, label: str, asked: str
    ) -> None:
        """As ``str.lower`` has them, in any script; a name is data, and no pattern."""
        store.commit(frame(0, 10, tracks=track(label=label, aliases=())))

        assert called(store, asked) == ['cup_1']
        assert called(store, '%') == called(store, '_') == []

    def test_objects_called_is_as_of_the_moment(self, store: MemoryStore) -> None:
        """A name counts from the frame that gave it to the one that took it away."""
        store.commit(frame(0, 10, tracks=track(label='cup', aliases=())))
        store.commit(frame(1, 20, tracks=track(label='mug', aliases=('cup_7',))))
        store.commit(frame(2, 30, tracks=track(label='cup', aliases=())))

        def when(name: str) -> list[bool]:
            return [bool(called(store, name, Moment(0, t))) for t in (9, 10, 19, 20, 29, 30)]

        assert when('cup') == [False, True, True, False, False, True], AS_OF
        assert when('mug') == when('cup_7') == [False, False, False, True, True, False], AS_OF
        assert store.objects_called('cup') == (state(label='cup', aliases=()),)

    def test_second_frame_of_a_stamp_renames(self, store: MemoryStore) -> None:
        """The name then is the later frame's."""
        store.commit(frame(0, 10, tracks=track(label='cup', aliases=())))
        store.commit(frame(1, 10, tracks=track(label='mug', aliases=())))

        assert called(store, 'cup', Moment(0, 10)) == []
        assert called(store, 'mug', Moment(0, 10)) == ['cup_1']

    def test_objects_called_of_another_epoch_are_not_seen(self, store: MemoryStore) -> None:
        """Each epoch has its own objects, and those that go on are found in both."""
        store.commit(frame(0, 10, tracks=track(label='cup')))
        store.commit(frame(1, 10, epoch=1))

        assert called(store, 'cup') == [], OTHER_EPOCH
        store.commit(frame(2, 20, epoch=1, tracks=track(epoch=1, label='cup')))
        assert called(store, 'cup') == called(store, 'cup', Moment(0, 99)) == ['cup_1']
        assert called(store, 'cup', Moment(1, 19)) == [], AS_OF
        assert called(store, 'cup', Moment(2, 99)) == []

    def test_empty_label_is_a_name(self, store: MemoryStore) -> None:
        """What the fold never gives is kept all the same."""
        store.commit(frame(0, 10, tracks=track(label='', aliases=())))

        assert called(store, '') == ['cup_1']

    def test_refused_frame_names_nothing(self, store: MemoryStore) -> None:
        """The names go with the rest of the frame, and come with the next one."""
        store.commit(frame(0, 10))
        with pytest.raises(ValueError, match='expected finite numbers'):
            store.commit(frame(1, 20, tracks=track(world_p=(float('nan'), 0.0, 0.0))))
        assert called(store, 'cup') == []

        store.commit(frame(1, 20, tracks=track()))
        assert called(store, 'cup') == ['cup_1']

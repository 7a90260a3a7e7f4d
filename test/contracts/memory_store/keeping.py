"""Rules of ``MemoryStore``: what a fold needs to go on, strings of any kind, and the end."""

from __future__ import annotations

import pytest

from st_memory.core.errors import StoreError
from st_memory.core.ports import MemoryStore
from st_memory.core.records import (
    Event,
    Scene,
    TrackRecord,
)
from test.contracts.memory_store.rows import frame, KEPT, look, OTHER_EPOCH, state, track
from test.contracts.memory_store.rules import StoreRules

__all__ = ['KeepingRules']


class KeepingRules(StoreRules):
    """What a fold needs to go on, strings of any kind, and the end."""

    def test_checkpoint_gives_what_commit_stored(self, store: MemoryStore) -> None:
        """The newest frame and every object of its epoch, with the fold's own words."""
        first = TrackRecord(state('a'), '{"hits":1}')
        other = TrackRecord(state('b'), '{"hits":2}')
        store.commit(frame(0, 10, tracks=(first, other)))
        again = TrackRecord(state('a'), '{"hits":3}')
        last = frame(1, 20, tracks=(again,))
        store.commit(last)

        found = store.checkpoint()

        assert found == (last.frame, (again, other)), KEPT

    def test_checkpoint_holds_objects_of_the_newest_epoch_only(self, store: MemoryStore) -> None:
        """Objects that the new epoch has not taken over are not in it."""
        store.commit(frame(0, 10, tracks=(TrackRecord(state('a'), '{}'),)))
        kept = TrackRecord(state('b', epoch=1), '{}')
        store.commit(frame(1, 5, 1, tracks=(kept,)))

        found = store.checkpoint()

        assert found is not None
        assert found.tracks == (kept,), OTHER_EPOCH

    @pytest.mark.parametrize(
        'text',
        ["'; DROP TABLE text; --", '../../etc/passwd', '100%_', 'a\x00b', '猫 ☕ é e\u0301', ' '],
    )
    def test_string_comes_back_as_committed(self, store: MemoryStore, text: str) -> None:
        """Strings are data: neither SQL, nor paths, nor patterns."""
        kept = state(text, label=text, aliases=(text, text), cause=text, fixture_id=text)
        event = Event(text, text, 0, 1, 2, 10, ((text, text),), text, text)
        store.commit(frame(0, 10, tracks=(TrackRecord(kept, text),), events=(event,)))

        assert store.object_at(text) == kept, KEPT
        assert store.events(object_id=text) == (event,), KEPT

    def test_string_that_cannot_be_kept_is_not_known(self, store: MemoryStore) -> None:
        """Half of a surrogate pair is no text: nothing is called so, and asking is no error."""
        store.commit(frame(0, 10, tracks=track(), looks=(look(10),)))
        half = 'cup\ud800'

        assert store.object_at(half) is None
        assert store.objects_called(half) == ()
        assert store.intervals(half) == ()
        assert store.placements(half) == ()
        assert store.observations(half) == ()
        assert store.num_confirmed(half, half, (0, 9)) == 0
        assert store.events(object_id=half) == ()
        assert store.look_at(half) is None
        assert tuple(store.looks(half)) == ()

    def test_closed_store_refuses(self, store: MemoryStore) -> None:
        """After close every call says so, and closing again is harmless."""
        store.commit(frame(0, 10))
        store.close()
        store.close()

        with pytest.raises(StoreError, match='memory is closed'):
            store.now()
        with pytest.raises(StoreError, match='memory is closed'):
            store.commit(frame(1, 20))
        with pytest.raises(StoreError, match='memory is closed'):
            store.put_scene(Scene())
        with pytest.raises(StoreError, match='memory is closed'):
            store.objects_at()

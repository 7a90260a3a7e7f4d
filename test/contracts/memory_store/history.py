"""Rules of ``MemoryStore``: placements, observations, events, looks and the scene."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import FrameOrigin, MemoryStore, StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    Fixture,
    Observation,
    Scene,
    ScenePart,
)
from st_memory.core.stamps import Moment
from test.contracts.memory_store.rows import AS_OF, frame, KEPT, look, OTHER_EPOCH, placement, seen
from test.contracts.memory_store.rules import StoreRules

__all__ = ['HistoryRules']


class HistoryRules(StoreRules):
    """Placements, observations, events, looks and the scene."""

    def test_placement_end_is_seen_from_the_frame_that_closed_it(self, store: MemoryStore) -> None:
        """A closing row must not hide that the placement was open."""
        store.commit(frame(0, 10, placements=(placement(5, None, 10),)))
        store.commit(frame(1, 40, placements=(placement(5, 20, 10), placement(30, None, 40))))

        ends = [
            [(row.start_ns, row.end_ns) for row in store.placements('cup_1', Moment(0, t))]
            for t in (9, 10, 39, 40)
        ]

        assert ends == [[], [(5, None)], [(5, None)], [(5, 20), (30, None)]], AS_OF

    def test_observation_comes_back_as_committed(self, store: MemoryStore) -> None:
        """Every field survives."""
        row = Observation(
            'o', 'cup_1', 0, 10, 'cup', 0.75, 'head', (0.1, 0.2, -0.0), (1.0, 2.0, 3.0),
            (1.5, 2.5, 3.5, 4.5), 'annotation',
        )  # fmt: skip
        store.commit(frame(0, 10, observations=(row,)))

        assert repr(store.observations('cup_1')) == repr((row,)), KEPT

    def test_observations_with_a_limit_are_the_latest(self, store: MemoryStore) -> None:
        """The limit keeps the latest, still in order of (stamp, camera)."""
        for seq, stamp_ns in enumerate((10, 20, 30)):
            rows = (seen(stamp_ns, 'wrist'), seen(stamp_ns, 'head'))
            store.commit(frame(seq, stamp_ns, observations=rows))

        found = store.observations('cup_1', Moment(0, 25), limit=3)

        assert found == (seen(10, 'wrist'), seen(20, 'head'), seen(20, 'wrist'))
        assert store.observations('cup_1', limit=0) == ()
        with pytest.raises(ValueError, match='limit: expected 0 or more, got -1'):
            store.observations('cup_1', limit=-1)

    def test_num_confirmed_counts_in_a_half_open_span(self, store: MemoryStore) -> None:
        """Of the camera and the object asked for, up to the moment; 30 is thinned out."""
        for seq, stamp_ns in enumerate((10, 20, 30, 40)):
            rows = (seen(stamp_ns), seen(stamp_ns, 'wrist'), seen(stamp_ns, object_id='jar_1'))
            thinned = (('cup_1', 'head'),) if stamp_ns == 30 else ()
            kept = rows[1:] if thinned else rows
            delta = frame(seq, stamp_ns, observations=kept)
            store.restore(StoredFrame(FrameOrigin('robot_1', 'a'), delta, thinned))

        def count(start_ns: int, end_ns: int, at: Moment | None = None) -> int:
            return store.num_confirmed('cup_1', 'head', (start_ns, end_ns), at)

        assert count(10, 40) == 3
        assert count(11, 31) == 2
        assert count(-(2**63), 2**63 - 1) == 4
        assert count(0, 99, Moment(0, 35)) == 3, AS_OF
        assert count(20, 20) == count(50, 60) == count(40, 10) == 0
        assert count(0, 99, Moment(1, 35)) == 0, OTHER_EPOCH
        assert store.num_confirmed('cup_1', 'nobody', (0, 99)) == 0
        assert store.num_confirmed('nothing', 'head', (0, 99)) == 0

    def test_events_are_seen_from_their_frame_on(self, store: MemoryStore) -> None:
        """An event counts from the frame that recorded it, wherever it started."""
        late = Event('e1', 'moved', 0, 5, 8, 20, (('object', 'cup_1'), ('actor', 'ann')), 'fold')
        early = Event('e2', 'appeared', 0, 7, 7, 10, (('object', 'pot_1'),), 'fold', 'a pot')
        store.commit(frame(0, 10, events=(early,)))
        store.commit(frame(1, 20, events=(late,)))

        assert store.events(Moment(0, 19)) == (early,), AS_OF
        assert store.events() == (late, early)
        assert store.events(object_id='ann') == (late,)
        assert store.events(Moment(0, 19), object_id='cup_1') == (), AS_OF

    def test_event_appended_again_replaces_the_earlier_row(self, store: MemoryStore) -> None:
        """An event keeps its id when more becomes known; before that it was as it was."""
        first = Event('e', 'moved', 0, 5, 5, 10, (('object', 'cup_1'),))
        second = Event('e', 'moved', 0, 5, 18, 20, (('object', 'cup_2'),))
        store.commit(frame(0, 10, events=(first,)))
        store.commit(frame(1, 20, events=(second,)))

        assert store.events(Moment(0, 15), object_id='cup_1') == (first,), AS_OF
        assert store.events(object_id='cup_1') == ()
        assert store.events(object_id='cup_2') == (second,)

    def test_look_at_gives_the_latest_not_after(self, store: MemoryStore) -> None:
        """Poses come back as committed; any camera means the one that looked last."""
        quat = np.array([0.1, -0.2, 0.3, 0.9])
        pose = RigidTransform(np.array([1.0, -0.0, 3.0]), quat / np.sqrt(quat @ quat))
        posed = CameraLook('head', 0, 10, pose)
        store.commit(frame(0, 10, looks=(posed, look(10, 'wrist'))))
        store.commit(frame(1, 20, looks=(look(20, 'head'),)))

        found = store.look_at('head', Moment(0, 19))

        assert found is not None
        assert found.world_T_camera is not None
        assert found.world_T_camera.quat_xyzw.tobytes() == pose.quat_xyzw.tobytes(), KEPT
        assert found.world_T_camera.translation.tobytes() == pose.translation.tobytes(), KEPT
        newest = store.look_at(None, Moment(0, 19))
        assert newest is not None
        assert newest.camera_id == 'wrist'
        assert [(x.stamp_ns, x.camera_id) for x in store.looks(None)] == [
            (10, 'head'), (10, 'wrist'), (20, 'head'),
        ]  # fmt: skip
        assert store.look_at('nobody') is None

    def test_scene_given_last_is_kept(self, store: MemoryStore) -> None:
        """A new scene replaces the old one whole."""
        box = RigidTransform.identity()
        vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
        part = ScenePart('door', 'cupboard', 'hinge', vertices, np.array([[0, 1, 2]], np.int32))
        fixture = Fixture('cupboard', 'cupboard', box, (1.0, 0.5, 2.0), is_container=True)
        store.put_scene(Scene((replace(part, name='old'),), ()))
        store.put_scene(Scene((part,), (fixture,)))

        found = store.scene()

        assert [p.name for p in found.parts] == ['door']
        assert found.parts[0].frame_id == 'hinge'
        np.testing.assert_array_equal(found.parts[0].vertices, vertices)
        np.testing.assert_array_equal(found.parts[0].triangles, part.triangles)
        assert found.fixtures[0].size_m == (1.0, 0.5, 2.0)
        assert found.fixtures[0].is_container

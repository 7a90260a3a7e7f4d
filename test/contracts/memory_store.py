"""
Conformance suite of ``MemoryStore``.

Subclass :class:`MemoryStoreConformance` in a test module and supply
``make_object_under_test``; every rule then runs on that store.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.errors import StoreError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import FrameName, FrameOrigin, MemoryStore, StoredFrame
from st_memory.core.records import (
    CameraLook,
    Event,
    Fixture,
    FrameDelta,
    FrameRecord,
    LifeCycle,
    ObjectState,
    Observation,
    Placement,
    Scene,
    ScenePart,
    TrackRecord,
    Visibility,
    VisibilityInterval,
)
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment

__all__ = ['MemoryStoreConformance', 'frame', 'state']

AS_OF = 'an answer as of T must not depend on frames after T'
KEPT = 'a reader must give back exactly what was committed'
OTHER_EPOCH = 'rows of another epoch must not be seen'
ALL_OR_NOTHING = 'a refused frame must leave nothing behind'


def state(object_id: str = 'cup_1', epoch: int = 0, **fields: object) -> ObjectState:
    """Build a state whose fields all differ from their defaults, then change some."""
    full = ObjectState(
        object_id=object_id,
        label='cup',
        epoch=epoch,
        life_cycle=LifeCycle.ABSENT,
        aliases=('mug', 'tasse "groß"'),
        world_p=(0.1, -0.0, 1e-300),
        size_m=(0.08, 0.09, 0.1),
        quat_xyzw=(0.5, -0.5, 0.1, -0.7),
        position_sigma_m=0.012,
        visibility=Visibility.OCCLUDED,
        cause='occluded_by:door',
        occluder_id='door',
        geometry=Visibility.AMBIGUOUS_FIXTURE,
        confirmed=True,
        first_seen_ns=1,
        last_seen_ns=2,
        last_visible_ns=3,
        last_placed_ns=4,
        placed_by='inferred',
        visibility_since_ns=5,
        fixture_id='counter',
        fixture_alternatives=('shelf', 'sink'),
        container_id='drawer',
        in_motion=True,
        num_moves=6,
        num_observations=7,
        existence_probability=0.25,
    )
    return replace(full, **fields)  # type: ignore[arg-type]


def frame(seq: int, stamp_ns: int, epoch: int = 0, **rows: tuple[object, ...]) -> FrameDelta:
    """Build a frame's delta."""
    record = FrameRecord(epoch, stamp_ns, seq, f'{{"seq":{seq}}}')
    return FrameDelta(record, **rows)  # type: ignore[arg-type]


def track(**fields: object) -> tuple[TrackRecord]:
    """Build the tracks of a frame with one object."""
    return (TrackRecord(state(**fields), '{"n":1}'),)  # type: ignore[arg-type]


def look(stamp_ns: int, camera_id: str = 'head', epoch: int = 0) -> CameraLook:
    """Build a look without a pose."""
    return CameraLook(camera_id, epoch, stamp_ns, None, detector_reported=True)


def seen(stamp_ns: int, camera_id: str = 'head', object_id: str = 'cup_1') -> Observation:
    """Build an observation."""
    name = f'{stamp_ns}-{camera_id}-{object_id}'
    return Observation(name, object_id, 0, stamp_ns, 'cup', 0.5, camera_id)


def interval(start_ns: int, end_ns: int | None = None, **fields: object) -> VisibilityInterval:
    """Build an interval of ``cup_1`` in camera ``head``."""
    row = VisibilityInterval(
        'cup_1', 'head', 0, start_ns, end_ns, start_ns, Visibility.VISIBLE, Visibility.VISIBLE
    )
    return replace(row, **fields)  # type: ignore[arg-type]


def placement(start_ns: int, end_ns: int | None = None, recorded_ns: int = 0) -> Placement:
    """Build a placement of ``cup_1``."""
    return Placement('cup_1', 0, start_ns, end_ns, recorded_ns, (1.0, 2.0, 3.0), 'counter')


class MemoryStoreConformance:
    """Rules of the port, one a test."""

    def make_object_under_test(self) -> MemoryStore:
        """Give a new, empty store."""
        raise AssertionError('the subclass supplies the store')

    @pytest.fixture
    def store(self) -> MemoryStore:
        """Give the store of one test."""
        return self.make_object_under_test()

    # -- an empty memory -------------------------------------------------------------------

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
        assert store.intervals('cup_1') == ()
        assert store.placements('cup_1') == ()
        assert store.observations('cup_1') == ()
        assert store.num_confirmed('cup_1', 'head', (0, 9)) == 0
        assert store.events() == ()
        assert store.look_at(None) is None
        assert tuple(store.looks(None)) == ()
        assert store.checkpoint() is None
        assert store.scene().parts == store.scene().fixtures == ()

    # -- frames ----------------------------------------------------------------------------

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

    # -- objects ---------------------------------------------------------------------------

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

    # -- intervals -------------------------------------------------------------------------

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

    # -- placements, observations, events, looks, scene ------------------------------------

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

    # -- going on --------------------------------------------------------------------------

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

    # -- by place --------------------------------------------------------------------------

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

    # -- frame by frame --------------------------------------------------------------------

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

"""A new origin, a corrected trajectory: what is known goes on, in the frame of now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from st_memory.core.errors import EditError
from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
from st_memory.core.memory.rebase import plan_correction, plan_new_origin, unanchored_epoch
from st_memory.core.queries import locate, Selector, when_last_placed
from st_memory.core.records import (
    AnswerStatus,
    BASE_LOOK,
    Edit,
    EditAction,
    LifeCycle,
    MovementReport,
    ObjectState,
    Rebase,
    SensedFrame,
    WorldDetection,
)
from st_memory.core.stamps import Moment
from st_memory.storage import InMemoryStore
from test.core.memory.told import at, turned
from test.scenarios.synthetic import Ball, FRAME_NS, looking, sense

SETTINGS = MemorySettings()
LEFT, RIGHT = (2.0, 0.5, 0.0), (2.0, -0.5, 0.0)
MOVED = at(1.0, -2.0, 0.5) @ turned((0.0, 0.0, 1.0), 0.7)
UNMOVED = RigidTransform.identity()
Drift = Callable[[int], RigidTransform]


class Life:
    """A memory of frames, and the true poses of its camera."""

    def __init__(self, drift: Drift = lambda index: UNMOVED) -> None:
        self.memory = ObjectMemory(SETTINGS)
        self.store = InMemoryStore()
        self.truth = PoseTrack()
        self.index = 0
        self.epoch = 0
        self._drift = drift

    def see(self, *balls: Ball, looks: int = 8, yaw: float = 0.0) -> Life:
        """Look at a world; the camera is believed to be where the drift puts it."""
        for _ in range(looks):
            true = looking(yaw)
            frame = sense(self.index, balls, true, epoch=self.epoch)
            (camera,) = frame.cameras
            camera = replace(camera, world_T_camera=self._drift(self.index) @ true)
            self.truth.insert(frame.stamp_ns, true)
            self.take(replace(frame, cameras=(camera,)))
            self.index += 1
        return self

    def take(self, frame: SensedFrame) -> None:
        self.store.commit(self.memory.integrate(frame))

    def rebase(self, plan: Rebase, *, restarts: bool = False) -> Life:
        if restarts:
            self.memory = ObjectMemory(SETTINGS, checkpoint=self.store.checkpoint())
        self.epoch += 1
        self.take(SensedFrame(self.store.now().stamp_ns + 1, self.epoch, rebase=plan))
        return self

    def corrected(self, **fields: object) -> Rebase:
        trajectory = CorrectedTrajectory(self.truth, {'cam': UNMOVED}, **fields)
        return plan_correction(self.store, trajectory, SETTINGS)

    def state(self, object_id: str) -> ObjectState:
        state = self.store.object_at(object_id)
        assert state is not None
        return state

    def live(self) -> list[str]:
        gone = LifeCycle.RETIRED
        return [s.object_id for s in self.store.objects_at() if s.life_cycle is not gone]


def cup(place: Sequence[float] = LEFT, **fields: object) -> Ball:
    return Ball('cup', tuple(place), **fields)


def creeping(index: int) -> RigidTransform:
    """Drift by 1 cm and 0.5 degrees a look to the left."""
    return at(0.0, 0.01 * index) @ turned((0.0, 0.0, 1.0), np.radians(0.2) * index)


# A new origin.


def kitchen() -> Life:
    """A cup that was moved, and a bowl."""
    life = Life().see(cup(), Ball('bowl', (2.0, 0.0, 0.0)))
    return life.see(Ball('bowl', (2.0, 0.0, 0.0)), looks=30).see(
        cup(RIGHT), Ball('bowl', (2.0, 0.0, 0.0)), looks=12
    )


@pytest.mark.parametrize('restarts', [False, True])
def test_new_origin_moves_every_place_and_nothing_else(restarts: bool) -> None:
    life = kitchen()
    before = {s.object_id: s for s in life.store.objects_at()}
    stays = life.store.placements('cup_1')

    plan = plan_new_origin(life.store, MOVED, SETTINGS)
    life.rebase(plan, restarts=restarts)

    assert (plan.num_objects, plan.merged) == (2, ())
    for name in ('cup_1', 'bowl_1'):
        state = life.state(name)
        np.testing.assert_allclose(state.world_p, MOVED.apply(before[name].world_p), atol=1e-12)
        for field in ('label', 'life_cycle', 'num_moves', 'first_seen_ns', 'last_seen_ns',
                      'last_placed_ns', 'placed_by', 'num_observations', 'size_m'):  # fmt: skip
            assert getattr(state, field) == getattr(before[name], field)
    told = life.store.placements('cup_1')
    assert [(p.start_ns, p.end_ns) for p in told] == [(p.start_ns, p.end_ns) for p in stays]
    np.testing.assert_allclose(told[0].world_p, MOVED.apply(stays[0].world_p), atol=1e-12)


def test_world_moved_rigidly_and_rebased_back_answers_as_the_original() -> None:
    original = kitchen()
    moved = Life(lambda index: MOVED)
    moved.see(cup(), Ball('bowl', (2.0, 0.0, 0.0)))
    moved.see(Ball('bowl', (2.0, 0.0, 0.0)), looks=30)
    moved.see(cup(RIGHT), Ball('bowl', (2.0, 0.0, 0.0)), looks=12)

    moved.rebase(plan_new_origin(moved.store, MOVED.inverse(), SETTINGS))

    assert moved.live() == original.live()
    for name in original.live():
        a, b = original.state(name), moved.state(name)
        np.testing.assert_allclose(b.world_p, a.world_p, atol=0.01)
        assert (b.num_moves, b.last_placed_ns, b.last_seen_ns) == (
            a.num_moves,
            a.last_placed_ns,
            a.last_seen_ns,
        )
        last = [when_last_placed(x.store, Selector(name)).stamp_ns for x in (original, moved)]
        assert last[0] == last[1]


def test_events_and_ids_of_evidence_go_on_in_the_new_epoch() -> None:
    life = kitchen()
    before = [e.event_id for e in life.store.events()]

    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS, note='moved to a new room'))

    *events, last = sorted(life.store.events(), key=lambda e: e.event_type == 'rebased')
    assert [e.event_id for e in events] == before
    assert (last.event_type, last.source) == ('rebased', 'human')
    assert last.detail.endswith('moved to a new room')


def test_memory_goes_on_in_the_new_frame_with_the_same_objects() -> None:
    life = Life().see(cup())
    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS))
    life._drift = lambda index: MOVED

    life.see(cup(), looks=6)

    assert life.live() == ['cup_1']
    assert life.state('cup_1').num_observations == 14
    np.testing.assert_allclose(life.state('cup_1').world_p, MOVED.apply(LEFT), atol=0.05)


def test_answers_as_of_before_a_rebase_are_in_the_frame_of_then() -> None:
    life = Life().see(cup())
    then = life.store.now()
    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS))

    answer = locate(life.store, Selector('cup_1'), then)

    np.testing.assert_allclose(answer.object.world_p, LEFT, atol=0.05)


def test_forgotten_and_named_objects_stay_so() -> None:
    life = Life().see(cup(), cup(RIGHT))
    edits = (
        Edit(EditAction.RENAME, 'cup_1', label='mug'),
        Edit(EditAction.FORGET, 'cup_2'),
    )
    life.take(SensedFrame(life.store.now().stamp_ns + 1, edits=edits))

    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS))

    assert life.live() == ['cup_1']
    assert life.state('cup_1').label == 'mug'


@pytest.mark.parametrize('rebases', [0, 1, 2])
def test_forgotten_object_is_said_to_be_so_in_every_map(rebases: int) -> None:
    life = Life().see(cup())
    life.take(
        SensedFrame(life.store.now().stamp_ns + 1, edits=(Edit(EditAction.FORGET, 'cup_1'),))
    )
    for _ in range(rebases):
        life.rebase(plan_new_origin(life.store, MOVED, SETTINGS))

    for who in (Selector('cup_1'), Selector(label='cup')):
        answer = locate(life.store, who)
        assert (answer.status, answer.object) == (AnswerStatus.UNKNOWN, None)
        assert answer.reason == 'cup_1 was forgotten, as a person asked'


def test_restored_object_is_answered_for_again_and_a_new_one_of_its_kind_too() -> None:
    life = Life().see(cup())
    for action in (EditAction.FORGET, EditAction.RESTORE, EditAction.FORGET):
        frame = SensedFrame(life.store.now().stamp_ns + 1, edits=(Edit(action, 'cup_1'),))
        life.take(frame)
    life.index += 1

    life.see(cup(RIGHT))

    answer = locate(life.store, Selector(label='cup'))
    assert answer.object is not None
    assert answer.object.object_id != 'cup_1'


def test_merged_object_is_not_said_to_be_forgotten() -> None:
    life = Life().see(cup(), cup(RIGHT))
    merge = Edit(EditAction.MERGE, 'cup_1', 'cup_2')
    life.take(SensedFrame(life.store.now().stamp_ns + 1, edits=(merge,)))

    assert locate(life.store, Selector('cup_2')).object.object_id == 'cup_1'


def test_empty_memory_has_nothing_to_rebase() -> None:
    with pytest.raises(EditError, match='expected a memory that holds something'):
        plan_new_origin(InMemoryStore(), MOVED, SETTINGS)


# Epochs.


def two_maps() -> Life:
    """What was seen before the memory was started anew, and what is seen now."""
    life = Life().see(cup(), cup(RIGHT))
    life.epoch = 1
    return life


def test_object_of_an_earlier_epoch_is_unanchored() -> None:
    life = two_maps().see(looks=2, yaw=3.0)

    answer = locate(life.store, Selector('cup_1'))

    assert answer.status is AnswerStatus.NO_POSE
    assert 'in an earlier map; its place in this map is not known' in answer.sentence
    assert unanchored_epoch(life.store) == 0


@pytest.mark.parametrize('restarts', [False, True])
def test_new_origin_anchors_what_was_known_before(restarts: bool) -> None:
    life = two_maps().see(looks=2, yaw=3.0)

    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS), restarts=restarts)

    assert unanchored_epoch(life.store) is None
    answer = locate(life.store, Selector('cup_1'))
    assert answer.status is AnswerStatus.KNOWN
    np.testing.assert_allclose(answer.object.world_p, MOVED.apply(LEFT), atol=0.05)
    assert life.state('cup_1').num_observations == 8


def test_same_map_joins_what_lies_at_one_place_and_keeps_the_older_id() -> None:
    life = Life().see(cup(), cup(RIGHT))
    life.epoch = 1
    life.see(cup(RIGHT), looks=8)  # called cup_1 in this epoch, cup_2 before
    assert life.live() == ['cup_1']

    life.rebase(plan_new_origin(life.store, UNMOVED, SETTINGS))

    assert life.live() == ['cup_1', 'cup_2']
    np.testing.assert_allclose(life.state('cup_1').world_p, LEFT, atol=0.05)
    np.testing.assert_allclose(life.state('cup_2').world_p, RIGHT, atol=0.05)
    assert life.state('cup_2').num_observations == 16
    assert life.state('cup_2').last_seen_ns == 16 * FRAME_NS


def test_second_new_origin_moves_the_map_that_was_anchored() -> None:
    life = two_maps().see(looks=2, yaw=3.0)
    life.rebase(plan_new_origin(life.store, UNMOVED, SETTINGS))

    life.rebase(plan_new_origin(life.store, MOVED, SETTINGS))

    np.testing.assert_allclose(life.state('cup_1').world_p, MOVED.apply(LEFT), atol=0.05)
    assert life.live() == ['cup_1', 'cup_2']


def test_clock_that_was_set_back_gives_no_stay_in_the_future() -> None:
    life = Life().see(cup(), looks=20)
    life.epoch, life.index = 1, 0
    life.see(looks=1, yaw=3.0)

    life.rebase(plan_new_origin(life.store, UNMOVED, SETTINGS))

    (stay,) = life.store.placements('cup_1')
    assert stay.start_ns <= life.store.now().stamp_ns
    assert locate(life.store, Selector('cup_1')).status is AnswerStatus.KNOWN


def test_object_with_an_id_from_outside_answers_to_it_in_the_new_map() -> None:
    life = Life()
    life.take(SensedFrame(1, world_detections=(WorldDetection('pan', 1.0, LEFT, 'pan_7'),)))
    life.take(SensedFrame(2, epoch=1))
    life.epoch = 1
    life.rebase(plan_new_origin(life.store, UNMOVED, SETTINGS))

    seen = WorldDetection('pan', 1.0, RIGHT, 'pan_7')
    moves = tuple(MovementReport('pan_7', 'pan', 4, end) for end in (None, 5))
    life.take(SensedFrame(10, 2, world_detections=(seen,), movements=moves))

    assert life.live() == ['pan_7']
    assert life.state('pan_7').num_moves == 1


def test_forgotten_object_of_an_earlier_map_is_not_brought_back() -> None:
    life = Life().see(cup())
    forget = (Edit(EditAction.FORGET, 'cup_1'),)
    life.take(SensedFrame(life.store.now().stamp_ns + 1, edits=forget))
    life.epoch = 1
    life.see(looks=1, yaw=3.0)

    life.rebase(plan_new_origin(life.store, UNMOVED, SETTINGS))

    assert life.live() == []
    restore = Edit(EditAction.RESTORE, 'cup_1')
    assert life.memory.refusal(restore) == ''


# A corrected trajectory.


def test_corrected_trajectory_puts_things_back_where_they_are() -> None:
    clean = Life().see(cup(), cup(RIGHT), looks=10)
    life = Life(creeping).see(cup(), cup(RIGHT), looks=10)
    off_m = [np.linalg.norm(np.subtract(life.state(n).world_p, clean.state(n).world_p))
             for n in clean.live()]  # fmt: skip

    plan = life.corrected()
    life.rebase(plan)

    assert min(off_m) > 0.03
    # Three matches of each leave no row: it was not believed in yet. They are moved as the
    # first row is, off by 3, 2 and 1 looks of drift, 1.7 cm each at 2 m: 1.02 cm of ten.
    for name in clean.live():
        np.testing.assert_allclose(
            life.state(name).world_p, clean.state(name).world_p, atol=0.0105
        )
    assert (plan.num_observations, plan.num_left, plan.num_objects) == (14, 0, 2)
    assert plan.max_shift_m == pytest.approx(max(off_m), abs=0.0105)


def test_second_correction_starts_from_the_measurements_again() -> None:
    life = Life(creeping).see(cup(), looks=10)
    wrong = PoseTrack()
    for index in range(10):
        pose = at(0.0, 0.2) @ looking()
        wrong.insert((index + 1) * FRAME_NS, pose)
    trajectory = CorrectedTrajectory(wrong, {'cam': UNMOVED})
    life.rebase(plan_correction(life.store, trajectory, SETTINGS))
    np.testing.assert_allclose(life.state('cup_1').world_p, np.add(LEFT, (0, 0.2, 0)), atol=0.02)
    life.see(cup(), looks=4)

    plan = life.corrected()
    life.rebase(plan)

    assert plan.num_left == 0
    np.testing.assert_allclose(life.state('cup_1').world_p, LEFT, atol=0.02)


def test_what_the_trajectory_does_not_cover_is_left_and_counted() -> None:
    life = Life(lambda index: at(0.0, 0.1)).see(cup(), looks=10)

    plan = life.corrected(until_ns=8 * FRAME_NS)

    assert (plan.num_observations, plan.num_left) == (5, 2)
    empty = CorrectedTrajectory(PoseTrack(), {'cam': UNMOVED})
    nothing = plan_correction(life.store, empty, SETTINGS)
    assert (nothing.num_observations, nothing.num_left, nothing.num_objects) == (0, 7, 0)


def test_camera_that_is_not_on_the_corrected_frame_is_left() -> None:
    life = Life(lambda index: at(0.0, 0.1)).see(cup(), looks=6)
    other = CorrectedTrajectory(life.truth, {'another': UNMOVED})

    assert plan_correction(life.store, other, SETTINGS).num_left == 3


def test_poses_between_the_given_ones_are_interpolated() -> None:
    life = Life(lambda index: at(0.0, 0.01 * index)).see(cup(), looks=9)
    ends = PoseTrack()
    for index in (0, 8):
        ends.insert((index + 1) * FRAME_NS, looking())

    plan = plan_correction(life.store, CorrectedTrajectory(ends, {'cam': UNMOVED}), SETTINGS)
    life.rebase(plan)

    assert plan.num_left == 0
    # The three matches that leave no row are moved as the fourth: 3 + 2 + 1 cm too much, of nine.
    clean = Life().see(cup(), looks=9).state('cup_1').world_p
    np.testing.assert_allclose(
        np.subtract(clean, life.state('cup_1').world_p), (0.0, 0.06 / 9, 0.0), atol=1e-3
    )


def test_pose_of_another_frame_reaches_the_camera_by_its_mount() -> None:
    life = Life(lambda index: at(0.0, 0.1)).see(cup(), looks=6)
    base_T_camera = at(0.1, 0.0, 1.0) @ looking()
    base = PoseTrack()
    for index in range(6):
        base.insert((index + 1) * FRAME_NS, looking() @ base_T_camera.inverse())

    plan = plan_correction(life.store, CorrectedTrajectory(base, {'cam': base_T_camera}), SETTINGS)
    life.rebase(plan)

    np.testing.assert_allclose(life.state('cup_1').world_p[1], LEFT[1], atol=0.01)


def test_pose_of_the_base_reaches_the_camera_by_what_both_believed_at_that_time() -> None:
    """The head turns on the body, so no fixed mount would do."""
    life, body = Life(), PoseTrack()
    for index in range(8):
        true, base = looking(0.05 * (index % 3)), at(0.02 * index)
        frame = sense(index, (cup(),), true)
        (camera,) = frame.cameras
        drift = at(0.0, 0.1)
        camera = replace(camera, world_T_camera=drift @ true)
        body.insert(frame.stamp_ns, base)
        life.take(replace(frame, cameras=(camera,), world_T_base=drift @ base))

    trajectory = CorrectedTrajectory(body, frame=BASE_LOOK)
    plan = plan_correction(life.store, trajectory, SETTINGS)
    life.rebase(plan)

    assert (plan.num_observations, plan.num_left) == (5, 0)
    np.testing.assert_allclose(life.state('cup_1').world_p, LEFT, atol=0.02)


def test_camera_without_a_look_of_the_base_at_that_time_is_left() -> None:
    life = Life().see(cup(), looks=6)
    trajectory = CorrectedTrajectory(life.truth, frame=BASE_LOOK)

    assert plan_correction(life.store, trajectory, SETTINGS).num_left == 3


def test_pose_of_the_camera_itself_needs_no_mount() -> None:
    life = Life(lambda index: at(0.0, 0.1)).see(cup(), looks=6)
    plan = plan_correction(life.store, CorrectedTrajectory(life.truth, frame='cam'), SETTINGS)

    assert (plan.num_observations, plan.num_left) == (3, 0)


def doubled() -> Life:
    """A drift of 40 cm while nobody looked makes one cup two."""
    life = Life(lambda index: UNMOVED if index < 20 else at(0.0, -0.4))
    life.see(cup(), looks=10).see(looks=10, yaw=3.0)
    return life.see(cup(), looks=10)


def test_duplicates_that_fall_together_are_one() -> None:
    life = doubled()
    assert life.live() == ['cup_1', 'cup_2']

    plan = life.corrected()
    life.rebase(plan)

    assert plan.merged == (('cup_1', 'cup_2'),)
    assert life.live() == ['cup_1']
    np.testing.assert_allclose(life.state('cup_1').world_p, LEFT, atol=0.02)
    assert life.state('cup_1').num_moves == 0
    assert life.state('cup_1').num_observations == 20
    assert locate(life.store, Selector('cup_2')).object.object_id == 'cup_1'


def test_two_that_were_in_one_look_stay_two() -> None:
    near = (2.0, 0.4, 0.0)
    life = Life().see(cup(LEFT), cup(near), looks=8)
    squeezed = PoseTrack()
    for index in range(8):
        squeezed.insert((index + 1) * FRAME_NS, looking())
    assert life.live() == ['cup_1', 'cup_2']

    plan = plan_correction(life.store, CorrectedTrajectory(squeezed, {'cam': UNMOVED}), SETTINGS)

    assert plan.merged == ()


def test_tombstone_stays_a_tombstone() -> None:
    life = Life(creeping).see(cup(), looks=8).see(looks=40)
    assert life.state('cup_1').life_cycle is LifeCycle.ABSENT

    life.rebase(life.corrected())

    assert life.state('cup_1').life_cycle is LifeCycle.ABSENT
    assert life.store.placements('cup_1')[-1].end_ns is not None
    assert locate(life.store, Selector('cup_1')).status is AnswerStatus.STALE


def test_plan_changes_nothing_and_is_the_same_each_time() -> None:
    life = Life(creeping).see(cup(), cup(RIGHT), looks=10)
    before = list(life.store.frames())

    plans = [life.corrected() for _ in range(2)]

    assert list(life.store.frames()) == before
    assert plans[0].describe() == plans[1].describe()
    assert [o.placements for o in plans[0].objects] == [o.placements for o in plans[1].objects]


@pytest.mark.parametrize('restarts', [False, True])
def test_rebased_memory_is_the_same_after_a_restart(restarts: bool) -> None:
    def life(*, restarts: bool) -> Life:
        life = doubled()
        life.rebase(life.corrected(), restarts=restarts)
        life._drift = lambda index: UNMOVED
        return life.see(cup(), looks=4)

    one, other = life(restarts=restarts), life(restarts=False)

    assert one.store.checkpoint() == other.store.checkpoint()
    assert one.store.events() == other.store.events()


def test_earlier_epochs_are_left_as_they_were() -> None:
    life = doubled()
    end = Moment(0, life.store.now().stamp_ns)
    before = life.store.objects_at(end)

    life.rebase(life.corrected())

    assert life.store.objects_at(end) == before

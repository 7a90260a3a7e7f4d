"""Laws of the frame assembler: what must not change its frames."""

from __future__ import annotations

from collections.abc import Callable
import copy
import functools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.conversions import (
    AssemblerSettings,
    FrameAssembler,
    ReleasePolicy,
    TopicKind,
    TopicRole,
)
from st_memory.core.records import SensedFrame
from test.contracts.frame_source import frame_key
from test.conversions import fake_messages as fake

S = 1_000_000_000
MS = 1_000_000
T0 = 50 * S
Item = tuple[int, TopicRole, Any]  # stamp, role, message

TF = TopicRole(TopicKind.TF)
STATIC = TopicRole(TopicKind.TF_STATIC)
WORLD = TopicRole(TopicKind.WORLD_DETECTIONS)
MOVES = TopicRole(TopicKind.MOVEMENTS)
SCENE = TopicRole(TopicKind.SCENE)


def of_camera(kind: TopicKind, camera_id: str) -> TopicRole:
    """Name a topic of a camera."""
    return TopicRole(kind, camera_id)


def look_items(stamp_ns: int, camera_id: str, index: int) -> list[Item]:
    """Give calibration, depth and (for two looks of three) detections of one camera."""
    found = [fake.detection(f'thing_{index}', position=(0.0, 0.0, 1.0))]
    items = [
        (TopicKind.CAMERA_INFO, fake.camera_info(stamp_ns, frame_id=camera_id)),
        (TopicKind.DEPTH, fake.depth_image(stamp_ns, 1000 + index, frame_id=camera_id)),
        (TopicKind.DETECTIONS, fake.detections(stamp_ns, *found, frame_id=camera_id)),
    ]
    kept = items if index % 3 else items[:2]
    return [(stamp_ns, of_camera(kind, camera_id), message) for kind, message in kept]


def recording(start_ns: int = T0, *, num_steps: int = 12) -> list[Item]:
    """Give two cameras at 10 and 5 Hz, transforms at 20 Hz, movements and world detections."""
    items: list[Item] = []
    for i in range(2 * num_steps + 2):
        stamp_ns = start_ns - 50 * MS + i * 50 * MS
        links = [
            fake.transform(stamp_ns, 'map', 'left', (0.1 * i, 0.0, 1.0)),
            fake.transform(stamp_ns, 'map', 'right', (0.0, 0.1 * i, 1.0)),
            fake.transform(stamp_ns, 'map', 'door', (0.01 * i, 0.0, 0.0)),
        ]
        items.append((stamp_ns, TF, fake.tf(*links)))
    for i in range(num_steps):
        stamp_ns = start_ns + i * 100 * MS + 3
        items += look_items(stamp_ns, 'left', i)
        if i % 2 == 0:
            items += look_items(stamp_ns, 'right', i)
    at_ns = start_ns + 420 * MS
    items.append((at_ns, MOVES, fake.movement(at_ns, start_ns=at_ns)))
    at_ns = start_ns + 600 * MS + 3
    seen = fake.detection(position=(1.0, 2.0, 3.0))
    items.append((at_ns, WORLD, fake.detections(at_ns, seen, frame_id='map')))
    return sorted(items, key=lambda item: item[0])


@functools.cache
def all_roles() -> tuple[TopicRole, ...]:
    """Give the roles of the recording."""
    return tuple(dict.fromkeys(role for _, role, _ in recording()))


def latched() -> list[tuple[TopicRole, Any]]:
    """Give a scene with a door."""
    message = fake.tf()
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    message.markers = [
        fake.marker('part', 11, '{"name": "door"}', frame_id='door', points=corners)
    ]
    return [(SCENE, message), (STATIC, fake.tf(fake.transform(0, 'map', 'table')))]


def assemble(
    items: list[Item], release: ReleasePolicy = ReleasePolicy.DEADLINE
) -> list[SensedFrame]:
    """Push everything in the given order and flush."""
    assembler = FrameAssembler(AssemblerSettings(roles=all_roles(), release=release))
    for role, message in latched():
        assembler.push(role, message)
    frames = [f for _, role, message in items for f in assembler.push(role, message)]
    return frames + assembler.flush()


def keys(frames: list[SensedFrame], **options: Any) -> list[Any]:
    """Give what frames are compared by."""
    return [frame_key(frame, **options) for frame in frames]


def delayed(items: list[Item], delay_of: Callable[[int, Item], int]) -> list[Item]:
    """Order messages by arrival: stamp plus delay."""
    arrivals = [(item[0] + delay_of(i, item), i) for i, item in enumerate(items)]
    return [items[i] for _, i in sorted(arrivals)]


def test_recording_gives_the_frames_it_should() -> None:
    frames = assemble(recording())

    with_cameras = [f for f in frames if f.cameras]
    assert [len(f.cameras) for f in with_cameras] == [2, 1] * 6
    assert all(c.world_T_camera is not None for f in with_cameras for c in f.cameras)
    assert [len(f.movements) for f in frames].count(1) == 1
    assert [len(f.world_detections) for f in frames].count(1) == 1
    assert all('door' in f.world_T_part for f in with_cameras)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_order_of_arrival_within_the_wait_does_not_change_frames(data: st.DataObject) -> None:
    # Topics lag by up to 0.5 s, messages of one topic overtake each other by less than the 0.5 s
    # that would be a jump: together less than the wait of 1 s.
    items = recording()
    size = len(items)
    lag_ns = {role: data.draw(st.integers(0, 500 * MS)) for role in all_roles()}
    jitter_ns = data.draw(st.lists(st.integers(0, 499 * MS), min_size=size, max_size=size))

    shuffled = assemble(delayed(items, lambda i, item: lag_ns[item[1]] + jitter_ns[i]))

    assert keys(shuffled) == keys(assemble(items))


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_delays_by_topic_do_not_change_frames_that_leave_when_complete(
    data: st.DataObject,
) -> None:
    items = [i for i in recording() if i[1] not in (MOVES, WORLD)]
    delay_ns = {
        role: data.draw(st.integers(0, 400 * MS)) for role in dict.fromkeys(r for _, r, _ in items)
    }

    frames = assemble(delayed(items, lambda _, item: delay_ns[item[1]]), ReleasePolicy.COMPLETE)

    assert keys(frames) == keys(assemble(items))


def test_both_release_policies_give_the_same_frames() -> None:
    items = recording()

    assert keys(assemble(items, ReleasePolicy.COMPLETE)) == keys(assemble(items))


@settings(max_examples=10, deadline=None)
@given(st.integers(-40 * S, 10**18))
def test_shifting_all_stamps_shifts_frames(shift_ns: int) -> None:
    shifted = assemble(recording(T0 + shift_ns))

    assert keys(shifted, shift_ns=shift_ns) == keys(assemble(recording()))


@pytest.mark.parametrize('release', list(ReleasePolicy))
def test_three_loops_give_three_equal_epochs(release: ReleasePolicy) -> None:
    frames = assemble(recording() * 3, release)

    loops = [[f for f in frames if f.epoch == epoch] for epoch in range(3)]
    assert len(loops[0]) > 10
    assert keys(loops[1], with_epoch=False) == keys(loops[0], with_epoch=False)
    assert keys(loops[2], with_epoch=False) == keys(loops[0], with_epoch=False)
    assert {f.epoch for f in frames} == {0, 1, 2}


def test_loops_whose_streams_overlap_at_the_jump_stay_apart() -> None:
    first, second = recording(), recording()
    # The last images of the first loop arrive after the transforms of the second one began.
    last = [item for item in first[-12:] if item[1] != TF]
    moved = {id(item) for item in last}
    kept = [item for item in first if id(item) not in moved]
    overlap = kept + second[:2] + last + second[2:]

    frames = assemble(overlap)

    assert {f.epoch for f in frames} == {0, 1}
    assert max(f.stamp_ns for f in frames if f.epoch == 1) == max(f.stamp_ns for f in frames)
    assert keys([f for f in frames if f.epoch == 1], with_epoch=False) == keys(
        assemble(recording())
    )


def test_frames_do_not_depend_on_what_comes_after() -> None:
    items = recording()
    whole = assemble(items)

    for cut in range(0, len(items), 7):
        assembler = FrameAssembler(
            AssemblerSettings(roles=all_roles(), release=ReleasePolicy.DEADLINE)
        )
        for role, message in latched():
            assembler.push(role, message)
        frames = [f for _, role, m in items[:cut] for f in assembler.push(role, m)]
        assert keys(frames) == keys(whole[: len(frames)])


def test_moments_of_frames_grow() -> None:
    frames = assemble(recording() * 2)

    moments = [(f.epoch, f.stamp_ns) for f in frames]
    assert moments == sorted(set(moments))


def test_messages_are_not_changed_by_the_assembler() -> None:
    items = recording()
    depths = [m for _, role, m in items if role.kind is TopicKind.DEPTH]
    before = copy.deepcopy(depths)

    assemble(items)

    for message, old in zip(depths, before, strict=True):
        np.testing.assert_array_equal(message.data, old.data)


def test_long_stream_keeps_few_frames_waiting() -> None:
    assembler = FrameAssembler(AssemblerSettings(roles=all_roles()))
    most = 0
    for _, role, message in recording(num_steps=600):
        assembler.push(role, message)
        most = max(most, assembler.num_pending)

    # One second of wait at 10 Hz, and the frames of the movement and the world detections.
    assert most <= 14

"""Clocks, simulated time and bags in a loop: rows C1 to C14, from a bag to its frames."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from st_memory.core.errors import ConversionError
from st_memory.core.stamps import stamp_from_sec_nanosec, stamp_to_sec_nanosec
from st_memory.doctor import diagnose
from test.conversions import fake_messages as fake
from test.conversions.assembling import assembler_of, CAMERA, DEPTH, push_look
from test.conversions.assembling import T0 as FAKE_T0
from test.field_notes.recordings import DEPTH_M, frames_of, MS, recording, S, T0

ROOT = Path(__file__).resolve().parents[2] / 'st_memory'
STEPS = 10


def looped_bag(path: Path, num_loops: int, *, without_last_depth: bool = False) -> Path:
    """Record the same second several times; depth says which loop it is of."""
    log_ns = T0
    with recording(path) as taker:
        for loop in range(num_loops):
            for step in range(STEPS):
                stamp_ns, log_ns = T0 + step * 100 * MS, log_ns + 100 * MS
                taker.tf(stamp_ns, log_ns=log_ns)
                taker.info(stamp_ns, log_ns=log_ns)
                if not (without_last_depth and step == STEPS - 1):
                    taker.depth(stamp_ns, DEPTH_M + loop, log_ns=log_ns)
                taker.found(stamp_ns, log_ns=log_ns)
    return path


def test_c1_backward_jump_opens_an_epoch_and_poses_go_on(tmp_path: Path) -> None:
    frames, counters = frames_of(looped_bag(tmp_path / 'loop.mcap', 2))

    assert [f.epoch for f in frames] == [0] * STEPS + [1] * STEPS
    assert [f.stamp_ns for f in frames[:STEPS]] == [f.stamp_ns for f in frames[STEPS:]]
    assert all(f.cameras[0].world_T_camera is not None for f in frames)
    assert counters['clock_jumped_back'] == 1


@pytest.mark.parametrize('package', ['conversions', 'core'])
def test_c2_what_places_frames_in_time_asks_no_clock(package: str) -> None:
    for file in (ROOT / package).rglob('*.py'):
        tree = ast.parse(file.read_text(encoding='utf-8'))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or '' for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        asked = {
            n.attr
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute)
            and isinstance(n.value, ast.Name)
            and n.value.id in ('datetime', 'date')
        }
        assert 'time' not in names, file
        assert not asked & {'now', 'utcnow', 'today'}, file


def test_c3_three_loops_give_equal_counts(tmp_path: Path) -> None:
    frames, _ = frames_of(looped_bag(tmp_path / 'loop.mcap', 3))

    whole = [f.epoch for f in frames if f.cameras[0].depth_m is not None]
    assert [whole.count(epoch) for epoch in range(3)] == [STEPS] * 3


@pytest.mark.parametrize('slop_ns', [0, 30 * MS])
def test_c4_what_one_loop_left_over_never_pairs_with_the_next(
    tmp_path: Path, slop_ns: int
) -> None:
    bag = looped_bag(tmp_path / 'loop.mcap', 3, without_last_depth=True)

    frames, counters = frames_of(bag, slop_ns=slop_ns)

    for frame in frames:
        depth_m = frame.cameras[0].depth_m
        assert depth_m is None or depth_m[0, 0] == 2.5 + frame.epoch
    assert sum(f.cameras[0].depth_m is None for f in frames) == counters['missing_depth'] == 3


def test_c5_message_that_throws_costs_only_itself() -> None:
    assembler = assembler_of(*CAMERA)
    push_look(assembler, FAKE_T0)

    with pytest.raises(ConversionError):
        assembler.push(DEPTH, fake.raw_image(FAKE_T0 + 1, 'yuv', np.zeros((3, 4), np.uint16)))

    assert len(push_look(assembler, FAKE_T0 + S)) == 1


def test_c7_stamp_zero_is_counted_and_costs_only_itself(tmp_path: Path) -> None:
    with recording(tmp_path / 'zero.mcap') as taker:
        taker.tf(T0)
        taker.info(0, log_ns=T0)
        taker.depth(0, log_ns=T0)
        taker.look(T0 + S)

    frames, counters = frames_of(tmp_path / 'zero.mcap')

    assert [f.stamp_ns for f in frames] == [T0 + S]
    assert counters['zero_stamp'] == 2
    warnings = diagnose(tmp_path / 'zero.mcap').warnings
    assert '/head/depth/image_raw: 1 of the first messages have stamp 0' in warnings


def test_c9_frames_are_those_of_the_stamps_however_the_messages_were_bunched(
    tmp_path: Path,
) -> None:
    for name, bunch in (('even', 1), ('bursts', 5)):
        with recording(tmp_path / f'{name}.mcap') as taker:
            for i in range(20):
                taker.look(T0 + i * 40 * MS, log_ns=T0 + (i // bunch) * bunch * 40 * MS)

    even, bursts = (frames_of(tmp_path / f'{name}.mcap')[0] for name in ('even', 'bursts'))

    assert [f.stamp_ns for f in even] == [f.stamp_ns for f in bursts]
    assert [f.cameras[0].world_T_camera for f in even] == [
        f.cameras[0].world_T_camera for f in bursts
    ]


def test_c10_offset_between_stamps_and_recording_is_reported_and_stamps_count(
    tmp_path: Path,
) -> None:
    with recording(tmp_path / 'late.mcap') as taker:
        for i in range(5):
            stamp_ns = T0 + i * 100 * MS
            taker.look(stamp_ns, log_ns=stamp_ns + 111_700 * MS)

    frames, _ = frames_of(tmp_path / 'late.mcap')
    diagnosis = diagnose(tmp_path / 'late.mcap')

    assert frames[0].stamp_ns == T0
    (topic,) = (t for t in diagnosis.survey.topics if t.topic == '/head/camera_info')
    assert topic.stamp_offset_s == pytest.approx(111.7)
    assert any('recorded +111.700 s from its stamps' in line for line in diagnosis.warnings)


def test_c11_stamps_in_the_future_of_tf_are_named_and_a_known_delay_mends_them(
    tmp_path: Path,
) -> None:
    with recording(tmp_path / 'future.mcap') as taker:
        for i in range(20):
            taker.tf(T0 + i * 100 * MS)
        taker.info(T0 + 6 * S, log_ns=T0 + S)
        taker.depth(T0 + 6 * S, log_ns=T0 + S)
        taker.found(T0 + 6 * S, log_ns=T0 + S)

    (ahead,), counters = frames_of(tmp_path / 'future.mcap')
    (mended,), _ = frames_of(tmp_path / 'future.mcap', camera_delay_s={'head': 5.0})

    assert ahead.cameras[0].world_T_camera is None
    assert ahead.cameras[0].pose_problem.startswith('too_new')
    assert counters['missing_pose'] == 1
    assert mended.stamp_ns == T0 + S
    assert mended.cameras[0].world_T_camera is not None


def test_c12_times_inside_are_whole_nanoseconds(tmp_path: Path) -> None:
    stamp_ns = 1_234_567_890_123_456_789
    with recording(tmp_path / 'exact.mcap') as taker:
        taker.look(stamp_ns)

    (frame,), _ = frames_of(tmp_path / 'exact.mcap')

    assert type(frame.stamp_ns) is int
    assert frame.stamp_ns == stamp_ns


@settings(derandomize=True, max_examples=200, database=None)
@given(st.integers(0, 2**31 * S - 1))
def test_c13_stamps_survive_the_way_through_messages(stamp_ns: int) -> None:
    sec, nanosec = stamp_to_sec_nanosec(stamp_ns)

    assert stamp_from_sec_nanosec(sec, nanosec) == stamp_ns
    assert 0 <= nanosec < S


def test_c14_missing_transform_ends_a_frame_and_hangs_nothing(tmp_path: Path) -> None:
    with recording(tmp_path / 'paused.mcap') as taker:
        taker.tf(T0)
        for i in range(1, 4):
            taker.info(T0 + i * S)
            taker.depth(T0 + i * S)
            taker.found(T0 + i * S)

    frames, counters = frames_of(tmp_path / 'paused.mcap')

    assert [f.cameras[0].world_T_camera for f in frames] == [None] * 3
    assert counters['missing_pose'] == 3


def test_c1_forward_jump_and_pause_stay_in_the_epoch(
    tmp_path: Path,
) -> None:
    with recording(tmp_path / 'forward.mcap') as taker:
        taker.look(T0)
        taker.look(T0 + 3600 * S)

    frames, _ = frames_of(tmp_path / 'forward.mcap')

    assert [(f.epoch, f.stamp_ns) for f in frames] == [(0, T0), (0, T0 + 3600 * S)]
    assert all(f.cameras[0].world_T_camera is not None for f in frames)

"""What `make stress` does for long, for a moment: odd messages, odd bytes, a flood."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault('OPENCV_LOG_LEVEL', 'SILENT')

from benchmarks.fixture import fixture_bag
from benchmarks.stress.__main__ import main
from benchmarks.stress.flood import flood
from benchmarks.stress.fuzz import fuzz_bytes, fuzz_messages, FuzzError
from benchmarks.stress.odd_messages import OddMessages
from st_memory.conversions import AssemblerSettings, FrameAssembler


def test_odd_messages_are_the_same_for_the_same_seed() -> None:
    first, second = OddMessages(4), OddMessages(4)

    assert [str(first.take()) for _ in range(200)] == [str(second.take()) for _ in range(200)]
    assert len({OddMessages(seed).take()[0].kind for seed in range(100)}) > 8


def test_odd_messages_cost_only_themselves() -> None:
    counts = fuzz_messages(3000, seed=11)

    assert counts['messages'] == 3000
    assert counts['frames'] > 300
    assert counts['refused'] > 30


def test_right_messages_are_never_refused() -> None:
    messages = OddMessages(3, odd_share=0.0)
    assembler = FrameAssembler(AssemblerSettings())

    frames = [frame for _ in range(500) for frame in assembler.push(*messages.take())]

    assert len(frames) > 100


def test_odd_bytes_are_a_message_or_one_line() -> None:
    counts = fuzz_bytes(3000, seed=11)

    assert counts['byte_messages'] == 3000
    assert 300 < counts['byte_refused'] < 2700


def test_time_is_bounded() -> None:
    assert fuzz_messages(10**9, seed=1, seconds=0.0)['messages'] <= 256
    assert fuzz_bytes(10**9, seed=1, seconds=0.0)['byte_messages'] <= 256


def test_crash_is_reported_with_the_message_and_the_seed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError('pushed')

    monkeypatch.setattr(FrameAssembler, 'push', fail)

    with pytest.raises(FuzzError, match=r'message 0 of seed 5 \(\w+\): RuntimeError: pushed'):
        fuzz_messages(10, seed=5)
    assert main(['--messages', '10', '--flood-seconds', '0']) == 1
    assert 'stress: message 0 of seed 1' in capsys.readouterr().err


def test_flood_counts_what_it_drops_and_goes_on() -> None:
    found = flood(fixture_bag(), seconds=1.0, times=0.0, capacity=20)

    assert found.num_taken + found.num_dropped == found.num_sent
    assert found.num_dropped > 0
    assert found.num_frames > 0

"""``python -m benchmarks.stress``: odd messages, odd bytes, and a flood; bounded in time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import os
import sys

os.environ.setdefault('OPENCV_LOG_LEVEL', 'SILENT')

from benchmarks.fixture import fixture_bag
from benchmarks.stress.flood import flood
from benchmarks.stress.fuzz import fuzz_bytes, fuzz_messages, FuzzError

_SHARE_OF_BYTES = 0.2
_LARGEST_ANSWER_MS = 10.0


@contextmanager
def _quiet_libraries() -> Iterator[None]:
    """Keep away what libraries in C write about each damaged image."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run all parts and print what came of them.

    Returns
    -------
    int
        0 when nothing crashed, every dropped message was counted and answers stayed below 10 ms.

    """
    parser = argparse.ArgumentParser(prog='benchmarks.stress', description='Push and see.')
    parser.add_argument('--messages', type=int, default=1_000_000, help='odd messages, at most')
    parser.add_argument('--seconds', type=float, default=900.0, help='for each part, at most')
    parser.add_argument('--seed', type=int, default=1, help='the same one sends the same')
    parser.add_argument('--flood-seconds', type=float, default=20.0, help='0: no flood')
    arguments = parser.parse_args(argv)
    num_bytes = int(arguments.messages * _SHARE_OF_BYTES)
    try:
        with _quiet_libraries():
            counts = fuzz_messages(
                arguments.messages - num_bytes, arguments.seed, arguments.seconds
            )
            counts += fuzz_bytes(num_bytes, arguments.seed, arguments.seconds)
    except FuzzError as error:
        sys.stderr.write(f'stress: {error}\n')
        return 1
    for name, count in sorted(counts.items()):
        print(f'{name}: {count}')
    if not arguments.flood_seconds:
        return 0
    is_good = True
    for times in (10.0, 0.0):
        found = flood(fixture_bag(), arguments.flood_seconds / 2, times)
        print(
            f'flood at {found.times_real_time:.0f} times real time: {found.num_sent} messages, '
            f'{found.num_taken} taken, {found.num_dropped} dropped and counted, '
            f'{found.num_frames} frames, answers p95 {found.answer_p95_ms:.2f} ms'
        )
        is_good &= found.num_taken + found.num_dropped == found.num_sent and found.num_frames > 0
        is_good &= found.answer_p95_ms < _LARGEST_ANSWER_MS
    if not is_good:
        sys.stderr.write(
            'stress: messages were lost without being counted, or answers were late\n'
        )
    return 0 if is_good else 1


if __name__ == '__main__':
    raise SystemExit(main())

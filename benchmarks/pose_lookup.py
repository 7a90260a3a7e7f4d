"""How long one pose takes to be looked up in ten hours of poses, beside ten seconds of them."""

from __future__ import annotations

import numpy as np

from benchmarks.figure import Figure, Goal, Measured
from benchmarks.sampling import alternate, seconds_of
from st_memory.core.geometry import TransformBuffer
from st_memory.core.stamps import NS_PER_S

__all__ = ['POSE_LOOKUP_10H', 'compare', 'filled']

_RATE_HZ = 200
_SHORT_S, _LONG_S = 10, 36_000
_ROUNDS, _WARM_UPS = 60, 3
_LOOKUPS_A_ROUND = 200
_SAMPLES_AT_ONCE = 100_000
_START_NS = 1_700_000_000 * NS_PER_S
_SEED = 5


def filled(duration_s: int) -> TransformBuffer:
    """Give a buffer with ``map`` to ``device`` at 200 Hz, and a camera fixed on the device."""
    buffer = TransformBuffer()
    count = duration_s * _RATE_HZ + 1
    for at in range(0, count, _SAMPLES_AT_ONCE):
        ticks = np.arange(at, min(at + _SAMPLES_AT_ONCE, count), dtype=np.int64)
        seconds = ticks / _RATE_HZ
        walk = np.column_stack((np.cos(0.1 * seconds), np.sin(0.1 * seconds), 0.0 * seconds))
        half = 0.15 * seconds
        turn = np.column_stack((0.0 * half, 0.0 * half, np.sin(half), np.cos(half)))
        stamps = _START_NS + ticks * (NS_PER_S // _RATE_HZ)
        buffer.set_track('map', 'device', stamps, walk, turn)
    latest, _ = buffer.latest('map', 'device')
    buffer.set_transform('device', 'camera', 0, latest, static=True)
    return buffer


def compare(short_s: int, long_s: int, rounds: int) -> Measured:
    """Look up the camera at random stamps of a long and of a short history; microseconds each."""
    rng = np.random.default_rng(_SEED)
    short, long = filled(short_s), filled(long_s)

    def microseconds(buffer: TransformBuffer, duration_s: int) -> float:
        drawn = rng.integers(0, duration_s * NS_PER_S, _LOOKUPS_A_ROUND)
        stamps = (_START_NS + drawn).tolist()

        def work() -> None:
            for stamp_ns in stamps:
                buffer.lookup('map', 'camera', stamp_ns, max_gap_ns=NS_PER_S)

        return seconds_of(work) / _LOOKUPS_A_ROUND * 1e6

    return alternate(
        lambda: microseconds(long, long_s), lambda: microseconds(short, short_s), rounds, _WARM_UPS
    )


POSE_LOOKUP_10H = Figure(
    name='pose_lookup_10h',
    unit='us',
    reference='pose_lookup_10s: the same lookup in ten seconds of poses, 200 a second',
    measure=lambda: compare(_SHORT_S, _LONG_S, _ROUNDS),
    goal=Goal('ratio', '<=', 2.0),
)

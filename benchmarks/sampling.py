"""Taking samples of two things in turn, so that what disturbs one disturbs the other."""

from __future__ import annotations

from collections.abc import Callable
import statistics
import time

from benchmarks.figure import Measured

__all__ = ['alternate', 'seconds_of']


def seconds_of(work: Callable[[], object]) -> float:
    """Give how long a call takes, seconds of wall time."""
    begun_s = time.perf_counter()
    work()
    return time.perf_counter() - begun_s


def alternate(
    value: Callable[[], float], reference: Callable[[], float], rounds: int, warm_ups: int = 1
) -> Measured:
    """
    Sample a figure and its reference in turn.

    Parameters
    ----------
    value, reference : callable
        Each call gives one sample.
    rounds : int
        Samples of each that count.
    warm_ups : int
        Samples of each, taken first, that do not.

    Returns
    -------
    Measured
        The medians.

    """
    samples = [(value(), reference()) for _ in range(warm_ups + rounds)][warm_ups:]
    ours, theirs = zip(*samples, strict=True)
    return Measured(statistics.median(ours), statistics.median(theirs))

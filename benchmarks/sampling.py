"""Taking samples of two things in turn, so that what disturbs one disturbs the other."""

from __future__ import annotations

from collections.abc import Callable
import statistics
import time

from benchmarks.figure import Measured

__all__ = ['alternate', 'seconds_of', 'settled_seconds_of']


def seconds_of(work: Callable[[], object]) -> float:
    """Give how long a call takes, seconds of wall time."""
    begun_s = time.perf_counter()
    work()
    return time.perf_counter() - begun_s


def settled_seconds_of(work: Callable[[], object]) -> float:
    """
    Give how long the second of two calls takes, seconds of wall time.

    For calls that allocate megabytes, sampled in turn with others that do: the first brings back
    the memory that the other's end gave away to the system, a page at a time.
    """
    work()
    return seconds_of(work)


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

"""Options of a question: the right one among wrong ones that are no easier to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from st_memory.benchmark.questions.rules import WritingRules
from st_memory.core.records import Scene

__all__ = ['Options', 'clock_time', 'fixture_options', 'time_option', 'time_options']

# Ways to spread the distractors before and after the truth that are tried for each rank.
_TRIES = 8


class Options(NamedTuple):
    """The options in their order, and the index of the right one."""

    choices: tuple[str, ...]
    correct_idx: int


def clock_time(seconds: float) -> str:
    """Write seconds of a recording as HH:MM:SS, rounded to the second."""
    whole = round(seconds)
    return f'{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}'


def time_option(seconds: int, query_s: float) -> str:
    """Write a time as an option: on the clock, and how long before the question."""
    return f'{clock_time(seconds)} — {round(query_s) - seconds} seconds before the end'


def time_options(
    truth_s: float,
    query_s: float,
    rules: WritingRules,
    rank_counts: Sequence[int],
    rng: np.random.Generator,
    known_until_s: float | None = None,
) -> tuple[int, Options] | None:
    """
    Make the options of a question about a time: one distractor from each bin of distance.

    Parameters
    ----------
    truth_s, query_s : float
        The right time and that of the question, seconds of the recording.
    rules : WritingRules
        The bins.
    rank_counts : sequence of int
        How often the right one has been the first, second, ... option so far; the rank used
        least is taken where it can be.
    rng : numpy.random.Generator
        Draws the distances.
    known_until_s : float, optional
        The right time may be as late as this; None for ``truth_s``. The right option is the
        closest one to every time in between.

    Returns
    -------
    tuple of int and Options, or None
        The rank with the options, in order of time; None when the bins do not fit into the time
        before the question.

    """
    num = len(rules.bins_s)
    latest_s = truth_s if known_until_s is None else known_until_s
    fence = _Fence(truth_s, latest_s, rules.fence_margin_s)
    ranks = sorted(range(num + 1), key=lambda rank: (rank_counts[rank], rng.random()))
    for rank in ranks:
        for _ in range(_TRIES):
            earlier = set(rng.permutation(num)[:rank].tolist())
            times = _times(fence, int(query_s), rules, earlier, rng)
            if times is not None:
                choices = tuple(time_option(t, query_s) for t in sorted(times))
                return rank, Options(choices, sorted(times).index(fence.option))
    return None


class _Fence:
    """Which whole seconds can stand beside the right one without being as close to the truth."""

    def __init__(self, earliest_s: float, latest_s: float, margin_s: float) -> None:
        self.option = round(earliest_s)
        self._earliest_s, self._latest_s = earliest_s - margin_s, latest_s + margin_s

    def keeps_out(self, seconds: int) -> bool:
        """Whether every time that may be the right one is closer to the right option."""
        middle_s = (self.option + seconds) / 2
        return middle_s < self._earliest_s if seconds < self.option else middle_s > self._latest_s


def _times(
    fence: _Fence, query: int, rules: WritingRules, earlier: set[int], rng: np.random.Generator
) -> list[int] | None:
    """Draw one distance from each bin; None when one cannot be had."""
    times = [fence.option]
    for i, (low, high) in enumerate(rules.bins_s):
        sign = -1 if i in earlier else 1
        free = [
            t
            for t in (fence.option + sign * d for d in range(low, high + 1))
            if 0 <= t <= query and fence.keeps_out(t)
        ]
        if not free:
            return None
        times.append(free[int(rng.integers(len(free)))])
    return times


def fixture_options(
    scene: Scene, fixture_id: str, rules: WritingRules, rng: np.random.Generator
) -> Options | None:
    """
    Make the options of a question about a fixture.

    What is on a counter is asked by the counter areas of the kitchen, of which there are at
    least three; otherwise the options are types of fixture. Where there are fewer areas, other
    open surfaces (no containers) count as such.

    Returns
    -------
    Options or None
        In random order; None when there are too few other options.

    """
    fixtures = {f.fixture_id: f for f in scene.fixtures}
    if fixture_id not in fixtures:
        return None
    truth = fixtures[fixture_id]
    if truth.label == rules.area_label:
        areas = [f.fixture_id for f in scene.fixtures if f.label == rules.area_label]
        if len(areas) < 3:
            areas = [f.fixture_id for f in scene.fixtures if not f.is_container]
        return _shuffled(fixture_id, areas, 6, rng) if len(areas) >= 3 else None
    labels = sorted({f.label for f in scene.fixtures})
    if len(labels) < 3:
        return None
    return _shuffled(truth.label, labels, rules.num_fixture_options, rng)


def _shuffled(truth: str, names: Sequence[str], limit: int, rng: np.random.Generator) -> Options:
    others = [name for name in names if name != truth]
    chosen = [truth, *(others[int(i)] for i in rng.permutation(len(others))[: limit - 1])]
    choices = tuple(chosen[int(i)] for i in rng.permutation(len(chosen)))
    return Options(choices, choices.index(truth))

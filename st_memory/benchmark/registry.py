"""The list of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from st_memory.benchmark import (
    adt,
    beyond3d_question_score,
    beyond3d_questions,
    beyond3d_track,
    hd_epic_motion,
    hd_epic_score,
    hot3d,
    kitchen_questions,
    kitchen_visibility,
    track_audit,
    track_audit_score,
)
from st_memory.benchmark.laws import asof, crash, determinism
from st_memory.core.errors import ConfigError

__all__ = ['BENCHMARKS', 'Benchmark', 'benchmark_named']

Predict = Callable[[Path, Path, int], Mapping[str, Any]]
Score = Callable[[Path, Path], Mapping[str, Any]]


@dataclass(frozen=True)
class Benchmark:
    """
    One benchmark in two stages.

    Parameters
    ----------
    name : str
        What is typed.
    summary : str
        One line for people.
    predictions : tuple of str
        Per-item files that the first stage writes.
    predict : callable
        ``predict(data, out, seed)`` writes the per-item files from the data and gives what the
        manifest should say of the run; it opens no truth.
    score : callable
        ``score(data, out)`` reads the per-item files and the truth.
    is_rendered : bool
        It renders its recordings from the seed, into ``data``; the truth then lies in ``out``.

    """

    name: str
    summary: str
    predictions: tuple[str, ...]
    predict: Predict
    score: Score
    is_rendered: bool = False


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark(
            name='beyond3d-track',
            summary='visibility per object and second, and questions, as Beyond3D published them',
            predictions=(
                beyond3d_track.SAMPLES,
                beyond3d_track.SAMPLES_LIVE,
                beyond3d_track.SAMPLES_FIXTURE_RULE,
                *beyond3d_questions.FILES,
            ),
            predict=beyond3d_track.predict,
            score=beyond3d_track.score,
        ),
        Benchmark(
            name='beyond3d-questions',
            summary='the published questions of a Beyond3D video alone (legacy format)',
            predictions=beyond3d_questions.FILES,
            predict=beyond3d_questions.predict,
            score=beyond3d_question_score.score,
        ),
        Benchmark(
            name='hd-epic-motion',
            summary='how often, since when and where to things were moved, as HD-EPIC asks it',
            predictions=(hd_epic_motion.PREDICTIONS,),
            predict=hd_epic_motion.predict,
            score=hd_epic_score.score,
        ),
        Benchmark(
            name='adt',
            summary='visible or not, and how much, against Aria Digital Twin renderings',
            predictions=(adt.SAMPLES,),
            predict=adt.predict,
            score=adt.score,
        ),
        Benchmark(
            name='hot3d',
            summary='the same for handled HOT3D objects that hide each other, without depth',
            predictions=(hot3d.SAMPLES,),
            predict=hot3d.predict,
            score=hot3d.score,
        ),
        Benchmark(
            name='track-audit',
            summary='visible or not against the marks of several people, and how far they agree',
            predictions=(track_audit.SAMPLES, track_audit.LOOKS),
            predict=track_audit.predict,
            score=track_audit_score.score,
        ),
        Benchmark(
            name='kitchen-visibility',
            summary='visible or not, where and whether still there, in freshly rendered kitchens',
            predictions=kitchen_visibility.FILES,
            predict=kitchen_visibility.predict,
            score=kitchen_visibility.score,
            is_rendered=True,
        ),
        Benchmark(
            name='kitchen-questions',
            summary='out-of-sight questions about freshly rendered kitchens, identity and moves',
            predictions=kitchen_questions.FILES,
            predict=kitchen_questions.predict,
            score=kitchen_questions.score,
            is_rendered=True,
        ),
        Benchmark(
            name='asof',
            summary='answers as of T use nothing that came later: 200 moments of a made-up life',
            predictions=(asof.ANSWERS,),
            predict=asof.predict,
            score=asof.score,
            is_rendered=True,
        ),
        Benchmark(
            name='crash',
            summary='what was acknowledged survives kill -9: 100 runs killed at random moments',
            predictions=(crash.RUNS,),
            predict=crash.predict,
            score=crash.score,
            is_rendered=True,
        ),
        Benchmark(
            name='determinism',
            summary='the same frames give the same bytes: again, reopened midway, and looped',
            predictions=(determinism.DUMPS,),
            predict=determinism.predict,
            score=determinism.score,
            is_rendered=True,
        ),
    )
}


def benchmark_named(name: str) -> Benchmark:
    """
    Give a benchmark by name.

    Raises
    ------
    ConfigError
        If there is none.

    """
    if name not in BENCHMARKS:
        known = ', '.join(sorted(BENCHMARKS))
        raise ConfigError(f'benchmark: expected one of {known}, got {name!r}')
    return BENCHMARKS[name]

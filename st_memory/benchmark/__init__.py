"""
Own the benchmarks: predict from a folder without its truth, then score the per-item files.

Imports adapters, replay and core. A reader starts with :data:`BENCHMARKS`, :func:`run_predict`
and :func:`run_score`.
"""

from __future__ import annotations

from st_memory.benchmark.registry import Benchmark, benchmark_named, BENCHMARKS
from st_memory.benchmark.stages import run_predict, run_score

__all__ = ['BENCHMARKS', 'Benchmark', 'benchmark_named', 'run_predict', 'run_score']

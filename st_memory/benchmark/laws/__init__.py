"""
Own the benchmarks of what must hold of every memory: as of T, after a crash, run again.

A reader starts with :mod:`asof`, :mod:`crash` and :mod:`determinism`.
"""

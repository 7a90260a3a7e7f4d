"""
Figures that the project holds itself to, each measured beside a reference in the same run.

``python -m benchmarks`` measures and prints; one module a figure. The references in
:mod:`benchmarks.reference` do the same work without ``st_memory``, as fast as we can make them:
on a busy machine the ratio of the two means more than either.
"""

"""
Own what the memory concludes: geometry, records, the fold, questions and metrics.

Imports numpy, scipy and the standard library only: no I/O, no clock, no ROS. A reader starts with
:class:`st_memory.core.memory.ObjectMemory`, :mod:`st_memory.core.records` and
:mod:`st_memory.core.queries`.
"""

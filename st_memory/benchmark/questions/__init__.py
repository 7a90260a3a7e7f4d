"""
Own the writing of out-of-sight questions, as Beyond3D makes them, from any visibility tracks.

Tracks come from a memory or from a simulator's truth; what follows is the same. A reader starts
with :class:`SceneTracks` and :func:`write_trajectories`.
"""

from __future__ import annotations

from st_memory.benchmark.questions.anchors import Anchor, find_anchors, find_controls
from st_memory.benchmark.questions.rules import WritingRules
from st_memory.benchmark.questions.tracks import Movement, ObjectTrack, SceneTracks
from st_memory.benchmark.questions.trajectories import write_trajectories
from st_memory.benchmark.questions.trajectory_record import Step, Trajectory

__all__ = [
    'Anchor',
    'Movement',
    'ObjectTrack',
    'SceneTracks',
    'Step',
    'Trajectory',
    'WritingRules',
    'find_anchors',
    'find_controls',
    'write_trajectories',
]

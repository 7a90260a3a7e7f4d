"""
Own the rendered kitchen: a scripted scene, its sensors, their noise, and the exact truth.

Imports only :mod:`st_memory.core`; MuJoCo (extra ``sim``) is loaded when something is rendered.
A reader starts with :class:`KitchenSpec` and :func:`render_kitchen`. Recordings go to a
:class:`~st_memory.core.ports.RecordingSink`, so this package knows nothing about bags.
"""

from __future__ import annotations

from st_memory.sim.gl import load_mujoco, RenderingUnavailableError
from st_memory.sim.kitchen import render_kitchen
from st_memory.sim.noise import NOISE_PRESETS, NoiseSettings
from st_memory.sim.report import Difficulty, FLOORS, KitchenReport
from st_memory.sim.spec import KitchenSpec

__all__ = [
    'FLOORS',
    'NOISE_PRESETS',
    'Difficulty',
    'KitchenReport',
    'KitchenSpec',
    'NoiseSettings',
    'RenderingUnavailableError',
    'load_mujoco',
    'render_kitchen',
]

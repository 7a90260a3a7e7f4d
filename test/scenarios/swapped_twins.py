"""Two mugs of one class that change places while nobody looks."""

from __future__ import annotations

from dataclasses import replace
import math

from st_memory.core.records import SensedFrame
from test.scenarios.synthetic import Ball, looking, sense

__all__ = ['BLUE', 'RED', 'Look', 'swapped', 'with_look']

RED, BLUE = (1.0, 0.0, 0.25), (0.0, 1.0, 0.25)
Look = tuple[float, ...]
_AWAY = looking(math.pi)


def swapped(left: Look = RED, right: Look = BLUE) -> list[SensedFrame]:
    """Two seconds of one arrangement, six of looking away, four of the other one."""
    first = [_mug(0.4, left), _mug(-0.4, right)]
    then = [_mug(-0.4, left), _mug(0.4, right)]
    frames = [sense(i, first) for i in range(10)]
    frames += [sense(10 + i, [], _AWAY) for i in range(30)]
    return frames + [sense(40 + i, then) for i in range(20)]


def with_look(frames: list[SensedFrame], index: int, look: Look) -> list[SensedFrame]:
    """The same frames, with another embedding of the first detection of one of them."""
    (camera,) = frames[index].cameras
    first, *others = camera.detections or ()
    changed = replace(camera, detections=(replace(first, embedding=look), *others))
    return [*frames[:index], replace(frames[index], cameras=(changed,)), *frames[index + 1 :]]


def _mug(y: float, look: Look) -> Ball:
    return Ball('mug', (2.0, y, 0.0), embedding=look)

"""
A process that holds what a memory at work holds, and says how much of it is resident.

``python -m benchmarks.resident_process [--bare]``: ten thousand objects remembered in a kitchen
of a million triangles, after some frames; or only that kitchen in bare Embree. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import sys

__all__ = ['hold_bare', 'hold_memory', 'main', 'resident_mb']

NUM_OBJECTS, NUM_FRAMES = 10_000, 6
_FRAME_NS = 100_000_000


def resident_mb() -> float:
    """Give how much of this process lies in memory, MB of 10^6 bytes."""
    for line in Path('/proc/self/status').read_text(encoding='ascii').splitlines():
        name, _, value = line.partition(':')
        if name == 'VmRSS':
            return int(value.split()[0]) * 1024 / 1e6
    raise OSError('/proc/self/status: no VmRSS')


def hold_memory(num_objects: int, num_frames: int, fineness: float) -> tuple[object, int]:
    """Remember objects in a kitchen and look at them; gives what holds them, and their number."""
    import numpy as np

    from benchmarks.kitchen_mesh import CAMERA, HIGH, kitchen, LOW, POSE
    from st_memory.core.memory import MemorySettings, ObjectMemory
    from st_memory.core.records import CameraFrame, SensedFrame, WorldDetection
    from st_memory.scene import EmbreeRayCaster

    scene = kitchen(fineness)
    memory = ObjectMemory(MemorySettings(), scene, EmbreeRayCaster(scene))
    places = np.random.default_rng(1).uniform(LOW, HIGH, (num_objects, 3))
    found = tuple(
        WorldDetection('thing', 1.0, (x, y, z), f'thing_{i}', (0.1, 0.1, 0.1))
        for i, (x, y, z) in enumerate(places.tolist())
    )
    known: set[str] = set()
    for number in range(num_frames):
        # Found one by one in the first frames, then only looked at.
        seen = found if number < num_frames // 2 else ()
        depth = np.full((CAMERA.height, CAMERA.width), 2.5, dtype=np.float32)
        camera = CameraFrame('head', CAMERA, POSE, depth_m=depth)
        delta = memory.integrate(
            SensedFrame((number + 1) * _FRAME_NS, cameras=(camera,), world_detections=seen)
        )
        known.update(track.state.object_id for track in delta.tracks)
    return memory, len(known)


def hold_bare(fineness: float) -> object:
    """Give the same kitchen in bare Embree."""
    from benchmarks.kitchen_mesh import kitchen
    from benchmarks.looks import triangles_of
    from benchmarks.reference.bare_rays import BareScene

    return BareScene(triangles_of(kitchen(fineness)))


def main(argv: list[str] | None = None) -> int:
    """Hold, print, end."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--bare', action='store_true')
    parser.add_argument('--objects', type=int, default=NUM_OBJECTS)
    parser.add_argument('--fineness', type=float, default=1.0)
    arguments = parser.parse_args(argv)
    held: object
    if arguments.bare:
        held, count = hold_bare(arguments.fineness), 0
    else:
        held, count = hold_memory(arguments.objects, NUM_FRAMES, arguments.fineness)
    print(json.dumps({'resident_mb': resident_mb(), 'objects': count}))
    del held
    return 0


if __name__ == '__main__':
    sys.exit(main())

"""How long a frame takes that finds twenty of a thousand remembered objects, and its commit."""

from __future__ import annotations

from pathlib import Path
import tempfile

import numpy as np
from numpy.typing import NDArray

from benchmarks.depth_check import depth_of
from benchmarks.figure import Figure, Goal, Measured, MeasuringError
from benchmarks.kitchen_mesh import CAMERA, POSE
from benchmarks.looks import Boxes, Place, place
from benchmarks.reference.append_rows import RowAppender
from benchmarks.sampling import seconds_of
from st_memory.core.geometry import RigidTransform
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import (
    CameraFrame,
    Detection,
    FrameDelta,
    SensedFrame,
    WorldDetection,
)
from st_memory.core.visibility import classify, preset_named, Targets
from st_memory.storage import SqliteMemoryStore

__all__ = ['INTEGRATE_1K', 'compare']

_OBJECTS, _FOUND, _ROUNDS, _WARM_UPS = 1000, 20, 300, 20
_FRAME_NS = 100_000_000
_NUM_CLASSES = 40
_SEED = 5
_WAIT = 6000
# How far the camera goes between two looks, and how wrong boxes and depth are.
_STEP_M, _JITTER_PX = 0.004, 1.0
# With a smaller share of the detections taken for the objects they are of, nothing was measured.
_MIN_FOUND_SHARE = 0.9
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])

Floats = NDArray[np.float64]


class _Room:
    """A kitchen with boxes in it, as a camera sees them that hardly moves."""

    def __init__(self, where: Place, count: int) -> None:
        self.boxes = where.boxes(count)
        self._rng = np.random.default_rng(_SEED)
        self._depth_m = depth_of(where)
        self._sides = self._draw()
        self._number = 0

    def label(self, row: int) -> str:
        """Name the class of a box."""
        return f'class {row % _NUM_CLASSES}'

    def told(self) -> SensedFrame:
        """Give the frame that tells where everything is."""
        found = tuple(
            WorldDetection(self.label(i), 1.0, (x, y, z), f'thing_{i}', (w, d, h))
            for i, ((x, y, z), (w, d, h)) in enumerate(
                zip(self.boxes.centres.tolist(), self.boxes.sizes.tolist(), strict=True)
            )
        )
        return SensedFrame(self._stamp(), world_detections=found)

    def look(self, num_found: int) -> SensedFrame:
        """Give a look that finds so many of what shows, by class and box, without ids."""
        rows = sorted(self._sides)
        chosen = self._rng.choice(rows, min(num_found, len(rows)), replace=False)
        step = RigidTransform(self._rng.normal(0.0, _STEP_M, 3), POSE.quat_xyzw)
        pose = RigidTransform(POSE.translation + step.translation, POSE.quat_xyzw)
        camera = CameraFrame(
            'head',
            CAMERA,
            pose,
            depth_m=self._depth_m,
            detections=tuple(self._detection(int(row)) for row in chosen),
        )
        return SensedFrame(self._stamp(), cameras=(camera,), world_T_base=pose)

    def wait(self) -> None:
        """Let what was told be old: things are looked at long after they were found."""
        self._number += _WAIT

    def _stamp(self) -> int:
        self._number += 1
        return self._number * _FRAME_NS

    def _detection(self, row: int) -> Detection:
        left, top, right, bottom = self._sides[row] + self._rng.normal(0.0, _JITTER_PX, 4)
        width, height = max(2.0, right - left), max(2.0, bottom - top)
        return Detection(self.label(row), 0.8, box_px=(left, top, width, height))

    def _draw(self) -> dict[int, Floats]:
        """Put the boxes that show into the depth image, the far ones first; gives their sides."""
        centres, sizes = self.boxes.centres, self.boxes.sizes
        world_T_camera = POSE
        corners = centres[:, None] + _CORNERS * sizes[:, None]
        local = world_T_camera.inverse().apply(corners.reshape(-1, 3)).reshape(-1, 8, 3)
        ahead = (local[..., 2] > 0.3).all(axis=1)
        sides: dict[int, Floats] = {}
        depth = self._depth_m
        for row in sorted(np.flatnonzero(ahead), key=lambda row: -float(local[row, :, 2].mean())):
            pixels = CAMERA.project(local[row]).pixels
            if not np.isfinite(pixels).all():
                continue
            low, high = pixels.min(axis=0), pixels.max(axis=0)
            if (low < 0).any() or high[0] >= CAMERA.width or high[1] >= CAMERA.height:
                continue
            window = depth[int(low[1]) : int(high[1]) + 1, int(low[0]) : int(high[0]) + 1]
            front = np.float32(local[row, :, 2].mean() - sizes[row].min() / 2)
            hidden = np.nan_to_num(window, nan=np.inf) < front
            if hidden.mean() > 0.5:
                continue  # behind the furniture, or behind what is farther: not drawn
            window[~hidden] = front
            sides[int(row)] = np.array([*low, *high])
        return sides


def compare(count: int, num_found: int, where: Place, rounds: int) -> Measured:
    """
    Fold looks into a memory of so many objects and commit each; in turn, do the least of that.

    Parameters
    ----------
    count : int
        Objects, 7.4 % of them in view.
    num_found : int
        Detections in a look, without ids.
    where : Place
        The kitchen.
    rounds : int
        Looks that count.

    Returns
    -------
    Measured
        Milliseconds, medians. ``details``: the 99th percentiles, and how many rows a look makes.

    """
    room = _Room(where, count)
    targets, preset = _targets(room.boxes), preset_named('live')
    ours_s: list[float] = []
    theirs_s: list[float] = []
    rows: list[int] = []
    found: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        bare = RowAppender(Path(folder) / 'bare.db')
        with SqliteMemoryStore.open(Path(folder) / 'memory.db') as store:
            memory = ObjectMemory(MemorySettings(), where.scene, where.caster)
            store.put_scene(where.scene)
            store.commit(memory.integrate(room.told()))
            room.wait()
            for _ in range(_WARM_UPS + rounds):
                frame = room.look(num_found)
                deltas: list[FrameDelta] = []

                def fold(frame: SensedFrame = frame, deltas: list[FrameDelta] = deltas) -> None:
                    deltas.append(memory.integrate(frame))
                    store.commit(deltas[0])

                def least(frame: SensedFrame = frame, deltas: list[FrameDelta] = deltas) -> None:
                    classify(targets, frame.cameras[0], preset, where.caster)
                    bare.append(_num_rows(deltas[0]))

                ours_s.append(seconds_of(fold))
                theirs_s.append(seconds_of(least))
                rows.append(_num_rows(deltas[0]))
                found.append(len(deltas[0].observations) / num_found)
        bare.close()
    if not np.mean(found) >= _MIN_FOUND_SHARE:
        raise MeasuringError(f'only {np.mean(found):.0%} of the detections were taken for objects')
    ours, theirs = (1e3 * np.array(s[_WARM_UPS:]) for s in (ours_s, theirs_s))
    details = {
        'p99_ms': float(np.quantile(ours, 0.99)),
        'reference_p99_ms': float(np.quantile(theirs, 0.99)),
        'rows': float(np.median(rows[_WARM_UPS:])),
        'found_share': float(np.mean(found)),
    }
    return Measured(float(np.median(ours)), float(np.median(theirs)), details)


def _targets(boxes: Boxes) -> Targets:
    return Targets(boxes.centres, boxes.sizes, ('',) * len(boxes.centres))


def _num_rows(delta: FrameDelta) -> int:
    """Rows that a look is made of, its own among them."""
    kinds = (
        delta.tracks,
        delta.observations,
        delta.intervals,
        delta.placements,
        delta.looks,
        delta.events,
    )
    return 1 + sum(map(len, kinds))


INTEGRATE_1K = Figure(
    name='integrate_1k',
    unit='ms',
    reference='classify on the same objects, and bare SQLite: as many rows appended',
    measure=lambda: compare(_OBJECTS, _FOUND, place(), _ROUNDS),
    goal=Goal('ratio', '<=', 5.0),
)

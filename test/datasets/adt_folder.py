"""
A tiny Aria Digital Twin folder whose every number can be worked out by hand.

The device stands at the origin of a scene with y up, and its camera looks along +z at a wall two
metres away. A book stands before the wall, a vase behind it, a chair behind the camera; a cup is
before the wall at the first look and behind it at the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
import csv
from dataclasses import dataclass, field
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import Fisheye624Camera, RigidTransform

__all__ = [
    'BOOK',
    'CHAIR',
    'CUP',
    'FIRST_US',
    'LOOKS_NS',
    'STREAM',
    'VASE',
    'AdtThing',
    'AdtWorld',
    'turned',
]

STREAM = '1201-1'
FIRST_US = 5_000_000
STEP_US = 33_328
NUM_POSES = 3
# Depth has the stamps of the first two poses; the second is rounded the other way.
LOOKS_NS = (FIRST_US * 1000, (FIRST_US + STEP_US) * 1000 - 1)
CAMERA = Fisheye624Camera(64, 48, 40.0, 31.5, 23.5, (0.0,) * 12, 32.0)
WALL_M = 2.0
BOOK, VASE, CHAIR, CUP = '11', '22', '33', '44'

Vector = Sequence[float]


@dataclass
class AdtThing:
    """One object: category, box corners in its own frame, and where that is, by stamp (ns)."""

    label: str
    low: Vector
    high: Vector
    place_by_stamp: dict[int, Vector]


def _things() -> dict[str, AdtThing]:
    cube = (-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)
    pose_stamps = [(FIRST_US + i * STEP_US) * 1000 + 700 for i in range(NUM_POSES)]
    cup_places = [(-0.4, 0.0, 1.0), (-0.4, 0.0, 3.0), (-0.4, 0.0, 3.0)]
    return {
        # Its frame is at its foot: the box reaches from there upwards only.
        BOOK: AdtThing('book', (-0.1, 0.0, -0.1), (0.1, 0.2, 0.1), {-1: (0.2, -0.1, 1.0)}),
        VASE: AdtThing('flower_vase', *cube, {-1: (0.0, 0.0, 3.0)}),
        CHAIR: AdtThing('chair', *cube, {-1: (0.0, 0.0, -1.0)}),
        CUP: AdtThing('cup', *cube, dict(zip(pose_stamps, cup_places, strict=True))),
    }


@dataclass
class AdtWorld:
    """
    What the folder says; tests change it before it is written.

    ``world_T_scene`` moves everything rigidly, ``shift_us`` moves the clock.
    """

    things: dict[str, AdtThing] = field(default_factory=_things)
    world_T_scene: RigidTransform = field(default_factory=RigidTransform.identity)
    shift_us: int = 0
    model: str = 'CameraModelType.FISHEYE624'
    with_images: bool = True

    def write(self, folder: Path) -> Path:
        """Write the folder, with its truth."""
        for name in ('raw', 'extracted'):
            (folder / name).mkdir(parents=True)
        self._write_device(folder)
        self._write_objects(folder)
        self._write_images(folder)
        return folder

    def stamp_ns(self, stamp_ns: int) -> int:
        """Move a stamp by the shift; -1 stays."""
        return stamp_ns if stamp_ns == -1 else stamp_ns + self.shift_us * 1000

    def _write_device(self, folder: Path) -> None:
        gravity = self.world_T_scene.rotation @ [0.0, -9.81, 0.0]
        t, q = self.world_T_scene.translation, self.world_T_scene.quat_xyzw
        header = [
            'graph_uid',
            'tracking_timestamp_us',
            *(f't{a}_world_device' for a in 'xyz'),
            *(f'q{a}_world_device' for a in 'xyzw'),
            *(f'gravity_{a}_world' for a in 'xyz'),
        ]
        stamps = [FIRST_US + self.shift_us + i * STEP_US for i in range(NUM_POSES)]
        rows = [['g', s, *t.tolist(), *q.tolist(), *gravity.tolist()] for s in stamps]
        write_table(folder / 'raw' / 'aria_trajectory.csv', header, rows)
        entry = {
            'label': 'camera-slam-left',
            'model': self.model,
            'image_size': [CAMERA.width, CAMERA.height],
            'projection_params': list(CAMERA.parameters),
            'T_device_camera': np.eye(4).tolist(),
            'valid_radius': CAMERA.valid_radius_px,
        }
        (folder / 'extracted' / 'cameras.json').write_text(json.dumps({STREAM: entry}))

    def _write_objects(self, folder: Path) -> None:
        boxes, poses, instances = [], [], {}
        for uid, thing in self.things.items():
            bounds = [v for pair in zip(thing.low, thing.high, strict=True) for v in pair]
            boxes.append([uid, -1, *bounds])
            instances[uid] = {'instance_name': f'{thing.label}_1', 'category': thing.label}
            for stamp_ns, place in thing.place_by_stamp.items():
                pose = self.world_T_scene @ RigidTransform(np.array(place), np.array([0, 0, 0, 1]))
                x, y, z, w = pose.quat_xyzw.tolist()
                stamp = self.stamp_ns(stamp_ns)
                poses.append([uid, stamp, *pose.translation.tolist(), w, x, y, z])
        bounds_header = [f'p_local_obj_{a}{end}[m]' for a in 'xyz' for end in ('min', 'max')]
        key = ['object_uid', 'timestamp[ns]']
        write_table(folder / 'raw' / '3d_bounding_box.csv', key + bounds_header, boxes)
        pose_header = [f't_wo_{a}[m]' for a in 'xyz'] + [f'q_wo_{a}' for a in 'wxyz']
        write_table(folder / 'raw' / 'scene_objects.csv', key + pose_header, poses)
        (folder / 'raw' / 'instances.json').write_text(json.dumps(instances))

    def _write_images(self, folder: Path) -> None:
        rows = []
        for look_ns in LOOKS_NS:
            stamp_ns = self.stamp_ns(look_ns)
            depth, image = f'{STREAM}_{stamp_ns}.depth_mm.png', f'{STREAM}_{stamp_ns}.image.png'
            cv2.imwrite(str(folder / 'extracted' / depth), self.depth_mm(look_ns))
            rows.append([STREAM, 'depth', stamp_ns, depth])
            rows.append([STREAM, 'segmentation', stamp_ns, 'never_opened.npz'])
            if self.with_images:
                grey = np.full((CAMERA.height, CAMERA.width), 90, np.uint8)
                cv2.imwrite(str(folder / 'extracted' / image), grey)
                rows.append([STREAM, 'image', stamp_ns + 700, image])
        header = ['stream_id', 'kind', 'capture_timestamp_ns', 'file']
        write_table(folder / 'extracted' / 'manifest.csv', header, rows)

    def depth_mm(self, look_ns: int) -> NDArray[np.uint16]:
        """Depth of the wall, and of the boxes before it, along the optical axis."""
        u, v = np.meshgrid(np.arange(CAMERA.width), np.arange(CAMERA.height))
        rays = CAMERA.unproject(np.stack([u.ravel(), v.ravel()], axis=1).astype(np.float64))
        nearest = np.where(np.isfinite(rays).all(axis=1), WALL_M, 0.0)
        for thing in self.things.values():
            places = thing.place_by_stamp
            place = places[min(places, key=lambda s: abs(s - look_ns))]
            z = _first_hit(rays, np.add(place, thing.low), np.add(place, thing.high))
            nearest = np.minimum(nearest, z)
        image: NDArray[np.uint16] = np.rint(nearest * 1000).astype(np.uint16)
        return image.reshape(CAMERA.height, CAMERA.width)


def turned(axis: Vector, angle_rad: float, shift: Vector = (0.0, 0.0, 0.0)) -> RigidTransform:
    """Give a turn about an axis through the origin, then a shift."""
    unit = np.array(axis) / np.linalg.norm(axis)
    quat = [*(np.sin(angle_rad / 2) * unit), np.cos(angle_rad / 2)]
    return RigidTransform(np.array(shift, dtype=np.float64), np.array(quat))


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV table."""
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def edit_table(path: Path, edit: Callable[[list[dict[str, str]]], object]) -> None:
    """Change the rows of a table in place."""
    with path.open(newline='') as file:
        reader = csv.DictReader(file)
        rows, header = list(reader), list(reader.fieldnames or ())
    edit(rows)
    header = [name for name in header if all(name in row for row in rows)]
    write_table(path, header, [[row[name] for name in header] for row in rows])


def _first_hit(
    rays: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Depth at which rays (z = 1) from the origin enter a box; inf for none."""
    with np.errstate(divide='ignore', invalid='ignore'):
        a, b = low / rays, high / rays
    enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
    return np.where((enter <= leave) & (enter > 0), enter, np.inf)

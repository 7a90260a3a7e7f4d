"""
A tiny HOT3D folder whose every number can be worked out by hand.

All three cameras of the headset stand at the origin and look along z. A board is held 1 m before
them, a mug stands right behind it, a die beside it, a ball (which has no mesh) on the other side,
and a spoon lies behind the headset. From the second frame on the board is gone to the side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
import json
from pathlib import Path

import numpy as np

from st_memory.core.geometry import RigidTransform
from test.datasets.adt_folder import write_table
from test.scene.files import BOX, gltf_node, write_glb

__all__ = [
    'BALL',
    'BOARD',
    'DIE',
    'FIRST_NS',
    'FRAME_NS',
    'LOOKS',
    'MUG',
    'SLAM_LAG_NS',
    'SPOON',
    'Hot3dWorld',
]

FIRST_NS = 56_752_108_188_860
FRAME_NS = 33_350_000
SLAM_LAG_NS = 90_813
NUM_FRAMES = 3
RGB, LEFT, RIGHT = '214-1', '1201-1', '1201-2'
LABELS = {RGB: 'camera-rgb', LEFT: 'camera-slam-left', RIGHT: 'camera-slam-right'}
LENSES = {
    RGB: [610.0, 703.5, 703.5, *[0.0] * 12],
    LEFT: [241.0, 319.5, 239.5, *[0.0] * 12],
    RIGHT: [241.0, 319.5, 239.5, *[0.0] * 12],
}
BOARD, MUG, DIE, BALL, SPOON = '101', '102', '103', '104', '105'

Place = tuple[float, float, float]
Size = tuple[float, float, float]


def _frames() -> list[tuple[int, int]]:
    """Stamps of the colour camera and of the others, frame by frame."""
    first = [FIRST_NS + i * FRAME_NS for i in range(NUM_FRAMES)]
    return [(stamp, stamp + SLAM_LAG_NS) for stamp in first]


LOOKS = [
    (stamp, stream)
    for rgb, slam in _frames()
    for stamp, stream in ((rgb, RGB), (slam, LEFT), (slam, RIGHT))
]


@dataclass
class Hot3dThing:
    """One object: its name, the size of its mesh (None without one), its place in each frame."""

    name: str
    size: Size | None
    places: Sequence[Place]
    middle: Place = (0.0, 0.0, 0.0)  # of the mesh, in the object's frame


def _things() -> dict[str, Hot3dThing]:
    def still(place: Place) -> list[Place]:
        return [place] * NUM_FRAMES

    cube = (0.1, 0.1, 0.1)
    away = (-0.9, 0.0, 1.0)
    return {
        BOARD: Hot3dThing('cutting_board', (0.4, 0.4, 0.02), [(0.0, 0.0, 1.0), away, away]),
        MUG: Hot3dThing('mug', cube, still((0.0, 0.0, 1.5))),
        # Its frame is at one of its faces.
        DIE: Hot3dThing('die', cube, still((0.55, 0.0, 1.0)), (0.05, 0.0, 0.0)),
        BALL: Hot3dThing('ball', None, still((-0.5, 0.3, 1.0))),
        SPOON: Hot3dThing('spoon', cube, still((0.0, 0.0, -1.0))),
    }


@dataclass
class Hot3dWorld:
    """
    What the folder says; tests change it before it is written.

    ``world_T_scene`` moves everything rigidly, ``shift_ns`` moves the clock.
    """

    things: dict[str, Hot3dThing] = field(default_factory=_things)
    world_T_scene: RigidTransform = field(default_factory=RigidTransform.identity)
    shift_ns: int = 0
    mesh_unit_m: float = 1.0

    def write(self, folder: Path) -> Path:
        """Write sequence and library."""
        sequence, library = folder / 'Aria' / 'P0001_abc', folder / 'object_library'
        for path in (sequence / 'mps' / 'slam', sequence / 'masks', library):
            path.mkdir(parents=True)
        self._write_calibration(sequence / 'mps' / 'slam' / 'online_calibration.jsonl')
        self._write_poses(sequence)
        masks = [[stamp + self.shift_ns, stream, True] for stamp, stream in LOOKS]
        for name in ('headset_pose', 'object_pose'):
            path = sequence / 'masks' / f'mask_{name}_available.csv'
            write_table(path, ['timestamp[ns]', 'stream_id', 'mask'], masks)
        self._write_library(library)
        return folder

    def _write_calibration(self, path: Path) -> None:
        cameras = [
            {
                'Label': LABELS[stream],
                'Projection': {'Name': 'FisheyeRadTanThinPrism', 'Params': params},
                'T_Device_Camera': {
                    'Translation': [0.0, 0.0, 0.0],
                    'UnitQuaternion': [1.0, [0.0, 0.0, 0.0]],
                },
            }
            for stream, params in LENSES.items()
        ]
        line = json.dumps({'tracking_timestamp_us': 1, 'CameraCalibrations': cameras})
        path.write_text(f'{line}\n{line}\n')

    def _write_poses(self, sequence: Path) -> None:
        header = ['object_uid', 'timestamp[ns]', *(f't_wo_{a}[m]' for a in 'xyz')]
        header += [f'q_wo_{a}' for a in 'wxyz']
        device, objects = [], []
        for index, stamps in enumerate(_frames()):
            for stamp in stamps:
                at = stamp + self.shift_ns
                device.append(['900', at, *self._pose((0.0, 0.0, 0.0))])
                for uid, thing in self.things.items():
                    objects.append([uid, at, *self._pose(thing.places[index])])
        write_table(sequence / 'headset_trajectory.csv', header, device)
        write_table(sequence / 'dynamic_objects.csv', header, objects)

    def _pose(self, place: Place) -> list[float]:
        """Give position and quaternion, w first."""
        upright = RigidTransform(np.array(place), np.array([0.0, 0.0, 0.0, 1.0]))
        pose = self.world_T_scene @ upright
        x, y, z, w = pose.quat_xyzw.tolist()
        return [*pose.translation.tolist(), w, x, y, z]

    def _write_library(self, library: Path) -> None:
        names = {uid: {'instance_name': thing.name} for uid, thing in self.things.items()}
        (library / 'instance.json').write_text(json.dumps(names))
        for uid, thing in self.things.items():
            if thing.size is not None:
                vertices = BOX[0] * np.array(thing.size) + np.array(thing.middle)
                node = gltf_node('mesh0', vertices=vertices / self.mesh_unit_m)
                write_glb(library / f'{uid}.glb', [node])

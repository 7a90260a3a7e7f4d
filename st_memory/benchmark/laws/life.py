"""
A made-up life for a memory: one seed, one bag.

A head turns and walks among tables on which things of few kinds are put down, taken up and moved;
now and then a detection is missing, wrong or has no identity. It need not look real. It has to
make a memory do all that it can do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from st_memory.bags import BagRecorder
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection, Fixture, MovementReport, Scene, ScenePart
from st_memory.core.stamps import NS_PER_S

__all__ = ['life_bag', 'write_life']

FIRST_NS = 1_700_000_000 * NS_PER_S
STEP_NS = NS_PER_S // 5
_CAMERA = PinholeCamera(width=96, height=72, fx=70.0, fy=70.0, cx=47.5, cy=35.5)
_FRAME = 'head_optical_frame'
_LABELS = ('cup', 'cup', 'cup', 'bowl', 'bowl', 'pan', 'jar', 'jar', 'box', 'keys')
_NAME = 'life.mcap'
_WALL_M = 6.0
_TABLES = ((2.0, 1.5), (2.0, -1.5), (-2.0, 0.0))
_SIZE_M = 0.2
# Optical axes (x right, y down, z ahead) of a camera that looks along +x.
_AHEAD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


@dataclass
class _Thing:
    label: str
    track_id: str
    world_p: NDArray[np.float64]
    held_until: int = -1
    since_ns: int = 0
    is_reported: bool = False


@dataclass
class _World:
    rng: Generator
    things: list[_Thing] = field(default_factory=list)

    def spot(self) -> NDArray[np.float64]:
        """Give a free place on a table; two things keep 0.3 m apart."""
        while True:
            x, y = _TABLES[self.rng.integers(len(_TABLES))]
            right, ahead = self.rng.uniform(-0.45, 0.45, 2).tolist()
            p = np.array([x + right, y + ahead, 0.9])
            if all(np.linalg.norm(p - t.world_p) > 0.3 for t in self.things):
                return p


def write_life(path: Path, seed: int, num_frames: int = 300) -> Path:
    """
    Write a life as a bag.

    Parameters
    ----------
    path : Path
        An MCAP file; replaced when it is there.
    seed : int
        Of everything that is random.
    num_frames : int
        Looks, five a second.

    """
    world = _World(np.random.default_rng(seed))
    for number, label in enumerate(_LABELS):
        track_id = f'{label}_t{number}' if number % 3 == 0 else ''
        world.things.append(_Thing(label, track_id, np.full(3, 1e3)))
    for thing in world.things:
        thing.world_p = world.spot()
    eye = RigidTransform.from_matrix(_pose(0.0, (0.0, 0.0, 0.4)))
    with BagRecorder(path, overwrite=True) as bag:
        bag.write_scene(FIRST_NS, 'map', _scene())
        bag.write_transform(FIRST_NS, 'base_link', 'head', eye, static=True)
        for index in range(num_frames):
            stamp_ns = FIRST_NS + index * STEP_NS
            for movement in _live(world, index, stamp_ns):
                bag.write_movement(stamp_ns, movement)
            base = _base_at(index)
            optical = np.eye(4)
            optical[:3, :3] = _AHEAD
            head_T_camera = RigidTransform.from_matrix(optical)
            bag.write_transform(stamp_ns, 'map', 'base_link', base)
            bag.write_transform(stamp_ns, 'head', _FRAME, head_T_camera)
            bag.write_camera_info(stamp_ns, 'head', _FRAME, _CAMERA)
            detections, depth_m = _look(world, (base @ eye @ head_T_camera).inverse())
            bag.write_depth(stamp_ns, 'head', _FRAME, depth_m)
            if world.rng.random() > 0.05:  # else the detector is silent
                bag.write_detections(stamp_ns, 'head', _FRAME, detections)
    return path


def life_bag(data: Path, seed: int, num_frames: int = 300) -> Path:
    """
    Give the bag of a folder.

    A folder with a bag of somebody else's is left as it is; else a life is made up, anew each
    time, so that it is that of the seed.
    """
    found = sorted(p for p in data.glob('*.mcap') if p.name != _NAME)
    if found:
        return found[0]
    data.mkdir(parents=True, exist_ok=True)
    return write_life(data / _NAME, seed, num_frames)


def _pose(yaw: float, place: tuple[float, float, float]) -> NDArray[np.float64]:
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    matrix[:3, 3] = place
    return matrix


def _base_at(index: int) -> RigidTransform:
    """Turn to table after table for one second, stay for two, and sway a little."""
    around = [
        np.arctan2(y, x) for x, y in (_TABLES[index // 15 % 3], _TABLES[index // 15 % 3 - 1])
    ]
    step = (around[0] - around[1] + np.pi) % (2 * np.pi) - np.pi
    yaw = around[1] + step * min(1.0, (index % 15 + 1) / 5)
    sway = 0.05 * np.sin(index / 7.0)
    return RigidTransform.from_matrix(_pose(float(yaw), (sway, -sway, 0.9)))


def _live(world: _World, index: int, stamp_ns: int) -> Iterator[MovementReport]:
    """Let somebody take things up and put them down; some of it is reported."""
    for thing in world.things:
        if thing.held_until == index:
            thing.world_p = world.spot()
            thing.held_until = -1
            if thing.is_reported:
                yield MovementReport(thing.track_id, thing.label, thing.since_ns, stamp_ns)
    if index % 9 == 8:
        thing = world.things[int(world.rng.integers(len(world.things)))]
        if thing.held_until < 0:
            thing.held_until = index + int(world.rng.integers(3, 12))
            thing.since_ns = stamp_ns
            thing.world_p = np.full(3, 1e3)
            thing.is_reported = bool(thing.track_id)
            if thing.is_reported:
                yield MovementReport(thing.track_id, thing.label, stamp_ns)


def _look(
    world: _World, camera_T_world: RigidTransform
) -> tuple[list[Detection], NDArray[np.float32]]:
    """Give what a detector and a depth camera make of the things in view."""
    depth_m = np.full((_CAMERA.height, _CAMERA.width), _WALL_M, dtype=np.float32)
    seen = []
    for thing in world.things:
        x, y, z = camera_T_world.apply(thing.world_p)
        if not 0.3 < z < _WALL_M:
            continue
        u, v = 70.0 * x / z + 47.5, 70.0 * y / z + 35.5
        side = 70.0 * _SIZE_M / z
        if not (side < u < _CAMERA.width - side and side < v < _CAMERA.height - side):
            continue
        left, top, span = int(u - side / 2), int(v - side / 2), int(side) + 1
        depth_m[top : top + span, left : left + span] = z
        if world.rng.random() < 0.1:
            continue  # missed
        noise = world.rng.normal(0.0, 0.01, 3)
        is_slip = world.rng.random() < 0.02
        seen.append(
            Detection(
                'jar' if is_slip else thing.label,
                float(world.rng.uniform(0.5, 1.0)),
                thing.track_id,
                box_px=(float(u - side / 2), float(v - side / 2), float(side), float(side)),
                camera_p=(float(x + noise[0]), float(y + noise[1]), float(z + noise[2])),
                size_m=(_SIZE_M, _SIZE_M, _SIZE_M),
            )
        )
    return seen, depth_m


def _scene() -> Scene:
    """Three tables, and a wall on one side."""
    wall = ScenePart(
        'wall',
        '',
        '',
        np.array([[4.0, -4.0, 0.0], [4.0, 4.0, 0.0], [4.0, 0.0, 4.0]]),
        np.array([[0, 1, 2]], dtype=np.int32),
    )
    tables = tuple(
        Fixture(
            f'table_{number}',
            'table',
            RigidTransform(np.array([x, y, 0.75]), np.array([0.0, 0.0, 0.0, 1.0])),
            (1.2, 1.2, 0.1),
        )
        for number, (x, y) in enumerate(_TABLES, 1)
    )
    return Scene(parts=(wall,), fixtures=tables)

"""
A world of spheres before a wall, seen by a pinhole camera: exact depth and detections.

The camera sits at the origin of the fixed frame looking along +x unless a pose is given; the
fixed frame has z up. Everything is analytic, so tests know the right answer by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import (
    CameraFrame,
    Detection,
    FrameDelta,
    ObjectState,
    SensedFrame,
)

CAMERA = PinholeCamera(160, 120, 130.0, 130.0, 79.5, 59.5)
WALL_M = 5.0
FRAME_NS = 200_000_000  # 5 Hz

# Optical axes (x right, y down, z forward) in a body frame that looks along +x with z up.
BODY_T_OPTICAL = RigidTransform(np.zeros(3), np.array([-0.5, 0.5, -0.5, 0.5]))


@dataclass(frozen=True)
class Ball:
    """A sphere of a class at a place in the fixed frame, metres."""

    label: str
    at: tuple[float, float, float]
    radius: float = 0.08
    is_detected: bool = True
    score: float = 0.8
    track_id: str = ''
    embedding: tuple[float, ...] = ()


def looking(yaw_rad: float = 0.0, at: Sequence[float] = (0.0, 0.0, 0.0)) -> RigidTransform:
    """``world_T_camera`` of a camera at a place, turned to the left by a yaw."""
    half = yaw_rad / 2
    body = RigidTransform(np.array(at), np.array([0.0, 0.0, np.sin(half), np.cos(half)]))
    return body @ BODY_T_OPTICAL


def render(
    balls: Iterable[Ball], world_T_camera: RigidTransform, camera: PinholeCamera = CAMERA
) -> tuple[np.ndarray, dict[Ball, np.ndarray]]:
    """Depth image (H, W) of the wall and the spheres, and each sphere's visible pixels (H, W)."""
    v, u = np.mgrid[0 : camera.height, 0 : camera.width].astype(float)
    x, y = (u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy
    depth = np.full(u.shape, WALL_M)
    owner = np.full(u.shape, -1)
    chosen = list(balls)
    for i, ball in enumerate(chosen):
        c = world_T_camera.inverse().apply(np.array(ball.at))
        a = x * x + y * y + 1
        b = x * c[0] + y * c[1] + c[2]
        discriminant = b * b - a * (c @ c - ball.radius**2)
        with np.errstate(invalid='ignore'):
            z = (b - np.sqrt(discriminant)) / a
        nearer = (discriminant > 0) & (z > 0) & (z < depth)
        depth[nearer], owner[nearer] = z[nearer], i
    return depth.astype(np.float32), {ball: owner == i for i, ball in enumerate(chosen)}


def detect(
    balls: Iterable[Ball], masks: dict[Ball, np.ndarray], min_px: int = 12
) -> list[Detection]:
    """Boxes around what shows of each sphere, as a perfect detector would draw them."""
    found = []
    for ball in balls:
        rows, columns = np.nonzero(masks[ball])
        if not ball.is_detected or rows.size < min_px:
            continue
        box = (
            float(columns.min()) - 0.5,
            float(rows.min()) - 0.5,
            float(np.ptp(columns)) + 1,
            float(np.ptp(rows)) + 1,
        )
        found.append(
            Detection(ball.label, ball.score, ball.track_id, box_px=box, embedding=ball.embedding)
        )
    return found


def sense(
    index: int,
    balls: Iterable[Ball],
    pose: RigidTransform | None = None,
    *,
    detector: bool = True,
    depth: bool = True,
    extra: Sequence[Detection] = (),
    epoch: int = 0,
    base_ns: int = 0,
) -> SensedFrame:
    """Frame number ``index`` (stamps begin one frame after ``base_ns``) of a world."""
    world_T_camera = looking() if pose is None else pose
    chosen = list(balls)
    depth_m, masks = render(chosen, world_T_camera)
    detections = (*detect(chosen, masks), *extra) if detector else None
    camera = CameraFrame(
        'cam',
        CAMERA,
        world_T_camera,
        depth_m=depth_m if depth else None,
        detections=detections,
    )
    return SensedFrame(base_ns + (index + 1) * FRAME_NS, epoch=epoch, cameras=(camera,))


def states_of(deltas: Iterable[FrameDelta]) -> dict[str, ObjectState]:
    """Latest state of each object that the deltas touched."""
    return {r.state.object_id: r.state for delta in deltas for r in delta.tracks}


def events_of(deltas: Iterable[FrameDelta]) -> list[str]:
    """Types of all events, in order."""
    return [event.event_type for delta in deltas for event in delta.events]

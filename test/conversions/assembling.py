"""Assemblers and messages that the tests of the frame assembler push into them."""

from __future__ import annotations

from typing import Any

from st_memory.conversions import AssemblerSettings, FrameAssembler, TopicKind, TopicRole
from st_memory.core.records import SensedFrame
from test.conversions import fake_messages as fake

__all__ = [
    'CAMERA',
    'DEPTH',
    'FOUND',
    'IMAGE',
    'INFO',
    'MOVES',
    'SCENE',
    'STATIC',
    'T0',
    'TF',
    'WORLD',
    'S',
    'assembler_of',
    'moving_assembler',
    'push_look',
    'push_tf',
    'stamps',
]

S = 1_000_000_000
T0 = 100 * S
TF = TopicRole(TopicKind.TF)
STATIC = TopicRole(TopicKind.TF_STATIC)
INFO = TopicRole(TopicKind.CAMERA_INFO, 'head')
IMAGE = TopicRole(TopicKind.IMAGE, 'head')
DEPTH = TopicRole(TopicKind.DEPTH, 'head')
FOUND = TopicRole(TopicKind.DETECTIONS, 'head')
WORLD = TopicRole(TopicKind.WORLD_DETECTIONS)
MOVES = TopicRole(TopicKind.MOVEMENTS)
SCENE = TopicRole(TopicKind.SCENE)
CAMERA = (INFO, DEPTH, FOUND)


def assembler_of(*roles: TopicRole, **settings: Any) -> FrameAssembler:
    """Give an assembler whose camera hangs on a static transform, 1 m above the map."""
    assembler = FrameAssembler(AssemblerSettings(roles=roles, **settings))
    link = fake.transform(0, 'map', 'optical', (0.0, 0.0, 1.0))
    assembler.push(STATIC, fake.tf(link))
    return assembler


def moving_assembler(*roles: TopicRole, **settings: Any) -> FrameAssembler:
    """Give an assembler without any transform."""
    return FrameAssembler(AssemblerSettings(roles=roles, **settings))


def push_look(assembler: FrameAssembler, stamp_ns: int) -> list[SensedFrame]:
    """Push calibration, depth and detections of one stamp."""
    left = assembler.push(INFO, fake.camera_info(stamp_ns))
    left += assembler.push(DEPTH, fake.depth_image(stamp_ns))
    left += assembler.push(FOUND, fake.detections(stamp_ns, fake.detection()))
    return left


def push_tf(assembler: FrameAssembler, stamp_ns: int, x: float = 0.0) -> list[SensedFrame]:
    """Push the moving pose of the camera."""
    return assembler.push(TF, fake.tf(fake.transform(stamp_ns, 'map', 'optical', (x, 0.0, 0.0))))


def stamps(frames: list[SensedFrame]) -> list[int]:
    """Give the stamps of frames after T0."""
    return [frame.stamp_ns - T0 for frame in frames]

"""Requests of ``EditObject`` and ``Rebase`` as what the core takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from st_memory.conversions.stamps import frame_name, stamp_from_time
from st_memory.core.errors import EditError
from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.memory import MemorySettings
from st_memory.core.memory.corrected_trajectory import CorrectedTrajectory
from st_memory.core.memory.rebase import plan_correction, plan_new_origin
from st_memory.core.ports import MemoryReader
from st_memory.core.records import BASE_LOOK, Edit, EditAction, Rebase, RebaseKind
from st_memory.ros.frames import Frames
from st_memory.ros.texts import number_of, one_of

__all__ = ['edit_of', 'plan_of']

_STRAIGHT = (0.0, 0.0, 0.0, 1.0)


def edit_of(request: Any, reader: MemoryReader, frames: Frames) -> Edit:
    """
    Give what a person says.

    A pose in another frame is taken to the fixed frame by where that frame is now; an attitude
    of identity says nothing about how a thing is turned.

    Raises
    ------
    ConversionError
        If there is no such action.
    EditError
        If it is nothing that can be said.
    TransformUnavailableError
        If the frame of the pose is not known.

    """
    action = number_of(EditAction, request.action, 'action')
    place, attitude = None, None
    if request.pose_valid:
        given = request.pose.pose
        pose = _transform('pose', given.position, given.orientation)
        frame_T_fixed = frames.frame_T_fixed(reader, request.pose.header.frame_id, None)
        is_turned = tuple(pose.quat_xyzw.tolist()) != _STRAIGHT
        if frame_T_fixed is not None:
            pose = frame_T_fixed.inverse() @ pose
        x, y, z = pose.translation.tolist()
        place = (x, y, z)
        if is_turned:
            qx, qy, qz, qw = pose.quat_xyzw.tolist()
            attitude = (qx, qy, qz, qw)
    return Edit(
        action, request.object_id, request.other_id, request.label, place, attitude, request.note
    )


def plan_of(
    request: Any, reader: MemoryReader, frames: Frames, settings: MemorySettings
) -> Rebase:
    """
    Work out what a change of the map makes of a memory.

    Raises
    ------
    ConversionError
        If there is no such kind of change.
    EditError
        If it cannot be carried out, or the memory is empty.

    """
    if number_of(RebaseKind, request.kind, 'kind') is RebaseKind.NEW_ORIGIN:
        return plan_new_origin(reader, _new_T_old(request, frames), settings)
    return plan_correction(reader, _trajectory(request, reader, frames), settings)


def _new_T_old(request: Any, frames: Frames) -> RigidTransform:
    given = request.new_origin
    if stamp_from_time(request.at):
        raise EditError('at: expected 0 for a new origin, which holds for everything')
    for name, frame in (
        ('header.frame_id', given.header.frame_id),
        ('child_frame_id', given.child_frame_id),
    ):
        _check_frame(f'new_origin.{name}', frame, frames)
    return _transform('new_origin', given.transform.translation, given.transform.rotation)


def _trajectory(request: Any, reader: MemoryReader, frames: Frames) -> CorrectedTrajectory:
    return CorrectedTrajectory(
        _track(request.trajectory, frames),
        until_ns=stamp_from_time(request.at) or None,
        frame=_posed(request.pose_frame, reader, frames),
    )


def _posed(pose_frame: str, reader: MemoryReader, frames: Frames) -> str:
    """Give what the memory calls the frame whose poses are given."""
    name = frame_name(pose_frame)
    known_as = BASE_LOOK if name == frames.base_frame else frames.camera(name)
    if not name or reader.look_at(known_as) is None:
        raise EditError(f'pose_frame: expected {_posed_frames(reader, frames)}, got {name[:80]!r}')
    return known_as


def _posed_frames(reader: MemoryReader, frames: Frames) -> str:
    known = [name for name in frames.known(reader, None) if name != frames.fixed_frame]
    return one_of(known) or f'{frames.base_frame} or a camera: the memory has poses of none'


def _track(poses: Sequence[Any], frames: Frames) -> PoseTrack:
    track = PoseTrack()
    stamps, moves, quats = [], [], []
    for stamped in poses:
        _check_frame('trajectory.header.frame_id', stamped.header.frame_id, frames)
        p, q = stamped.pose.position, stamped.pose.orientation
        stamps.append(stamp_from_time(stamped.header.stamp))
        moves.append((p.x, p.y, p.z))
        quats.append((q.x, q.y, q.z, q.w))
    if not stamps:
        raise EditError('trajectory: expected poses, got none')
    try:
        track.extend(stamps, moves, quats)
    except ValueError as error:
        raise EditError(f'trajectory: {error}') from error
    return track


def _check_frame(name: str, frame: str, frames: Frames) -> None:
    if frame_name(frame) not in ('', frames.fixed_frame):
        raise EditError(f'{name}: expected {frames.fixed_frame!r} or nothing, got {frame[:80]!r}')


def _transform(name: str, move: Any, turn: Any) -> RigidTransform:
    try:
        return RigidTransform(
            np.array([move.x, move.y, move.z]), np.array([turn.x, turn.y, turn.z, turn.w])
        )
    except ValueError as error:
        raise EditError(f'{name}: {error}') from error

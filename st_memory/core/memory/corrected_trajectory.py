"""Where cameras have been, as a loop closure tells it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack

__all__ = ['CorrectedTrajectory']


@dataclass(frozen=True, eq=False)
class CorrectedTrajectory:
    """
    Where the cameras have been, as it is known now.

    Parameters
    ----------
    fixed_T_frame : PoseTrack
        Corrected poses of one frame in the fixed frame; between two of them it is interpolated.
    frame_T_camera : mapping of str to RigidTransform
        Where the optical frames of cameras are in that frame, by camera. What other cameras saw
        is left as it was.
    until_ns : int, optional
        Only what was observed up to then is projected anew; None for all.

    """

    fixed_T_frame: PoseTrack
    frame_T_camera: Mapping[str, RigidTransform]
    until_ns: int | None = None

    def world_T_camera(self, camera_id: str, stamp_ns: int) -> RigidTransform | None:
        """Give the corrected pose of a camera; None where the trajectory does not say it."""
        mount = self.frame_T_camera.get(camera_id)
        poses = self.fixed_T_frame
        if mount is None or not len(poses):
            return None
        if self.until_ns is not None and stamp_ns > self.until_ns:
            return None
        if not poses.oldest_ns <= stamp_ns <= poses.newest_ns:
            return None
        return poses.at(stamp_ns) @ mount

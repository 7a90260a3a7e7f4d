"""Where cameras have been, as a loop closure tells it afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from st_memory.core.geometry import RigidTransform
from st_memory.core.geometry.pose_track import PoseTrack
from st_memory.core.ports import MemoryReader
from st_memory.core.stamps import Moment

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
        Where the optical frames of cameras are in that frame, by camera, where that is fixed.
    frame : str
        Which frame it is: a camera, or ``BASE_LOOK``. Where another camera was in it is then
        taken from what both believed at the same stamp: an error of the map moves both alike.
        '' for none of them. What a camera saw of which nothing is known is left as it was.
    until_ns : int, optional
        Only what was observed up to then is projected anew; None for all.

    """

    fixed_T_frame: PoseTrack
    frame_T_camera: Mapping[str, RigidTransform] = field(default_factory=dict)
    until_ns: int | None = None
    frame: str = ''

    def world_T_camera(
        self, camera_id: str, at: Moment, reader: MemoryReader
    ) -> RigidTransform | None:
        """
        Give the corrected pose of a camera.

        Parameters
        ----------
        camera_id : str
            The camera.
        at : Moment
            When it looked.
        reader : MemoryReader
            The memory, which has kept what was believed of its pose.

        Returns
        -------
        RigidTransform or None
            None where the trajectory does not say it.

        """
        poses = self.fixed_T_frame
        if not len(poses) or not poses.oldest_ns <= at.stamp_ns <= poses.newest_ns:
            return None
        if self.until_ns is not None and at.stamp_ns > self.until_ns:
            return None
        mount = self._mount(camera_id, at, reader)
        return None if mount is None else poses.at(at.stamp_ns) @ mount

    def _mount(self, camera_id: str, at: Moment, reader: MemoryReader) -> RigidTransform | None:
        """Give where a camera was in the frame of the trajectory."""
        if camera_id in self.frame_T_camera:
            return self.frame_T_camera[camera_id]
        if not self.frame:
            return None
        if camera_id == self.frame:
            return RigidTransform.identity()
        poses = []
        for name in (self.frame, camera_id):
            look = reader.look_at(name, at)
            if look is None or look.world_T_camera is None or look.stamp_ns != at.stamp_ns:
                return None
            poses.append(look.world_T_camera)
        believed_T_frame, believed_T_camera = poses
        return believed_T_frame.inverse() @ believed_T_camera

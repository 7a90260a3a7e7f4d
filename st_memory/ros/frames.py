"""Names of frames: which camera has which optical frame, and in what frame poses are wanted."""

from __future__ import annotations

from st_memory.conversions.stamps import frame_name
from st_memory.core.errors import TransformFailure, TransformUnavailableError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.references import cameras_that_looked, never_looked
from st_memory.core.records import BASE_LOOK
from st_memory.core.stamps import Moment
from st_memory.ros.texts import one_of

__all__ = ['Frames']


class Frames:
    """
    The fixed frame and the cameras' optical frames, as far as they are known.

    Parameters
    ----------
    fixed_frame : str
        Frame in which objects are remembered.
    base_frame : str
        Frame of the body that carries the cameras.

    """

    def __init__(self, fixed_frame: str, base_frame: str = 'base_link') -> None:
        self.fixed_frame = fixed_frame
        self.base_frame = base_frame
        self._frame_by_camera: dict[str, str] = {}
        self._camera_by_frame: dict[str, str] = {}

    def note(self, camera_id: str, frame_id: str) -> None:
        """Take note of a camera's optical frame."""
        frame = frame_name(frame_id)
        self._frame_by_camera[camera_id] = frame
        self._camera_by_frame[frame] = camera_id

    def optical(self, camera_id: str) -> str:
        """Give the optical frame of a camera; its id while the frame is not known."""
        return self._frame_by_camera.get(camera_id, camera_id)

    def camera(self, name: str) -> str:
        """Give the camera that a person means by its id or its optical frame."""
        name = frame_name(name)
        return self._camera_by_frame.get(name, name)

    def frame_T_fixed(
        self, reader: MemoryReader, frame: str, at: Moment | None
    ) -> RigidTransform | None:
        """
        Give the transform from the fixed frame to the one that poses are wanted in.

        Returns
        -------
        RigidTransform or None
            None when that is the fixed frame.

        Raises
        ------
        TransformUnavailableError
            If the frame is neither the fixed one nor that of the base or of a camera with a pose
            by then.

        """
        name = frame_name(frame)
        if name in ('', self.fixed_frame):
            return None
        known_as = BASE_LOOK if name == self.base_frame else self.camera(name)
        look = reader.look_at(known_as, at)
        if look is None or look.world_T_camera is None:
            raise TransformUnavailableError(
                name,
                self.fixed_frame,
                None if at is None else at.stamp_ns,
                TransformFailure.UNKNOWN_FRAME if look is None else TransformFailure.NOT_CONNECTED,
                self._expected(reader, at, known_as)
                if look is None
                else 'the camera had no pose at its last look',
            )
        return look.world_T_camera.inverse()

    def known(self, reader: MemoryReader, at: Moment | None) -> list[str]:
        """Give the frames that poses can be had in: the fixed one, the base's, the cameras'."""
        base = [self.base_frame] if self.base_frame and reader.look_at(BASE_LOOK, at) else []
        cameras = [self.optical(name) for name in cameras_that_looked(reader, at)]
        return [self.fixed_frame, *base, *cameras]

    def _expected(self, reader: MemoryReader, at: Moment | None, known_as: str) -> str:
        why = f'{never_looked(reader, BASE_LOOK, at)}; ' if known_as == BASE_LOOK else ''
        return f'{why}expected {one_of(self.known(reader, at))}'

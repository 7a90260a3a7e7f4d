"""Settings of the frame assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
import enum

from st_memory.conversions.given_cameras import given_calibration, GivenCamera
from st_memory.conversions.mesh_parts import MeshPart
from st_memory.conversions.roles import TopicRole
from st_memory.conversions.self_boxes import SelfBox
from st_memory.core.errors import ConversionError
from st_memory.core.stamps import NS_PER_S

__all__ = ['AssemblerSettings', 'PosePolicy', 'ReleasePolicy']


@enum.unique
class PosePolicy(enum.Enum):
    """Which transform places a camera."""

    EXACT = 'exact'  # interpolated at the stamp of the image, or none
    STATIC_RIG = 'static_rig'  # the newest one where there is none at the stamp


@enum.unique
class ReleasePolicy(enum.Enum):
    """When a frame leaves."""

    COMPLETE = 'complete'  # as soon as nothing is missing, at the latest at the deadline
    DEADLINE = 'deadline'  # always at the deadline: the order of arrival does not matter


@dataclass(frozen=True)
class AssemblerSettings:
    """
    How messages become frames.

    Parameters
    ----------
    fixed_frame : str
        Frame in which objects are remembered.
    base_frame : str
        Frame of the body that carries the cameras, whose pose is kept beside theirs where it can
        be had; '' for none.
    roles : tuple of TopicRole
        What will be fed. A frame waits for what its cameras are known to deliver; roles that
        are not named here count from their first message on.
    role_by_topic : mapping of str to TopicRole
        Roles of topics whose type and name do not tell, for readers of bags.
    mesh_parts : mapping of str to MeshPart
        Which part of the scene the ``shape_msgs/Mesh`` of a topic is, by topic.
    self_boxes : tuple of SelfBox
        Boxes around pieces of the own body, which hide what is behind them from the cameras.
    self_masks : mapping of str to str
        PNG file of the pixels that always show the own body, by camera.
    camera_info : mapping of str to GivenCamera
        Intrinsics of cameras that publish none, by camera; those that come count from then on.
    depth_unit_m : mapping of str to float
        Metres of one step of 16-bit depth, by camera, where it is not millimetres.
    camera_delay_s : mapping of str to float
        How much later than true the stamps of a camera are, by camera, seconds.
    slop_ns : int
        Messages of one camera belong together when their stamps differ by at most this. The
        first one to arrive gives the stamp.
    max_wait_ns : int
        A frame waits for missing parts until sensor data newer by this has come.
    jump_back_ns : int
        A stamp further than this behind the newest of its topic opens a new epoch.
    tf_history_ns : int
        How long transforms are kept; twice ``max_wait_ns`` if that is longer.
    max_pose_gap_ns : int
        Poses of sensors further apart than this are not interpolated between: what was sensed in
        such a hole has no pose. 0: any two will do. Movable parts, which may be told of only when
        they move, have no such limit.
    joint_hold_ns : int
        A joint whose state places a part stays where it was last reported for at most this.
    pose_policy : PosePolicy
        ``EXACT`` unless the cameras never move.
    release : ReleasePolicy
        ``COMPLETE`` for live use, ``DEADLINE`` for recordings.
    max_pending : int
        Most frames that wait; beyond it the oldest leaves at once.

    Raises
    ------
    ValueError
        If a duration is negative, a unit or a calibration is none, or ``max_pending`` is not
        positive.

    """

    fixed_frame: str = 'map'
    base_frame: str = 'base_link'
    roles: tuple[TopicRole, ...] = ()
    role_by_topic: Mapping[str, TopicRole] = field(default_factory=dict)
    mesh_parts: Mapping[str, MeshPart] = field(default_factory=dict)
    self_boxes: tuple[SelfBox, ...] = ()
    self_masks: Mapping[str, str] = field(default_factory=dict)
    camera_info: Mapping[str, GivenCamera] = field(default_factory=dict)
    depth_unit_m: Mapping[str, float] = field(default_factory=dict)
    camera_delay_s: Mapping[str, float] = field(default_factory=dict)
    slop_ns: int = 0
    max_wait_ns: int = NS_PER_S
    jump_back_ns: int = NS_PER_S // 2
    tf_history_ns: int = 60 * NS_PER_S
    max_pose_gap_ns: int = NS_PER_S
    joint_hold_ns: int = NS_PER_S
    pose_policy: PosePolicy = PosePolicy.EXACT
    release: ReleasePolicy = ReleasePolicy.COMPLETE
    max_pending: int = 2000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name.endswith('_ns') and value < 0:
                raise ValueError(f'{name}: expected >= 0, got {value}')
        for camera_id, given in self.camera_info.items():
            try:
                given_calibration(camera_id, given)
            except ConversionError as error:
                raise ValueError(str(error)) from error
        for camera_id, unit_m in self.depth_unit_m.items():
            if not 0 < unit_m < 1:
                raise ValueError(f'depth_unit_m.{camera_id}: expected 0 < m < 1, got {unit_m}')
        if self.max_pending < 1:
            raise ValueError(f'max_pending: expected >= 1, got {self.max_pending}')

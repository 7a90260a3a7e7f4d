"""The settings of the nodes themselves; those of the fold are ``MemorySettings``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from st_memory.conversions.assembly_settings import AssemblerSettings, PosePolicy, ReleasePolicy
from st_memory.core.queries import StayPrior
from st_memory.core.stamps import stamp_from_seconds

__all__ = ['MemoryNodeSettings', 'ReplayNodeSettings']


def _setting(default: Any, text: str, **metadata: Any) -> Any:
    """Declare a setting with the metadata that becomes a parameter's description and range."""
    return field(default=default, metadata={'description': text, **metadata})


@dataclass(frozen=True)
class MemoryNodeSettings:
    """Parameters of ``memory_node``, besides those of the fold (prefix ``memory.``)."""

    database: str = _setting('', 'memory file; made when missing, its folder must exist')
    synchronous: str = _setting(
        'normal',
        'full: a committed frame survives a power cut, at a disk flush a frame',
        choices=('normal', 'full'),
    )
    robot_id: str = _setting(
        '', "whose frames these are in a fleet; '' for whose the file is, at first a random name"
    )
    on_restart: str = _setting(
        'go_on',
        'what an earlier memory in the file is; new_epoch: of a map that ~/rebase has yet to '
        'confirm or place',
        choices=('go_on', 'new_epoch'),
    )
    snapshot_folder: str = _setting(
        '', 'the one folder that ~/snapshot writes copies to; empty: none'
    )
    autostart: bool = _setting(
        default=True, text='configure and activate at once; false: a lifecycle manager does'
    )
    cameras: tuple[str, ...] = _setting(
        (), 'camera namespaces to take, without leading slash; empty: all that are found'
    )
    fixed_frame: str = _setting('map', 'TF frame in which objects are remembered')
    base_frame: str = _setting(
        'base_link', 'TF frame of the robot, kept beside the cameras; empty: none'
    )
    scene: str = _setting(
        '',
        'mesh, URDF or scene description; counts instead of the topic /scene',
    )
    package_paths: tuple[str, ...] = _setting(
        (), "folders in which package:// names of the scene's URDF are looked for"
    )
    ray_caster: str = _setting(
        'embree',
        'what rays are shot with; open3d: on all cores, needs the extra open3d',
        choices=('embree', 'open3d'),
    )
    self_filter: str = _setting(
        '',
        'YAML file with self_boxes and self_masks: where cameras see their own robot or wearer',
    )
    reliability: str = _setting(
        'best_effort',
        'subscriptions to camera topics; auto: reliable where every publisher is',
        choices=('best_effort', 'reliable', 'auto'),
    )
    subscribe_images: bool = _setting(
        default=False,
        text='colour images too; only needed from cameras without a camera_info for each image',
    )
    queue_depth: int = _setting(
        50, 'messages of a topic that may wait in the middleware', min=1, max=10000, unit='1'
    )
    backlog: int = _setting(
        1000, 'messages that may wait for the memory', min=10, max=100000, unit='1'
    )
    discovery_period_s: float = _setting(
        0.5, 'how often new topics are looked for', min=0.05, max=60.0, unit='s'
    )
    objects_period_s: float = _setting(
        0.5, 'least sensor time between two messages on ~/objects', min=0.0, max=3600.0, unit='s'
    )
    markers_period_s: float = _setting(
        1.0,
        'least sensor time between two messages on ~/markers; 0: none',
        min=0.0,
        max=3600.0,
        unit='s',
    )
    diagnostics_period_s: float = _setting(
        1.0, 'how often /diagnostics is published, on a steady clock', min=0.05, max=60.0, unit='s'
    )
    max_answer_bytes: int = _setting(
        2000, 'largest answer of a service', min=500, max=60000, unit='B'
    )
    stay_s: float = _setting(
        0.0,
        'how long things are believed to stay before any move of their kind is known, for '
        'existence_probability; 0: it is not estimated',
        min=0.0,
        max=1e9,
        unit='s',
    )
    slop_s: float = _setting(
        0.0, 'messages of one camera this far apart are one look', min=0.0, max=10.0, unit='s'
    )
    max_wait_s: float = _setting(
        1.0, 'how long a frame waits for what is missing', min=0.0, max=60.0, unit='s'
    )
    tf_history_s: float = _setting(
        60.0, 'how long transforms are kept', min=1.0, max=86400.0, unit='s'
    )
    max_pose_gap_s: float = _setting(
        1.0,
        'camera poses further apart are not interpolated between; 0: any two are',
        min=0.0,
        max=3600.0,
        unit='s',
    )
    pose_policy: str = _setting(
        'exact',
        'static_rig: the newest transform where there is none at the stamp',
        choices=tuple(p.value for p in PosePolicy),
    )
    release: str = _setting(
        'complete',
        'when a frame leaves; deadline: always after max_wait_s, whatever order messages come in',
        choices=tuple(p.value for p in ReleasePolicy),
    )

    def stay_prior(self) -> StayPrior | None:
        """Give what is believed of how long things stay; None for nothing."""
        return StayPrior(self.stay_s) if self.stay_s else None

    def assembler(self) -> AssemblerSettings:
        """Give the part that the frame assembly takes."""
        return AssemblerSettings(
            fixed_frame=self.fixed_frame,
            base_frame=self.base_frame,
            slop_ns=stamp_from_seconds(self.slop_s),
            max_wait_ns=stamp_from_seconds(self.max_wait_s),
            tf_history_ns=stamp_from_seconds(self.tf_history_s),
            max_pose_gap_ns=stamp_from_seconds(self.max_pose_gap_s),
            pose_policy=PosePolicy(self.pose_policy),
            release=ReleasePolicy(self.release),
        )


@dataclass(frozen=True)
class ReplayNodeSettings:
    """Parameters of ``replay_node``."""

    bag: str = _setting('', 'the recording: an MCAP file, or a folder of rosbag2')
    rate: float = _setting(
        0.0,
        'speed as a multiple of the recording; 0: as fast as the consumer acknowledges',
        min=0.0,
        max=1000.0,
        unit='1',
    )
    loop: bool = _setting(default=False, text='start again at the end')
    consumer: str = _setting(
        'memory_node', 'node whose ~/processed is waited for; empty: wait for nobody'
    )
    wait_s: float = _setting(
        15.0, 'how long to wait for subscribers before the start', min=0.0, max=600.0, unit='s'
    )
    ack_timeout_s: float = _setting(
        5.0, 'a message not acknowledged for so long counts as lost', min=0.1, max=600.0, unit='s'
    )

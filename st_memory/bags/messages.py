"""Message objects for a bag, built from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from st_memory.bags.msgtypes import INTERFACES, message_class
from st_memory.conversions.camera_info_fields import camera_info_fields
from st_memory.conversions.markers import describe_scene, MarkerDescription
from st_memory.core.geometry import CameraModel, RigidTransform
from st_memory.core.records import Detection, MovementReport, Scene, WorldDetection
from st_memory.core.records.detections import ALONG_AXES
from st_memory.core.stamps import stamp_to_sec_nanosec

__all__ = [
    'camera_info_message',
    'compressed_image_message',
    'detections_message',
    'joints_message',
    'movement_message',
    'scene_message',
    'transform_message',
    'world_detections_message',
]


def _time(stamp_ns: int) -> Any:
    sec, nanosec = stamp_to_sec_nanosec(stamp_ns)
    return message_class('builtin_interfaces/msg/Time')(sec=sec, nanosec=nanosec)


def _header(stamp_ns: int, frame_id: str) -> Any:
    return message_class('std_msgs/msg/Header')(stamp=_time(stamp_ns), frame_id=frame_id)


def _xyz(kind: str, values: Sequence[float]) -> Any:
    x, y, z = (float(v) for v in values)
    return message_class(f'geometry_msgs/msg/{kind}')(x=x, y=y, z=z)


def _quaternion(quat_xyzw: Sequence[float]) -> Any:
    x, y, z, w = (float(v) for v in quat_xyzw)
    return message_class('geometry_msgs/msg/Quaternion')(x=x, y=y, z=z, w=w)


def _pose(position: Sequence[float], quat_xyzw: Sequence[float] = (0.0, 0.0, 0.0, 1.0)) -> Any:
    return message_class('geometry_msgs/msg/Pose')(
        position=_xyz('Point', position), orientation=_quaternion(quat_xyzw)
    )


def transform_message(
    stamp_ns: int, parent_frame: str, child_frame: str, parent_T_child: RigidTransform
) -> Any:
    """Build a ``tf2_msgs/TFMessage`` with one transform."""
    stamped = message_class('geometry_msgs/msg/TransformStamped')(
        header=_header(stamp_ns, parent_frame),
        child_frame_id=child_frame,
        transform=message_class('geometry_msgs/msg/Transform')(
            translation=_xyz('Vector3', list(parent_T_child.translation)),
            rotation=_quaternion(list(parent_T_child.quat_xyzw)),
        ),
    )
    return message_class('tf2_msgs/msg/TFMessage')(transforms=[stamped])


def camera_info_message(stamp_ns: int, frame_id: str, model: CameraModel) -> Any:
    """Build a ``sensor_msgs/CameraInfo``."""
    fields = camera_info_fields(model)
    return message_class('sensor_msgs/msg/CameraInfo')(
        header=_header(stamp_ns, frame_id),
        height=fields.height,
        width=fields.width,
        distortion_model=fields.distortion_model,
        d=np.array(fields.d, dtype=np.float64),
        k=np.array(fields.k, dtype=np.float64),
        r=np.array(fields.r, dtype=np.float64),
        p=np.array(fields.p, dtype=np.float64),
        binning_x=0,
        binning_y=0,
        roi=message_class('sensor_msgs/msg/RegionOfInterest')(
            x_offset=0, y_offset=0, height=0, width=0, do_rectify=False
        ),
    )


def compressed_image_message(stamp_ns: int, frame_id: str, data: bytes, image_format: str) -> Any:
    """Build a ``sensor_msgs/CompressedImage``."""
    return message_class('sensor_msgs/msg/CompressedImage')(
        header=_header(stamp_ns, frame_id),
        format=image_format,
        data=np.frombuffer(data, dtype=np.uint8),
    )


def _detection(
    detection: Detection | WorldDetection,
    box_px: Sequence[float],
    position: Sequence[float] | None,
    quat_xyzw: Sequence[float],
    embedding: Sequence[float],
) -> Any:
    x, y, width, height = (float(v) for v in box_px)
    return message_class(f'{INTERFACES}/msg/Detection')(
        id=detection.track_id,
        label=detection.label,
        score=float(detection.score),
        x=x,
        y=y,
        width=width,
        height=height,
        has_pose=position is not None,
        pose=_pose(position or (0.0, 0.0, 0.0), quat_xyzw),
        size=_xyz('Vector3', detection.size_m or (0.0, 0.0, 0.0)),
        embedding=np.array(embedding, dtype=np.float32),
    )


def detections_message(
    stamp_ns: int, frame_id: str, detections: Sequence[Detection], source: str
) -> Any:
    """Build a ``DetectionArray`` of one camera image."""
    return message_class(f'{INTERFACES}/msg/DetectionArray')(
        header=_header(stamp_ns, frame_id),
        source=source,
        detections=[
            _detection(
                d,
                d.box_px or (0.0, 0.0, 0.0, 0.0),
                d.camera_p,
                d.camera_quat_xyzw or ALONG_AXES,
                d.embedding,
            )
            for d in detections
        ],
    )


def world_detections_message(
    stamp_ns: int, fixed_frame: str, detections: Sequence[WorldDetection], source: str
) -> Any:
    """Build a ``DetectionArray`` of observations with a position in the fixed frame."""
    return message_class(f'{INTERFACES}/msg/DetectionArray')(
        header=_header(stamp_ns, fixed_frame),
        source=source,
        detections=[
            _detection(d, (0.0, 0.0, 0.0, 0.0), d.world_p, d.quat_xyzw, ()) for d in detections
        ],
    )


def movement_message(stamp_ns: int, movement: MovementReport) -> Any:
    """Build an ``EventArray`` with one movement; ``end`` stays zero while it lasts."""
    tube = message_class(f'{INTERFACES}/msg/RoleTube')
    roles = [
        tube(role='object', object_id=movement.object_id, label=movement.label, boxes=[]),
        *(
            [tube(role='actor', object_id=movement.actor, label='', boxes=[])]
            * bool(movement.actor)
        ),
    ]
    event = message_class(f'{INTERFACES}/msg/EventOccurrence')(
        event_id='',
        event_type='movement',
        ordinal=0,
        start=_time(movement.start_ns),
        end=_time(movement.end_ns or 0),
        ongoing=movement.end_ns is None,
        roles=roles,
        confidence=1.0,
        source=movement.source,
    )
    return message_class(f'{INTERFACES}/msg/EventArray')(
        header=_header(stamp_ns, ''), events=[event]
    )


def joints_message(stamp_ns: int, position_by_joint: Mapping[str, float]) -> Any:
    """Build a ``sensor_msgs/JointState``, joints by name."""
    names = sorted(position_by_joint)
    return message_class('sensor_msgs/msg/JointState')(
        header=_header(stamp_ns, ''),
        name=names,
        position=np.array([position_by_joint[n] for n in names], dtype=np.float64),
        velocity=np.zeros(0),
        effort=np.zeros(0),
    )


def _marker(stamp_ns: int, description: MarkerDescription) -> Any:
    color = message_class('std_msgs/msg/ColorRGBA')
    pose = description.pose
    return message_class('visualization_msgs/msg/Marker')(
        header=_header(stamp_ns, description.frame_id),
        ns=description.namespace,
        id=description.marker_id,
        type=description.marker_type,
        action=0,
        pose=_pose(list(pose.translation), list(pose.quat_xyzw)),
        scale=_xyz('Vector3', description.scale),
        color=color(r=0.7, g=0.7, b=0.7, a=1.0 if len(description.points) else 0.2),
        lifetime=message_class('builtin_interfaces/msg/Duration')(sec=0, nanosec=0),
        frame_locked=True,
        points=[_xyz('Point', corner) for corner in description.points.tolist()],
        colors=[],
        texture_resource='',
        texture=message_class('sensor_msgs/msg/CompressedImage')(
            header=_header(0, ''), format='', data=np.zeros(0, dtype=np.uint8)
        ),
        uv_coordinates=[],
        text=description.text,
        mesh_resource='',
        mesh_file=message_class('visualization_msgs/msg/MeshFile')(
            filename='', data=np.zeros(0, dtype=np.uint8)
        ),
        mesh_use_embedded_materials=False,
    )


def scene_message(stamp_ns: int, fixed_frame: str, scene: Scene) -> Any:
    """Build the ``visualization_msgs/MarkerArray`` of a scene."""
    return message_class('visualization_msgs/msg/MarkerArray')(
        markers=[_marker(stamp_ns, d) for d in describe_scene(scene, fixed_frame)]
    )

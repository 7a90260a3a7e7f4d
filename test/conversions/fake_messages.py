"""Objects with the fields of ROS messages, built without any ROS library."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def time(stamp_ns: int) -> Any:
    """Build a ``builtin_interfaces/Time``."""
    sec, nanosec = divmod(stamp_ns, 1_000_000_000)
    return SimpleNamespace(sec=sec, nanosec=nanosec)


def header(stamp_ns: int, frame_id: str = 'optical') -> Any:
    """Build a ``std_msgs/Header``."""
    return SimpleNamespace(stamp=time(stamp_ns), frame_id=frame_id)


def xyz(values: Sequence[float]) -> Any:
    """Build a point or a vector."""
    x, y, z = values
    return SimpleNamespace(x=x, y=y, z=z)


def quaternion(values: Sequence[float]) -> Any:
    """Build a quaternion from x, y, z, w."""
    x, y, z, w = values
    return SimpleNamespace(x=x, y=y, z=z, w=w)


def pose(position: Sequence[float], quat_xyzw: Sequence[float] = IDENTITY) -> Any:
    """Build a ``geometry_msgs/Pose``."""
    return SimpleNamespace(position=xyz(position), orientation=quaternion(quat_xyzw))


def transform(
    stamp_ns: int,
    parent: str,
    child: str,
    translation: Sequence[float] = (0.0, 0.0, 0.0),
    quat_xyzw: Sequence[float] = IDENTITY,
) -> Any:
    """Build a ``geometry_msgs/TransformStamped``."""
    return SimpleNamespace(
        header=header(stamp_ns, parent),
        child_frame_id=child,
        transform=SimpleNamespace(translation=xyz(translation), rotation=quaternion(quat_xyzw)),
    )


def tf(*transforms: Any) -> Any:
    """Build a ``tf2_msgs/TFMessage``."""
    return SimpleNamespace(transforms=list(transforms))


def camera_info(
    stamp_ns: int,
    *,
    width: int = 4,
    height: int = 3,
    k: Sequence[float] = (5.0, 0.0, 1.5, 0.0, 6.0, 1.0, 0.0, 0.0, 1.0),
    d: Sequence[float] = (),
    p: Sequence[float] = (0.0,) * 12,
    model: str = 'plumb_bob',
    frame_id: str = 'optical',
    binning: tuple[int, int] = (0, 0),
    roi: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> Any:
    """Build a ``sensor_msgs/CameraInfo``; roi is x offset, y offset, width, height."""
    return SimpleNamespace(
        header=header(stamp_ns, frame_id),
        width=width,
        height=height,
        distortion_model=model,
        d=np.array(d, dtype=np.float64),
        k=np.array(k, dtype=np.float64),
        p=np.array(p, dtype=np.float64),
        binning_x=binning[0],
        binning_y=binning[1],
        roi=SimpleNamespace(
            x_offset=roi[0], y_offset=roi[1], width=roi[2], height=roi[3], do_rectify=False
        ),
    )


def raw_image(
    stamp_ns: int,
    encoding: str,
    pixels: np.ndarray[Any, Any],
    *,
    padding: int = 0,
    big_endian: bool = False,
    frame_id: str = 'optical',
) -> Any:
    """Build a ``sensor_msgs/Image``; each row is followed by ``padding`` bytes of 0xAB."""
    order = '>' if big_endian else '<'
    rows = pixels.astype(pixels.dtype.newbyteorder(order))
    data = b''.join(row.tobytes() + b'\xab' * padding for row in rows)
    return SimpleNamespace(
        header=header(stamp_ns, frame_id),
        height=pixels.shape[0],
        width=pixels.shape[1],
        encoding=encoding,
        is_bigendian=int(big_endian),
        step=len(data) // pixels.shape[0],
        data=np.frombuffer(data, dtype=np.uint8),
    )


def depth_image(stamp_ns: int, depth_mm: Any = 1000, frame_id: str = 'optical') -> Any:
    """Build a 4 x 3 depth image in millimetres."""
    pixels = np.broadcast_to(np.array(depth_mm, dtype=np.uint16), (3, 4))
    return raw_image(stamp_ns, '16UC1', pixels, frame_id=frame_id)


def cloud(
    stamp_ns: int,
    points: np.ndarray[Any, Any],
    *,
    kind: str = 'f4',
    big_endian: bool = False,
    padding: int = 0,
    frame_id: str = 'optical',
) -> Any:
    """Build a ``sensor_msgs/PointCloud2`` of (H, W, 3) points, an intensity behind each."""
    size = np.dtype(kind).itemsize
    height, width = points.shape[:2]
    order = '>' if big_endian else '<'
    rows = np.concatenate([points, np.zeros((height, width, 1))], axis=2).astype(order + kind)
    return SimpleNamespace(
        header=header(stamp_ns, frame_id),
        height=height,
        width=width,
        fields=[
            SimpleNamespace(name=name, offset=i * size, datatype=7 if kind == 'f4' else 8, count=1)
            for i, name in enumerate(('x', 'y', 'z', 'intensity'))
        ],
        is_bigendian=big_endian,
        point_step=4 * size,
        row_step=4 * size * width + padding,
        data=b''.join(row.tobytes() + b'\xab' * padding for row in rows),
        is_dense=False,
    )


def compressed(stamp_ns: int, text: str, data: bytes, frame_id: str = 'optical') -> Any:
    """Build a ``sensor_msgs/CompressedImage``."""
    return SimpleNamespace(
        header=header(stamp_ns, frame_id), format=text, data=np.frombuffer(data, dtype=np.uint8)
    )


def detection(
    label: str = 'cup',
    score: float = 0.5,
    *,
    track_id: str = '',
    box: Sequence[float] = (1.0, 1.0, 2.0, 2.0),
    position: Sequence[float] | None = None,
    quat_xyzw: Sequence[float] = IDENTITY,
    size: Sequence[float] = (0.0, 0.0, 0.0),
    embedding: Sequence[float] = (),
) -> Any:
    """Build a ``st_memory_interfaces/Detection``."""
    x, y, width, height = box
    return SimpleNamespace(
        id=track_id,
        label=label,
        score=score,
        x=x,
        y=y,
        width=width,
        height=height,
        has_pose=position is not None,
        pose=pose(position or (0.0, 0.0, 0.0), quat_xyzw),
        size=xyz(size),
        embedding=list(embedding),
    )


def detections(stamp_ns: int, *items: Any, frame_id: str = 'optical', source: str = 'yolo') -> Any:
    """Build a ``st_memory_interfaces/DetectionArray``."""
    return SimpleNamespace(
        header=header(stamp_ns, frame_id), source=source, detections=list(items)
    )


def movement(
    stamp_ns: int,
    *,
    object_id: str = 'cup_1',
    start_ns: int = 1,
    end_ns: int = 0,
    event_type: str = 'movement',
    actor: str = '',
    roles: Sequence[Any] | None = None,
) -> Any:
    """Build a ``st_memory_interfaces/EventArray`` with one event."""
    tubes = [SimpleNamespace(role='object', object_id=object_id, label='cup', boxes=[])]
    if actor:
        tubes.append(SimpleNamespace(role='actor', object_id=actor, label='', boxes=[]))
    event = SimpleNamespace(
        event_id='',
        event_type=event_type,
        ordinal=0,
        start=time(start_ns),
        end=time(end_ns),
        ongoing=end_ns == 0,
        roles=tubes if roles is None else list(roles),
        confidence=1.0,
        source='annotation',
    )
    return SimpleNamespace(header=header(stamp_ns, ''), events=[event])


def marker(
    namespace: str,
    marker_type: int,
    text: str,
    *,
    marker_id: int = 0,
    frame_id: str = 'map',
    points: Sequence[Sequence[float]] = (),
    position: Sequence[float] = (0.0, 0.0, 0.0),
    quat_xyzw: Sequence[float] = IDENTITY,
    scale: Sequence[float] = (1.0, 1.0, 1.0),
    action: int = 0,
) -> Any:
    """Build a ``visualization_msgs/Marker``."""
    return SimpleNamespace(
        header=header(1, frame_id),
        ns=namespace,
        id=marker_id,
        type=marker_type,
        action=action,
        pose=pose(position, quat_xyzw),
        scale=xyz(scale),
        points=[xyz(p) for p in points],
        text=text,
    )


def joint_states(stamp_ns: int, **position_by_joint: float) -> Any:
    """Build a ``sensor_msgs/JointState``."""
    return SimpleNamespace(
        header=header(stamp_ns, ''),
        name=list(position_by_joint),
        position=np.array(list(position_by_joint.values()), dtype=np.float64),
        velocity=np.zeros(0),
        effort=np.zeros(0),
    )


def mesh(vertices: Sequence[Sequence[float]], faces: Sequence[Sequence[int]]) -> Any:
    """Build a ``shape_msgs/Mesh``."""
    return SimpleNamespace(
        vertices=[xyz(v) for v in vertices],
        triangles=[SimpleNamespace(vertex_indices=np.array(f, dtype=np.uint32)) for f in faces],
    )

"""Bags for tests, written anew each time."""

from __future__ import annotations

from pathlib import Path
import sqlite3
from typing import Any

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import get_types_from_msg, get_typestore, Stores

from st_memory.bags import BagRecorder
from st_memory.bags.messages import (
    camera_info_message,
    compressed_image_message,
    detections_message,
    joints_message,
    transform_message,
)
from st_memory.bags.msgtypes import standard_typestore
from st_memory.bags.writer import BagWriter, LATCHED
from st_memory.conversions.compressed_depth import DEPTH_PNG_FORMAT, encode_depth_png
from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.core.records import Detection, MovementReport, WorldDetection
from test.contracts.recording_sink import small_scene

S = 1_000_000_000
START_NS = 10 * S
STEP_NS = S // 10
CAMERA = PinholeCamera(4, 3, 5.0, 5.0, 1.5, 1.0)
TF_TYPE = 'tf2_msgs/msg/TFMessage'


def pose_at(index: int) -> RigidTransform:
    """Give a camera pose that moves along x by 0.1 m a step."""
    return RigidTransform(np.array([0.1 * index, 0.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0]))


def write_walk(recorder: BagRecorder, num_steps: int = 5) -> None:
    """Record a camera that walks past a cupboard with a door and sees a cup at each step."""
    recorder.write_scene(START_NS, 'map', small_scene())
    recorder.write_transform(START_NS, 'base', 'optical', RigidTransform.identity(), static=True)
    for i in range(num_steps):
        stamp_ns = START_NS + i * STEP_NS
        recorder.write_transform(stamp_ns, 'map', 'base', pose_at(i))
        recorder.write_transform(stamp_ns, 'map', 'door_frame', pose_at(i))
        recorder.write_camera_info(stamp_ns, 'head', 'optical', CAMERA)
        recorder.write_color(stamp_ns, 'head', 'optical', np.full((3, 4, 3), 9, np.uint8))
        recorder.write_depth(stamp_ns, 'head', 'optical', np.full((3, 4), 1.5, np.float32))
        cup = Detection('cup', 0.5, box_px=(1.0, 1.0, 2.0, 1.0), camera_p=(0.0, 0.0, 1.5))
        recorder.write_detections(stamp_ns, 'head', 'optical', [cup])
    recorder.write_world_detections(stamp_ns, 'map', [WorldDetection('pan', 1.0, (1.0, 2.0, 3.0))])
    recorder.write_movement(stamp_ns, MovementReport('cup_1', 'cup', stamp_ns))
    recorder.write_joints(stamp_ns, {'door_joint': 0.5})


def walk_bag(folder: Path, name: str = 'walk.mcap', num_steps: int = 5) -> Path:
    """Write the walk as an MCAP file."""
    path = folder / name
    with BagRecorder(path) as recorder:
        write_walk(recorder, num_steps)
    return path


def mesh_message(corners: Any, faces: Any = ((0, 1, 2),)) -> Any:
    """Build a ``shape_msgs/Mesh`` of the standard types."""
    types = standard_typestore().types
    triangle, point = types['shape_msgs/msg/MeshTriangle'], types['geometry_msgs/msg/Point']
    return types['shape_msgs/msg/Mesh'](
        triangles=[triangle(vertex_indices=np.array(f, dtype=np.uint32)) for f in faces],
        vertices=[point(x=float(x), y=float(y), z=float(z)) for x, y, z in corners],
    )


def mesh_bag(folder: Path, **more: Any) -> Path:
    """
    Write looks of a camera at rest, two meshes of a shelf, and the positions of a hinge.

    Parameters
    ----------
    folder : Path
        Where.
    **more
        ``faces`` of the first mesh.

    """
    path = folder / 'mesh.mcap'
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    with BagWriter(path) as writer:
        for i in range(5):
            stamp_ns = START_NS + i * STEP_NS
            if i == 0:
                link = transform_message(stamp_ns, 'map', 'optical', pose_at(0))
                writer.write('/tf_static', TF_TYPE, link, stamp_ns, LATCHED)
            info = camera_info_message(stamp_ns, 'optical', CAMERA)
            writer.write('/head/camera_info', 'sensor_msgs/msg/CameraInfo', info, stamp_ns)
            cup = Detection('cup', 0.5, box_px=(1.0, 1.0, 2.0, 1.0))
            found = detections_message(stamp_ns, 'optical', [cup], 'test')
            kind = 'st_memory_interfaces/msg/DetectionArray'
            writer.write('/head/detections', kind, found, stamp_ns)
            depth = compressed_image_message(
                stamp_ns,
                'optical',
                encode_depth_png(np.ones((3, 4), np.float32)),
                DEPTH_PNG_FORMAT,
            )
            writer.write(
                '/head/depth/compressedDepth', 'sensor_msgs/msg/CompressedImage', depth, stamp_ns
            )
            writer.write('/tf', TF_TYPE, tf_at(stamp_ns), stamp_ns)
            joints = joints_message(stamp_ns, {'hinge': 0.1 * i})
            writer.write('/joint_states', 'sensor_msgs/msg/JointState', joints, stamp_ns)
            if i in (1, 2, 3):  # the third is another one
                mesh = mesh_message(corners + (i == 3), **more)
                writer.write('/shelf/mesh', 'shape_msgs/msg/Mesh', mesh, stamp_ns, LATCHED)
    return path


def tf_at(stamp_ns: int, child: str = 'base') -> Any:
    """Build a TFMessage of the standard types."""
    return transform_message(stamp_ns, 'map', child, pose_at(0))


def rosbag2_folder(
    path: Path, stamps: list[int], storage: StoragePlugin = StoragePlugin.SQLITE3
) -> Path:
    """Write transforms as a rosbag2 folder with metadata.yaml."""
    store = standard_typestore()
    with Writer2(path, version=8, storage_plugin=storage) as writer:
        connection = writer.add_connection('/tf', TF_TYPE, typestore=store)
        for stamp_ns in stamps:
            data = store.serialize_cdr(tf_at(stamp_ns), TF_TYPE)
            writer.write(connection, stamp_ns, data)
    return path


def ros1_bag(path: Path, stamps: list[int]) -> Path:
    """Write transforms as a ROS 1 bag."""
    store = get_typestore(Stores.ROS1_NOETIC)
    text = 'geometry_msgs/TransformStamped[] transforms'
    store.register(get_types_from_msg(text, TF_TYPE))
    kinds = store.types
    with Writer1(path) as writer:
        connection = writer.add_connection('/tf', TF_TYPE, typestore=store)
        for stamp_ns in stamps:
            sec, nanosec = divmod(stamp_ns, S)
            stamp = kinds['builtin_interfaces/msg/Time'](sec=sec, nanosec=nanosec)
            item = kinds['geometry_msgs/msg/TransformStamped'](
                header=kinds['std_msgs/msg/Header'](seq=0, stamp=stamp, frame_id='/map'),
                child_frame_id='/base',
                transform=kinds['geometry_msgs/msg/Transform'](
                    translation=kinds['geometry_msgs/msg/Vector3'](x=1.0, y=2.0, z=3.0),
                    rotation=kinds['geometry_msgs/msg/Quaternion'](x=0.0, y=0.0, z=0.0, w=1.0),
                ),
            )
            message = kinds[TF_TYPE](transforms=[item])
            writer.write(connection, stamp_ns, store.serialize_ros1(message, TF_TYPE))
    return path


def leave_a_journal(database: Path, num_kept: int) -> None:
    """
    Move the newest messages of a db3 file into its write-ahead journal.

    This is what a recorder that was killed leaves behind.
    """
    connection = sqlite3.connect(database)
    rows = connection.execute('SELECT * FROM messages ORDER BY id').fetchall()[num_kept:]
    connection.execute('DELETE FROM messages WHERE id >= ?', (rows[0][0],))
    connection.commit()
    connection.execute('PRAGMA journal_mode = WAL')
    connection.execute('PRAGMA wal_autocheckpoint = 0')
    marks = ','.join('?' * len(rows[0]))
    connection.executemany(f'INSERT INTO messages VALUES ({marks})', rows)
    connection.commit()
    journal = database.with_name(f'{database.name}-wal')
    main, wal = database.read_bytes(), journal.read_bytes()
    connection.close()  # folds the journal in: put both files back as they were
    database.write_bytes(main)
    journal.write_bytes(wal)

"""``sensor_msgs/PointCloud2`` to points, organised like an image or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import ConversionError

__all__ = ['check_cloud', 'is_cloud', 'points_from_cloud']

# ``sensor_msgs/PointField`` constants of the types a coordinate can have.
_COORDINATE_TYPES = {7: 'f4', 8: 'f8'}
_AXES = ('x', 'y', 'z')


def is_cloud(message: Any) -> bool:
    """Whether a message is a point cloud and no image."""
    return hasattr(message, 'point_step')


def check_cloud(message: Any, topic: str = '') -> None:
    """
    Refuse a cloud whose points have no place, without reading them.

    Raises
    ------
    ConversionError
        Naming the topic and the fields that are there.

    """
    known = {field.name: field for field in message.fields}
    step = int(message.point_step)
    for axis in _AXES:
        field = known.get(axis)
        kind = None if field is None else _COORDINATE_TYPES.get(int(field.datatype))
        if kind is None:
            raise ConversionError(
                f'{topic}: expected a cloud with x, y and z of type FLOAT32 or FLOAT64, found '
                f'the fields {", ".join(known) or "none"}'
            )
        if field is not None and int(field.offset) + np.dtype(kind).itemsize > step:
            raise ConversionError(f'{topic}: {axis} ends beyond the {step} bytes of a point')


def points_from_cloud(message: Any, topic: str = '') -> NDArray[np.float64]:
    """
    Read the points of a cloud.

    Parameters
    ----------
    message : sensor_msgs/PointCloud2
        ``height`` 1: not organised.
    topic : str
        Named in errors.

    Returns
    -------
    (height, width, 3) float64
        Metres in the frame of the message; all three NaN where a coordinate is not finite.

    Raises
    ------
    ConversionError
        If it has no usable coordinates, or the data is shorter than its size says.

    """
    check_cloud(message, topic)
    height, width = int(message.height), int(message.width)
    point_step, row_step = int(message.point_step), int(message.row_step)
    if height <= 1:  # drivers forget it, and nothing depends on it
        row_step = max(row_step, width * point_step)
    raw = np.frombuffer(message.data, dtype=np.uint8)
    needed = (height - 1) * row_step + width * point_step
    if not (height and width) or row_step < width * point_step or raw.size < needed:
        raise ConversionError(
            f'{topic}: a cloud of {width} x {height} points of {point_step} bytes needs '
            f'{max(needed, 1)} bytes in rows of {width * point_step}, found {raw.size} in rows '
            f'of {row_step}'
        )
    order = '>' if message.is_bigendian else '<'
    by_name = {field.name: field for field in message.fields}
    points = np.empty((height, width, 3))
    for i, axis in enumerate(_AXES):
        field = by_name[axis]
        points[..., i] = np.ndarray(
            (height, width),
            dtype=order + _COORDINATE_TYPES[int(field.datatype)],
            buffer=raw,
            offset=int(field.offset),
            strides=(row_step, point_step),
        )
    points[~np.isfinite(points).all(axis=2)] = np.nan
    return points

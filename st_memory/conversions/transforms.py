"""``tf2_msgs/TFMessage`` to rigid transforms."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from st_memory.conversions.stamps import frame_name, stamp_from_time
from st_memory.core.geometry import RigidTransform

__all__ = ['MAX_COORDINATE', 'StampedTransform', 'transforms_from_message']

# Metres or pixels. Beyond it numbers say nothing, and their products are infinite.
MAX_COORDINATE = 1e9


class StampedTransform(NamedTuple):
    """One link at one stamp; the stamp of a static link may be 0."""

    stamp_ns: int
    parent: str
    child: str
    parent_T_child: RigidTransform


def transforms_from_message(
    message: Any, *, static: bool
) -> tuple[list[StampedTransform], Counter[str]]:
    """
    Read the usable transforms of a message.

    Parameters
    ----------
    message : tf2_msgs/TFMessage
        Also ROS 1 ``tf/tfMessage``.
    static : bool
        From ``/tf_static``: the stamp does not matter.

    Returns
    -------
    tuple of (list of StampedTransform, Counter)
        The transforms in their order, and what was left out, counted by reason.

    """
    transforms, dropped = [], Counter[str]()
    for item in message.transforms:
        move, turn = item.transform.translation, item.transform.rotation
        stamp_ns = stamp_from_time(item.header.stamp)
        if stamp_ns <= 0 and not static:
            dropped['zero_stamp'] += 1
            continue
        try:
            parent_T_child = RigidTransform(
                np.array([move.x, move.y, move.z]), np.array([turn.x, turn.y, turn.z, turn.w])
            )
        except ValueError:
            dropped['transform_not_rigid'] += 1
            continue
        if max(abs(move.x), abs(move.y), abs(move.z)) >= MAX_COORDINATE:
            dropped['transform_out_of_range'] += 1
            continue
        transforms.append(
            StampedTransform(
                stamp_ns,
                frame_name(item.header.frame_id),
                frame_name(item.child_frame_id),
                parent_T_child,
            )
        )
    return transforms, dropped

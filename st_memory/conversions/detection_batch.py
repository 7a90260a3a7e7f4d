"""
Detection messages of three layouts, read into one.

Ours (``st_memory_interfaces/DetectionArray``) and ``vision_msgs`` Detection2DArray and
Detection3DArray, before and after version 4 renamed their fields.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from st_memory.conversions.stamps import frame_name, header_stamp
from st_memory.core.records.detections import ALONG_AXES, BoxPx, Point, Quaternion

__all__ = ['DetectionBatch', 'RawDetection', 'batch_stamp', 'read_detections']


class RawDetection(NamedTuple):
    """
    One detection as sent, not checked.

    Attributes
    ----------
    box_px : (4,) float, optional
        x, y of the top-left corner, width, height, pixels.
    position : (3,) float, optional
        Centre in the frame of the message, metres.
    quat_xyzw : (4,) float
        Orientation of the box in that frame; upright when it was not estimated.
    size_m : (3,) float, optional
        Extents along the axes of the box, metres.

    """

    label: str
    score: float
    track_id: str
    box_px: BoxPx | None
    position: Point | None
    quat_xyzw: Quaternion
    size_m: Point | None
    embedding: tuple[float, ...]


class DetectionBatch(NamedTuple):
    """All detections of one message; ``frame_id`` is the frame of their positions."""

    frame_id: str
    source: str
    items: tuple[RawDetection, ...]


def batch_stamp(message: Any) -> int | None:
    """Give the stamp of the array, or of its first detection; None when both are zero."""
    stamp_ns = header_stamp(message.header)
    if stamp_ns is None and message.detections and hasattr(message.detections[0], 'header'):
        stamp_ns = header_stamp(message.detections[0].header)
    return stamp_ns


def read_detections(message: Any, default_source: str) -> DetectionBatch:
    """
    Read a detection message.

    Parameters
    ----------
    message : DetectionArray, Detection2DArray or Detection3DArray
        Told apart by their fields.
    default_source : str
        Source of messages that name none.

    """
    frame_id = message.header.frame_id
    if not frame_id and message.detections and hasattr(message.detections[0], 'header'):
        frame_id = message.detections[0].header.frame_id
    items = tuple(
        _read_vision(item) if hasattr(item, 'results') else _read_own(item)
        for item in message.detections
    )
    source = getattr(message, 'source', '') or default_source
    return DetectionBatch(frame_name(frame_id), source, items)


def _read_own(item: Any) -> RawDetection:
    has_box = (item.width, item.height) != (0.0, 0.0)
    return RawDetection(
        label=item.label,
        score=float(item.score),
        track_id=item.id,
        box_px=(item.x, item.y, item.width, item.height) if has_box else None,
        position=_xyz(item.pose.position) if item.has_pose else None,
        quat_xyzw=_orientation(item.pose) if item.has_pose else ALONG_AXES,
        size_m=_known_size(item.size),
        embedding=tuple(float(value) for value in item.embedding),
    )


def _read_vision(item: Any) -> RawDetection:
    label, score = _best_hypothesis(item.results)
    box = item.bbox
    is_3d = hasattr(box, 'size')
    return RawDetection(
        label=label,
        score=score,
        track_id=_track_id(item),
        box_px=None if is_3d else _corner_box(box),
        position=_xyz(box.center.position) if is_3d else None,
        quat_xyzw=_orientation(box.center) if is_3d else ALONG_AXES,
        size_m=_known_size(box.size) if is_3d else None,
        embedding=(),
    )


def _best_hypothesis(results: Any) -> tuple[str, float]:
    """Give the first of the most likely classes; '' when there is none."""
    best = ('', 0.0)
    for result in results:
        hypothesis = getattr(result, 'hypothesis', result)
        name = hypothesis.class_id if hasattr(hypothesis, 'class_id') else hypothesis.id
        # "not <=" lets NaN through, to be counted as what it is.
        if not best[0] or not hypothesis.score <= best[1]:
            best = (str(name), float(hypothesis.score))
    return best


def _track_id(item: Any) -> str:
    """Identity from ``id`` (version 4), or ``tracking_id`` where ``is_tracking`` (before)."""
    if hasattr(item, 'tracking_id'):
        return str(item.tracking_id) if item.is_tracking else ''
    return str(getattr(item, 'id', ''))


def _corner_box(box: Any) -> BoxPx:
    """Turn centre and size into corner and size."""
    centre = getattr(box.center, 'position', box.center)
    width, height = float(box.size_x), float(box.size_y)
    return (centre.x - width / 2, centre.y - height / 2, width, height)


def _xyz(value: Any) -> Point:
    return (float(value.x), float(value.y), float(value.z))


def _known_size(value: Any) -> Point | None:
    size = _xyz(value)
    return None if size == (0.0, 0.0, 0.0) else size


def _orientation(pose: Any) -> Quaternion:
    q = pose.orientation
    quat = (float(q.x), float(q.y), float(q.z), float(q.w))
    # All zero is what an unset message field holds.
    return quat if any(quat) else ALONG_AXES

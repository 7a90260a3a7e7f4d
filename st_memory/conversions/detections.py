"""Detection batches to checked records; what is unusable is counted, never raised."""

from __future__ import annotations

from collections import Counter
import math
import unicodedata

import numpy as np

from st_memory.conversions.detection_batch import DetectionBatch, RawDetection
from st_memory.conversions.transforms import MAX_COORDINATE
from st_memory.core.geometry import RigidTransform
from st_memory.core.records import Detection, WorldDetection
from st_memory.core.records.detections import Point, Quaternion

__all__ = [
    'MAX_ID',
    'MAX_LABEL',
    'camera_detections',
    'is_one_line',
    'problem_of',
    'world_detections',
]

# Longer ones are a fault of the detector; answers could not carry them.
MAX_LABEL = 1000
MAX_ID = 200
# A quaternion shorter than this, or longer than its inverse, is no turn that was not normalised.
_LEAST_QUAT = 1e-6


def problem_of(item: RawDetection) -> str:
    """Say why a detection is unusable: one reason, or '' when it is usable."""
    if not item.label:
        return 'detection_without_label'
    if len(item.label) > MAX_LABEL or len(item.track_id) > MAX_ID:
        return 'detection_name_too_long'
    if not (is_one_line(item.label) and is_one_line(item.track_id)):
        return 'detection_name_with_control_character'
    if math.isnan(item.score) or not _all_finite(item):
        return 'detection_not_finite'
    if not _all_near(item):
        return 'detection_out_of_range'
    if not _LEAST_QUAT < math.hypot(*item.quat_xyzw) < 1.0 / _LEAST_QUAT:
        return 'detection_orientation_unusable'
    if not 0.0 <= item.score <= 1.0:
        return 'detection_score_out_of_range'
    if item.box_px is None and item.position is None:
        return 'detection_without_box_and_pose'
    if item.box_px is not None and not (item.box_px[2] > 0 and item.box_px[3] > 0):
        return 'detection_box_of_zero_size'
    return ''


def is_one_line(name: str) -> bool:
    """Whether a name can stand in a sentence and in a file: no line break, nothing unpaired."""
    return name.isprintable() or not any(unicodedata.category(c) in ('Cc', 'Cs') for c in name)


def _all_finite(item: RawDetection) -> bool:
    # An embedding that says nothing costs the looks, not the detection: the fold counts it.
    groups = (item.box_px, item.position, item.size_m, item.quat_xyzw)
    return all(math.isfinite(value) for group in groups if group for value in group)


def _all_near(item: RawDetection) -> bool:
    groups = (item.box_px, item.position, item.size_m)
    return all(abs(value) < MAX_COORDINATE for group in groups if group for value in group)


def camera_detections(
    batch: DetectionBatch, camera_T_batch: RigidTransform | None
) -> tuple[tuple[Detection, ...], Counter[str]]:
    """
    Make records of what was detected in one image.

    Parameters
    ----------
    batch : DetectionBatch
        As sent.
    camera_T_batch : RigidTransform, optional
        From the frame of the batch to the optical frame; None when it is not known, which costs
        the positions but not the boxes.

    Returns
    -------
    tuple of (tuple of Detection, Counter)
        In their order, and what was left out, counted by reason.

    """
    found: list[Detection] = []
    dropped = Counter[str]()
    for item in batch.items:
        problem = problem_of(item)
        if not problem and item.box_px is None and camera_T_batch is None:
            problem = 'detection_pose_without_transform'
        if problem:
            dropped[problem] += 1
            continue
        camera_p: Point | None = None
        camera_quat: Quaternion | None = None
        if item.position is not None and camera_T_batch is not None:
            camera_p = _apply(camera_T_batch, item.position)
            # An upright box in the optical frame is one whose orientation was not estimated.
            if item.quat_xyzw[:3] != (0.0, 0.0, 0.0):
                camera_quat = _attitude(camera_T_batch, item)
        found.append(
            Detection(
                label=item.label,
                score=item.score,
                track_id=item.track_id,
                box_px=item.box_px,
                camera_p=camera_p,
                size_m=item.size_m,
                camera_quat_xyzw=camera_quat,
                embedding=item.embedding,
            )
        )
    return tuple(found), dropped


def world_detections(
    batch: DetectionBatch, world_T_batch: RigidTransform | None
) -> tuple[tuple[WorldDetection, ...], Counter[str]]:
    """
    Make records of observations that have a position and no camera.

    Parameters
    ----------
    batch : DetectionBatch
        As sent.
    world_T_batch : RigidTransform, optional
        From the frame of the batch to the fixed frame; None when it is not known.

    Returns
    -------
    tuple of (tuple of WorldDetection, Counter)
        In their order, and what was left out, counted by reason.

    """
    found: list[WorldDetection] = []
    dropped = Counter[str]()
    for item in batch.items:
        problem = problem_of(item)
        if not problem and item.position is None:
            problem = 'detection_without_pose'
        if problem or item.position is None or world_T_batch is None:
            dropped[problem or 'detection_pose_without_transform'] += 1
            continue
        found.append(
            WorldDetection(
                label=item.label,
                score=item.score,
                world_p=_apply(world_T_batch, item.position),
                track_id=item.track_id,
                size_m=item.size_m,
                quat_xyzw=_attitude(world_T_batch, item),
                source=batch.source,
            )
        )
    return tuple(found), dropped


def _apply(a_T_b: RigidTransform, point: Point) -> Point:
    x, y, z = a_T_b.apply(point).tolist()
    return (x, y, z)


def _attitude(a_T_batch: RigidTransform, item: RawDetection) -> Quaternion:
    """Attitude of a detection's box in frame a."""
    quat = np.array(item.quat_xyzw)
    batch_T_box = RigidTransform(np.zeros(3), quat / np.sqrt(quat @ quat))
    x, y, z, w = (a_T_batch @ batch_T_box).quat_xyzw.tolist()
    return (x, y, z, w)

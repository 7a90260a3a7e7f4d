"""The detections of a look that are strong enough, located."""

from __future__ import annotations

from st_memory.core.association import localize_all, Measurement
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.outside_ids import strongest_by_id
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.records import CameraFrame

__all__ = ['measure']


def measure(state: FoldState, camera: CameraFrame, settings: MemorySettings) -> list[Measurement]:
    """
    Locate the detections that are strong enough.

    Parameters
    ----------
    state : FoldState
        Counts the others, by what they lack.
    camera : CameraFrame
        The look.
    settings : MemorySettings
        Gates and spreads.

    Returns
    -------
    list of Measurement
        In the order of the detections; of those of one id the strongest.

    """
    strong = [
        (index, detection)
        for index, detection in enumerate(camera.detections or ())
        if detection.score >= settings.min_score
    ]
    state.counts['below_min_score'] += len(camera.detections or ()) - len(strong)
    if camera.world_T_camera is None:
        state.counts['no_pose'] += len(strong)
        return []
    located = localize_all(
        camera,
        camera.world_T_camera,
        strong,
        depth_sigma_share=settings.depth_sigma_share,
        pose_sigma_rad=settings.pose_sigma_rad,
        pose_sigma_m=settings.pose_sigma_m,
    )
    measurements = [m for m in located if m is not None]
    state.counts['no_position'] += len(located) - len(measurements)
    state.counts['embedding_unusable'] += sum(
        bool(m.detection.embedding) and m.appearance is None for m in measurements
    )
    unique = strongest_by_id(measurements)
    state.counts['duplicate_id'] += len(measurements) - len(unique)
    return unique

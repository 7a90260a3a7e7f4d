"""What rests on a line of sight tells at which depth a detection is to be read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from st_memory.core.association import Measurement, recollected
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import CameraFrame

__all__ = ['recollect']


def recollect(
    state: FoldState,
    camera: CameraFrame,
    measurements: list[Measurement],
    settings: MemorySettings,
) -> list[Measurement]:
    """
    Read depths anew where a thing of the class rests on the line of sight.

    Parameters
    ----------
    state : FoldState
        Objects and candidates as they were before this look, and their table.
    camera : CameraFrame
        The look.
    measurements : list of Measurement
        What was located in it.
    settings : MemorySettings
        Gates and spreads.

    Returns
    -------
    list of Measurement
        The same, in the same order; those that show a thing where it rests are there.

    """
    if camera.depth_m is None or camera.world_T_camera is None or not measurements:
        return measurements
    camera_T_world = camera.world_T_camera.inverse()
    out = []
    for m, known in zip(
        measurements, _nearest_to_sight(state, measurements, settings), strict=True
    ):
        if known is None or known.mean is None:
            out.append(m)
            continue
        out.append(
            recollected(
                m,
                camera,
                camera.world_T_camera,
                camera_T_world.apply(known.mean),
                known.size,
                depth_sigma_share=settings.depth_sigma_share,
                pose_sigma_m=settings.pose_sigma_m,
            )
        )
    return out


def _nearest_to_sight(
    state: FoldState, measurements: Sequence[Measurement], settings: MemorySettings
) -> list[Track | None]:
    """Give for each line of sight the resting thing of the class that is nearest to it."""
    labels = [m.detection.label for m in measurements]
    rows = state.table.at_rest()
    trial = [
        c
        for c in state.pool.candidates
        if c.kind in labels and c.mean is not None and not c.in_motion and min(c.size) > 0.0
    ]
    places, is_of = state.table.resting.places[rows], state.table.are_of(rows, labels)
    if trial:
        places = np.concatenate([places, [c.mean for c in trial]])
        of_trial = [[c.kind == label for c in trial] for label in labels]
        is_of = np.concatenate([is_of, of_trial], axis=1)
    seen, other = np.nonzero(is_of)
    gaps = places[other] - np.array([m.world_p for m in measurements])[seen]
    along = np.einsum('pk,pk->p', gaps, np.array([m.world_ray for m in measurements])[seen])
    squared = np.einsum('pk,pk->p', gaps, gaps) - along * along
    nearest: list[Track | None] = []
    ends = np.searchsorted(seen, np.arange(len(measurements) + 1)).tolist()
    for m, start, end in zip(measurements, ends, ends[1:], strict=False):
        best = start + int(np.argmin(squared[start:end])) if start < end else -1
        if best < 0 or squared[best] > (settings.gate_sigmas * m.lateral_sigma_m) ** 2:
            nearest.append(None)
        elif other[best] < len(rows):
            nearest.append(state.table.tracks[rows[other[best]]])
        else:
            nearest.append(trial[other[best] - len(rows)])
    return nearest

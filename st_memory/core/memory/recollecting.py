"""What rests on a line of sight tells at which depth a detection is to be read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from st_memory.core.association import Measurement, recollected
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import CameraFrame, LifeCycle

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
        Objects and candidates, as they were before this look.
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
    if camera.depth_m is None or camera.world_T_camera is None:
        return measurements
    resting: dict[str, list[Track]] = {m.detection.label: [] for m in measurements}
    for track, kind in state.table.with_kinds():
        if kind in resting and track.life_cycle == LifeCycle.CONFIRMED:
            resting[kind].append(track)
    for candidate in state.pool.candidates:
        if candidate.kind in resting:
            resting[candidate.kind].append(candidate)
    by_label = {label: _Resting(some) for label, some in resting.items()}
    out = []
    for m in measurements:
        known = by_label[m.detection.label].nearest_to_sight(m, settings)
        out.append(m if known is None else _recollected(m, known, camera, settings))
    return out


def _recollected(
    m: Measurement, known: Track, camera: CameraFrame, settings: MemorySettings
) -> Measurement:
    """Read one depth anew for a thing on its line of sight."""
    if camera.world_T_camera is None:
        return m
    return recollected(
        m,
        camera,
        camera.world_T_camera,
        np.array(known.mean),
        np.array(known.size),
        depth_sigma_share=settings.depth_sigma_share,
        pose_sigma_m=settings.pose_sigma_m,
    )


class _Resting:
    """The things of one class that are at rest, and where."""

    def __init__(self, tracks: Sequence[Track]) -> None:
        self._tracks = [
            t for t in tracks if t.mean is not None and not t.in_motion and min(t.size) > 0.0
        ]
        self._places = np.array([t.mean for t in self._tracks]).reshape(-1, 3)

    def nearest_to_sight(self, m: Measurement, settings: MemorySettings) -> Track | None:
        """Give the one that is nearest to a line of sight, inside the gate; None for none."""
        if not self._tracks:
            return None
        gaps = self._places - m.world_p
        along = gaps @ m.world_ray
        squared = np.einsum('ij,ij->i', gaps, gaps) - along * along
        nearest = int(np.argmin(squared))
        if squared[nearest] > (settings.gate_sigmas * m.lateral_sigma_m) ** 2:
            return None
        return self._tracks[nearest]

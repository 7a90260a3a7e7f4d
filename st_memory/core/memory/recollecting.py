"""What rests on a line of sight tells at which depth a detection is to be read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    if camera.depth_m is None or camera.world_T_camera is None:
        return measurements
    camera_T_world = camera.world_T_camera.inverse()
    labels = {m.detection.label for m in measurements}
    by_label = {label: _Resting.of(state, label) for label in sorted(labels)}
    out = []
    for m in measurements:
        known = by_label[m.detection.label].nearest_to_sight(m, settings)
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


class _Resting(NamedTuple):
    """The things of one class that are at rest, and where: (K, 3) metres."""

    tracks: list[Track]
    places: NDArray[np.float64]

    @classmethod
    def of(cls, state: FoldState, label: str) -> _Resting:
        """Give the objects, and what is on probation."""
        tracks, places = state.table.at_rest(label)
        trial = [
            c
            for c in state.pool.candidates
            if c.kind == label and c.mean is not None and not c.in_motion and min(c.size) > 0.0
        ]
        if not trial:
            return cls(tracks, places)
        return cls(tracks + trial, np.concatenate([places, [c.mean for c in trial]]))

    def nearest_to_sight(self, m: Measurement, settings: MemorySettings) -> Track | None:
        """Give the one that is nearest to a line of sight, inside the gate; None for none."""
        if not self.tracks:
            return None
        gaps = self.places - m.world_p
        along = gaps @ m.world_ray
        squared = np.einsum('ij,ij->i', gaps, gaps) - along * along
        nearest = int(np.argmin(squared))
        if squared[nearest] > (settings.gate_sigmas * m.lateral_sigma_m) ** 2:
            return None
        return self.tracks[nearest]

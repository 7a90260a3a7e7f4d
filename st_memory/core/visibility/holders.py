"""The fixture rule: what a container of unknown state may hide is left to the detector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.geometry import Box3D
from st_memory.core.visibility.evidence import Evidence
from st_memory.core.visibility.presets import VisibilityPreset
from st_memory.core.visibility.targets import Targets
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER
from st_memory.core.visibility.view import Eye, Rows

__all__ = ['Holders']

Mask = NDArray[np.bool_]

# Fronts and handles stand out from the box of the fixture itself.
_FRONT_M = 0.06


class Holders(NamedTuple):
    """
    The fixtures that hold the targets, as far as their doors or trays are not known.

    Attributes
    ----------
    fixture_ids : (N,) str
        Fixture of each target; '' for none.
    is_unsure : (N,) bool
        That fixture's state is not known.
    boxes : mapping of str to Box3D
        Of the unsure fixtures, shut.
    centres : (N, 3) float64
        Of the targets, fixed frame, metres.

    References
    ----------
    .. [1] Beyond3D (2026), sec. 10.2.

    """

    fixture_ids: NDArray[np.str_]
    is_unsure: Mask
    boxes: Mapping[str, Box3D]
    centres: NDArray[np.float64]

    @classmethod
    def of(
        cls, targets: Targets, unsure: Mapping[str, Box3D], preset: VisibilityPreset
    ) -> Holders | None:
        """Give the holders of the targets; None when the rule is off or nothing is unsure."""
        if not (preset.use_fixture_rule and unsure):
            return None
        names = np.array(targets.fixture_ids, dtype=np.str_)
        is_unsure = np.isin(names, sorted(unsure))
        return cls(names, is_unsure, unsure, targets.centres) if is_unsure.any() else None

    def hide(
        self,
        rows: Rows,
        occluder: NDArray[np.int32],
        is_hidden: Mask,
        evidence: Evidence,
        eye: Eye,
        part_fixtures: tuple[str, ...],
    ) -> Rows:
        """
        Tell which of some targets may be hidden by the very fixture that holds them.

        Three signs: a part of it blocks the view; what depth measures in front is where it is;
        or the target lay beside its box, as in a drawer that was pulled out, and nothing is
        there any more.

        Parameters
        ----------
        rows : (R,) intp
            The targets that are in view.
        occluder : (R,) int32
            What hides each.
        is_hidden : (R,) bool
            Whether anything does.
        evidence, eye
            As they were looked at.
        part_fixtures : tuple of str
            Fixture of each part of the scene.

        Returns
        -------
        (H,) intp
            Places in ``rows``.

        """
        found = []
        fixtures = np.array((*part_fixtures, ''), dtype=np.str_)
        for i in np.flatnonzero(self.is_unsure[rows]):  # over contents, not over objects
            name = str(self.fixture_ids[rows[i]])
            if is_hidden[i] and occluder[i] >= 0:
                mine = fixtures[occluder[i]] == name
            elif evidence.depth is None:
                mine = False
            elif is_hidden[i] and occluder[i] == DEPTH_OCCLUDER:
                obstacle = eye.world_T_camera.apply(evidence.depth.obstacle_p[i])
                mine = bool(self.boxes[name].contains(obstacle[None], _FRONT_M)[0])
            else:
                beside = not self.boxes[name].contains(self.centres[rows[i]][None])[0]
                mine = bool(evidence.depth.seen_through[i]) and beside
            if mine:
                found.append(i)
        return np.array(found, dtype=np.intp)

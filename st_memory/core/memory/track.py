"""One object as the fold holds it: public state plus the counters behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
import math

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import averaged, likeness
from st_memory.core.memory.doubt import Doubt
from st_memory.core.memory.said import Said
from st_memory.core.memory.view import View
from st_memory.core.records import LifeCycle, Observation
from st_memory.core.records.detections import ALONG_AXES, Quaternion

__all__ = ['LEAST_GAIN', 'Track']

LEAST_GAIN = 0.05
"""Weight that a measurement keeps in an estimate of a place, however many came before."""

# A class name with less of the votes is taken for a slip of the detector.
_FAIR_SHARE = 0.2
# Of so few, none has more by chance than its slips would give it.
_FEW_VOTES = 2.0


@dataclass(eq=False)
class Track:
    """
    Mutable state of one object; owned by the fold, turned into records at the end of a frame.

    Positions are in the fixed frame, metres. ``mean`` is the estimate for the current placement
    from ``num_fixes`` measurements with spread ``variance``; ``last_fix`` is the latest
    measurement alone.
    """

    object_id: str
    external_id: str = ''  # identity that a tracker or annotation gave
    label_votes: dict[str, float] = field(default_factory=dict)
    aliases: list[str] = field(default_factory=list)
    life_cycle: int = LifeCycle.TENTATIVE
    annotated: bool = False
    # Position.
    mean: list[float] | None = None
    num_fixes: int = 0
    variance: float = 0.0
    size: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    num_sizes: int = 0
    hangs: bool = False  # the scene knows of nothing under its place of rest
    sunk_m: float = 0.0  # how far its box reaches below what it stands on
    surface: float = 0.0  # usual share of free lines of sight that end in its box
    num_surfaces: int = 0
    quat: list[float] = field(default_factory=lambda: [*ALONG_AXES])  # attitude of its box
    last_fix: list[float] | None = None
    last_fix_ns: int | None = None
    sure_fix: list[float] | None = None  # the latest that was not beside a place of rest
    sure_fix_ns: int | None = None
    whole_fix: bool = False  # the latest fix is of all of it, not of the part that shows
    # Placement.
    placed_ns: int | None = None  # start of the open placement; None without one
    placement_source: str = ''
    fixture_id: str = ''
    fixture_alternatives: list[str] = field(default_factory=list)
    container_id: str = ''
    carrier: str = ''  # frame of the movable part it lies in or on
    carrier_pose: list[float] = field(default_factory=list)  # of that frame, xyz and xyzw
    # Motion.
    in_motion: bool = False
    motion_start_ns: int | None = None
    trail: list[tuple[int, list[float]]] = field(default_factory=list)  # recent displaced fixes
    is_held: bool = False  # nothing was under it when it was seen last
    shut_in_ns: int | None = None  # it was behind a shut door at least since, when first seen
    appeared_held: bool = False  # it was in a hand when it was seen first
    is_counted: bool = False  # what goes on was counted when it was lost from sight
    num_moves: int = 0
    last_placed_ns: int | None = None
    placed_by: str = ''
    # Sightings.
    first_seen_ns: int | None = None
    first_fix: list[float] | None = None
    last_seen_ns: int | None = None
    last_visible_ns: int | None = None
    num_observations: int = 0
    slips: int = 0  # latest matches in a row by another class name
    score_sum: float = 0.0
    expected_looks: int = 0  # looks at which it should have been matched
    misses: int = 0  # of them, since the last match
    absent_looks: int = 0  # of them, those that saw through its place
    free_misses: float = 0.0  # worth of those with a free way to its place, from ever new places
    missed_from: list[list[float]] = field(default_factory=list)  # where the camera was at them
    absent_since_ns: int | None = None  # first and last look that speaks for its absence
    absent_until_ns: int | None = None
    # Visibility.
    views: dict[str, View] = field(default_factory=dict)
    appearance: str = ''  # mean of how it looked; see association.averaged
    appearance_count: float = 0.0  # weight of the sights behind it
    id_doubts: int = 0  # sights in a row on which its id is on something else
    doubt: Doubt | None = None  # about which one it is
    said: Said | None = None  # by a person; None while nobody has said anything

    @property
    def label(self) -> str:
        """Name that a person gave it, else what detectors call it."""
        return self.said.label if self.said is not None and self.said.label else self.kind

    @property
    def kind(self) -> str:
        """Class name with the most support; ties go to the alphabetically first."""
        votes = self.label_votes
        if len(votes) == 1:
            return next(iter(votes))
        return min(votes, key=lambda name: (-votes[name], name))

    @property
    def position(self) -> NDArray[np.float64] | None:
        """Where it is believed to be: the latest fix while moving, else the estimate."""
        best = self.best_place
        return None if best is None else np.array(best)

    @property
    def best_place(self) -> list[float] | None:
        """As :attr:`position`, as numbers; not to be changed."""
        return self.last_fix if self.in_motion and self.last_fix is not None else self.mean

    def place_at(self, stamp_ns: int) -> list[float] | None:
        """
        Give where one frame has it: its own whole fix, which shares the frame's pose error.

        Else as :attr:`position`.
        """
        if self.last_fix is not None and (
            self.in_motion or (self.whole_fix and self.last_fix_ns == stamp_ns)
        ):
            return self.last_fix
        return self.mean

    @property
    def outside_ids(self) -> tuple[str, ...]:
        """Identities that trackers or annotations know it by."""
        others = () if self.said is None else tuple(self.said.other_ids)
        return (self.external_id, *others) if self.external_id else others

    def goes_by(self, label: str) -> bool:
        """Whether a class name is its label or has a fair share of the support for it."""
        if self.said is not None and label == self.said.label:
            return True
        votes = self.label_votes.get(label)
        if votes is None:
            return False
        fair = _FAIR_SHARE * (sum(self.label_votes.values()) + _FEW_VOTES)
        return votes >= fair or label == self.kind

    def note_sighting(self, observation: Observation) -> None:
        """Count a positive match."""
        votes = self.label_votes
        self.slips = 0 if not votes or self.goes_by(observation.label) else self.slips + 1
        votes[observation.label] = votes.get(observation.label, 0.0) + observation.score
        if self.first_seen_ns is None:
            self.first_seen_ns = observation.stamp_ns
            self.first_fix = None if observation.world_p is None else list(observation.world_p)
        self.last_seen_ns = observation.stamp_ns
        self.num_observations += 1
        self.score_sum += observation.score
        self.misses = 0
        self.forget_absence()

    def refine_appearance(self, seen: NDArray[np.float32], weight: float) -> bool:
        """Average how it looks now into its looks; False if that is of another model."""
        if self.appearance and likeness(self.appearance, seen) is None:
            return False
        self.appearance = averaged(self.appearance, self.appearance_count, seen, weight)
        self.appearance_count += weight
        return True

    def forget_absence(self) -> None:
        """Drop all evidence that it is gone."""
        self.absent_looks, self.free_misses, self.missed_from = 0, 0.0, []
        self.absent_since_ns, self.absent_until_ns = None, None

    def reset_estimate(self, world_p: NDArray[np.float64]) -> None:
        """Start the estimate anew at a place."""
        self.mean, self.num_fixes, self.variance = [float(v) for v in world_p], 1, 0.0
        self.carrier, self.carrier_pose = '', []

    def refine(self, world_p: NDArray[np.float64], weight: float) -> None:
        """Average a measurement at the same place into the estimate."""
        if self.mean is None:
            self.reset_estimate(world_p)
            return
        self.num_fixes += 1
        # A floor on the gain lets the estimate follow slow drift of the map.
        gain = weight * max(1.0 / self.num_fixes, LEAST_GAIN)
        gap = world_p - np.array(self.mean)
        self.mean = [v + gain * step for v, step in zip(self.mean, gap.tolist(), strict=True)]
        self.variance = float((1 - gain) * (self.variance + gain * (gap @ gap) / 3))

    def refine_box(self, size_m: NDArray[np.float64], quat_xyzw: Quaternion) -> None:
        """Average the extents of an uncut detection; its box turns with the object."""
        extents = size_m.tolist()
        if not all(extent > 0.0 for extent in extents):
            return
        self.quat = [*quat_xyzw]
        self.num_sizes += 1
        gain = max(1.0 / self.num_sizes, 0.1)
        self.size = [v + gain * (new - v) for v, new in zip(self.size, extents, strict=True)]

    def refine_surface(self, share: float) -> None:
        """Average how much of its box a match found filled; nothing is learnt from NaN."""
        if math.isnan(share):
            return
        self.num_surfaces += 1
        self.surface += max(1.0 / self.num_surfaces, 0.1) * (share - self.surface)

"""One object as the fold holds it: public state plus the counters behind it."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.association import averaged, likeness
from st_memory.core.memory.said import Said
from st_memory.core.records import (
    LifeCycle,
    MOST_TELLING_FIRST,
    ObjectState,
    Observation,
    TrackRecord,
    Visibility,
)
from st_memory.core.records.detections import ALONG_AXES, Quaternion

__all__ = ['LEAST_GAIN', 'Doubt', 'Track', 'View', 'canonical_json']

LEAST_GAIN = 0.05
"""Weight that a measurement keeps in an estimate of a place, however many came before."""

_RANK = {int(state): rank for rank, state in enumerate(MOST_TELLING_FIRST)}
# A class name with less of the votes is taken for a slip of the detector.
_FAIR_SHARE = 0.2
# Of so few, none has more by chance than its slips would give it.
_FEW_VOTES = 2.0
# More names than this help nobody who asks which one it is.
_MAX_ALTERNATIVES = 5


def canonical_json(value: object) -> str:
    """Serialise so that equal values give equal text; floats round-trip exactly."""
    return json.dumps(value, sort_keys=True, separators=(',', ':'), allow_nan=False)


@dataclass
class View:
    """The open visibility interval of one object in one camera."""

    state: int
    geometry: int
    cause: str
    occluder: str
    start_ns: int
    looks_before: int  # looks of the camera before the interval's first
    confirmed: int = 0  # matches inside the interval
    run_confirmed: bool = False  # a match since geometry last became VISIBLE
    since_match: int | None = None  # looks since the last match; None before one


@dataclass
class Doubt:
    """Who else an object may be, with likelihoods relative to its own, which is 1."""

    since_ns: int
    rivals: dict[str, float]
    is_of_place: bool = False  # two lie so near that one sight fits both

    @property
    def confidence(self) -> float:
        """Chance that it is what it was taken for."""
        return 1.0 / (1.0 + sum(self.rivals[name] for name in sorted(self.rivals)))

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The likeliest others, the likeliest first."""
        ranked = sorted(self.rivals, key=lambda name: (-self.rivals[name], name))
        return tuple(ranked[:_MAX_ALTERNATIVES])


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
        best = self._best_place
        return None if best is None else np.array(best)

    @property
    def _best_place(self) -> list[float] | None:
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

    def fused_view(self, cameras: Set[str] | None = None) -> View | None:
        """
        Give the view that says most of those by some cameras (None: all).

        One camera that sees it outweighs all that do not; a camera that could see more of it
        outweighs one that looks away.
        """
        names = [name for name in self.views if cameras is None or name in cameras]
        if len(names) < 2:
            return self.views[names[0]] if names else None
        return self.views[min(names, key=lambda name: (_RANK[self.views[name].state], name))]

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
        self.mean = [float(v) for v in np.array(self.mean) + gain * gap]
        self.variance = float((1 - gain) * (self.variance + gain * (gap @ gap) / 3))

    def refine_box(self, size_m: NDArray[np.float64], quat_xyzw: Quaternion) -> None:
        """Average the extents of an uncut detection; its box turns with the object."""
        if not (size_m > 0).all():
            return
        self.quat = [*quat_xyzw]
        self.num_sizes += 1
        gain = max(1.0 / self.num_sizes, 0.1)
        self.size = [float(v) for v in np.array(self.size) + gain * (size_m - np.array(self.size))]

    def refine_surface(self, share: float) -> None:
        """Average how much of its box a match found filled; nothing is learnt from NaN."""
        if math.isnan(share):
            return
        self.num_surfaces += 1
        self.surface += max(1.0 / self.num_surfaces, 0.1) * (share - self.surface)

    def state(self, epoch: int, cameras: Set[str] | None = None) -> ObjectState:
        """
        Give the public record.

        Parameters
        ----------
        epoch : int
            Epoch it belongs to.
        cameras : set of str, optional
            Cameras whose verdicts are fused; None for all that ever looked.

        """
        view = self.fused_view(cameras)
        place = self._best_place
        return ObjectState(
            object_id=self.object_id,
            label=self.label,
            epoch=epoch,
            life_cycle=LifeCycle(self.life_cycle),
            aliases=tuple(sorted(self.aliases)),
            world_p=None if place is None else (place[0], place[1], place[2]),
            size_m=(self.size[0], self.size[1], self.size[2]),
            quat_xyzw=(self.quat[0], self.quat[1], self.quat[2], self.quat[3]),
            position_sigma_m=math.sqrt(self.variance),
            visibility=self._visibility(view),
            cause=self._cause(view),
            occluder_id=view.occluder if view else '',
            geometry=Visibility(view.geometry) if view else Visibility.UNKNOWN,
            confirmed=bool(view and view.confirmed),
            first_seen_ns=self.first_seen_ns,
            last_seen_ns=self.last_seen_ns,
            last_visible_ns=self.last_visible_ns,
            last_placed_ns=self.last_placed_ns,
            placed_by=self.placed_by,
            visibility_since_ns=view.start_ns if view else None,
            fixture_id=self.fixture_id,
            fixture_alternatives=tuple(self.fixture_alternatives),
            container_id=self.container_id,
            in_motion=self.in_motion,
            num_moves=self.num_moves,
            num_observations=self.num_observations,
            existence_probability=0.0 if self.life_cycle == LifeCycle.ABSENT else 1.0,
            identity_confidence=1.0 if self.doubt is None else self.doubt.confidence,
            identity_alternatives=() if self.doubt is None else self.doubt.alternatives,
        )

    def _visibility(self, view: View | None) -> Visibility:
        """Give the fused state; a movement that began since the last look counts at once."""
        if self.in_motion:
            return Visibility.IN_MOTION
        return Visibility(view.state) if view else Visibility.UNKNOWN

    def _cause(self, view: View | None) -> str:
        if self.in_motion:
            return 'in_motion'
        return view.cause if view else 'not_yet_looked_for'

    def record(self, epoch: int, cameras: Set[str] | None = None) -> TrackRecord:
        """Give what the store keeps; parameters as in :meth:`state`."""
        return TrackRecord(self.state(epoch, cameras), canonical_json(self.to_plain()))

    def to_plain(self) -> dict[str, Any]:
        """Give all fields as plain values, shared with the track: for writing at once."""
        views = {name: vars(view) for name, view in self.views.items()}
        plain = {**vars(self), 'views': views}
        if not self.appearance:
            del plain['appearance'], plain['appearance_count']
        if not self.id_doubts:
            del plain['id_doubts']
        if self.doubt is None:
            del plain['doubt']
        else:
            plain['doubt'] = vars(self.doubt)
        if self.said is None:
            del plain['said']
        else:
            plain['said'] = vars(self.said)
        return plain

    @classmethod
    def from_json(cls, text: str) -> Track:
        """Rebuild from :meth:`record`; the result is equal to the original in every field."""
        data: dict[str, Any] = json.loads(text)
        data['views'] = {name: View(**view) for name, view in data['views'].items()}
        data['trail'] = [(stamp, fix) for stamp, fix in data['trail']]
        if 'doubt' in data:
            data['doubt'] = Doubt(**data['doubt'])
        if 'said' in data:
            data['said'] = Said(**data['said'])
        return cls(**data)

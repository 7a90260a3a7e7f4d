"""Everything the fold carries from one frame to the next, and its text form."""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
import json
import re
from typing import Any

from st_memory.core.memory.builder import Touched
from st_memory.core.memory.camera_log import CameraLog
from st_memory.core.memory.candidates import CandidatePool
from st_memory.core.memory.part_log import PartLog
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.table import ObjectTable
from st_memory.core.memory.track import Track
from st_memory.core.memory.track_text import (
    canonical_json,
    track_from_plain,
    track_from_text,
    track_plain,
)
from st_memory.core.ports import Checkpoint
from st_memory.core.records import LifeCycle
from st_memory.core.stamps import NS_PER_S

__all__ = ['FoldState']


# After every id.
_LAST = chr(0x10FFFF)
# Verdicts of cameras that looked this long ago are still put together.
_FUSED_NS = NS_PER_S


class FoldState:
    """
    State of one epoch.

    Attributes
    ----------
    tracks : dict of str to Track
        Believed objects by id.
    pool : CandidatePool
        Things on probation.
    logs : dict of str to CameraLog
        How often each camera has looked.
    parts : PartLog
        When each movable part has moved.
    doubtful : set of str
        Objects that may be other ones.
    table : ObjectTable
        The objects as arrays; as new as the last :meth:`refresh`.
    counts : Counter
        What happened to detections, by outcome.

    """

    def __init__(self, settings: MemorySettings) -> None:
        self.tracks: dict[str, Track] = {}
        self.pool = CandidatePool(settings)
        self.logs: dict[str, CameraLog] = {}
        self.parts = PartLog()
        self.counts: Counter[str] = Counter()
        self.table = ObjectTable()
        self.doubtful: set[str] = set()
        self._touched = Touched()
        self._fused: frozenset[str] = frozenset()
        self._numbers: Counter[str] = Counter()
        self._order: list[str] = []
        self._by_age: list[Track] = []
        self._listed: list[Track] | None = []
        self._by_external_id: dict[str, Track] = {}

    def add(self, track: Track) -> None:
        """Take in a believed object; its id must be new."""
        self.tracks[track.object_id] = track
        bisect.insort(self._by_age, track, key=_age_key)
        bisect.insort(self._order, track.object_id)
        self._listed = None
        if track.doubt is not None:
            self.doubtful.add(track.object_id)
        for name in track.outside_ids:
            self._by_external_id[name] = track

    def refresh(self, touched: Touched, stamp_ns: int) -> ObjectTable:
        """Bring the table up to date with what was touched since it was so last."""
        changed = touched.take_recent()
        if touched is not self._touched:  # what the frame before touched after its last call
            changed |= self._touched.take_recent()
            self._touched = touched
        self.table.update(self.ordered(), changed, stamp_ns)
        return self.table

    def ordered(self) -> Sequence[Track]:
        """Tracks by id: the same order before and after a restart."""
        if self._listed is None:
            self._listed = [self.tracks[name] for name in self._order]
        return self._listed

    def found_since(self, stamp_ns: int) -> list[Track]:
        """Give the objects that were first seen after a stamp, the oldest first."""
        return self._by_age[bisect.bisect_right(self._by_age, (stamp_ns, _LAST), key=_age_key) :]

    def known_as(self, external_id: str) -> Track | None:
        """Find the object that a tracker or annotation calls so."""
        return self._by_external_id.get(external_id)

    def hand_over(self, external_id: str, track: Track) -> None:
        """Let another object answer to an identity from outside."""
        track.external_id = external_id
        self._by_external_id[external_id] = track

    def answer_to(self, external_id: str, track: Track) -> None:
        """Let an object answer to one more identity from outside."""
        self._by_external_id[external_id] = track

    def release(self, track: Track) -> None:
        """Let an object no longer answer to identities from outside."""
        for name in track.outside_ids:
            if self._by_external_id.get(name) is track:
                del self._by_external_id[name]

    def new_named(self, external_id: str) -> Track:
        """Open an object for an identity from outside; its id is that, unless it is taken."""
        taken = external_id in self.tracks
        name = self.new_id(external_id) if taken else external_id
        track = Track(name, external_id, life_cycle=LifeCycle.CONFIRMED)
        self.add(track)
        return track

    def recent_cameras(self, stamp_ns: int) -> frozenset[str]:
        """Name the cameras that looked within the last second before a stamp."""
        oldest_ns = stamp_ns - _FUSED_NS
        return frozenset(
            name for name, log in self.logs.items() if (log.last_ns or 0) >= oldest_ns
        )

    def no_longer_seen_by(self, cameras: frozenset[str]) -> set[str]:
        """
        Name the objects whose state rested on a camera that has stopped looking.

        Parameters
        ----------
        cameras : frozenset of str
            Those that count from now on.

        """
        stopped = self._fused - cameras
        self._fused = cameras
        if not stopped:
            return set()
        return {t.object_id for t in self.ordered() if not stopped.isdisjoint(t.views)}

    def doubt_poses(self, until_ns: int | None) -> None:
        """Doubt every camera's pose for a while: they hang on one map."""
        self.counts['pose_jump'] += 1
        for log in self.logs.values():
            log.doubt_until_ns = max(log.doubt_until_ns or 0, until_ns or 0)

    def new_id(self, label: str) -> str:
        """Give an object the next number of its class: ``cup_1``, ``cup_2``, ..."""
        slug = re.sub(r'[\W_]+', '_', label.lower()).strip('_') or 'object'
        while True:
            self._numbers[slug] += 1
            name = f'{slug}_{self._numbers[slug]}'
            if name not in self.tracks:
                return name

    def name_living(self) -> None:
        """Let merged objects answer for those that they took over."""
        for track in self.ordered():
            if track.life_cycle != LifeCycle.RETIRED:
                for name in track.outside_ids:
                    self._by_external_id[name] = track

    @classmethod
    def after(cls, before: FoldState, settings: MemorySettings) -> FoldState:
        """Give the state of an epoch that a rebase opens, with no object yet; ids go on."""
        state = cls(settings)
        state._numbers = Counter(before._numbers)
        return state

    def to_json(self) -> str:
        """Give all but the tracks, which the store keeps one by one."""
        return canonical_json(
            {
                'candidate_number': self.pool.next_number,
                'candidates': [track_plain(c) for c in self.pool.candidates],
                'counts': {name: n for name, n in self.counts.items() if n},
                'fused': sorted(self._fused),
                'logs': {name: vars(log) for name, log in self.logs.items()},
                'numbers': dict(self._numbers),
                'parts': self.parts.to_plain(),
            }
        )

    @classmethod
    def restored(cls, settings: MemorySettings, checkpoint: Checkpoint) -> FoldState:
        """Rebuild what :meth:`to_json` and the track records hold."""
        data: dict[str, Any] = json.loads(checkpoint.frame.fold_json)
        state = cls(settings)
        for record in checkpoint.tracks:
            state.add(track_from_text(record.fold_json))
        state.name_living()
        candidates = [track_from_plain(c) for c in data['candidates']]
        state.pool = CandidatePool(settings, candidates, data['candidate_number'])
        state.logs = {name: CameraLog(**log) for name, log in data['logs'].items()}
        state.parts = PartLog.from_plain(data.get('parts', {}))
        state.counts = Counter(data['counts'])
        state._fused = frozenset(data['fused'])
        state._numbers = Counter(data['numbers'])
        return state


def _age_key(track: Track) -> tuple[int, str]:
    return track.first_seen_ns or 0, track.object_id

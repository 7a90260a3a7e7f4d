"""Everything the fold carries from one frame to the next, and its text form."""

from __future__ import annotations

from collections import Counter
import json
import re
from typing import Any

from st_memory.core.memory.candidates import CandidatePool
from st_memory.core.memory.looks import CameraLog
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import canonical_json, Track
from st_memory.core.ports import Checkpoint

__all__ = ['FoldState']


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
    counts : Counter
        What happened to detections, by outcome.

    """

    def __init__(self, settings: MemorySettings) -> None:
        self.tracks: dict[str, Track] = {}
        self.pool = CandidatePool(settings)
        self.logs: dict[str, CameraLog] = {}
        self.counts: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()

    def ordered(self) -> list[Track]:
        """Tracks by id: the same order before and after a restart."""
        return [self.tracks[name] for name in sorted(self.tracks)]

    def new_id(self, label: str) -> str:
        """Give an object the next number of its class: ``cup_1``, ``cup_2``, ..."""
        slug = re.sub(r'[\W_]+', '_', label.lower()).strip('_') or 'object'
        while True:
            self._numbers[slug] += 1
            name = f'{slug}_{self._numbers[slug]}'
            if name not in self.tracks:
                return name

    def to_json(self) -> str:
        """Give all but the tracks, which the store keeps one by one."""
        return canonical_json(
            {
                'candidate_number': self.pool.next_number,
                'candidates': [c.to_plain() for c in self.pool.candidates],
                'counts': {name: n for name, n in self.counts.items() if n},
                'logs': {name: vars(log) for name, log in self.logs.items()},
                'numbers': dict(self._numbers),
            }
        )

    @classmethod
    def restored(cls, settings: MemorySettings, checkpoint: Checkpoint) -> FoldState:
        """Rebuild what :meth:`to_json` and the track records hold."""
        data: dict[str, Any] = json.loads(checkpoint.frame.fold_json)
        state = cls(settings)
        tracks = [Track.from_json(record.fold_json) for record in checkpoint.tracks]
        state.tracks = {t.object_id: t for t in tracks}
        candidates = [Track.from_json(canonical_json(c)) for c in data['candidates']]
        state.pool = CandidatePool(settings, candidates, data['candidate_number'])
        state.logs = {name: CameraLog(**log) for name, log in data['logs'].items()}
        state.counts = Counter(data['counts'])
        state._numbers = Counter(data['numbers'])
        return state

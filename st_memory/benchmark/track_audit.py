"""
What the memory says can be seen in recordings, for people to be asked whether it is so.

Each recording is folded, and the state of every object after every look is kept: all of it, so
that nothing need be known of what people were asked. Truth are their marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
import csv
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.bags import BagFrameSource
from st_memory.benchmark.track_audit_files import AuditedVideo, read_videos
from st_memory.core.errors import DatasetError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import ObjectState
from st_memory.core.stamps import seconds_from_stamp
from st_memory.scene import EmbreeRayCaster

__all__ = ['LOOKS', 'SAMPLES', 'predict']

SAMPLES = 'samples.csv'
LOOKS = 'looks.csv'


class _Look(NamedTuple):
    """One frame with a camera, and what is known after it."""

    t_sec: str
    states: tuple[ObjectState, ...]


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write the states after each look, and the looks.

    Parameters
    ----------
    data : Path
        A folder with ``videos.csv`` and its bags; ``marks.csv`` is not opened.
    out : Path
        Receives the per-item files.
    seed : int
        Unused: nothing is random.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises.

    """
    del seed
    videos = read_videos(data)
    counts: Counter[str] = Counter()
    with (
        (out / SAMPLES).open('w', newline='', encoding='utf-8') as samples,
        (out / LOOKS).open('w', newline='', encoding='utf-8') as looks,
    ):
        sample_rows, look_rows = csv.writer(samples), csv.writer(looks)
        sample_rows.writerow(('video_id', 't_sec', 'object_id', 'state', 'cause'))
        look_rows.writerow(('video_id', 't_sec'))
        for video in videos.values():
            for look in _follow(video):
                look_rows.writerow((video.video_id, look.t_sec))
                counts['looks'] += 1
                counts['samples'] += len(look.states)
                for state in look.states:
                    key = video.video_id, look.t_sec, state.object_id
                    sample_rows.writerow((*key, state.visibility.name, state.cause))
    presets = {name: video.preset.name for name, video in videos.items()}
    return {'presets': presets, 'looks': counts['looks'], 'samples': counts['samples']}


def _follow(video: AuditedVideo) -> Iterator[_Look]:
    """Fold a recording; after each look give the state of everything known."""
    source = BagFrameSource(video.bag)
    caster = EmbreeRayCaster(source.scene) if source.scene.parts else None
    memory = ObjectMemory(MemorySettings(), source.scene, caster, visibility=video.preset)
    states: dict[str, ObjectState] = {}
    for frame in source.frames():
        if frame.epoch:
            raise DatasetError(
                f'{video.bag}: expected one run of the clock, found it set back at '
                f'{seconds_from_stamp(frame.stamp_ns):.3f} s'
            )
        for record in memory.integrate(frame).tracks:
            states[record.state.object_id] = record.state
        if frame.cameras:
            t_sec = repr(seconds_from_stamp(frame.stamp_ns - video.start_ns))
            yield _Look(t_sec, tuple(states[name] for name in sorted(states)))

"""Per-item files of benchmarks whose truth is a visible share: follow a bag, write, read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from st_memory.bags import BagFrameSource
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import Visibility
from st_memory.core.visibility import Verdicts
from st_memory.scene import EmbreeRayCaster

__all__ = [
    'PRESET',
    'SAMPLES',
    'ShareSample',
    'follow',
    'read_samples',
    'write_samples',
]

PRESET = 'any_part'
SAMPLES = 'samples.csv'


class ShareSample(NamedTuple):
    """
    One object in one look; a row of the per-item file.

    Attributes
    ----------
    stream_id, object_uid : str
        As the dataset names camera and object.
    stamp_ns : int
        Of the look.
    visible : int
        1 when any part can be seen: depth was measured in its box; in a look without depth, the
        box reaches into the image and not all of it is blocked.
    visible_share : float
        Share of the lines of sight to its box that are free, in [0, 1]; NaN where not known.
    blocked_fraction : float
        Blocked share of the test points that anything was learnt about; NaN where not known.
    in_view_points : int
        Test points of the object in the image.

    """

    stream_id: str
    object_uid: str
    stamp_ns: int
    visible: int
    visible_share: float
    blocked_fraction: float
    in_view_points: int


def follow(
    bag: Path,
    stream_by_camera: Mapping[str, str],
    object_ids: Sequence[str],
    *,
    needs_depth: bool,
) -> Iterator[ShareSample]:
    """
    Fold a bag and give what geometry and depth say of every object in every look.

    Parameters
    ----------
    bag : Path
        The recording.
    stream_by_camera : mapping of str to str
        Stream id of each camera.
    object_ids : sequence of str
        Objects to be asked about. One that the memory does not know of is not visible, with
        unknown shares.
    needs_depth : bool
        Ask about looks with a depth image only.

    """
    source = BagFrameSource(bag)
    scene = source.scene
    caster = EmbreeRayCaster(scene) if scene.parts else None
    memory = ObjectMemory(MemorySettings(visibility_preset=PRESET), scene, caster)
    for frame in source.frames():
        memory.integrate(frame)
        for camera in frame.cameras:
            if needs_depth and camera.depth_m is None:
                continue
            look = memory.looks.get(camera.camera_id)
            rows = {} if look is None else {name: i for i, name in enumerate(look.object_ids)}
            stream_id = stream_by_camera[camera.camera_id]
            for object_id in object_ids:
                key = stream_id, object_id, frame.stamp_ns
                if look is None or object_id not in rows:
                    yield ShareSample(*key, 0, np.nan, np.nan, 0)
                else:
                    yield _sample(key, look.verdicts, rows[object_id], camera.depth_m is not None)


def _sample(key: tuple[str, str, int], verdicts: Verdicts, i: int, has_depth: bool) -> ShareSample:
    """Give the row of the object that has place ``i`` in the verdicts."""
    blocked = float(verdicts.blocked_share[i])
    if has_depth:
        visible, share = bool(verdicts.surface_seen[i]), float(verdicts.visible_share[i])
    else:
        unseen = (Visibility.OUT_OF_VIEW, Visibility.UNKNOWN)
        visible, share = verdicts.geometry[i] not in unseen and blocked != 1.0, 1.0 - blocked
    return ShareSample(*key, int(visible), share, blocked, int(verdicts.in_view_points[i]))


def write_samples(path: Path, samples: Iterable[ShareSample]) -> int:
    """Write the per-item file, sorted; unknown shares are left empty. Gives the number of rows."""
    rows = sorted(samples, key=lambda s: s[:3])
    with path.open('w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(ShareSample._fields)
        for s in rows:
            shares = (
                '' if np.isnan(v) else repr(v) for v in (s.visible_share, s.blocked_fraction)
            )
            writer.writerow((*s[:4], *shares, s.in_view_points))
    return len(rows)


def _text(share: float) -> str:
    return '' if np.isnan(share) else repr(share)


def read_samples(path: Path) -> list[ShareSample]:
    """Read the per-item file."""
    with path.open(newline='', encoding='utf-8') as file:
        return [
            ShareSample(
                row['stream_id'],
                row['object_uid'],
                int(row['stamp_ns']),
                int(row['visible']),
                float(row['visible_share'] or 'nan'),
                float(row['blocked_fraction'] or 'nan'),
                int(row['in_view_points']),
            )
            for row in csv.DictReader(file)
        ]

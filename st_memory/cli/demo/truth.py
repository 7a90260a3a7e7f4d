"""What really happened, as the rendered kitchen wrote it beside its bag."""

from __future__ import annotations

import csv
from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform

__all__ = ['ObjectTrack', 'Truth', 'find_truth']

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ObjectTrack:
    """
    One object in every image.

    Attributes
    ----------
    object_id, label : str
        Who; the id is the truth's own and unknown to the memory.
    visible_px, unoccluded_px : (N,) int64
        Pixels it has, and would have if nothing were in the way.
    is_visible : (N,) bool
        Whether it shows enough for the recording's detector to see it.
    is_present, in_hand : (N,) bool
        Not taken away for good; carried.
    position : (N, 3) float64
        Centre in the map, metres.
    fixture, container, occluder : tuple of str
        Fixture it is on or in, fixture it is inside, and what hides it; by image.

    """

    object_id: str
    label: str
    visible_px: Ints
    unoccluded_px: Ints
    is_visible: Bools
    is_present: Bools
    in_hand: Bools
    position: Floats
    fixture: tuple[str, ...]
    container: tuple[str, ...]
    occluder: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Truth:
    """
    A recording's truth.

    Attributes
    ----------
    stamps_ns : (N,) int64
        Stamps of the images, ascending.
    camera_poses : tuple of RigidTransform
        ``map_T_optical`` of each image.
    tracks : dict of str to ObjectTrack
        Objects by id.
    movements : dict of str to tuple of (int, int)
        Start and end of each object's completed movements, by id, in order of their end.

    """

    stamps_ns: Ints
    camera_poses: tuple[RigidTransform, ...]
    tracks: dict[str, ObjectTrack]
    movements: dict[str, tuple[tuple[int, int], ...]]

    def index_at(self, stamp_ns: int) -> int:
        """Give the latest image not after a stamp (the first one before any)."""
        return max(0, int(np.searchsorted(self.stamps_ns, stamp_ns, side='right')) - 1)

    @classmethod
    def load(cls, folder: Path) -> Truth:
        """
        Read ``truth.csv``, ``cameras.csv``, ``events.json`` and ``report.json``.

        The last one says from how many pixels on the recording's detector sees a thing.

        Raises
        ------
        DatasetError
            If a file is missing or is not what it should be.

        """
        try:
            rows = _read_table(folder / 'truth.csv')
            cameras = _read_table(folder / 'cameras.csv')
            events = json.loads((folder / 'events.json').read_text(encoding='utf-8'))
            report = json.loads((folder / 'report.json').read_text(encoding='utf-8'))
            min_px = int(report['spec']['min_detection_px'])
            stamps = np.array([int(row['stamp_ns']) for row in cameras], dtype=np.int64)
            by_object: dict[str, list[dict[str, str]]] = {}
            for row in rows:
                by_object.setdefault(row['object_id'], []).append(row)
            return cls(
                stamps_ns=stamps,
                camera_poses=tuple(_pose(row) for row in cameras),
                tracks={
                    name: _track(name, own, min_px) for name, own in sorted(by_object.items())
                },
                movements=_movements(events),
            )
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise DatasetError(f'{folder}: expected the truth of a kitchen ({error})') from error


def find_truth(bag: Path) -> Path:
    """
    Find the truth of a bag: ``kitchen.mcap`` has ``kitchen_truth``.

    Raises
    ------
    DatasetError
        If it is not there.

    """
    folder = bag.with_name(f'{bag.stem}_truth')
    if not (folder / 'truth.csv').is_file():
        raise DatasetError(
            f'{bag}: expected its truth in {folder}, found none; the demo needs it to choose its '
            'moments and to mark the answers'
        )
    return folder


def _read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding='utf-8', newline='') as stream:
        return list(csv.DictReader(stream))


def _pose(row: dict[str, str]) -> RigidTransform:
    return RigidTransform(
        np.array([float(row[k]) for k in ('x', 'y', 'z')]),
        np.array([float(row[k]) for k in ('qx', 'qy', 'qz', 'qw')]),
    )


def _track(object_id: str, rows: list[dict[str, str]], min_px: int) -> ObjectTrack:
    def ints(name: str) -> Ints:
        return np.array([int(row[name]) for row in rows], dtype=np.int64)

    visible_px = ints('visible_px')
    return ObjectTrack(
        object_id=object_id,
        label=rows[0]['label'],
        visible_px=visible_px,
        unoccluded_px=ints('unoccluded_px'),
        is_visible=visible_px >= min_px,
        is_present=ints('present') > 0,
        in_hand=ints('in_hand') > 0,
        position=np.array([[float(row[k]) for k in ('x', 'y', 'z')] for row in rows]),
        fixture=tuple(row['fixture'] for row in rows),
        container=tuple(row['container'] for row in rows),
        occluder=tuple(row['occluder'] for row in rows),
    )


def _movements(events: list[dict[str, Any]]) -> dict[str, tuple[tuple[int, int], ...]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for event in events:
        if event['event_type'] == 'movement' and event['end_ns'] is not None:
            spans = found.setdefault(event['roles']['object'], [])
            spans.append((event['start_ns'], event['end_ns']))
    return {name: tuple(sorted(spans, key=lambda s: s[1])) for name, spans in found.items()}

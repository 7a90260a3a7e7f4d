"""A rendered kitchen's truth as tracks that questions are written from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import csv
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from st_memory.benchmark.questions.tracks import Movement, ObjectTrack, SceneTracks
from st_memory.core.geometry import in_image, PinholeCamera, RigidTransform
from st_memory.core.records import Scene, Visibility
from st_memory.core.records.detections import BoxPx, Point
from st_memory.core.stamps import NS_PER_S

__all__ = ['MIN_SHOWN_PX', 'KitchenTruth', 'TrueMove', 'TrueRow', 'read_kitchen', 'tracks_of']

MIN_SHOWN_PX = 30
"""Fewest pixels that the detector can detect, by default: less is not called visible."""

_MIN_SHARE = 0.5
_END_SHOWN_NS = NS_PER_S
_GONE = 'gone'


class TrueRow(NamedTuple):
    """One object in one image."""

    stamp_ns: int
    visible_px: int
    unoccluded_px: int
    in_hand: bool
    is_present: bool
    fixture_id: str
    world_p: Point
    box_px: BoxPx | None


class TrueMove(NamedTuple):
    """One movement, from when the thing leaves its place to when it stands again."""

    object_id: str
    start_ns: int
    end_ns: int
    to_fixture: str

    @property
    def is_removal(self) -> bool:
        """Whether it was taken away for good."""
        return self.to_fixture == _GONE


class KitchenTruth(NamedTuple):
    """
    What the simulator says of one kitchen.

    Attributes
    ----------
    labels : dict of str to str
        Kind of each object.
    rows : dict of str to list of TrueRow
        By object, by stamp.
    moves : list of TrueMove
        Completed ones, by end.
    camera : PinholeCamera
        That renders.
    poses : dict of int to RigidTransform
        Exact pose of its optical frame, by stamp.

    """

    labels: dict[str, str]
    rows: dict[str, list[TrueRow]]
    moves: list[TrueMove]
    camera: PinholeCamera
    poses: dict[int, RigidTransform]


def read_kitchen(folder: Path) -> KitchenTruth:
    """Read the truth folder of one kitchen."""
    labels: dict[str, str] = {}
    rows: dict[str, list[TrueRow]] = {}
    for row in _table(folder / 'truth.csv'):
        labels[row['object_id']] = row['label']
        rows.setdefault(row['object_id'], []).append(_row(row))
    moves = [
        TrueMove(
            event['roles']['object'],
            event['start_ns'],
            event['end_ns'],
            event['detail'].get('to_fixture', ''),
        )
        for event in json.loads((folder / 'events.json').read_text(encoding='utf-8'))
        if event['event_type'] == 'movement' and event['end_ns'] is not None
    ]
    cameras = list(_table(folder / 'cameras.csv'))
    return KitchenTruth(labels, rows, moves, _camera(cameras[0]), dict(map(_pose, cameras)))


def tracks_of(
    truth: KitchenTruth, scene: Scene, video_id: str, min_shown_px: int = MIN_SHOWN_PX
) -> SceneTracks:
    """
    Make tracks of the truth, one sample an image.

    Visible is what shows enough pixels, half of what it would show if nothing were in its way, and
    has its centre in the image; out of view or occluded, what shows none. All between is
    unconfirmed: somebody may see it or not.

    Parameters
    ----------
    truth : KitchenTruth
        Of one kitchen.
    scene : Scene
        Its fixtures.
    video_id : str
        Name of the kitchen.
    min_shown_px : int
        Fewest pixels that the detector can detect.

    """
    stamps = sorted(truth.poses)
    objects = tuple(
        _track(object_id, truth, rows, min_shown_px)
        for object_id, rows in sorted(truth.rows.items())
    )
    return SceneTracks(
        video_id=video_id,
        base_stamp_ns=stamps[0],
        stamps_ns=np.array(stamps, dtype=np.int64),
        world_T_camera=[truth.poses[stamp] for stamp in stamps],
        camera=truth.camera,
        scene=scene,
        objects=objects,
    )


def _track(
    object_id: str, truth: KitchenTruth, rows: Sequence[TrueRow], min_px: int
) -> ObjectTrack:
    own = [m for m in truth.moves if m.object_id == object_id]
    centred = [_is_centre_in_image(truth, row) for row in rows]
    shown_ns = np.array([r.stamp_ns for r in rows if r.visible_px >= min_px])
    return ObjectTrack(
        object_id=object_id,
        name=truth.labels[object_id],
        states=np.array(
            [_state(row, own, min_px, c) for row, c in zip(rows, centred, strict=True)],
            dtype=np.int8,
        ),
        world_p=np.array([row.world_p for row in rows], dtype=np.float64),
        pixels=np.array([_middle(row.box_px) for row in rows], dtype=np.float64),
        fixture_ids=[row.fixture_id for row in rows],
        movements=tuple(
            Movement(m.start_ns, m.end_ns, bool((abs(shown_ns - m.end_ns) <= _END_SHOWN_NS).any()))
            for m in sorted(own, key=lambda m: m.start_ns)
        ),
    )


def _is_centre_in_image(truth: KitchenTruth, row: TrueRow) -> bool:
    place = truth.poses[row.stamp_ns].inverse().apply(np.array([row.world_p]))
    return bool(in_image(truth.camera, truth.camera.project(place).pixels)[0])


def _state(row: TrueRow, moves: Sequence[TrueMove], min_px: int, is_centred: bool) -> Visibility:
    if not row.is_present:
        return Visibility.ABSENT
    is_moving = row.in_hand or any(m.start_ns <= row.stamp_ns < m.end_ns for m in moves)
    if is_moving:
        return Visibility.IN_MOTION if row.visible_px >= min_px else Visibility.UNKNOWN
    shows_half = row.visible_px >= _MIN_SHARE * row.unoccluded_px
    if is_centred and row.visible_px >= min_px and shows_half:
        return Visibility.VISIBLE
    if row.visible_px > 0:
        return Visibility.UNCONFIRMED
    return Visibility.OCCLUDED if row.unoccluded_px > 0 else Visibility.OUT_OF_VIEW


def _middle(box_px: BoxPx | None) -> tuple[float, float]:
    if box_px is None:
        return float('nan'), float('nan')
    x, y, width, height = box_px
    return x + width / 2, y + height / 2


def _row(row: dict[str, str]) -> TrueRow:
    box = None
    if row['box_w']:
        box = (
            float(row['box_x']),
            float(row['box_y']),
            float(row['box_w']),
            float(row['box_h']),
        )
    return TrueRow(
        stamp_ns=int(row['stamp_ns']),
        visible_px=int(row['visible_px']),
        unoccluded_px=int(row['unoccluded_px']),
        in_hand=row['in_hand'] == '1',
        is_present=row['present'] == '1',
        fixture_id=row['fixture'],
        world_p=(float(row['x']), float(row['y']), float(row['z'])),
        box_px=box,
    )


def _camera(row: dict[str, str]) -> PinholeCamera:
    intrinsics = (float(row[name]) for name in ('fx', 'fy', 'cx', 'cy'))
    return PinholeCamera(int(row['width']), int(row['height']), *intrinsics)


def _pose(row: dict[str, str]) -> tuple[int, RigidTransform]:
    place = np.array([float(row[name]) for name in 'xyz'])
    quat = np.array([float(row[f'q{name}']) for name in 'xyzw'])
    return int(row['stamp_ns']), RigidTransform(place, quat)


def _table(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline='', encoding='utf-8') as file:
        yield from csv.DictReader(file)

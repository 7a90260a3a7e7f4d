"""
One Beyond3D video (poses, object movements, kitchen twin) into a recording.

Reads ``poses_1hz.jsonl`` (camera and device pose each second), ``object_states.json`` (movement
intervals and the position of each stay) and ``camera_rgb_calibration.json`` (FISHEYE624), and
nothing else: neither the published visibility track nor the questions and their answers.

What becomes of an annotated time t: ``BASE_STAMP_NS + t``. A stay after a movement is observed at
the end of that movement. The stay before an object's first movement is located by the first key
frame of that movement, so a memory may know it from the start of the movement on; with
``lookahead_first_location`` it is also written at the start of the recording, with the source
``annotation_lookahead``, because the published benchmark uses it from there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform
from st_memory.core.ports import RecordingSink
from st_memory.core.records import MovementReport, Scene, WorldDetection
from st_memory.core.stamps import NS_PER_S, stamp_from_seconds
from st_memory.datasets.beyond3d_files import (
    Calibration,
    read_calibration,
    read_objects,
    read_poses,
    Stay,
    TrackedObject,
)

__all__ = ['BASE_STAMP_NS', 'CAMERA_ID', 'Beyond3dReport', 'convert_beyond3d']

# Second 0 of the video; far from stamp 0, which means "no stamp", and easy to take off again.
BASE_STAMP_NS = 1000 * NS_PER_S

CAMERA_ID = 'camera_rgb'
OPTICAL_FRAME = 'camera_rgb_optical_frame'
DEVICE_FRAME = 'device'
FIXED_FRAME = 'map'

_SKIPPED_MARK = '(skipped)'
_ANNOTATION, _LOOKAHEAD = 'annotation', 'annotation_lookahead'


@dataclass(frozen=True)
class Beyond3dReport:
    """
    What a conversion wrote and what it could not.

    Parameters
    ----------
    base_stamp_ns : int
        Stamp of second 0 of the video.
    num_poses : int
        Looks of the camera written (one per second with a pose).
    num_objects, num_skipped : int
        Objects written, and objects left out because their name says so.
    num_observations, num_lookahead : int
        Positions written as annotations, and of them ahead of their time.
    num_movements : int
        Completed movements written.
    seconds_without_pose : tuple of float
        Seconds of the pose file that hold no pose.
    unlocated : tuple of (str, float)
        Stays without a position: object id, and the second they begin.

    """

    base_stamp_ns: int
    num_poses: int
    num_objects: int
    num_skipped: int
    num_observations: int
    num_lookahead: int
    num_movements: int
    seconds_without_pose: tuple[float, ...]
    unlocated: tuple[tuple[str, float], ...]


class _Entry(NamedTuple):
    """Something that an annotation says at a stamp; entries of one stamp keep this order."""

    stamp_ns: int
    rank: int
    source: str
    object_id: str
    what: MovementReport | WorldDetection


# At one stamp: what ends, then where things are, then what starts.
_END, _LOCATION, _START = range(3)


def convert_beyond3d(
    src: str | Path,
    sink: RecordingSink,
    *,
    scene: Scene,
    lookahead_first_location: bool = False,
    base_stamp_ns: int = BASE_STAMP_NS,
) -> Beyond3dReport:
    """
    Write a Beyond3D folder to a sink.

    Topics: the scene first; ``map`` -> ``device`` each second, ``device`` ->
    ``camera_rgb_optical_frame`` static; camera info each second (each is one look of the
    camera); positions as world detections (track id = the annotation's id, source
    ``annotation``); a movement report at the start and at the end of each movement.

    Parameters
    ----------
    src : path
        The folder.
    sink : RecordingSink
        Where the recording goes.
    scene : Scene
        The kitchen twin in the same world frame (z up), e.g. from the folder's ``.glb``.
    lookahead_first_location : bool
        Also write each object's first position at the start of the recording, see above. For
        this benchmark only: a live memory cannot know it.
    base_stamp_ns : int
        Stamp of second 0 of the video; > 0.

    Returns
    -------
    Beyond3dReport
        What was written, and what was missing.

    Raises
    ------
    DatasetError
        If a file is missing or does not hold what its format promises.
    ValueError
        If the base stamp is not positive.

    """
    if base_stamp_ns <= 0:
        raise ValueError(f'base_stamp_ns: expected > 0, got {base_stamp_ns}')
    folder = Path(src)
    if not folder.is_dir():
        raise DatasetError(f'{folder}: expected a Beyond3D folder, found none there')
    calibration = read_calibration(folder)
    poses, without_pose = read_poses(folder)
    everything = read_objects(folder)
    objects = [o for o in everything if _SKIPPED_MARK not in o.name]
    entries = sorted(
        (e for o in objects for e in _entries(o, base_stamp_ns, lookahead_first_location)),
        key=lambda e: e[:4],
    )
    sink.write_scene(base_stamp_ns, FIXED_FRAME, scene)
    sink.write_transform(
        base_stamp_ns,
        DEVICE_FRAME,
        OPTICAL_FRAME,
        calibration.device_T_camera,
        static=True,
    )
    looks = [(base_stamp_ns + stamp_from_seconds(t), pose) for t, pose in poses]
    _write_in_order(sink, looks, calibration, entries)
    seen = [e.what for e in entries if isinstance(e.what, WorldDetection)]
    return Beyond3dReport(
        base_stamp_ns=base_stamp_ns,
        num_poses=len(looks),
        num_objects=len(objects),
        num_skipped=len(everything) - len(objects),
        num_observations=len(seen),
        num_lookahead=sum(w.source == _LOOKAHEAD for w in seen),
        num_movements=sum(len(o.movements) for o in objects),
        seconds_without_pose=tuple(without_pose),
        unlocated=_unlocated(objects),
    )


def _entries(tracked: TrackedObject, base_stamp_ns: int, lookahead: bool) -> Iterator[_Entry]:
    """Give what the annotation says about one object."""
    object_id, name = tracked.object_id, tracked.name

    def located(stamp_ns: int, stay: Stay, source: str) -> Iterator[_Entry]:
        if stay.world_p is not None:
            seen = WorldDetection(
                label=name, score=1.0, world_p=stay.world_p, track_id=object_id, source=source
            )
            yield _Entry(stamp_ns, _LOCATION, source, object_id, seen)

    for stay in tracked.stays:
        if stay.from_sec is not None:
            stamp_ns = base_stamp_ns + stamp_from_seconds(stay.from_sec)
            yield from located(stamp_ns, stay, _ANNOTATION)
            continue
        if lookahead:
            yield from located(base_stamp_ns, stay, _LOOKAHEAD)
        if stay.to_sec is not None:
            stamp_ns = base_stamp_ns + stamp_from_seconds(stay.to_sec)
            yield from located(stamp_ns, stay, _ANNOTATION)
    for start_sec, end_sec in tracked.movements:
        start_ns = base_stamp_ns + stamp_from_seconds(start_sec)
        end_ns = base_stamp_ns + stamp_from_seconds(end_sec)
        started = MovementReport(object_id, name, start_ns)
        yield _Entry(start_ns, _START, started.source, object_id, started)
        ended = MovementReport(object_id, name, start_ns, end_ns)
        # A movement without duration must not end before it starts.
        end_rank = _END if end_ns > start_ns else _START
        yield _Entry(end_ns, end_rank, ended.source, object_id, ended)


def _write_in_order(
    sink: RecordingSink,
    looks: list[tuple[int, RigidTransform]],
    calibration: Calibration,
    entries: list[_Entry],
) -> None:
    """Write looks and annotations by stamp; at equal stamps the pose comes first."""
    at = 0
    for stamp_ns, map_T_device in looks:
        before = bisect_left(entries, stamp_ns, key=lambda e: e.stamp_ns)
        _write_entries(sink, entries[at:before])
        at = before
        sink.write_transform(stamp_ns, FIXED_FRAME, DEVICE_FRAME, map_T_device)
        sink.write_camera_info(stamp_ns, CAMERA_ID, OPTICAL_FRAME, calibration.camera)
    _write_entries(sink, entries[at:])


def _write_entries(sink: RecordingSink, entries: list[_Entry]) -> None:
    """Write what the annotation says; positions of one stamp and source go into one message."""
    for (stamp_ns, _, _), group in groupby(entries, key=lambda e: e[:3]):
        positions = []
        for entry in group:
            if isinstance(entry.what, MovementReport):
                sink.write_movement(stamp_ns, entry.what)
            else:
                positions.append(entry.what)
        if positions:
            sink.write_world_detections(stamp_ns, FIXED_FRAME, positions)


def _unlocated(objects: list[TrackedObject]) -> tuple[tuple[str, float], ...]:
    """Stays whose position the annotation does not give: object id and the second they begin."""
    return tuple(
        (o.object_id, stay.from_sec or 0.0)
        for o in objects
        for stay in o.stays
        if stay.world_p is None
    )

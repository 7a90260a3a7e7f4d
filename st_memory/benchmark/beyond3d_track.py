"""
Visibility of every moved object at every second of a Beyond3D video.

The folder becomes a bag, the bag a memory, and the fold's own state after each one-second frame
is the prediction. Truth is the published track of the same folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from st_memory.bags import BagFrameSource, BagRecorder
from st_memory.core.errors import DatasetError
from st_memory.core.geometry import Fisheye624Camera
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import CameraFrame, ObjectState, Visibility
from st_memory.core.stamps import NS_PER_S
from st_memory.datasets.beyond3d import convert_beyond3d
from st_memory.scene import EmbreeRayCaster, load_scene

__all__ = ['PRESET', 'SAMPLES', 'SAMPLES_LIVE', 'predict', 'score']

PRESET = 'beyond3d_track_v5'
SAMPLES = 'samples.csv'
SAMPLES_LIVE = 'samples_without_lookahead.csv'
_FIELDS = ('object_id', 't_sec', 'state', 'cause', 'occluder', 'u_px', 'v_px')

# Published status -> our state, where the published one follows from geometry alone.
_STATES = {
    'geometrically_occluded': Visibility.OCCLUDED,
    'in_view': Visibility.VISIBLE,
    'in_motion': Visibility.IN_MOTION,
    'out_of_view': Visibility.OUT_OF_VIEW,
}
_CLOSED_FIXTURE = 'occluded_inside_closed_fixture'


class _Sample(NamedTuple):
    """One row of the per-item file."""

    object_id: str
    t_sec: int
    state: str
    cause: str
    occluder: str
    u_px: str
    v_px: str


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``samples.csv`` (with the flagged first locations) and the same without them.

    Parameters
    ----------
    data : Path
        A Beyond3D folder: poses, calibration, object states and the kitchen's mesh.
    out : Path
        Receives the bags and the per-item files.
    seed : int
        Unused: nothing is random.

    """
    del seed
    meshes = sorted(data.glob('*.glb'))
    if len(meshes) != 1:
        raise DatasetError(f'{data}: expected one .glb mesh of the kitchen, found {len(meshes)}')
    scene = load_scene(meshes[0])
    said: dict[str, Any] = {'preset': PRESET}
    for lookahead, name in ((True, SAMPLES), (False, SAMPLES_LIVE)):
        bag = out / name.replace('samples', 'bag').replace('.csv', '.mcap')
        with BagRecorder(bag, overwrite=True) as sink:
            report = convert_beyond3d(data, sink, scene=scene, lookahead_first_location=lookahead)
        samples = list(_follow(bag, report.base_stamp_ns))
        with (out / name).open('w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file)
            writer.writerow(_FIELDS)
            writer.writerows(sorted(samples))
        said[name] = {'samples': len(samples), 'lookahead_locations': report.num_lookahead}
    return said


def _follow(bag: Path, base_stamp_ns: int) -> Iterator[_Sample]:
    """Fold the bag; after each look give every object's state, unknown before it is known."""
    source = BagFrameSource(bag)
    caster = EmbreeRayCaster(source.scene)
    memory = ObjectMemory(MemorySettings(visibility_preset=PRESET), source.scene, caster)
    states: dict[str, ObjectState] = {}
    looks: list[int] = []
    first_known: dict[str, int] = {}
    for frame in source.frames():
        for record in memory.integrate(frame).tracks:
            states[record.state.object_id] = record.state
            first_known.setdefault(record.state.object_id, len(looks))
        for camera in frame.cameras:
            t_sec = round((frame.stamp_ns - base_stamp_ns) / NS_PER_S)
            looks.append(t_sec)
            for state in states.values():
                yield _sample(state, t_sec, camera)
    for object_id, known_from in first_known.items():
        for t_sec in looks[:known_from]:
            yield _Sample(object_id, t_sec, 'UNKNOWN', 'not_yet_located', '', '', '')


def _sample(state: ObjectState, t_sec: int, camera: CameraFrame) -> _Sample:
    """Give the state after one look, with the pixel of the object's place if it has one."""
    u_px = v_px = ''
    if state.world_p is not None and not state.in_motion and camera.world_T_camera is not None:
        camera_p = camera.world_T_camera.inverse().apply(np.array([state.world_p]))
        model = camera.model
        if isinstance(model, Fisheye624Camera):  # the published pixels know no lens limit
            pixel = model.project_unchecked(camera_p).pixels[0]
        else:
            pixel = model.project(camera_p).pixels[0]
        if np.isfinite(pixel).all():
            u_px, v_px = repr(float(pixel[0])), repr(float(pixel[1]))
    return _Sample(
        state.object_id,
        t_sec,
        state.visibility.name,
        state.cause,
        state.occluder_id,
        u_px,
        v_px,
    )


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the samples with the published track, status by status.

    Returns
    -------
    dict
        Per status {correct, total}; ``pixels`` {compared, total, max_error_px};
        ``closed_fixture``: what geometry alone says of the samples whose published state needs
        the doors; ``without_lookahead``: how many of the samples before an object's first
        movement are UNKNOWN there.

    """
    tracks = _published(data)
    predicted = _read(out / SAMPLES)
    total, correct, closed = Counter[str](), Counter[str](), Counter[str]()
    num_pixels, errors = 0, []
    for object_id, track in tracks.items():
        for t_sec, status in enumerate(track['status_samples']):
            row = predicted.get((object_id, t_sec))
            state = row['state'] if row else 'missing'
            if status in _STATES:
                total[status] += 1
                correct[status] += state == _STATES[status].name
            elif status == _CLOSED_FIXTURE:
                closed[state] += 1
            pixel = track['projected_pixel_samples'][t_sec]
            if pixel is not None:
                num_pixels += 1
                if row and row['u_px']:
                    gaps = (float(row['u_px']) - pixel[0], float(row['v_px']) - pixel[1])
                    errors.append(max(abs(gaps[0]), abs(gaps[1])))
    return {
        **{name: {'correct': correct[name], 'total': total[name]} for name in _STATES},
        'pixels': {
            'compared': len(errors),
            'total': num_pixels,
            'max_error_px': max(errors, default=None),
        },
        'closed_fixture': {'by_geometry_alone': dict(sorted(closed.items()))},
        'without_lookahead': _early(data, _read(out / SAMPLES_LIVE)),
    }


def _early(data: Path, live: Mapping[tuple[str, int], dict[str, str]]) -> dict[str, int]:
    """Count the samples before each object's first movement, and those left unknown."""
    objects = json.loads((data / 'object_states.json').read_text(encoding='utf-8'))['objects']
    total = unknown = 0
    last_sec = max((t for _, t in live), default=-1)
    for object_id, annotated in objects.items():
        starts = [s['from_sec'] for s in annotated['segments'] if s['state'] == 'in_motion']
        for t_sec in range(last_sec + 1):
            if starts and t_sec < min(starts):
                total += 1
                row = live.get((object_id, t_sec))
                unknown += row is not None and row['state'] == Visibility.UNKNOWN.name
    return {'before_first_movement': total, 'unknown': unknown}


def _published(data: Path) -> dict[str, dict[str, Any]]:
    found = sorted(data.glob('inview_track_*.json'))
    if len(found) != 1:
        raise DatasetError(f'{data}: expected one inview_track_*.json to score against')
    tracks: dict[str, dict[str, Any]] = json.loads(found[0].read_text(encoding='utf-8'))[
        'object_tracks'
    ]
    return tracks


def _read(path: Path) -> dict[tuple[str, int], dict[str, str]]:
    with path.open(newline='', encoding='utf-8') as file:
        return {(row['object_id'], int(row['t_sec'])): row for row in csv.DictReader(file)}

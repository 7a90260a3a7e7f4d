"""
Visibility of every moved object at every second of a Beyond3D video, and its questions.

The folder becomes a bag, the bag a memory, and the fold's own state after each one-second frame
is the prediction. Truth is the published track of the same folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
import csv
from dataclasses import replace
import json
from pathlib import Path
from typing import Any, NamedTuple

from st_memory.bags import BagFrameSource
from st_memory.benchmark import beyond3d_question_score, beyond3d_questions
from st_memory.benchmark.beyond3d_closed_fixtures import closed_fixtures, published_samples
from st_memory.benchmark.beyond3d_recording import pixel_of, record_bag
from st_memory.benchmark.beyond3d_truth import has_answers, published_track, read_items
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.records import CameraFrame, ObjectState, Visibility
from st_memory.core.stamps import NS_PER_S
from st_memory.core.visibility import preset_named, VisibilityPreset
from st_memory.scene import EmbreeRayCaster

__all__ = ['PRESET', 'SAMPLES', 'SAMPLES_FIXTURE_RULE', 'SAMPLES_LIVE', 'predict', 'score']

PRESET = 'beyond3d_track_v5'
SAMPLES = 'samples.csv'
SAMPLES_LIVE = 'samples_without_lookahead.csv'
SAMPLES_FIXTURE_RULE = 'samples_with_fixture_rule.csv'
_FIELDS = ('object_id', 't_sec', 'state', 'cause', 'occluder', 'u_px', 'v_px')

# The track's rules with the paper's one about fixtures. The paper takes the containing fixture
# from an annotation; here it is the one whose box is nearest, as the memory has it.
_FIXTURE_RULE = replace(
    preset_named(PRESET), name=f'{PRESET}_with_fixture_rule', use_fixture_rule=True
)

# Published status -> our state, where the published one follows from geometry alone.
_STATES = {
    'geometrically_occluded': Visibility.OCCLUDED,
    'in_view': Visibility.VISIBLE,
    'in_motion': Visibility.IN_MOTION,
    'out_of_view': Visibility.OUT_OF_VIEW,
}


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
    Write the samples, and the answers to the questions.

    There are samples with the flagged first locations, without them, and by the fixture rule.

    Parameters
    ----------
    data : Path
        A Beyond3D folder: poses, calibration, object states and the kitchen's mesh; questions
        are answered when it holds some.
    out : Path
        Receives the bags, the memory of the questions and the per-item files.
    seed : int
        Unused: nothing is random.

    """
    del seed
    said: dict[str, Any] = {}
    for lookahead, name in ((True, SAMPLES), (False, SAMPLES_LIVE)):
        bag = out / name.replace('samples', 'bag').replace('.csv', '.mcap')
        report = record_bag(data, bag, lookahead=lookahead)
        said[name] = _write(out / name, bag, report.base_stamp_ns, preset_named(PRESET))
        said[name]['lookahead_locations'] = report.num_lookahead
        if lookahead:
            file = out / SAMPLES_FIXTURE_RULE
            said[file.name] = _write(file, bag, report.base_stamp_ns, _FIXTURE_RULE)
            answered = beyond3d_questions.write_answers(data, out, bag, report.base_stamp_ns)
            said[beyond3d_questions.PREDICTIONS] = answered
    return said


def _write(file: Path, bag: Path, base_stamp_ns: int, preset: VisibilityPreset) -> dict[str, Any]:
    samples = sorted(_follow(bag, base_stamp_ns, preset))
    with file.open('w', newline='', encoding='utf-8') as stream:
        writer = csv.writer(stream)
        writer.writerow(_FIELDS)
        writer.writerows(samples)
    return {'preset': preset.name, 'samples': len(samples)}


def _follow(bag: Path, base_stamp_ns: int, preset: VisibilityPreset) -> Iterator[_Sample]:
    """Fold the bag; after each look give every object's state, unknown before it is known."""
    source = BagFrameSource(bag)
    caster = EmbreeRayCaster(source.scene)
    memory = ObjectMemory(MemorySettings(), source.scene, caster, visibility=preset)
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
    pixel = None
    if state.world_p is not None and not state.in_motion and camera.world_T_camera is not None:
        pixel = pixel_of(state.world_p, camera.model, camera.world_T_camera)
    u_px, v_px = ('', '') if pixel is None else map(repr, pixel)
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
    Compare the samples with the published track, status by status, and the answers.

    Returns
    -------
    dict
        Per status {correct, total}; ``pixels`` {compared, total, max_error_px};
        ``closed_fixture``: see :func:`closed_fixtures`; ``without_lookahead``: how many of the
        samples before an object's first movement are UNKNOWN there; and what
        :func:`st_memory.benchmark.beyond3d_question_score.score` gives, with a question file.

    """
    tracks = published_track(data)
    predicted = _read(out / SAMPLES)
    total, correct = Counter[str](), Counter[str]()
    num_pixels, errors = 0, []
    for key, status, pixel in published_samples(tracks):
        row = predicted.get(key)
        if status in _STATES:
            total[status] += 1
            correct[status] += row is not None and row['state'] == _STATES[status].name
        if pixel is not None:
            num_pixels += 1
            if row and row['u_px']:
                gaps = (float(row['u_px']) - pixel[0], float(row['v_px']) - pixel[1])
                errors.append(max(map(abs, gaps)))
    return {
        **{name: {'correct': correct[name], 'total': total[name]} for name in _STATES},
        'pixels': {
            'compared': len(errors),
            'total': num_pixels,
            'max_error_px': max(errors, default=None),
        },
        'closed_fixture': closed_fixtures(
            _FIXTURE_RULE.name, tracks, predicted, _read(out / SAMPLES_FIXTURE_RULE)
        ),
        'without_lookahead': _early(data, _read(out / SAMPLES_LIVE)),
        **(beyond3d_question_score.score(data, out) if has_answers(data) else {}),
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


def _read(path: Path) -> dict[tuple[str, int], dict[str, str]]:
    return {(row['object_id'], int(row['t_sec'])): row for row in read_items(path)}

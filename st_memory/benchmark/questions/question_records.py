"""Trajectories as records, in the final and in the legacy format."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.benchmark.questions.templates import time_token
from st_memory.benchmark.questions.tracks import ObjectTrack, SceneTracks
from st_memory.benchmark.questions.trajectory_record import Step, Trajectory
from st_memory.core.records import Visibility
from st_memory.core.stamps import stamp_from_seconds

__all__ = ['Record', 'record_of']

Record = dict[str, Any]

_FINAL = 'beyond3d_final'
_BRANCH_GROUP = 'post_step4'
_HEAD_STEPS = ('1', '2', '3', '4')
_OF_TWO = ('relation', 'distance')


def record_of(tracks: SceneTracks, trajectory: Trajectory, form: str) -> Record:
    """
    Make the record of a trajectory.

    Parameters
    ----------
    tracks : SceneTracks
        What it was written from.
    trajectory : Trajectory
        As :func:`.write_trajectories` writes it.
    form : str
        ``beyond3d_final`` or ``beyond3d_legacy``.

    Returns
    -------
    dict
        Times in seconds of the recording, places in metres, pixels of the recorded image.
        Legacy records have their steps in ``incremental_steps`` and ``branch_groups``.

    """
    anchor, is_control = trajectory.anchor, not trajectory.horizon
    query_s = tracks.seconds(trajectory.query_stamp_ns)
    record: Record = {
        'trajectory_id': trajectory.trajectory_id,
        'question_class': f'{"visible" if is_control else "oos"}_staged_trajectory',
        'video_id': tracks.video_id,
        'query_time_sec': query_s,
        'query_time_in_clip_sec': query_s,
        'clip_start_time_sec': 0.0,
        'clip_end_time_sec': query_s,
        'clip_duration_sec': query_s,
        'horizon_sec': anchor.horizon_s,
        'object_a_assoc_id': anchor.track.object_id,
        'object_a_name': anchor.track.name,
        'generation_info': _generation_info(tracks, trajectory, query_s),
    }
    steps = [_step(tracks, trajectory, step) for step in trajectory.steps]
    if form == _FINAL:
        more = {'doc_id': trajectory.trajectory_id, 'video_path': tracks.video_id}
        return {**record, **more, 'mode': 'multi_turn', 'steps': steps}
    head = [step for step in steps if step['step'] in _HEAD_STEPS]
    branches = [step for step in steps if step['step'] not in _HEAD_STEPS]
    return {
        **record,
        'inputs': {'video 1': {'id': tracks.video_id}},
        'num_incremental_steps': len(head),
        'num_branch_steps': len(branches),
        'incremental_steps': head,
        'branch_groups': {_BRANCH_GROUP: branches} if branches else {},
    }


def _generation_info(tracks: SceneTracks, trajectory: Trajectory, query_s: float) -> Record:
    anchor, reference = trajectory.anchor, trajectory.reference
    track, mark = anchor.track, trajectory.target_mark
    ended = [m for m in track.movements if m.end_ns <= trajectory.query_stamp_ns]
    info: Record = {
        'video_id': tracks.video_id,
        'assoc_id': track.object_id,
        'object_name': track.name,
        'object_name_status': 'unique' if mark is None else 'pointed_out',
        'query_time_sec': query_s,
        'horizon_sec': anchor.horizon_s,
        'fixture_at_query': track.fixture_ids[anchor.query],
        'relocation_score': len(ended),
        'movements_sec': [[tracks.seconds(m.start_ns), tracks.seconds(m.end_ns)] for m in ended],
    }
    if trajectory.horizon:
        start_s, end_s = map(tracks.seconds, (anchor.unseen_from_ns, anchor.unseen_until_ns))
        info |= {
            'oos_span_start_sec': start_s,
            'oos_span_end_sec': end_s,
            'oos_duration_sec': end_s - start_s,
        }
    if mark is not None:
        info['object_mark'] = {
            'mark_sec': tracks.seconds(mark.stamp_ns),
            'pixel': [mark.u_px, mark.v_px],
        }
    if reference is not None:
        info |= {
            'anchor_assoc_id': reference.track.object_id,
            'anchor_name': reference.track.name,
            'anchor_projected_pixel': [reference.mark.u_px, reference.mark.v_px],
            'anchor_world_coordinates': _numbers(reference.track.world_p[anchor.query]),
            'anchor_status': _status(reference.track, anchor.query),
        }
    return info


def _step(tracks: SceneTracks, trajectory: Trajectory, step: Step) -> Record:
    is_branch = step.step not in _HEAD_STEPS
    target = step.choices[step.correct_idx] if step.correct_idx is not None else ''
    return {
        'step': step.step,
        'branch_group': _BRANCH_GROUP if is_branch else None,
        'depends_on_steps': list(_HEAD_STEPS[:3]) if is_branch else [],
        'question_class': step.question_class,
        'step_question_class': step.question_class,
        'question': step.question,
        'choices': list(step.choices),
        'correct_idx': step.correct_idx,
        'acceptable_idxs': list(step.acceptable_idxs),
        'target_text': target or time_token(step.answer['time_sec']),
        'skipped': False,
        'answer_metadata': _metadata(tracks, trajectory, step),
    }


def _metadata(tracks: SceneTracks, trajectory: Trajectory, step: Step) -> Record:
    """Say what the key was made of."""
    anchor = trajectory.anchor
    track, query = anchor.track, anchor.query
    place: Record = {'world_coordinates': _numbers(track.world_p[query])}
    pose = tracks.world_T_camera[query]
    if pose is not None:
        place['camera_coordinates'] = _numbers(pose.inverse().apply(track.world_p[query]))
    if step.kind == 'visibility':
        shown = track.states[query] in (Visibility.VISIBLE, Visibility.IN_MOTION)
        return {'status': _status(track, query), 'is_visible': bool(shown), **place}
    if step.kind in ('last_visible', 'last_placed'):
        name = 'sampled_last_visible' if step.kind == 'last_visible' else 'last_placement'
        seconds = step.answer['time_sec']
        times = {f'{name}_time_sec': seconds, f'{name}_time_token': time_token(seconds)}
        return {**times, **place, **_pixel_then(tracks, trajectory, seconds)}
    if step.kind in _OF_TWO and trajectory.reference is not None:
        return {**step.answer, **_of_two(tracks, trajectory)}
    return {**step.answer, **place}


def _pixel_then(tracks: SceneTracks, trajectory: Trajectory, seconds: float) -> Record:
    """Give the image of the target's last place at a time; it may lie outside the picture."""
    anchor = trajectory.anchor
    stamp_ns = tracks.base_stamp_ns + stamp_from_seconds(seconds)
    sample = min(int(np.searchsorted(tracks.stamps_ns, stamp_ns)), anchor.query)
    pose = tracks.world_T_camera[sample]
    if pose is None:
        return {}
    place = pose.inverse().apply(anchor.track.world_p[anchor.query][None, :])
    pixel = _numbers(tracks.camera.project(place).pixels[0])
    if pixel is None:
        return {}
    width, height = tracks.camera.width, tracks.camera.height
    shares = [pixel[0] / width, pixel[1] / height]
    return {'projected_pixel': pixel, 'normalized_projected_pixel': shares}


def _of_two(tracks: SceneTracks, trajectory: Trajectory) -> Record:
    anchor, reference = trajectory.anchor, trajectory.reference
    pose = tracks.world_T_camera[anchor.query]
    if reference is None or pose is None:
        return {}
    x_p, y_p = (t.world_p[anchor.query] for t in (anchor.track, reference.track))
    width, height = tracks.camera.width, tracks.camera.height
    mark = reference.mark
    return {
        'object_x_assoc_id': anchor.track.object_id,
        'object_x_name': anchor.track.name,
        'object_x_world_coordinates': _numbers(x_p),
        'object_y_assoc_id': reference.track.object_id,
        'object_y_name': reference.track.name,
        'object_y_world_coordinates': _numbers(y_p),
        'object_y_projected_pixel': [mark.u_px, mark.v_px],
        'object_y_normalized_projected_pixel': [mark.u_px / width, mark.v_px / height],
        'vector_object_x_relative_to_object_y': _numbers(pose.rotation.T @ (x_p - y_p)),
    }


def _status(track: ObjectTrack, sample: int) -> str:
    return Visibility(int(track.states[sample])).name.lower()


def _numbers(values: NDArray[np.float64]) -> list[float] | None:
    """Give numbers for JSON; None where one of them is not known."""
    numbers = [float(v) for v in values]
    return numbers if all(map(math.isfinite, numbers)) else None

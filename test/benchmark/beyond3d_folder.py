"""A small Beyond3D folder whose answers can be computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
import math
from pathlib import Path
from typing import Any

from test.scene.files import gltf_node, write_glb

__all__ = ['QUERY_SEC', 'question', 'write_folder', 'write_questions']

QUERY_SEC = 8.0
_CALIBRATION = {
    'camera-rgb': {
        'model_name': 'CameraModelType.FISHEYE624',
        'projection_params': [600.0, 703.5, 703.5, *[0.0] * 12],
        'valid_radius': 707.5,
        'image_size': [1408, 1408],
        'T_device_camera': [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]],
    }
}

# Steps in the numbering of the legacy files.
_CHOICES: dict[str, tuple[str, list[str]]] = {
    '1': ('oos_step1_visibility', ['Yes', 'No']),
    '2': ('oos_step2_last_visible', []),
    '3': ('oos_step3_last_placement', []),
    '4': ('oos_step4_fixture', ['sink', 'drawer', 'counter']),
    '5a': (
        'oos_branch_object_camera_relative_position',
        ['Front-left', 'Front-right', 'Back-left', 'Back-right'],
    ),
    '5b': (
        'oos_branch_object_object_relation',
        ['Front-left', 'Front-right', 'Back-left', 'Back-right'],
    ),
    '5c': ('oos_branch_object_object_distance', ['far', 'very close', 'medium', 'close']),
}


def write_folder(
    folder: Path,
    *,
    later_sec: float = 0.0,
    turn_rad: float = 0.0,
    shift: Sequence[float] = (0.0, 0.0, 0.0),
    until_sec: int = 11,
    cupboard: bool = False,
) -> Path:
    """
    Write poses, calibration, objects and mesh.

    The camera looks along +x from the origin until 5 s, and along -x from 6 s on. A plate is put
    down at (1, 0, 0) at 0.8 s. A mug at (2, 0.5, 0) is moved from 1.2 s to 2.4 s to (2, -0.5, 0),
    above a counter; at 9 s it is taken away. Nothing is written of what begins after
    ``until_sec``. With ``cupboard``, a shut one stands round the mug's second place, 0.5 m wide in
    every direction, instead of the counter. The world may be later, turned about z, and moved.
    """
    folder.mkdir(parents=True, exist_ok=True)

    def moved(x: float, y: float, z: float) -> list[float]:
        c, s = math.cos(turn_rad), math.sin(turn_rad)
        return [c * x - s * y + shift[0], s * x + c * y + shift[1], z + shift[2]]

    def moving(start: float, end: float) -> dict[str, Any]:
        span = {'from_sec': start + later_sec, 'to_sec': end + later_sec}
        return {'state': 'in_motion', 'track_ids': ['t'], **span}

    def static(start: float | None, end: float | None, p: Sequence[float]) -> dict[str, Any]:
        times = [None if t is None else t + later_sec for t in (start, end)]
        span = dict(zip(('from_sec', 'to_sec'), times))
        return {'state': 'static', 'world_xyz': moved(*p), **span}

    taken = until_sec >= 10
    mug = [
        static(None, 1.2, (2.0, 0.5, 0.0)),
        moving(1.2, 2.4),
        static(2.4, 9.0 if taken else None, (2.0, -0.5, 0.0)),
    ]
    if taken:
        mug += [moving(9.0, 9.5), static(9.5, None, (5.0, 5.0, 0.0))]
    plate = [
        static(None, 0.5, (1.0, 0.2, 0.0)),
        moving(0.5, 0.8),
        static(0.8, None, (1.0, 0.0, 0.0)),
    ]
    objects = {
        'm1': {'name': 'mug', 'segments': mug},
        'p1': {'name': 'plate', 'segments': plate},
    }
    (folder / 'object_states.json').write_text(json.dumps({'objects': objects}))
    lines = []
    for second in range(until_sec + 1):
        yaw = turn_rad + (0.0 if second <= 5 else math.pi)
        right, ahead = (math.sin(yaw), -math.cos(yaw)), (math.cos(yaw), math.sin(yaw))
        rows = [
            [right[0], 0.0, ahead[0], shift[0]],
            [right[1], 0.0, ahead[1], shift[1]],
            [0.0, -1.0, 0.0, shift[2]],
        ]
        lines.append(json.dumps({'t_sec': second + later_sec, 'T_world_device': rows}))
    (folder / 'poses_1hz.jsonl').write_text('\n'.join(lines) + '\n')
    (folder / 'camera_rgb_calibration.json').write_text(json.dumps(_CALIBRATION))
    # Cubes in glTF axes (y up): world (x, y, z) = (x, -z, y) of glTF.
    nodes = []
    for name, p in (
        # The counter's top is 0.1 m below the mug.
        ('cupboard.001', (2.0, -0.5, 0.0)) if cupboard else ('counter.001', (2.0, -0.5, -0.35)),
        ('drawer.001', (8.0, 6.0, -0.7)),
        ('shelf.001', (2.0, -0.5, 40.0)),
    ):
        x, y, z = (a + b for a, b in zip(p, shift))
        nodes.append(gltf_node(name, translation=[x, z, -y], scale=[0.5, 0.5, 0.5]))
    write_glb(folder / 'kitchen.glb', nodes)
    return folder


def question(step: str, **changes: Any) -> dict[str, Any]:
    """Give one step as the question file has it, without an answer."""
    asked, choices = _CHOICES[step]
    return {'step': step, 'question_class': asked, 'choices': choices, **changes}


def write_questions(
    folder: Path,
    *,
    steps: Sequence[Mapping[str, Any]] | None = None,
    name: str = 'questions_h30_legacy_format.json',
    **changes: Any,
) -> Path:
    """Write one trajectory about the mug, relative to the plate, asked at 8 s."""
    asked = [question(step) for step in _CHOICES] if steps is None else list(steps)
    trajectory = {
        'object_a_assoc_id': 'm1',
        'query_time_sec': QUERY_SEC,
        'generation_info': {'anchor_assoc_id': 'p1'},
        'incremental_steps': asked[:4],
        'branch_groups': {'post_step3': asked[4:]},
        **changes,
    }
    path = folder / name
    path.write_text(json.dumps({'t0': trajectory}))
    return path

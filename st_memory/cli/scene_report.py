"""What is said of scene files and built meshes, for people and as JSON."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, TYPE_CHECKING

from st_memory.cli.output import format_table

if TYPE_CHECKING:
    from st_memory.core.records import Scene
    from st_memory.scene import BuiltMesh, DepthAgreement, LoadedScene

__all__ = ['described_mesh', 'described_scene', 'mesh_lines', 'scene_lines']


def described_scene(loaded: LoadedScene) -> dict[str, Any]:
    """Give what there is to say of a scene, plain enough for JSON."""
    scene, report = loaded.scene, loaded.report
    return {
        'extent_m': list(report.extent_m),
        'faces': report.faces._asdict(),
        'dropped_parts': list(report.dropped_parts),
        'warnings': list(report.warnings),
        'movable_frames': sorted({p.frame_id for p in scene.parts if p.frame_id}),
        'joints': _joints(scene),
        'mesh_topics': {topic: part._asdict() for topic, part in loaded.mesh_topics.items()},
        'parts': [
            {
                'name': part.name,
                'fixture_id': part.fixture_id,
                'frame_id': part.frame_id,
                'num_faces': len(part.triangles),
            }
            for part in scene.parts
        ],
        'fixtures': [
            {
                'fixture_id': fixture.fixture_id,
                'label': fixture.label,
                'is_container': fixture.is_container,
                'position_m': fixture.world_T_box.translation.tolist(),
                'quat_xyzw': fixture.world_T_box.quat_xyzw.tolist(),
                'size_m': list(fixture.size_m),
            }
            for fixture in scene.fixtures
        ],
    }


def _joints(scene: Scene) -> list[dict[str, Any]]:
    if scene.articulation is None:
        return []
    return [
        {
            'name': joint.name,
            'type': joint.kind.value,
            'child': joint.child,
            'limits': None if joint.limits is None else list(joint.limits),
            'mimics': None if joint.mimic is None else joint.mimic.joint,
        }
        for joint in scene.articulation.tree.joints
        if joint.kind.value != 'fixed'
    ]


def scene_lines(file: Path, described: dict[str, Any]) -> list[str]:
    """Give the same as lines of text."""
    parts, fixtures = described['parts'], described['fixtures']
    faces = dict(described['faces'])
    kept = faces.pop('kept')
    dropped = ', '.join(f'{count} {reason}' for reason, count in faces.items() if count)
    extent = ' x '.join(f'{side:.2f}' for side in described['extent_m'])
    lines = [
        f'{file}: {len(parts)} parts, {len(fixtures)} fixtures, {extent} m',
        f'faces: {kept} kept, dropped: {dropped or "none"}',
    ]
    lines += [f'dropped part: {name}' for name in described['dropped_parts']]
    lines += [f'warning: {line}' for line in described['warnings']]
    lines += [
        f'mesh topic: {topic} is part {part["name"]}'
        for topic, part in described['mesh_topics'].items()
    ]
    if described['joints']:
        rows = [(j['name'], j['type'], j['child'], _limits(j)) for j in described['joints']]
        lines += ['', format_table(('joint', 'type', 'moves', 'limits'), rows)]
    if parts:
        rows = [
            (p['name'], p['fixture_id'] or '-', p['frame_id'] or '-', str(p['num_faces']))
            for p in parts
        ]
        lines += ['', format_table(('part', 'fixture', 'frame', 'faces'), rows)]
    if fixtures:
        boxes = [
            (
                f['fixture_id'],
                f['label'],
                'yes' if f['is_container'] else 'no',
                ' '.join(f'{v:.2f}' for v in f['position_m']),
                ' '.join(f'{v:.2f}' for v in f['size_m']),
            )
            for f in fixtures
        ]
        header = ('fixture', 'label', 'container', 'x y z [m]', 'size [m]')
        lines += ['', format_table(header, boxes)]
    return lines


def _limits(joint: dict[str, Any]) -> str:
    if joint['mimics'] is not None:
        return f'follows {joint["mimics"]}'
    if joint['limits'] is None:
        return '-'
    low, high = joint['limits']
    return f'{low:.3g} to {high:.3g}'


def described_mesh(
    out: Path, built: BuiltMesh, agreement: DepthAgreement | None
) -> dict[str, Any]:
    """Give how a mesh came about, plain enough for JSON."""
    measured = None
    if agreement is not None:
        numbers = vars(agreement).items()
        measured = {name: None if math.isnan(value) else value for name, value in numbers}
    return {
        'mesh': str(out),
        'num_looks': built.num_looks,
        'skipped': dict(built.skipped),
        'num_vertices': len(built.part.vertices),
        'faces': built.faces._asdict(),
        'held_out': measured,
    }


def mesh_lines(out: Path, built: BuiltMesh, agreement: DepthAgreement | None) -> list[str]:
    """Give the same as lines of text."""
    skipped = ', '.join(f'{count} {reason}' for reason, count in built.skipped.items())
    lines = [
        f'{out}: {built.faces.kept} faces of {built.num_looks} looks'
        + (f' (not used: {skipped})' if skipped else '')
    ]
    if agreement is not None:
        lines.append(
            f'against {agreement.num_images} looks that were held out: median error '
            f'{agreement.median_m * 1000:.1f} mm, 90 % within {agreement.p90_m * 1000:.1f} mm, '
            f'no surface at {agreement.missed_share:.1%} of {agreement.num_pixels} pixels'
        )
    return lines

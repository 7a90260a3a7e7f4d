"""Rules of a rendered kitchen as a recording."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
import json
from pathlib import Path

import numpy as np
import pytest

from st_memory.core.geometry import RigidTransform
from st_memory.sim import KitchenSpec
from st_memory.sim.broadcast import CAMERA_ID, OPTICAL_FRAME
from test.contracts.list_sink import ListSink
from test.sim.conftest import render, Rendered
from test.sim.tables import read_table

SHORT = KitchenSpec(11, duration_s=3.0, image_rate_hz=3.0, width=96, height=72, min_detection_px=6)


def chain(sink: ListSink, stamp_ns: int) -> RigidTransform:
    """Pose of the optical frame in the map, as a listener composes it."""
    at = {
        c.args['child_frame']: c.args['parent_T_child']
        for c in sink.of_kind('transform')
        if c.stamp_ns == stamp_ns or c.args['static']
    }
    pose: RigidTransform = at['base_link'] @ at['head'] @ at[OPTICAL_FRAME]
    return pose


def true_poses(kitchen: Rendered) -> dict[int, RigidTransform]:
    return {
        int(r['stamp_ns']): RigidTransform(
            np.array([float(r[k]) for k in ('x', 'y', 'z')]),
            np.array([float(r[k]) for k in ('qx', 'qy', 'qz', 'qw')]),
        )
        for r in read_table(kitchen.folder / 'cameras.csv')
    }


def test_recording_holds_poses_and_joints_at_30_hz(clean_kitchen: Rendered) -> None:
    spec, sink = clean_kitchen.spec, clean_kitchen.sink
    stamps = [spec.stamp_ns(i) for i in range(spec.num_ticks)]
    assert [c.stamp_ns for c in sink.of_kind('joints')] == stamps
    for child in ('base_link', 'head', 'fridge_1/door', 'drawer_1/tray'):
        of_child = [c for c in sink.of_kind('transform') if c.args['child_frame'] == child]
        assert [c.stamp_ns for c in of_child] == stamps


def test_every_image_has_calibration_colour_depth_and_detections(
    clean_kitchen: Rendered,
) -> None:
    spec, sink = clean_kitchen.spec, clean_kitchen.sink
    stamps = [spec.stamp_ns(i * spec.ticks_per_image) for i in range(spec.num_images)]
    for kind in ('camera_info', 'color', 'depth', 'detections'):
        calls = sink.of_kind(kind)
        assert [c.stamp_ns for c in calls] == stamps, kind
        assert {(c.args['camera_id'], c.args['frame_id']) for c in calls} == {
            (CAMERA_ID, OPTICAL_FRAME)
        }


def test_scene_comes_first_and_its_frames_get_poses(clean_kitchen: Rendered) -> None:
    sink = clean_kitchen.sink
    assert sink.calls[0].kind == 'scene'
    frames = {p.frame_id for p in sink.calls[0].args['scene'].parts} - {''}
    children = {c.args['child_frame'] for c in sink.of_kind('transform')}
    assert frames <= children
    assert children - frames == {'base_link', 'head', OPTICAL_FRAME}


def test_clean_poses_are_the_true_ones(clean_kitchen: Rendered) -> None:
    for stamp_ns, truth in list(true_poses(clean_kitchen).items())[::12]:
        distance, angle = chain(clean_kitchen.sink, stamp_ns).distance_to(truth)
        assert distance < 1e-9
        assert angle < 1e-6


def test_noisy_poses_are_off_by_centimetres_and_degrees_not_more(
    noisy_kitchen: Rendered,
) -> None:
    errors = np.array([
        chain(noisy_kitchen.sink, stamp_ns).distance_to(truth)
        for stamp_ns, truth in true_poses(noisy_kitchen).items()
    ])  # fmt: skip
    # Norms of three components with sigma 1 cm and 1 deg; correlated, so only loose bounds.
    assert 0.003 < np.median(errors[:, 0]) < 0.035
    assert np.radians(0.3) < np.median(errors[:, 1]) < np.radians(3.5)


def test_noise_changes_neither_script_nor_truth(
    clean_kitchen: Rendered, noisy_kitchen: Rendered
) -> None:
    assert noisy_kitchen.truth() == clean_kitchen.truth()[: len(noisy_kitchen.truth())]


def test_noisy_depth_has_holes_and_clean_depth_has_none(
    clean_kitchen: Rendered, noisy_kitchen: Rendered
) -> None:
    clean, noisy = (
        np.array([c.args['depth_m'] for c in k.sink.of_kind('depth')])
        for k in (clean_kitchen, noisy_kitchen)
    )
    assert not np.isnan(clean).any()
    assert np.isnan(noisy).mean() == pytest.approx(0.05, abs=0.01)


def test_clean_detections_are_the_visible_boxes(clean_kitchen: Rendered) -> None:
    boxes: dict[int, Counter[tuple[str, tuple[float, ...]]]] = {}
    for row in clean_kitchen.truth():
        counter = boxes.setdefault(int(row['stamp_ns']), Counter())
        if int(row['visible_px']) >= clean_kitchen.spec.min_detection_px:
            box = tuple(float(row[f'box_{k}']) for k in 'xywh')
            counter[row['label'], box] += 1
    for call in clean_kitchen.sink.of_kind('detections'):
        found = Counter((d.label, d.box_px) for d in call.args['detections'])
        assert found == boxes[call.stamp_ns]


def test_nothing_oracular_is_written_unless_asked_for(noisy_kitchen: Rendered) -> None:
    kinds = {c.kind for c in noisy_kitchen.sink.calls}
    assert kinds == {
        'scene', 'transform', 'joints', 'camera_info', 'color', 'depth', 'detections',
    }  # fmt: skip
    found = [d for c in noisy_kitchen.sink.of_kind('detections') for d in c.args['detections']]
    assert {d.track_id for d in found} == {''}


def test_color_shows_more_than_one_tone(clean_kitchen: Rendered) -> None:
    image = clean_kitchen.sink.of_kind('color')[0].args['image_rgb']
    assert image.shape == (120, 160, 3)
    assert image.std() > 10


def test_same_spec_gives_the_same_recording_and_truth(tmp_path: Path) -> None:
    first, second = (render(SHORT, tmp_path / name) for name in 'ab')
    assert first.sink.digest() == second.sink.digest()
    for file in sorted((tmp_path / 'a').iterdir()):
        assert file.read_bytes() == (tmp_path / 'b' / file.name).read_bytes(), file.name


def test_other_seed_gives_another_recording(tmp_path: Path) -> None:
    first = render(SHORT, tmp_path / 'a')
    second = render(replace(SHORT, seed=12), tmp_path / 'b')
    assert first.sink.digest() != second.sink.digest()


def test_unknown_joints_leave_door_frames_out(tmp_path: Path) -> None:
    kitchen = render(replace(SHORT, publish_joints=False), tmp_path)
    children = {c.args['child_frame'] for c in kitchen.sink.of_kind('transform')}
    assert children == {'base_link', 'head', OPTICAL_FRAME}
    assert kitchen.sink.of_kind('joints') == []


def test_kitchen_without_color_writes_the_rest(tmp_path: Path) -> None:
    kitchen = render(replace(SHORT, color=False), tmp_path)
    assert kitchen.sink.of_kind('color') == []
    assert len(kitchen.sink.of_kind('depth')) == SHORT.num_images


def test_oracle_movements_are_those_of_the_events(tmp_path: Path) -> None:
    spec = replace(SHORT, duration_s=15.0, image_rate_hz=1.0, oracle_movements=True)
    kitchen = render(spec, tmp_path)
    events = json.loads((tmp_path / 'events.json').read_text(encoding='utf-8'))
    true_ones = {
        (e['roles']['object'], e['start_ns'], e['end_ns'])
        for e in events
        if e['event_type'] == 'movement' and e['end_ns'] is not None
    }
    reported = [c.args['movement'] for c in kitchen.sink.of_kind('movement')]
    ended = {(m.object_id, m.start_ns, m.end_ns) for m in reported if m.end_ns is not None}
    assert true_ones
    # The last tick's events end after the last stamp that is written.
    assert ended <= true_ones
    assert len(true_ones - ended) <= 1


def test_report_file_says_what_was_returned(clean_kitchen: Rendered) -> None:
    stored = json.loads((clean_kitchen.folder / 'report.json').read_text(encoding='utf-8'))
    assert stored == json.loads(json.dumps(clean_kitchen.report.to_json()))


def test_rendered_kitchen_meets_every_floor(clean_kitchen: Rendered) -> None:
    assert clean_kitchen.report.difficulty.unmet_floors() == ()


def test_events_show_their_participants_in_the_image(clean_kitchen: Rendered) -> None:
    events = json.loads((clean_kitchen.folder / 'events.json').read_text(encoding='utf-8'))
    takes = [e for e in events if e['event_type'] in ('take', 'take_out')]
    assert any('object' in e['boxes'] and 'agent' in e['boxes'] for e in takes)
    for event in events:
        for rows in event['boxes'].values():
            for stamp_ns, x, y, w, h in rows:
                assert event['start_ns'] <= stamp_ns
                assert w >= 1
                assert h >= 1
                assert -0.5 <= x <= x + w <= 159.5
                assert -0.5 <= y <= y + h <= 119.5

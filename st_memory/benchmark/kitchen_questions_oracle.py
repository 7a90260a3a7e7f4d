"""What a perfect detector or tracker would have said of a kitchen, and frames that say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
import json
from pathlib import Path

from st_memory.benchmark.kitchen_questions_truth import KitchenTruth, TrueRow
from st_memory.core.ports import FrameSource
from st_memory.core.records import Detection, MovementReport, Scene, SensedFrame
from st_memory.sim import KitchenSpec
from st_memory.sim.detector import NoisyDetector
from st_memory.sim.noise import NOISE_PRESETS, stream
from st_memory.sim.truth import ObjectTruth

__all__ = ['OracleSource', 'true_detections', 'write_oracle']


def true_detections(
    truth: KitchenTruth, spec: KitchenSpec, noise: str
) -> dict[int, list[Detection]]:
    """
    Detect once more what was rendered, each detection with the id of its object.

    The detector's stream follows from the seed, so that with the noise of the recording these
    are its very detections; those of nothing have no id.

    Parameters
    ----------
    truth : KitchenTruth
        What there was to detect.
    spec : KitchenSpec
        Of the recording.
    noise : str
        Name of a preset.

    Returns
    -------
    dict
        By stamp; images without any have an empty list.

    """
    detector = NoisyDetector(
        NOISE_PRESETS[noise],
        spec.width,
        spec.height,
        spec.min_detection_px,
        oracle_ids=True,
        rng=stream(spec.seed, 'detector'),
    )
    by_stamp: dict[int, list[ObjectTruth]] = {stamp: [] for stamp in sorted(truth.poses)}
    for object_id, rows in sorted(truth.rows.items()):
        for row in rows:
            by_stamp[row.stamp_ns].append(_seen(object_id, truth.labels[object_id], row))
    return {stamp: detector.detect(objects) for stamp, objects in by_stamp.items()}


def _seen(object_id: str, label: str, row: TrueRow) -> ObjectTruth:
    """Give what a detector looks at; the rest of an object's truth does not matter to it."""
    return ObjectTruth(
        object_id=object_id,
        label=label,
        visible_px=row.visible_px,
        unoccluded_px=row.unoccluded_px,
        box_in_image=True,
        box_px=row.box_px,
        occluder='',
        is_present=row.is_present,
        in_hand=row.in_hand,
        container='',
        fixture=row.fixture_id,
        openness=1.0,
        position=row.world_p,
        quat_xyzw=(0.0, 0.0, 0.0, 1.0),
    )


def write_oracle(path: Path, truth: KitchenTruth, spec: KitchenSpec, *, has_ids: bool) -> None:
    """
    Write what a perfect detector says of every image, one JSON object a line.

    Parameters
    ----------
    path : Path
        Receives the lines.
    truth, spec
        As in :func:`true_detections`.
    has_ids : bool
        It is a perfect tracker too: detections carry ids, and movements are reported.

    """
    with path.open('w', encoding='utf-8') as file:
        for stamp_ns, found in true_detections(truth, spec, 'clean').items():
            named = [(d.label, d.score, d.track_id if has_ids else '', d.box_px) for d in found]
            file.write(json.dumps({'stamp_ns': stamp_ns, 'detections': named}) + '\n')
        for move in truth.moves if has_ids else ():
            label = truth.labels[move.object_id]
            row = {'movement': [move.object_id, label, move.start_ns, move.end_ns]}
            file.write(json.dumps(row) + '\n')


class OracleSource:
    """
    Frames of a recording whose detections are those of a file; see :class:`FrameSource`.

    Parameters
    ----------
    source : FrameSource
        The recording: poses, depth, joints.
    path : Path
        As :func:`write_oracle` writes it.

    """

    def __init__(self, source: FrameSource, path: Path) -> None:
        self._source = source
        self._detections: dict[int, tuple[Detection, ...]] = {}
        self._movements: list[tuple[int, MovementReport]] = []
        for line in path.read_text(encoding='utf-8').splitlines():
            row = json.loads(line)
            if 'movement' in row:
                name, label, start_ns, end_ns = row['movement']
                started = MovementReport(name, label, start_ns)
                ended = replace(started, end_ns=end_ns)
                self._movements += [(start_ns, started), (end_ns, ended)]
            else:
                found = (Detection(n, s, i, tuple(box)) for n, s, i, box in row['detections'])
                self._detections[row['stamp_ns']] = tuple(found)
        self._movements.sort(key=lambda row: row[0])

    @property
    def name(self) -> str:
        """Name of the recording."""
        return self._source.name

    @property
    def scene(self) -> Scene:
        """Scene of the recording."""
        return self._source.scene

    def frames(self) -> Iterator[SensedFrame]:
        """Yield every frame; movements come with the first one not before them."""
        left = list(self._movements)
        for frame in self._source.frames():
            due = [report for stamp, report in left if stamp <= frame.stamp_ns]
            left = left[len(due) :]
            found = self._detections.get(frame.stamp_ns)
            cameras = tuple(
                replace(camera, detections=found) if camera.detections is not None else camera
                for camera in frame.cameras
            )
            yield replace(frame, cameras=cameras, movements=tuple(due))

    def counters(self) -> Mapping[str, int]:
        """Give those of the recording."""
        return self._source.counters()

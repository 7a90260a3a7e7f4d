"""Render a kitchen: the script, the sensors and the truth, tick by tick."""

from __future__ import annotations

from collections import Counter
import json
from pathlib import Path

from st_memory.core.ports import RecordingSink
from st_memory.sim.broadcast import Broadcast, CAMERA_ID, camera_of, OPTICAL_FRAME
from st_memory.sim.director import Director
from st_memory.sim.happenings import Happening
from st_memory.sim.layout import Layout, make_layout
from st_memory.sim.mjcf import build_mjcf, KitchenModel
from st_memory.sim.noise import stream
from st_memory.sim.posing import take_snapshot
from st_memory.sim.renderer import Renderer
from st_memory.sim.report import DifficultyCounter, KitchenReport
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.stage import Stage
from st_memory.sim.truth import FrameTruth, TruthMeter
from st_memory.sim.truth_files import TruthWriter

__all__ = ['render_kitchen']


def render_kitchen(spec: KitchenSpec, sink: RecordingSink, truth_dir: str | Path) -> KitchenReport:
    """
    Render a kitchen into a recording, and its truth beside it.

    Memory does not grow with the duration. The same spec on the same renderer gives the same
    calls and the same files.

    Parameters
    ----------
    spec : KitchenSpec
        What to render.
    sink : RecordingSink
        Gets what the sensors say, and nothing else.
    truth_dir : str or Path
        Folder for ``scene.xml``, ``qpos.npz``, ``cameras.csv``, ``truth.csv``, ``events.json``
        and ``report.json``.

    Returns
    -------
    KitchenReport
        What was rendered and how hard it is; the same as in ``report.json``.

    Raises
    ------
    MissingExtraError
        If MuJoCo is not installed.
    RenderingUnavailableError
        If this machine cannot render.

    """
    folder = Path(truth_dir)
    layout = make_layout(spec, stream(spec.seed, 'layout'))
    model = build_mjcf(spec, layout)
    names = tuple(dict.fromkeys(model.owners))
    owner_of_geom = [names.index(o) for o in model.owners]
    with Renderer(model.xml, owner_of_geom, spec.width, spec.height) as renderer:
        nq = int(renderer.model.nq)
        with TruthWriter(folder, spec, model.xml, nq) as files:
            run = _Run(spec, layout, model, renderer, names, sink, files)
            report = run.go()
    text = json.dumps(report.to_json(), indent=2) + '\n'
    (folder / 'report.json').write_text(text, encoding='utf-8')
    return report


class _Run:
    """One rendering in progress."""

    def __init__(
        self,
        spec: KitchenSpec,
        layout: Layout,
        model: KitchenModel,
        renderer: Renderer,
        names: tuple[str, ...],
        sink: RecordingSink,
        files: TruthWriter,
    ) -> None:
        self._spec, self._layout, self._model = spec, layout, model
        self._renderer, self._files = renderer, files
        script = stream(spec.seed, 'script')
        self._stage = Stage(layout, script)
        self._director = Director(spec, self._stage, script)
        self._broadcast = Broadcast(spec, sink)
        self._camera = camera_of(spec)
        self._meter = TruthMeter(renderer, names, self._camera)
        self._counter = DifficultyCounter(spec)
        self._label_of = {o.object_id: o.label for o in layout.objects}

    def go(self) -> KitchenReport:
        """Run all ticks."""
        spec, stage = self._spec, self._stage
        self._broadcast.write_scene(spec.stamp_ns(0), self._layout)
        for tick in range(spec.num_ticks):
            before = dict(stage.joints)
            self._director.step()
            moving = {name for name, q in stage.joints.items() if q != before[name]}
            self._tick(tick, moving)
        for happening in [*stage.log.take_done(), *stage.log.ongoing]:
            self._files.write_event(happening)
        kinds = Counter(self._label_of.values())
        pairs = sum(n >= 2 for n in kinds.values())
        objects = tuple(
            {
                'object_id': o.object_id,
                'label': o.label,
                'size_m': [round(2 * v, 6) for v in o.half_size],
            }
            for o in self._layout.objects
        )
        return KitchenReport(
            spec, self._counter.result(pairs), spec.num_ticks, spec.num_images, objects
        )

    def _tick(self, tick: int, moving: set[str]) -> None:
        """Write what is known at one tick."""
        spec, stage = self._spec, self._stage
        stamp_ns = spec.stamp_ns(tick)
        snapshot = take_snapshot(stage, self._model)
        self._broadcast.write_poses(stamp_ns, snapshot)
        started, done = stage.log.take_started(), stage.log.take_done()
        self._broadcast.write_movements(stamp_ns, started, done, self._label_of)
        if tick % spec.ticks_per_image == 0:
            self._renderer.pose(snapshot.qpos)
            truth = self._meter.measure(stage, snapshot)
            color = self._renderer.color() if spec.color else None
            self._broadcast.write_image(stamp_ns, truth, color)
            self._files.write_image(
                stamp_ns,
                CAMERA_ID,
                OPTICAL_FRAME,
                self._camera,
                snapshot.map_T_optical,
                snapshot.qpos,
                truth,
            )
            self._counter.add_image(truth, moving)
            for happening in stage.log.ongoing:
                self._add_boxes(happening, stamp_ns, truth)
        for happening in done:
            self._counter.add_event(happening)
            self._files.write_event(happening)

    def _add_boxes(self, happening: Happening, stamp_ns: int, truth: FrameTruth) -> None:
        """Note where the participants of an event show in this image."""
        for role, name in happening.roles.items():
            owners = [n for n in truth.boxes if n == name or n.startswith(f'{name}/')]
            if owners:
                boxes = [truth.boxes[n] for n in owners]
                x, y = min(b[0] for b in boxes), min(b[1] for b in boxes)
                right = max(b[0] + b[2] for b in boxes)
                bottom = max(b[1] + b[3] for b in boxes)
                row = (stamp_ns, x, y, right - x, bottom - y)
                happening.boxes.setdefault(role, []).append(row)

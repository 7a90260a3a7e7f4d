"""The baseline of a memory that keeps the latest row of each class, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from st_memory.benchmark.kitchen_questions_asked import Asked
from st_memory.benchmark.kitchen_questions_options import nearest_time
from st_memory.benchmark.questions.templates import direction_text, DISTANCES
from st_memory.core.association import localize
from st_memory.core.geometry import CameraModel, in_image, RigidTransform
from st_memory.core.ports import FrameSource
from st_memory.core.queries import format_named
from st_memory.core.queries.fixtures import rank_fixtures
from st_memory.core.records import CameraFrame, Scene, SensedFrame
from st_memory.core.records.detections import Point
from st_memory.core.stamps import NS_PER_S

__all__ = ['StaticMemory', 'Watched']

_FORM = 'beyond3d_final'


class _Row(NamedTuple):
    stamp_ns: int
    world_p: Point


class StaticMemory:
    """
    Answers questions as frames go by, each from the rows of its own time.

    A row is the latest detection of a class with a place: a move or a second thing of the class
    overwrites it. Visible is what the camera points at; last visible and last placed are when
    the row was written.

    Parameters
    ----------
    asked : iterable of Asked
        The questions.
    scene : Scene
        The fixtures.

    """

    def __init__(self, asked: Iterable[Asked], scene: Scene) -> None:
        self._left = sorted(asked, key=lambda q: q.query_stamp_ns, reverse=True)
        self._scene = scene
        self._rows: dict[str, _Row] = {}
        self._view: tuple[CameraModel, RigidTransform] | None = None
        self.choices: dict[str, int | None] = {}
        """Option chosen by question id, of those whose time has passed."""

    def watch(self, frame: SensedFrame) -> None:
        """Answer what was asked before a frame, and take its detections."""
        while self._left and self._left[-1].query_stamp_ns < frame.stamp_ns:
            self._answer(self._left.pop())
        for camera in frame.cameras:
            if camera.world_T_camera is not None:
                self._view = camera.model, camera.world_T_camera
                self._take(camera, camera.world_T_camera, frame.stamp_ns)

    def finish(self) -> None:
        """Answer what is left after the last frame."""
        while self._left:
            self._answer(self._left.pop())

    def _take(self, camera: CameraFrame, pose: RigidTransform, stamp_ns: int) -> None:
        for i, detection in enumerate(camera.detections or ()):
            where = localize(
                camera,
                pose,
                detection,
                i,
                depth_sigma_share=0.0,
                pose_sigma_rad=0.0,
                pose_sigma_m=0.0,
            )
            if where is not None:
                x, y, z = where.world_p.tolist()
                self._rows[detection.label] = _Row(stamp_ns, (x, y, z))

    def _answer(self, asked: Asked) -> None:
        row = self._rows.get(asked.target)
        text = None if row is None else self._said(asked, row)
        if text is not None and text in asked.choices:
            self.choices[asked.question_id] = asked.choices.index(text)
        else:
            self.choices[asked.question_id] = None

    def _said(self, asked: Asked, row: _Row) -> str | None:
        if asked.kind in ('last_visible', 'last_placed'):
            seconds = (row.stamp_ns - asked.base_stamp_ns) / NS_PER_S
            return asked.choices[nearest_time(asked.choices, seconds)]
        if asked.kind == 'fixture':
            ranked = (rank.fixture for rank in rank_fixtures(self._scene, row.world_p))
            names = (name for f in ranked for name in (f.fixture_id, f.label))
            return next((name for name in names if name in asked.choices), None)
        if self._view is None:
            return None
        model, pose = self._view
        if asked.kind == 'visibility':
            place = pose.inverse().apply(np.array([row.world_p]))
            return 'Yes' if in_image(model, model.project(place).pixels)[0] else 'No'
        other = self._rows.get(asked.reference) if asked.reference else None
        if asked.reference and other is None:
            return None
        origin = pose.translation if other is None else np.array(other.world_p)
        vector = pose.rotation.T @ (np.array(row.world_p) - origin)
        return _spatial(asked.kind, vector.tolist())


def _spatial(kind: str, vector: list[float]) -> str:
    form = format_named(_FORM)
    x, y, z = vector
    if kind in ('camera_distance', 'distance'):
        return DISTANCES[_FORM][form.distances.name_of(float(np.hypot(np.hypot(x, y), z)))]
    if kind == 'relation':
        return direction_text(_FORM, kind, form.relations.name_of((x, y, z)))
    return direction_text(
        _FORM, kind, f'{"front" if z > 0 else "back"}-{"right" if x > 0 else "left"}'
    )


class Watched:
    """Frames of a source that something else looks at too; see :class:`FrameSource`."""

    def __init__(self, source: FrameSource, watcher: StaticMemory) -> None:
        self._source, self._watcher = source, watcher

    @property
    def name(self) -> str:
        """Name of the source."""
        return self._source.name

    @property
    def scene(self) -> Scene:
        """Scene of the source."""
        return self._source.scene

    def frames(self) -> Iterator[SensedFrame]:
        """Yield every frame once it was looked at."""
        for frame in self._source.frames():
            self._watcher.watch(frame)
            yield frame
        self._watcher.finish()

    def counters(self) -> Mapping[str, int]:
        """Give those of the source."""
        return self._source.counters()

"""The truth on disk, beside the recording: scene, poses, cameras, pixels, events."""

from __future__ import annotations

from contextlib import ExitStack
import csv
import json
from pathlib import Path
from types import TracebackType
from typing import Any, IO
import zipfile

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from st_memory.core.geometry import PinholeCamera, RigidTransform
from st_memory.sim.happenings import Happening
from st_memory.sim.spec import KitchenSpec
from st_memory.sim.truth import FrameTruth, ObjectTruth

__all__ = ['TRUTH_COLUMNS', 'TruthWriter']

TRUTH_COLUMNS = (
    'object_id',
    'stamp_ns',
    'visible_px',
    'unoccluded_px',
    'box_in_image',
    'in_hand',
    'container',
    'label',
    'x',
    'y',
    'z',
    'fixture',
    'present',
    'container_open',
    'occluder',
    'box_x',
    'box_y',
    'box_w',
    'box_h',
    'qx',
    'qy',
    'qz',
    'qw',
)
"""Columns of truth.csv: one row per object and image; booleans are 0 and 1."""

_CAMERA_COLUMNS = (
    'stamp_ns',
    'camera_id',
    'frame_id',
    'width',
    'height',
    'fx',
    'fy',
    'cx',
    'cy',
    'x',
    'y',
    'z',
    'qx',
    'qy',
    'qz',
    'qw',
)


class TruthWriter:
    """
    Writes the truth of one kitchen as it is rendered; a context manager.

    ``scene.xml`` (MJCF), ``qpos.npz`` (``stamp_ns`` (N,) and ``qpos`` (N, nq) of every image),
    ``cameras.csv`` (exact pose of the optical frame in the map), ``truth.csv``,
    ``events.json`` (a list by end of the event).

    Parameters
    ----------
    folder : Path
        Made when it is missing; files of the same names are replaced.
    spec : KitchenSpec
        Stamps and number of images.
    scene_xml : str
        The scene.
    nq : int
        Length of qpos.

    """

    def __init__(self, folder: Path, spec: KitchenSpec, scene_xml: str, nq: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._spec, self._open = spec, ExitStack()
        self._stamps: list[int] = []
        (folder / 'scene.xml').write_text(scene_xml, encoding='utf-8')
        self._zip = self._open.enter_context(
            zipfile.ZipFile(folder / 'qpos.npz', 'w', zipfile.ZIP_DEFLATED)
        )
        self._qpos = self._open_array('qpos', (spec.num_images, nq), np.dtype('<f8'))
        self._cameras = self._table(folder / 'cameras.csv', _CAMERA_COLUMNS)
        self._truth = self._table(folder / 'truth.csv', TRUTH_COLUMNS)
        self._events: IO[str] = self._open.enter_context(
            (folder / 'events.json').open('w', encoding='utf-8')
        )
        self._num_events = 0

    def __enter__(self) -> TruthWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish all files; a second call does nothing."""
        if self._events.closed:
            return
        self._events.write('\n]\n' if self._num_events else '[]\n')
        self._qpos.close()
        with self._open_array('stamp_ns', (len(self._stamps),), np.dtype('<i8')) as out:
            out.write(np.array(self._stamps, dtype='<i8').tobytes())
        self._open.close()

    def write_image(
        self,
        stamp_ns: int,
        camera_id: str,
        frame_id: str,
        camera: PinholeCamera,
        map_T_optical: RigidTransform,
        qpos: NDArray[np.float64],
        truth: FrameTruth,
    ) -> None:
        """Write one image's poses and one row per object."""
        self._stamps.append(stamp_ns)
        self._qpos.write(np.asarray(qpos, dtype='<f8').tobytes())
        numbers = [*map_T_optical.translation, *map_T_optical.quat_xyzw]
        self._cameras.writerow(
            [
                stamp_ns,
                camera_id,
                frame_id,
                camera.width,
                camera.height,
                repr(camera.fx),
                repr(camera.fy),
                repr(camera.cx),
                repr(camera.cy),
                *(repr(float(v)) for v in numbers),
            ]
        )
        for o in truth.objects:
            self._truth.writerow(_row(stamp_ns, o))

    def write_event(self, happening: Happening) -> None:
        """Write one event that ended, or that the end of the recording cut off."""
        end = happening.end_tick
        record: dict[str, Any] = {
            'event_id': happening.event_id,
            'event_type': happening.event_type,
            'start_ns': self._spec.stamp_ns(happening.start_tick),
            'end_ns': None if end is None else self._spec.stamp_ns(end),
            'roles': happening.roles,
            'detail': happening.detail,
            'boxes': happening.boxes,
        }
        self._events.write('[\n' if self._num_events == 0 else ',\n')
        self._events.write(json.dumps(record))
        self._num_events += 1

    def _open_array(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> IO[bytes]:
        """Start an array in the npz; the fixed date keeps the bytes the same in every run."""
        info = zipfile.ZipInfo(f'{name}.npy', (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        out = self._zip.open(info, 'w', force_zip64=True)
        header = {'descr': dtype.str, 'fortran_order': False, 'shape': shape}
        npy_format.write_array_header_1_0(out, header)
        return out

    def _table(self, path: Path, columns: tuple[str, ...]) -> Any:
        file = self._open.enter_context(path.open('w', encoding='utf-8', newline=''))
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(columns)
        return writer


def _row(stamp_ns: int, o: ObjectTruth) -> list[Any]:
    box = ('', '', '', '') if o.box_px is None else tuple(f'{v:g}' for v in o.box_px)
    return [
        o.object_id,
        stamp_ns,
        o.visible_px,
        o.unoccluded_px,
        int(o.box_in_image),
        int(o.in_hand),
        o.container,
        o.label,
        *(f'{v:.6f}' for v in o.position),
        o.fixture,
        int(o.is_present),
        f'{o.openness:.4f}',
        o.occluder,
        *box,
        *(f'{v:.6f}' for v in o.quat_xyzw),
    ]

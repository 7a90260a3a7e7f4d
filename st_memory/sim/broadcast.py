"""What the sensors of the wearer say, written to a recording."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from st_memory.core.geometry import PinholeCamera
from st_memory.core.ports import RecordingSink
from st_memory.core.records import MovementReport
from st_memory.sim.description import scene_of
from st_memory.sim.detector import NoisyDetector
from st_memory.sim.happenings import Happening
from st_memory.sim.layout import Layout
from st_memory.sim.mjcf import focal_px
from st_memory.sim.noise import corrupt_depth, NOISE_PRESETS, PoseDrift, stream
from st_memory.sim.posing import HEAD_T_OPTICAL, Snapshot
from st_memory.sim.spec import KitchenSpec, TICK_RATE_HZ
from st_memory.sim.truth import FrameTruth

__all__ = ['CAMERA_ID', 'OPTICAL_FRAME', 'Broadcast', 'camera_of']

CAMERA_ID = 'head'
OPTICAL_FRAME = 'head_optical_frame'
_MAP, _BASE, _HEAD = 'map', 'base_link', 'head'


def camera_of(spec: KitchenSpec) -> PinholeCamera:
    """Give the camera that renders: square pixels, principal point in the middle."""
    f = focal_px(spec)
    return PinholeCamera(
        spec.width, spec.height, f, f, (spec.width - 1) / 2, (spec.height - 1) / 2
    )


class Broadcast:
    """
    Writes poses, joints, images and detections with the noise of the spec.

    Frames: ``map`` -> ``base_link`` -> ``head`` -> ``head_optical_frame``, and ``map`` -> each
    movable part. The pose error is the camera's: it is carried by ``map`` -> ``base_link``, the
    localisation; the neck is exact, and so are door joints.

    Parameters
    ----------
    spec : KitchenSpec
        Noise and options.
    sink : RecordingSink
        Where everything goes.

    """

    def __init__(self, spec: KitchenSpec, sink: RecordingSink) -> None:
        noise = NOISE_PRESETS[spec.noise]
        self._spec, self._sink, self._noise = spec, sink, noise
        self._camera = camera_of(spec)
        self._drift = PoseDrift(noise, 1 / TICK_RATE_HZ, stream(spec.seed, 'pose'))
        self._depth_rng = stream(spec.seed, 'depth')
        self._detector = NoisyDetector(
            noise,
            spec.width,
            spec.height,
            spec.min_detection_px,
            oracle_ids=spec.oracle_ids,
            rng=stream(spec.seed, 'detector'),
        )

    def write_scene(self, stamp_ns: int, layout: Layout) -> None:
        """Write what never changes: furniture, fixtures, the camera on the head."""
        self._sink.write_scene(stamp_ns, _MAP, scene_of(layout))
        self._sink.write_transform(stamp_ns, _HEAD, OPTICAL_FRAME, HEAD_T_OPTICAL, static=True)

    def write_poses(self, stamp_ns: int, snapshot: Snapshot) -> None:
        """Write the localisation, the neck and the joints of one tick."""
        error, sink = self._drift.step(), self._sink
        base_T_optical = snapshot.base_T_head @ HEAD_T_OPTICAL
        measured = snapshot.map_T_base
        if self._noise.position_sigma_m > 0 or self._noise.rotation_sigma_rad > 0:
            measured = measured @ base_T_optical @ error @ base_T_optical.inverse()
        sink.write_transform(stamp_ns, _MAP, _BASE, measured)
        sink.write_transform(stamp_ns, _BASE, _HEAD, snapshot.base_T_head)
        if self._spec.publish_joints:
            for frame in sorted(snapshot.map_T_part):
                sink.write_transform(stamp_ns, _MAP, frame, snapshot.map_T_part[frame])
            sink.write_joints(stamp_ns, dict(sorted(snapshot.joints.items())))

    def write_image(
        self,
        stamp_ns: int,
        truth: FrameTruth,
        color: np.ndarray[tuple[int, ...], np.dtype[np.uint8]] | None,
    ) -> None:
        """Write calibration, colour, depth and detections of one image."""
        sink = self._sink
        sink.write_camera_info(stamp_ns, CAMERA_ID, OPTICAL_FRAME, self._camera)
        if color is not None:
            sink.write_color(stamp_ns, CAMERA_ID, OPTICAL_FRAME, color)
        depth_m = corrupt_depth(truth.depth_m, self._noise, self._depth_rng)
        sink.write_depth(stamp_ns, CAMERA_ID, OPTICAL_FRAME, depth_m)
        detections = self._detector.detect(truth.objects)
        sink.write_detections(stamp_ns, CAMERA_ID, OPTICAL_FRAME, detections)

    def write_movements(
        self,
        stamp_ns: int,
        started: Iterable[Happening],
        done: Iterable[Happening],
        label_of: dict[str, str],
    ) -> None:
        """Report true movements; only when the spec asks for this oracle."""
        if not self._spec.oracle_movements:
            return
        for happening, is_done in [*((h, False) for h in started), *((h, True) for h in done)]:
            if happening.event_type == 'movement':
                name, end = happening.roles['object'], happening.end_tick
                self._sink.write_movement(
                    stamp_ns,
                    MovementReport(
                        object_id=name,
                        label=label_of[name],
                        start_ns=self._spec.stamp_ns(happening.start_tick),
                        end_ns=self._spec.stamp_ns(end) if is_done and end is not None else None,
                        actor=happening.roles['agent'],
                    ),
                )

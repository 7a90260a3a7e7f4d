"""The calibration of each camera over time."""

from __future__ import annotations

import bisect
from typing import Any, NamedTuple

from st_memory.conversions.camera_info import calibration_key, camera_from_info
from st_memory.conversions.stamps import frame_name
from st_memory.core.geometry import CameraModel

__all__ = ['Calibration', 'Calibrations']

# A camera whose calibration changes all the time (autofocus) must not fill the memory.
_MAX_KEPT = 1000


class Calibration(NamedTuple):
    """A camera model and its optical frame, from a stamp on."""

    stamp_ns: int
    frame_id: str
    model: CameraModel
    key: tuple[object, ...]


class Calibrations:
    """
    Calibrations by camera; a repeated one costs a comparison.

    Parameters
    ----------
    what : str
        Named in errors, before the camera.

    """

    def __init__(self, what: str = 'camera_info') -> None:
        self._what = what
        self._by_camera: dict[str, list[Calibration]] = {}

    def read(self, camera_id: str, stamp_ns: int, message: Any) -> Calibration:
        """
        Read a CameraInfo without noting it.

        Raises
        ------
        ConversionError
            If it is unusable.

        """
        frame_id = frame_name(message.header.frame_id)
        key = (frame_id, *calibration_key(message))
        known = self._by_camera.get(camera_id)
        if known and known[-1].key == key:
            return known[-1]._replace(stamp_ns=stamp_ns)
        model = camera_from_info(message, f'{self._what} of {camera_id}')
        return Calibration(stamp_ns, frame_id, model, key)

    def add(self, camera_id: str, new: Calibration) -> None:
        """Take note of a calibration, valid from its stamp on."""
        known = self._by_camera.setdefault(camera_id, [])
        at = bisect.bisect_right(known, new.stamp_ns, key=_stamp_of)
        if at and known[at - 1].key == new.key:
            return
        if at < len(known) and known[at].key == new.key:
            known[at] = new
            return
        known.insert(at, new)
        del known[:-_MAX_KEPT]

    def at(self, camera_id: str, stamp_ns: int) -> Calibration | None:
        """Give the calibration valid at a stamp; before the first one, the first; or None."""
        known = self._by_camera.get(camera_id, [])
        at = bisect.bisect_right(known, stamp_ns, key=_stamp_of)
        return known[max(0, at - 1)] if known else None

    def start_epoch(self) -> None:
        """Keep only the newest calibration of each camera, valid from the start."""
        self._by_camera = {
            camera_id: [known[-1]._replace(stamp_ns=0)]
            for camera_id, known in self._by_camera.items()
        }


def _stamp_of(calibration: Calibration) -> int:
    return calibration.stamp_ns

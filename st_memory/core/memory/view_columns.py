"""What one camera's open intervals say of all objects, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from st_memory.core.memory.track import Track
from st_memory.core.memory.view import View
from st_memory.core.records import Visibility
from st_memory.core.visibility import Cause

__all__ = ['Views']

_NO_VIEW = -1
_CODE_OF_CAUSE = {cause.text(): int(cause) for cause in Cause}
_NO_CODE = -1
_NOT_LOOKED = View(_NO_VIEW, int(Visibility.UNKNOWN), '', '', 0, 0)


class Views(NamedTuple):
    """What one camera's open intervals say, (N,) int8 each; ``_NO_VIEW`` where it has none."""

    state: NDArray[np.int8]
    geometry: NDArray[np.int8]
    cause: NDArray[np.int8]

    @classmethod
    def none(cls, count: int) -> Views:
        """Give the columns of some objects that the camera has not looked for."""
        return cls(*(np.full(count, _NO_VIEW, dtype=np.int8) for _ in range(3)))

    def write(self, rows: NDArray[np.intp], tracks: Sequence[Track], camera_id: str) -> None:
        """Write some rows anew; no view at all reads as UNKNOWN geometry."""
        opened = [track.views.get(camera_id, _NOT_LOOKED) for track in tracks]
        self.state[rows] = [view.state for view in opened]
        self.geometry[rows] = [view.geometry for view in opened]
        self.cause[rows] = [_CODE_OF_CAUSE.get(view.cause, _NO_CODE) for view in opened]

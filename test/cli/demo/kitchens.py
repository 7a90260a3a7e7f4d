"""A truth of twelve seconds, small enough to check by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
import json
from pathlib import Path
from typing import Any

from st_memory.core.stamps import NS_PER_S

__all__ = ['BASE_NS', 'NUM_IMAGES', 'SHOWN_PX', 'STEP_NS', 'Thing', 'write_truth']

BASE_NS = 1000 * NS_PER_S
STEP_NS = NS_PER_S // 2
NUM_IMAGES = 40
MIN_DETECTION_PX = 30
SHOWN_PX = 100


@dataclass(frozen=True)
class Thing:
    """
    One object of the truth.

    ``visible`` are the images in which it shows; ``carried`` those in which it is in a hand, at
    whose end it goes to ``moved_to``; ``hidden`` those in which something hides it.
    """

    object_id: str
    label: str
    place: tuple[float, float, float]
    visible: Sequence[int] = ()
    hidden: Sequence[int] = ()
    carried: range = range(0)
    moved_to: tuple[float, float, float] | None = None
    fixture: str = 'table_1'
    gone_from: int = NUM_IMAGES

    def row(self, index: int) -> dict[str, Any]:
        """Give the line of truth.csv for an image."""
        has_moved = self.moved_to is not None and index >= self.carried.start
        x, y, z = self.moved_to if has_moved and self.moved_to else self.place
        shows = index in self.visible
        return {
            'object_id': self.object_id,
            'stamp_ns': BASE_NS + index * STEP_NS,
            'visible_px': SHOWN_PX if shows else 0,
            'unoccluded_px': SHOWN_PX if shows or index in self.hidden else 0,
            'box_in_image': int(shows),
            'in_hand': int(index in self.carried),
            'container': '',
            'label': self.label,
            'x': x,
            'y': y,
            'z': z,
            'fixture': self.fixture,
            'present': int(index < self.gone_from),
            'occluder': 'cupboard_1' if index in self.hidden else '',
        }


def write_truth(
    folder: Path, things: Sequence[Thing], min_detection_px: int = MIN_DETECTION_PX
) -> Path:
    """Write the files of a truth; the camera stays at (0, 0, 1) m and looks along +x."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [t.row(i) for i in range(NUM_IMAGES) for t in things]
    _write_table(folder / 'truth.csv', rows)
    # Optical axes of a camera that looks along +x of the map.
    pose = {'x': 0.0, 'y': 0.0, 'z': 1.0, 'qx': -0.5, 'qy': 0.5, 'qz': -0.5, 'qw': 0.5}
    cameras = [{'stamp_ns': BASE_NS + i * STEP_NS, **pose} for i in range(NUM_IMAGES)]
    _write_table(folder / 'cameras.csv', cameras)
    events = [
        {
            'event_type': 'movement',
            'start_ns': BASE_NS + t.carried.start * STEP_NS,
            'end_ns': BASE_NS + t.carried.stop * STEP_NS,
            'roles': {'object': t.object_id},
        }
        for t in things
        if len(t.carried)
    ]
    (folder / 'events.json').write_text(json.dumps(events), encoding='utf-8')
    report = {'spec': {'min_detection_px': min_detection_px}}
    (folder / 'report.json').write_text(json.dumps(report), encoding='utf-8')
    return folder


def _write_table(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    lines = [','.join(rows[0]), *(','.join(str(v) for v in row.values()) for row in rows)]
    path.write_text('\n'.join(lines) + '\n', encoding='utf-8')


MUG = Thing('mug_1', 'mug', (2.0, 0.5, 1.0), visible=range(5))
SPOON = Thing(
    'spoon_1',
    'spoon',
    (2.0, -0.5, 1.0),
    visible=[0, 1, 2, 3, 4, 5, *range(10, 15)],
    hidden=range(20, 40),
    carried=range(6, 10),
    moved_to=(3.0, -1.0, 1.0),
)
CUPS = (
    Thing('cup_a', 'cup', (1.0, 1.0, 1.0), visible=range(5)),
    replace(Thing('cup_b', 'cup', (1.0, -1.0, 1.0), visible=range(5))),
)

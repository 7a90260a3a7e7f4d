"""
Follow one bag and write what geometry and the memory say of every object at every look.

Run as a process of its own, ``python -m st_memory.benchmark.kitchen_visibility_follow BAG CSV``,
it is given nothing but the bag.
"""

from __future__ import annotations

from collections.abc import Iterator
import csv
import math
from pathlib import Path
import sys
from typing import NamedTuple

from st_memory.bags import BagFrameSource
from st_memory.core.errors import StMemoryError
from st_memory.core.memory import JudgedLook, MemorySettings, ObjectMemory
from st_memory.core.memory.track_text import track_from_text
from st_memory.core.records import LifeCycle, ObjectState, Visibility
from st_memory.scene import EmbreeRayCaster

__all__ = ['Prediction', 'follow', 'main']


class Prediction(NamedTuple):
    """
    One object in one look; a row of the per-item file.

    Attributes
    ----------
    object_id : str
        As the detections name it; what they never named, as false ones do not, is called
        ``unnamed/`` and what the memory calls it.
    stamp_ns : int
        Of the look.
    geometry : str
        Name of the verdict of geometry and depth alone.
    state : str
        Name of the fused state; ABSENT for every tombstone.
    cause, occluder : str
        As in the object's state; the occluder is that of the geometry.
    blocked_fraction : str
        Blocked share of the lines of sight that anything was learnt about; '' where unknown.
    in_view_points : int
        Test points of the object in the image.
    visible_share : str
        Share of the lines of sight to its box that are free; '' where unknown.
    pixel_size : str
        Size in the image as the classifier estimates it, pixels.
    x, y, z : str
        Where the memory has it after the look, metres in the fixed frame.

    """

    object_id: str
    stamp_ns: int
    geometry: str
    state: str
    cause: str
    occluder: str
    blocked_fraction: str
    in_view_points: int
    visible_share: str
    pixel_size: str
    x: str
    y: str
    z: str


def follow(bag: Path) -> Iterator[Prediction]:
    """
    Fold a bag and give a row for every object that has a place, at every look.

    An object has no row before the memory knows of it.

    Raises
    ------
    BagError
        If the bag cannot be read.

    """
    source = BagFrameSource(bag)
    scene = source.scene
    caster = EmbreeRayCaster(scene) if scene.parts else None
    memory = ObjectMemory(MemorySettings(), scene, caster)
    states: dict[str, ObjectState] = {}
    names: dict[str, str] = {}
    for frame in source.frames():
        for record in memory.integrate(frame).tracks:
            object_id = record.state.object_id
            states[object_id] = record.state
            # A false detection may have taken the very id that a real thing is named by.
            names[object_id] = track_from_text(record.fold_json).external_id
        for look in memory.looks.values():
            for i, object_id in enumerate(look.object_ids):
                name = names[object_id] or f'unnamed/{object_id}'
                yield _row(name, frame.stamp_ns, look, i, states[object_id])


def _row(name: str, stamp_ns: int, look: JudgedLook, i: int, state: ObjectState) -> Prediction:
    verdicts = look.verdicts
    is_gone = state.life_cycle is LifeCycle.ABSENT
    shown = Visibility.ABSENT if is_gone else state.visibility
    # What is known to be gone has no place: geometry can judge where it was, not where it is.
    geometry = Visibility.UNKNOWN if is_gone else Visibility(int(verdicts.geometry[i]))
    x, y, z = state.world_p or (math.nan,) * 3
    return Prediction(
        object_id=name,
        stamp_ns=stamp_ns,
        geometry=geometry.name,
        state=shown.name,
        cause=state.cause,
        occluder=state.occluder_id,
        blocked_fraction=_text(float(verdicts.blocked_share[i])),
        in_view_points=int(verdicts.in_view_points[i]),
        visible_share=_text(float(verdicts.visible_share[i])),
        pixel_size=_text(float(verdicts.pixel_size[i])),
        x=_text(x),
        y=_text(y),
        z=_text(z),
    )


def _text(value: float) -> str:
    return '' if math.isnan(value) else repr(value)


def main(argv: list[str]) -> int:
    """
    Write the rows of a bag; ``argv`` is the bag and the file to write.

    Returns
    -------
    int
        0 done, 1 a known error, said in one line on stderr.

    """
    bag, out = map(Path, argv)
    try:
        with out.open('w', newline='', encoding='utf-8') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow(Prediction._fields)
            writer.writerows(follow(bag))
    except StMemoryError as error:
        sys.stderr.write(' '.join(str(error).split()) + '\n')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

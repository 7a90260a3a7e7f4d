"""
The object movements of one HD-EPIC video into a recording.

What becomes of an annotated second t: the stamp ``BASE_STAMP_NS + t``. Each movement is reported
when it starts and when it ends. Nothing says where an object is: positions and fixtures are in a
file of masks that is not needed here.
"""

from __future__ import annotations

from collections.abc import Iterable

from st_memory.core.ports import RecordingSink
from st_memory.core.records import MovementReport
from st_memory.core.stamps import stamp_from_seconds
from st_memory.datasets.beyond3d import BASE_STAMP_NS
from st_memory.datasets.hd_epic_files import MovedObject

__all__ = ['write_movements']


def write_movements(
    objects: Iterable[MovedObject], sink: RecordingSink, *, base_stamp_ns: int = BASE_STAMP_NS
) -> int:
    """
    Write the movements of a video to a sink.

    Parameters
    ----------
    objects : iterable of MovedObject
        All objects of the video.
    sink : RecordingSink
        Where the recording goes.
    base_stamp_ns : int
        Stamp of second 0 of the video; > 0.

    Returns
    -------
    int
        Movements written.

    Raises
    ------
    ValueError
        If the base stamp is not positive.

    """
    if base_stamp_ns <= 0:
        raise ValueError(f'base_stamp_ns: expected > 0, got {base_stamp_ns}')
    entries: list[tuple[int, bool, str, int, MovementReport]] = []
    num_movements = 0
    for moved in objects:
        for start_sec, end_sec in moved.movements:
            start_ns = base_stamp_ns + stamp_from_seconds(start_sec)
            end_ns = base_stamp_ns + stamp_from_seconds(end_sec)
            begun = MovementReport(moved.object_id, moved.name, start_ns)
            ended = MovementReport(moved.object_id, moved.name, start_ns, end_ns)
            # At one stamp what ends comes first, but no movement ends before it starts.
            entries.append((start_ns, True, moved.object_id, num_movements, begun))
            entries.append((end_ns, end_ns == start_ns, moved.object_id, num_movements, ended))
            num_movements += 1
    entries.sort(key=lambda entry: entry[:4])
    for stamp_ns, *_, report in entries:
        sink.write_movement(stamp_ns, report)
    return num_movements

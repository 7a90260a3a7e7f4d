"""Messages far faster than they can be folded: what is dropped is counted, answers stay quick."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
import time
from typing import NamedTuple

import numpy as np

from benchmarks.sampling import seconds_of
from st_memory.bags import open_bag
from st_memory.bags.source import roles_of
from st_memory.conversions import AssemblerSettings
from st_memory.core.memory import MemorySettings
from st_memory.core.queries import locate, Selector
from st_memory.core.visibility import VisibilityPreset
from st_memory.ros.ingest import Ingest, IngestListener
from st_memory.ros.live_store import LiveStore
from st_memory.storage import InMemoryStore

__all__ = ['Flood', 'flood']

_ASK_EVERY = 50
_STOP_S = 60.0


class Flood(NamedTuple):
    """
    What became of a flood.

    Attributes
    ----------
    num_sent, num_taken, num_dropped, num_frames : int
        Messages handed in, taken, and counted as dropped; frames that came of them.
    times_real_time : float
        How much faster than they were recorded messages were handed in.
    answer_p95_ms : float
        Of "where is it", asked in between.

    """

    num_sent: int
    num_taken: int
    num_dropped: int
    num_frames: int
    times_real_time: float
    answer_p95_ms: float


def flood(bag: Path, seconds: float, times: float = 10.0, capacity: int = 200) -> Flood:
    """
    Hand a recording in again and again, ``times`` as fast as it was recorded.

    Parameters
    ----------
    bag : Path
        The recording.
    seconds : float
        How long.
    times : float
        0: as fast as it goes.
    capacity : int
        Sensor messages that may wait.

    """
    settings = AssemblerSettings()
    with open_bag(bag) as reader:
        roles = roles_of(reader, settings)
        messages = [(m.log_ns, roles[m.topic], m.read()) for m in reader.messages(roles)]
        recorded_s = (reader.end_ns - reader.start_ns) / 1e9
    problems = Counter[str]()
    listener = IngestListener(
        lambda _delta: None,
        lambda _progress: None,
        lambda reason, _text: problems.update([reason]),
    )
    store = LiveStore(InMemoryStore())
    ingest = Ingest(
        store,
        MemorySettings(),
        VisibilityPreset(),
        settings,
        lambda: tuple(dict.fromkeys(roles.values())),
        listener,
        capacity,
    )
    ingest.start()
    num_sent = num_loops = 0
    asked_s: list[float] = []
    start_s = time.monotonic()
    while time.monotonic() - start_s < seconds:
        for log_ns, role, message in messages:
            if times:
                due_s = (num_loops * recorded_s + (log_ns - messages[0][0]) / 1e9) / times
                time.sleep(max(0.0, start_s + due_s - time.monotonic()))
            ingest.put(role, message)
            num_sent += 1
            if num_sent % _ASK_EVERY == 0:
                asked_s.append(seconds_of(lambda: locate(store.view(), Selector(label='mug'))))
            if time.monotonic() - start_s >= seconds:
                break
        num_loops += 1
    spent_s = time.monotonic() - start_s
    share = num_sent / len(messages)
    ingest.stop(_STOP_S)
    progress = ingest.progress
    return Flood(
        num_sent=num_sent,
        num_taken=progress.num_messages - problems['backlog'],
        num_dropped=problems['backlog'],
        num_frames=progress.num_frames,
        times_real_time=share * recorded_s / spent_s,
        answer_p95_ms=1e3 * float(np.percentile(asked_s, 95)) if asked_s else float('nan'),
    )

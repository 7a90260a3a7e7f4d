"""The processes of ``restart_1e6``: one that writes until it is killed, one that answers."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
import json
import os
import sys
import time

_BEGUN_S = time.perf_counter()

from st_memory.core.queries import locate, Selector  # noqa: E402
from st_memory.core.records import FrameDelta, FrameRecord  # noqa: E402
from st_memory.storage import SqliteMemoryStore  # noqa: E402


def answer(path: str, name: str) -> None:
    """Open for writing, read what the fold goes on from, answer, and end as a crash would."""
    begun_s = time.perf_counter()
    store = SqliteMemoryStore.open(path)
    found = locate(store, Selector(object_id=name))
    if store.checkpoint() is None or found.object is None or found.at is None:
        raise SystemExit('nothing is remembered')
    said = {
        'world_p': found.object.world_p,
        'stamp_ns': found.at.stamp_ns,
        'spent_s': time.perf_counter() - begun_s,
        'with_imports_s': time.perf_counter() - _BEGUN_S,
    }
    print(json.dumps(said), flush=True)
    os._exit(0)


def write(path: str) -> None:
    """Find things where they are, a transaction a frame, until killed."""
    with SqliteMemoryStore.open(path) as store:
        checkpoint = store.checkpoint()
        assert checkpoint is not None
        tracks, frame = checkpoint.tracks, checkpoint.frame
        for number in count(1):
            stamp_ns = frame.stamp_ns + number * 33_333_333
            found = [tracks[(20 * number + i) % len(tracks)] for i in range(20)]
            seen = tuple(
                replace(track, state=replace(track.state, last_seen_ns=stamp_ns))
                for track in sorted(found, key=lambda track: track.state.object_id)
            )
            now = FrameRecord(frame.epoch, stamp_ns, frame.seq + number, '{}')
            store.commit(FrameDelta(now, seen))
            print(number, flush=True)


if __name__ == '__main__':
    if sys.argv[2] == '--write':
        write(sys.argv[1])
    else:
        answer(*sys.argv[1:])

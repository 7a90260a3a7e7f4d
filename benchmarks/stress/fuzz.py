"""Odd messages into the one way from messages to frames: refused and counted, never a crash."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
import random
import time

import numpy as np

from benchmarks.stress.odd_messages import OddMessages
from st_memory.bags.locating import reading_errors
from st_memory.bags.messages import camera_info_message, transform_message
from st_memory.bags.msgtypes import standard_typestore
from st_memory.conversions import AssemblerSettings, FrameAssembler
from st_memory.core.errors import StMemoryError
from st_memory.core.geometry import PinholeCamera, RigidTransform

__all__ = ['FuzzError', 'fuzz_bytes', 'fuzz_messages']

_LOOK_AT_CLOCK_EVERY = 256
_CUT_SHARE = 0.3
_NO_FILE = Path('fuzz.mcap')


class FuzzError(Exception):
    """A message did what none may do; the text says how to see it again."""


def fuzz_messages(num_messages: int, seed: int, seconds: float = float('inf')) -> Counter[str]:
    """
    Push odd messages into an assembler.

    Parameters
    ----------
    num_messages : int
        How many at most.
    seed : int
        The same one gives the same messages.
    seconds : float
        How long at most.

    Returns
    -------
    Counter
        ``messages``, ``frames``, ``refused``, and the assembler's own counts.

    Raises
    ------
    FuzzError
        If something else than a refusal comes out, frames come out of order, or more waits than
        is allowed.

    """
    settings = AssemblerSettings(max_pending=50)
    assembler = FrameAssembler(settings)
    messages = OddMessages(seed)
    counts = Counter[str]()
    newest = (-1, -1)
    end_s = time.monotonic() + seconds
    for index in range(num_messages):
        if index % _LOOK_AT_CLOCK_EVERY == 0 and time.monotonic() > end_s:
            break
        role, message = messages.take()
        counts['messages'] += 1
        where = f'message {index} of seed {seed} ({role.kind.value})'
        try:
            with np.errstate(all='ignore'):
                frames = assembler.push(role, message)
        except StMemoryError:
            counts['refused'] += 1
            continue
        except Exception as error:
            raise FuzzError(f'{where}: {type(error).__name__}: {error}') from error
        counts['frames'] += len(frames)
        for frame in frames:
            moment = (frame.epoch, frame.stamp_ns)
            if moment <= newest:
                raise FuzzError(f'{where}: a frame at {moment} after one at {newest}')
            newest = moment
        if assembler.num_pending > settings.max_pending:
            raise FuzzError(f'{where}: {assembler.num_pending} frames wait')
    return counts + Counter(assembler.counters)


def fuzz_bytes(num_messages: int, seed: int, seconds: float = float('inf')) -> Counter[str]:
    """
    Deserialise messages whose bytes were changed or cut off.

    Raises
    ------
    FuzzError
        If something else than a message or one line comes out.

    """
    store = standard_typestore()
    rng = random.Random(seed)  # noqa: S311 - no secrets, but the same every time
    info = camera_info_message(10**18, 'optical', PinholeCamera(4, 3, 5.0, 5.0, 1.5, 1.0))
    link = transform_message(10**18, 'map', 'optical', RigidTransform.identity())
    whole = [
        (name, bytes(store.serialize_cdr(message, name)))
        for name, message in (
            ('sensor_msgs/msg/CameraInfo', info),
            ('tf2_msgs/msg/TFMessage', link),
        )
    ]
    counts = Counter[str]()
    end_s = time.monotonic() + seconds
    for index in range(num_messages):
        if index % _LOOK_AT_CLOCK_EVERY == 0 and time.monotonic() > end_s:
            break
        name, data = rng.choice(whole)
        spoiled = bytearray(data)
        if rng.random() < _CUT_SHARE:
            del spoiled[rng.randrange(4, len(spoiled)) :]
        for _ in range(rng.randrange(4)):
            spoiled[rng.randrange(len(spoiled))] = rng.choice((0, 1, 127, 255))
        counts['byte_messages'] += 1
        try:
            with reading_errors(_NO_FILE, name):
                store.deserialize_cdr(bytes(spoiled), name)
        except StMemoryError:
            counts['byte_refused'] += 1
        except Exception as error:
            what = f'{type(error).__name__}: {error}'
            raise FuzzError(f'bytes {index} of seed {seed} ({name}): {what}') from error
    return counts

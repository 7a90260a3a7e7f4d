"""Typed times as moments of a memory."""

from __future__ import annotations

from st_memory.cli.typed_time import TypedTime
from st_memory.core.errors import StMemoryError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries.as_of import no_such_epoch
from st_memory.core.stamps import Moment, NS_PER_S

__all__ = ['moment_of']

_END_OF_TIME_NS = 2**63 - 1


def moment_of(reader: MemoryReader, time: TypedTime | None, epoch: int | None) -> Moment | None:
    """
    Turn a typed time into a moment of the memory.

    Parameters
    ----------
    reader : MemoryReader
        The memory.
    time : TypedTime, optional
        None for the newest frame.
    epoch : int, optional
        None for the newest epoch.

    Returns
    -------
    Moment or None
        None when both are None: the newest moment.

    Raises
    ------
    StMemoryError
        If the memory is empty or has no such epoch, or the time is one that was meant to count
        from the first frame.

    """
    if time is None and epoch is None:
        return None
    epochs = reader.epochs()
    if not epochs:
        raise StMemoryError('the memory is empty: there is no time to ask about')
    chosen = epochs[-1] if epoch is None else epoch
    first = reader.first_moment(chosen)
    if first is None:
        raise StMemoryError(no_such_epoch(reader, chosen))
    if time is None:
        last = reader.look_at(None, Moment(chosen, _END_OF_TIME_NS))
        return Moment(chosen, last.stamp_ns) if last is not None else first
    if time.is_relative:
        if time.ns + first.stamp_ns > _END_OF_TIME_NS:
            raise StMemoryError(
                f'time +{time.ns / NS_PER_S:g}: expected one before the clock ends'
            )
        return Moment(chosen, time.ns + first.stamp_ns)
    newest = reader.latest_moment(Moment(chosen, _END_OF_TIME_NS)) or first
    if 0 <= time.ns <= newest.stamp_ns - first.stamp_ns and time.ns < first.stamp_ns:
        seconds = f'{time.ns / NS_PER_S:g}'
        raise StMemoryError(
            f'time {seconds} s: the first frame is at {first.stamp_ns / NS_PER_S:.1f} s; '
            f'{seconds} s after it is written +{seconds}'
        )
    return Moment(chosen, time.ns)

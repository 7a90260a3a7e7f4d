"""Which epoch goes on from which other one."""

from __future__ import annotations

from st_memory.core.ports import MemoryReader
from st_memory.core.records import RebaseKind
from st_memory.core.stamps import Moment

__all__ = ['corrected_parent', 'end_of', 'parent_of']

_END_NS = 2**63 - 1


def end_of(epoch: int) -> Moment:
    """Give a moment after all frames of an epoch."""
    return Moment(epoch, _END_NS)


def parent_of(reader: MemoryReader, epoch: int) -> tuple[int, RebaseKind] | None:
    """Give the epoch that a rebase carried over into another, and its kind; None without one."""
    first = reader.first_moment(epoch)
    for event in reader.events(first) if first is not None else ():
        if event.event_type == 'rebased' and event.epoch == epoch:
            roles = dict(event.roles)
            if roles.get('epoch') == str(epoch):
                return int(roles['from_epoch']), RebaseKind[roles['kind'].upper()]
    return None


def corrected_parent(reader: MemoryReader, epoch: int) -> int | None:
    """Give the epoch whose frame of reference is the same, up to a correction."""
    parent = parent_of(reader, epoch)
    return parent[0] if parent and parent[1] is RebaseKind.CORRECTED_TRAJECTORY else None

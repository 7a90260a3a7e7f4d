"""
Fold what a person says into a memory: as one more frame, right after the newest one.

The live node and the command line tell a memory through these functions alone, so that what is
said lands in the store as it would have in the node.
"""

from __future__ import annotations

from st_memory.core.errors import EditError
from st_memory.core.memory import ObjectMemory
from st_memory.core.ports import MemoryStore
from st_memory.core.records import Edit, FrameDelta, Rebase, SensedFrame
from st_memory.core.stamps import Moment, NS_PER_S
from st_memory.replay.hints import hint_for

__all__ = ['open_epoch', 'tell_edit', 'tell_rebase']

_AFTER_NS = 1
"""What is said comes so much later than the newest frame: before any other one."""

_FRESH_NS = NS_PER_S
"""A time this soon after the newest frame means now."""


def tell_edit(
    memory: ObjectMemory, store: MemoryStore, edit: Edit, at_ns: int | None = None
) -> FrameDelta:
    """
    Fold one edit and commit it.

    Parameters
    ----------
    memory : ObjectMemory
        The fold, as new as the store.
    store : MemoryStore
        Opened for writing.
    edit : Edit
        What is said.
    at_ns : int, optional
        When it was said, nanoseconds of the sensors' clock; None for now. The past stays as it
        was answered for: a time before the newest frame is refused, and so is one more than a
        second after it. An empty memory has no now, and needs a time.

    Returns
    -------
    FrameDelta
        What the edit changed; on disk.

    Raises
    ------
    EditError
        If the edit cannot be done; nothing is changed then.
    StoreError
        If the medium refuses.

    """
    now = memory.now
    moment = _moment_of(now, at_ns)
    refusal = memory.refusal(edit)
    if refusal:
        strange = (n for n in (edit.object_id, edit.other_id) if n and repr(n) in refusal)
        hint = next((found for n in strange if (found := hint_for(store, n))), '')
        raise EditError('; '.join(filter(None, (refusal, hint))))
    return _commit(memory, store, SensedFrame(moment.stamp_ns, moment.epoch, edits=(edit,)))


def tell_rebase(memory: ObjectMemory, store: MemoryStore, plan: Rebase) -> FrameDelta:
    """
    Fold a planned change of the map, and commit the first frame of the epoch that it opens.

    Parameters
    ----------
    memory : ObjectMemory
        The fold, as new as the store.
    store : MemoryStore
        Opened for writing.
    plan : Rebase
        Made from this store, with nothing committed since.

    Raises
    ------
    EditError
        If the memory has gone on since the plan was made, or is empty.
    StoreError
        If the medium refuses.

    """
    now = memory.now
    if now is None:
        raise EditError('rebase: expected a memory that holds something, this one is empty')
    if plan.from_epoch != now.epoch:
        raise EditError(
            f'rebase: expected a plan for epoch {now.epoch}, got one for epoch {plan.from_epoch}'
        )
    return _commit(
        memory, store, SensedFrame(now.stamp_ns + _AFTER_NS, now.epoch + 1, rebase=plan)
    )


def open_epoch(memory: ObjectMemory, store: MemoryStore) -> FrameDelta | None:
    """
    Open an epoch in which nothing is known yet: nobody has said that the map is still the same.

    Returns
    -------
    FrameDelta or None
        The frame that opens it; None when the memory is empty, or its newest epoch already
        knows nothing.

    """
    now = memory.now
    if now is None or not store.objects_at():
        return None
    return _commit(memory, store, SensedFrame(now.stamp_ns + _AFTER_NS, now.epoch + 1))


def _moment_of(now: Moment | None, at_ns: int | None) -> Moment:
    """Give the moment of an edit."""
    if now is None:
        if at_ns is None:
            raise EditError('the memory is empty: expected a time at which this holds, got none')
        return Moment(0, at_ns)
    if at_ns is not None and not 0 <= at_ns - now.stamp_ns <= _FRESH_NS:
        ago_s = (now.stamp_ns - at_ns) / NS_PER_S
        where = f'{ago_s:g} s before' if ago_s > 0 else f'{-ago_s:g} s after'
        raise EditError(
            f'at: expected 0 (now), got {where} the newest frame; what was is not changed'
        )
    return Moment(now.epoch, now.stamp_ns + _AFTER_NS)


def _commit(memory: ObjectMemory, store: MemoryStore, frame: SensedFrame) -> FrameDelta:
    delta = memory.integrate(frame)
    store.commit(delta)
    return delta

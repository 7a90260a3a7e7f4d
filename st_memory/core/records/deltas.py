"""What one frame appended: the unit of a store transaction."""

from __future__ import annotations

from dataclasses import dataclass

from st_memory.core.records.events import Event
from st_memory.core.records.history import CameraLook, Observation, Placement, VisibilityInterval
from st_memory.core.records.objects import ObjectState

__all__ = ['FrameDelta', 'FrameRecord', 'TrackRecord']


@dataclass(frozen=True)
class TrackRecord:
    """
    One object as the fold left it: its public state and the fold's own counters.

    Parameters
    ----------
    state : ObjectState
        State after the frame.
    fold_json : str
        What the fold needs to go on after a restart, as canonical JSON; opaque to the store.

    """

    state: ObjectState
    fold_json: str


@dataclass(frozen=True)
class FrameRecord:
    """
    The frame itself and the fold's global state after it.

    Parameters
    ----------
    epoch, stamp_ns : int
        Moment of the frame.
    seq : int
        Counts frames over all epochs, from 0; the key of the transaction.
    fold_json : str
        Global state of the fold after the frame (counters, id numbers), canonical JSON.

    """

    epoch: int
    stamp_ns: int
    seq: int
    fold_json: str


@dataclass(frozen=True)
class FrameDelta:
    """
    Everything one ``integrate`` concluded; committed in one transaction, all or nothing.

    Parameters
    ----------
    frame : FrameRecord
        The frame.
    tracks : tuple of TrackRecord
        Objects whose state or counters changed, ordered by object id. ``state`` differs from
        the stored one in any field; the store keeps every version (key: object, epoch, stamp).
    observations : tuple of Observation
        Positive matches of this frame.
    intervals : tuple of VisibilityInterval
        Opened (``end_ns`` None) or closed intervals. An interval is keyed by (object, camera,
        epoch, start): a closing row replaces its open row.
    placements : tuple of Placement
        Opened or closed placements, keyed by (object, epoch, start). A closing row must not hide
        from a query as of an earlier time that the placement was open then.
    looks : tuple of CameraLook
        Every camera of the frame. The counts of an open interval as of an earlier time follow
        from the looks and observations up to then.
    events : tuple of Event
        What happened.

    """

    frame: FrameRecord
    tracks: tuple[TrackRecord, ...] = ()
    observations: tuple[Observation, ...] = ()
    intervals: tuple[VisibilityInterval, ...] = ()
    placements: tuple[Placement, ...] = ()
    looks: tuple[CameraLook, ...] = ()
    events: tuple[Event, ...] = ()

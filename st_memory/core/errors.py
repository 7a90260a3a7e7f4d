"""The errors a caller can act on, one base class for all of them."""

from __future__ import annotations

import enum

__all__ = [
    'BagError',
    'ConfigError',
    'ConversionError',
    'DatasetError',
    'EditError',
    'MissingExtraError',
    'SchemaVersionError',
    'StMemoryError',
    'StoreError',
    'TransformFailure',
    'TransformTreeError',
    'TransformUnavailableError',
]


class StMemoryError(Exception):
    """Base of every error that ``st_memory`` raises on purpose; its text is one clear line."""


class ConfigError(StMemoryError):
    """A setting is unknown, missing, or outside its range."""


class DatasetError(StMemoryError):
    """A dataset folder does not hold what its format promises."""


class EditError(StMemoryError):
    """What a person asks of the memory cannot be done; nothing was changed."""


class BagError(StMemoryError):
    """A bag is missing, truncated, or lacks a topic that the work needs."""


class ConversionError(StMemoryError):
    """A message cannot be turned into a record (unknown encoding, unusable intrinsics, ...)."""


class StoreError(StMemoryError):
    """The memory file cannot be read or written."""


class SchemaVersionError(StoreError):
    """The memory file was written by a version this one does not know."""


class MissingExtraError(StMemoryError):
    """An optional dependency is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f'{purpose} needs the package {package!r}: install it with '
            f"pip install 'st_memory[{extra}]'"
        )


class TransformTreeError(StMemoryError):
    """A transform does not fit the tree of frames (second parent, loop, static and moving)."""


class TransformFailure(enum.Enum):
    """Why a transform cannot be given."""

    UNKNOWN_FRAME = 'unknown_frame'
    NOT_CONNECTED = 'not_connected'
    TOO_OLD = 'too_old'
    TOO_NEW = 'too_new'
    IN_GAP = 'in_gap'


class TransformUnavailableError(StMemoryError):
    """
    A transform between two frames cannot be given at a stamp.

    Parameters
    ----------
    target_frame, source_frame : str
        The frames asked for, in tf2's sense (``target_T_source``).
    stamp_ns : int or None
        The stamp asked for; None if the question was for any stamp.
    failure : TransformFailure
        The class of the failure.
    detail : str
        Which link or frame failed.
    gap_ns : int, optional
        How far ``stamp_ns`` lies outside the known range, for TOO_OLD and TOO_NEW; for IN_GAP,
        how far apart the two samples around it are.

    """

    def __init__(
        self,
        target_frame: str,
        source_frame: str,
        stamp_ns: int | None,
        failure: TransformFailure,
        detail: str,
        gap_ns: int | None = None,
    ) -> None:
        self.target_frame = target_frame
        self.source_frame = source_frame
        self.stamp_ns = stamp_ns
        self.failure = failure
        self.gap_ns = gap_ns
        word = 'of' if failure is TransformFailure.IN_GAP else 'by'
        gap = '' if gap_ns is None else f' {word} {gap_ns / 1e9:.3f} s'
        when = 'any stamp' if stamp_ns is None else f'{stamp_ns} ns'
        super().__init__(
            f'no transform {target_frame} <- {source_frame} at {when}: '
            f'{failure.value}{gap} ({detail})'
        )

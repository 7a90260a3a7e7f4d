"""What a run was: input, version, settings and counts, to be written beside the memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import hashlib
from pathlib import Path
from typing import Any

from st_memory import __version__
from st_memory.core.errors import BagError
from st_memory.core.stamps import Moment
from st_memory.replay.drive import ReplayReport

__all__ = ['ReplayManifest', 'build_manifest', 'hash_source']

_CHUNK = 1 << 20


@dataclass(frozen=True)
class ReplayManifest:
    """
    The record of one replay; plain enough for JSON.

    Two manifests that agree in ``input_sha256``, ``version`` and ``settings`` describe memories
    with the same content.

    Parameters
    ----------
    source : str
        Name of the input.
    input_sha256 : str
        Hash of its bytes.
    version : str
        Version of st_memory.
    settings : mapping
        The effective settings, every one of them.
    is_complete : bool
        False from the start of a run to its end.
    num_frames : int
        Frames that the memory holds.
    first, last : (epoch, stamp_ns), optional
        Range of the memory.
    source_counters, memory_counters : mapping of str to int
        As in :class:`st_memory.replay.ReplayReport`.

    """

    source: str
    input_sha256: str
    version: str
    settings: Mapping[str, Any]
    is_complete: bool
    num_frames: int
    first: tuple[int, int] | None
    last: tuple[int, int] | None
    source_counters: Mapping[str, int]
    memory_counters: Mapping[str, int]

    def differs_from(self, earlier: Mapping[str, Any]) -> str:
        """
        Say what keeps this run from going on with an earlier one.

        Parameters
        ----------
        earlier : mapping
            The fields of the earlier manifest.

        Returns
        -------
        str
            Name of the first field that differs; '' when the run can go on.

        """
        for name in ('input_sha256', 'version', 'settings'):
            if earlier.get(name) != getattr(self, name):
                return name
        return ''


def build_manifest(
    source: str,
    input_sha256: str,
    settings: Mapping[str, Any],
    report: ReplayReport | None = None,
) -> ReplayManifest:
    """
    Put a manifest together.

    Parameters
    ----------
    source, input_sha256, settings
        As in :class:`ReplayManifest`.
    report : ReplayReport, optional
        What the run did; None before it ended.

    """
    return ReplayManifest(
        source=source,
        input_sha256=input_sha256,
        version=__version__,
        settings=settings,
        is_complete=report is not None,
        num_frames=report.num_frames + report.num_resumed if report else 0,
        first=_pair(report.first) if report else None,
        last=_pair(report.last) if report else None,
        source_counters=dict(report.source_counters) if report else {},
        memory_counters=dict(report.memory_counters) if report else {},
    )


def hash_source(path: Path) -> str:
    """
    SHA-256 of a file, or of all files of a folder with their names.

    Raises
    ------
    BagError
        If there is no such file, or it cannot be read.

    """
    digest = hashlib.sha256()
    files = sorted(p for p in path.rglob('*') if p.is_file()) if path.is_dir() else [path]
    try:
        for file in files:
            if path.is_dir():
                digest.update(file.relative_to(path).as_posix().encode() + b'\0')
            with file.open('rb') as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
    except FileNotFoundError as error:
        raise BagError(f'{path}: expected a bag, there is no such file') from error
    except OSError as error:
        raise BagError(f'{path}: cannot be read ({error.strerror})') from error
    return digest.hexdigest()


def _pair(moment: Moment | None) -> tuple[int, int] | None:
    return None if moment is None else (moment.epoch, moment.stamp_ns)

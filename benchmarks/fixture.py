"""The recording that the figures are measured on."""

from __future__ import annotations

from pathlib import Path

from benchmarks.figure import MeasuringError

__all__ = ['fixture_bag']

_BAG = Path(__file__).resolve().parents[1] / 'rosbag_fixtures' / 'kitchen_small.mcap'


def fixture_bag() -> Path:
    """
    Give the small kitchen recording.

    Raises
    ------
    MeasuringError
        If it is not there.

    """
    if not _BAG.is_file():
        raise MeasuringError(f'{_BAG}: no such file; rosbag_fixtures/make_fixture.py makes it')
    return _BAG

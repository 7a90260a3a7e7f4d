"""
Own the conversion of dataset folders into recordings, one module per dataset.

Converters write to a recording sink and know no bag format; independent of the other adapters.
A reader starts with :func:`convert_rgbd` and :func:`convert_beyond3d`.
"""

from __future__ import annotations

from st_memory.datasets.beyond3d import BASE_STAMP_NS, Beyond3dReport, convert_beyond3d
from st_memory.datasets.rgbd import convert_rgbd, RgbdReport

__all__ = [
    'BASE_STAMP_NS',
    'Beyond3dReport',
    'RgbdReport',
    'convert_beyond3d',
    'convert_rgbd',
]

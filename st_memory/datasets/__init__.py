"""
Own the conversion of dataset folders into recordings, one module per dataset.

Converters write to a recording sink and know no bag format; independent of the other adapters.
A reader starts with :func:`convert_rgbd`, the simplest; :func:`convert_adt` and
:func:`convert_hot3d` share :mod:`st_memory.datasets.aria`.
"""

from __future__ import annotations

from st_memory.datasets.adt import AdtReport, convert_adt
from st_memory.datasets.beyond3d import BASE_STAMP_NS, Beyond3dReport, convert_beyond3d
from st_memory.datasets.hd_epic import write_movements
from st_memory.datasets.hd_epic_files import MovedObject, read_movements
from st_memory.datasets.hot3d import convert_hot3d, Hot3dReport
from st_memory.datasets.hot3d_files import find_hot3d
from st_memory.datasets.rgbd import convert_rgbd, RgbdReport
from st_memory.datasets.tables import DatasetProblem

__all__ = [
    'BASE_STAMP_NS',
    'AdtReport',
    'Beyond3dReport',
    'DatasetProblem',
    'Hot3dReport',
    'MovedObject',
    'RgbdReport',
    'convert_adt',
    'convert_beyond3d',
    'convert_hot3d',
    'convert_rgbd',
    'find_hot3d',
    'read_movements',
    'write_movements',
]

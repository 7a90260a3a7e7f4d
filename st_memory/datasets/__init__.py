"""
Own the conversion of dataset folders into recordings, one module per dataset.

Converters write to a recording sink and know no bag format; independent of the other adapters.
A reader starts with :func:`convert_rgbd`.
"""

from __future__ import annotations

from st_memory.datasets.rgbd import convert_rgbd, RgbdReport

__all__ = ['RgbdReport', 'convert_rgbd']

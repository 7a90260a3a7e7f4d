"""The library Open3D, an extra that takes seconds to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from st_memory.core.errors import MissingExtraError, StMemoryError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ['import_open3d']


def import_open3d(purpose: str) -> ModuleType:
    """
    Import open3d when it is first needed.

    Parameters
    ----------
    purpose : str
        What it is needed for, for the message.

    Raises
    ------
    MissingExtraError
        If it is not installed.
    StMemoryError
        If it is installed and cannot be loaded.

    """
    try:
        import open3d
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or 'open3d', 'open3d', purpose) from error
    except (ImportError, OSError) as error:
        # Its system libraries (libusb-1.0, libGL, libgomp) are not part of the wheel.
        clause = str(error).partition('\n')[0]
        raise StMemoryError(f'open3d: expected a library that loads, found: {clause}') from error
    module: ModuleType = open3d
    return module

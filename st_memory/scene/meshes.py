"""A mesh as a file gives it, and the errors of scene files."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from json import JSONDecodeError
import struct

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import StMemoryError

__all__ = ['FileMesh', 'SceneFileError', 'fan_triangles', 'what_is_wrong']

Floats = NDArray[np.float64]


class SceneFileError(StMemoryError):
    """A scene file is missing, not of its format, or uses something that is not read here."""


@dataclass(frozen=True, eq=False)
class FileMesh:
    """
    One named mesh of a file, before it is put into the world.

    Parameters
    ----------
    name : str
        Name of its node or group; '' when the file gives none.
    vertices : (V, 3) float64
        In the mesh's own axes and the file's unit; may hold NaN.
    triangles : (T, 3) int64 or int32
        Indices into ``vertices``; not checked yet.
    file_T_mesh : (4, 4) float64
        Affine map (it may scale) from the mesh's axes to the file's.

    """

    name: str
    vertices: Floats
    triangles: NDArray[np.integer]
    file_T_mesh: Floats


def fan_triangles(polygon: list[int]) -> list[tuple[int, int, int]]:
    """Cut a polygon of at least three corners into triangles around its first corner."""
    return [(polygon[0], b, c) for b, c in pairwise(polygon[1:])]


def what_is_wrong(error: Exception) -> str:
    """
    Say in the words of a reader of files what reading a damaged one ran into.

    Parameters
    ----------
    error : Exception
        What indexing, decoding or unpacking the content raised.

    Returns
    -------
    str
        What was found, in one line; it completes "expected FORMAT, found ...".

    """
    match error:
        case JSONDecodeError():
            return f'no JSON ({error.msg}, line {error.lineno}, column {error.colno})'
        case UnicodeDecodeError():
            return f'text that is not {error.encoding}, at byte {error.start}'
        case KeyError():
            return f'no entry {error.args[0]!r}'
        case IndexError():
            return 'an index that nothing is at'
        case struct.error():
            return 'a file that is cut off'
        case TypeError() | AttributeError():
            return 'a value of another type than the format has'
    return (str(error).splitlines() or ['a value that is not allowed'])[0]

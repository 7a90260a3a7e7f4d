"""Files of one RGB-D frame: find them, read them, say what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
import re

import cv2
import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import DatasetError
from st_memory.core.geometry import RigidTransform

__all__ = [
    'RgbdFrameFiles',
    'find_frames',
    'image_size',
    'read_color',
    'read_depth',
    'read_intrinsics',
    'read_pose',
]

_FRAME_FILE = re.compile(r'^frame-(\d+)\.(?:color\.(?:jpg|jpeg|png)|depth\.png|pose\.txt)$')
_INTRINSICS_NAME = 'camera-intrinsics.txt'
_IMAGE_FORMATS = {'.jpg': 'jpeg', '.jpeg': 'jpeg', '.png': 'png'}
# First and last bytes of a complete file.
_MARKERS = {
    'jpeg': (b'\xff\xd8\xff', b'\xff\xd9'),
    'png': (b'\x89PNG\r\n\x1a\n', b'IEND\xaeB`\x82'),
}
_NO_READING_MM = (0, 65535)


@dataclass(frozen=True)
class RgbdFrameFiles:
    """Where one frame's files would be, and its number."""

    folder: Path
    stem: str
    index: int

    @property
    def pose(self) -> Path:
        """Pose file, whether or not it exists."""
        return self.folder / f'{self.stem}.pose.txt'

    @property
    def depth(self) -> Path:
        """Depth file, whether or not it exists."""
        return self.folder / f'{self.stem}.depth.png'

    @property
    def color(self) -> Path | None:
        """Colour file that exists; None without one."""
        names = (self.folder / f'{self.stem}.color{suffix}' for suffix in _IMAGE_FORMATS)
        return next((path for path in names if path.is_file()), None)


def find_frames(folder: Path) -> list[RgbdFrameFiles]:
    """
    List the frames of a folder by index.

    Parameters
    ----------
    folder : Path
        A folder with ``frame-NNNNNN.*`` files or with exactly one ``seq-*`` folder of them.

    Returns
    -------
    list of RgbdFrameFiles
        Ascending by index, at least one.

    Raises
    ------
    DatasetError
        If the folder does not exist, has no frames, or has several sequences.

    """
    if not folder.is_dir():
        raise DatasetError(f'{folder}: expected a folder of RGB-D frames, found none there')
    frames = _frames_in(folder)
    if frames:
        return frames
    sequences = sorted(p for p in folder.glob('seq-*') if p.is_dir())
    if len(sequences) > 1:
        names = ', '.join(p.name for p in sequences)
        raise DatasetError(f'{folder}: expected one sequence, found {names}: name one of them')
    frames = _frames_in(sequences[0]) if sequences else []
    if not frames:
        raise DatasetError(
            f'{folder}: expected frame-NNNNNN.color.jpg|png, .depth.png and .pose.txt, found none'
        )
    return frames


def _frames_in(folder: Path) -> list[RgbdFrameFiles]:
    """Frames whose files lie in this very folder; two names of one index are an error."""
    stems: dict[int, str] = {}
    for path in sorted(folder.iterdir()):
        match = _FRAME_FILE.match(path.name)
        if match is None:
            continue
        stem, index = path.name.split('.', 1)[0], int(match[1])
        if stems.setdefault(index, stem) != stem:
            raise DatasetError(f'{folder}: expected one frame {index}, found {stem} as well')
    return [RgbdFrameFiles(folder, stem, index) for index, stem in sorted(stems.items())]


def read_intrinsics(*folders: Path) -> tuple[float, float, float, float]:
    """
    Read ``camera-intrinsics.txt``.

    Parameters
    ----------
    *folders : Path
        Where to look; the parent of each is looked in last.

    Returns
    -------
    fx, fy, cx, cy : float
        Pixels; principal point with pixel centres at integer coordinates.

    Raises
    ------
    DatasetError
        If there is no such file, or it is no 3x3 pinhole matrix with positive focal lengths.

    """
    places = [*folders, *(f.resolve().parent for f in folders)]
    path = next((p / _INTRINSICS_NAME for p in places if (p / _INTRINSICS_NAME).is_file()), None)
    if path is None:
        raise DatasetError(f'{folders[0]}: expected {_INTRINSICS_NAME}, found none')
    matrix = _read_matrix(path)
    if isinstance(matrix, str) or matrix.shape != (3, 3):
        found = matrix if isinstance(matrix, str) else f'shape {matrix.shape}'
        raise DatasetError(f'{path}: expected a 3x3 matrix, found {found}')
    fx, fy = float(matrix[0, 0]), float(matrix[1, 1])
    skew_free = matrix[0, 1] == matrix[1, 0] == matrix[2, 0] == matrix[2, 1] == 0.0
    if not (np.isfinite(matrix).all() and fx > 0 and fy > 0 and skew_free and matrix[2, 2] == 1):
        raise DatasetError(
            f'{path}: expected [[fx 0 cx] [0 fy cy] [0 0 1]] with fx, fy > 0, '
            f'found {matrix.tolist()}'
        )
    return fx, fy, float(matrix[0, 2]), float(matrix[1, 2])


def image_size(files: RgbdFrameFiles) -> tuple[int, int] | None:
    """Give (width, height) of the frame's depth image, else of its colour image, if readable."""
    for path in (files.depth, files.color):
        image = None if path is None else _decode(path)
        if image is not None:
            return image.shape[1], image.shape[0]
    return None


def read_pose(files: RgbdFrameFiles) -> tuple[RigidTransform | None, str]:
    """Read ``world_T_camera``; without one, the reason."""
    if not files.pose.is_file():
        return None, f'no {files.pose.name}'
    matrix = _read_matrix(files.pose)
    if isinstance(matrix, str):
        return None, f'{files.pose.name}: {matrix}'
    if matrix.shape != (4, 4):
        return None, f'{files.pose.name}: shape {matrix.shape} instead of (4, 4)'
    if not np.isfinite(matrix).all():
        return None, f'{files.pose.name}: not finite'
    try:
        return RigidTransform.from_matrix(matrix), ''
    except ValueError as error:
        return None, f'{files.pose.name}: {error}'


def read_color(files: RgbdFrameFiles) -> tuple[tuple[bytes, str] | None, str]:
    """Read the colour file as it is, with its format; without a whole one, the reason."""
    path = files.color
    if path is None:
        return None, f'no {files.stem}.color.jpg or .png'
    data = path.read_bytes()
    image_format = _IMAGE_FORMATS[path.suffix]
    problem = _file_problem(data, image_format)
    if problem:
        return None, f'{path.name}: {problem}'
    return (data, image_format), ''


def read_depth(
    files: RgbdFrameFiles, shape: tuple[int, int]
) -> tuple[NDArray[np.float32] | None, str]:
    """
    Read depth along the optical axis.

    Parameters
    ----------
    files : RgbdFrameFiles
        The frame.
    shape : (int, int)
        Height and width that the camera model has.

    Returns
    -------
    (H, W) float32 or None
        Metres; NaN where the file says 0 or 65535.
    str
        Why there is none; '' otherwise.

    """
    if not files.depth.is_file():
        return None, f'no {files.depth.name}'
    image = _decode(files.depth)
    if image is None:
        return None, f'{files.depth.name}: cannot be decoded'
    if image.dtype != np.uint16 or image.ndim != 2:
        found = f'{image.dtype} of shape {image.shape}'
        return None, f'{files.depth.name}: {found} instead of 16-bit grey'
    if image.shape != shape:
        return None, f'{files.depth.name}: shape {image.shape} instead of {shape}'
    depth_m: NDArray[np.float32] = np.divide(image, 1000.0, dtype=np.float32)
    depth_m[np.isin(image, _NO_READING_MM)] = np.nan
    return depth_m, ''


def _decode(path: Path) -> NDArray[np.generic] | None:
    """Decode an image file without changing its depth; None when that cannot be done."""
    data = path.read_bytes() if path.is_file() else b''
    # A decoder may fill the rest of a truncated file with invented pixels.
    if _file_problem(data, _IMAGE_FORMATS[path.suffix]):
        return None
    array = np.frombuffer(data, dtype=np.uint8)
    return cv2.imdecode(array, cv2.IMREAD_UNCHANGED)


def _file_problem(data: bytes, image_format: str) -> str:
    """Say what is wrong with the first or last bytes of an image file; '' for nothing."""
    head, tail = _MARKERS[image_format]
    if not data.startswith(head):
        return f'not a {image_format} file'
    # Some cameras pad a JPEG after its end marker.
    return '' if tail in data[-64:] else 'truncated'


def _read_matrix(path: Path) -> NDArray[np.float64] | str:
    """Read a text file of numbers as a matrix; a clause on what is wrong when it is none."""
    try:
        rows = [[float(w) for w in line.split()] for line in path.read_text().splitlines()]
    except UnicodeDecodeError:
        return 'not a text file'
    except ValueError as error:
        return str(error)
    rows = [row for row in rows if row]
    if len({len(row) for row in rows}) != 1:
        return 'no rows of equal length'
    return np.array(rows, dtype=np.float64)

"""A CenterNet-style detector in an ONNX file, on onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import MissingExtraError
from st_memory.core.records import Detection
from st_memory.vlm.boxes import detections_of, keep_distinct, MAX_OVERLAP
from st_memory.vlm.centernet import decode_centernet
from st_memory.vlm.coco import COCO80
from st_memory.vlm.detector import check_image, check_threshold, DetectorModelError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ['OnnxDetector']

_INPUT, _HEAT, _EXTENTS = 'images', 'keypoints', 'wh'


class OnnxDetector:
    """
    Finds objects in single images; the same image always gives the same detections.

    The model takes ``images`` (1, 3, H, W), RGB 0..255 as float32, and gives ``keypoints``
    (1, C, H / s, W / s), the score of an object's centre per class, and ``wh``
    (1, 4, H / s, W / s), the distances to its left, top, right and bottom side in input pixels.

    Parameters
    ----------
    model_path : path
        The ONNX file.
    score_threshold : float
        Lowest score that is reported, in (0, 1].
    labels : sequence of str
        Names of the C classes.
    num_threads : int
        Threads of one inference. With more than one, sums may be formed in another order.

    Raises
    ------
    MissingExtraError
        If onnxruntime is not installed.
    DetectorModelError
        If the file is missing, is not an ONNX model, or is not a model of the form above for
        that many classes.
    ValueError
        If the threshold or the number of threads is out of range.

    """

    def __init__(
        self,
        model_path: str | Path,
        *,
        score_threshold: float = 0.3,
        labels: Sequence[str] = COCO80,
        num_threads: int = 1,
    ) -> None:
        check_threshold(score_threshold)
        if num_threads < 1:
            raise ValueError(f'num_threads: expected >= 1, got {num_threads}')
        self._threshold = score_threshold
        self._labels = tuple(labels)
        self._session = _open_session(Path(model_path), num_threads)
        self._input_hw, self._stride = _check_shapes(
            Path(model_path), self._session, len(self._labels)
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all classes that can be reported."""
        return self._labels

    def detect(self, image_rgb: NDArray[np.uint8]) -> list[Detection]:
        """
        Find objects in an image.

        Parameters
        ----------
        image_rgb : (H, W, 3) uint8
            Any size; it is resized to the network's input without keeping its proportions.

        Returns
        -------
        list of Detection
            By falling score; boxes in pixels of the given image, cut at its border.

        Raises
        ------
        ValueError
            If the image has another shape or type.

        """
        height, width = check_image(image_rgb)
        rows, columns = self._input_hw
        resized = cv2.resize(image_rgb, (columns, rows), interpolation=cv2.INTER_LINEAR)
        batch = np.ascontiguousarray(resized.transpose(2, 0, 1)[np.newaxis], dtype=np.float32)
        heat, extents = self._session.run([_HEAT, _EXTENTS], {_INPUT: batch})
        boxes = decode_centernet(heat[0], extents[0], self._stride, self._threshold)
        x_scale, y_scale = width / columns, height / rows
        scaled = boxes.corners * np.array([x_scale, y_scale, x_scale, y_scale])
        distinct = keep_distinct(boxes._replace(corners=scaled), MAX_OVERLAP)
        return detections_of(distinct, self._labels, width, height)


def _open_session(path: Path, num_threads: int) -> Any:
    """Open the model; every way in which that fails becomes one line."""
    runtime = _import_onnxruntime()
    if not path.is_file():
        raise DetectorModelError(f'{path}: expected an ONNX model, found no file')
    options = runtime.SessionOptions()
    options.intra_op_num_threads = num_threads
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 3  # errors; they are raised as well
    try:
        return runtime.InferenceSession(str(path), options, providers=['CPUExecutionProvider'])
    except _session_errors(runtime) as error:
        clause = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DetectorModelError(f'{path}: expected an ONNX model, found: {clause}') from error


def _import_onnxruntime() -> ModuleType:
    """Import onnxruntime when it is first needed: it takes a moment and is an extra."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError('onnxruntime', 'detect', 'detecting objects') from error
    module: ModuleType = onnxruntime
    return module


def _session_errors(runtime: ModuleType) -> tuple[type[Exception], ...]:
    """Give the error classes of onnxruntime, which have no base class of their own."""
    state = runtime.capi.onnxruntime_pybind11_state
    names = ('Fail', 'InvalidArgument', 'InvalidGraph', 'InvalidProtobuf', 'NotImplemented')
    more = ('NoSuchFile', 'NoModel', 'RuntimeException', 'EPFail', 'ModelLoaded')
    return tuple(getattr(state, name) for name in names + more if hasattr(state, name))


def _check_shapes(path: Path, session: Any, num_labels: int) -> tuple[tuple[int, int], float]:
    """Give the input's (height, width) and the stride, if the model has the form we decode."""
    found = {node.name: node.shape for node in (*session.get_inputs(), *session.get_outputs())}
    image, heat, extents = (found.get(name) for name in (_INPUT, _HEAT, _EXTENTS))
    shapes = ', '.join(f'{name} {shape}' for name, shape in found.items())
    if image is None or heat is None or extents is None:
        raise DetectorModelError(
            f'{path}: expected input images and outputs keypoints and wh, found {shapes}'
        )
    whole = all(isinstance(n, int) for shape in (image, heat, extents) for n in shape)
    fits = (
        whole
        and len(image) == len(heat) == len(extents) == 4
        and image[:2] == [1, 3]
        and heat[:2] == [1, num_labels]
        and extents == [1, 4, *heat[2:]]
        and image[2] % heat[2] == 0
        and image[2] * heat[3] == image[3] * heat[2]
    )
    if not fits:
        raise DetectorModelError(
            f'{path}: expected images [1, 3, H, W], keypoints [1, {num_labels}, H/s, W/s] and '
            f'wh [1, 4, H/s, W/s], found {shapes}'
        )
    return (image[2], image[3]), image[2] / heat[2]

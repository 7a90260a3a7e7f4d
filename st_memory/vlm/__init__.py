"""
Own detectors and vision-language backends that run a model on an image.

Model runtimes are extras and imported when first used; independent of the other adapters.
A reader starts with :class:`OnnxDetector`.
"""

from __future__ import annotations

from st_memory.vlm.coco import COCO80
from st_memory.vlm.onnx_detector import DetectorModelError, OnnxDetector

__all__ = ['COCO80', 'DetectorModelError', 'OnnxDetector']

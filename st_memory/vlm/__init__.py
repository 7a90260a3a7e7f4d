"""
Own detectors and vision-language backends that run a model on an image.

Model runtimes are extras and imported when first used; independent of the other adapters.
A reader starts with :class:`OnnxDetector` (fixed classes) or :class:`TransformersDetector`
(whatever is asked for in words).
"""

from __future__ import annotations

from st_memory.vlm.coco import COCO80
from st_memory.vlm.detector import Detector, DetectorModelError
from st_memory.vlm.onnx_detector import OnnxDetector
from st_memory.vlm.transformers_detector import TransformersDetector

__all__ = ['COCO80', 'Detector', 'DetectorModelError', 'OnnxDetector', 'TransformersDetector']

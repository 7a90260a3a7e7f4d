"""``st_memory detect``: run a detector over the images of a bag."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from st_memory.bags import BagMessage, BagRecorder
    from st_memory.cli.output import Advance
    from st_memory.vlm import Detector

__all__ = ['configure', 'run']

_EPILOG = """\
example:
  st_memory detect redkitchen.mcap --model centernet.onnx --out redkitchen_detected.mcap
  st_memory detect redkitchen.mcap --model owlv2/ --queries "mug,bowl" --out mugs.mcap
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        'Copy a bag byte for byte and add /<camera>/detections for each colour image: what an '
        'ONNX detector of the CenterNet kind with the 80 COCO classes finds, or an OWL-ViT or '
        'OWLv2 model in a local folder, which finds what --queries asks for (extra vlm).'
    )
    parser.epilog = _EPILOG
    parser.add_argument('bag', metavar='IN.mcap', type=Path, help='a ROS 2 bag with images')
    parser.add_argument(
        '--model', type=Path, required=True, help='an ONNX file, or the folder of a model'
    )
    parser.add_argument(
        '--queries', metavar='A,B', help='what to look for, in words (with the folder of a model)'
    )
    parser.add_argument(
        '--out', metavar='OUT.mcap', type=Path, required=True, help='the bag to write'
    )
    parser.add_argument(
        '--score-threshold', type=float, default=0.3, help='lowest score kept (default: 0.3)'
    )
    parser.add_argument('--overwrite', action='store_true', help='replace an existing bag')


def run(arguments: argparse.Namespace) -> int:
    """Check the bag and the model, then detect."""
    from st_memory.bags import copy_bag_with
    from st_memory.cli.output import progress_bar, refuse_existing
    from st_memory.core.errors import StMemoryError

    refuse_existing(arguments.out, overwrite=arguments.overwrite)
    cameras, num_images = _cameras(arguments.bag)
    if not 0.0 < arguments.score_threshold <= 1.0:
        raise StMemoryError(
            f'--score-threshold: expected 0 < score <= 1, got {arguments.score_threshold}'
        )
    detector = _detector(arguments.model, arguments.queries, arguments.score_threshold)
    with progress_bar('detecting') as advance:
        work = _Detecting(detector, cameras, num_images, advance)
        copy_bag_with(arguments.bag, arguments.out, work.add, overwrite=arguments.overwrite)
    found = ', '.join(f'{n} {label}' for label, n in work.found.most_common(8)) or 'nothing'
    print(f'{arguments.out}: {work.num_images} images, found {found}')
    if work.num_unstamped:
        print(f'{work.num_unstamped} images without a stamp were passed over')
    return 0


def _detector(model: Path, queries: str | None, score_threshold: float) -> Detector:
    """Give the detector of a file (fixed classes) or a folder (what is asked for)."""
    from st_memory.core.errors import StMemoryError
    from st_memory.vlm import OnnxDetector, TransformersDetector

    if not model.is_dir():
        if queries is not None:
            raise StMemoryError(f'--queries: expected the folder of a model, found {model}')
        return OnnxDetector(model, score_threshold=score_threshold)
    texts = tuple(dict.fromkeys(t.strip() for t in (queries or '').split(',') if t.strip()))
    if not texts:
        raise StMemoryError(f'{model}: expected --queries "mug,bowl" with a folder, found none')
    return TransformersDetector(model, texts, score_threshold=score_threshold)


def _cameras(bag: Path) -> tuple[Mapping[str, str], int]:
    """Give the camera of each colour topic, and the number of images."""
    from st_memory.bags import survey
    from st_memory.conversions import TopicKind
    from st_memory.core.errors import BagError

    topics = [t for t in survey(bag).topics if t.role is not None]
    if any(t.role and t.role.kind is TopicKind.DETECTIONS for t in topics):
        raise BagError(f'{bag}: has detections already')
    images = [t for t in topics if t.role and t.role.kind is TopicKind.IMAGE]
    if not images:
        raise BagError(f'{bag}: expected colour images, found none')
    cameras = {t.topic: t.role.camera_id for t in images if t.role}
    return cameras, sum(t.num_messages for t in images)


class _Detecting:
    """Adds detections to a copy, and counts."""

    def __init__(
        self,
        detector: Detector,
        camera_by_topic: Mapping[str, str],
        num_expected: int,
        advance: Advance,
    ) -> None:
        self.found: Counter[str] = Counter()
        self.num_images = 0
        self.num_unstamped = 0
        self._detector = detector
        self._camera_by_topic = camera_by_topic
        self._num_expected = num_expected
        self._advance = advance

    def add(self, message: BagMessage, recorder: BagRecorder) -> None:
        """Look at a message of the bag; after an image write what is in it."""
        from st_memory.conversions.images import color_from_message
        from st_memory.conversions.stamps import frame_name, header_stamp

        camera_id = self._camera_by_topic.get(message.topic)
        if camera_id is None:
            return
        content = message.read()
        stamp_ns = header_stamp(content.header)
        if stamp_ns is None:
            self.num_unstamped += 1
            return
        detections = self._detector.detect(color_from_message(content, message.topic))
        frame_id = frame_name(content.header.frame_id)
        recorder.write_detections(stamp_ns, camera_id, frame_id, detections)
        self.num_images += 1
        self.found.update(d.label for d in detections)
        self._advance(self.num_images, self._num_expected)

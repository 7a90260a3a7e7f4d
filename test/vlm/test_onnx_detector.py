"""The ONNX detector on a tiny colour model, and on the real one with real images."""

from __future__ import annotations

from pathlib import Path
import sys

import cv2
import numpy as np
import pytest

from st_memory.core.errors import MissingExtraError, StMemoryError
from st_memory.vlm import COCO80, DetectorModelError, OnnxDetector
from test.vlm.onnx_files import write_color_detector

pytest.importorskip('onnxruntime', reason="needs the extra 'detect'")

COLORS = ('red', 'green', 'blue')


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Give a model of 32 x 32 input that scores how red, green and blue each 4 x 4 cell is."""
    return write_color_detector(tmp_path / 'colors.onnx')


@pytest.fixture
def detector(model: Path) -> OnnxDetector:
    """Give a detector with it."""
    return OnnxDetector(model, labels=COLORS)


def image_with(*blocks: tuple[int, int, int], width: int = 32, height: int = 32) -> np.ndarray:
    """Give a black image with 4 x 4 blocks of full (channel, row, column)."""
    image = np.zeros((height, width, 3), dtype=np.uint8)
    for channel, row, column in blocks:
        image[row : row + 4, column : column + 4, channel] = 255
    return image


def test_detect_finds_a_block_in_its_class(detector: OnnxDetector) -> None:
    found = detector.detect(image_with((1, 12, 16)))

    assert [d.label for d in found] == ['green']
    assert found[0].score == pytest.approx(1.0)
    # The cell is (3, 4); its corner is at (16, 12); the model's boxes reach 6 pixels.
    assert found[0].box_px == (10.0, 6.0, 12.0, 12.0)
    assert (found[0].track_id, found[0].camera_p) == ('', None)


def test_detect_takes_rgb_not_bgr(detector: OnnxDetector) -> None:
    assert [d.label for d in detector.detect(image_with((0, 12, 16)))] == ['red']


def test_detect_scales_boxes_back_to_the_image(detector: OnnxDetector) -> None:
    small = image_with((2, 12, 16))
    large = np.repeat(np.repeat(small, 10, axis=0), 20, axis=1)

    box = detector.detect(large)[0].box_px

    assert box == pytest.approx((200.0, 60.0, 240.0, 120.0))


def test_detect_cuts_boxes_at_the_border(detector: OnnxDetector) -> None:
    found = detector.detect(image_with((0, 0, 28)))

    assert found[0].box_px == (22.0, 0.0, 10.0, 6.0)


def test_detect_a_box_without_area_is_none(tmp_path: Path) -> None:
    path = write_color_detector(tmp_path / 'a.onnx', half_box=0.0)

    assert OnnxDetector(path, labels=COLORS).detect(image_with((0, 12, 16))) == []


def test_detect_sorts_by_score(detector: OnnxDetector) -> None:
    image = image_with((0, 4, 4), (1, 20, 20))
    image[4:8, 4:8, 0] = 150

    found = detector.detect(image)

    assert [d.label for d in found] == ['green', 'red']


@pytest.mark.parametrize(('half_box', 'num_found'), [(6.0, 2), (24.0, 1)])
def test_detect_doubles_of_one_object_are_one(
    tmp_path: Path, half_box: float, num_found: int
) -> None:
    # Equal peaks 8 pixels apart: boxes of 12 share 4 of 20 columns, those of 48 share 40 of 56.
    path = write_color_detector(tmp_path / 'a.onnx', half_box=half_box)

    found = OnnxDetector(path, labels=COLORS).detect(image_with((0, 12, 8), (0, 12, 16)))

    assert len(found) == num_found


def test_detect_below_the_threshold_is_nothing(model: Path) -> None:
    image = image_with((0, 12, 16)) // 2

    assert OnnxDetector(model, labels=COLORS, score_threshold=0.6).detect(image) == []
    assert len(OnnxDetector(model, labels=COLORS, score_threshold=0.4).detect(image)) == 1


def test_detect_twice_gives_the_same_numbers(detector: OnnxDetector) -> None:
    image = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)

    assert detector.detect(image) == detector.detect(image.copy())


@pytest.mark.parametrize(
    'image',
    [
        np.zeros((8, 8), dtype=np.uint8),
        np.zeros((8, 8, 4), dtype=np.uint8),
        np.zeros((8, 8, 3), dtype=np.float32),
        np.zeros((0, 8, 3), dtype=np.uint8),
    ],
)
def test_detect_other_images_are_refused(detector: OnnxDetector, image: np.ndarray) -> None:
    with pytest.raises(ValueError, match='image_rgb: expected'):
        detector.detect(image)


@pytest.mark.parametrize('options', [{'score_threshold': 0.0}, {'score_threshold': 1.5}])
def test_detector_threshold_out_of_range_is_refused(
    model: Path, options: dict[str, float]
) -> None:
    with pytest.raises(ValueError, match='score_threshold'):
        OnnxDetector(model, labels=COLORS, **options)


def test_detector_without_threads_is_refused(model: Path) -> None:
    with pytest.raises(ValueError, match='num_threads'):
        OnnxDetector(model, labels=COLORS, num_threads=0)


def test_detector_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DetectorModelError, match=r'^.*gone\.onnx: expected an ONNX model.*$'):
        OnnxDetector(tmp_path / 'gone.onnx')


@pytest.mark.parametrize('content', [b'', b'not a model', b'\x08\x08'])
def test_detector_other_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / 'a.onnx'
    path.write_bytes(content)

    with pytest.raises(DetectorModelError, match=r'^.*a\.onnx: expected') as caught:
        OnnxDetector(path)

    assert '\n' not in str(caught.value)


def test_detector_truncated_model_is_one_line(model: Path) -> None:
    model.write_bytes(model.read_bytes()[:-30])

    with pytest.raises(DetectorModelError, match=r'colors\.onnx: expected'):
        OnnxDetector(model, labels=COLORS)


def test_detector_other_number_of_classes_is_named(model: Path) -> None:
    with pytest.raises(DetectorModelError, match=r'keypoints \[1, 80, .*keypoints \[1, 3, 8, 8\]'):
        OnnxDetector(model)


def test_detector_other_outputs_are_named(tmp_path: Path) -> None:
    path = write_color_detector(tmp_path / 'a.onnx', heat_name='boxes')

    with pytest.raises(DetectorModelError, match=r'outputs keypoints and wh, found .*boxes'):
        OnnxDetector(path, labels=COLORS)


def test_detector_model_error_is_one_of_ours() -> None:
    assert issubclass(DetectorModelError, StMemoryError)


def test_detector_without_onnxruntime_names_the_extra(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)

    with pytest.raises(MissingExtraError, match=r"pip install 'st_memory\[detect\]'"):
        OnnxDetector(model, labels=COLORS)


def test_coco80_has_eighty_names_in_coco_order() -> None:
    assert len(COCO80) == len(set(COCO80)) == 80
    assert (COCO80[0], COCO80[41], COCO80[79]) == ('person', 'cup', 'toothbrush')


@pytest.mark.data
def test_detect_finds_the_mugs_of_the_red_kitchen(shared_data: Path) -> None:
    detector = OnnxDetector(shared_data / 'models' / 'centernet_mb3.onnx')
    # Where the mugs are in these images, read off by eye: x, y of a point on each, pixels.
    seen = {
        '000000': [(383, 180)],
        '000100': [],
        '000320': [(20, 203), (430, 262)],
        '000520': [(137, 262), (546, 370)],
    }
    for frame, points in seen.items():
        path = shared_data / 'rgbd_7scenes_redkitchen' / f'frame-{frame}.color.jpg'
        image = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)

        cups = [d.box_px for d in detector.detect(image) if d.label == 'cup']

        assert len(cups) == len(points), frame
        for x, y in points:
            holding = [b for b in cups if b and b[0] < x < b[0] + b[2] and b[1] < y < b[1] + b[3]]
            assert len(holding) == 1, (frame, x, y, cups)

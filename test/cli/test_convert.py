"""Converting and detecting on the command line; the converters have tests of their own."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from st_memory.bags import BagRecorder, survey
from st_memory.cli.commands import detect as detect_command
from st_memory.conversions import TopicKind
from st_memory.core.records import Detection
from test.cli.bags import FRAME, write_walk
from test.cli.conftest import RunCli
from test.replay.walk import CAMERA, FIRST_NS, pose_at, STEP_NS


@pytest.fixture
def rgbd_folder(tmp_path: Path) -> Path:
    """Give three frames of an RGB-D folder."""
    folder = tmp_path / 'rgbd'
    folder.mkdir()
    np.savetxt(folder / 'camera-intrinsics.txt', [[60, 0, 31.5], [0, 60, 23.5], [0, 0, 1]])
    for index in range(3):
        name = str(folder / f'frame-{index:06d}')
        cv2.imwrite(f'{name}.color.jpg', np.full((48, 64, 3), 90, np.uint8))
        cv2.imwrite(f'{name}.depth.png', np.full((48, 64), 1500, np.uint16))
        np.savetxt(f'{name}.pose.txt', np.eye(4))
    return folder


@pytest.fixture
def image_bag(tmp_path: Path) -> Path:
    """Give a bag with three images and no detections."""
    path = tmp_path / 'images.mcap'
    with BagRecorder(path) as sink:
        for index in range(3):
            stamp_ns = FIRST_NS + index * STEP_NS
            sink.write_transform(stamp_ns, 'map', FRAME, pose_at(index))
            sink.write_camera_info(stamp_ns, 'head', FRAME, CAMERA)
            image = np.full((CAMERA.height, CAMERA.width, 3), 80 * index, np.uint8)
            sink.write_color(stamp_ns, 'head', FRAME, image)
    return path


class FakeDetector:
    """Finds a mug in every image, the surer the brighter."""

    def __init__(self, model_path: Path, *, score_threshold: float = 0.3) -> None:
        self._threshold = score_threshold

    def detect(self, image_rgb: np.ndarray) -> list[Detection]:
        """Give the mug if it is sure enough."""
        score = float(image_rgb.mean() / 255)
        found = [Detection('mug', score, box_px=(10.0, 10.0, 20.0, 20.0))]
        return found if score >= self._threshold else []


def test_convert_rgbd_writes_a_bag(cli: RunCli, rgbd_folder: Path, tmp_path: Path) -> None:
    result = cli('convert', 'rgbd', rgbd_folder, tmp_path / 'out.mcap')

    assert result.code == 0
    assert '3 of 3 frames over 0.1 s, 3 colour, 3 depth' in result.out
    assert survey(tmp_path / 'out.mcap').cameras == ('camera',)


def test_convert_never_writes_over_a_bag(cli: RunCli, rgbd_folder: Path, tmp_path: Path) -> None:
    out = tmp_path / 'out.mcap'
    out.write_bytes(b'precious')

    result = cli('convert', 'rgbd', rgbd_folder, out)

    assert result.code == 1
    assert '--overwrite replaces it' in result.err
    assert out.read_bytes() == b'precious'


def test_convert_of_a_bad_folder_leaves_an_existing_bag(cli: RunCli, tmp_path: Path) -> None:
    out = tmp_path / 'out.mcap'
    out.write_bytes(b'precious')
    (tmp_path / 'empty').mkdir()

    result = cli('convert', 'rgbd', tmp_path / 'empty', out, '--overwrite')

    assert result.code == 1
    assert out.read_bytes() == b'precious'


@pytest.mark.parametrize('rate', ['0', '-1', 'nan'])
def test_convert_rgbd_refuses_a_rate_that_is_none(
    rate: str, cli: RunCli, rgbd_folder: Path, tmp_path: Path
) -> None:
    result = cli('convert', 'rgbd', rgbd_folder, tmp_path / 'out.mcap', '--rate', rate)

    assert (result.code, (tmp_path / 'out.mcap').exists()) == (1, False)
    assert '--rate' in result.err


def test_convert_beyond3d_without_a_twin_is_an_error(cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / 'b3d').mkdir()

    result = cli('convert', 'beyond3d', tmp_path / 'b3d', tmp_path / 'out.mcap')

    assert result.code == 1
    assert 'expected one kitchen twin (*.glb), found 0' in result.err


def test_convert_kitchen_refuses_a_noise_that_is_none(cli: RunCli, tmp_path: Path) -> None:
    words = ['--seed', '1', '--noise', 'nosuch', '--truth', tmp_path / 't']

    result = cli('convert', 'kitchen', *words, tmp_path / 'out.mcap')

    assert result.code == 1
    assert "got 'nosuch'" in result.err


def test_convert_kitchen_leaves_truth_that_is_there(cli: RunCli, tmp_path: Path) -> None:
    (tmp_path / 't').mkdir()
    (tmp_path / 't' / 'truth.csv').write_text('precious')

    result = cli(
        'convert', 'kitchen', '--seed', '1', '--truth', tmp_path / 't', tmp_path / 'o.mcap'
    )

    assert result.code == 1
    assert 'is not empty' in result.err
    assert (tmp_path / 't' / 'truth.csv').read_text() == 'precious'


def test_detect_adds_a_result_for_every_image(
    cli: RunCli, image_bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('st_memory.vlm.OnnxDetector', FakeDetector)
    out = tmp_path / 'out.mcap'

    result = cli('detect', image_bag, '--model', 'm.onnx', '--out', out)

    assert result.out == f'{out}: 3 images, found 2 mug\n'  # 0 of 255 is below the threshold
    topics = {t.topic: t for t in survey(out).topics}
    assert topics['/head/detections'].num_messages == 3
    assert topics['/head/detections'].role.kind is TopicKind.DETECTIONS
    assert topics['/head/image/compressed'].num_messages == 3


def test_detect_takes_a_score_threshold(
    cli: RunCli, image_bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('st_memory.vlm.OnnxDetector', FakeDetector)
    words = ['--model', 'm.onnx', '--out', tmp_path / 'out.mcap', '--score-threshold', '0.5']

    assert 'found 1 mug' in cli('detect', image_bag, *words).out


@pytest.mark.parametrize('score', ['0', '1.5'])
def test_detect_refuses_a_threshold_out_of_range(
    score: str, cli: RunCli, image_bag: Path, tmp_path: Path
) -> None:
    words = ['--model', 'm.onnx', '--out', tmp_path / 'out.mcap', '--score-threshold', score]

    result = cli('detect', image_bag, *words)

    assert result.code == 1
    assert '--score-threshold' in result.err


def test_detect_with_a_missing_model_writes_nothing(
    cli: RunCli, image_bag: Path, tmp_path: Path
) -> None:
    pytest.importorskip('onnxruntime')

    result = cli(
        'detect', image_bag, '--model', tmp_path / 'no.onnx', '--out', tmp_path / 'o.mcap'
    )

    assert (result.code, (tmp_path / 'o.mcap').exists()) == (1, False)
    assert 'no.onnx' in result.err


def test_detect_of_a_bag_that_has_detections_is_refused(cli: RunCli, tmp_path: Path) -> None:
    bag = write_walk(tmp_path / 'walk.mcap', num_frames=3)

    result = cli('detect', bag, '--model', 'm.onnx', '--out', tmp_path / 'o.mcap')

    assert 'has detections already' in result.err


def test_detect_of_a_bag_without_images_is_refused(cli: RunCli, tmp_path: Path) -> None:
    bag = write_walk(tmp_path / 'walk.mcap', num_frames=3, with_detections=False)

    result = cli('detect', bag, '--model', 'm.onnx', '--out', tmp_path / 'o.mcap')

    assert 'expected colour images, found none' in result.err


def test_detect_imports_no_runtime_before_it_runs() -> None:
    assert not hasattr(detect_command, 'onnxruntime')

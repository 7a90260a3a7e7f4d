"""``st_memory detect`` with the folder of an open-vocabulary model; the detector has own tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from st_memory.bags import BagRecorder
from st_memory.core.records import Detection
from test.cli.bags import FRAME
from test.cli.conftest import RunCli
from test.replay.walk import CAMERA, FIRST_NS


class FakeDetector:
    """Finds the first query in every image and remembers what it was made with."""

    made_with: tuple[object, ...] = ()

    def __init__(
        self, folder: Path, queries: tuple[str, ...], *, score_threshold: float = 0.3
    ) -> None:
        type(self).made_with = (folder, queries, score_threshold)
        self._label = queries[0]

    def detect(self, image_rgb: np.ndarray) -> list[Detection]:
        """Give it."""
        return [Detection(self._label, 0.9, box_px=(1.0, 1.0, 5.0, 5.0))]


@pytest.fixture
def image_bag(tmp_path: Path) -> Path:
    """Give a bag with one image."""
    path = tmp_path / 'images.mcap'
    with BagRecorder(path) as sink:
        sink.write_camera_info(FIRST_NS, 'head', FRAME, CAMERA)
        image = np.zeros((CAMERA.height, CAMERA.width, 3), np.uint8)
        sink.write_color(FIRST_NS, 'head', FRAME, image)
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that the fake detector takes."""
    monkeypatch.setattr('st_memory.vlm.TransformersDetector', FakeDetector)
    path = tmp_path / 'owl'
    path.mkdir()
    return path


def test_detect_with_a_folder_asks_it_for_the_queries(
    cli: RunCli, image_bag: Path, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / 'out.mcap'
    words = ['--model', folder, '--queries', 'mug, wooden bowl,mug,', '--score-threshold', '0.1']

    result = cli('detect', image_bag, *words, '--out', out)

    assert result.out == f'{out}: 1 images, found 1 mug\n'
    assert FakeDetector.made_with == (folder, ('mug', 'wooden bowl'), 0.1)


@pytest.mark.parametrize('words', [[], ['--queries', ' , ']])
def test_detect_with_a_folder_and_no_queries_is_refused(
    words: list[str], cli: RunCli, image_bag: Path, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / 'out.mcap'

    result = cli('detect', image_bag, '--model', folder, *words, '--out', out)

    assert (result.code, out.exists()) == (1, False)
    assert '--queries' in result.err


def test_detect_with_queries_for_a_file_is_refused(
    cli: RunCli, image_bag: Path, tmp_path: Path
) -> None:
    words = ['--model', tmp_path / 'm.onnx', '--queries', 'mug']

    result = cli('detect', image_bag, *words, '--out', tmp_path / 'out.mcap')

    assert result.code == 1
    assert 'm.onnx' in result.err


def test_detect_with_a_folder_that_is_no_model_writes_nothing(
    cli: RunCli, image_bag: Path, tmp_path: Path
) -> None:
    (tmp_path / 'empty').mkdir()
    out = tmp_path / 'out.mcap'
    words = ['--model', tmp_path / 'empty', '--queries', 'mug', '--out', out]

    result = cli('detect', image_bag, *words)

    assert (result.code, out.exists()) == (1, False)
    assert 'found no config.json' in result.err

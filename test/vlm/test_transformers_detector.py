"""The open-vocabulary detector on tiny random models, and everything it refuses."""

from __future__ import annotations

from importlib.util import find_spec
import json
from pathlib import Path
import shutil
import socket
import sys

import numpy as np
import pytest

from st_memory.core.errors import MissingExtraError, StMemoryError
from st_memory.vlm import DetectorModelError, TransformersDetector
from st_memory.vlm.boxes import Boxes, detections_of, keep_distinct, MAX_OVERLAP
from st_memory.vlm.transformers_detector import decode_patches
from test.vlm.owl_files import MAX_TOKENS, write_owl_model

needs_vlm = pytest.mark.skipif(
    find_spec('torch') is None or find_spec('transformers') is None,
    reason="needs the extra 'vlm' (make setup-all)",
)

QUERIES = ('mug', 'bowl', 'jar')
SIZE = (64, 48)


@pytest.fixture(scope='module')
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give the folder of a model of each kind."""
    root = tmp_path_factory.mktemp('owl')
    return {kind: write_owl_model(root / kind, kind=kind) for kind in ('owlv2', 'owlvit')}


@pytest.fixture
def copied(models: dict[str, Path], tmp_path: Path) -> Path:
    """Give an OWLv2 model to spoil."""
    return Path(shutil.copytree(models['owlv2'], tmp_path / 'model'))


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """Give a folder that looks like a model until something of it is loaded."""
    (tmp_path / 'config.json').write_text('{"model_type": "owlv2"}')
    (tmp_path / 'model.safetensors').write_bytes(b'no weights')
    (tmp_path / 'tokenizer.json').write_text('{}')
    return tmp_path


def image(seed: int = 0, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Give coloured noise."""
    width, height = size
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def reference(folder: Path, pixels: np.ndarray, threshold: float) -> Boxes:
    """Give what the library's own processor makes of the model's output, one box a patch."""
    import torch
    from transformers import AutoModelForZeroShotObjectDetection, AutoProcessor

    processor = AutoProcessor.from_pretrained(str(folder), backend='pil', local_files_only=True)
    model = AutoModelForZeroShotObjectDetection.from_pretrained(str(folder)).eval()
    inputs = processor(text=[list(QUERIES)], images=pixels, return_tensors='pt')
    with torch.no_grad():
        out = model(**inputs)
    found = processor.image_processor.post_process_object_detection(
        out, threshold=threshold, target_sizes=[pixels.shape[:2]]
    )[0]
    score = found['scores'].double().numpy()
    order = np.argsort(-score, kind='stable')
    corners = found['boxes'].double().numpy()
    return Boxes(found['labels'].numpy()[order], score[order], corners[order])


@needs_vlm
@pytest.mark.parametrize('kind', ['owlv2', 'owlvit'])
@pytest.mark.parametrize('size', [(64, 48), (48, 64), (40, 40)])
def test_detect_equals_the_librarys_own_boxes_made_distinct(
    models: dict[str, Path], kind: str, size: tuple[int, int]
) -> None:
    pixels = image(1, size)
    want = detections_of(
        keep_distinct(reference(models[kind], pixels, 0.3), MAX_OVERLAP), QUERIES, *size
    )

    got = TransformersDetector(models[kind], QUERIES, score_threshold=0.3).detect(pixels)

    assert len(want) >= 2
    assert [d.label for d in got] == [d.label for d in want]
    np.testing.assert_allclose([d.score for d in got], [d.score for d in want], atol=1e-5)
    np.testing.assert_allclose([d.box_px for d in got], [d.box_px for d in want], atol=1e-3)


@needs_vlm
def test_detect_labels_are_the_queries_whatever_their_order(models: dict[str, Path]) -> None:
    found = TransformersDetector(models['owlv2'], QUERIES).detect(image())
    turned = TransformersDetector(models['owlv2'], QUERIES[::-1]).detect(image())

    assert len({d.label for d in found}) >= 2
    assert [d.label for d in turned] == [d.label for d in found]
    np.testing.assert_allclose(
        [d.box_px for d in turned], [d.box_px for d in found], rtol=0, atol=1e-3
    )


@needs_vlm
def test_detect_cuts_boxes_at_the_border(models: dict[str, Path]) -> None:
    width, height = SIZE
    boxes = reference(models['owlv2'], image(), 0.05).corners

    found = TransformersDetector(models['owlv2'], QUERIES, score_threshold=0.05).detect(image())

    assert boxes.min() < 0  # there is something to cut
    assert boxes[:, 3].max() > height
    for x, y, w, h in (d.box_px for d in found if d.box_px):
        assert 0 <= x < x + w <= width
        assert 0 <= y < y + h <= height


@needs_vlm
def test_detect_reports_by_falling_score_down_to_the_threshold(models: dict[str, Path]) -> None:
    low = TransformersDetector(models['owlv2'], QUERIES, score_threshold=0.1).detect(image())
    middle = float(np.median([d.score for d in low]))

    high = TransformersDetector(models['owlv2'], QUERIES, score_threshold=middle).detect(image())

    scores = [d.score for d in low]
    assert scores == sorted(scores, reverse=True)
    assert high == [d for d in low if d.score >= middle]
    assert 0 < len(high) < len(low)


@needs_vlm
def test_detect_twice_and_in_a_new_detector_gives_the_same_numbers(
    models: dict[str, Path],
) -> None:
    import torch

    first = TransformersDetector(models['owlv2'], QUERIES, score_threshold=0.05)
    found = first.detect(image())
    torch.manual_seed(99)
    second = TransformersDetector(models['owlv2'], QUERIES, score_threshold=0.05)

    assert found
    assert first.detect(image().copy()) == found
    assert second.detect(image()) == found


@needs_vlm
def test_detect_leaves_the_threads_of_the_process_alone(models: dict[str, Path]) -> None:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        TransformersDetector(models['owlv2'], QUERIES).detect(image())

        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


@needs_vlm
@pytest.mark.parametrize('size', [(1, 1), (9, 3), (3, 9), (200, 1)])
def test_detect_takes_images_of_any_size(models: dict[str, Path], size: tuple[int, int]) -> None:
    detector = TransformersDetector(models['owlv2'], QUERIES, score_threshold=0.01)

    found = detector.detect(image(0, size))

    assert {d.label for d in found} <= set(QUERIES)


@needs_vlm
@pytest.mark.parametrize(
    'pixels', [np.zeros((8, 8), dtype=np.uint8), np.zeros((8, 8, 3), dtype=np.float32)]
)
def test_detect_other_images_are_refused(models: dict[str, Path], pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match='image_rgb: expected'):
        TransformersDetector(models['owlv2'], QUERIES).detect(pixels)


@needs_vlm
def test_detector_keeps_its_queries_as_labels(models: dict[str, Path]) -> None:
    assert TransformersDetector(models['owlv2'], ['jar', 'mug']).labels == ('jar', 'mug')


@needs_vlm
def test_detector_never_opens_a_connection(
    models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        asked.append(arguments)
        raise OSError('no network in this test')

    monkeypatch.setattr(socket.socket, 'connect', refuse)
    monkeypatch.setattr(socket, 'getaddrinfo', refuse)

    TransformersDetector(models['owlv2'], QUERIES).detect(image())

    assert asked == []


@needs_vlm
def test_detector_reads_half_precision_weights_as_float32(copied: Path) -> None:
    import torch
    from transformers import Owlv2ForObjectDetection

    Owlv2ForObjectDetection.from_pretrained(str(copied)).half().save_pretrained(copied)

    detector = TransformersDetector(copied, QUERIES)

    assert {p.dtype for p in detector._loaded.model.parameters()} == {torch.float32}
    assert detector.detect(image())


@needs_vlm
def test_detector_pickled_weights_are_refused(copied: Path) -> None:
    import torch
    from transformers import Owlv2ForObjectDetection

    weights = Owlv2ForObjectDetection.from_pretrained(str(copied)).state_dict()
    torch.save(weights, copied / 'pytorch_model.bin')
    (copied / 'model.safetensors').unlink()

    with pytest.raises(
        DetectorModelError, match=r'in model\.safetensors, found only pytorch_model\.bin \(a pick'
    ):
        TransformersDetector(copied, QUERIES)


@needs_vlm
def test_detector_takes_no_notice_of_a_pickle_beside_the_weights(copied: Path) -> None:
    want = TransformersDetector(copied, QUERIES).detect(image())
    (copied / 'pytorch_model.bin').write_bytes(b'\x80\x04not to be opened')

    assert TransformersDetector(copied, QUERIES).detect(image()) == want


@needs_vlm
def test_detector_does_not_run_code_of_the_folder(copied: Path, tmp_path: Path) -> None:
    config = json.loads((copied / 'config.json').read_text())
    config['auto_map'] = {'AutoModelForZeroShotObjectDetection': 'own.Model'}
    (copied / 'config.json').write_text(json.dumps(config))
    (copied / 'own.py').write_text(f'open({str(tmp_path / "ran")!r}, "w")\n')

    TransformersDetector(copied, QUERIES)

    assert not (tmp_path / 'ran').exists()


@needs_vlm
def test_detector_a_missing_weight_is_named(copied: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copied / 'model.safetensors')
    del weights['box_head.dense0.bias']
    save_file(weights, copied / 'model.safetensors', metadata={'format': 'pt'})

    with pytest.raises(DetectorModelError, match=r'1 missing, box_head\.dense0\.bias among them'):
        TransformersDetector(copied, QUERIES)


@needs_vlm
@pytest.mark.parametrize('name', ['model.safetensors', 'processor_config.json', 'tokenizer.json'])
@pytest.mark.parametrize('content', [None, b'', b'{"a": ['])
def test_detector_damaged_file_is_one_line(copied: Path, name: str, content: bytes | None) -> None:
    (copied / name).unlink()
    if content is not None:
        (copied / name).write_bytes(content)

    with pytest.raises(DetectorModelError) as caught:
        TransformersDetector(copied, QUERIES)

    assert str(caught.value).startswith(f'{copied}: expected ')
    assert '\n' not in str(caught.value)


@needs_vlm
def test_detector_takes_a_tokenizer_of_two_files(copied: Path) -> None:
    want = TransformersDetector(copied, QUERIES).detect(image())
    write_owl_model(copied.parent / 'other')  # leaves its letters beside it
    (copied / 'tokenizer.json').unlink()
    for name in ('vocab.json', 'merges.txt'):
        shutil.copy(copied.parent / 'other_tokens' / name, copied / name)

    assert TransformersDetector(copied, QUERIES).detect(image()) == want


@needs_vlm
def test_detector_weights_of_another_shape_are_one_line(copied: Path) -> None:
    config = json.loads((copied / 'config.json').read_text())
    config['vision_config']['hidden_size'] = 32
    (copied / 'config.json').write_text(json.dumps(config))

    with pytest.raises(DetectorModelError, match=r'expected an OWL-ViT or OWLv2 model') as caught:
        TransformersDetector(copied, QUERIES)

    assert '\n' not in str(caught.value)


@needs_vlm
def test_detector_query_longer_than_the_model_reads_is_named(models: dict[str, Path]) -> None:
    letters = 'abcdefg'  # seven tokens and the two marks

    with pytest.raises(StMemoryError, match=f"'{letters}': expected at most {MAX_TOKENS} tok.*9"):
        TransformersDetector(models['owlv2'], ['mug', letters])


def test_detector_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DetectorModelError, match=r'gone: expected an OWL-ViT .* found no folder$'):
        TransformersDetector(tmp_path / 'gone', QUERIES)


def test_detector_takes_the_name_of_a_model_for_a_folder() -> None:
    with pytest.raises(DetectorModelError, match=r'^google/owlv2-base-patch16: .*no folder'):
        TransformersDetector('google/owlv2-base-patch16', QUERIES)


@pytest.mark.parametrize(
    ('config', 'found'),
    [
        (None, r'found no config\.json$'),
        ('{"model_type": ', r'expected JSON, found: .*'),
        ('[1]', 'found model_type None'),
        ('{"model_type": "clip"}', "found model_type 'clip'"),
        ('{"model_type": "owlv2"}', r'in model\.safetensors, found no such file'),
    ],
)
def test_detector_other_folder_says_what_was_found(
    tmp_path: Path, config: str | None, found: str
) -> None:
    if config is not None:
        (tmp_path / 'config.json').write_text(config)

    with pytest.raises(DetectorModelError, match=found) as caught:
        TransformersDetector(tmp_path, QUERIES)

    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('package', ['torch', 'transformers'])
def test_detector_without_the_extra_names_it(
    bare: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(MissingExtraError, match=r"pip install 'st_memory\[vlm\]'"):
        TransformersDetector(bare, QUERIES)


@pytest.mark.parametrize('queries', [[], [''], ['mug', ' '], ['mug', 'mug'], 'mug'])
def test_detector_queries_that_ask_nothing_are_refused(bare: Path, queries: list[str]) -> None:
    with pytest.raises(ValueError, match='queries: expected'):
        TransformersDetector(bare, queries)


@pytest.mark.parametrize(
    ('options', 'named'),
    [
        ({'score_threshold': 0.0}, 'score_threshold'),
        ({'score_threshold': 1.5}, 'score_threshold'),
        ({'num_threads': 0}, 'num_threads'),
    ],
)
def test_detector_numbers_out_of_range_are_refused(
    bare: Path, options: dict[str, float], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        TransformersDetector(bare, QUERIES, **options)


def test_decode_patches_gives_corners_in_pixels_and_the_best_query() -> None:
    logits = np.array([[-1.0, 0.0], [2.0, 1.0], [-3.0, -4.0]], dtype=np.float32)
    centred = np.array(
        [[0.5, 0.5, 0.5, 0.25], [0.25, 0.75, 0.5, 1.0], [0.5, 0.5, 1, 1]], dtype=np.float32
    )

    boxes = decode_patches(logits, centred, (80, 40), 0.5)

    assert boxes.class_index.tolist() == [0, 1]
    np.testing.assert_allclose(boxes.score, [1 / (1 + np.exp(-2.0)), 0.5], rtol=1e-12)
    assert boxes.corners.tolist() == [[0.0, 10.0, 40.0, 50.0], [20.0, 15.0, 60.0, 25.0]]


def test_decode_patches_ties_go_to_the_first_query_and_patch() -> None:
    centred = np.array([[0.5, 0.5, 0.1, 0.1], [0.2, 0.2, 0.1, 0.1]], dtype=np.float32)

    boxes = decode_patches(np.ones((2, 3), dtype=np.float32), centred, (10, 10), 0.3)

    assert boxes.class_index.tolist() == [0, 0]
    np.testing.assert_allclose(boxes.corners[:, 0], [4.5, 1.5], rtol=1e-6)


def test_decode_patches_huge_logits_are_certain_and_nan_is_nothing() -> None:
    logits = np.array([[1e30], [-1e30], [np.nan]], dtype=np.float32)

    boxes = decode_patches(logits, np.full((3, 4), 0.5, dtype=np.float32), (10, 10), 0.1)

    assert boxes.score.tolist() == [1.0]

"""An open-vocabulary detector (OWL-ViT, OWLv2) in a local folder, on transformers and torch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import json
from pathlib import Path
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import MissingExtraError, StMemoryError
from st_memory.core.records import Detection
from st_memory.vlm.boxes import Boxes, detections_of, keep_distinct, MAX_OVERLAP
from st_memory.vlm.detector import check_image, check_threshold, DetectorModelError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ['TransformersDetector', 'decode_patches']

Floats = NDArray[np.float32]

# Kind in config.json -> its model.
_CLASSES = {'owlv2': 'Owlv2ForObjectDetection', 'owlvit': 'OwlViTForObjectDetection'}
_CONFIG, _WEIGHTS = 'config.json', 'model.safetensors'
_TOKENIZERS = (('tokenizer.json',), ('vocab.json', 'merges.txt'))
_EXPECTED = 'expected an OWL-ViT or OWLv2 model'


class TransformersDetector:
    """
    Finds what is asked for in words; the same image always gives the same detections.

    Everything is read from one folder, as ``save_pretrained`` writes it: nothing is downloaded,
    no code in the folder is run, and weights come from ``model.safetensors`` only. It runs on the
    CPU.

    Parameters
    ----------
    model_folder : path
        ``config.json``, ``model.safetensors``, the tokenizer's and the image processor's files.
    queries : sequence of str
        What to look for, one text for each kind of object; they are the labels.
    score_threshold : float
        Lowest score that is reported, in (0, 1]. Scores of open-vocabulary models are lower than
        those of detectors trained on fixed classes.
    num_threads : int
        Threads of one inference. With more than one, sums may be formed in another order.

    Raises
    ------
    MissingExtraError
        If torch or transformers is not installed.
    DetectorModelError
        If the folder is missing, holds no such model, or a weight of it is missing.
    StMemoryError
        If a query has more tokens than the model reads.
    ValueError
        If there are no queries, one is empty or given twice, or a number is out of range.

    References
    ----------
    Minderer, Gritsenko, Houlsby, "Scaling Open-Vocabulary Object Detection", 2023 (OWLv2); the
    Beyond3D paper, section 10.2, confirms with it what geometry says is visible.

    """

    def __init__(
        self,
        model_folder: str | Path,
        queries: Sequence[str],
        *,
        score_threshold: float = 0.3,
        num_threads: int = 1,
    ) -> None:
        check_threshold(score_threshold)
        if num_threads < 1:
            raise ValueError(f'num_threads: expected >= 1, got {num_threads}')
        self._labels = _check_queries(queries)
        self._threshold = score_threshold
        self._num_threads = num_threads
        folder = Path(model_folder)
        kind = _check_folder(folder)
        self._torch, transformers = _import_runtime()
        self._loaded = _load(transformers, folder, kind)
        self._tokens = _tokens_of(self._loaded, self._labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The queries."""
        return self._labels

    def detect(self, image_rgb: NDArray[np.uint8]) -> list[Detection]:
        """
        Find objects in an image.

        Parameters
        ----------
        image_rgb : (H, W, 3) uint8
            Any size.

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
        with self._torch.inference_mode(), _threads(self._torch, self._num_threads):
            pixels = self._loaded.image_processor(
                images=image_rgb, input_data_format='channels_last', return_tensors='pt'
            )
            out = self._loaded.model(pixel_values=pixels['pixel_values'], **self._tokens)
            logits, centred = out.logits[0].numpy(), out.pred_boxes[0].numpy()
        # Where the processor pads to a square, boxes are fractions of its side.
        side = max(width, height)
        extent = (side, side) if self._loaded.pads_to_square else (width, height)
        boxes = decode_patches(logits, centred, extent, self._threshold)
        return detections_of(keep_distinct(boxes, MAX_OVERLAP), self._labels, width, height)


def decode_patches(
    logits: Floats, centred: Floats, extent: tuple[int, int], threshold: float
) -> Boxes:
    """
    Give the boxes that a model predicts, one for each patch of the image.

    Parameters
    ----------
    logits : (P, Q) float32
        How well each patch fits each query, before the sigmoid.
    centred : (P, 4) float32
        Centre x, y, width and height as fractions of ``extent``.
    extent : (width, height) of int
        Pixels.
    threshold : float
        Lowest score that counts.

    Returns
    -------
    Boxes
        A patch stands for the query that it fits best (ties: the first); ties in score are
        ordered by patch.

    References
    ----------
    Minderer et al., "Simple Open-Vocabulary Object Detection with Vision Transformers", 2022,
    section 3.

    """
    query = logits.argmax(axis=1).astype(np.int64)
    best = np.take_along_axis(logits, query[:, np.newaxis], axis=1)[:, 0].astype(np.float64)
    score = 0.5 * (1.0 + np.tanh(0.5 * best))  # the sigmoid, without overflow
    order = np.argsort(-score, kind='stable')
    order = order[score[order] >= threshold]
    middle, size = np.split(centred[order].astype(np.float64), 2, axis=1)
    corners = np.concatenate([middle - size / 2, middle + size / 2], axis=1)
    return Boxes(query[order], score[order], corners * np.array([*extent, *extent]))


class _Loaded(NamedTuple):
    """A model and what prepares its input."""

    model: Any
    tokenizer: Any
    image_processor: Any
    pads_to_square: bool


def _check_queries(queries: Sequence[str]) -> tuple[str, ...]:
    """Give the queries, if each says something of its own."""
    if isinstance(queries, str):
        raise ValueError(f'queries: expected a sequence of texts, got one text {queries!r}')
    texts = tuple(queries)
    if not texts or not all(text.strip() for text in texts):
        raise ValueError(f'queries: expected texts that are not empty, got {list(texts)}')
    if len(set(texts)) != len(texts):
        raise ValueError(f'queries: expected each text once, got {list(texts)}')
    return texts


def _check_folder(folder: Path) -> str:
    """Give the kind of model in the folder, before anything of it is loaded."""
    if not folder.is_dir():
        raise DetectorModelError(f'{folder}: {_EXPECTED}, found no folder')
    try:
        config = json.loads((folder / _CONFIG).read_text(encoding='utf-8'))
    except FileNotFoundError as error:
        raise DetectorModelError(f'{folder}: {_EXPECTED}, found no {_CONFIG}') from error
    except (OSError, ValueError) as error:
        raise DetectorModelError(f'{folder / _CONFIG}: expected JSON, found: {error}') from error
    kind = config.get('model_type') if isinstance(config, dict) else None
    if kind not in _CLASSES:
        raise DetectorModelError(f'{folder}: {_EXPECTED}, found model_type {kind!r}')
    if not (folder / _WEIGHTS).is_file():
        pickles = sorted(p.name for p in folder.glob('*.bin'))
        found = f'only {pickles[0]} (a pickle can run code)' if pickles else 'no such file'
        raise DetectorModelError(f'{folder}: expected weights in {_WEIGHTS}, found {found}')
    # Without its files transformers makes a tokenizer up, to which all words are the same.
    if not any(all((folder / name).is_file() for name in names) for names in _TOKENIZERS):
        raise DetectorModelError(f'{folder}: expected a tokenizer, found no tokenizer.json')
    return str(kind)


def _import_runtime() -> tuple[ModuleType, ModuleType]:
    """Import torch and transformers when they are first needed: they are large and an extra."""
    try:
        import torch
        import transformers
    except ImportError as error:
        package = (error.name or 'transformers').partition('.')[0]
        raise MissingExtraError(package, 'vlm', 'detecting what is asked for') from error
    return torch, transformers


def _load(transformers: ModuleType, folder: Path, kind: str) -> _Loaded:
    """Load model and processor; every way in which that fails becomes one line."""
    from safetensors import SafetensorError

    local = {'local_files_only': True, 'trust_remote_code': False}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **local)
        # One backend everywhere: the others resize a little differently.
        images = transformers.AutoImageProcessor.from_pretrained(
            str(folder), backend='pil', **local
        )
        with _without_bars(transformers):
            model, report = getattr(transformers, _CLASSES[kind]).from_pretrained(
                str(folder),
                use_safetensors=True,
                weights_only=True,
                output_loading_info=True,
                **local,
            )
    except ImportError as error:
        package = (error.name or 'pillow').partition('.')[0]
        raise MissingExtraError(package, 'vlm', 'detecting what is asked for') from error
    except (
        *(OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError),
        SafetensorError,
    ) as error:
        clause = ' '.join(str(error).split()) or type(error).__name__
        raise DetectorModelError(f'{folder}: {_EXPECTED}, found: {clause[:200]}') from error
    missing = sorted(report['missing_keys'])
    if missing:
        raise DetectorModelError(
            f'{folder / _WEIGHTS}: expected all weights, found {len(missing)} missing, '
            f'{missing[0]} among them'
        )
    # float32 whatever the file holds: half precision is slow on the CPU.
    return _Loaded(model.float().eval(), tokenizer, images, bool(getattr(images, 'do_pad', False)))


def _tokens_of(loaded: _Loaded, queries: Sequence[str]) -> dict[str, Any]:
    """Give the queries as the model reads them, one row each, padded to its full length."""
    limit = loaded.model.config.text_config.max_position_embeddings
    for query, ids in zip(queries, loaded.tokenizer(list(queries))['input_ids'], strict=True):
        if len(ids) > limit:
            raise StMemoryError(
                f'query {query!r}: expected at most {limit} tokens, found {len(ids)}'
            )
    rows = loaded.tokenizer(
        list(queries), padding='max_length', max_length=limit, return_tensors='pt'
    )
    return {name: rows[name] for name in ('input_ids', 'attention_mask')}


@contextmanager
def _without_bars(transformers: ModuleType) -> Iterator[None]:
    """Load without progress bars of the library's own."""
    logging = transformers.utils.logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


@contextmanager
def _threads(torch: ModuleType, num_threads: int) -> Iterator[None]:
    """Compute with so many threads, and leave the process as it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(num_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)

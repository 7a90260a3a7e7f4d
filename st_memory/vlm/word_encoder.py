"""
Free text as vectors: averaged token embeddings of a small model whose weights come in a wheel.

The files of the ``wordllama`` package are read in place; none of its code runs, which could
fetch others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
import importlib.util
import logging
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from st_memory.core.errors import ConfigError
from st_memory.vlm.cosine import closest_rows

__all__ = ['MAX_CHARS', 'WordEncoder', 'word_encoder']

_logger = logging.getLogger(__name__)

# No name or question is longer; of a longer one the beginning counts.
MAX_CHARS = 2000
_PACKAGE = 'wordllama'
_WEIGHTS = Path('weights') / 'l2_supercat_256.safetensors'
_TOKENIZER = Path('tokenizers') / 'l2_supercat_tokenizer_config.json'
_TENSOR = 'embedding.weight'


class WordEncoder:
    """
    Mean of the embeddings of a text's tokens, of length 1.

    Parameters
    ----------
    folder : Path
        Holds ``weights/l2_supercat_256.safetensors`` and
        ``tokenizers/l2_supercat_tokenizer_config.json``.

    Raises
    ------
    ConfigError
        If a file is missing or cannot be read, or what reads them is not installed.

    References
    ----------
    .. [1] WordLlama (2024), token embeddings of a language model, trained to be averaged.

    """

    def __init__(self, folder: Path) -> None:
        try:
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ConfigError(f'{error.name} is not installed: install the extra words') from error
        for name in (_WEIGHTS, _TOKENIZER):
            if not (folder / name).is_file():
                raise ConfigError(f'{folder / name}: expected a file of the package {_PACKAGE}')
        try:
            rows = load_file(str(folder / _WEIGHTS))[_TENSOR]
            self._tokenizer: Any = Tokenizer.from_file(str(folder / _TOKENIZER))
        except Exception as error:
            raise ConfigError(f'{folder}: not the files of {_PACKAGE}: {error}') from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._rows: NDArray[np.float32] = np.ascontiguousarray(rows, dtype=np.float32)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._rows.shape[1])

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one row of length 1 for each text; zeros for one without tokens."""
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(out, texts, strict=True):
            row[:] = self._vector(text[:MAX_CHARS])
        return out

    def closest(
        self, rows: NDArray[np.float32], row: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Find the rows most alike to one, the most alike first."""
        return closest_rows(rows, row, count)

    def _vector(self, text: str) -> NDArray[np.float32]:
        known = text.encode('utf-8', errors='ignore').decode('utf-8').lower().strip()
        ids = self._tokenizer.encode(known, add_special_tokens=False).ids
        chosen = [i for i in ids if i < len(self._rows)]
        if not chosen:
            return np.zeros(self.dimension, dtype=np.float32)
        mean: NDArray[np.float64] = self._rows[chosen].mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(mean))
        unit = mean / length if length > 0.0 else mean
        return unit.astype(np.float32)


@lru_cache(maxsize=1)
def word_encoder() -> WordEncoder | None:
    """
    Give the encoder of the installed ``wordllama`` package; None where there is none.

    A package that is there and cannot be used is logged, once a process: free text is compared by
    its words then, as it is without the package.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    try:
        return WordEncoder(Path(found.submodule_search_locations[0]))
    except ConfigError as error:
        _logger.warning('free text is compared by its words, not by meaning: %s', error)
        return None

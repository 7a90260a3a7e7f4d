"""The two stages and the manifest that ties them together."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from st_memory import __version__
from st_memory.benchmark.registry import Benchmark
from st_memory.core.errors import DatasetError, StMemoryError

__all__ = ['MANIFEST', 'SCORE', 'run_predict', 'run_score']

MANIFEST = 'manifest.json'
SCORE = 'score.json'


def run_predict(benchmark: Benchmark, data: Path, out: Path, seed: int = 0) -> dict[str, Any]:
    """
    Predict, without reading any truth.

    Parameters
    ----------
    benchmark : Benchmark
        Which.
    data : Path
        Folder of the data.
    out : Path
        Folder for the per-item files; made if absent. Its ``manifest.json`` says what ran.
    seed : int
        Seed of whatever is random.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    DatasetError
        If ``data`` is not a folder.
    StMemoryError
        If ``out`` holds the run of another benchmark.

    """
    if not data.is_dir():
        raise DatasetError(f'{data}: expected a folder with the data of {benchmark.name}')
    earlier = _read_manifest(out)
    if earlier and earlier['benchmark'] != benchmark.name:
        raise StMemoryError(f'{out}: holds a run of {earlier["benchmark"]}, not {benchmark.name}')
    out.mkdir(parents=True, exist_ok=True)
    (out / SCORE).unlink(missing_ok=True)  # a score of other predictions must not survive
    said = benchmark.predict(data, out, seed)
    manifest = {
        'benchmark': benchmark.name,
        'version': __version__,
        'seed': seed,
        'run': dict(said),
        'predictions_sha256': {name: _sha256(out / name) for name in benchmark.predictions},
    }
    _write_json(out / MANIFEST, manifest)
    return manifest


def run_score(benchmark: Benchmark, data: Path, out: Path) -> dict[str, Any]:
    """
    Score the per-item files of a run; writes and gives ``score.json``.

    Raises
    ------
    StMemoryError
        If ``out`` holds no run of this benchmark, or its files are not those that were
        predicted.

    """
    manifest = _read_manifest(out)
    if not manifest:
        raise StMemoryError(f'{out}: no {MANIFEST} there; run bench predict first')
    if manifest['benchmark'] != benchmark.name:
        raise StMemoryError(f'{out}: holds a run of {manifest["benchmark"]}, not {benchmark.name}')
    for name, digest in manifest['predictions_sha256'].items():
        if not (out / name).is_file() or _sha256(out / name) != digest:
            raise StMemoryError(f'{out / name}: is not the file that was predicted')
    result = {
        'benchmark': benchmark.name,
        'version': manifest['version'],
        **benchmark.score(data, out),
    }
    _write_json(out / SCORE, result)
    return result


def _read_manifest(out: Path) -> dict[str, Any]:
    path = out / MANIFEST
    if not path.is_file():
        return {}
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
        manifest['benchmark'], manifest['predictions_sha256'], manifest['version']
    except (ValueError, KeyError, TypeError) as error:
        raise StMemoryError(f'{path}: expected a manifest of a benchmark run') from error
    return manifest


def _write_json(path: Path, value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    path.write_text(text + '\n', encoding='utf-8')


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()

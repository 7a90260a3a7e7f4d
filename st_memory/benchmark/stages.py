"""The two stages and the manifest that ties them together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import hashlib
import json
from pathlib import Path
import secrets
from typing import Any

from st_memory import __version__
from st_memory.benchmark.registry import Benchmark
from st_memory.core.errors import ConfigError, DatasetError, StMemoryError

__all__ = ['MANIFEST', 'SCORE', 'run_predict', 'run_score']

MANIFEST = 'manifest.json'
SCORE = 'score.json'
_RECORDINGS = 'recordings'
_NUM_SEEDS = 2**31


def run_predict(
    benchmark: Benchmark, data: Path | None, out: Path, seed: int | None = None
) -> dict[str, Any]:
    """
    Predict, without reading any truth.

    Parameters
    ----------
    benchmark : Benchmark
        Which.
    data : Path, optional
        Folder of the data. A benchmark that renders its own puts them there, by default into
        ``out``.
    out : Path
        Folder for the per-item files; made if absent. Its ``manifest.json`` says what ran.
    seed : int, optional
        Seed of whatever is random, >= 0; by default 0, or a fresh one where data are rendered,
        so that no figure can be tuned to them. The manifest says which.

    Returns
    -------
    dict
        The manifest.

    Raises
    ------
    ConfigError
        If the seed is negative.
    DatasetError
        If ``data`` is not a folder, and has to be one.
    StMemoryError
        If ``out`` holds the run of another benchmark, or files of something else.

    Notes
    -----
    An earlier run in ``out`` is replaced, and kept whole when the data cannot be read.

    """
    if seed is not None and seed < 0:
        raise ConfigError(f'seed: expected a whole number >= 0, got {seed}')
    data = _data_folder(benchmark, data, out)
    if not benchmark.is_rendered and not data.is_dir():
        raise DatasetError(f'{data}: expected a folder with the data of {benchmark.name}')
    earlier = _earlier_run(benchmark, data, out)
    if seed is None:
        seed = secrets.randbelow(_NUM_SEEDS) if benchmark.is_rendered else 0
    with _kept_whole(benchmark, out, earlier):
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


def _earlier_run(benchmark: Benchmark, data: Path, out: Path) -> dict[str, Any]:
    """Give the manifest of an earlier run in ``out``; raise unless its files may be replaced."""
    if out.exists() and not out.is_dir():
        raise StMemoryError(f'{out}: expected a folder for the results, found a file')
    above = next(parent for parent in out.absolute().parents if parent.exists())
    if not above.is_dir():
        raise StMemoryError(f'{out}: expected to be in a folder, found the file {above}')
    earlier = _read_manifest(out)
    if earlier and earlier['benchmark'] != benchmark.name:
        raise StMemoryError(f'{out}: holds a run of {earlier["benchmark"]}, not {benchmark.name}')
    if not earlier and out.is_dir() and out.absolute() != data.absolute():
        found = next((path.name for path in sorted(out.iterdir())), None)
        if found is not None:
            raise StMemoryError(
                f'{out}: expected an empty folder or an earlier run of {benchmark.name}, '
                f'found {found} and no {MANIFEST}'
            )
    return earlier


@contextmanager
def _kept_whole(benchmark: Benchmark, out: Path, earlier: dict[str, Any]) -> Iterator[None]:
    """
    Put an earlier score aside while there are new predictions to be made.

    It comes back when they were not begun; beside other predictions no score survives.
    """
    is_new = not out.exists()
    out.mkdir(parents=True, exist_ok=True)
    aside = out / f'{SCORE}.earlier'
    if (out / SCORE).exists():
        (out / SCORE).replace(aside)
    if not earlier:  # whatever is left of this run may be replaced by the next one
        nothing = dict.fromkeys(benchmark.predictions, '')
        mark = {'benchmark': benchmark.name, 'version': __version__, 'predictions_sha256': nothing}
        _write_json(out / MANIFEST, mark)
    try:
        yield
    except BaseException:
        if earlier and aside.exists() and not _changed(out, earlier):
            aside.replace(out / SCORE)
        if not earlier and [path.name for path in out.iterdir()] == [MANIFEST]:
            (out / MANIFEST).unlink()
            if is_new:
                out.rmdir()
        raise
    finally:
        aside.unlink(missing_ok=True)


def _changed(out: Path, manifest: dict[str, Any]) -> list[str]:
    """Name the predictions that are not those of a manifest."""
    return [
        name
        for name, digest in manifest['predictions_sha256'].items()
        if not (out / name).is_file() or _sha256(out / name) != digest
    ]


def run_score(benchmark: Benchmark, data: Path | None, out: Path) -> dict[str, Any]:
    """
    Score the per-item files of a run; writes and gives ``score.json``.

    Raises
    ------
    DatasetError
        If no data are given to a benchmark that needs some.
    StMemoryError
        If ``out`` holds no run of this benchmark, or its files are not those that were
        predicted.

    """
    data = _data_folder(benchmark, data, out)
    manifest = _read_manifest(out)
    if not manifest:
        raise StMemoryError(f'{out}: no {MANIFEST} there; run bench predict first')
    if manifest['benchmark'] != benchmark.name:
        raise StMemoryError(f'{out}: holds a run of {manifest["benchmark"]}, not {benchmark.name}')
    for name in _changed(out, manifest):
        raise StMemoryError(f'{out / name}: is not the file that was predicted')
    result = {
        'benchmark': benchmark.name,
        'version': manifest['version'],
        **benchmark.score(data, out),
    }
    _write_json(out / SCORE, result)
    return result


def _data_folder(benchmark: Benchmark, data: Path | None, out: Path) -> Path:
    """Give the folder of the data; only what is rendered has one of its own."""
    if data is not None:
        return data
    if benchmark.is_rendered:
        return out / _RECORDINGS
    raise DatasetError(f'{benchmark.name}: expected a folder with its data, got none')


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

"""
Visibility of every object of an Aria Digital Twin folder in every look with depth.

The folder becomes a bag, the bag a memory, and the verdicts of each look are the prediction.
Truth is the visibility ratio in ``2d_bounding_box.csv``, rendered by the makers of the data set;
neither it nor the segmentation is opened before scoring.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from st_memory.bags import BagRecorder
from st_memory.benchmark.share_samples import (
    follow,
    PRESET,
    read_samples,
    SAMPLES,
    write_samples,
)
from st_memory.benchmark.share_truth import agreement, read_truth
from st_memory.datasets import convert_adt

__all__ = ['SAMPLES', 'predict', 'score']

_TRUTH = Path('raw') / '2d_bounding_box.csv'


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``samples.csv``: every object at every stamp that has depth.

    Parameters
    ----------
    data : Path
        An Aria Digital Twin folder; its truth is not opened.
    out : Path
        Receives the bag and the per-item file.
    seed : int
        Unused: nothing is random.

    """
    del seed
    bag = out / 'bag.mcap'
    with BagRecorder(bag, overwrite=True) as sink:
        report = convert_adt(data, sink)
    samples = follow(bag, report.stream_by_camera, report.object_ids, needs_depth=True)
    return {
        'preset': PRESET,
        'samples': write_samples(out / SAMPLES, samples),
        'problems': dict(sorted(Counter(p.what for p in report.problems).items())),
    }


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the samples with the true visibility ratios, camera by camera.

    Returns
    -------
    dict
        ``cameras``: per stream id what :func:`agreement` gives.

    """
    truth = read_truth(data / _TRUTH)
    samples = read_samples(out / SAMPLES)
    streams = sorted({s.stream_id for s in samples})
    return {
        'cameras': {
            name: agreement([s for s in samples if s.stream_id == name], truth) for name in streams
        }
    }

"""
Visibility of the handled objects of a HOT3D sequence in every look.

The sequence becomes a bag with the objects' meshes as parts that move, the bag a memory, and the
verdicts of each look are the prediction. There is no depth: an object is hidden only by meshes,
of other objects that have one. Hands and the room have none, so what they hide counts as
visible. Truth is the visibility ratio in ``box2d_objects.csv``, which is not opened before
scoring; it is of the whole outline, also of what lies beyond the border of the image.
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
    ShareSample,
    write_samples,
)
from st_memory.benchmark.share_truth import agreement, read_truth
from st_memory.datasets import convert_hot3d, find_hot3d
from st_memory.scene import load_scene

__all__ = ['SAMPLES', 'predict', 'score']

_TRUTH = 'box2d_objects.csv'
# Corners and centre of a box.
_TEST_POINTS = 9


def predict(data: Path, out: Path, seed: int) -> dict[str, Any]:
    """
    Write ``samples.csv``: every object at every look of every camera.

    Parameters
    ----------
    data : Path
        A HOT3D folder with its object library; its truth is not opened.
    out : Path
        Receives the bag and the per-item file.
    seed : int
        Unused: nothing is random.

    """
    del seed
    bag = out / 'bag.mcap'
    meshes = {name: load_scene(path, up='z') for name, path in find_hot3d(data).mesh_paths.items()}
    with BagRecorder(bag, overwrite=True) as sink:
        report = convert_hot3d(data, sink, meshes=meshes)
    samples = follow(bag, report.stream_by_camera, report.object_ids, needs_depth=False)
    return {
        'preset': PRESET,
        'samples': write_samples(out / SAMPLES, map(_of_the_whole, samples)),
        'objects_with_mesh': sorted(set(report.object_ids) & set(meshes)),
        'problems': dict(sorted(Counter(p.what for p in report.problems).items())),
    }


def _of_the_whole(sample: ShareSample) -> ShareSample:
    """Count what is beyond the border of the image as not visible, as the truth does."""
    in_image = sample.in_view_points / _TEST_POINTS
    return sample._replace(visible_share=sample.visible_share * in_image)


def score(data: Path, out: Path) -> dict[str, Any]:
    """
    Compare the samples with the true visibility ratios.

    Returns
    -------
    dict
        What :func:`agreement` gives over all cameras; ``cameras``: the same per stream id;
        ``objects``: the same over those with a mesh and those without, which are judged as
        points.

    """
    folder = find_hot3d(data)
    truth = read_truth(folder.sequence / _TRUTH)
    samples = read_samples(out / SAMPLES)
    meshes = folder.mesh_paths
    return {
        **agreement(samples, truth),
        'cameras': {
            name: agreement([s for s in samples if s.stream_id == name], truth)
            for name in sorted({s.stream_id for s in samples})
        },
        'objects': {
            'with_mesh': agreement([s for s in samples if s.object_uid in meshes], truth),
            'without_mesh': agreement([s for s in samples if s.object_uid not in meshes], truth),
        },
    }

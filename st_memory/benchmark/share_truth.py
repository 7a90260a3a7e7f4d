"""True visible shares, and how well samples agree with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import csv
from pathlib import Path
from typing import Any

import numpy as np

from st_memory.benchmark.share_samples import ShareSample
from st_memory.core.errors import DatasetError

__all__ = ['agreement', 'read_truth', 'truth_of']

# Truth and samples are of one moment when their stamps differ by no more.
_MAX_STAMP_GAP_NS = 1_000_000
# Fewer projected points say too little about a share.
_MIN_POINTS = 3

Truth = Mapping[tuple[str, int], Mapping[str, float]]


def read_truth(path: Path) -> dict[tuple[str, int], dict[str, float]]:
    """
    Read true visible shares, by stream and stamp, then by object.

    The column is called a percentage and holds a share in [0, 1].

    Raises
    ------
    DatasetError
        If the table is missing or holds something else.

    """
    if not path.is_file():
        raise DatasetError(f'{path.parent}: expected {path.name} to score against, found none')
    truth: dict[tuple[str, int], dict[str, float]] = {}
    with path.open(newline='', encoding='utf-8') as file:
        try:
            for row in csv.DictReader(file):
                share = float(row['visibility_ratio[%]'])
                if not 0.0 <= share <= 1.0:
                    raise ValueError(f'a share of {share}')
                moment = row['stream_id'], int(row['timestamp[ns]'])
                truth.setdefault(moment, {})[row['object_uid']] = share
        except (KeyError, ValueError, TypeError) as error:
            clause = f'{type(error).__name__}: {error}'
            raise DatasetError(f'{path}: expected visible shares, found {clause}') from error
    return truth


def truth_of(truth: Truth, stream_id: str, stamp_ns: int) -> Mapping[str, float] | None:
    """Give the shares of the moment nearest to a stamp; None when none is within 1 ms."""
    stamps = [at for name, at in truth if name == stream_id]
    nearest = min(stamps, key=lambda at: (abs(at - stamp_ns), at), default=None)
    if nearest is None or abs(nearest - stamp_ns) > _MAX_STAMP_GAP_NS:
        return None
    return truth[stream_id, nearest]


def agreement(samples: Iterable[ShareSample], truth: Truth) -> dict[str, Any]:
    """
    Compare samples with true shares.

    Returns
    -------
    dict
        ``samples``: how many have a truth; ``accuracy``: share of them with ``visible`` right,
        where true is a listed share above 0; ``always_visible``: what saying so always would
        reach; ``missed`` and ``imagined``: how many are wrong each way; ``correlation``
        (Pearson) of ``visible_share`` with the true share over the ``compared`` listed objects
        with more than three projected points and a known share. None where there is nothing to
        compare.

    """
    said, true, pairs = [], [], []
    shares_at: dict[tuple[str, int], Mapping[str, float] | None] = {}
    for s in samples:
        look = s.stream_id, s.stamp_ns
        if look not in shares_at:
            shares_at[look] = truth_of(truth, *look)
        shares = shares_at[look]
        if shares is None:
            continue
        said.append(bool(s.visible))
        true.append(shares.get(s.object_uid, 0.0) > 0.0)
        listed = s.object_uid in shares and s.in_view_points > _MIN_POINTS
        if listed and not np.isnan(s.visible_share):
            pairs.append((s.visible_share, shares[s.object_uid]))
    predicted, actual = np.array(said, dtype=bool), np.array(true, dtype=bool)
    return {
        'samples': len(said),
        'accuracy': float((predicted == actual).mean()) if said else None,
        'always_visible': float(actual.mean()) if said else None,
        'missed': int((actual & ~predicted).sum()),
        'imagined': int((predicted & ~actual).sum()),
        'compared': len(pairs),
        'correlation': _correlation(pairs),
    }


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's; None without any spread."""
    x, y = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(np.corrcoef(x, y)[0, 1])

"""What of a camera does not come together, though both come."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.conversions.roles import TopicKind
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import Finding, LiveInputs, PairGap, Severity

__all__ = ['pair_findings']

_NS_PER_MS = 1_000_000
_WORDS = {TopicKind.IMAGE: 'colour'}


def pair_findings(inputs: LiveInputs) -> Iterator[Finding]:
    """Name kinds of messages whose stamps never come as near to each other as they must."""
    for gap in inputs.pair_gaps:
        if gap.best_ns > inputs.slop_ns:
            yield _finding(inputs, gap)


def _finding(inputs: LiveInputs, gap: PairGap) -> Finding:
    best_ms, slop_ms = gap.best_ns / _NS_PER_MS, inputs.slop_ns / _NS_PER_MS
    best_s = gap.best_ns / NS_PER_S
    rates = ', '.join(_rate(inputs, gap.camera_id, kind) for kind in (gap.first, gap.second))
    return Finding(
        Severity.ERROR,
        'pair_gap',
        gap.camera_id,
        f'nothing of {gap.camera_id} pairs: {rates}, best gap {best_ms:.3g} ms > slop '
        f'{slop_ms:.3g} ms',
        f'Stamp both with the time of the image, or set slop_s above {best_s:.3g}.',
    )


def _rate(inputs: LiveInputs, camera: str, kind: TopicKind) -> str:
    came = inputs.of(kind, camera)
    rate_hz = None if came is None else came.rate_hz
    return f'{_WORDS.get(kind, kind.value)} {"?" if rate_hz is None else f"{rate_hz:.3g}"} Hz'

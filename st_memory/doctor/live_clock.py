"""What is wrong with the clocks, from the stamps that come."""

from __future__ import annotations

from collections.abc import Iterator

from st_memory.conversions.roles import TopicKind
from st_memory.core.stamps import NS_PER_S
from st_memory.doctor.findings import Finding, LiveInputs, Received, Severity

__all__ = ['clock_findings']

_FAR_NS = 10 * NS_PER_S
# Nothing is sensed before its time: a little is the error of clocks that are set by each other.
_AHEAD_NS = NS_PER_S
_DRIFT_NS = NS_PER_S // 2
# Images and transforms of one robot are this near to each other, however slow the network.
_APART_NS = 5 * NS_PER_S
_ALIVE_S = 2.0


def clock_findings(inputs: LiveInputs) -> Iterator[Finding]:
    """Name clocks that stand, differ or drift."""
    if inputs.uses_sim_time and not inputs.has_clock:
        yield Finding(
            Severity.ERROR,
            'no_clock',
            '/clock',
            'use_sim_time is set, and nobody publishes /clock',
            'Start the simulator or play the bag with --clock, or set use_sim_time to false.',
        )
        return
    if not inputs.is_clock_running:
        yield Finding(
            Severity.WARNING,
            'clock_silent',
            '/clock',
            'use_sim_time is set, and /clock has not said a time yet',
            'Start the simulator or go on with the bag: it may be paused.',
        )
        return
    yield from _offset(inputs)
    yield from _drift(inputs)
    yield from _apart(inputs)


def _offset(inputs: LiveInputs) -> Iterator[Finding]:
    """Compare the stamps with the clock of the node."""
    far = [
        r
        for r in inputs.received
        if r.last_ns is not None and not -_AHEAD_NS <= r.late_ns <= _FAR_NS
    ]
    if not far:
        return
    worst = max(far, key=lambda r: abs(r.late_ns))
    side = 'behind' if worst.late_ns > 0 else 'ahead of'
    who, far_s = _name(worst), abs(worst.late_ns) / NS_PER_S
    remedy = 'Set use_sim_time when a bag or a simulator is played, or set the clocks.'
    if inputs.has_clock and not inputs.uses_sim_time:
        remedy = 'Set use_sim_time to true: /clock is published.'
    yield Finding(
        Severity.WARNING,
        'clock_offset',
        who,
        f"stamps of {who} are {far_s:.1f} s {side} the node's clock",
        remedy,
    )


def _drift(inputs: LiveInputs) -> Iterator[Finding]:
    """Tell of stamps that run away from the clock of the node."""
    for r in inputs.received:
        if abs(r.drift_ns) > _DRIFT_NS:
            who, drift_s = _name(r), abs(r.drift_ns) / NS_PER_S
            side = 'behind' if r.drift_ns > 0 else 'ahead of'
            yield Finding(
                Severity.WARNING,
                'clock_drift',
                who,
                f"stamps of {who} have drifted {drift_s:.1f} s {side} the node's clock",
                'Let the driver stamp with the time of the host, or keep its clock set; a node '
                'that is too slow for what comes shows the same.',
            )


def _apart(inputs: LiveInputs) -> Iterator[Finding]:
    """Compare the stamps of images with those of transforms while both come."""
    moving = [link.last_ns for link in inputs.links if not link.static]
    transforms = inputs.of(TopicKind.TF)
    if not moving or not _is_alive(transforms):
        return
    newest_ns = max(moving)
    for r in inputs.received:
        if r.kind is not TopicKind.CAMERA_INFO or r.last_ns is None or not _is_alive(r):
            continue
        apart_ns = r.last_ns - newest_ns
        if abs(apart_ns) > _APART_NS:
            side = 'ahead of' if apart_ns > 0 else 'behind'
            yield Finding(
                Severity.ERROR,
                'stamps_apart',
                r.camera_id,
                f'stamps of {_name(r)} are {abs(apart_ns) / NS_PER_S:.1f} s {side} those of /tf',
                'Set the clocks of the two by each other, or let both stamp with header time.',
            )


def _is_alive(received: Received | None) -> bool:
    return received is not None and (received.quiet_s or 0.0) <= _ALIVE_S


def _name(received: Received) -> str:
    return received.topic or received.camera_id or received.kind.value

"""The rows of ``/diagnostics``: what comes in, what becomes of it, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
import enum
import time
from typing import NamedTuple, TYPE_CHECKING

from st_memory.conversions.roles import TopicKind
from st_memory.doctor import Finding, LiveInputs, Received, Severity

if TYPE_CHECKING:
    from st_memory.ros.ingest import Ingest

__all__ = ['Level', 'Row', 'diagnostic_rows']

# What was counted longer ago is past.
_RECENT_S = 10.0
_NS_PER_S = 1_000_000_000
_CLOCK = ('no_clock', 'clock_silent', 'clock_offset', 'clock_drift', 'stamps_apart')
_TRANSFORMS = ('no_tf', 'no_pose', 'missing_pose', 'missing_pose_in_gap', 'transform_breaks_tree')
_STORE = ('backlog', 'late_frame', 'internal_error')
_KIND_BY_CODE = {
    'no_camera_info': TopicKind.CAMERA_INFO,
    'silent': TopicKind.CAMERA_INFO,
    'no_detections': TopicKind.DETECTIONS,
    'detections_stopped': TopicKind.DETECTIONS,
    'no_depth': TopicKind.DEPTH,
    'depth_stopped': TopicKind.DEPTH,
}
_ENDED = ('silent', 'detections_stopped', 'depth_stopped')


class Level(enum.IntEnum):
    """The levels of ``diagnostic_msgs/DiagnosticStatus``."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


class Row(NamedTuple):
    """One status: its name behind the name of the memory, and what is known of it."""

    name: str
    level: Level
    message: str
    values: Mapping[str, str]


def diagnostic_rows(
    inputs: LiveInputs, found: Sequence[Finding], ingest: Ingest | None
) -> tuple[Row, ...]:
    """
    Give a row for each topic, camera and stage.

    Parameters
    ----------
    inputs : LiveInputs
        What is received.
    found : sequence of Finding
        What is wrong with it.
    ingest : Ingest, optional
        What takes it in; None while nothing is taken in.

    """
    recent = [f for f in found if not _is_past(f, inputs)]
    rows = [_row('memory', recent, {'findings': str(len(recent)), **_listed(recent)})]
    if ingest is None:
        return tuple(rows)
    rows += [_topic(r, recent, inputs) for r in inputs.received if r.topic]
    cameras = sorted({r.camera_id for r in inputs.received if r.camera_id})
    rows += [_pairing(camera, recent, inputs) for camera in cameras]
    rows.append(_row('transforms', _of(recent, _TRANSFORMS), _pose_values(inputs, ingest)))
    rows.append(_row('clock', _of(recent, _CLOCK), _clock_values(inputs)))
    rows.append(_row('store', _of(recent, _STORE), _store_values(ingest)))
    counted = [f for f in recent if any(f.code == n.partition(' ')[0] for n in inputs.counters)]
    rows.append(_row('left out', counted, {n: str(c) for n, c in inputs.counters.items()}))
    return tuple(rows)


def _is_past(finding: Finding, inputs: LiveInputs) -> bool:
    """Whether it only tells of what was counted some time ago."""
    ago_s = [
        inputs.counted_s.get(name, 0.0)
        for name in inputs.counters
        if name.partition(' ')[0] == finding.code
    ]
    return bool(ago_s) and min(ago_s) > _RECENT_S


def _of(found: Sequence[Finding], codes: Sequence[str]) -> list[Finding]:
    return [finding for finding in found if finding.code in codes]


def _listed(found: Sequence[Finding]) -> dict[str, str]:
    return {f'{f.code} {f.subject}': f'{f.message}. {f.remedy}' for f in found}


def _row(name: str, found: Sequence[Finding], values: Mapping[str, str]) -> Row:
    """Give a row that is as bad as the worst of what was found."""
    if not found:
        return Row(name, Level.OK, 'ok', values)
    worst = max(found, key=lambda f: f.severity)
    is_past = all(f.code in _ENDED for f in found)
    level = Level.STALE if is_past else _LEVELS[worst.severity]
    more = f' (and {len(found) - 1} more)' if len(found) > 1 else ''
    return Row(name, level, f'{worst.message}. {worst.remedy}{more}', values)


_LEVELS = {
    Severity.INFO: Level.OK,
    Severity.WARNING: Level.WARN,
    Severity.ERROR: Level.ERROR,
}


def _topic(received: Received, found: Sequence[Finding], inputs: LiveInputs) -> Row:
    about = [
        f
        for f in found
        if f.subject == received.topic
        or (f.subject == received.camera_id != '' and _KIND_BY_CODE.get(f.code) is received.kind)
    ]
    values = {
        'used as': received.kind.value,
        'camera': received.camera_id,
        'messages': str(received.num_messages),
        'lost': str(received.num_lost),
        'rate_hz': _number(received.rate_hz),
        'last_age_s': _number(received.quiet_s),
        'stamp_late_s': _number(received.late_ns / _NS_PER_S),
        'stamp_drift_s': _number(received.drift_ns / _NS_PER_S),
    }
    if received.topic in inputs.unheard:
        values['incompatible_policy'] = inputs.unheard[received.topic]
    return _row(f'inputs{received.topic}', about, values)


def _pairing(camera: str, found: Sequence[Finding], inputs: LiveInputs) -> Row:
    values = {}
    for gap in inputs.pair_gaps:
        if gap.camera_id == camera:
            pair = f'{gap.first.value} and {gap.second.value}'
            values[f'best_gap_ms {pair}'] = f'{gap.best_ns / 1e6:.3f}'
    values['slop_ms'] = f'{inputs.slop_ns / 1e6:.3f}'
    values |= dict(_shares(camera, inputs))
    about = [f for f in found if f.subject == camera and f.code not in _CLOCK]
    return _row(f'pairing/{camera}', about, values)


def _shares(camera: str, inputs: LiveInputs) -> Iterator[tuple[str, str]]:
    """Give what came beside the images, as a share of them."""
    images = inputs.count(TopicKind.CAMERA_INFO, camera)
    for kind in (TopicKind.DEPTH, TopicKind.DETECTIONS):
        if images:
            yield f'{kind.value} per image', f'{inputs.count(kind, camera) / images:.3f}'


def _pose_values(inputs: LiveInputs, ingest: Ingest) -> dict[str, str]:
    poses = dict(ingest.figures.poses)
    looks = sum(poses.values())
    return {
        'links': str(len(inputs.links)),
        'frames_waiting': str(ingest.num_waiting),
        'posed_share': f'{poses.get("posed", 0) / looks:.3f}' if looks else '',
        **{f'looks {name}': str(count) for name, count in sorted(poses.items())},
        **{f'pose of {name}': why or 'ok' for name, why in sorted(inputs.pose_problems.items())},
    }


def _clock_values(inputs: LiveInputs) -> dict[str, str]:
    return {
        'use_sim_time': str(inputs.uses_sim_time).lower(),
        'clock_published': str(inputs.has_clock).lower(),
        'clock_running': str(inputs.is_clock_running).lower(),
    }


def _store_values(ingest: Ingest) -> dict[str, str]:
    figures, progress = ingest.figures, ingest.progress
    committed_s = figures.committed_s
    age_s = None if committed_s is None else time.monotonic() - committed_s
    newest = progress.newest
    return {
        'messages': str(progress.num_messages),
        'frames': str(progress.num_frames),
        'newest_epoch': '' if newest is None else str(newest.epoch),
        'newest_stamp_ns': '' if newest is None else str(newest.stamp_ns),
        'frame_age_s': _number(age_s),
        'commit_ms': f'{1e3 * figures.commit_s:.2f}',
        'delay_ms': f'{1e3 * figures.delay_s:.2f}',
        'queue': str(ingest.num_queued),
        'queue_capacity': str(ingest.capacity),
        'frames_waiting': str(ingest.num_waiting),
        'dropped': str(ingest.counters.get('backlog', 0)),
    }


def _number(value: float | None) -> str:
    return '' if value is None else f'{value:.3f}'

"""What a node has received, for whoever asks why nothing is remembered."""

from __future__ import annotations

from dataclasses import replace
import threading
import time
from typing import Any, TYPE_CHECKING

from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.conversions.stamps import frame_name, stamp_from_time
from st_memory.core.errors import ConversionError
from st_memory.doctor import LiveInputs, PairGap, Received, received_findings, TransformLink
from st_memory.ros.since import Since
from st_memory.ros.streams import best_gap_ns, Stream

if TYPE_CHECKING:
    from rclpy.node import Node

    from st_memory.ros.ingest import Ingest
    from st_memory.ros.topics import MemorySubscriptions

__all__ = ['InputWatch']

_UNSTAMPED = (TopicKind.TF, TopicKind.TF_STATIC, TopicKind.SCENE, TopicKind.MESH)
_MOST_LINKS = 10_000
# Beyond this a stream has stopped, and its stamps say nothing of the others'.
_ALIVE_S = 2.0


class InputWatch:
    """
    Counts and times messages by what they are for.

    Parameters
    ----------
    node : Node
        Whose clock, and whose topics.
    fixed_frame : str
        Frame in which objects are remembered.
    slop_ns : int
        Stamps of one camera this far apart are one look.

    """

    def __init__(self, node: Node, fixed_frame: str, slop_ns: int = 0) -> None:
        self._node = node
        self._fixed_frame = fixed_frame
        self._slop_ns = slop_ns
        self._streams: dict[TopicRole, Stream] = {}
        self._links: dict[tuple[str, str, bool], list[int]] = {}
        self._since = Since()
        # An executor of several threads asks while messages come.
        self._lock = threading.Lock()

    def note(self, role: TopicRole, message: Any) -> None:
        """Count a message."""
        stamp_ns, late_ns = None, 0
        if role.kind not in _UNSTAMPED and hasattr(message, 'header'):
            stamp_ns = _stamp_of(message.header)
            now_ns = self._node.get_clock().now().nanoseconds
            late_ns = now_ns - stamp_ns if now_ns and stamp_ns is not None else 0
        with self._lock:
            stream = self._streams.setdefault(role, Stream())
            stream.note(time.monotonic(), stamp_ns, late_ns)
            if role.kind in (TopicKind.TF, TopicKind.TF_STATIC):
                self._note_links(message, is_static=role.kind is TopicKind.TF_STATIC)

    def tick(self, subscriptions: MemorySubscriptions, ingest: Ingest) -> None:
        """Take note of what is wrong now, to say later since when; about once a second."""
        inputs = self.inputs(subscriptions, ingest)
        self._since.note(received_findings(inputs), inputs.counters, time.monotonic())

    def inputs(self, subscriptions: MemorySubscriptions, ingest: Ingest) -> LiveInputs:
        """Give all that is known of what comes in."""
        node, now_s = self._node, time.monotonic()
        names = subscriptions.topic_by_role
        figures = ingest.figures
        unusable = dict(figures.unusable)
        with self._lock:
            streams = {role: self._received(role, now_s) for role in self._streams}
            links = tuple(TransformLink(*key, *self._links[key]) for key in sorted(self._links))
            gaps = self._gaps(now_s)
        return LiveInputs(
            is_active=True,
            received=tuple(
                replace(
                    streams.get(role) or Received(role.kind, role.camera_id),
                    topic=names.get(role, ''),
                    num_lost=subscriptions.num_lost[role],
                )
                for role in {**dict.fromkeys(names), **streams}
            ),
            counters=ingest.counters,
            pose_problems=dict(figures.pose_problems),
            on_probation=ingest.on_probation,
            unheard=subscriptions.unheard(),
            fixed_frame=self._fixed_frame,
            uses_sim_time=bool(node.get_parameter('use_sim_time').value),
            has_clock=node.count_publishers('/clock') > 0,
            is_clock_running=node.get_clock().now().nanoseconds > 0,
            pair_gaps=gaps,
            slop_ns=self._slop_ns,
            links=links,
            unusable={names.get(role, role.camera_id): text for role, text in unusable.items()},
            since_s=self._since.found_s(now_s),
            counted_s=self._since.counted_s(now_s),
        )

    def _received(self, role: TopicRole, now_s: float) -> Received:
        stream = self._streams[role]
        return Received(
            role.kind,
            role.camera_id,
            num_messages=stream.num_messages,
            last_ns=stream.last_ns,
            late_ns=stream.late_ns,
            drift_ns=stream.drift_ns,
            rate_hz=stream.rate_hz(now_s),
            quiet_s=stream.quiet_s(now_s),
        )

    def _gaps(self, now_s: float) -> tuple[PairGap, ...]:
        """Compare what comes of a camera beside its images with the stamps of these."""
        alive = {r: s for r, s in self._streams.items() if (s.quiet_s(now_s) or 0.0) <= _ALIVE_S}
        found = []
        for role, stream in alive.items():
            if role.kind not in (TopicKind.DEPTH, TopicKind.DETECTIONS):
                continue
            images = TopicRole(TopicKind.IMAGE, role.camera_id)
            base = images if images in alive else images._replace(kind=TopicKind.CAMERA_INFO)
            if base in alive:
                gap_ns = best_gap_ns(alive[base].stamps, stream.stamps)
                if gap_ns is not None:
                    found.append(PairGap(role.camera_id, base.kind, role.kind, gap_ns))
        return tuple(found)

    def _note_links(self, message: Any, *, is_static: bool) -> None:
        for item in message.transforms:
            ends = frame_name(item.header.frame_id), frame_name(item.child_frame_id), is_static
            stamp_ns = _stamp_of(item.header) or 0
            known = self._links.get(ends)
            if known is not None:
                known[0] += 1
                known[1:] = min(known[1], stamp_ns), stamp_ns
            elif len(self._links) < _MOST_LINKS:
                self._links[ends] = [1, stamp_ns, stamp_ns]


def _stamp_of(header: Any) -> int | None:
    """Give a stamp, nanoseconds; None for what is no time."""
    try:
        return stamp_from_time(header.stamp)
    except ConversionError:
        return None

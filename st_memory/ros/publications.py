"""What a memory tells without being asked, after the frame is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from st_memory_interfaces.msg import EventArray, ObjectStateArray, Progress, VisibilityChange
from st_memory_interfaces.msg import ObjectState as ObjectStateMsg
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from st_memory.core.queries import StayChances, StayPrior
from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import Event, FrameDelta, Visibility
from st_memory.core.stamps import Moment
from st_memory.ros.frames import Frames
from st_memory.ros.ingest import IngestProgress
from st_memory.ros.live_store import LiveStore, LiveView
from st_memory.ros.marker_topic import MarkerTopic
from st_memory.ros.messages import event_message, interval_message, ObjectMessages, time_message
from st_memory.ros.qos import latched_qos, overridable, QosWarnings, reliable_qos

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleNode, LifecyclePublisher
    from rclpy.qos import QoSProfile

__all__ = ['MemoryPublications']


class MemoryPublications:
    """
    The topics of a memory; fed by the ingest's thread.

    Parameters
    ----------
    node : LifecycleNode
        Whose topics they are: ``~/objects``, ``~/visibility_changes``, ``~/events``,
        ``~/markers`` and ``~/processed``.
    store : LiveStore
        The memory.
    frames : Frames
        Names of frames.
    objects_period_ns : int
        Least sensor time between two messages on ``~/objects``; events are told at once.
    markers_period_ns : int
        The same for ``~/markers``; 0: none are published.
    stay_prior : StayPrior, optional
        What is believed of how long things stay; None: no chances are estimated.

    """

    def __init__(
        self,
        node: LifecycleNode,
        store: LiveStore,
        frames: Frames,
        objects_period_ns: int,
        markers_period_ns: int,
        stay_prior: StayPrior | None = None,
    ) -> None:
        self._node = node
        self._store = store
        self._frames = frames
        self._period_ns = objects_period_ns
        self._stay_prior = stay_prior
        self._messages = ObjectMessages(frames.fixed_frame)
        self._told: Moment | None = None
        warnings = QosWarnings(node)

        def create(kind: type, topic: str, qos: QoSProfile) -> LifecyclePublisher:
            return node.create_lifecycle_publisher(
                kind,
                topic,
                qos,
                event_callbacks=warnings.for_publisher(topic),
                qos_overriding_options=overridable(),
            )

        self._objects = create(ObjectStateArray, '~/objects', latched_qos(1))
        self._changes = create(VisibilityChange, '~/visibility_changes', reliable_qos(100))
        self._events = create(EventArray, '~/events', reliable_qos(100))
        self._drawn = create(MarkerArray, '~/markers', latched_qos(1))
        self._markers = MarkerTopic(self._drawn, frames.fixed_frame, markers_period_ns)
        self._processed = create(Progress, '~/processed', latched_qos(1))

    def use_periods(self, objects_ns: int, markers_ns: int) -> None:
        """Let at least this sensor time be between two messages of a topic, from now on."""
        self._period_ns = objects_ns
        self._markers.use_period(markers_ns)

    def tell_progress(self, progress: IngestProgress) -> None:
        """Publish how far the memory is with what it was sent."""
        stamp_ns = progress.newest.stamp_ns if progress.newest is not None else None
        self._processed.publish(
            Progress(
                header=self._header(stamp_ns),
                num_messages=progress.num_messages,
                num_frames=progress.num_frames,
            )
        )

    def tell_frame(self, delta: FrameDelta) -> None:
        """Publish what a committed frame changed."""
        view = self._store.view()
        self._tell_changes(delta, view)
        if delta.events:
            messages = [event_message(e, _ordinal(e, view)) for e in delta.events]
            self._events.publish(
                EventArray(header=self._header(delta.frame.stamp_ns), events=messages)
            )
        now = Moment(delta.frame.epoch, delta.frame.stamp_ns)
        self._markers.tell(view, now)
        if delta.events or self._is_due(now):
            self._told = now
            self._objects.publish(
                ObjectStateArray(header=self._header(now.stamp_ns), objects=self._all(view, now))
            )

    def stop(self) -> None:
        """Tell nothing more."""
        for publisher in (
            self._objects,
            self._changes,
            self._events,
            self._drawn,
            self._processed,
        ):
            self._node.destroy_lifecycle_publisher(publisher)

    def _all(self, view: LiveView, now: Moment) -> list[ObjectStateMsg]:
        prior = self._stay_prior
        chances = None if prior is None else StayChances(view, now, prior)
        return [
            self._messages.give(state, now.stamp_ns, chances.of(state) if chances else None)
            for state in reported_objects(view, None)
        ]

    def _tell_changes(self, delta: FrameDelta, view: LiveView) -> None:
        reported = {state.object_id: state for state in reported_objects(view, None)}
        before = {
            (row.object_id, row.camera_id): row.state
            for row in delta.intervals
            if row.end_ns is not None
        }
        for row in delta.intervals:
            if row.end_ns is not None or row.object_id not in reported:
                continue
            frame = self._frames.optical(row.camera_id)
            previous = before.get((row.object_id, row.camera_id), Visibility.UNKNOWN)
            self._changes.publish(
                VisibilityChange(
                    header=Header(stamp=time_message(delta.frame.stamp_ns), frame_id=frame),
                    object_id=row.object_id,
                    label=reported[row.object_id].label,
                    previous=int(previous),
                    current=interval_message(row, frame),
                )
            )

    def _is_due(self, now: Moment) -> bool:
        told = self._told
        if told is None or told.epoch != now.epoch:
            return True
        return now.stamp_ns >= told.stamp_ns + self._period_ns

    def _header(self, stamp_ns: int | None) -> Header:
        return Header(stamp=time_message(stamp_ns), frame_id=self._frames.fixed_frame)


def _ordinal(event: Event, view: LiveView) -> int:
    """Count the events of this type with the same object, up to this one."""
    who = next((name for role, name in event.roles if role == 'object'), None)
    alike = [e for e in view.events(object_id=who) if e.event_type == event.event_type]
    return 1 + sum((e.start_ns, e.event_id) < (event.start_ns, event.event_id) for e in alike)

"""The topic of the markers: told when something changed, and not too often."""

from __future__ import annotations

from typing import Any

from st_memory.core.queries.selection import reported_objects
from st_memory.core.records import ObjectState, Scene, Visibility
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.ros.live_store import LiveView
from st_memory.ros.markers import markers_of

__all__ = ['MarkerTopic']

# Drawing costs; while nobody looks, what a late one is given first may be this much older.
_UNHEARD = 10


class MarkerTopic:
    """
    Publish the markers of a memory.

    Parameters
    ----------
    publisher : LifecyclePublisher
        Of ``visualization_msgs/MarkerArray``.
    frame : str
        Name of the fixed frame.
    period_ns : int
        Least sensor time between two messages, ten times as much while nobody listens; 0: none
        are published.

    """

    def __init__(self, publisher: Any, frame: str, period_ns: int) -> None:
        self._publisher = publisher
        self._frame = frame
        self._period_ns = period_ns
        self._told: Moment | None = None
        self._drawn: tuple[tuple[ObjectState, ...], Scene] | None = None
        # Where a camera was, by stamp: most objects were last seen at a few moments.
        self._places: dict[Moment, Point | None] = {}

    def use_period(self, period_ns: int) -> None:
        """Let at least this sensor time be between two messages, from now on; 0: none more."""
        self._period_ns = period_ns

    def tell(self, view: LiveView, now: Moment) -> None:
        """Publish what has changed since the message before, when one is due."""
        if self._period_ns == 0 or not self._is_due(now):
            return
        drawn = (tuple(reported_objects(view, None)), view.scene())
        if self._drawn is not None and self._drawn[0] == drawn[0] and self._drawn[1] is drawn[1]:
            return
        self._told, self._drawn = now, drawn
        objects, scene = drawn
        origins = self._origins(view, objects)
        self._publisher.publish(
            markers_of(objects, scene.fixtures, origins, frame=self._frame, stamp_ns=now.stamp_ns)
        )

    def _is_due(self, now: Moment) -> bool:
        told = self._told
        if told is None or told.epoch != now.epoch:
            return True
        is_heard = self._publisher.get_subscription_count() > 0
        period_ns = self._period_ns if is_heard else self._period_ns * _UNHEARD
        return now.stamp_ns >= told.stamp_ns + period_ns

    def _origins(self, view: LiveView, objects: tuple[ObjectState, ...]) -> dict[str, Point]:
        """Give from where each object was last seen that is not in sight."""
        known, self._places = self._places, {}
        origins: dict[str, Point] = {}
        for state in objects:
            if state.last_seen_ns is None or state.visibility is Visibility.VISIBLE:
                continue
            seen = Moment(state.epoch, state.last_seen_ns)
            if seen not in self._places:
                self._places[seen] = known[seen] if seen in known else _place(view, seen)
            place = self._places[seen]
            if place is not None:
                origins[state.object_id] = place
        return origins


def _place(view: LiveView, seen: Moment) -> Point | None:
    look = view.look_at(None, seen)
    if look is None or look.world_T_camera is None:
        return None
    x, y, z = look.world_T_camera.translation.tolist()
    return x, y, z

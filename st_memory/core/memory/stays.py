"""When a stay of a thing begins and ends, and what that makes of its placement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.places import Places
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.records import LifeCycle
from st_memory.core.records.objects import PLACED_BY_LOSS
from st_memory.core.stamps import NS_PER_S

__all__ = ['Stays']

Array = NDArray[np.float64]

# Who says so of a movement whose end comes from outside, by the source of the placement.
_TOLD = {'annotation': 'annotation', 'marked': 'human'}


class Stays:
    """Opens and closes placements, and counts the movements between them."""

    def __init__(self, settings: MemorySettings, places: Places) -> None:
        self._settings = settings
        self._places = places

    @property
    def wait_ns(self) -> int:
        """How long what was carried off may still turn up in a hand; 0 where none can tell."""
        return int(self._settings.rest_s * NS_PER_S) if self._places.knows_surfaces else 0

    def is_held_at(self, track: Track, place: Array) -> bool:
        """
        Whether a thing at a place is in a hand: nothing is under it.

        It tells nothing of what has rested so before: the scene does not know what that stood on.
        """
        if not self._places.hangs(place, track.size[2]):
            return False
        return not track.hangs or track.mean is None or track.placed_by == PLACED_BY_LOSS

    def revive(self, track: Track, world_p: Array | None, out: DeltaBuilder) -> None:
        """
        Take down a tombstone, for whatever evidence.

        Parameters
        ----------
        track : Track
            Absent until now.
        world_p : (3,) float64, optional
            Where it is seen; None while it is only known to be moving.
        out : DeltaBuilder
            Receives what follows.

        """
        track.life_cycle = LifeCycle.CONFIRMED
        left_ns = track.last_fix_ns  # it was moved at some time since
        track.forget_absence()
        roles = [('object', track.object_id)]
        detail = f'the {track.label} was seen again'
        out.event('returned', out.stamp_ns, out.stamp_ns, roles, detail=detail)
        if world_p is None or track.in_motion:
            return
        track.last_fix, track.last_fix_ns = [float(v) for v in world_p], out.stamp_ns
        track.sure_fix, track.sure_fix_ns = track.last_fix, out.stamp_ns
        if track.annotated and track.last_placed_ns is not None:
            # Its movements are reported: there is where the last one ended, told better.
            self.place(track, world_p, track.last_placed_ns, 'annotation', out)
        elif track.mean is not None and self.is_far(world_p, np.array(track.mean)):
            track.motion_start_ns = left_ns
            track.is_counted = track.placed_by == PLACED_BY_LOSS
            self.finish(track, world_p, out.stamp_ns, 'inferred', out)
        else:
            self.place(track, world_p, out.stamp_ns, 'observed', out)

    def start(self, track: Track, start_ns: int, out: DeltaBuilder) -> None:
        """Close the placement at ``start_ns`` and mark the object as moving."""
        if track.in_motion:
            return
        out.placement(track, end_ns=start_ns)
        track.placed_ns = None
        track.is_counted = track.placed_by == PLACED_BY_LOSS
        track.in_motion = True
        track.motion_start_ns = start_ns
        out.touched.add(track.object_id)

    def place(
        self,
        track: Track,
        world_p: Array,
        start_ns: int,
        source: str,
        out: DeltaBuilder,
        *,
        in_carrier: bool = False,
    ) -> None:
        """
        Open a placement without counting a movement (first sight, annotation).

        ``in_carrier`` says that the place was last seen to be in the part that carries it.
        """
        carrier, pose = (track.carrier, track.carrier_pose) if in_carrier else ('', [])
        track.reset_estimate(world_p)
        track.carrier, track.carrier_pose = carrier, pose
        track.placed_ns = start_ns
        track.placement_source = source
        self._places.attribute(track)
        out.placement(track)

    def finish(
        self,
        track: Track,
        world_p: Array | None,
        end_ns: int,
        source: str,
        out: DeltaBuilder,
        *,
        in_carrier: bool = False,
        since_ns: int | None = None,
    ) -> None:
        """
        End a movement at ``end_ns``: count it and open the placement it led to.

        What was lost from sight in a hand and found again is one movement, counted when it was
        lost. Without a place the object is known to have been moved to where nobody looked;
        ``in_carrier`` as in :meth:`place`. ``since_ns`` is when the stay began, where more
        happened after the movement.
        """
        start_ns = track.motion_start_ns if track.motion_start_ns is not None else end_ns
        track.in_motion = False
        track.is_held = False
        track.motion_start_ns = None
        track.trail.clear()
        is_news = not track.is_counted or source in _TOLD
        track.is_counted = False
        track.num_moves += is_news
        track.last_placed_ns = end_ns
        track.placed_by = source
        if world_p is None:
            track.mean, track.num_fixes = None, 0
            track.carrier, track.carrier_pose = '', []
            self._places.attribute(track)
        else:
            stay_ns = end_ns if since_ns is None else since_ns
            self.place(track, world_p, stay_ns, source, out, in_carrier=in_carrier)
        out.touched.add(track.object_id)
        if not is_news:
            return
        where = f' to {track.fixture_id}' if track.fixture_id else ''
        out.event(
            'moved',
            min(start_ns, end_ns),
            end_ns,
            [('object', track.object_id)],
            source=_TOLD.get(source, 'fold'),
            detail=f'the {track.label} was moved{where}',
        )

    def vanish(self, track: Track, out: DeltaBuilder) -> None:
        """Set up a tombstone: it is shown not to be where it was."""
        gone_ns = track.absent_since_ns if track.absent_since_ns is not None else out.stamp_ns
        out.placement(track, end_ns=gone_ns)
        track.placed_ns = None
        track.life_cycle = LifeCycle.ABSENT
        out.touched.add(track.object_id)
        detail = f'the {track.label} is no longer where it was'
        roles = [('object', track.object_id)]
        out.event('absent', gone_ns, out.stamp_ns, roles, detail=detail)

    def resume(self, track: Track, out: DeltaBuilder) -> None:
        """Go back to the placement that a false start of a movement had closed."""
        track.in_motion = False
        track.is_held = False
        track.placed_ns = track.motion_start_ns
        track.motion_start_ns = None
        track.trail.clear()
        out.placement(track)

    def is_far(self, world_p: Array, place: Array) -> bool:
        """Whether two places are too far apart for one rest."""
        gap = world_p - place
        far = max(self._settings.move_distance_m, self._settings.same_object_m)
        return float(np.sqrt(gap @ gap)) > far

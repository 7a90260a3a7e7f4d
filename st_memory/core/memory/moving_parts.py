"""Movable parts of the scene, frame by frame: where they are, and what lies in them."""

from __future__ import annotations

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.places import Places
from st_memory.core.memory.track import Track
from st_memory.core.memory.unsure import unsure_fixtures
from st_memory.core.ports import RayCaster
from st_memory.core.records import Scene, SensedFrame

__all__ = ['MovingParts']


class MovingParts:
    """
    Takes in what a frame says of the movable parts.

    Parameters
    ----------
    scene : Scene
        Fixtures and parts.
    places : Places
        Told where the parts are.
    caster : RayCaster, optional
        Told so, too.

    """

    def __init__(self, scene: Scene, places: Places, caster: RayCaster | None) -> None:
        self._scene, self._places, self._caster = scene, places, caster

    def pose(self, state: FoldState, frame: SensedFrame, out: DeltaBuilder) -> None:
        """Put movable parts where they are, and take along what lies in them: before all else."""
        if self._caster is not None:
            self._caster.pose_parts(frame.world_T_part)
        self._places.carriers.world_T_part = frame.world_T_part
        self._places.unsure = unsure_fixtures(self._scene, frozenset(frame.world_T_part))
        state.parts.note(frame.world_T_part, frame.stamp_ns)
        self._ride(state, frame, out)

    def _ride(self, state: FoldState, frame: SensedFrame, out: DeltaBuilder) -> None:
        """Take along what lies in parts that have moved."""
        table = state.refresh(out.touched, out.stamp_ns)
        for track in table.some(table.is_carried):
            if self._places.carriers.ride(track, frame.world_T_part):
                out.touched.add(track.object_id)

    def attach(
        self, state: FoldState, matched: set[Track], frame: SensedFrame, out: DeltaBuilder
    ) -> None:
        """Note for what was just seen which part it lies in."""
        for track in sorted(matched, key=lambda t: t.object_id):
            before = track.carrier
            self._places.carriers.attach(track, frame.world_T_part)
            if track.num_fixes & (track.num_fixes - 1) == 0:  # 1, 2, 4, 8, ...: as it settles
                self._places.sink(track)
            if track.carrier != before and track.object_id in state.tracks:
                fixture = track.fixture_id
                self._places.attribute(track)
                if track.fixture_id != fixture and not track.in_motion:
                    out.placement(track)  # the same stay, told better

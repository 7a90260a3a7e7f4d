"""What a person says of objects, applied; nothing is done that would have to be taken back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from st_memory.core.memory.builder import DeltaBuilder
from st_memory.core.memory.fold_state import FoldState
from st_memory.core.memory.looks import LookRecorder
from st_memory.core.memory.motion import MotionModel
from st_memory.core.memory.resolving import is_forgotten, is_part_of, resolve
from st_memory.core.memory.said import Said
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.memory.unions import Unions
from st_memory.core.records import Edit, EditAction, LifeCycle
from st_memory.core.records.edits import HUMAN

__all__ = ['Editor']

_MARKED = 'marked'
_EVENT = {
    EditAction.MARK: _MARKED,
    EditAction.RENAME: 'renamed',
    EditAction.MERGE: 'merged',
    EditAction.FORGET: 'forgotten',
    EditAction.SPLIT: 'split',
    EditAction.RESTORE: 'restored',
}


class Editor:
    """
    Applies edits to the objects of one epoch.

    Each edit is either done as a whole or refused with a reason; one that asks for what is so
    already is done by doing nothing. What was done is kept as an event with source ``human``.
    """

    def __init__(self, settings: MemorySettings, motion: MotionModel, looks: LookRecorder) -> None:
        self._far_m = max(settings.move_distance_m, settings.same_object_m)
        self._motion = motion
        self.unions = Unions(settings, looks)

    def refusal(self, state: FoldState, edit: Edit) -> str:
        """Say why an edit cannot be done; '' when it can."""
        track = resolve(state, edit.object_id)
        if edit.action is EditAction.MARK:
            return '' if track is not None or edit.label else _unknown(edit.object_id)
        if track is None:
            return _unknown(edit.object_id)
        if edit.action in (EditAction.FORGET, EditAction.RESTORE):
            return ''
        if is_forgotten(track):
            return f'{track.object_id!r} is forgotten: restore it first'
        if edit.action is EditAction.MERGE:
            return self._merge_refusal(state, track, edit)
        if edit.action is EditAction.SPLIT:
            return self._split_refusal(state, track, edit)
        return ''

    @staticmethod
    def _merge_refusal(state: FoldState, track: Track, edit: Edit) -> str:
        other = resolve(state, edit.other_id)
        if other is None:
            return _unknown(edit.other_id)
        return f'{edit.other_id!r} is forgotten: restore it first' if is_forgotten(other) else ''

    @staticmethod
    def _split_refusal(state: FoldState, track: Track, edit: Edit) -> str:
        other = state.tracks.get(edit.other_id)
        if other is None or is_part_of(other, track):
            return ''
        if other.life_cycle == LifeCycle.RETIRED:
            return f'{edit.other_id!r} was not merged into {track.object_id!r}'
        return ''

    def apply(self, state: FoldState, edits: Sequence[Edit], out: DeltaBuilder) -> list[str]:
        """
        Apply edits in their order; gives the reasons of those that were refused.

        Refused ones change nothing and are counted.
        """
        refusals = []
        for edit in edits:
            reason = self.refusal(state, edit)
            if reason:
                state.counts['edit_refused'] += 1
                refusals.append(reason)
            else:
                self._do(state, edit, out)
                state.counts['edit'] += 1
        return refusals

    def _do(self, state: FoldState, edit: Edit, out: DeltaBuilder) -> None:
        track = resolve(state, edit.object_id)
        if edit.action is EditAction.MARK:
            self._mark(state, track, edit, out)
        elif track is None:
            raise ValueError(f'{edit.object_id!r}: expected an edit that was found to be possible')
        elif edit.action is EditAction.RENAME:
            self._rename(track, edit, out)
        elif edit.action is EditAction.MERGE:
            self._merge(state, track, edit, out)
        elif edit.action is EditAction.SPLIT:
            self._split(state, track, edit, out)
        elif edit.action is EditAction.FORGET:
            self._forget(state, track, edit, out)
        else:
            self._restore(state, track, edit, out)

    def _mark(self, state: FoldState, track: Track | None, edit: Edit, out: DeltaBuilder) -> None:
        """Make an object known, or say where it is."""
        is_new = track is None
        if track is None:
            track = self._opened(state, edit.object_id, edit.label)
        elif edit.label:
            _call(track, edit.label)
        if is_forgotten(track):
            self._remember(state, track, out)
        if track.life_cycle == LifeCycle.ABSENT and edit.world_p is not None:
            self.unions.close_views(track, state, out)
            track.life_cycle = LifeCycle.CONFIRMED
        self._put(track, edit, out)
        what = 'made known' if is_new else ('placed' if edit.world_p is not None else 'confirmed')
        where = f' at {track.fixture_id}' if edit.world_p is not None and track.fixture_id else ''
        _tell(out, edit, [('object', track.object_id)], f'the {track.label} was {what}{where}')
        out.touched.add(track.object_id)

    def _put(self, track: Track, edit: Edit, out: DeltaBuilder) -> None:
        """Place an object where a person says that it is."""
        if edit.quat_xyzw is not None:
            track.quat = [*edit.quat_xyzw]
        if edit.world_p is None:
            return
        place = np.array(edit.world_p)
        track.forget_absence()
        track.misses = 0
        was_elsewhere = (
            track.mean is not None and float(np.linalg.norm(place - track.mean)) > self._far_m
        )
        if was_elsewhere or track.in_motion:
            self._motion.start(track, out.stamp_ns, out)
            self._motion.finish(track, place, out.stamp_ns, _MARKED, out)
        else:
            out.placement(track, end_ns=out.stamp_ns)
            self._motion.place(track, place, out.stamp_ns, _MARKED, out)
        track.last_fix, track.last_fix_ns = [float(v) for v in place], out.stamp_ns
        track.trail.clear()

    @staticmethod
    def _opened(state: FoldState, object_id: str, label: str) -> Track:
        """Open an object that a person names; an id that is given is one from outside."""
        name = object_id or state.new_id(label)
        track = Track(name, object_id, label_votes={label: 1.0}, life_cycle=LifeCycle.CONFIRMED)
        track.said = Said(label=label)
        state.add(track)
        return track

    @staticmethod
    def _rename(track: Track, edit: Edit, out: DeltaBuilder) -> None:
        before = track.label
        if edit.label == before and track.said is not None and track.said.label == before:
            return
        _call(track, edit.label)
        clause = f'the {before} is called {track.label}'
        _tell(out, edit, [('object', track.object_id)], clause)
        out.touched.add(track.object_id)

    def _merge(self, state: FoldState, track: Track, edit: Edit, out: DeltaBuilder) -> None:
        other = resolve(state, edit.other_id)
        if other is None or other is track:
            return  # they are one already
        self.unions.merge(track, other, state, out)
        roles = [('object', track.object_id), ('merged', other.object_id)]
        _tell(out, edit, roles, f'{other.object_id} is {track.object_id}')

    def _split(self, state: FoldState, track: Track, edit: Edit, out: DeltaBuilder) -> None:
        other = state.tracks.get(edit.other_id)
        if other is not None and not is_part_of(other, track):
            return  # they are two already
        if other is None:
            other = self._opened(state, edit.other_id, edit.label or track.label)
        else:
            self.unions.split(track, other, state, out)
            if edit.label:
                _call(other, edit.label)
        self._put(other, edit, out)
        out.touched.add(other.object_id)
        roles = [('object', track.object_id), ('other', other.object_id)]
        _tell(out, edit, roles, f'{other.object_id} is not {track.object_id}')

    def _forget(self, state: FoldState, track: Track, edit: Edit, out: DeltaBuilder) -> None:
        if is_forgotten(track):
            return
        self.unions.retire(track, state, out)
        state.release(track)
        track.said = track.said or Said()
        track.said.is_forgotten = True
        track.said.external_id, track.external_id = track.external_id, ''
        _tell(out, edit, [('object', track.object_id)], f'the {track.label} is forgotten')

    def _restore(self, state: FoldState, track: Track, edit: Edit, out: DeltaBuilder) -> None:
        if not is_forgotten(track):
            return
        self._remember(state, track, out)
        clause = f'the {track.label} is remembered again'
        _tell(out, edit, [('object', track.object_id)], clause)

    def _remember(self, state: FoldState, track: Track, out: DeltaBuilder) -> None:
        """Take back that an object is forgotten; who took its identity since keeps it."""
        if track.said is None:
            return
        name, track.said.external_id = track.said.external_id, ''
        track.said.is_forgotten = False
        self.unions.reopen(track, out)
        if name and state.known_as(name) is None:
            state.hand_over(name, track)


def _call(track: Track, label: str) -> None:
    """Give an object a name that sticks; the one it had stays an alias."""
    before = track.label
    track.said = track.said or Said()
    track.said.label = label
    names = {*track.aliases, before} if before != label else set(track.aliases)
    track.aliases = sorted(names - {label})


def _unknown(object_id: str) -> str:
    return f'no object {object_id!r} is known in this epoch'


def _tell(out: DeltaBuilder, edit: Edit, roles: list[tuple[str, str]], clause: str) -> None:
    """Keep what a person did, and why."""
    detail = f'{clause}: {edit.note}' if edit.note else clause
    stamp_ns = out.stamp_ns
    out.event(_EVENT[edit.action], stamp_ns, stamp_ns, roles, source=HUMAN, detail=detail)

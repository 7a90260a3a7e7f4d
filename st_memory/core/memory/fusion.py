"""From what geometry says and whether the detector agrees to the state of an object."""

from __future__ import annotations

from typing import NamedTuple

from st_memory.core.memory.absence import AbsenceEvidence
from st_memory.core.memory.judgement import Judgement
from st_memory.core.memory.settings import MemorySettings
from st_memory.core.memory.track import Track
from st_memory.core.memory.view import View
from st_memory.core.records import LifeCycle, Visibility
from st_memory.core.visibility import Cause, VisibilityPreset
from st_memory.core.visibility.verdicts import DEPTH_OCCLUDER, SELF_OCCLUDER

__all__ = ['Fusion', 'Key']

_CONFIRMED, _ABSENT = int(LifeCycle.CONFIRMED), int(LifeCycle.ABSENT)
_UNJUDGED = int(Visibility.UNKNOWN)
_VISIBLE = int(Visibility.VISIBLE)
_OUT_OF_VIEW = int(Visibility.OUT_OF_VIEW)
_OCCLUDED = int(Visibility.OCCLUDED)
_HIDDEN = (_OCCLUDED, int(Visibility.AMBIGUOUS_FIXTURE))


class Key(NamedTuple):
    """What an interval is of: another one begins when any of it changes."""

    state: int
    geometry: int
    cause: str
    occluder: str


class Fusion:
    """
    Geometry x confirmation.

    Parameters
    ----------
    settings : MemorySettings
        How long a verdict is held.
    preset : VisibilityPreset
        Whether the detector has a say.
    part_names : tuple of str
        Names of the parts of the scene, by their index in verdicts.
    absence : AbsenceEvidence
        Tells why a thing is thought to be gone.

    """

    def __init__(
        self,
        settings: MemorySettings,
        preset: VisibilityPreset,
        part_names: tuple[str, ...],
        absence: AbsenceEvidence,
    ) -> None:
        self._settings = settings
        self._preset = preset
        self._part_names = part_names
        self._absence = absence

    def goes_on(self, track: Track, view: View | None, judged: Judgement) -> bool:
        """Whether a thing at rest is hidden as it was, so that nothing is to be written."""
        return (
            view is not None
            and judged.geometry == _OCCLUDED
            and view.state == view.geometry == _OCCLUDED
            and view.since_match is None
            and track.life_cycle == _CONFIRMED
            and not track.in_motion
            and view.occluder == self._occluder_name(judged.occluder)
        )

    def run_of(self, view: View | None, geometry: int, hit: bool) -> tuple[bool, int | None]:
        """
        Say whether the run of one geometric verdict that goes on has a match, and how old it is.

        Parameters
        ----------
        view : View, optional
            Before this look; None for none.
        geometry : int
            What this look says.
        hit : bool
            Whether a detection matched in it.

        Returns
        -------
        is_confirmed : bool
            The run has a match.
        since_match : int, optional
            Looks since the last match; None when there was none since it came into view.

        """
        if hit:
            return True, 0
        if view is None:
            return False, None
        # A look that could not judge (no pose, no depth) neither confirms nor ends a run.
        goes_on = geometry in (_UNJUDGED, view.geometry) or view.geometry == _UNJUDGED
        since = view.since_match
        if since is not None:
            # Forgotten once it leaves view; more than what is held says no more.
            held = min(since + 1, self._settings.hold_looks + 1)
            since = None if geometry == _OUT_OF_VIEW else held
        return goes_on and view.run_confirmed, since

    def key(
        self,
        track: Track,
        judged: Judgement,
        hit: bool,
        run_confirmed: bool,
        since_match: int | None,
        reported: bool,
    ) -> Key:
        """
        Give the state of a track after a look, with its cause and what hides it.

        Parameters
        ----------
        track : Track
            The object.
        judged : Judgement
            What geometry and depth say.
        hit : bool
            Whether a detection matched.
        run_confirmed, since_match
            As :meth:`run_of` gives them.
        reported : bool
            Whether the detector said anything at all.

        """
        state, cause = self._fuse(track, judged, hit, run_confirmed, since_match, reported)
        occluder = ''
        if judged.geometry in _HIDDEN:
            occluder = self._occluder_name(judged.occluder)
            if judged.geometry == Visibility.AMBIGUOUS_FIXTURE and judged.occluder < 0:
                occluder = track.fixture_id  # its own, by a part that the scene does not place
        if cause is None:
            cause = Cause(judged.cause)
        return Key(int(state), judged.geometry, cause.text(occluder), occluder)

    def _fuse(
        self,
        track: Track,
        judged: Judgement,
        hit: bool,
        run_confirmed: bool,
        since_match: int | None,
        reported: bool,
    ) -> tuple[Visibility, Cause | None]:
        """Give the state and its cause; None as cause keeps the geometric one."""
        if track.in_motion:
            return Visibility.IN_MOTION, Cause.IN_MOTION
        visible = judged.geometry == _VISIBLE
        if hit:
            # A detection beats the model: half-hidden things still show pixels.
            return Visibility.VISIBLE, None if visible else Cause.DETECTED
        if track.life_cycle == _ABSENT:
            return Visibility.ABSENT, self._absence.why(track)
        if not visible:
            hidden = judged.geometry in _HIDDEN
            sliver = judged.blocked_share < self._settings.hold_blocked_share  # false for NaN
            held = since_match is not None and since_match <= self._settings.hold_looks
            if hidden and sliver and held:
                return Visibility.VISIBLE, Cause.DETECTED
            return Visibility(judged.geometry), None
        if not self._preset.use_confirmation or run_confirmed:
            return Visibility.VISIBLE, None
        cause = Cause.NOT_DETECTED if reported else Cause.DETECTOR_SILENT
        return Visibility.UNCONFIRMED, cause

    def _occluder_name(self, index: int) -> str:
        if index == DEPTH_OCCLUDER:
            return 'depth'
        if index == SELF_OCCLUDER:
            return 'self'
        return self._part_names[index] if index >= 0 else ''

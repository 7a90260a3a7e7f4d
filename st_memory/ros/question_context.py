"""What every question over ROS needs: names of frames, times, and messages that stay small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TYPE_CHECKING

from st_memory.conversions.stamps import frame_name, stamp_from_time
from st_memory.core.errors import ConversionError
from st_memory.core.ports import MemoryReader
from st_memory.core.queries import DirectionScheme, Selector, StayChances, StayPrior
from st_memory.core.queries.references import BASE, CAMERA
from st_memory.core.queries.wording import clip_name
from st_memory.core.records.detections import Point
from st_memory.core.stamps import Moment
from st_memory.ros.frames import Frames
from st_memory.ros.messages import ObjectMessages
from st_memory.ros.responses import ObjectWriter

if TYPE_CHECKING:
    from st_memory.core.ports.text_encoder import TextEncoder

__all__ = ['QuestionContext', 'moment_of', 'scheme_of']


class QuestionContext:
    """
    Words of a request to those of the core.

    Parameters
    ----------
    frames : Frames
        Names of frames.
    max_bytes : int
        Largest response; lists are cut to it.
    encoder : TextEncoder, optional
        Compares free text with names by meaning; None: words must occur.
    stay_prior : StayPrior, optional
        What is believed of how long things stay; None: no chances are estimated.
    await_floor : callable
        Waits for the floor map that is being made, if there is one.

    """

    def __init__(
        self,
        frames: Frames,
        max_bytes: int,
        encoder: TextEncoder | None = None,
        stay_prior: StayPrior | None = None,
        await_floor: Callable[[], object] = lambda: None,
    ) -> None:
        self.frames = frames
        self.max_bytes = max_bytes
        self.stay_prior = stay_prior
        self.await_floor = await_floor
        self._encoder = encoder
        self._messages = ObjectMessages(frames.fixed_frame)

    def selector(self, request: Any) -> Selector:
        """Give the object that a request is about."""
        text = getattr(request, 'text', '')
        return Selector(request.object_id, request.label, text, encoder=self._encoder)

    def writer(self, frame: str, reader: MemoryReader, at: Moment | None) -> ObjectWriter:
        """Give what writes objects in a frame."""
        frame_T_fixed = self.frames.frame_T_fixed(reader, frame, at)
        name = frame_name(frame) or self.frames.fixed_frame
        return ObjectWriter(self._messages, name, frame_T_fixed, self._chances(reader, at))

    def _chances(self, reader: MemoryReader, at: Moment | None) -> StayChances | None:
        asked = at or reader.now()
        if asked is None or self.stay_prior is None:
            return None
        return StayChances(reader, asked, self.stay_prior)

    def reference(self, name: str) -> str:
        """Give what a direction is relative to: a frame of ours is a camera or the base."""
        kind, _, camera = name.partition(':')
        if not name:
            return CAMERA
        return f'{CAMERA}:{self.frames.camera(camera)}' if kind == CAMERA and camera else name

    def actor(self, frame: str) -> str:
        """Give who moves in a TF frame; '' for no frame."""
        name = frame_name(frame)
        if not name:
            return ''
        is_base = name in (BASE, self.frames.base_frame)
        return BASE if is_base else f'{CAMERA}:{self.frames.camera(name)}'

    def place(self, stamped: Any, reader: MemoryReader, at: Moment | None) -> Point:
        """Give a point of a request in the fixed frame, metres."""
        place = (stamped.point.x, stamped.point.y, stamped.point.z)
        frame_T_fixed = self.frames.frame_T_fixed(reader, stamped.header.frame_id, at)
        if frame_T_fixed is None:
            return place
        x, y, z = frame_T_fixed.inverse().apply(place).tolist()
        return x, y, z


def moment_of(reader: MemoryReader, time: Any) -> Moment | None:
    """Give the moment a stamp means: in the newest epoch that had begun by then; None for now."""
    stamp_ns = stamp_from_time(time)
    now = reader.now()
    if stamp_ns == 0 or now is None:
        return None
    for epoch in reversed(reader.epochs()):
        first = reader.first_moment(epoch)
        if first is not None and first.stamp_ns <= stamp_ns:
            return Moment(epoch, stamp_ns)
    return Moment(now.epoch, stamp_ns)


def scheme_of(name: str) -> DirectionScheme:
    """
    Give the direction classes of a name; '' for eight sectors.

    Raises
    ------
    ConversionError
        If there are none of that name.

    """
    try:
        return DirectionScheme(name or DirectionScheme.SECTORS.value)
    except ValueError as error:
        known = ', '.join(scheme.value for scheme in DirectionScheme)
        raise ConversionError(
            f'scheme: expected one of {known}, got {clip_name(name)!r}'
        ) from error

"""The services that a person, or the map, tells the memory something through."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TYPE_CHECKING

from st_memory_interfaces.srv import EditObject, Rebase

from st_memory.conversions.stamps import stamp_from_time
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.ports import MemoryStore
from st_memory.core.queries import Answer, edit_answer, rebase_answer, StayChances, StayPrior
from st_memory.core.records import FrameDelta
from st_memory.core.records import Rebase as Plan
from st_memory.core.stamps import Moment
from st_memory.replay import tell_edit, tell_rebase
from st_memory.ros.frames import Frames
from st_memory.ros.live_store import LiveStore
from st_memory.ros.messages import ObjectMessages
from st_memory.ros.responses import write_common
from st_memory.ros.told_requests import edit_of, plan_of

if TYPE_CHECKING:
    from st_memory.ros.telling import Telling

__all__ = ['TellingServices']

Service = tuple[Any, Callable[[Any, Any], Coroutine[Any, Any, None]]]


class TellingServices:
    """
    ``~/edit_object`` and ``~/rebase``: answered once what was said is on disk.

    Parameters
    ----------
    store : LiveStore
        The memory.
    frames : Frames
        Names of frames.
    telling : Telling
        The way into the memory.
    settings : MemorySettings
        Numbers of the fold.
    stay_prior : StayPrior, optional
        What is believed of how long things stay; None: no chances are estimated.

    """

    def __init__(
        self,
        store: LiveStore,
        frames: Frames,
        telling: Telling,
        settings: MemorySettings,
        stay_prior: StayPrior | None = None,
    ) -> None:
        self._store = store
        self._frames = frames
        self._telling = telling
        self._settings = settings
        self._stay_prior = stay_prior
        self._messages = ObjectMessages(frames.fixed_frame)
        self.services: Mapping[str, Service] = {
            'edit_object': (EditObject, self._edit),
            'rebase': (Rebase, self._rebase),
        }

    async def _edit(self, request: Any, response: Any) -> None:
        edit = edit_of(request, self._store.view(), self._frames)
        at_ns = stamp_from_time(request.at) or None

        def tell(memory: ObjectMemory, store: MemoryStore) -> FrameDelta:
            return tell_edit(memory, store, edit, at_ns)

        delta = await self._telling.tell(tell)
        answer = edit_answer(self._store.view(), edit, delta)
        self._write(response, answer)
        if answer.object is not None:
            at, prior = Moment(delta.frame.epoch, delta.frame.stamp_ns), self._stay_prior
            chance = None
            if prior is not None:
                chance = StayChances(self._store.view(), at, prior).of(answer.object)
            response.object = self._messages.give(answer.object, at.stamp_ns, chance)

    async def _rebase(self, request: Any, response: Any) -> None:
        plans: list[Plan] = []

        def tell(memory: ObjectMemory, store: MemoryStore) -> FrameDelta:
            # Planned where it is carried out: nothing is committed in between.
            plans.append(plan_of(request, store, self._frames, self._settings))
            return tell_rebase(memory, store, plans[-1])

        if request.dry_run:
            plans.append(plan_of(request, self._store.view(), self._frames, self._settings))
            delta = None
        else:
            delta = await self._telling.tell(tell)
        view = self._store.view()
        answer = rebase_answer(plans[-1], delta, view.now() or Moment(0, 0))
        self._write(response, answer)
        response.epoch = answer.epoch
        response.num_observations = answer.num_observations
        response.num_objects = answer.num_objects
        response.max_shift_m = answer.max_shift_m

    def _write(self, response: Any, answer: Answer) -> None:
        write_common(response, answer, self._store.view())

"""What a memory node holds while it is configured."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.stamps import stamp_from_seconds
from st_memory.core.visibility import VisibilityPreset
from st_memory.doctor import LiveInputs
from st_memory.replay import open_epoch
from st_memory.ros.diagnostics import Diagnostics
from st_memory.ros.frames import Frames
from st_memory.ros.ingest import Ingest
from st_memory.ros.live_fold import LiveFold
from st_memory.ros.live_store import LiveStore
from st_memory.ros.publications import MemoryPublications
from st_memory.ros.scenes import given_scene
from st_memory.ros.services import QuestionServices
from st_memory.ros.settings import MemoryNodeSettings
from st_memory.ros.slow_services import SlowServices
from st_memory.ros.telling import Telling
from st_memory.ros.telling_services import TellingServices
from st_memory.ros.upkeep_services import UpkeepServices
from st_memory.settings import with_self_filter
from st_memory.storage import SqliteMemoryStore
from st_memory.vlm.word_encoder import word_encoder

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleNode

__all__ = ['MemoryParameters', 'OpenMemory']


@dataclass(frozen=True)
class MemoryParameters:
    """All parameters of a memory node, by record."""

    node: MemoryNodeSettings
    memory: MemorySettings
    visibility: VisibilityPreset


class OpenMemory:
    """
    An open memory that answers questions.

    Parameters
    ----------
    node : LifecycleNode
        Whose services and topics they are.
    parameters : MemoryParameters
        Where it is and how it answers.

    Raises
    ------
    StMemoryError
        If the memory cannot be opened, or the file of the scene or the self-filter cannot be used.

    """

    def __init__(self, node: LifecycleNode, parameters: MemoryParameters) -> None:
        settings = parameters.node
        if not settings.database:
            raise ConfigError('parameter database: expected the path of a memory file, got none')
        self.scene = given_scene(settings)
        for line in self.scene.report.warnings if self.scene is not None else ():
            node.get_logger().warning(f'{settings.scene}: {line}')
        self.assembler = self._assembler_settings(settings)
        self.frames = Frames(settings.fixed_frame, settings.base_frame)
        file = SqliteMemoryStore.open(
            settings.database,
            synchronous=settings.synchronous,
            robot_id=settings.robot_id or None,
        )
        with ExitStack() as closing:  # what is made is let go of when the rest cannot be
            closing.callback(file.close)
            self._open(node, parameters, file, closing)
            self._closing = closing.pop_all()

    def close(self) -> None:
        """Answer no more and let go of the file."""
        self._closing.close()

    def use_periods(self, settings: MemoryNodeSettings) -> None:
        """Tell things as often as these settings say, from now on."""
        self.publications.use_periods(
            stamp_from_seconds(settings.objects_period_s),
            stamp_from_seconds(settings.markers_period_s),
        )
        self._diagnostics.use_period(settings.diagnostics_period_s)

    def _open(
        self,
        node: LifecycleNode,
        parameters: MemoryParameters,
        file: SqliteMemoryStore,
        closing: ExitStack,
    ) -> None:
        settings = parameters.node
        self.store = LiveStore(file)
        prior = settings.stay_prior()
        self._services = QuestionServices(
            node,
            self.store,
            self.frames,
            settings.max_answer_bytes,
            word_encoder(),
            prior,
        )
        closing.callback(self._services.stop)
        self.publications = MemoryPublications(
            node,
            self.store,
            self.frames,
            stamp_from_seconds(settings.objects_period_s),
            stamp_from_seconds(settings.markers_period_s),
            prior,
        )
        closing.callback(self.publications.stop)
        self.ingest: Ingest | None = None
        self.inputs: Callable[[], LiveInputs] = lambda: LiveInputs(is_active=False)
        self.telling = Telling(
            node, partial(_fold_of, self.store, parameters), self.publications.tell_frame
        )
        upkeep = UpkeepServices(
            node,
            self.store,
            file,
            settings.snapshot_folder,
            self._inputs_now,
            settings.max_answer_bytes,
        )
        closing.callback(upkeep.stop)
        slow = SlowServices(
            node,
            self.store,
            (
                TellingServices(self.store, self.frames, self.telling, parameters.memory, prior),
                upkeep,
            ),
        )
        closing.callback(slow.stop)
        self._diagnostics = Diagnostics(
            node, self._inputs_now, lambda: self.ingest, settings.diagnostics_period_s
        )
        closing.callback(self._diagnostics.stop)
        if settings.on_restart == 'new_epoch':
            fold = ObjectMemory(parameters.memory, checkpoint=self.store.checkpoint())
            open_epoch(fold, self.store)
        now = self.store.now()
        held = 'empty' if now is None else f'up to epoch {now.epoch}, {now.stamp_ns} ns'
        node.get_logger().info(f'opened {settings.database}: {held}')

    def _inputs_now(self) -> LiveInputs:
        return self.inputs()

    def _assembler_settings(self, settings: MemoryNodeSettings) -> AssemblerSettings:
        """Give the numbers of the assembly, with what the files of scene and self-filter name."""
        meshes = {} if self.scene is None else dict(self.scene.mesh_topics)
        numbers = replace(settings.assembler(), mesh_parts=meshes)
        return with_self_filter(numbers, settings.self_filter)


def _fold_of(store: LiveStore, parameters: MemoryParameters) -> LiveFold:
    """Give the fold as the store has it now."""
    return LiveFold(store, parameters.memory, parameters.visibility, parameters.node.ray_caster)

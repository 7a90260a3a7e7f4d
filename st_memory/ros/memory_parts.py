"""What a memory node holds while it is configured, and what more while it is active."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TYPE_CHECKING

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType

from st_memory.conversions.assembly_settings import AssemblerSettings
from st_memory.conversions.roles import TopicKind, TopicRole
from st_memory.core.errors import ConfigError
from st_memory.core.memory import MemorySettings, ObjectMemory
from st_memory.core.stamps import stamp_from_seconds
from st_memory.core.visibility import VisibilityPreset
from st_memory.doctor import LiveInputs
from st_memory.replay import open_epoch
from st_memory.ros.camera_names import CameraNames
from st_memory.ros.frames import Frames
from st_memory.ros.guard import guarded
from st_memory.ros.ingest import Ingest, IngestListener
from st_memory.ros.input_watch import InputWatch
from st_memory.ros.live_fold import LiveFold
from st_memory.ros.live_store import LiveStore
from st_memory.ros.publications import MemoryPublications
from st_memory.ros.scenes import given_scene, scene_of
from st_memory.ros.services import QuestionServices
from st_memory.ros.settings import MemoryNodeSettings
from st_memory.ros.slow_services import SlowServices
from st_memory.ros.telling import Telling
from st_memory.ros.telling_services import TellingServices
from st_memory.ros.topics import MemorySubscriptions
from st_memory.ros.upkeep_services import UpkeepServices
from st_memory.settings import with_self_filter
from st_memory.storage import SqliteMemoryStore
from st_memory.vlm.word_encoder import word_encoder

if TYPE_CHECKING:
    from rclpy.lifecycle import LifecycleNode

__all__ = ['ActiveMemory', 'MemoryParameters', 'OpenMemory']

_LOG_EVERY = 1000


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
        self.publications = MemoryPublications(
            node, self.store, self.frames, stamp_from_seconds(settings.objects_period_s), prior
        )
        self.inputs: Callable[[], LiveInputs] = lambda: LiveInputs(is_active=False)
        self.telling = Telling(
            node, partial(_fold_of, self.store, parameters), self.publications.tell_frame
        )
        self._upkeep = UpkeepServices(
            node,
            self.store,
            file,
            settings.snapshot_folder,
            self._inputs_now,
            settings.max_answer_bytes,
        )
        self._slow = SlowServices(
            node,
            self.store,
            (
                TellingServices(self.store, self.frames, self.telling, parameters.memory, prior),
                self._upkeep,
            ),
        )
        if settings.on_restart == 'new_epoch':
            fold = ObjectMemory(parameters.memory, checkpoint=self.store.checkpoint())
            open_epoch(fold, self.store)
        now = self.store.now()
        held = 'empty' if now is None else f'up to epoch {now.epoch}, {now.stamp_ns} ns'
        node.get_logger().info(f'opened {settings.database}: {held}')

    def close(self) -> None:
        """Answer no more and let go of the file."""
        self._services.stop()
        self._slow.stop()
        self._upkeep.stop()
        self.publications.stop()
        self.store.close()

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


class ActiveMemory:
    """
    Subscriptions that feed an open memory.

    Parameters
    ----------
    node : LifecycleNode
        Who subscribes.
    parameters : MemoryParameters
        What is subscribed, and the numbers of assembly and fold.
    memory : OpenMemory
        What is fed.

    Raises
    ------
    ConfigError
        If a message package that is always needed is not installed.

    """

    def __init__(
        self, node: LifecycleNode, parameters: MemoryParameters, memory: OpenMemory
    ) -> None:
        self._node = node
        self._frames = memory.frames
        self._problems: Counter[str] = Counter()
        group = MutuallyExclusiveCallbackGroup()
        self._subscriptions = MemorySubscriptions(
            node, parameters.node, self._take, self._note_error, group, memory.scene
        )
        told = memory.publications
        self.ingest = Ingest(
            memory.store,
            parameters.memory,
            parameters.visibility,
            memory.assembler,
            lambda: self._subscriptions.roles,
            IngestListener(told.tell_frame, told.tell_progress, self._note_problem),
            parameters.node.backlog,
            scene=scene_of(memory.scene),
            ray_caster=parameters.node.ray_caster,
        )
        self._watch = InputWatch(node, parameters.node.fixed_frame)
        self._names = CameraNames(
            {
                'parameter cameras': parameters.node.cameras,
                'self_masks of the self-filter': tuple(memory.assembler.self_masks),
            },
            node.get_logger().warning,
        )
        self._memory = memory
        memory.telling.ingest = self.ingest
        memory.inputs = lambda: self._watch.inputs(self._subscriptions, self.ingest)
        told.tell_progress(self.ingest.progress)
        self.ingest.start()
        # Steady time: looking for topics must go on when simulated time stands still.
        self._timer = node.create_timer(
            parameters.node.discovery_period_s,
            guarded(self._discover, self._note_error),
            callback_group=group,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )

    def stop(self) -> None:
        """Take no more messages; commit and tell the frames that wait."""
        self._node.destroy_timer(self._timer)
        self._names.check(self._subscriptions.cameras, at_last=True)
        self._subscriptions.stop()
        self._memory.telling.ingest = None
        self._memory.inputs = lambda: LiveInputs(is_active=False)
        if not self.ingest.stop():
            self._node.get_logger().error(
                'frames that waited were given up: too many, or a slow disk'
            )
        self._node.get_logger().info(f'left out: {dict(self.ingest.counters) or "nothing"}')

    def _discover(self) -> None:
        self._subscriptions.discover()
        self._names.check(self._subscriptions.cameras)

    def _take(self, role: TopicRole, message: Any) -> None:
        if role.kind is TopicKind.CAMERA_INFO:
            self._frames.note(role.camera_id, message.header.frame_id)
        self._watch.note(role, message)
        self.ingest.put(role, message)

    def _note_problem(self, reason: str, text: str) -> None:
        """Log the first of each kind, and every thousandth."""
        if self._problems[reason] % _LOG_EVERY == 0:
            number = self._problems[reason] + 1
            self._node.get_logger().warning(f'{reason} (no. {number}): {text}')
        self._problems[reason] += 1

    def _note_error(self, error: Exception) -> None:
        self._note_problem('internal_error', f'{type(error).__name__}: {error}')

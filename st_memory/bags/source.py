"""A bag as a source of frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path

from st_memory.bags.reader import BagReader, open_bag
from st_memory.conversions.assembler import FrameAssembler
from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.misspelt import masks_of_no_camera
from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole, with_fixed_masks
from st_memory.conversions.stamps import header_stamp
from st_memory.conversions.transforms import transforms_from_message
from st_memory.core.records import Scene, SensedFrame

__all__ = ['BagFrameSource', 'roles_of']


def roles_of(reader: BagReader, settings: AssemblerSettings) -> dict[str, TopicRole]:
    """Say what the topics of a bag are for: as the settings say, otherwise by type and name."""
    filled = {
        name: summary.type_name
        for name, summary in reader.topics.items()
        if summary.num_messages and summary.type_name
    }
    meshes = {
        name: TopicRole(TopicKind.MESH, part=what.name)
        for name, what in settings.mesh_parts.items()
    }
    named = {**settings.role_by_topic, **meshes}
    roles = {
        **discover_roles(filled),
        **{name: role for name, role in named.items() if name in filled},
    }
    once = {name for name in roles if reader.topics[name].num_messages == 1}
    return with_fixed_masks(roles, once)


class BagFrameSource:
    """
    Read frames from a bag; see :class:`st_memory.core.ports.FrameSource`.

    Frames leave at their deadline, so the order of messages within ``max_wait_ns`` does not
    matter. Static transforms, masks for all images and the scene hold from the start, wherever in
    the bag they stand: the first markers and the first mesh of each topic count.

    Parameters
    ----------
    path : str or Path
        As for :func:`st_memory.bags.open_bag`.
    settings : AssemblerSettings, optional
        ``roles`` and ``release`` are set by the source itself.
    scene : Scene, optional
        Counts instead of the markers in the bag; meshes of topics are put into it.

    Raises
    ------
    BagError
        If the bag cannot be opened.
    ConversionError
        If its scene cannot be used.

    """

    def __init__(
        self,
        path: str | Path,
        settings: AssemblerSettings | None = None,
        scene: Scene | None = None,
    ) -> None:
        self._path = Path(path)
        given = settings or AssemblerSettings()
        with open_bag(self._path) as reader:
            self._roles = {
                topic: role
                for topic, role in roles_of(reader, given).items()
                if scene is None or role.kind is not TopicKind.SCENE
            }
            self._settings = replace(
                given,
                roles=tuple(self._roles.values()),
                release=ReleasePolicy.DEADLINE,
            )
            self._given_scene = scene
            self._scene_bytes: set[bytes] = set()
            self._scene = self._read_scene(reader)
            self._covered_ns = reader.end_ns - reader.start_ns
        self._assembler = FrameAssembler(self._settings)
        self._num_ignored = 0

    @property
    def name(self) -> str:
        """The file or folder name."""
        return self._path.name

    @property
    def scene(self) -> Scene:
        """The scene given, or the first one in the bag; empty when there is none."""
        return self._scene

    @property
    def covered_ns(self) -> int:
        """Time of recording from the first message to the last, nanoseconds."""
        return self._covered_ns

    @property
    def roles(self) -> Mapping[str, TopicRole]:
        """What each used topic is for."""
        return self._roles

    @property
    def warnings(self) -> tuple[str, ...]:
        """What of the settings the bag has no use for, one line each."""
        cameras = {role.camera_id for role in self._roles.values()} - {''}
        return masks_of_no_camera(self._settings, cameras)

    def frames(self) -> Iterator[SensedFrame]:
        """
        Yield every frame.

        Raises
        ------
        BagError
            If the bag is damaged within.
        ConversionError
            If a message can never be used, such as one of an unknown encoding.

        """
        assembler = self._assembler = FrameAssembler(self._settings, self._scene)
        self._num_ignored = 0
        with open_bag(self._path) as reader:
            self._push_statics(reader, assembler)
            for message in reader.messages(self._wanted_topics()):
                if message.raw in self._scene_bytes:  # large, and known already
                    continue
                if self._roles[message.topic].kind is TopicKind.MESH:
                    self._num_ignored += 1
                    continue
                yield from assembler.push(self._roles[message.topic], message.read())
            yield from assembler.flush()

    def counters(self) -> Mapping[str, int]:
        """
        Say what was left out or incomplete in the last pass, counted by reason.

        Faces that were dropped of the scene's meshes are among it, and meshes that came later
        than the first of their topic (``mesh_changed``): the scene of a recording is one.
        """
        counted = Counter(self._assembler.counters) + self._scene_counters
        counted.update({'mesh_changed': self._num_ignored} if self._num_ignored else {})
        return dict(sorted(counted.items()))

    def _wanted_topics(self) -> list[str]:
        """Topics that frames are made of; joint states are not when the scene has no joints."""
        has_joints = self._scene.articulation is not None
        return [t for t, r in self._roles.items() if has_joints or r.kind is not TopicKind.JOINTS]

    def _topics(self, kind: TopicKind) -> list[str]:
        return [topic for topic, role in self._roles.items() if role.kind is kind]

    def _read_scene(self, reader: BagReader) -> Scene:
        """Put the scene together from what comes first on each of its topics."""
        assembler = FrameAssembler(self._settings, self._given_scene or Scene())
        meshes = [[topic] for topic in self._topics(TopicKind.MESH)]
        for topics in (self._topics(TopicKind.SCENE), *meshes):
            for message in reader.messages(topics):
                assembler.push(self._roles[message.topic], message.read())
                self._scene_bytes.add(message.raw)
                break
        self._scene_counters = Counter(assembler.counters)
        return assembler.scene

    def _push_statics(self, reader: BagReader, assembler: FrameAssembler) -> None:
        """Give the assembler the first transform of each static link, and masks for all images."""
        seen: set[str] = set()
        for message in reader.messages(self._topics(TopicKind.TF_STATIC)):
            content = message.read()
            links = {t.child for t in transforms_from_message(content, static=True)[0]}
            if not links <= seen:
                assembler.push(self._roles[message.topic], content)
                seen |= links
        for kind in (TopicKind.SELF_MASK, TopicKind.SELF_MASK_FIXED):
            for topic in self._topics(kind):
                for message in islice(reader.messages([topic]), 1):
                    content = message.read()
                    if kind is TopicKind.SELF_MASK_FIXED or header_stamp(content.header) is None:
                        assembler.push(self._roles[topic], content)

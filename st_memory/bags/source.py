"""A bag as a source of frames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from st_memory.bags.reader import BagReader, open_bag
from st_memory.conversions.assembler import FrameAssembler
from st_memory.conversions.assembly_settings import AssemblerSettings, ReleasePolicy
from st_memory.conversions.markers import scene_from_markers
from st_memory.conversions.roles import discover_roles, TopicKind, TopicRole
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
    named = {name: role for name, role in settings.role_by_topic.items() if name in filled}
    return {**discover_roles(filled), **named}


class BagFrameSource:
    """
    Read frames from a bag; see :class:`st_memory.core.ports.FrameSource`.

    Frames leave at their deadline, so the order of messages within ``max_wait_ns`` does not
    matter. Static transforms hold from the start, wherever in the bag they stand.

    Parameters
    ----------
    path : str or Path
        As for :func:`st_memory.bags.open_bag`.
    settings : AssemblerSettings, optional
        ``roles`` and ``release`` are set by the source itself.

    Raises
    ------
    BagError
        If the bag cannot be opened.

    """

    def __init__(self, path: str | Path, settings: AssemblerSettings | None = None) -> None:
        self._path = Path(path)
        given = settings or AssemblerSettings()
        with open_bag(self._path) as reader:
            self._roles = roles_of(reader, given)
            self._settings = replace(
                given,
                roles=tuple(self._roles.values()),
                release=ReleasePolicy.DEADLINE,
            )
            self._scene, self._scene_bytes = self._read_scene(reader)
            self._covered_ns = reader.end_ns - reader.start_ns
        self._assembler = FrameAssembler(self._settings)

    @property
    def name(self) -> str:
        """The file or folder name."""
        return self._path.name

    @property
    def scene(self) -> Scene:
        """The first scene in the bag; empty when there is none."""
        return self._scene

    @property
    def covered_ns(self) -> int:
        """Time of recording from the first message to the last, nanoseconds."""
        return self._covered_ns

    @property
    def roles(self) -> Mapping[str, TopicRole]:
        """What each used topic is for."""
        return self._roles

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
        with open_bag(self._path) as reader:
            self._push_statics(reader, assembler)
            for message in reader.messages(self._roles):
                if message.raw != self._scene_bytes:  # large, and known already
                    yield from assembler.push(self._roles[message.topic], message.read())
            yield from assembler.flush()

    def counters(self) -> Mapping[str, int]:
        """Say what was left out or incomplete in the last pass, counted by reason."""
        return self._assembler.counters

    def _topics(self, kind: TopicKind) -> list[str]:
        return [topic for topic, role in self._roles.items() if role.kind is kind]

    def _read_scene(self, reader: BagReader) -> tuple[Scene, bytes]:
        """Give the first scene of the bag and the message it stands in."""
        for message in reader.messages(self._topics(TopicKind.SCENE)):
            markers = message.read().markers
            scene = scene_from_markers(markers, self._settings.fixed_frame, message.topic)
            return scene, message.raw
        return Scene(), b''

    def _push_statics(self, reader: BagReader, assembler: FrameAssembler) -> None:
        """Give the assembler the first transform of every static link."""
        seen: set[str] = set()
        for message in reader.messages(self._topics(TopicKind.TF_STATIC)):
            content = message.read()
            links = {t.child for t in transforms_from_message(content, static=True)[0]}
            if not links <= seen:
                assembler.push(self._roles[message.topic], content)
                seen |= links

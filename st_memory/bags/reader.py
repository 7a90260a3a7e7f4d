"""Reading bags: rosbag2 folders, single MCAP and SQLite files, and ROS 1 bags."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack
import functools
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TYPE_CHECKING

from rosbags.highlevel import AnyReader
from rosbags.interfaces import ConnectionExtRosbag2

from st_memory.bags.locating import locate, reading_errors
from st_memory.bags.msgtypes import standard_typestore
from st_memory.core.errors import BagError

if TYPE_CHECKING:
    from rosbags.interfaces import Connection

__all__ = ['BagMessage', 'BagReader', 'TopicSummary', 'offered_qos', 'open_bag']


class TopicSummary(NamedTuple):
    """Type and count of a topic; the type is '' when its messages are of several types."""

    type_name: str
    num_messages: int


class BagMessage:
    """
    One message, deserialised when it is looked at.

    Attributes
    ----------
    connection : rosbags.interfaces.Connection
        Where it comes from: topic, type, definition.
    log_ns : int
        Time of recording, nanoseconds.
    raw : bytes
        The serialised message.

    """

    __slots__ = ('_reader', 'connection', 'log_ns', 'raw')

    def __init__(self, reader: BagReader, connection: Connection, log_ns: int, raw: bytes) -> None:
        self._reader = reader
        self.connection = connection
        self.log_ns = log_ns
        self.raw = raw

    @property
    def topic(self) -> str:
        """Topic it was recorded from."""
        return self.connection.topic

    @property
    def type_name(self) -> str:
        """Such as ``sensor_msgs/msg/Image``."""
        return self.connection.msgtype

    def read(self) -> Any:
        """
        Deserialise.

        Raises
        ------
        BagError
            If the bytes are not a message of the type.

        """
        return self._reader.deserialize(self)


class BagReader:
    """
    An open bag; made by :func:`open_bag`, closed by :meth:`close` or a ``with`` block.

    Nothing is ever written beside the bag.

    Parameters
    ----------
    path : Path
        What the caller named.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stack = ExitStack()
        with reading_errors(path), ExitStack() as opening:
            files = locate(path, opening)
            self._reader = AnyReader(files, default_typestore=standard_typestore())
            opening.enter_context(self._reader)
            self._stack = opening.pop_all()

    @property
    def is_ros2(self) -> bool:
        """Whether messages are CDR, as in ROS 2; otherwise ROS 1."""
        return self._reader.is2

    @property
    def connections(self) -> tuple[Connection, ...]:
        """All connections; a topic may have several."""
        return tuple(self._reader.connections)

    @functools.cached_property
    def topics(self) -> dict[str, TopicSummary]:
        """Topics by name."""
        found: dict[str, TopicSummary] = {}
        for connection in sorted(self._reader.connections, key=lambda c: c.topic):
            before = found.get(connection.topic)
            type_name, count = connection.msgtype, connection.msgcount
            if before is not None:
                type_name = type_name if type_name == before.type_name else ''
                count += before.num_messages
            found[connection.topic] = TopicSummary(type_name, count)
        return found

    @property
    def num_messages(self) -> int:
        """How many messages the bag holds."""
        return sum(summary.num_messages for summary in self.topics.values())

    @property
    def start_ns(self) -> int:
        """Time of recording of the first message, nanoseconds."""
        return int(self._reader.start_time)

    @property
    def end_ns(self) -> int:
        """Time of recording of the last message, nanoseconds."""
        return max(self.start_ns, int(self._reader.end_time) - 1)

    def messages(self, topics: Collection[str] | None = None) -> Iterator[BagMessage]:
        """
        Give messages in the order of recording.

        Parameters
        ----------
        topics : collection of str, optional
            Only these; all by default.

        Raises
        ------
        BagError
            If the file ends or is damaged within.

        """
        connections = [c for c in self._reader.connections if topics is None or c.topic in topics]
        if not connections:
            return
        with reading_errors(self.path):
            for connection, log_ns, raw in self._reader.messages(connections):
                yield BagMessage(self, connection, log_ns, raw)

    def deserialize(self, message: BagMessage) -> Any:
        """Deserialise a message; see :meth:`BagMessage.read`."""
        with reading_errors(self.path, f'a message on {message.topic}'):
            return self._reader.deserialize(message.raw, message.type_name)

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def __enter__(self) -> BagReader:
        """Give the reader itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the files."""
        self.close()


def open_bag(path: str | Path) -> BagReader:
    """
    Open a bag for reading.

    Parameters
    ----------
    path : str or Path
        A rosbag2 folder, an ``.mcap`` or ``.db3`` file, a folder of such files without
        ``metadata.yaml``, or a ROS 1 ``.bag``.

    Raises
    ------
    BagError
        One line: the file is missing, is not a bag, is cut off, has another profile than ROS 2,
        or holds no message.

    """
    reader = BagReader(Path(path))
    if not reader.num_messages:
        reader.close()
        raise BagError(f'{path}: the bag is empty: it holds no message')
    return reader


def offered_qos(connection: Connection) -> list[Any]:
    """Give the QoS profiles a ROS 2 topic was recorded with."""
    ext = connection.ext
    return list(ext.offered_qos_profiles) if isinstance(ext, ConnectionExtRosbag2) else []

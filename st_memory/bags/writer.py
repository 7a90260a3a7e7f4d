"""An MCAP file that appears under its name only when it is complete."""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path
import shutil
import tempfile
from types import TracebackType
from typing import Any, Literal, TYPE_CHECKING

from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from st_memory.bags.msgtypes import standard_typestore
from st_memory.core.errors import BagError

if TYPE_CHECKING:
    from rosbags.interfaces import Connection

__all__ = ['LATCHED', 'VOLATILE', 'BagWriter']

# Version 8 writes QoS profiles as the text that Humble reads; version 9 does not.
_METADATA_VERSION: Literal[8] = 8
_FOREVER = QosTime(9223372036, 854775807)
# The name inside the file must not depend on where the file goes: same content, same bytes.
_INNER_NAME = 'recording'


def _profile(depth: int, durability: QosDurability) -> Qos:
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=depth,
        reliability=QosReliability.RELIABLE,
        durability=durability,
        deadline=_FOREVER,
        lifespan=_FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=_FOREVER,
        avoid_ros_namespace_conventions=False,
    )


LATCHED = _profile(1, QosDurability.TRANSIENT_LOCAL)
VOLATILE = _profile(10, QosDurability.VOLATILE)


class BagWriter:
    """
    Write messages to an MCAP file, all or nothing.

    Everything goes to a hidden folder beside the target; :meth:`close` moves the complete file
    to its name. The settings (zstd chunks of 1 MiB, metadata version 8) are fixed: the same
    messages give the same bytes, and Humble can play them.

    Parameters
    ----------
    path : str or Path
        Target, named ``*.mcap``.
    overwrite : bool
        Replace an existing file, at the moment of closing.

    Raises
    ------
    BagError
        If the name is unusable, or the file exists and ``overwrite`` is not set.

    """

    def __init__(self, path: str | Path, *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.num_messages = 0
        if self.path.suffix != '.mcap':
            raise BagError(f'{self.path}: expected a file name that ends in .mcap')
        if self.path.is_dir() or (self.path.exists() and not overwrite):
            raise BagError(f'{self.path}: exists already and is not written over')
        self._typestore = standard_typestore()
        self._channels: dict[str, tuple[Connection, str]] = {}
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._folder: Path | None = Path(
                tempfile.mkdtemp(prefix=f'.{self.path.name}.', dir=self.path.parent)
            )
            self._writer = Writer(
                self._folder / _INNER_NAME,
                version=_METADATA_VERSION,
                storage_plugin=StoragePlugin.MCAP,
            )
            self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
            self._writer.open()
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error.strerror}') from error

    def write(
        self, topic: str, type_name: str, message: Any, log_ns: int, qos: Qos = VOLATILE
    ) -> None:
        """
        Write one message object.

        Parameters
        ----------
        topic, type_name : str
            Such as ``/tf`` and ``tf2_msgs/msg/TFMessage``.
        message : object
            An instance of :func:`st_memory.bags.msgtypes.message_class`.
        log_ns : int
            Time of recording, nanoseconds.
        qos : Qos
            Offered profile of the topic; the first message of a topic decides.

        """
        channel = self._channels.get(topic)
        if channel is None:
            added = self._open_writer().add_connection(
                topic, type_name, typestore=self._typestore, offered_qos_profiles=[qos]
            )
            channel = self._channels[topic] = (added, type_name)
        connection, known_type = channel
        if type_name != known_type:
            raise ValueError(f'{topic}: expected {known_type}, got {type_name}')
        self.write_raw(connection, log_ns, self._typestore.serialize_cdr(message, type_name))

    def add_raw_connection(
        self, topic: str, type_name: str, definition: str, digest: str, qos: list[Qos]
    ) -> Connection:
        """Announce a topic whose messages come as bytes."""
        connection = self._open_writer().add_connection(
            topic, type_name, msgdef=definition, rihs01=digest, offered_qos_profiles=qos
        )
        self._channels.setdefault(topic, (connection, type_name))
        return connection

    def write_raw(self, connection: Connection, log_ns: int, data: bytes | memoryview) -> None:
        """Write one serialised message, byte for byte."""
        try:
            self._open_writer().write(connection, log_ns, data)
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error.strerror}') from error
        self.num_messages += 1

    def close(self) -> None:
        """
        Complete the file and give it its name.

        Raises
        ------
        BagError
            If nothing was written, or the medium refuses; nothing is left behind then.

        """
        if self._folder is None:
            return
        if not self.num_messages:
            self.abort()
            raise BagError(f'{self.path}: nothing was recorded, no file is written')
        done = self._folder / _INNER_NAME / f'{_INNER_NAME}.mcap'
        try:
            self._writer.close()
            with done.open('rb') as stream:
                os.fsync(stream.fileno())
            done.replace(self.path)
        except OSError as error:
            raise BagError(f'{self.path}: cannot be written: {error.strerror}') from error
        finally:
            self._remove_folder()

    def abort(self) -> None:
        """Throw away what was written."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._writer.abort()
        self._remove_folder()

    def __enter__(self) -> BagWriter:
        """Give the writer itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Complete the file, or throw it away after an error."""
        if kind is None:
            self.close()
        else:
            self.abort()

    def _open_writer(self) -> Writer:
        if self._folder is None:
            raise ValueError(f'{self.path}: the writer is closed')
        return self._writer

    def _remove_folder(self) -> None:
        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

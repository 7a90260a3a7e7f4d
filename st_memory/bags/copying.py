"""A copy of a bag with something added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rosbags.interfaces import MessageDefinitionFormat
from rosbags.typesys import TypesysError

from st_memory.bags.msgtypes import standard_typestore
from st_memory.bags.reader import BagMessage, offered_qos, open_bag
from st_memory.bags.recorder import BagRecorder
from st_memory.core.errors import BagError

if TYPE_CHECKING:
    from rosbags.interfaces import Connection

__all__ = ['copy_bag_with']

_NO_DIGEST = 'RIHS01_' + '0' * 64


def copy_bag_with(
    path_in: str | Path,
    path_out: str | Path,
    extra: Callable[[BagMessage, BagRecorder], None],
    *,
    overwrite: bool = False,
) -> int:
    """
    Copy every message byte for byte and let a callback add its own.

    Parameters
    ----------
    path_in : str or Path
        A ROS 2 bag.
    path_out : str or Path
        Target, named ``*.mcap``; it appears when it is complete.
    extra : callable
        Called after each copied message with the message and the recorder; what it writes there
        gets the time of recording of that message, so that the file stays in order.
    overwrite : bool
        Replace an existing file.

    Returns
    -------
    int
        How many messages were copied, without the added ones.

    Raises
    ------
    BagError
        If the bag cannot be read, is of ROS 1, is the target itself, or the target cannot be
        written; nothing is written over then.

    """
    if Path(path_out).exists() and Path(path_in).resolve() == Path(path_out).resolve():
        raise BagError(f'{path_out}: the copy would replace the bag it is made from')
    num_copied = 0
    with open_bag(path_in) as reader:
        if not reader.is_ros2:
            raise BagError(f'{path_in}: a ROS 1 bag: convert it with rosbags-convert first')
        with BagRecorder(path_out, overwrite=overwrite) as recorder:
            targets: dict[tuple[str, str], Connection] = {}
            for connection in reader.connections:  # a split bag has one for each file
                key = (connection.topic, connection.msgtype)
                if key not in targets:
                    targets[key] = _announce(connection, recorder)
            for message in reader.messages():
                target = targets[message.topic, message.type_name]
                recorder.write_raw(target, message.log_ns, message.raw)
                num_copied += 1
                with recorder.logging_at(message.log_ns):
                    extra(message, recorder)
    return num_copied


def _announce(connection: Connection, recorder: BagRecorder) -> Connection:
    """Announce a topic with the definition of its bag, or ours where the bag has none."""
    definition, digest = connection.msgdef.data, connection.digest
    if connection.msgdef.format is MessageDefinitionFormat.NONE:
        store = standard_typestore()
        try:
            definition, _ = store.generate_msgdef(connection.msgtype, ros_version=2)
            digest = store.hash_rihs01(connection.msgtype)
        except TypesysError as error:
            raise BagError(
                f'{connection.topic}: the bag does not say what {connection.msgtype} is made of'
            ) from error
    return recorder.add_raw_connection(
        connection.topic,
        connection.msgtype,
        definition,
        digest or _NO_DIGEST,
        offered_qos(connection),
    )

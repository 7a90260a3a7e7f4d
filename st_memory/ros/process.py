"""A process of nodes: one executor, a clean end on SIGINT and SIGTERM."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
import signal
import socket
import sys
import threading
from typing import Any, Protocol

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.logging import get_logger
from rclpy.signals import SignalHandlerOptions

from st_memory.core.errors import StMemoryError
from st_memory.ros.guard import guarded
from st_memory.ros.log_forwarding import forward_log

__all__ = ['ProcessNode', 'run']


class ProcessNode(Protocol):
    """A node that a process can run."""

    def start(self) -> None:
        """Begin; raises StMemoryError when it cannot."""

    def finish(self) -> None:
        """End in order; harmless when done twice."""

    def destroy_node(self) -> None:
        """Let go of the middleware."""


class _Stop:
    """The wish to end, from a signal or from a node that is done."""

    def __init__(self) -> None:
        self._wished = threading.Event()

    def wish(self, *_: Any) -> None:
        """End soon; the handler of SIGINT and SIGTERM, so that a second one changes nothing."""
        self._wished.set()

    def is_wished(self) -> bool:
        """Whether to end."""
        return self._wished.is_set()


def run(
    makers: Sequence[Callable[[], Any]],
    args: Sequence[str] | None = None,
    is_done: Callable[[Sequence[Any]], bool] = lambda nodes: False,
) -> int:
    """
    Run nodes on one single-threaded executor until a signal comes or they are done.

    Parameters
    ----------
    makers : sequence of callable
        Each gives a :class:`ProcessNode`.
    args : sequence of str, optional
        Command line; None for that of the process.
    is_done : callable
        Asked with the nodes after each callback.

    Returns
    -------
    int
        0 after a signal or when done, 1 after a known error, told in one line.

    """
    stop = _Stop()
    rclpy.init(
        args=None if args is None else list(args), signal_handler_options=SignalHandlerOptions.NO
    )
    forward_log()
    executor = SingleThreadedExecutor()
    nodes: list[Any] = []
    try:
        with _waking(stop, executor):
            for make in makers:
                nodes.append(make())
                executor.add_node(nodes[-1])
                nodes[-1].start()
            step = guarded(executor.spin_once, _survive)
            while rclpy.ok() and not stop.is_wished() and not is_done(nodes):
                step()
    except StMemoryError as error:
        sys.stderr.write(f'{error}\n')
        return 1
    finally:
        for node in nodes:
            node.finish()
        executor.shutdown(timeout_sec=0.5)
        for node in nodes:
            node.destroy_node()
        rclpy.try_shutdown()
    return 0


def _survive(error: Exception) -> None:
    """Log what a callback or the middleware raised and go on, unless it is meant to end us."""
    if isinstance(error, StMemoryError):
        raise error
    if not isinstance(error, ExternalShutdownException):
        get_logger('st_memory').error(f'going on after {type(error).__name__}: {error}')


@contextmanager
def _waking(stop: _Stop, executor: SingleThreadedExecutor) -> Iterator[None]:
    """
    Let SIGINT and SIGTERM end the spinning while the middleware stays usable.

    The handlers of rclpy would invalidate every publisher before the last frames are told. A
    Python handler alone would not run: the executor waits outside of the interpreter. So the
    signal's number comes through a socket to a thread that gives the executor something to do.
    The handlers stay until the process ends: a second signal must not break its clean-up.
    """
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop.wish)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)

    def wake() -> None:
        while receiver.recv(1):
            stop.wish()
            executor.create_task(_nothing)

    thread = threading.Thread(target=wake, name='signals', daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(-1)
        sender.close()
        thread.join()
        receiver.close()


def _nothing() -> None:
    """Give the executor a task, so that it looks around."""

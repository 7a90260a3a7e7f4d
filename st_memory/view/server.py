"""The server: on the loopback, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import socket

from st_memory.asking import MemoryFile
from st_memory.core.errors import MissingExtraError, StMemoryError

__all__ = ['HOST', 'serve']

HOST = '127.0.0.1'
_PATIENCE_S = 2


def serve(
    db: Path | str, *, port: int, frame: str = 'map', on_ready: Callable[[str], None]
) -> None:
    """
    Show a memory file as a web page until the process is interrupted.

    Parameters
    ----------
    db : Path or str
        The memory file; a node may write it meanwhile.
    port : int
        Port on the loopback; 0 for any that is free.
    frame : str
        Name of the fixed frame.
    on_ready : callable
        Called once with the address, when a browser can connect.

    Raises
    ------
    StMemoryError
        If the port is taken.
    StoreError
        If the file is missing, or no memory of a known version.
    MissingExtraError
        If the extra ``view`` is not installed.

    """
    try:
        import uvicorn

        from st_memory.view.application import build_app
    except ImportError as error:
        raise MissingExtraError(error.name or 'uvicorn', 'view', 'the web page') from error
    with MemoryFile(db) as memory, _listening(port) as listener:
        app = build_app(memory, Path(db).name, frame)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan='off',
            ws='none',
            http='h11',
            loop='asyncio',
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_PATIENCE_S,
        )
        on_ready(f'http://{HOST}:{listener.getsockname()[1]}/')
        try:
            uvicorn.Server(config).run(sockets=[listener])
        except KeyboardInterrupt:  # how a person ends it
            return


def _listening(port: int) -> socket.socket:
    """Take the port, before anything is said of it."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise StMemoryError(
            f'port {port}: cannot be used ({error.strerror}); name another one with --port, '
            'or 0 for any that is free'
        ) from error
    return listener

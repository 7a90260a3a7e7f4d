"""
Own the web page on a memory file: what it is asked over HTTP, and the server on the loopback.

Reads only, through :class:`~st_memory.asking.MemoryFile`. A reader starts with :func:`serve`; the
page itself is ``static/``, plain ES modules that load nothing from elsewhere.
"""

from __future__ import annotations

from st_memory.view.server import serve

__all__ = ['serve']

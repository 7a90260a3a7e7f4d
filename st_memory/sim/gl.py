"""Software or hardware rendering without a display: choose EGL, else OSMesa, before MuJoCo."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
from types import ModuleType
from typing import Any

from st_memory.core.errors import MissingExtraError, StMemoryError

__all__ = ['RenderingUnavailableError', 'load_mujoco', 'open_context']

_EGL_PLATFORM_DEVICE = 0x313F
_OFF_SCREEN = ('egl', 'osmesa')


class RenderingUnavailableError(StMemoryError):
    """Neither EGL nor OSMesa can render on this machine."""


def load_mujoco() -> ModuleType:
    """
    Import MuJoCo with an off-screen backend.

    ``MUJOCO_GL`` is respected when it is set; otherwise ``egl`` is taken when a device can be
    opened, else ``osmesa`` when its library is found. MuJoCo reads the choice once, at import.

    Returns
    -------
    module
        ``mujoco``.

    Raises
    ------
    MissingExtraError
        If the package is not installed.
    RenderingUnavailableError
        If no backend can be had.

    """
    if not os.environ.get('MUJOCO_GL'):
        backend = 'egl' if _egl_works() else 'osmesa' if _find('OSMesa') else ''
        if not backend:
            raise RenderingUnavailableError(
                'rendering: expected EGL with a device or OSMesa, found neither '
                '(Debian/Ubuntu: apt install libegl1 libgl1-mesa-dri, or libosmesa6)'
            )
        os.environ['MUJOCO_GL'] = backend
    try:
        return importlib.import_module('mujoco')
    except ModuleNotFoundError as error:
        if error.name != 'mujoco':
            raise
        raise MissingExtraError('mujoco', 'sim', 'rendering a kitchen') from None
    except (ImportError, RuntimeError, AttributeError, OSError) as error:
        raise RenderingUnavailableError(
            f'rendering: MUJOCO_GL={os.environ["MUJOCO_GL"]} cannot be used: {error}'
        ) from error


def open_context(mujoco: ModuleType, width: int, height: int) -> Any:
    """
    Open an off-screen GL context and make it current.

    Of the backend that is chosen now: who imported MuJoCo earlier, for its physics, had it
    choose one that needs a display.

    Parameters
    ----------
    mujoco : module
        From :func:`load_mujoco`.
    width, height : int
        Of the images.

    Raises
    ------
    RenderingUnavailableError
        If the backend cannot open one.

    """
    backend = os.environ.get('MUJOCO_GL', '').lower().strip()
    try:
        of_backend = (
            importlib.import_module(f'mujoco.{backend}') if backend in _OFF_SCREEN else mujoco
        )
        context = of_backend.GLContext(width, height)
        context.make_current()
    except _gl_errors() as error:
        raise RenderingUnavailableError(f'rendering: no GL context: {error}') from error
    return context


def _gl_errors() -> tuple[type[Exception], ...]:
    """Give the exceptions by which a backend says that it cannot open a context."""
    known = (ImportError, RuntimeError, AttributeError, OSError)
    found: list[type[Exception]] = []
    for module, name in (('OpenGL.error', 'Error'), ('glfw', 'GLFWError')):
        try:
            found.append(getattr(importlib.import_module(module), name))
        except (ImportError, AttributeError):
            continue
    return (*known, *found)


def _find(name: str) -> str | None:
    return ctypes.util.find_library(name)


def _egl_works() -> bool:
    """Whether some EGL device can be opened; asks the library itself, not PyOpenGL."""
    path = _find('EGL')
    if path is None:
        return False
    try:
        egl = ctypes.CDLL(path)
        get = egl.eglGetProcAddress
    except (OSError, AttributeError):
        return False
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    addresses = [get(b'eglQueryDevicesEXT'), get(b'eglGetPlatformDisplayEXT')]
    if not all(addresses):
        return False
    query = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    )(addresses[0])
    display_of = ctypes.CFUNCTYPE(
        ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p
    )(addresses[1])
    devices, count = (ctypes.c_void_p * 16)(), ctypes.c_int(0)
    if not query(16, devices, ctypes.byref(count)):
        return False
    egl.eglInitialize.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    for device in devices[: count.value]:
        display = display_of(_EGL_PLATFORM_DEVICE, device, None)
        if display and egl.eglInitialize(display, None, None):
            return True
    return False

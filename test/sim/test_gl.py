"""What happens where nothing can be rendered."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from types import ModuleType

import pytest

from st_memory.core.errors import MissingExtraError
from st_memory.sim.gl import load_mujoco, open_context, RenderingUnavailableError
from test.sim.conftest import Rendered

_CHOICES = ('DISPLAY', 'MUJOCO_GL', 'PYOPENGL_PLATFORM')


def without(name: str, error: Exception) -> object:
    real = importlib.import_module

    def import_module(wanted: str) -> ModuleType:
        if wanted == name:
            raise error
        return real(wanted)

    return import_module


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('MUJOCO_GL', 'egl')
    missing = ModuleNotFoundError("No module named 'mujoco'", name='mujoco')
    monkeypatch.setattr(importlib, 'import_module', without('mujoco', missing))
    with pytest.raises(MissingExtraError, match=r'st_memory\[sim\]'):
        load_mujoco()


def test_missing_libraries_are_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('MUJOCO_GL', raising=False)
    monkeypatch.setattr('ctypes.util.find_library', lambda name: None)
    with pytest.raises(RenderingUnavailableError, match=r'libegl1 .* libosmesa6') as caught:
        load_mujoco()
    assert '\n' not in str(caught.value)


def test_osmesa_is_taken_when_egl_has_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: dict[str, str] = {}
    monkeypatch.setattr('os.environ', chosen)
    libraries = {'OSMesa': 'libOSMesa.so.8'}
    monkeypatch.setattr('ctypes.util.find_library', libraries.get)
    stop = ModuleNotFoundError("No module named 'mujoco'", name='mujoco')
    monkeypatch.setattr(importlib, 'import_module', without('mujoco', stop))
    with pytest.raises(MissingExtraError):
        load_mujoco()
    assert chosen == {'MUJOCO_GL': 'osmesa'}


def test_backend_that_the_user_chose_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {'MUJOCO_GL': 'osmesa'}
    monkeypatch.setattr('os.environ', chosen)
    broken = ImportError('Unable to load OSMesa')
    monkeypatch.setattr(importlib, 'import_module', without('mujoco', broken))
    with pytest.raises(RenderingUnavailableError, match='MUJOCO_GL=osmesa cannot be used'):
        load_mujoco()
    assert chosen == {'MUJOCO_GL': 'osmesa'}


_LATE = """
import mujoco
from st_memory.sim.gl import load_mujoco, open_context
context = open_context(load_mujoco(), 16, 12)
print(type(context).__module__)
context.free()
"""


def test_mujoco_that_somebody_else_imported_still_renders(clean_kitchen: Rendered) -> None:
    # Without a display what MuJoCo chooses by itself can open nothing.
    environment = {k: v for k, v in os.environ.items() if k not in _CHOICES}
    done = subprocess.run(
        [sys.executable, '-W', 'error', '-c', _LATE],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in {'mujoco.egl', 'mujoco.osmesa'}


@pytest.mark.parametrize('backend', ['egl', 'glfw'])
def test_backend_without_a_device_is_one_line(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(ModuleType):
        def GLContext(self, width: int, height: int) -> object:
            raise RuntimeError(f'no device for {width}x{height}')

    real = importlib.import_module
    monkeypatch.setenv('MUJOCO_GL', backend)
    monkeypatch.setattr(
        importlib, 'import_module', lambda name: Broken(name) if 'egl' in name else real(name)
    )
    with pytest.raises(RenderingUnavailableError, match='no GL context: no device for 4x3'):
        open_context(Broken('mujoco'), 4, 3)

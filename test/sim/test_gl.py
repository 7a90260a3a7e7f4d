"""What happens where nothing can be rendered."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest

from st_memory.core.errors import MissingExtraError
from st_memory.sim.gl import load_mujoco, RenderingUnavailableError


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

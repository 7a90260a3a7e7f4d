"""The launch files: importable without ROS, complete where ROS is."""

from __future__ import annotations

from dataclasses import fields
import importlib.util
from pathlib import Path
import subprocess
import sys
from types import ModuleType

import pytest

from st_memory.ros.settings import MemoryNodeSettings, ReplayNodeSettings

FOLDER = Path(__file__).resolve().parents[2] / 'launch'
NAMES = ('bringup', 'evaluate', 'replay')
LAUNCH_ONLY = {'params_file', 'use_sim_time', 'namespace'}


def _load(name: str) -> ModuleType:
    path = FOLDER / f'{name}.launch.py'
    spec = importlib.util.spec_from_file_location(f'launch_file_{name}', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_launch_folder_holds_the_files_that_are_tested() -> None:
    assert sorted(p.name for p in FOLDER.iterdir() if p.is_file()) == [
        f'{name}.launch.py' for name in NAMES
    ]


@pytest.mark.parametrize('name', NAMES)
def test_launch_file_imports_without_ros(name: str) -> None:
    blocked = ('rclpy', 'launch', 'launch_ros', 'ament_index_python')
    code = (
        'import importlib.util, sys\n'
        f'sys.modules.update(dict.fromkeys({blocked!r}))\n'
        f'spec = importlib.util.spec_from_file_location("f", {str(FOLDER / name)!r}'
        ' + ".launch.py")\n'
        'module = importlib.util.module_from_spec(spec)\n'
        'spec.loader.exec_module(module)\n'
        'print(callable(module.generate_launch_description))\n'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == 'True'


@pytest.mark.parametrize('name', NAMES)
def test_launch_arguments_are_documented_parameters(name: str) -> None:
    known = {f.name for kind in (MemoryNodeSettings, ReplayNodeSettings) for f in fields(kind)}
    for argument, (default, text) in _load(name).ARGUMENTS.items():
        assert argument in known | LAUNCH_ONLY
        assert isinstance(default, str)
        assert text


@pytest.mark.launch
@pytest.mark.parametrize('name', NAMES)
def test_launch_description_declares_its_arguments(name: str) -> None:
    pytest.importorskip('launch.actions', reason='needs launch, which only a ROS installation has')
    pytest.importorskip('launch_ros', reason='needs launch_ros, of a ROS installation')
    from launch.actions import DeclareLaunchArgument

    module = _load(name)
    entities = module.generate_launch_description().entities
    declared = {e.name for e in entities if isinstance(e, DeclareLaunchArgument)}
    assert declared == set(module.ARGUMENTS)

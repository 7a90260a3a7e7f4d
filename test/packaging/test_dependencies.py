"""The packages that package.xml names are those that the sources import, no fewer and no more."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
import re
import sys
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).resolve().parents[2]

# rosdep key -> module that the sources import. Keys that are not here are their own module.
MODULES = {
    'opencv': 'cv2',
    'python3-hypothesis': 'hypothesis',
    'python3-mujoco-pip': 'mujoco',
    'python3-numpy': 'numpy',
    'python3-onnxruntime-pip': 'onnxruntime',
    'python3-open3d-pip': 'open3d',
    'python3-opencv': 'cv2',
    'python3-pytest': 'pytest',
    'python3-rich': 'rich',
    'python3-rosbags-pip': 'rosbags',
    'python3-scipy': 'scipy',
    'python3-torch': 'torch',
    'python3-transformers-pip': 'transformers',
    'python3-yaml': 'yaml',
}
# Modules for which rosdep has no key: with the package that brings them.
WITHOUT_KEY = {
    'apsw': 'rosbags',
    'backports': 'rosbags',
    'embreex': 'embreex, by pip',
    'starlette': 'view extra, by pip',
    'psycopg': 'fleet extra, by pip',
    'pyarrow': 'parquet extra, by pip',
    'rosidl_runtime_py': 'rclpy',
    'safetensors': 'transformers',
    'tokenizers': 'words extra, by pip',
    'usearch': 'search extra, by pip',
    'uvicorn': 'view extra, by pip',
    'OpenGL': 'mujoco',
}
OWN = {'st_memory', 'test'}


def _keys(*tags: str) -> list[str]:
    root = ET.parse(ROOT / 'package.xml').getroot()
    return [node.text or '' for tag in tags for node in root.iter(tag)]


@cache
def _imported(*folders: str) -> frozenset[str]:
    """Top-level modules imported, by statement or by name, and message packages named as types."""
    found: set[str] = set()
    for folder in folders:
        for path in (ROOT / folder).rglob('*.py'):
            source = path.read_text()
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition('.')[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add((node.module or '').partition('.')[0])
            found |= {
                name.partition('.')[0]
                for name in re.findall(r"import_module\('([\w.]+)'\)", source)
            }
            found |= set(re.findall(r"'(\w+)/msg/\w+'", source)) if '/ros/' in str(path) else set()
    return frozenset(found)


@pytest.mark.parametrize('key', _keys('exec_depend', 'depend'))
def test_exec_depend_is_imported_by_the_package(key: str) -> None:
    assert MODULES.get(key, key) in _imported('st_memory', 'launch')


@pytest.mark.parametrize('key', _keys('test_depend'))
def test_test_depend_is_imported_by_the_tests(key: str) -> None:
    assert MODULES.get(key, key) in _imported('test')


def test_package_xml_names_every_key_once() -> None:
    keys = _keys('depend', 'exec_depend', 'build_depend', 'test_depend')
    assert sorted(key for key in set(keys) if keys.count(key) > 1) == []


def test_package_imports_nothing_that_package_xml_does_not_name() -> None:
    named = {MODULES.get(key, key) for key in _keys('exec_depend', 'depend')}
    known = named | OWN | set(WITHOUT_KEY) | set(sys.stdlib_module_names)
    assert sorted(_imported('st_memory', 'launch') - known) == []


def test_setup_py_names_every_module_that_is_not_from_ros() -> None:
    setup = (ROOT / 'setup.py').read_text()
    distributions = {'cv2': 'opencv-python-headless', 'open3d': 'open3d-cpu', 'yaml': 'PyYAML'}
    from_pip = [module for key, module in MODULES.items() if key.startswith('python3-')]
    used = [module for module in from_pip if module in _imported('st_memory')]
    names = [distributions.get(module, module) for module in used]
    assert [name for name in names if not re.search(rf"'{name}[>=\[]", setup)] == []
